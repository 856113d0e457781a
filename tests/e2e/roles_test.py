"""Every call x every role, over HTTP, as openapi.json describes them: a new call cannot be forgotten.
And the accounts of staff, in the API and on the command line."""
import time
import unittest

from harness import API, PATIENCE_S, floodgate
from recording import SharedServer

MAY = {"admin": {"see", "sell", "assist", "money", "manage", "catalogue_key", "orders_key", "logins_key",
                 "payment_key"},
       "operator": {"see", "sell"}, "viewer": {"see"}, "support": {"see", "assist"}, "buyer": set()}
FOR_ALL = {"open", "self", "buyer", "ticket"}
NOBODY = "9" * 18  # an id that nothing has


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

    def test_the_command_line_ends_log_ins_beside_a_running_server(self):
        account = {"phone": "10009", "nickname": "Li", "role": "viewer", "password": "battery staple"}
        self.assertEqual(self.client.ask("POST", f"{API}/admin/staff", self.admin, account).status, 201)
        token = self.log_in("10009").json["token"]
        self.assertEqual(self.client.get(f"{API}/admin/sales", token).status, 200)
        done = floodgate("admin", "disable", "--data", str(self.place / "data"), "--phone", "10009")
        self.assertEqual(done.returncode, 0, done.stderr)
        give_up = time.monotonic() + PATIENCE_S
        while self.client.get(f"{API}/admin/sales", token).status != 401:
            self.assertLess(time.monotonic(), give_up, "the log-in goes on")
            time.sleep(0.05)
        self.assertEqual(self.log_in("10009").status, 401)
        done = floodgate("admin", "enable", "--data", str(self.place / "data"), "--phone", "10009")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.log_in("10009").status, 200)
        last = floodgate("admin", "disable", "--data", str(self.place / "data"), "--phone", "10000")
        self.assertEqual(last.returncode, 1)
        self.assertIn("last active admin", last.stderr)
        listed = floodgate("admin", "list", "--data", str(self.place / "data"))
        self.assertIn("viewer", listed.stdout)


if __name__ == "__main__":
    unittest.main()
