"""The log: JSON that parses, request ids, one line for each end of an order, a file that can be moved away."""
import json
import signal
import unittest

from harness import API, FloodgateTest
from managed import ManagedShop


class Logs(ManagedShop):

    def lines(self):
        """Those in JSON; anything else on standard error is a failure."""
        rest = self.server_.log().split("\n", 1)[1]
        return [json.loads(line) for line in rest.splitlines() if line and not line.startswith("---")]

    def test_every_line_is_json_and_each_end_of_an_order_is_one(self):
        self.open_shop(users=3, stock=3, config='[log]\nformat = "json"\n')
        no = self.buy(1).json["order_no"]
        self.wait_until(lambda: self.order(no, 1)["status"] == "unpaid")
        with self.client() as client:
            answer = client.ask("POST", f"{API}/orders/{no}/cancel", self.shop.tokens[0])
        self.assertEqual(answer.status, 200, answer.text)
        self.wait_until(lambda: any(line["event"] == "engine.order_ended" for line in self.lines()))
        ends = [line for line in self.lines() if line["event"] == "engine.order_ended"]
        self.assertEqual([(e["order"], e["state"], e["reason"]) for e in ends],
                         [(no, "closed", "cancelled")])
        for line in self.lines():
            self.assertRegex(line["at"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
            self.assertIn(line["level"], ("debug", "info", "warning", "error"))

    def test_a_request_id_is_echoed_and_logged_if_it_is_plain(self):
        self.open_shop(users=3, stock=3)
        with self.client() as client:
            def ask(method, path, token, request_id):
                lines = {"X-Request-Id": request_id} if request_id else {}
                return client.ask(method, path, token, headers=lines).headers.get("x-request-id")
            buy = f"{API}/sales/{self.sale}/orders"
            self.assertEqual(ask("POST", buy, self.shop.tokens[0], "shop-7.a:b_c"), "shop-7.a:b_c")
            self.assertIsNone(ask("POST", buy, self.shop.tokens[1], None), "a purchase gets none")
            self.assertRegex(ask("GET", f"{API}/me", self.shop.tokens[0], None), r"^[0-9a-f]{16,}$")
            for bad in ("x" * 65, "a b", 'a"b', "é"):
                self.assertNotEqual(ask("GET", f"{API}/me", self.shop.tokens[0], bad), bad)
            self.assertEqual(ask("POST", f"{API}/admin/sales/{self.sale}/pause", self.admin, "night-1"),
                             "night-1")
        self.wait_until(lambda: "request=night-1" in self.server_.log())


class TheFile(FloodgateTest):

    def test_a_moved_log_file_is_opened_again(self):
        shop = self.fixture(users=1, stock=1)
        log = self.place / "floodgate.log"
        server = self.serve(shop.data, config=f'[log]\nfile = "{log}"\nformat = "journal"\n')
        self.wait_until(lambda: "<6>engine.started" in log.read_text())
        log.rename(self.place / "floodgate.log.1")
        server.process.send_signal(signal.SIGHUP)
        self.wait_until(lambda: log.exists() and "<6>engine.reloaded" in log.read_text())
        self.assertEqual(server.stop(), 0)


if __name__ == "__main__":
    unittest.main()
