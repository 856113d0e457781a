#!/usr/bin/python3
"""The feed of events, read by the reader that docs/feed.md shows, while the server is killed and the
reader loses its memory: no event is lost, numbers have no gaps, and each order's events are in order."""
import pathlib
import re
import threading
import unittest

from harness import Attempt, Crowd, orders_in
from managed import ManagedShop

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "feed.md"


class Enough(Exception):
    """The reader is killed."""


def documented_reader():
    names = {}
    exec(re.search(r"```python\n(.*?)```", PAGE.read_text(), re.S)[1], names)  # noqa: S102
    return names["follow"]


class Receiver:
    """Keeps each event together with its number, as the page asks for."""

    def __init__(self):
        self.events = {}
        self.repeated = 0

    @property
    def place(self):
        return max(self.events, default=0)

    def take(self, event):
        self.repeated += event["id"] in self.events
        self.events[event["id"]] = event

    def read(self, server, token, die_at=None, until=None):
        """Follows the feed until it dies: at that event, at the end, or because the server did."""
        def handle(event):
            if event["id"] == die_at:
                raise Enough  # before it is stored
            self.take(event)
            if until and event["id"] >= until:
                raise Enough
        try:
            documented_reader()("http://{}:{}".format(*server.address), token, self.place, handle)
        except (Enough, OSError, ValueError):
            pass


class TheFeedThroughKills(ManagedShop):
    BUYERS, CANCEL_EVERY = 300, 3

    def test_no_event_is_lost_and_each_order_is_in_order(self):
        self.open_shop(users=self.BUYERS, stock=self.BUYERS)
        key = self.manage("POST", "/api-keys", {"name": "feed", "scopes": ["orders"]}, status=201)["key"]
        receiver = Receiver()
        for third in range(3):
            reading = threading.Thread(target=receiver.read,
                                       args=(self.server_, key, 40 + 100 * third))
            reading.start()
            deaths = []
            first = 1 + third * self.BUYERS // 3
            Crowd(self.server_.address, 20).rush(
                (Attempt(self.shop, b) for b in range(first, first + self.BUYERS // 3)),
                at_start=lambda d=deaths: d.append(self.server_.kill_after(0.15)))
            for death in deaths:
                death.join()
            reading.join()
            self.server_.start()
            self.server_.wait_ready()
        self.wait_until(self.server_.has_entered_all)
        orders = orders_in(self.shop.data)
        self.assertGreater(len(orders), 0)
        cancelled = self.cancel_some(orders)
        expected = len(orders) + len(cancelled)
        receiver.read(self.server_, key, until=expected)
        self.assertEqual(sorted(receiver.events), list(range(1, expected + 1)))
        lives = {}
        for number in sorted(receiver.events):
            event = receiver.events[number]
            lives.setdefault(event["order_no"], []).append((event["from"], event["to"]))
        self.assertEqual(set(lives), set(orders))
        for no, life in lives.items():
            self.assertEqual(life[0], ("queued", "unpaid"), no)
            self.assertEqual(life[1:], [("unpaid", "closed")] if no in cancelled else [], no)

    def cancel_some(self, orders):
        chosen = sorted(orders)[::self.CANCEL_EVERY]
        for no in chosen:
            self.manage("POST", f"/orders/{no}/cancel", {"reason": "a test"})
        return set(chosen)


class StaffAndOrders(ManagedShop):

    def test_staff_find_an_order_mark_it_paid_and_read_its_story(self):
        self.open_shop(users=3, stock=3)
        no = self.buy(1).json["order_no"]
        self.buy(2)
        self.wait_until(self.server_.has_entered_all)
        self.assertEqual(len(self.manage("GET", "/orders")["orders"]), 2)
        seen = {"reason": "bank transfer", "reference": "TX 17"}
        paid = self.manage("POST", f"/orders/{no}/mark-paid", seen)
        self.assertEqual((paid["status"], paid["method"]), ("paid", "manual"))
        found = self.manage("GET", "/orders?method=manual&status=paid")["orders"]
        self.assertEqual([o["order"]["order_no"] for o in found], [no])
        self.assertIn("paid_at", self.order(no, 1))
        kinds = [line["kind"] for line in self.manage("GET", f"/orders/{no}/history")["lines"]]
        self.assertEqual(kinds[0], "promised")
        self.assertIn("act", kinds)
        self.manage("POST", f"/orders/{no}/refund", {"reason": "broken"}, status=202)
        done = self.manage("POST", f"/orders/{no}/refunds/settle",
                           {"refund_no": f"{no}R1", "reason": "cash"})
        self.assertEqual(done["status"], "refunded")
        self.stop_clean()


if __name__ == "__main__":
    unittest.main()
