"""Thousands of buyers at once, and a record of what each of them was told."""
import json
import select
import socket
import time

from client import API, request_bytes, take_answer


class Attempt:
    """One purchase of one buyer, and what came of it."""
    __slots__ = ("buyer", "sale", "token", "quantity", "key", "fate", "status", "code", "order_no",
                 "sent_at", "answered_at", "place", "body")

    def __init__(self, shop, buyer, sale=None, quantity=None, key=None):
        self.buyer, self.token = buyer, shop.tokens[buyer - 1]  # buyer: the user's id, from 1
        self.sale = shop.sales[0] if sale is None else sale
        self.quantity, self.key = quantity, key
        self.fate = "unsent"  # then "unanswered": sent, and the connection died; then "answered"
        self.status, self.code, self.order_no, self.body = 0, "", None, None
        self.sent_at = self.answered_at = None
        self.place = None  # among the answers of the rush, in the order they came

    def wire(self):
        body = None if self.quantity is None else {"quantity": self.quantity}
        headers = {"Idempotency-Key": self.key} if self.key else None
        return request_bytes("POST", f"{API}/sales/{self.sale}/orders", self.token, body, headers)

    @property
    def accepted(self):
        """Also by a key that has an order already: 200 with the order, once it is entered."""
        return self.status in (200, 202)

    def __repr__(self):
        return (f"<buyer {self.buyer} sale {self.sale} x{self.quantity or 1}: {self.fate} "
                f"{self.status} {self.code} order {self.order_no}>")


class Crowd:
    """Thousands of attempts over many keep-alive connections, all at once, from one thread.

    Attempts are dealt to the connections in turn, so neighbours in the list go out at the same time
    on different connections: that is what a doubled click looks like. Each connection has one
    request under way. When one dies, what it had under way is "unanswered" and what it had not
    sent stays "unsent": nothing is retried.
    """

    def __init__(self, address, connections):
        self.address, self.connections = address, connections
        self.answers = 0
        self.poll = None

    def rush(self, attempts, within_s=180, at_start=None):
        """Returns the attempts, each with its fate filled in. `at_start` is called when everybody
        is connected and nobody has sent anything."""
        attempts = list(attempts)
        self.poll = select.epoll()
        lines = self.connect(attempts)
        try:
            if at_start:
                at_start()
            for line in list(lines.values()):
                self.send_next(lines, line)
            deadline = time.monotonic() + within_s
            while lines:
                if time.monotonic() > deadline:
                    waiting = [line.current for line in lines.values()]
                    raise AssertionError(f"no answer within {within_s} s: {waiting[:5]}")
                for number, _ in self.poll.poll(1):
                    if number in lines:
                        self.receive(lines, lines[number])
        finally:
            for line in lines.values():
                line.socket.close()
            self.poll.close()
        return attempts

    def connect(self, attempts):
        lines = {}
        for i in range(min(self.connections, len(attempts))):
            try:
                line = Line(socket.create_connection(self.address, 60),
                            attempts[i::self.connections])
            except OSError:
                continue  # its attempts stay unsent
            self.poll.register(line.socket, select.EPOLLIN)
            lines[line.socket.fileno()] = line
        return lines

    def send_next(self, lines, line):
        line.current = next(line.waiting, None)
        if line.current is None:
            return self.hang_up(lines, line)
        line.current.sent_at = time.monotonic()
        try:
            line.socket.sendall(line.current.wire())
            line.current.fate = "unanswered"
        except OSError:
            line.current.fate = "unanswered"  # some of it may have arrived
            self.hang_up(lines, line)

    def receive(self, lines, line):
        try:
            got = line.socket.recv(65536)
        except OSError:
            got = b""
        if not got:
            return self.hang_up(lines, line)
        line.buffer += got
        answer = take_answer(line.buffer)
        if answer:
            self.note(line.current, answer)
            self.send_next(lines, line)

    def note(self, attempt, answer):
        attempt.fate, attempt.status = "answered", answer.status
        attempt.answered_at, attempt.place = time.monotonic(), self.answers
        self.answers += 1
        attempt.body = json.loads(answer.body) if answer.body else {}
        attempt.code = attempt.body.get("code", "")
        attempt.order_no = attempt.body.get("order_no")

    def hang_up(self, lines, line):
        del lines[line.socket.fileno()]
        self.poll.unregister(line.socket)
        line.socket.close()


class Line:
    """One connection of the crowd, and who stands in it."""
    __slots__ = ("socket", "waiting", "current", "buffer")

    def __init__(self, connected, attempts):
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket, self.waiting = connected, iter(attempts)
        self.current, self.buffer = None, bytearray()
