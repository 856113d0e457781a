"""One server for a whole test class, and a record of all that was asked, answered and logged.

The record is what openapi_test.py holds against the description and what secrets_test.py searches.
"""
import dataclasses
import datetime
import itertools
import pathlib
import re
import shutil
import tempfile
import time
import unittest

import books
from harness import API, PATIENCE_S, Client, Server, request_bytes, take_answer, first_admin

# Quick to start, quick to hash; everything else as it is shipped.
FAST = "[journal]\nsegment_mib = 1\n[guard]\npassword_mib = 8\npassword_passes = 1\n"
PAY_TEST = "[pay]\nallow_test = true\n"  # goes before FAST, which ends inside [guard]
PASSWORD = "correct horse battery"

phones = (str(n) for n in itertools.count(13911110000))


@dataclasses.dataclass
class Exchange:
    method: str
    path: str
    body: object
    answer: object


class Record:
    """Of the whole test run."""

    def __init__(self):
        self.exchanges = []
        self.secrets = set()  # tokens and passwords that went over the wire
        self.phones = set()
        self.logs = []        # standard error of every server that ended
        self.walked = set()   # names of the test classes that have begun
        self.files_searched, self.leaks = 0, []

    def add(self, exchange):
        self.exchanges.append(exchange)
        if isinstance(exchange.body, dict):
            for field, kept in (("password", self.secrets), ("phone", self.phones)):
                if isinstance(exchange.body.get(field), str):
                    kept.add(exchange.body[field])
        if exchange.answer.body and "json" in exchange.answer.headers.get("content-type", ""):
            said = exchange.answer.json
            self.secrets |= {said[name] for name in ("token", "ticket", "key", "secret")
                             if isinstance(said, dict) and isinstance(said.get(name), str)}

    def search(self, data):
        """Looks for secrets in all that a server that has ended has left behind."""
        secrets = [s.encode() for s in self.secrets if len(s) >= 8]
        for name, content in books.contents(data):
            self.files_searched += 1
            self.leaks += [(name, s) for s in secrets if s in content]


record = Record()


class RecordingClient(Client):
    """A client whose every exchange is kept. Also asks HEAD."""

    def ask(self, method, path, token=None, body=None, headers=None):
        self.send(request_bytes(method, path, token or self.token, body, headers))
        answer = self.receive_head() if method == "HEAD" else self.receive()
        record.add(Exchange(method, path, body, answer))
        return answer

    def receive_head(self):
        """An answer that says how long its body would be, and has none."""
        while b"\r\n\r\n" not in self.buffer:
            got = self.socket.recv(65536)
            if not got:
                raise ConnectionError("closed by the server")
            self.buffer += got
        head, _, rest = bytes(self.buffer).partition(b"\r\n\r\n")
        said = re.search(rb"(?i)\r\ncontent-length: (\d+)", head)
        answer = take_answer(bytearray(re.sub(rb"(?i)\r\ncontent-length: \d+", b"", head) +
                                       b"\r\n\r\n"))
        if said:
            answer.headers["content-length"] = said[1].decode()
        self.buffer = bytearray(rest)
        return answer

    def put(self, path, body=None, token=None):
        return self.ask("PUT", path, token, body)


def iso(seconds_from_now=0.0):
    moment = datetime.datetime.now(datetime.timezone.utc) + \
        datetime.timedelta(seconds=seconds_from_now)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03}Z"


def moment_of(text):
    return datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(
        tzinfo=datetime.timezone.utc)


class SharedServer(unittest.TestCase):
    """A fresh server with its first admin, started once for the class."""
    config = FAST
    log_in_admin = True

    @classmethod
    def setUpClass(cls):
        record.walked.add(cls.__name__)
        cls.place = pathlib.Path(tempfile.mkdtemp(prefix="floodgate-e2e-"))
        cls.addClassCleanup(shutil.rmtree, cls.place, ignore_errors=True)
        cls.server = Server(cls.place / "data", config=cls.config)
        cls.addClassCleanup(cls.end_server)
        cls.server.start()
        cls.admin_phone, cls.admin_password = first_admin(cls.server)
        cls.client = cls.connect()
        cls.addClassCleanup(cls.client.close)
        if cls.log_in_admin:
            answer = cls.client.post(f"{API}/auth/login", {
                "phone": cls.admin_phone, "password": cls.admin_password})
            cls.admin = answer.json["token"]

    @classmethod
    def end_server(cls):
        if cls.server.running():
            cls.server.stop()
        cls.server.discard()
        record.search(cls.place / "data")
        books.forget(cls.place / "data")
        record.logs.append(cls.server.log())

    @classmethod
    def connect(cls, token=None):
        return RecordingClient(cls.server.address, token)

    # What most tests begin with.

    def register(self, nickname="Li"):
        """A new buyer's token."""
        answer = self.client.post(f"{API}/auth/register", {
            "phone": next(phones), "password": PASSWORD, "nickname": nickname})
        self.assertEqual(answer.status, 201, answer.text)
        return answer.json["token"]

    def manage(self, method, path, body=None, status=200):
        """What an admin does under /admin; the answer's JSON."""
        answer = self.client.ask(method, f"{API}/admin{path}", self.admin, body)
        self.assertEqual(answer.status, status, f"{method} {path}: {answer.text}")
        return answer.json

    def add_product(self, title="Kettle"):
        return self.manage("POST", "/products", {"title": title, "list_price_fen": 19900},
                           201)["id"]

    def add_round(self, starts_in_s=-60, ends_in_s=3600):
        return self.manage("POST", "/rounds", {
            "title": "Ten o'clock", "starts_at": iso(starts_in_s), "ends_at": iso(ends_in_s)},
            201)["id"]

    def add_sale(self, stock=10, publish=True, **terms):
        """A sale of a new product in a new round that is open now, unless `round_id` says else."""
        body = {"product_id": self.add_product(), "price_fen": 9900, "stock": stock, **terms}
        if "round_id" not in body:
            body["round_id"] = self.add_round()
        sale = self.manage("POST", "/sales", body, 201)["id"]
        if publish:
            self.manage("POST", f"/sales/{sale}/publish")
        return sale

    def wait_for_order(self, order_no, token, within_s=PATIENCE_S):
        """The order as the ledger has it."""
        deadline = time.monotonic() + within_s
        while time.monotonic() < deadline:
            answer = self.client.order(order_no, token)
            self.assertEqual(answer.status, 200, answer.text)
            if answer.json["status"] != "queued":
                return answer.json
            time.sleep(0.01)
        self.fail(f"order {order_no} was not entered within {within_s} s")

    def assert_problem(self, answer, status, code):
        self.assertEqual((answer.status, answer.code), (status, code), answer.text)
        self.assertEqual(answer.headers["content-type"], "application/problem+json")
        self.assertEqual(answer.json["status"], status)
        self.assertTrue(answer.json["title"])
        return answer.json
