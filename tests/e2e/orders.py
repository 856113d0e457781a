"""What tests of the life of an order are written with: a shop, calls about orders, endings."""
import re
import time

import books
from harness import API, UNLIMITED, FloodgateTest, ledger, request_bytes

# The disk of the machine that runs this is not what is tested.
CONFIG = UNLIMITED + "[pay]\nallow_test = true\n[alarm]\ndisk_min_mib = 0\ndisk_min_percent = 0\n"
PAID, CANCELLED, TIMED_OUT = ("paid", ""), ("closed", "cancelled"), ("closed", "timed_out")


class Act:
    """One call of a buyer about their order; a crowd makes many (see Attempt)."""

    def __init__(self, shop, buyer, order, verb):
        self.buyer, self.order, self.verb = buyer, order, verb
        self.token = shop.tokens[buyer - 1]
        self.fate, self.status, self.code, self.body = "unsent", 0, "", None
        self.order_no = self.sent_at = self.answered_at = self.place = None

    def wire(self):
        body = {"method": "test"} if self.verb == "pay" else None
        return request_bytes("POST", f"{API}/orders/{self.order}/{self.verb}", self.token, body)

    def endings(self):
        """How the order may end, given what was answered."""
        done = PAID if self.verb == "pay" else CANCELLED
        if self.fate == "unsent" or self.status == 409:  # 409: too late
            return {TIMED_OUT}
        return {done} if self.status == 200 else {done, TIMED_OUT}  # nobody knows: busy, or killed

    def __repr__(self):
        return f"<buyer {self.buyer} {self.verb}: {self.fate} {self.status} {self.body}>"


def quantile(metrics, name, q):
    """The bound of the bucket in which it lies, as the server's histogram has it."""
    buckets = re.findall(rf'^{name}_bucket{{le="(.+?)"}} (\d+)', metrics, re.MULTILINE)
    total = int(buckets[-1][1])
    return next(float(bound) for bound, below in buckets if int(below) >= q * total)


class ShopTest(FloodgateTest):
    """A shop with one sale, and one client who speaks for all its buyers."""

    def open_shop(self, users=2, stock=1, config=CONFIG, **terms):
        self.shop = self.fixture(users=users, stock=stock, **terms)
        self.sale = self.shop.sales[0]
        self.server_ = self.server(self.shop.data, config=config)
        self.start()

    def start(self):
        self.server_.start()
        self.client = self.server_.client()
        self.addCleanup(self.client.close)

    def try_to_buy(self, buyer):
        """The gate's answer. A gate that is being built again, as after a restart in a cluster, is `busy`."""
        answers = []

        def judged():
            answers.append(self.client.buy(self.sale, self.shop.tokens[buyer - 1]))
            return answers[-1].code not in ("busy", "undecided")
        self.wait_until(judged, what="the gate judged nothing")
        return answers[-1]

    def buy(self, buyer):
        """An order that is unpaid. The ledger has an order closed or refunded a moment before the gate has
        its unit back, so "sold out" may not be the last word."""
        answers = []

        def decided():
            answers.append(self.try_to_buy(buyer))
            return answers[-1].code != "sold_out"
        self.wait_until(decided, what="no unit is left, and none came back")
        self.assertEqual(answers[-1].status, 202, answers[-1].text)
        order = answers[-1].json["order_no"]
        self.assertEqual(self.status_of(buyer, order, wait_ms=30000), "unpaid")
        return order

    def pass_deadline(self, no):
        changed = books.change(self.shop.data, "UPDATE orders SET pay_by_ms = ? WHERE order_no = ?",
                               int(time.time() * 1000) - 1, int(no))
        self.assertEqual(changed, 1)

    def order(self, buyer, no, **query):
        query = "&".join(f"{name}={value}" for name, value in query.items())
        answer = self.client.get(f"{API}/orders/{no}?{query}", self.shop.tokens[buyer - 1])
        self.assertEqual(answer.status, 200, answer.text)
        return answer.json

    def status_of(self, buyer, no, **query):
        return self.order(buyer, no, **query)["status"]

    def call(self, verb, buyer, no, body=None):
        if verb == "pay" and body is None:
            body = {"method": "test"}
        return self.client.post(f"{API}/orders/{no}/{verb}", body, self.shop.tokens[buyer - 1])

    def assert_events(self, expected):
        """All there are: (order number, from, to, reason)."""
        book = ledger(self.shop.data)
        found = book.execute("SELECT order_no, from_state, to_state, reason FROM order_events "
                             "ORDER BY id").fetchall()
        book.close()
        self.assertEqual([(str(no), *rest) for no, *rest in found], expected)
