#!/usr/bin/python3
"""What those are told who cancel, pay or return what cannot be."""
import unittest

from harness import API, CLUSTERED, UNLIMITED, held_in, lock_ledger, poison
from orders import CANCELLED, CONFIG, ShopTest


class WhatCannotBe(ShopTest):
    """Cancel, pay and refund where there is nothing to cancel, pay or refund."""

    def assert_refused(self, answer, status, code, **says):
        self.assertEqual((answer.status, answer.code), (status, code), answer.text)
        self.assertEqual({k: answer.json.get(k) for k in says}, says)

    def assert_conflict(self, verb, buyer, no, state):
        self.assert_refused(self.call(verb, buyer, no), 409, "conflict", order_status=state,
                            detail=f"the order is {state}")

    def test_what_is_not_yours_is_not_there(self):
        self.open_shop(users=3, stock=3)
        mine = self.buy(1)
        for verb in ("cancel", "pay", "refund"):
            for no in (mine, int(mine) + 1, 1, 0, -1, 2**63 - 1, 2**63, "abc", "1.5", "%00"):
                self.assert_refused(self.call(verb, 2, no), 404, "not_found")
            answer = self.client.post(f"{API}/orders/{mine}/{verb}", {"method": "test"})
            self.assert_refused(answer, 401, "unauthenticated")
            answer = self.client.get(f"{API}/orders/{mine}/{verb}", self.shop.tokens[0])
            self.assert_refused(answer, 405, "method_not_allowed")
        self.assertEqual(self.status_of(1, mine), "unpaid")
        self.assert_events([])

    def test_the_state_does_not_allow_it(self):
        self.open_shop(users=2, stock=2)
        closed, paid = self.buy(1), self.buy(2)
        self.assert_conflict("refund", 1, closed, "unpaid")
        answer = self.call("cancel", 1, closed)
        self.assertEqual((answer.status, answer.json["status"], answer.json["reason"]),
                         (200, *CANCELLED))
        answer = self.call("pay", 2, paid)
        self.assertEqual((answer.status, answer.json["order"]["status"]), (200, "paid"))
        for verb in ("cancel", "pay", "refund"):  # the double cancel among them
            self.assert_conflict(verb, 1, closed, "closed")
        for verb in ("cancel", "pay"):
            self.assert_conflict(verb, 2, paid, "paid")
        answer = self.call("refund", 2, paid)
        self.assertEqual((answer.status, answer.json["status"]), (202, "refunding"))
        self.assertEqual(self.status_of(2, paid, wait_ms=30000, **{"while": "refunding"}),
                         "refunded")
        for verb in ("refund", "cancel", "pay"):
            self.assert_conflict(verb, 2, paid, "refunded")
        self.assert_events([(closed, "unpaid", "closed", "cancelled"), (paid, "unpaid", "paid", ""),
                            (paid, "paid", "refunding", ""), (paid, "refunding", "refunded", "")])
        self.assertEqual(held_in(self.shop.data, self.sale), 0)  # and once each:
        for buyer in (1, 2):
            self.buy(buyer)

    def test_an_order_whose_time_is_over(self):
        self.open_shop(pay_within_s=1)
        late = self.try_to_buy(1).json["order_no"]
        self.order(1, late, wait_ms=30000)  # until it is entered, and then until it is closed
        self.assertEqual(self.status_of(1, late, wait_ms=30000, **{"while": "unpaid"}), "closed")
        for verb in ("cancel", "pay", "refund"):
            self.assert_conflict(verb, 1, late, "closed")
        self.assert_events([(late, "unpaid", "closed", "timed_out")])

    def test_an_order_that_is_still_queued(self):
        """Its promise is one that the ledger does not take, so that it stays so."""
        self.shop = self.fixture(users=2, stock=2)
        self.sale = self.shop.sales[0]
        poison(self.shop.data, "NEW.buyer_id = 1")
        self.server_ = self.server(self.shop.data, config=CONFIG)
        self.start()
        queued = self.try_to_buy(1).json["order_no"]
        self.wait_until(lambda: self.server_.metric("floodgate_backlog_promises") == 0)
        self.assertEqual(self.status_of(1, queued), "queued")
        for verb in ("cancel", "pay", "refund"):
            answer = self.call(verb, 1, queued)
            self.assert_refused(answer, 409, "conflict", order_status="queued")
            self.assertGreater(answer.json["retry_after_ms"], 0)
            self.assert_refused(self.call(verb, 2, queued), 404, "not_found")

    def test_while_the_ledger_is_locked(self):
        """What is still queued is known without it: nobody waits for the lock to hear so."""
        self.open_shop()
        lock = lock_ledger(self.shop.data)
        self.addCleanup(lock.close)
        queued = self.try_to_buy(1).json["order_no"]
        answer = self.call("cancel", 1, queued)
        if CLUSTERED:  # where the promise is, only the ledger and the node that enters it know
            self.assert_refused(answer, 503, "busy")
        else:
            self.assert_refused(answer, 409, "conflict", order_status="queued")
        self.assertGreater(answer.json["retry_after_ms"], 0)
        lock.close()
        self.assertEqual(self.status_of(1, queued, wait_ms=30000), "unpaid")
        self.assertEqual(self.call("cancel", 1, queued).status, 200)

    def test_ways_to_pay_that_there_are_not(self):
        self.open_shop()
        no = self.buy(1)
        self.assert_refused(self.call("pay", 1, no, {"method": "wechat"}), 422, "invalid",
                            field="method", detail="no such way to pay; there are: test, points")
        for body, detail in (({}, "method is missing"),
                             ({"method": ""}, "method must have 1 to 12 bytes"),
                             ({"method": "x" * 13}, "method must have 1 to 12 bytes"),
                             ({"method": 5}, "method must be a text"),
                             ({"method": None}, "method must be a text")):
            self.assert_refused(self.call("pay", 1, no, body), 400, "bad_request", field="method",
                                detail=detail)
        for verb, body in (("pay", {"method": "test", "x": 1}), ("cancel", {"x": 1}),
                           ("refund", {"x": 1})):
            self.assert_refused(self.call(verb, 1, no, body), 400, "bad_request", field="x")
        self.assertEqual(self.status_of(1, no), "unpaid")
        self.assert_events([])

    def test_amounts_that_cannot_be_given_back(self):
        self.open_shop()
        no = self.buy(1)
        self.assertEqual(self.call("pay", 1, no).status, 200)
        fen = self.order(1, no)["amount_fen"]
        for amount in (0, -1, 1.5, "3", None, True, 10**12 + 1, 2**63):
            self.assert_refused(self.call("refund", 1, no, {"amount_fen": amount}), 400,
                                "bad_request", field="amount_fen")
        for reason in (7, None, "x" * 201, "\u0001"):
            self.assert_refused(self.call("refund", 1, no, {"reason": reason}), 400,
                                "bad_request", field="reason")
        self.assert_refused(self.call("refund", 1, no, {"amount_fen": fen + 1}), 422, "invalid",
                            field="amount_fen", detail=f"at most {fen} fen can be given back")
        self.assertEqual(self.status_of(1, no), "paid")
        self.assert_events([(no, "unpaid", "paid", "")])

    def test_test_money_only_where_it_is_allowed(self):
        self.open_shop(config=UNLIMITED)
        no = self.buy(1)
        self.assert_refused(self.call("pay", 1, no), 422, "invalid", field="method",
                            detail="no such way to pay; there are: points")
        self.assertEqual(self.status_of(1, no), "unpaid")


if __name__ == "__main__":
    unittest.main()
