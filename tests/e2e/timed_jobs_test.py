"""What buyers do with their orders, and what operators look after, call by call."""
import time
import unittest

from harness import API, PATIENCE_S, cure, poison
from recording import FAST, PAY_TEST, SharedServer


class OrderLifeTest(SharedServer):
    config = PAY_TEST + FAST

    def setUp(self):
        self.buyer = self.register()
        self.sale = self.add_sale(stock=1)

    def bought(self):
        answer = self.client.buy(self.sale, self.buyer)
        self.assertEqual(answer.status, 202, answer.text)
        self.wait_for_order(answer.json["order_no"], self.buyer)
        return answer.json["order_no"]

    def move(self, no, verb, body=None, token=None):
        return self.client.ask("POST", f"{API}/orders/{no}/{verb}", token or self.buyer, body)

    def wait_for_status(self, no, status, within_s=PATIENCE_S):
        deadline = time.monotonic() + within_s
        while time.monotonic() < deadline:
            order = self.client.order(no, self.buyer).json
            if order["status"] == status:
                return order
            time.sleep(0.02)
        return self.fail(f"{order} did not become {status} within {within_s} s")

    def test_cancel_gives_the_unit_to_somebody_else(self):
        no = self.bought()
        other = self.register()
        self.assert_problem(self.client.buy(self.sale, other), 409, "sold_out")
        done = self.move(no, "cancel")
        self.assertEqual((done.status, done.json["status"], done.json["reason"]),
                         (200, "closed", "cancelled"))
        self.assertEqual(self.client.buy(self.sale, other).status, 202)
        again = self.assert_problem(self.move(no, "cancel"), 409, "conflict")
        self.assertEqual(again["order_status"], "closed")

    def test_a_buyer_who_cancels_waits_and_admins_see_it(self):
        no = self.bought()
        self.assertEqual(self.move(no, "cancel").status, 200)
        problem = self.assert_problem(self.client.buy(self.sale, self.buyer), 409, "cooling_down")
        self.assertGreater(problem["retry_after_ms"], 0)
        found = self.manage("GET", f"/sales/{self.sale}/returns")["buyers"]
        self.assertEqual([b["times"] for b in found], [1])

    def test_pay_then_refund_and_buy_again(self):
        no = self.bought()
        paid = self.move(no, "pay", {"method": "test"})
        self.assertEqual((paid.status, paid.json["order"]["status"]), (200, "paid"))
        self.assert_problem(self.move(no, "cancel"), 409, "conflict")
        self.assert_problem(self.move(no, "pay", {"method": "test"}), 409, "conflict")
        back = self.move(no, "refund")
        self.assertEqual((back.status, back.json["status"]), (202, "refunding"))
        self.wait_for_status(no, "refunded")
        self.assert_problem(self.move(no, "refund"), 409, "conflict")
        self.assertEqual(self.client.buy(self.sale, self.buyer).status, 202, "the unit is back")

    def test_an_admin_gives_a_part_back(self):
        no = self.bought()
        path = f"/orders/{no}/refund"
        self.manage("POST", path, {"reason": "too early"}, status=409)
        self.assertEqual(self.move(no, "pay", {"method": "test"}).status, 200)
        self.manage("POST", path, {"amount_fen": 5}, status=400)
        self.manage("POST", path, {"amount_fen": 10**9, "reason": "too much"}, status=422)
        self.assert_problem(self.client.post(f"{API}/admin{path}", {"reason": "x"}, self.buyer),
                            403, "forbidden")
        self.manage("POST", path, {"amount_fen": 5, "reason": "a scratch"}, status=202)
        self.assertEqual(self.wait_for_status(no, "paid")["refunded_fen"], 5)
        refund, = self.manage("GET", f"/orders/{no}")["refunds"]
        self.assertEqual((refund["cause"], refund["reason"]), ("admin", "a scratch"))

    def test_another_buyers_order_is_not_there(self):
        no, stranger = self.bought(), self.register()
        for verb, body in (("cancel", None), ("pay", {"method": "test"}), ("refund", None)):
            self.assert_problem(self.move(no, verb, body, stranger), 404, "not_found")
        self.assertEqual(self.client.order(no, self.buyer).json["status"], "unpaid")

    def test_an_unknown_way_to_pay_is_refused_with_those_there_are(self):
        problem = self.assert_problem(self.move(self.bought(), "pay", {"method": "gold"}),
                                      422, "invalid")
        self.assertIn("there are: test", problem["detail"])


class TimedJobsTest(SharedServer):
    config = PAY_TEST + FAST

    def dead_letter(self, sale):
        """Buys what the ledger will not take; gives the buyer and the letter."""
        poison(self.place / "data", f"NEW.sale_id = {sale}")
        buyer = self.register()
        self.assertEqual(self.client.buy(sale, buyer).status, 202)
        deadline = time.monotonic() + PATIENCE_S
        while not (found := self.manage("GET", "/dead-letters?state=dead")["letters"]):
            self.assertLess(time.monotonic(), deadline, "it did not become a dead letter")
            time.sleep(0.02)
        return buyer, found[0]

    def test_a_dead_letter_is_looked_at_and_replayed(self):
        buyer, letter = self.dead_letter(self.add_sale())
        path = f"/dead-letters/{letter['id']}"
        self.assertEqual(self.manage("GET", path), letter)
        self.assertEqual(letter["attempts"], 1)
        self.manage("POST", f"{path}/replay", status=409)
        cure(self.place / "data")
        done = self.manage("POST", f"{path}/replay")
        self.assertEqual((done["outcome"], done["letter"]["state"]), ("entered", "replayed"))
        no = letter["promise"]["order_no"]
        self.assertEqual(self.wait_for_order(no, buyer)["status"], "unpaid")
        self.assertEqual(self.manage("GET", f"/orders/{no}")["order"]["status"], "unpaid")

    def test_a_dead_letter_is_discarded_with_a_reason(self):
        buyer, letter = self.dead_letter(self.add_sale(stock=1))
        cure(self.place / "data")
        path = f"/dead-letters/{letter['id']}/discard"
        self.manage("POST", path, {}, status=400)
        self.manage("POST", path, {"reason": "a test"})
        order = self.wait_for_order(letter["promise"]["order_no"], buyer)
        self.assertEqual((order["status"], order["reason"]), ("failed", "discarded"))
        sale = letter["promise"]["sale_id"]
        self.assertEqual(self.client.buy(sale, self.register()).status, 202, "its unit is back")

    def test_the_reconciliation_adds_up(self):
        sale = self.add_sale(stock=5)
        found = self.manage("POST", "/reconcile", {"sale_id": sale})["balance"]
        self.assertEqual((found["stock"], found["free"], found["off_by"], found["differences"]),
                         (5, 5, 0, []))
        self.assertIn(sale, [b["sale_id"] for b in self.manage("GET", "/reconciliation")["sales"]])
        self.manage("POST", "/reconcile", {"sale_id": 999}, status=404)
        self.manage("POST", "/reconcile", {"sale_id": sale, "repair": True}, status=422)

    def test_what_operators_see_when_all_is_well(self):
        self.assertEqual(self.manage("GET", "/payments/open")["questions"], [])
        self.assertEqual(self.manage("GET", "/payments/messages")["messages"], [])
        self.assertEqual(self.manage("GET", "/payments/extra")["refunds"], [])
        self.assertIsInstance(self.manage("GET", "/alerts")["alerts"], list)
        self.assertFalse(self.manage("GET", "/warm-up")["running"])


if __name__ == "__main__":
    unittest.main()
