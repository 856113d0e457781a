"""API keys, a shop's own users, and what staff and users do to accounts."""
import time
import unittest

from harness import API
from recording import PASSWORD, SharedServer


class AccountsTest(SharedServer):

    def make_key(self, *scopes):
        return self.manage("POST", "/api-keys", {"name": "till", "scopes": list(scopes)}, 201)

    def exchange(self, key, external_id, nickname="Ming"):
        return self.client.post(f"{API}/service/logins",
                                {"external_id": external_id, "nickname": nickname}, key)

    def test_a_shop_exchanges_its_own_users_for_log_ins_until_the_key_is_revoked(self):
        made = self.make_key("logins")
        answer = self.exchange(made["key"], "shop-1")
        self.assertEqual(answer.status, 200, answer.text)
        me = self.client.get(f"{API}/me", answer.json["token"]).json
        self.assertEqual(me["external_id"], "shop-1")
        self.assertNotIn("phone", me)
        self.assertNotIn(made["key"], self.client.get(f"{API}/admin/api-keys", self.admin).text)
        self.manage("POST", f"/api-keys/{made['id']}/revoke", {})
        until = time.monotonic() + 10  # "a second", on a machine that is busy with other things
        while self.exchange(made["key"], "shop-1").status != 401:
            self.assertLess(time.monotonic(), until, "the revoked key is still taken")

    def test_the_calls_of_machines_need_a_key_of_the_scope(self):
        self.assertEqual(self.exchange(self.admin, "shop-2").status, 401)
        self.assertEqual(self.exchange(self.make_key("orders")["key"], "shop-2").status, 403)
        key = self.make_key("logins")["key"]
        self.assertEqual(self.client.get(f"{API}/me", key).status, 401)

    def test_a_disabled_user_is_out_until_enabled(self):
        key = self.make_key("logins")["key"]
        user = self.exchange(key, "shop-3").json
        path = f"/users/{user['user']['id']}"
        self.assertEqual(self.manage("GET", "/users?external_id=shop-3")["users"][0]["id"],
                         user["user"]["id"])
        self.manage("POST", f"{path}/disable", {"reason": "resells"})
        self.assertIn(self.client.get(f"{API}/me", user["token"]).status, (401, 403))
        self.assertEqual(self.exchange(key, "shop-3").code, "account_disabled")
        self.manage("POST", f"{path}/enable", {"reason": "a mistake"})
        self.assertEqual(self.exchange(key, "shop-3").status, 200)

    def test_a_forgotten_user_comes_back_as_somebody_else(self):
        key = self.make_key("logins")["key"]
        user = self.exchange(key, "shop-4").json["user"]["id"]
        left = self.manage("POST", f"/users/{user}/forget", {"reason": "asked for it"})
        self.assertNotIn("external_id", left)
        self.assertNotEqual(self.exchange(key, "shop-4").json["user"]["id"], user)

    def test_a_new_password_ends_the_other_log_ins(self):
        here = self.register()
        phone = self.client.get(f"{API}/me", here).json["phone"]
        credentials = {"phone": phone, "password": PASSWORD}
        there = self.client.post(f"{API}/auth/login", credentials)
        self.assertEqual(there.status, 200, there.text)
        answer = self.client.post(f"{API}/me/password", {
            "old_password": PASSWORD, "new_password": "battery staple"}, here)
        self.assertEqual(answer.status, 204, answer.text)
        self.assertEqual(self.client.get(f"{API}/me", there.json["token"]).status, 401)
        self.assertEqual(self.client.get(f"{API}/me", here).status, 200)
        self.assertEqual(len(self.client.get(f"{API}/me/logins", here).json["logins"]), 1)


if __name__ == "__main__":
    unittest.main()
