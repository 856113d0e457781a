"""A bare socket to the server, for tests that send what no client library would."""
import socket

from harness import API, request_bytes, take_answer

PATIENCE = 30  # seconds; past them something hangs
GET_TIME = request_bytes("GET", f"{API}/time")
GET_HEALTH = request_bytes("GET", "/healthz")


class Raw:
    """A socket, and what came out of it until it closed."""

    def __init__(self, address, send=b"", receive_bytes=None):
        self.socket = socket.socket()
        if receive_bytes:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(address)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if send:
            self.socket.sendall(send)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def finish(self):
        """Says that nothing more will be sent."""
        self.socket.shutdown(socket.SHUT_WR)

    def answers(self, limit=None):
        """Every answer until the server closes, or the first `limit`. A reset is an error."""
        buffer, found = bytearray(), []
        while limit is None or len(found) < limit:
            answer = take_answer(buffer)
            if answer:
                found.append(answer)
                continue
            got = self.socket.recv(65536)
            if not got:
                if buffer:
                    raise AssertionError(f"cut off in the middle: {bytes(buffer[:200])}")
                break
            buffer += got
        return found

    def one(self):
        return self.answers(1)[0]

    def closed_by_server(self):
        return self.socket.recv(65536) == b""
