#!/usr/bin/python3
"""The ledger cannot keep up: the gate says busy instead of promising without end, and goes on
telling the truth."""
import contextlib
import time
import unittest

from harness import CLUSTERED, UNLIMITED, Attempt, Crowd, FloodgateTest, lock_ledger, orders_in

BACKLOG_MAX = 50
CONFIG = UNLIMITED + f"[gate]\nbacklog_max = {BACKLOG_MAX}\n[clerk]\ndrain_ms = 200\n"


class LedgerLocked(FloodgateTest):

    def setUp(self):
        super().setUp()
        self.shop = self.fixture(users=1000, stock=600, sales=2)
        self.sale, self.small = self.shop.sales
        self.server_ = self.serve(self.shop.data, config=CONFIG)
        self.told = {}  # order number -> row
        self.lock = None

    def buy(self, client, buyer, sale=None, key=None):
        sale = sale or self.sale
        answer = client.buy(sale, self.shop.tokens[buyer - 1], key=key)
        if answer.status == 202:
            self.told[answer.json["order_no"]] = (sale, buyer, 1, "unpaid")
        return answer

    def lock_up(self):
        self.wait_until(lambda: self.server_.metric("floodgate_backlog_promises") == 0)
        self.lock = lock_ledger(self.shop.data)
        self.addCleanup(self.lock.close)

    def sell_the_small_sale(self):
        """Some are told busy on the way and come again."""
        left = list(range(1, 601))

        def sold():
            made = Crowd(self.server_.address, 20).rush(
                Attempt(self.shop, b, self.small) for b in left)
            self.told.update({a.order_no: (a.sale, a.buyer, 1, "unpaid")
                              for a in made if a.accepted})
            left[:] = [a.buyer for a in made if not a.accepted]
            return not left
        self.wait_until(sold, 300, "some units could not be sold")

    def assert_busy(self, answer):
        self.assertEqual((answer.status, answer.code), (503, "busy"))
        self.assertGreater(answer.json["retry_after_ms"], 0)
        self.assertGreaterEqual(int(answer.headers["retry-after"]), 1)

    def assert_all_unpaid(self, client):
        def entered():
            return all(client.order(no, self.shop.tokens[row[1] - 1]).json["status"] == "unpaid"
                       for no, row in self.told.items())
        self.wait_until(entered, what="not every acknowledged order became unpaid")

    def test_past_the_backlog_it_is_busy_truthful_and_catches_up(self):
        shop = self.shop
        self.sell_the_small_sale()
        self.lock_up()
        with self.server_.client() as client:
            first = [self.buy(client, b, key=f"key-{b}") for b in range(1, BACKLOG_MAX + 1)]
            self.assertEqual({a.status for a in first}, {202})
            for buyer in range(500, 600):
                self.assert_busy(self.buy(client, buyer))

            # Whoever can be told something true is told that.
            again = self.buy(client, 1)
            self.assertEqual((again.code, again.json["order_no"]),
                             ("already_ordered", first[0].json["order_no"]))
            self.assertEqual(self.buy(client, 2, key="key-2").json, first[1].json)
            self.assertEqual(self.buy(client, 1000, self.small).code, "sold_out")
            queued = client.order(first[0].json["order_no"], shop.tokens[0])
            self.assertEqual(queued.json["status"], "queued")
            self.assertEqual(self.server_.metric("floodgate_backlog_promises"), BACKLOG_MAX)

            self.lock.close()
            self.assert_all_unpaid(client)
            if CLUSTERED:  # the gate hears of what was entered a moment later
                self.wait_until(lambda: self.buy(client, 499).status == 202)
            self.assertEqual(self.buy(client, 500).status, 202)
            self.assert_all_unpaid(client)
        self.assertEqual(self.server_.stop(), 0)
        self.assertEqual(orders_in(shop.data), self.told)
        self.assert_clean(shop.data)

    def test_a_crowd_gets_no_more_than_the_backlog_and_one_batch(self):
        connections = 100
        self.lock_up()
        made = Crowd(self.server_.address, connections).rush(
            Attempt(self.shop, b, self.sale) for b in range(1, 1001))
        self.assertEqual({(a.status, a.code) for a in made}, {(202, ""), (503, "busy")})
        accepted = [a for a in made if a.accepted]
        self.assertGreaterEqual(len(accepted), BACKLOG_MAX)
        self.assertLessEqual(len(accepted), BACKLOG_MAX + connections)
        self.told = {a.order_no: (a.sale, a.buyer, 1, "unpaid") for a in accepted}
        self.lock.close()
        with self.server_.client() as client:
            self.assert_all_unpaid(client)

    def test_it_can_be_stopped_and_enters_the_rest_after_the_next_start(self):
        self.lock_up()
        with self.server_.client() as client:
            for buyer in range(1, BACKLOG_MAX + 1):
                self.assertEqual(self.buy(client, buyer).status, 202)
        began = time.monotonic()
        self.assertEqual(self.server_.stop(), 0)
        self.assertLess(time.monotonic() - began, 45)
        self.assertEqual(orders_in(self.shop.data), {})
        self.lock.close()
        self.assert_clean(self.shop.data)
        self.server_.start()
        with contextlib.closing(self.server_.client()) as client:
            self.assert_all_unpaid(client)


if __name__ == "__main__":
    unittest.main()
