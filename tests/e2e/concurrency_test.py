#!/usr/bin/python3
"""A crowd far larger than the stock: every unit is sold once, and everybody is told the truth."""
import collections
import contextlib
import random
import unittest

from harness import (API, MANY_LOOPS, UNLIMITED, Attempt, Crowd, FloodgateTest, held_in,
                     lock_ledger, orders_in)

CONNECTIONS = 200


class DoubledClicks(FloodgateTest):
    BUYERS, STOCK = 5000, 300
    CONFIG = ""

    def setUp(self):
        super().setUp()
        self.shop = self.fixture(users=self.BUYERS, stock=self.STOCK)
        self.server_ = self.serve(self.shop.data, config=self.CONFIG)
        chance = random.Random(1)
        clicks = [b for b in range(1, self.BUYERS + 1) for _ in range(chance.choice((2, 3)))]
        self.made = Crowd(self.server_.address, CONNECTIONS).rush(
            Attempt(self.shop, b) for b in clicks)
        self.accepted = {a.buyer: a for a in self.made if a.accepted}

    def test_every_unit_is_sold_once_and_everybody_hears_the_truth(self):
        self.everybody_was_answered()
        self.exactly_the_stock_was_sold_one_to_a_buyer()
        self.refusals_tell_the_truth()
        self.those_who_were_accepted_find_their_order()
        self.nobody_else_has_one()
        self.settle(self.server_)
        self.assertEqual(self.server_.stop(), 0)
        self.the_ledger_says_the_same()
        self.assert_clean(self.shop.data)

    def everybody_was_answered(self):
        answers = collections.Counter((a.fate, a.status, a.code) for a in self.made)
        self.assertLessEqual(set(answers), {("answered", 202, ""), ("answered", 409, "sold_out"),
                                            ("answered", 409, "already_ordered")})

    def exactly_the_stock_was_sold_one_to_a_buyer(self):
        accepted = [a for a in self.made if a.accepted]
        self.assertEqual(len(accepted), self.STOCK)
        self.assertEqual(len({a.buyer for a in accepted}), self.STOCK)
        self.assertEqual(len({a.order_no for a in accepted}), self.STOCK)
        self.assertEqual({a.body["status"] for a in accepted}, {"queued"})

    def refusals_tell_the_truth(self):
        first_sold_out = min(a.answered_at for a in self.made if a.code == "sold_out")
        last_taken = max(a.sent_at for a in self.accepted.values())
        self.assertLess(last_taken, first_sold_out, "sold out was said, and then one was sold")
        for a in self.made:
            if a.code == "already_ordered":
                self.assertEqual(a.order_no, self.accepted[a.buyer].order_no)
                self.assertGreater(a.answered_at, self.accepted[a.buyer].sent_at)
            if a.code == "sold_out":
                self.assertNotIn(a.buyer, self.accepted)

    def those_who_were_accepted_find_their_order(self):
        waiting = list(self.accepted.values())

        def entered():
            waiting[:] = [a for a in waiting if self.status_of_order(client, a) == "queued"]
            return not waiting
        with self.server_.client() as client:
            self.wait_until(entered, 300, "some were still queued")

    def status_of_order(self, client, attempt):
        found = client.order(attempt.order_no, attempt.token)
        self.assertEqual(found.status, 200, attempt)
        order = found.json
        self.assertEqual((order["order_no"], order["sale_id"], order["quantity"]),
                         (attempt.order_no, attempt.sale, 1))
        self.assertIn(order["status"], ("queued", "unpaid"))
        return order["status"]

    def nobody_else_has_one(self):
        others = [b for b in range(1, self.BUYERS + 1) if b not in self.accepted][::10]
        foreign = next(iter(self.accepted.values())).order_no
        with self.server_.client() as client:
            for buyer in others:
                token = self.shop.tokens[buyer - 1]
                self.assertEqual(client.get(f"{API}/orders", token).json["orders"], [])
            self.assertEqual(client.order(foreign, token).status, 404)

    def the_ledger_says_the_same(self):
        self.assertEqual(
            orders_in(self.shop.data),
            {a.order_no: (a.sale, a.buyer, 1, "unpaid") for a in self.accepted.values()})
        self.assertEqual(held_in(self.shop.data, self.shop.sales[0]), self.STOCK)


class DoubledClicksOnManyLoops(DoubledClicks):
    CONFIG = MANY_LOOPS


class LimitsAndQuantities(FloodgateTest):
    BUYERS, STOCK, LIMIT = 600, 1501, 5

    def test_no_buyer_gets_more_than_the_limit_and_all_together_get_the_stock(self):
        shop = self.fixture(users=self.BUYERS, stock=self.STOCK, limit=self.LIMIT)
        server = self.serve(shop.data, config=UNLIMITED + MANY_LOOPS)
        chance = random.Random(2)
        wishes = [(b, chance.randint(1, self.LIMIT + 1))
                  for b in range(1, self.BUYERS + 1) for _ in range(6)]
        made = Crowd(server.address, CONNECTIONS).rush(
            Attempt(shop, b, quantity=q) for b, q in wishes)
        # What larger wishes left over goes to small ones: in the end nothing is left on the shelf.
        made += Crowd(server.address, CONNECTIONS).rush(
            Attempt(shop, b, quantity=1) for b in range(1, self.BUYERS + 1) for _ in range(4))
        self.assertEqual({a.status for a in made}, {202, 409, 422})

        accepted = {a.order_no: a for a in made if a.accepted}
        self.assertEqual(len(accepted), sum(a.accepted for a in made), "a number was given twice")
        units = collections.Counter()
        for a in accepted.values():
            units[a.buyer] += a.quantity
        self.assertLessEqual(max(units.values()), self.LIMIT)
        self.assertEqual(sum(units.values()), self.STOCK)
        own = collections.defaultdict(set)
        for a in accepted.values():
            own[a.buyer].add(a.order_no)
        for a in made:
            if a.code == "already_ordered":
                self.assertGreater(units[a.buyer] + a.quantity, self.LIMIT, a)
                self.assertIn(a.order_no, own[a.buyer])
            elif a.status == 422:
                self.assertEqual((a.code, a.quantity), ("over_limit", self.LIMIT + 1))
            elif not a.accepted:
                self.assertIn(a.code, ("sold_out", "not_enough"))

        self.settle(server)
        self.assertEqual(server.stop(), 0)
        self.assertEqual(
            orders_in(shop.data),
            {a.order_no: (a.sale, a.buyer, a.quantity, "unpaid") for a in accepted.values()})
        self.assertEqual(held_in(shop.data, shop.sales[0]), self.STOCK)
        self.assert_clean(shop.data)

    def test_several_sales_at_once_do_not_mix(self):
        shop = self.fixture(users=500, stock=40, sales=5)
        server = self.serve(shop.data, config=UNLIMITED + MANY_LOOPS)
        made = Crowd(server.address, CONNECTIONS).rush(
            Attempt(shop, b, sale) for b in range(1, 501) for sale in shop.sales)
        sold = collections.Counter(a.sale for a in made if a.accepted)
        self.assertEqual(sold, dict.fromkeys(shop.sales, 40))
        self.settle(server)
        self.assertEqual(server.stop(), 0)
        self.assertEqual({no: row[:2] for no, row in orders_in(shop.data).items()},
                         {a.order_no: (a.sale, a.buyer) for a in made if a.accepted})
        self.assert_clean(shop.data)


class IdempotencyKeys(FloodgateTest):
    BUYERS, RETRIES = 200, 8

    def retry(self, server, shop, quantity=2):
        """Every buyer sends the same key on several connections at once."""
        return Crowd(server.address, CONNECTIONS).rush(
            Attempt(shop, b, quantity=quantity, key=f"order-of-{b}")
            for b in range(1, self.BUYERS + 1) for _ in range(self.RETRIES))

    def numbers(self, made):
        """buyer -> the one number they were given, however often they asked."""
        self.assertLessEqual({(a.fate, a.status) for a in made},
                             {("answered", 202), ("answered", 200)})  # queued, entered
        numbers = {}
        for a in made:
            self.assertEqual(numbers.setdefault(a.buyer, a.order_no), a.order_no)
        return numbers

    def test_parallel_retries_get_one_order_also_after_restarts(self):
        shop = self.fixture(users=self.BUYERS, stock=10 * self.BUYERS, limit=10)
        server = self.serve(shop.data, config=UNLIMITED + MANY_LOOPS)
        numbers = self.numbers(self.retry(server, shop))
        self.assertEqual(len(set(numbers.values())), self.BUYERS)

        reused = self.retry(server, shop, quantity=3)
        self.assertEqual({(a.status, a.code) for a in reused}, {(422, "key_reused")})

        self.settle(server)
        self.assertEqual(server.stop(), 0)
        server.start()
        self.assertEqual(self.numbers(self.retry(server, shop)), numbers)
        with server.client() as client:
            again = client.buy(shop.sales[0], shop.tokens[0], quantity=3, key="order-of-1")
            self.assertEqual((again.status, again.code), (422, "key_reused"))
        self.settle(server)
        self.assertEqual(server.stop(), 0)
        self.assertEqual({row[1]: no for no, row in orders_in(shop.data).items()}, numbers)
        self.assert_clean(shop.data)

    def test_a_key_is_known_after_kill_9_when_only_the_journal_has_the_order(self):
        shop = self.fixture(users=self.BUYERS, stock=10 * self.BUYERS, limit=10)
        server = self.serve(shop.data, config=UNLIMITED + MANY_LOOPS)
        with contextlib.closing(lock_ledger(shop.data)):
            numbers = self.numbers(self.retry(server, shop))
            server.kill()
        self.assertEqual(orders_in(shop.data), {})
        server.start()
        self.assertEqual(self.numbers(self.retry(server, shop)), numbers)

    def test_the_same_key_of_another_buyer_is_another_order_but_not_in_another_sale(self):
        shop = self.fixture(users=2, stock=10, sales=2)
        server = self.serve(shop.data)
        with server.client() as client:
            answers = [client.buy(sale, token, key="mine")
                       for sale in shop.sales for token in shop.tokens]
        self.assertEqual([a.status for a in answers], [202, 202, 422, 422])
        self.assertEqual({a.code for a in answers[2:]}, {"key_reused"})
        self.assertEqual(len({a.json["order_no"] for a in answers[:2]}), 2)


if __name__ == "__main__":
    unittest.main()
