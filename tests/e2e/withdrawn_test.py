#!/usr/bin/python3
"""A sale that does not sell refunded units again: they leave the stock, everywhere, for good."""
import unittest

from harness import API, NO_COOL_DOWN, ledger, first_admin
from orders import CONFIG, ShopTest


class RefundedUnits(ShopTest):

    def open_sale(self, stock):
        self.open_shop(users=3, stock=stock, config=CONFIG + NO_COOL_DOWN)
        phone, password = first_admin(self.server_)
        answer = self.client.post(f"{API}/auth/login", {"phone": phone, "password": password})
        self.admin = answer.json["token"]
        changed = self.manage("PUT", f"/sales/{self.sale}", {"resell_refunded": False})
        self.assertIs(changed["resell_refunded"], False)

    def manage(self, method, path, body=None):
        answer = self.client.ask(method, f"{API}/admin{path}", self.admin, body)
        self.assertEqual(answer.status, 200, answer.text)
        return answer.json

    def refund(self, buyer):
        """Buys, pays and gives it back: the number of an order that is refunded."""
        no = self.buy(buyer)
        self.assertEqual(self.call("pay", buyer, no).status, 200)
        self.assertEqual(self.call("refund", buyer, no).status, 202)
        self.assertEqual(self.status_of(buyer, no, wait_ms=30000, **{"while": "refunding"}), "refunded")
        return no

    def public_stock(self):
        return self.client.get(f"{API}/sales/{self.sale}").json["stock"]

    def balance(self):
        return self.manage("POST", "/reconcile", {"sale_id": self.sale})["balance"]

    def assert_figures(self, stock, free, paid=0):
        """The gate follows a moment after the ledger."""
        expected = {"stock": stock, "free": free, "promised": 0, "unpaid": 0, "paid": paid, "refunding": 0}
        self.wait_until(lambda: {k: self.balance()[k] for k in expected} == expected,
                        what="the figures do not become what they should be")
        self.wait_until(lambda: self.public_stock() == stock, what="the page shows another stock")

    def marks(self):
        book = ledger(self.shop.data)
        found = book.execute("SELECT COUNT(*) FROM orders WHERE mark IS NOT NULL").fetchone()[0]
        book.close()
        return found

    def test_the_last_unit_is_gone(self):
        self.open_sale(stock=1)
        no = self.refund(1)
        for buyer in (1, 2, 3):
            self.assertEqual(self.try_to_buy(buyer).code, "sold_out", "also while the gate hears of it")
        self.assert_figures(stock=0, free=0)
        for buyer in (1, 2, 3):
            self.assertEqual(self.try_to_buy(buyer).code, "sold_out")
        self.assertEqual(self.marks(), 0)
        last = self.manage("GET", f"/sales/{self.sale}/stock-log?limit=1")["moves"][0]
        self.assertEqual((last["kind"], last["stock_before"], last["stock_after"], last["held_after"]),
                         ("withdrawn", 1, 0, 0))
        self.assertIn(no, last["note"])

        self.manage("POST", f"/sales/{self.sale}/stock", {"delta": 1})
        again = self.buy(1)
        self.assertEqual(self.call("pay", 1, again).status, 200)
        self.assert_figures(stock=1, free=0, paid=1)
        self.assertEqual(self.try_to_buy(2).code, "sold_out")
        self.assertEqual(self.server_.stop(), 0)
        self.assert_clean(self.shop.data)

        self.start()
        self.assertEqual(self.try_to_buy(2).code, "sold_out")
        self.assertEqual(self.public_stock(), 1)

    def test_after_a_kill_the_units_stay_gone(self):
        self.open_sale(stock=3)
        self.refund(1)
        self.server_.kill()
        self.start()
        self.assert_figures(stock=2, free=2)
        for buyer in (1, 2):
            self.assertEqual(self.call("pay", buyer, self.buy(buyer)).status, 200)
        self.assertEqual(self.try_to_buy(3).code, "sold_out")
        self.assert_figures(stock=2, free=0, paid=2)
        self.assertEqual(self.server_.stop(), 0)
        self.assert_clean(self.shop.data)

    def test_cancelled_units_are_sold_again_and_so_are_refunded_ones_if_the_sale_says_so(self):
        self.open_sale(stock=1)
        self.assertEqual(self.call("cancel", 1, self.buy(1)).status, 200)
        self.assertEqual(self.call("cancel", 2, self.buy(2)).status, 200)
        self.manage("PUT", f"/sales/{self.sale}", {"resell_refunded": True})
        self.refund(3)
        self.assert_figures(stock=1, free=1)


if __name__ == "__main__":
    unittest.main()
