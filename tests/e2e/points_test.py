#!/usr/bin/python3
"""Orders that are paid with points, and orders that earn some: the whole journey, too few of them, and
deaths in the middle."""
import unittest

import books
from harness import API, request_bytes
from managed import ManagedShop

PRICE = 30
EARNED = 7


class PointsShop(ManagedShop):

    def open_points_shop(self, users, stock, price_fen=9900, config="", **terms):
        self.open_shop(users, stock, config, **terms)
        self.manage("PUT", f"/sales/{self.sale}", {"price_points": PRICE, "price_fen": price_fen})

    def grant(self, buyer, amount, request, status=200):
        return self.manage("POST", f"/users/{buyer}/points", {
            "amount": amount, "reason": "欢迎", "request": request}, status)

    def points(self, buyer, query=""):
        with self.client() as client:
            answer = client.get(f"{API}/me/points{query}", self.shop.tokens[buyer - 1])
        self.assertEqual(answer.status, 200, answer.text)
        return answer.json

    def balance(self, buyer):
        account = self.points(buyer)
        return account["available"], account["reserved"], account["pending"]

    def unpaid_order(self, buyer):
        answer = self.buy(buyer)
        self.assertEqual(answer.status, 202, answer.text)
        no = answer.json["order_no"]
        self.wait_for(no, buyer, "unpaid")
        return no

    def wait_for(self, no, buyer, status):
        self.wait_until(lambda: self.order(no, buyer)["status"] == status,
                        what=f"order {no} is not {status}")

    def call(self, verb, buyer, no, method="points"):
        with self.client() as client:
            return client.post(f"{API}/orders/{no}/{verb}",
                               {"method": method} if verb == "pay" else None,
                               self.shop.tokens[buyer - 1])

    def tries(self):
        """order number -> state of its try"""
        book = books.points_book(self.shop.data)
        found = book.execute("SELECT order_no, state FROM points_tries").fetchall()
        book.close()
        return {str(no): state for no, state in found}

    def expect_agreement(self, orders, told_paid):
        """After all that was interrupted has been finished."""
        self.wait_until(lambda: "open" not in self.tries().values(), what="a try is still open")
        tries = self.tries()
        for buyer, no in orders.items():
            with self.subTest(buyer=buyer, tried=tries.get(no)):
                status = self.order(no, buyer)["status"]
                self.assertIn((status, tries.get(no)), {("paid", "confirmed"), ("unpaid", None)})
                self.assertEqual(self.balance(buyer), (0 if status == "paid" else PRICE, 0, 0))
                if buyer in told_paid:
                    self.assertEqual(status, "paid")


class Journey(PointsShop):

    def test_granted_spent_and_given_back(self):
        self.open_points_shop(users=3, stock=1)
        self.assertEqual(self.balance(1), (0, 0, 0))
        given = self.grant(1, 100, "w-1")
        self.assertEqual((given["available"], given["lines"][0]["reason"]), (100, "欢迎"))
        self.grant(1, 100, "w-1")  # the same once more
        self.assertEqual(self.balance(1), (100, 0, 0))

        no = self.unpaid_order(1)
        paid = self.call("pay", 1, no)
        self.assertEqual((paid.status, paid.json["order"]["status"]), (200, "paid"), paid.text)
        self.wait_until(lambda: self.balance(1) == (70, 0, 0))
        self.assertEqual(self.call("pay", 1, no).status, 409)

        self.assertEqual(self.call("refund", 1, no).status, 202)
        self.wait_for(no, 1, "refunded")
        self.assertEqual(self.balance(1), (100, 0, 0))
        lines = self.points(1)["lines"]
        self.assertEqual([(line["event"], line["change"]) for line in lines], [
            ("given_back", 30), ("spend_confirmed", 0), ("spend_tried", -30), ("granted", 100)])
        self.assertEqual({line.get("order_no") for line in lines}, {no, None})
        page = self.points(1, "?limit=1")
        self.assertEqual((page["lines"], page["next_before"]), (lines[:1], 4))
        self.assertEqual(self.points(1, "?limit=9&before=4")["lines"], lines[1:])

        self.unpaid_order(2)  # the unit is back on the shelf
        self.assertEqual(self.manage("GET", "/users/1/points")["available"], 100)
        audit = self.manage("GET", "/audit")["lines"]
        self.assertEqual({line["subject"] for line in audit if line["action"] == "points.granted"},
                         {"user 1"})
        self.assertEqual(self.server_.stop(), 0)
        self.assert_clean(self.shop.data)

    def test_cancelled_while_it_is_unpaid(self):
        self.open_points_shop(users=1, stock=1)
        self.grant(1, PRICE, "w-1")
        no = self.unpaid_order(1)
        self.assertIn(self.call("cancel", 1, no).status, (200, 202))
        self.wait_for(no, 1, "closed")
        self.assertEqual(self.call("pay", 1, no).status, 409)
        self.assertEqual(self.balance(1), (PRICE, 0, 0))

    def test_too_few_points_and_prices_that_do_not_fit(self):
        self.open_points_shop(users=2, stock=2, config="[pay]\nallow_test = true\n")
        self.grant(1, PRICE - 1, "w-1")
        no = self.unpaid_order(1)
        answer = self.call("pay", 1, no)
        self.assertEqual((answer.status, answer.code), (409, "not_enough_points"), answer.text)
        self.assertEqual(answer.json["detail"], f"the order costs {PRICE} points")
        self.assertEqual(self.balance(1), (PRICE - 1, 0, 0))
        self.assertEqual(self.call("pay", 1, no, "test").json["order"]["status"], "paid")

        self.manage("PUT", f"/sales/{self.sale}", {"price_points": PRICE, "price_fen": 0})
        only_points = self.unpaid_order(2)
        answer = self.call("pay", 2, only_points, "test")
        self.assertEqual((answer.status, answer.json["detail"]),
                         (422, "the order is to be paid in points"))
        self.grant(2, PRICE, "w-2")
        self.assertEqual(self.call("pay", 2, only_points).status, 200)

    def test_a_shop_without_points(self):
        self.open_shop(users=1, stock=1, config="[points]\nenabled = false\n")
        with self.client() as client:
            answer = client.get(f"{API}/me/points", self.shop.tokens[0])
        self.assertEqual((answer.status, answer.json["detail"]), (404, "this shop has no points"))
        answer = self.call("pay", 1, self.unpaid_order(1))
        self.assertEqual((answer.status, answer.code), (422, "invalid"))


class EarningShop(PointsShop):

    def open_earning_shop(self, users, refund_within_s, config=""):
        """Everybody can buy one unit with the method `test` and earns points with it."""
        self.open_points_shop(users, users, config="[pay]\nallow_test = true\n"
                              f"refund_within_s = {refund_within_s}\n{config}")
        self.manage("PUT", f"/sales/{self.sale}", {"earns_points": EARNED})

    def paid_order(self, buyer, method="test"):
        no = self.unpaid_order(buyer)
        paid = self.call("pay", buyer, no, method)
        self.assertEqual((paid.status, paid.json["order"]["status"]), (200, "paid"), paid.text)
        return no

    def wait_for_balance(self, buyer, expected):
        self.wait_until(lambda: self.balance(buyer) == expected,
                        what=f"the points of buyer {buyer} are not {expected}")

    def events(self, buyer):
        return [line["event"] for line in self.points(buyer)["lines"]]


class Earning(EarningShop):

    def test_given_when_the_buyers_time_to_give_the_order_back_is_over(self):
        self.open_earning_shop(users=2, refund_within_s=1)
        self.grant(2, PRICE, "w-2")
        self.paid_order(2, "points")  # earns nothing
        no = self.paid_order(1)
        self.wait_for_balance(1, (EARNED, 0, 0))
        lines = self.points(1)["lines"]
        self.assertEqual([(line["event"], line["change"], line["pending"], line["order_no"])
                          for line in lines],
                         [("earn_confirmed", EARNED, 0, no), ("earn_tried", 0, EARNED, no)])
        self.assertEqual(self.events(2), ["spend_confirmed", "spend_tried", "granted"])

        self.manage("POST", f"/orders/{no}/refund", {"reason": "broken"}, 202)
        self.wait_for(no, 1, "refunded")
        self.assertEqual(self.balance(1), (EARNED, 0, 0))  # an admin can take them with a grant
        self.grant(1, -EARNED, "back-1")
        self.assertEqual(self.balance(1), (0, 0, 0))
        self.assertEqual(self.server_.stop(), 0)
        self.assert_clean(self.shop.data)

    def test_pending_until_then_and_gone_with_a_full_refund(self):
        self.open_earning_shop(users=2, refund_within_s=3600)
        orders = {buyer: self.paid_order(buyer) for buyer in (1, 2)}
        for buyer in orders:
            self.wait_for_balance(buyer, (0, 0, EARNED))
        self.wait_until(lambda: self.server_.metric(
            'floodgate_points_earnings{state="promised"}') == 2, what="they are not counted")
        with self.client() as client:
            part = client.post(f"{API}/orders/{orders[2]}/refund", {"amount_fen": 100},
                               self.shop.tokens[1])
        self.assertEqual(part.status, 202, part.text)
        self.assertEqual(self.call("refund", 1, orders[1]).status, 202)
        self.wait_for_balance(1, (0, 0, 0))
        self.assertEqual(self.events(1), ["earn_cancelled", "earn_tried"])
        self.wait_until(lambda: self.order(orders[2], 2)["refunded_fen"] == 100)
        self.assertEqual(self.balance(2), (0, 0, EARNED))
        self.assertEqual(self.server_.stop(), 0)
        self.assert_clean(self.shop.data)

    def test_owed_by_a_shop_without_points_and_given_when_it_has_them(self):
        self.open_earning_shop(users=1, refund_within_s=1, config="[points]\nenabled = false\n")
        self.paid_order(1)
        self.assertEqual(self.server_.stop(), 0)
        self.server_.config = self.server_.config.replace("enabled = false", "enabled = true")
        self.server_.start()
        self.wait_for_balance(1, (EARNED, 0, 0))

    def test_everybody_earns_once_although_the_shop_is_killed(self):
        """Killed several times: while the points are promised, and while they are given."""
        buyers = 30
        self.open_earning_shop(buyers, refund_within_s=1)
        for buyer in range(1, buyers + 1):
            self.paid_order(buyer)
        for events in (1, 10, 35, 55):
            self.wait_until(lambda n=events: self.earn_events() >= n, what="nothing was earned")
            self.server_.kill()
            self.server_.start()
        for buyer in range(1, buyers + 1):
            self.wait_for_balance(buyer, (EARNED, 0, 0))
            self.assertEqual(self.events(buyer), ["earn_confirmed", "earn_tried"])
        self.assertEqual(self.server_.stop(), 0)
        self.assert_clean(self.shop.data)

    def earn_events(self):
        book = books.points_book(self.shop.data)
        found = book.execute("SELECT COUNT(*) FROM points_log WHERE event LIKE 'earn%'").fetchall()
        book.close()
        return found[0][0]


class Deaths(PointsShop):

    def test_points_and_orders_agree_after_kill_9(self):
        """Killed while many pay: as soon as the first few have their answer."""
        buyers = 40
        self.open_points_shop(users=buyers, stock=buyers)
        for buyer in range(1, buyers + 1):
            self.grant(buyer, PRICE, f"w-{buyer}")
        orders = {buyer: self.unpaid_order(buyer) for buyer in range(1, buyers + 1)}
        told_paid, deaths = set(), (1, 4, 9)
        for death, die_after in enumerate(deaths):
            # Others each time: those who got no answer may have paid all the same.
            some = {b: no for b, no in orders.items() if b % len(deaths) == death}
            told_paid |= self.pay_until_death(some, die_after)
            self.server_.start()
        self.settle(self.server_)
        self.expect_agreement(orders, told_paid)
        self.assertGreaterEqual(len(told_paid), sum(deaths))
        self.assertEqual(self.server_.stop(), 0)
        self.assert_clean(self.shop.data)

    def pay_until_death(self, orders, die_after):
        """Everybody pays at once; the buyers who were told that they have paid."""
        clients = {b: self.client() for b in orders}
        for buyer, client in clients.items():
            client.send(request_bytes("POST", f"{API}/orders/{orders[buyer]}/pay",
                                      self.shop.tokens[buyer - 1], {"method": "points"}))
        told = set()
        for number, (buyer, client) in enumerate(clients.items()):
            if number == die_after:
                self.server_.kill()
            try:
                if client.receive().status == 200:
                    told.add(buyer)
            except OSError:
                pass
            client.close()
        return told


if __name__ == "__main__":
    unittest.main()
