#!/usr/bin/python3
"""L2 of the security review: one Idempotency-Key is one intent of its buyer.

In both modes: FLOODGATE_MODE=clustered runs the same against a node with Redis and MariaDB."""
import contextlib
import unittest

from harness import API, CLUSTERED, Attempt, Client, Crowd, lock_ledger, orders_in, request_bytes
from managed import ManagedShop

CLICKS = 50


class OneKeyIsOneIntent(ManagedShop):

    def setUp(self):
        super().setUp()
        self.open_shop(users=20, stock=100, sales=3, limit=2)
        self.other, self.third = self.shop.sales[1:]  # in other partitions of a cluster

    def buy_under(self, key, sale=None, buyer=1, quantity=None):
        with self.client() as client:
            return client.buy(sale or self.sale, self.shop.tokens[buyer - 1], quantity, key)

    def bought(self, key="mine", buyer=1):
        """The number of a new order under the key, once it is in the ledger."""
        first = self.buy_under(key, buyer=buyer)
        self.assertEqual((first.status, first.json["status"]), (202, "queued"), first.text)
        self.wait_until(lambda: self.order(first.json["order_no"], buyer)["status"] == "unpaid",
                        what="the order was not entered")
        return first.json["order_no"]

    def orders_of(self, buyer=1):
        with self.client() as client:
            return client.get(f"{API}/orders", self.shop.tokens[buyer - 1]).json["orders"]

    def assert_reused(self, answer):
        self.assertEqual((answer.status, answer.code), (422, "key_reused"), answer.text)

    def assert_shows(self, answer, order_no, status):
        """It is the order as GET /orders/{no} shows it."""
        self.assertEqual(answer.status, 200, answer.text)
        self.assertEqual(answer.json, self.order(order_no, 1))
        self.assertEqual((answer.json["order_no"], answer.json["status"]), (order_no, status))

    # An empty key.

    def test_l2_an_empty_or_blank_key_is_refused(self):
        for key in ("", " ", "\t", " \t  "):
            answer = self.buy_under(key)
            self.assertEqual((answer.status, answer.code), (400, "bad_request"), repr(key))
            self.assertEqual(answer.json["field"], "Idempotency-Key")
            self.assertIn("1 to 128", answer.json["detail"])
        self.assertEqual(self.orders_of(), [])

    def test_l2_two_keys_in_one_request_are_refused(self):
        raw = request_bytes("POST", f"{API}/sales/{self.sale}/orders", self.shop.tokens[0],
                            headers={"Idempotency-Key": "first"})
        raw = raw.replace(b"\r\n\r\n", b"\r\nidempotency-key: second\r\n\r\n")
        with Client(self.server_.address) as client:
            client.send(raw)
            answer = client.receive()
        self.assertEqual((answer.status, answer.code), (400, "bad_request"))
        self.assertEqual(self.orders_of(), [])

    # Another sale.

    def test_l2_the_same_key_for_another_sale_is_refused(self):
        first = self.buy_under("mine")
        for sale in (self.other, self.third, 987654):
            self.assert_reused(self.buy_under("mine", sale))
        self.assert_reused(self.buy_under("mine", quantity=2))
        again = self.buy_under("mine")
        self.assertIn(again.status, (200, 202), again.text)
        self.assertEqual(again.json["order_no"], first.json["order_no"])
        self.assertEqual([o["order_no"] for o in self.orders_of()], [first.json["order_no"]])
        self.assertEqual(self.buy_under("another", self.other).status, 202)
        self.assertEqual(self.buy_under("mine", self.other, buyer=2).status, 202,
                         "a key belongs to its buyer")

    def test_l2_fifty_requests_at_once_for_two_sales_make_one_order(self):
        made = Crowd(self.server_.address, CLICKS).rush(
            Attempt(self.shop, buyer, sale=(self.sale, self.other)[n % 2], key="mine")
            for buyer in range(1, 11) for n in range(CLICKS))
        # `busy` promises nothing, so a machine that is slow to answer may say so. In a cluster it may
        # also not know in time what Redis answered.
        slow = {(503, "busy"), (503, "undecided")} if CLUSTERED else {(503, "busy")}
        self.assertLessEqual({(a.status, a.code) for a in made},
                             {(202, ""), (200, ""), (422, "key_reused")} | slow)
        for buyer in range(1, 11):
            numbers = {a.order_no for a in made if a.buyer == buyer and a.accepted}
            self.assertEqual(len(numbers), 1, numbers)
        self.wait_until_entered()
        self.assertEqual(sorted(row[1] for row in orders_in(self.shop.data).values()),
                         list(range(1, 11)))
        self.stop_clean()

    # An order that has ended.

    def test_l2_the_key_answers_with_the_order_as_it_is_also_while_paused(self):
        number = self.bought()
        self.assert_shows(self.buy_under("mine"), number, "unpaid")
        with self.client() as client:
            done = client.post(f"{API}/orders/{number}/cancel", token=self.shop.tokens[0])
        self.assertEqual(done.status, 200, done.text)
        self.assert_shows(self.buy_under("mine"), number, "closed")
        self.assert_reused(self.buy_under("mine", self.other))
        self.manage("POST", f"/sales/{self.sale}/pause")
        self.assert_shows(self.buy_under("mine"), number, "closed")
        self.assertEqual(self.buy_under("new", buyer=2).code, "paused")

    # A server that died.

    def test_l2_the_key_is_known_after_kill_9(self):
        number, queued = self.bought(), self.bought("second")
        with self.client() as client:
            client.post(f"{API}/orders/{number}/cancel", token=self.shop.tokens[0])
        self.server_.kill()
        self.server_.start()
        # In a cluster a node that starts again may have to load the gate first.
        self.wait_until(lambda: self.buy_under("mine").code != "busy")
        self.assert_shows(self.buy_under("mine"), number, "closed")
        self.assert_shows(self.buy_under("second"), queued, "unpaid")
        for key in ("mine", "second"):
            self.assert_reused(self.buy_under(key, self.other))
        self.assertEqual(len(self.orders_of()), 2)

    def test_l2_the_key_is_known_after_kill_9_when_the_ledger_has_never_heard_of_it(self):
        with contextlib.closing(lock_ledger(self.shop.data)):
            first = self.buy_under("mine")
            self.assertEqual(first.status, 202, first.text)
            again = self.buy_under("mine")
            self.assertEqual((again.status, again.json), (202, first.json), "it is queued")
            self.server_.kill()
        self.server_.start()
        self.wait_until(lambda: self.buy_under("mine").code != "busy")
        again = self.buy_under("mine")
        self.assertIn(again.status, (200, 202), again.text)
        self.assertEqual(again.json["order_no"], first.json["order_no"])
        self.assert_reused(self.buy_under("mine", self.other))


if __name__ == "__main__":
    unittest.main()
