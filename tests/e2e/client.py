"""One keep-alive connection to the server, on a bare socket: fast, and it hides nothing."""
import dataclasses
import json
import socket

API = "/api/v1"


@dataclasses.dataclass
class Answer:
    status: int
    headers: dict  # names in lower case
    body: bytes

    @property
    def text(self):
        return self.body.decode()

    @property
    def json(self):
        if "ndjson" in self.headers.get("content-type", ""):
            return [json.loads(line) for line in self.body.splitlines()]
        return json.loads(self.body)

    @property
    def code(self):
        """The problem's code; empty when it is none."""
        is_problem = "problem+json" in self.headers.get("content-type", "")
        return self.json.get("code", "") if is_problem else ""


def request_bytes(method, path, token=None, body=None, headers=None):
    """A request as it goes over the wire. `body` is bytes as they are, or anything JSON can say."""
    if body is not None and not isinstance(body, bytes):
        body = json.dumps(body).encode()
        headers = {"Content-Type": "application/json", **(headers or {})}
    lines = [f"{method} {path} HTTP/1.1", "Host: floodgate"]
    if token:
        lines.append(f"Authorization: Bearer {token}")
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    if body is not None or method in ("POST", "PUT"):
        lines.append(f"Content-Length: {len(body or b'')}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + (body or b"")


def take_answer(buffer):
    """Takes the first whole answer off a bytearray; None when there is none yet."""
    end = buffer.find(b"\r\n\r\n")
    if end < 0:
        return None
    lines = bytes(buffer[:end]).decode("latin-1").split("\r\n")
    headers = {}
    for line in lines[1:]:
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    size = end + 4 + int(headers.get("content-length", 0))
    if len(buffer) < size:
        return None
    answer = Answer(int(lines[0][9:12]), headers, bytes(buffer[end + 4:size]))
    del buffer[:size]
    return answer


class Client:
    """One keep-alive connection, one request after the other. An OSError when it dies."""

    def __init__(self, address, token=None, timeout_s=60):
        self.token = token
        self.buffer = bytearray()
        self.socket = socket.create_connection(address, timeout_s)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def send(self, raw):
        self.socket.sendall(raw)

    def receive(self):
        """The next answer. ConnectionError when the connection ends before it is whole."""
        while True:
            answer = take_answer(self.buffer)
            if answer:
                return answer
            got = self.socket.recv(65536)
            if not got:
                raise ConnectionError("closed by the server" + (
                    f" in the middle of an answer: {bytes(self.buffer)}" if self.buffer else ""))
            self.buffer += got

    def ask(self, method, path, token=None, body=None, headers=None):
        self.send(request_bytes(method, path, token or self.token, body, headers))
        return self.receive()

    def get(self, path, token=None, headers=None):
        return self.ask("GET", path, token, None, headers)

    def post(self, path, body=None, token=None, headers=None):
        return self.ask("POST", path, token, body, headers)

    def buy(self, sale, token=None, quantity=None, key=None):
        body = None if quantity is None else {"quantity": quantity}
        headers = None if key is None else {"Idempotency-Key": key}
        return self.post(f"{API}/sales/{sale}/orders", body, token, headers)

    def rounds(self, limit=100):
        """All rounds that are shown, from as many pages as there are."""
        found, after = {}, ""
        while True:
            page = self.get(f"{API}/rounds?limit={limit}{after}").json
            for part in page["rounds"]:
                found.setdefault(part["id"], {**part, "sales": []})["sales"] += part["sales"]
            if "next" not in page:
                return list(found.values())
            after = f"&after={page['next']}"

    def order(self, order_no, token=None):
        return self.get(f"{API}/orders/{order_no}", token)
