"""The shop's own cashier as a test has it in hand, and a shop whose buyers pay there. Written from
docs/payments.md, with an HMAC of its own.
"""
import collections
import hashlib
import hmac
import http.server
import json
import os
import secrets
import threading
import time
import urllib.parse

from description import Description
from harness import API, ROOT, UNLIMITED, ledger
from orders import ShopTest
from payments import toml_of

CALM = "[alarm]\ndisk_min_mib = 0\ndisk_min_percent = 0\n[clerk]\ndeadline_poll_ms = 20\n"
ASKS_OFTEN = {"sandbox": True, "ask_again_first_ms": 50, "ask_again_last_ms": 200}
DESCRIPTION = Description(json.loads((ROOT / "src/api/openapi.json").read_text()))


def mac(secret, text):
    return hmac.new(secret.encode(), text, hashlib.sha256).hexdigest()


class Cashier(http.server.ThreadingHTTPServer):
    """The shop's server. Answers with what was queued for an event, then as its book says."""
    daemon_threads = True

    def __init__(self, secret, port=0):
        super().__init__(("127.0.0.1", port), CashierHandler)
        self.secret = secret
        self.queued = collections.defaultdict(collections.deque)  # event: (status, body)
        self.state = {}      # order number: open, paid, closed
        self.refunds = {}    # refund number: (order number, fen)
        self.asked = []      # (event, order number)
        self.mistakes = []   # of Floodgate
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def port(self):
        return self.server_address[1]

    def close(self):
        self.shutdown()
        self.server_close()

    def fault_of(self, headers, body):
        at = headers.get("Floodgate-Timestamp", "")
        wanted = "v1=" + mac(self.secret, at.encode() + b"." + body)
        if wanted not in headers.get("Floodgate-Signature", "").split(","):
            return "bad signature"
        return "" if abs(time.time() - int(at)) < 300 else "stale"

    def answer_to(self, asked):
        event, no = asked["event"], asked["order_no"]
        self.asked.append((event, no))
        if self.queued[event]:
            return self.queued[event].popleft()
        if event == "refund":
            self.refunds.setdefault(asked["refund_no"], (no, asked["amount_fen"]))
            return 200, '{"status":"refunded"}'
        if event == "close" and self.state.get(no) != "paid":
            self.state[no] = "closed"
        return 200, json.dumps({"status": self.state.get(no, "open")})


class CashierHandler(http.server.BaseHTTPRequestHandler):

    def do_POST(self):  # pylint: disable=invalid-name
        body = self.rfile.read(int(self.headers["Content-Length"]))
        fault = self.server.fault_of(self.headers, body)
        if fault or self.headers["Content-Type"] != "application/json":
            self.server.mistakes.append(fault or "not JSON")
        status, text = self.server.answer_to(json.loads(body))
        self.send_response(status)
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


class ExternalTest(ShopTest):
    """A shop whose buyers pay at a page of its own."""

    old_secret_file = None

    def open_shop(self, users=2, stock=1, allow_test=False):  # pylint: disable=arguments-differ
        self.secret = self.write_secret("external.secret")
        self.port = self.open_cashier()
        self.shop = self.fixture(users=users, stock=stock)
        self.sale = self.shop.sales[0]
        self.server_ = self.server(self.shop.data, config=self.config(allow_test=allow_test))
        self.start()

    def write_secret(self, name):
        """A new one, in the file that the configuration names from now on."""
        secret = secrets.token_hex(32)
        self.secret_file = self.place / name
        self.secret_file.write_text(secret + "\n")
        os.chmod(self.secret_file, 0o600)
        return secret

    def open_cashier(self):
        self.cashier = Cashier(self.secret)
        self.addCleanup(lambda: self.cashier.close())  # pylint: disable=unnecessary-lambda
        return self.cashier.port

    def config(self, **pay):
        return UNLIMITED + CALM + toml_of({"pay": {**ASKS_OFTEN, **pay}, "pay.external": {
            "checkout_url": f"http://127.0.0.1:{self.port}/cashier",
            "webhook_url": f"http://127.0.0.1:{self.port}/floodgate?from=test",
            "secret_file": str(self.secret_file),
            "old_secret_file": str(self.old_secret_file or "")}})

    # Verbs.

    def restart(self):
        """With the configuration as it is now."""
        listen = self.server_.listen
        self.assertEqual(self.server_.stop(), 0)
        self.server_ = self.server(self.shop.data, config=self.config(), listen=listen)
        ShopTest.start(self)

    def begin(self, buyer, no):
        """The address of the cashier's page, which was checked."""
        answer = self.call("pay", buyer, no, {"method": "external"})
        self.assertEqual(answer.status, 200, answer.text)
        self.assertEqual((answer.json["method"], answer.json["out_trade_no"]), ("external", no))
        page, _, query = answer.json["redirect"].partition("?")
        self.assertEqual(page, f"http://127.0.0.1:{self.port}/cashier")
        signed, _, signature = query.rpartition("&signature=")
        self.assertIn(mac(self.secret, signed.encode()), signature.split(","))
        self.assertEqual(signature.count(","), 1 if self.old_secret_file else 0)
        trade = dict(urllib.parse.parse_qsl(signed, strict_parsing=True))
        self.assertEqual(set(trade), {"order_no", "amount_fen", "expires_at"})
        order = self.order(buyer, no)
        self.assertEqual((trade["order_no"], int(trade["amount_fen"])), (no, order["amount_fen"]))
        expires = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(int(trade["expires_at"])))
        self.assertEqual(answer.json["expires_at"][:19], expires)
        return answer.json["redirect"]

    def seal(self, body, secret=None, at=None):
        at = str(int(time.time()) if at is None else at)
        signature = mac(secret or self.secret, at.encode() + b"." + body)
        return {"Content-Type": "application/json", "Floodgate-Timestamp": at,
                "Floodgate-Signature": f"v1={signature}"}

    def tell(self, body, headers=None):
        """As it stands, to the server; the answer is as described."""
        answer = self.client.post(f"{API}/payments/external/paid", body,
                                  headers=self.seal(body) if headers is None else headers)
        operation = DESCRIPTION.find("POST", f"{API}/payments/external/paid")
        self.assertEqual(DESCRIPTION.faults(operation, answer), [])
        return answer

    def tell_paid(self, no, fen):
        return self.tell(json.dumps({"order_no": no, "amount_fen": fen}).encode())

    def pay(self, buyer, no):
        """The buyer has paid at the cashier, who says so."""
        self.cashier.state[no] = "paid"
        answer = self.tell_paid(no, self.order(buyer, no)["amount_fen"])
        self.assertEqual((answer.status, answer.json), (200, {"status": "paid"}))
        self.assertEqual(self.status_of(buyer, no), "paid")

    # Questions.

    def wait_for(self, buyer, no, status):
        self.wait_until(lambda: self.status_of(buyer, no) == status,
                        what=f"order {no} was not {status}")

    def open_payments(self):
        """Orders that wait for an answer of the cashier and were asked for at least once."""
        return self.numbers("SELECT order_no FROM trades WHERE asked = 1 AND tries > 0")

    def open_refunds(self):
        return self.numbers("SELECT order_no FROM refunds WHERE state = 'asked'")

    def numbers(self, sql):
        book = ledger(self.shop.data)
        found = [str(no) for no, in book.execute(sql).fetchall()]
        book.close()
        return found

    def end_clean(self):
        self.assertEqual(self.server_.stop(), 0)
        self.assert_clean(self.shop.data)
        told = self.server_.log() + self.server_.said()
        self.assertNotIn(self.secret, told)
        self.assertNotIn("v1=", told)
        self.assertNotIn("signature=", told)
