"""Thousands of buyers who listen, each over a WebSocket, from one background thread.

    audience = Audience(shop, range(1, 10001))
    audience.connect(server.address)      # everybody has their hello
    ...
    audience.last(7)                      # what buyer 7 was told last: ("closed", "cancelled")

No library: ten thousand of its objects would cost more than the server does.
"""
import json
import resource
import select
import socket
import ssl
import struct
import threading
import time

from books import CLUSTERED
from client import API, Client, request_bytes, take_answer

LINES = 32  # connections that fetch tickets; so many sockets are being opened at a time
HANDSHAKE = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
             "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA=="}
TEXT, CLOSE, PING, PONG = 1, 8, 9, 10
PATIENCE_S = 60  # past that something hangs


def allow_files(wanted):
    """Lets this process, and what it starts, have so many open files, or as many as may be.
    Returns (how many there are now, the limits to put back)."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    soft, hard = (wanted if n == resource.RLIM_INFINITY else n for n in before)
    for limits in ((max(soft, wanted), max(hard, wanted)), (min(wanted, hard), hard)):
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, limits)
            return limits[0], before
        except (ValueError, OSError):
            continue  # not ours to raise
    return soft, before


class Refused(AssertionError):
    """No ticket, or no socket for it."""

    def __init__(self, status, why):
        super().__init__(why)
        # Tickets are in Redis there, and a busy one does not answer in time: a ticket is asked for again.
        self.may_pass = CLUSTERED and status in (401, 429, 503)


class Ear:
    """One buyer who listens, and all they ever heard, over however many sockets."""
    __slots__ = ("buyer", "token", "socket", "buffer", "upgraded", "greeted", "line", "last_event",
                 "hellos", "orders", "events", "mailed", "heard_at", "closed_with")

    def __init__(self, buyer, token):
        self.buyer, self.token = buyer, token
        self.orders = {}       # order number -> [(status, reason), ...] as heard
        self.events = []       # ids, from messages and from the hellos' mailboxes
        self.last_event = None  # the largest one, for `since`
        self.hellos = self.mailed = 0  # mailed: events that a hello had kept for them
        self.heard_at = None   # when the latest change of an order was heard
        self.socket = self.line = self.closed_with = None
        self.upgraded = self.greeted = False
        self.buffer = bytearray()

    def open(self, address, ticket):
        since = "" if self.last_event is None else f"&since={self.last_event}"
        self.buffer.clear()
        self.upgraded, self.closed_with = False, None
        self.socket = socket.create_connection(address, PATIENCE_S)
        self.socket.sendall(request_bytes("GET", f"{API}/ws?ticket={ticket}{since}",
                                          headers=HANDSHAKE))

    def take_messages(self, got):
        """What is whole in the bytes so far; pings are answered on the way."""
        self.buffer += got
        if not self.upgraded:
            answer = take_answer(self.buffer)
            if not answer:
                return
            if answer.status != 101:
                raise Refused(answer.status, f"no socket for buyer {self.buyer}: {answer.text}")
            self.upgraded = True
        while (frame := take_frame(self.buffer)) is not None:
            kind, payload = frame
            if kind == TEXT:
                yield json.loads(payload)
            elif kind == PING:
                self.socket.sendall(bytes((0x80 | PONG, 0x80 | len(payload))) + bytes(4) + payload)
            elif kind == CLOSE:
                self.closed_with = struct.unpack(">H", payload[:2])[0] if payload else 0

    def hear(self, message):
        if message["type"] == "hello":
            self.hellos += 1
            self.greeted = True
            for order in message["orders"]:
                self.note(order)
            self.events += [line["id"] for line in message["events"]]
            self.mailed += len(message["events"])
            self.last_event = message["last_event"]
        elif message["type"] == "order":
            self.note(message["order"])
            if message["event"]:
                self.events.append(message["event"])
                self.last_event = max(self.last_event, message["event"])

    def note(self, order):
        said = (order["status"], order.get("reason", ""))
        heard = self.orders.setdefault(order["order_no"], [])
        if not heard or heard[-1] != said:
            heard.append(said)
            self.heard_at = time.monotonic()


def take_frame(buffer):
    """Takes the first whole frame off a bytearray: (kind, payload); None when there is none."""
    if len(buffer) < 2:
        return None
    if not buffer[0] & 0x80 or buffer[1] & 0x80:
        raise AssertionError(f"a fragment, or a masked frame: {bytes(buffer[:20])}")
    begin, size = 2, buffer[1]
    if size >= 126:
        begin, form = (4, ">H") if size == 126 else (10, ">Q")
        if len(buffer) < begin:
            return None
        size = struct.unpack(form, buffer[2:begin])[0]
    if len(buffer) < begin + size:
        return None
    frame = buffer[0] & 0x0f, bytes(buffer[begin:begin + size])
    del buffer[:begin + size]
    return frame


class TicketLine:
    """A keep-alive connection that fetches one ticket after the other. The next one when the
    socket that was opened with the last has its hello: so only so many are on their way."""

    def __init__(self, address, ears):
        self.address, self.ears = address, iter(ears)
        self.current, self.buffer = None, bytearray()
        self.socket = socket.create_connection(address, PATIENCE_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def ask_next(self):
        """False when there is nobody left."""
        self.current = next(self.ears, None)
        if self.current:
            self.ask()
        return self.current is not None

    def ask(self):
        self.socket.sendall(request_bytes("POST", f"{API}/ws/ticket", self.current.token))

    def ask_again(self):
        time.sleep(0.1)
        self.ask()

    def take_ticket(self, got):
        self.buffer += got
        answer = take_answer(self.buffer)
        if answer and answer.status != 201:
            raise Refused(answer.status, f"no ticket for buyer {self.current.buyer}: {answer.text}")
        return answer.json["ticket"] if answer else None


class Audience:
    """Ears by buyer. What they hear is noted by a thread of its own, until close()."""

    def __init__(self, shop, buyers):
        self.ears = {b: Ear(b, shop.tokens[b - 1]) for b in buyers}
        self.poll, self.open = select.epoll(), {}  # file number -> Ear or TicketLine
        self.news = threading.Condition()
        self.trouble, self.closing = None, False
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    # Verbs.

    def connect(self, address, within_s=600):
        """Everybody who is not connected gets a ticket and a socket, and hears hello."""
        missing = [e for e in self.ears.values() if e.socket is None]
        for ear in missing:
            ear.greeted = False
        lines = [TicketLine(address, missing[i::LINES]) for i in range(min(LINES, len(missing)))]
        for line in lines:
            line.ask_next()
            self.add(line)
        self.wait_for(lambda: all(e.greeted for e in missing), within_s,
                      "not everybody heard hello")

    def wait_for(self, question, within_s=180, what="it was not heard"):
        """Asks again whenever something was heard."""
        deadline = time.monotonic() + within_s
        with self.news:
            while True:
                if self.trouble:
                    raise AssertionError(f"the listeners' thread: {self.trouble}")
                if question():
                    return
                if time.monotonic() > deadline:
                    raise AssertionError(f"{what} within {within_s} s")
                self.news.wait(0.2)

    def close(self):
        self.closing = True
        self.thread.join()
        for listener in self.open.values():
            listener.socket.close()
        self.poll.close()

    # Questions.

    def connected(self):
        return sum(e.socket is not None for e in self.ears.values())

    def last(self, buyer, order_no=None):
        """(status, reason) that the buyer was told last, of their order; None when nothing was."""
        orders = self.ears[buyer].orders
        heard = orders.get(order_no) if order_no else next(iter(orders.values()), None)
        return heard[-1] if heard else None

    # The thread.

    def run(self):
        try:
            while not self.closing:
                ready = [self.open[n] for n, _ in self.poll.poll(0.2) if n in self.open]
                for listener in ready:
                    self.receive(listener)
                if ready:
                    with self.news:
                        self.news.notify_all()
        except Exception as e:  # pylint: disable=broad-except  # the waiting thread shall tell it
            self.trouble = repr(e)

    def receive(self, listener):
        try:
            got = listener.socket.recv(65536)
        except OSError:
            got = b""
        try:
            self.take(listener, got)
        except Refused as refused:
            if not refused.may_pass:
                raise
            if isinstance(listener, Ear):
                self.drop(listener)
            getattr(listener, "line", listener).ask_again()

    def take(self, listener, got):
        if not got:
            self.drop(listener)
        elif isinstance(listener, TicketLine):
            if ticket := listener.take_ticket(got):
                ear = listener.current
                ear.line = listener
                ear.open(listener.address, ticket)
                self.add(ear)
        else:
            for message in listener.take_messages(got):
                listener.hear(message)
                if message["type"] == "hello" and not listener.line.ask_next():
                    self.drop(listener.line)

    def add(self, listener):
        self.open[listener.socket.fileno()] = listener
        self.poll.register(listener.socket, select.EPOLLIN)

    def drop(self, listener):
        if listener.socket is None:
            return
        del self.open[listener.socket.fileno()]
        self.poll.unregister(listener.socket)
        listener.socket.close()
        listener.socket = None


def frame(first, payload=b"", masked=True):
    """A frame as a client sends it, masked with zeros. `first` is its first byte."""
    size, mask = len(payload), 0x80 if masked else 0
    head = bytes((first, mask | size)) if size < 126 else struct.pack(">BBH", first, mask | 126, size)
    return head + (bytes(4) if masked else b"") + payload


class Intruder(Client):
    """A WebSocket whose client sends what it likes."""

    def __init__(self, address, ticket, trust=None):
        super().__init__(address, timeout_s=PATIENCE_S)
        if trust:
            self.socket = trust.wrap_socket(self.socket, server_hostname="127.0.0.1")
        self.answer = self.get(f"{API}/ws?ticket={ticket}", headers=HANDSHAKE)

    def hear(self):
        """The next frame; None when the connection has ended."""
        while (found := take_frame(self.buffer)) is None:
            try:
                got = self.socket.recv(65536)
            except (ConnectionError, ssl.SSLError):
                return None
            if not got:
                return None
            self.buffer += got
        return found

    def end(self):
        """The code of the close frame; None when the connection ended without one."""
        while (found := self.hear()) is not None:
            if found[0] == CLOSE:
                return struct.unpack(">H", found[1][:2])[0]
        return None
