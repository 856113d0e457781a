#!/usr/bin/python3
"""Sales that are over leave the gate and the buyers' pages by themselves; admins still see them, and
one whose window is moved is loaded again with what it holds, before it opens."""
import time
import unittest

from harness import API, PATIENCE_S
from recording import FAST, PAY_TEST, SharedServer, iso


class ForgottenSales(SharedServer):
    config = "[rounds]\nforget_after_s = 1\n" + PAY_TEST + FAST

    def wait_until(self, so, what):
        deadline = time.monotonic() + PATIENCE_S
        while not so():
            self.assertLess(time.monotonic(), deadline, what)
            time.sleep(0.1)

    def shown(self, sale):
        return any(s["id"] == sale for r in self.client.rounds() for s in r["sales"])

    def test_a_sale_leaves_and_comes_back_complete(self):
        buyers = [self.register() for _ in range(3)]
        round_ = self.add_round()
        sale = self.add_sale(stock=2, round_id=round_)
        order = self.client.buy(sale, buyers[0]).json["order_no"]
        self.wait_for_order(order, buyers[0])
        paid = self.client.post(f"{API}/orders/{order}/pay", {"method": "test"}, buyers[0])
        self.assertEqual(paid.status, 200, paid.text)
        self.assertTrue(self.shown(sale))
        self.manage("PUT", f"/sales/{sale}", {"pay_within_s": 1})
        self.manage("PUT", f"/rounds/{round_}", {"ends_at": iso(1)})

        self.wait_until(lambda: not self.shown(sale), "it is still shown")
        page = f"{API}/sales/{sale}"
        self.wait_until(lambda: self.client.get(page).status == 404, "its page is still there")
        # The pages go by the clock; in a cluster the gate follows when its node on duty looks.
        self.wait_until(lambda: self.client.buy(sale, buyers[1]).code == "unknown_sale", "kept")
        self.assertIsNone(self.manage("GET", f"/sales/{sale}")["figures"]["gate"])
        self.assertIn(sale, [s["id"] for s in self.manage("GET", "/sales?limit=500")["sales"]])
        self.assertEqual(self.client.order(order, buyers[0]).json["status"], "paid")
        self.assertGreaterEqual(self.server.metric("floodgate_sales_forgotten_total"), 1)

        self.manage("PUT", f"/rounds/{round_}", {
            "title": "Again", "starts_at": iso(-60), "ends_at": iso(3600)})
        self.wait_until(lambda: self.client.buy(sale, buyers[1]).status in (202, 409), "not open")
        self.assert_problem(self.client.buy(sale, buyers[0]), 409, "already_ordered")
        self.assert_problem(self.client.buy(sale, buyers[2]), 409, "sold_out")


if __name__ == "__main__":
    unittest.main()
