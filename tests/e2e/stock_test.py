#!/usr/bin/python3
"""An admin adds and removes stock while a crowd buys, and the server is killed now and then: no
promise is left without a unit, no unit without a buyer."""
import contextlib
import random
import threading
import unittest

from harness import (API, CLUSTERED, MANY_LOOPS, UNLIMITED, Attempt, Crowd, FloodgateTest, held_in,
                     ledger, orders_in,
                     first_admin)
from kill9 import Record


class Admin:
    """Changes the stock of a sale again and again, until told to stop or the server dies."""

    def __init__(self, server, token, sale, chance):
        self.server, self.token, self.sale, self.chance = server, token, sale, chance
        self.booked = {}   # note -> delta: answered with 200
        self.unknown = {}  # note -> delta: the server died before it answered
        self.refused = 0
        self.stopping = threading.Event()

    def work(self):
        with contextlib.suppress(OSError), self.server.client() as client:
            while not self.stopping.is_set():
                self.change(client)

    def change(self, client):
        delta = self.chance.choice((-200, -50, -7, -1, 1, 7, 30, 60))
        note = f"change {len(self.booked) + len(self.unknown) + self.refused}"
        self.unknown[note] = delta
        answer = client.post(f"{API}/admin/sales/{self.sale}/stock",
                             {"delta": delta, "note": note}, self.token)
        del self.unknown[note]
        if answer.status == 200:
            self.booked[note] = delta
        elif answer.code == "conflict" or (CLUSTERED and answer.code == "busy"):
            self.refused += 1  # fewer are free; or the partition's gate is being rebuilt
        else:
            raise AssertionError(f"{answer.status} {answer.text}")


class StockChangesInARush(FloodgateTest):
    STOCK, BUYERS = 3000, 30000

    def setUp(self):
        super().setUp()
        self.shop = self.fixture(users=self.BUYERS, stock=self.STOCK)
        self.sale = self.shop.sales[0]
        self.server_ = self.serve(self.shop.data, config=UNLIMITED + MANY_LOOPS)
        self.token = self.log_in()
        self.record, self.arrived = Record(limit=1), 0

    def log_in(self):
        phone, password = first_admin(self.server_)
        with self.server_.client() as client:
            answer = client.post(f"{API}/auth/login", {"phone": phone, "password": password})
        self.assertEqual(answer.status, 200)
        return answer.json["token"]

    def rush(self, admin, buyers, kill_after_s=None):
        """What was told goes into the record, but for "sold out": stock may come afterwards."""
        deaths = []

        def begin():
            if kill_after_s is not None:
                deaths.append(self.server_.kill_after(kill_after_s))
        worker = threading.Thread(target=admin.work)
        worker.start()
        first, self.arrived = self.arrived + 1, self.arrived + buyers
        made = Crowd(self.server_.address, 100).rush(
            (Attempt(self.shop, b) for b in range(first, self.arrived + 1)), at_start=begin)
        admin.stopping.set()
        for death in deaths:
            death.join()
        worker.join()
        self.record.note(a for a in made if a.code != "sold_out")

    def test_promises_and_stock_stay_in_step(self):
        chance = random.Random(5)
        admins = []
        for kill_after_s in (None, 0.05, 0.2, 0.35, None):
            admins.append(Admin(self.server_, self.token, self.sale, chance))
            self.rush(admins[-1], 4000, kill_after_s)
            if not self.server_.running():
                if not CLUSTERED:  # there a node must run before the gate agrees with the book again
                    self.assert_clean(self.shop.data)
                self.server_.start()
        self.assertGreater(sum(a.refused for a in admins), 0, "stock was never scarce")
        self.sell_the_rest()
        self.settle(self.server_)
        self.assertEqual(self.server_.stop(), 0)

        stock = self.stock_as_booked(admins)
        self.assertEqual(
            self.record.judge(orders_in(self.shop.data), held_in(self.shop.data, self.sale), stock),
            [])
        self.assert_clean(self.shop.data)

    def sell_the_rest(self):
        with self.server_.client() as client:
            added = client.post(f"{API}/admin/sales/{self.sale}/stock",
                                {"delta": 500, "note": "the last"}, self.token)
            self.assertEqual(added.status, 200)
        made = Crowd(self.server_.address, 100).rush(
            Attempt(self.shop, b) for b in range(self.arrived + 1, self.BUYERS + 1))
        self.assertIn("sold_out", {a.code for a in made})
        self.record.note(made)

    def stock_as_booked(self, admins):
        """What the ledger says, after holding its log against what the admin was told."""
        with contextlib.closing(ledger(self.shop.data)) as book:
            moves = book.execute("SELECT kind, note, stock_after - stock_before FROM stock_log "
                                 "WHERE kind IN ('added', 'removed')").fetchall()
            stock = book.execute("SELECT stock FROM sales WHERE id = ?", (self.sale,)).fetchone()[0]
        self.assertEqual(stock, self.STOCK + sum(delta for _, _, delta in moves))
        logged = sorted((note, delta) for _, note, delta in moves)
        told = sorted((note, delta) for a in admins for note, delta in a.booked.items())
        possible = [(note, delta) for a in admins for note, delta in a.unknown.items()]
        for move in told:
            self.assertIn(move, logged)
            logged.remove(move)
        logged.remove(("the last", 500))
        self.assertLessEqual(set(logged), set(possible), "changes nobody asked for")
        return stock


if __name__ == "__main__":
    unittest.main()
