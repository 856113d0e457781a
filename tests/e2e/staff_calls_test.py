#!/usr/bin/python3
"""What staff do: other staff, second factors, buyers' accounts and orders, switches, figures."""
import base64
import hashlib
import hmac
import struct
import time
import unittest

from harness import API
from recording import FAST, PASSWORD, PAY_TEST, SharedServer, phones


def one_time_code(secret, at=None):
    """RFC 6238, SHA-1, 30 seconds, six digits."""
    key = base64.b32decode(secret + "=" * (-len(secret) % 8))
    digest = hmac.new(key, struct.pack(">Q", int(at or time.time()) // 30), hashlib.sha1).digest()
    start = digest[-1] & 15
    return f"{(struct.unpack('>I', digest[start:start + 4])[0] & 0x7fffffff) % 10**6:06}"


class StaffCallsTest(SharedServer):
    config = PAY_TEST + FAST

    def log_in(self, phone, password, **more):
        return self.client.post(f"{API}/auth/login", {"phone": phone, "password": password, **more})

    def member(self, role):
        """(id, phone, token) of a new member of staff with a password of their own."""
        phone = next(phones)
        made = self.manage("POST", "/staff", {"phone": phone, "nickname": "Mei", "role": role}, 201)
        first = self.log_in(phone, made["one_time_password"])
        self.assertEqual(first.status, 200, first.text)
        token = first.json["token"]
        self.assertTrue(first.json["user"]["must_change_password"])
        self.assert_problem(self.client.get(f"{API}/admin/alerts", token), 403, "must_change_password")
        changed = self.client.post(f"{API}/me/password", {
            "old_password": made["one_time_password"], "new_password": PASSWORD}, token)
        self.assertEqual(changed.status, 204, changed.text)
        return made["id"], phone, self.log_in(phone, PASSWORD).json["token"]

    def order_of(self, token, sale):
        no = self.client.buy(sale, token).json["order_no"]
        self.wait_for_order(no, token)
        return no

    def test_each_role_may_do_what_it_is_for(self):
        sale = self.add_sale()
        for role, look, sell, assist in (("operator", 200, 200, 403), ("viewer", 200, 403, 403),
                                         ("support", 200, 403, 200)):
            member, _, token = self.member(role)
            asked = [self.client.get(f"{API}/admin/sales/{sale}", token).status,
                     self.client.post(f"{API}/admin/sales/{sale}/warm-up", None, token).status,
                     self.client.get(f"{API}/admin/orders?limit=1", token).status]
            self.assertEqual(asked, [look, sell, assist], role)
            self.assertEqual(self.client.get(f"{API}/admin/staff", token).status, 403)
            self.assertIn(member, [m["id"] for m in self.manage("GET", "/staff")["staff"]])

    def test_a_change_of_role_ends_the_log_in(self):
        member, phone, token = self.member("viewer")
        self.manage("POST", f"/staff/{member}/role", {"role": "support"})
        deadline = time.monotonic() + 10
        while self.client.get(f"{API}/me", token).status == 200:
            self.assertLess(time.monotonic(), deadline, "the old log-in is still good")
        self.assertEqual(self.log_in(phone, PASSWORD).json["user"]["role"], "support")
        new = self.manage("POST", f"/staff/{member}/password", None)["one_time_password"]
        self.assertEqual(self.log_in(phone, PASSWORD).status, 401)
        self.assertEqual(self.log_in(phone, new).status, 200)

    def test_a_second_factor_is_asked_for_from_then_on(self):
        member, phone, token = self.member("viewer")
        begun = self.client.post(f"{API}/me/second-factor/begin", None, token)
        self.assertEqual(begun.status, 200, begun.text)
        secret = begun.json["secret"]
        wrong = "000000" if one_time_code(secret) != "000000" else "111111"
        self.assertEqual(self.client.post(f"{API}/me/second-factor/confirm", {"code": wrong}, token).status // 100, 4)
        confirmed = self.client.post(f"{API}/me/second-factor/confirm", {"code": one_time_code(secret)}, token)
        self.assertEqual(confirmed.status, 200, confirmed.text)
        recovery = confirmed.json["recovery_codes"]
        self.assertEqual(len(set(recovery)), 10)
        self.assertEqual(self.log_in(phone, PASSWORD).code, "second_factor_required")
        entered = self.log_in(phone, PASSWORD, code=recovery[0])
        self.assertEqual(entered.status, 200, entered.text)
        self.assertEqual(self.log_in(phone, PASSWORD, code=recovery[0]).status, 401, "used once")
        removed = self.client.post(f"{API}/me/second-factor/remove", {"code": recovery[1]}, entered.json["token"])
        self.assertEqual(removed.status, 204, removed.text)
        self.assertEqual(self.log_in(phone, PASSWORD).status, 200)
        gone = self.client.post(f"{API}/admin/staff/{member}/second-factor/remove", None, self.admin)
        self.assertIn(gone.status, (204, 404, 409), gone.text)

    def test_an_admin_takes_a_lost_second_factor_away(self):
        member, phone, token = self.member("viewer")
        secret = self.client.post(f"{API}/me/second-factor/begin", None, token).json["secret"]
        self.client.post(f"{API}/me/second-factor/confirm", {"code": one_time_code(secret)}, token)
        self.assertEqual(self.log_in(phone, PASSWORD).code, "second_factor_required")
        gone = self.client.post(f"{API}/admin/staff/{member}/second-factor/remove", None, self.admin)
        self.assertEqual(gone.status, 204, gone.text)
        self.assertEqual(self.log_in(phone, PASSWORD).status, 200)

    def test_a_buyer_is_found_and_gets_a_code_for_a_new_password(self):
        here = self.register()
        me = self.client.get(f"{API}/me", here).json
        found, = self.manage("GET", f"/users?phone={me['phone']}")["users"]
        self.assertEqual(self.manage("GET", f"/users/{found['id']}")["nickname"], "Li")
        code = self.manage("POST", f"/users/{found['id']}/password-reset", None, 201)["code"]
        reset = {"phone": me["phone"], "code": code, "password": "another horse entirely"}
        self.assertEqual(self.client.post(f"{API}/auth/reset", {**reset, "code": "not-it"}).status // 100, 4)
        self.assertEqual(self.client.post(f"{API}/auth/reset", reset).status, 204)
        self.assertEqual(self.log_in(me["phone"], PASSWORD).status, 401)
        one, two = (self.log_in(me["phone"], reset["password"]).json["token"] for _ in range(2))
        logins = self.client.get(f"{API}/me/logins", one).json["logins"]
        other = next(l for l in logins if not l["current"])
        self.assertEqual(self.client.post(f"{API}/me/logins/{other['id']}/end", None, one).status, 204)
        self.assertEqual(self.client.post(f"{API}/me/logins/end-others", None, one).status, 200)
        self.assertEqual(self.client.get(f"{API}/me", one).status, 200)
        self.assertEqual(self.client.get(f"{API}/me", two).status, 401)

    def test_staff_see_an_order_through_and_its_story_has_it(self):
        sale, buyer = self.add_sale(limit=2), self.register()
        cancelled, paid = self.order_of(buyer, sale), self.order_of(buyer, sale)
        self.manage("POST", f"/orders/{cancelled}/cancel", {"reason": "the buyer called"})
        self.manage("POST", f"/orders/{paid}/mark-paid", {"reason": "bank transfer", "reference": "TX 17"})
        self.assertEqual(self.client.order(paid, buyer).json["status"], "paid")
        self.manage("POST", f"/orders/{paid}/refund", {"reason": "arrived broken"}, 202)
        number = self.manage("GET", f"/orders/{paid}")["refunds"][0]["refund_no"]
        self.manage("POST", f"/orders/{paid}/refunds/settle", {"refund_no": number, "reason": "cash"})
        self.assertEqual(self.client.order(paid, buyer).json["status"], "refunded")
        story = self.manage("GET", f"/orders/{paid}/history")["lines"]
        self.assertEqual(story[0]["kind"], "promised")
        self.assertEqual([line["kind"] for line in story].count("act"), 3)
        self.assertEqual(self.manage("GET", f"/orders/{paid}/attempts")["attempts"], [])
        found = self.manage("GET", f"/orders?sale_id={sale}&status=closed")["orders"]
        self.assertEqual([o["order"]["order_no"] if "order" in o else o["order_no"] for o in found], [cancelled])

    def test_a_machine_reads_every_event_of_an_order(self):
        key = self.manage("POST", "/api-keys", {"name": "warehouse", "scopes": ["orders"]}, 201)["key"]
        sale, buyer = self.add_sale(), self.register()
        no = self.order_of(buyer, sale)
        self.client.post(f"{API}/orders/{no}/cancel", None, buyer)
        moves, after, deadline = [], 0, time.monotonic() + 30
        while len(moves) < 2:
            self.assertLess(time.monotonic(), deadline, moves)
            page = self.client.get(f"{API}/service/events?after={after}", key)
            self.assertEqual(page.status, 200, page.text)
            moves += [(e["from"], e["to"]) for e in page.json["events"] if e["order_no"] == no]
            after = page.json["next_after"]
        self.assertEqual(moves, [("queued", "unpaid"), ("unpaid", "closed")])

    def test_switches_figures_and_what_the_shop_shows(self):
        self.assertTrue(self.manage("GET", "/switches")["sales"])
        sale, buyer = self.add_sale(), self.register()
        self.manage("PUT", "/switches", {"sales": False, "reason": "fire drill"})
        self.assertEqual(self.client.buy(sale, buyer).code, "paused")
        self.manage("PUT", "/switches", {"sales": True, "reason": "over"})
        self.assertEqual(self.client.buy(sale, buyer).status, 202)
        self.assertIn("history", self.manage("GET", "/live?seconds=60"))
        self.manage("GET", "/health")
        self.assertNotIn(self.admin_password, str(self.manage("GET", "/config")))
        for path in ("/rounds/ended", "/shop"):
            self.assertEqual(self.client.get(API + path).status, 200, path)


if __name__ == "__main__":
    unittest.main()
