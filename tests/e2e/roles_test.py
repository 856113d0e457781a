"""Every call x every role, over HTTP, as openapi.json describes them: a new call cannot be forgotten.
And the accounts of staff, in the API and on the command line."""
import base64
import hashlib
import hmac
import struct
import time
import unittest

from harness import API, PATIENCE_S, floodgate, place_of
from recording import SharedServer

MAY = {"admin": {"see", "sell", "assist", "money", "manage"},
       "operator": {"see", "sell"}, "viewer": {"see"}, "support": {"see", "assist"}, "buyer": set()}
FOR_ALL = {"open", "self", "buyer", "ticket"}
NOBODY = "9" * 18  # an id that nothing has


def code_of(secret):
    """The present code of RFC 6238, computed independently of the server."""
    key = base64.b32decode(secret + "=" * (-len(secret) % 8))
    mac = hmac.new(key, struct.pack(">Q", int(time.time()) // 30), hashlib.sha1).digest()
    at = mac[-1] & 15
    return "%06d" % ((struct.unpack(">I", mac[at:at + 4])[0] & 0x7fffffff) % 1_000_000)


class Roles(SharedServer):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.tokens = {"admin": cls.admin}
        for number, role in enumerate(("operator", "viewer", "support")):
            account = {"phone": f"1000{number + 1}", "nickname": role, "role": role,
                       "password": "battery staple"}
            made = cls.client.ask("POST", f"{API}/admin/staff", cls.admin, account)
            assert made.status == 201, made.text
            cls.tokens[role] = cls.log_in(account["phone"]).json["token"]
        bought = cls.client.post(f"{API}/auth/register", {
            "phone": "13900000001", "password": "battery staple", "nickname": "Ming"})
        cls.tokens["buyer"] = bought.json["token"]

    @classmethod
    def log_in(cls, phone, password="battery staple"):
        return cls.client.post(f"{API}/auth/login", {"phone": phone, "password": password})

    def calls(self):
        """(verb, path, what it needs), except those that would end a log-in of this test."""
        paths = self.client.get(f"{API}/openapi.json").json["paths"]
        for path, verbs in paths.items():
            for verb, operation in verbs.items():
                if path.endswith(("/auth/logout", "/ws")):
                    continue
                filled = path.replace("{id}", NOBODY).replace("{no}", NOBODY)
                yield verb.upper(), filled, operation["x-floodgate-needs"]

    def ask(self, verb, path, token):
        with self.connect() as client:
            return client.ask(verb, path, token, {} if verb != "GET" else None)

    def test_every_call_for_staff_is_for_its_roles_only(self):
        seen = 0
        for verb, path, needs in self.calls():
            if needs in FOR_ALL:
                continue
            seen += 1
            for role, token in self.tokens.items():
                with self.subTest(call=f"{verb} {path}", role=role):
                    answer = self.ask(verb, path, token)
                    if needs.endswith("_key"):  # for machines with an API key, whatever the role
                        self.assertEqual(answer.status, 401, answer.text)
                        continue
                    refused = answer.status == 403 and answer.code == "forbidden"
                    self.assertEqual(refused, needs not in MAY[role], answer.text)
        self.assertGreater(seen, 40)

    def test_every_call_that_needs_a_log_in_refuses_strangers(self):
        for verb, path, needs in self.calls():
            if needs in ("open", "ticket"):
                continue
            for token in (None, "x" * 32):
                with self.subTest(call=f"{verb} {path}", token=token):
                    self.assertEqual(self.ask(verb, path, token).status, 401)

    def test_a_member_of_staff_is_added_sets_up_a_second_factor_and_changes_roles(self):
        def act(path, token, body=None, status=200):
            answer = self.client.ask("POST", f"{API}{path}", token, body)
            self.assertEqual(answer.status, status, answer.text)
            return answer.json if status != 204 else None

        made = act("/admin/staff", self.admin, {"phone": "10008", "nickname": "Wu", "role": "viewer"}, 201)
        act("/admin/staff/%d/password" % made["id"], self.admin)
        first = act("/admin/staff/%d/password" % made["id"], self.admin)["one_time_password"]
        token = self.log_in("10008", first).json["token"]
        self.assertEqual(self.client.get(f"{API}/admin/sales", token).code, "must_change_password")
        act("/me/password", token, {"old_password": first, "new_password": "battery staple"}, 204)
        self.assertEqual(self.client.get(f"{API}/admin/sales", token).status, 200)

        secret = act("/me/second-factor/begin", token)["secret"]
        codes = act("/me/second-factor/confirm", token, {"code": code_of(secret)})["recovery_codes"]
        self.assertEqual(self.log_in("10008").code, "second_factor_required")
        with_code = {"phone": "10008", "password": "battery staple", "code": codes[0]}
        self.assertEqual(self.client.post(f"{API}/auth/login", with_code).status, 200)
        self.assertEqual(self.client.post(f"{API}/auth/login", with_code).status, 401, "used")
        act("/me/second-factor/remove", token, {"code": codes[1]}, 204)
        secret = act("/me/second-factor/begin", token)["secret"]
        act("/me/second-factor/confirm", token, {"code": code_of(secret)})
        act("/admin/staff/%d/second-factor/remove" % made["id"], self.admin, status=204)

        act("/admin/staff/%d/role" % made["id"], self.admin, {"role": "support"})
        self.assertEqual(self.client.get(f"{API}/admin/sales", token).status, 401)
        listed = self.client.get(f"{API}/admin/staff", self.admin).json["staff"]
        self.assertIn(("10008", "support"), [(m["phone"], m["role"]) for m in listed])

    def test_the_command_line_ends_log_ins_beside_a_running_server(self):
        account = {"phone": "10009", "nickname": "Li", "role": "viewer", "password": "battery staple"}
        self.assertEqual(self.client.ask("POST", f"{API}/admin/staff", self.admin, account).status, 201)
        token = self.log_in("10009").json["token"]
        self.assertEqual(self.client.get(f"{API}/admin/sales", token).status, 200)
        done = floodgate("admin", "disable", *place_of(self.place / "data"), "--phone", "10009")
        self.assertEqual(done.returncode, 0, done.stderr)
        give_up = time.monotonic() + PATIENCE_S
        while self.client.get(f"{API}/admin/sales", token).status != 401:
            self.assertLess(time.monotonic(), give_up, "the log-in goes on")
            time.sleep(0.05)
        self.assertEqual(self.log_in("10009").status, 403)
        done = floodgate("admin", "enable", *place_of(self.place / "data"), "--phone", "10009")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.log_in("10009").status, 200)
        last = floodgate("admin", "disable", *place_of(self.place / "data"), "--phone", "10000")
        self.assertEqual(last.returncode, 1)
        self.assertIn("last active admin", last.stderr)
        listed = floodgate("admin", "list", *place_of(self.place / "data"))
        self.assertIn("viewer", listed.stdout)


if __name__ == "__main__":
    unittest.main()
