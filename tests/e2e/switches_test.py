"""Switches for bad nights: everything stops at once, says so, survives a restart, and goes on."""
import time
import unittest

import books
from cluster import ClusterTest
from harness import API
from managed import ManagedShop


class TheSwitches(ManagedShop):

    def turn(self, **positions):
        return self.manage("PUT", "/switches", {**positions, "reason": "a bad night"})

    def warnings(self):
        with self.client() as client:
            return client.get("/readyz").json["warnings"]

    def test_paused_sales_stay_paused_through_a_restart_and_resume_as_they_were(self):
        self.open_shop(users=5, stock=5)
        self.assertEqual(self.buy(1).status, 202)
        self.turn(sales=False)
        refused = self.buy(2)
        self.assertEqual((refused.status, refused.json["code"]), (423, "paused"))
        self.assertEqual(self.server_.metric('floodgate_switch_on{switch="sales"}'), 0)
        self.wait_until(lambda: any("switched off: sales (a bad night)" in w for w in self.warnings()))
        self.assertEqual(self.manage("GET", f"/sales/{self.sale}")["state"], "published")

        self.settle(self.server_)
        self.assertEqual(self.server_.stop(), 0)
        self.server_.start()
        self.assertEqual(self.buy(2).status, 423, "a restart forgets nothing")
        self.turn(sales=True)
        self.wait_until(lambda: self.buy(2).status == 202)
        self.wait_until(lambda: not any("switched off" in w for w in self.warnings()))
        lines = self.manage("GET", "/audit")["lines"]
        self.assertEqual([line["action"] for line in lines].count("switches.changed"), 2)

    def test_log_ins_and_registration_stop_for_buyers_only(self):
        self.open_shop(users=1, stock=1)
        who = {"phone": "13811112222", "password": "correct horse 7", "nickname": "Li"}
        with self.client() as client:
            self.turn(registration=False)
            self.assertEqual(client.post(f"{API}/auth/register", who).json["code"], "switched_off")
            self.turn(registration=True, logins=False)
            self.assertEqual(client.post(f"{API}/auth/register", who).status, 201)
            known = {name: who[name] for name in ("phone", "password")}
            self.assertEqual(client.post(f"{API}/auth/login", known).status, 423)
            self.turn(logins=True)
            self.assertEqual(client.post(f"{API}/auth/login", known).status, 200)
        self.assertEqual(self.buy(1).status, 202, "log-ins that exist stay valid")


@books.clustered_only()
class OnEveryNode(ClusterTest):

    def test_a_switch_turned_on_one_node_reaches_the_other_within_two_seconds(self):
        self.open_shop(users=40, stock=40, nodes=2)
        books.change(self.shop.data, "UPDATE switches SET sales = 0, reason = 'by hand' WHERE id = 1")
        turned = time.monotonic()
        clients = [self.client(node) for node in self.nodes]
        for buyer, client in enumerate(clients):
            tries = iter(range(buyer * 20, buyer * 20 + 20))
            self.wait_until(lambda c=client, t=tries: c.buy(
                self.sale, self.shop.tokens[next(t)]).status == 423 or time.sleep(0.2), 4)
        self.assertLess(time.monotonic() - turned, 4)
        self.stop_all()


if __name__ == "__main__":
    unittest.main()
