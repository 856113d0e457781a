"""The command line: what it says, with which exit code, and what the first start does."""
import datetime
import re
import socket
import subprocess
import tempfile
import time
import unittest

from harness import API, BINARY, Client, FloodgateTest, check, embedded_only, floodgate
from recording import FAST, moment_of

SIGNED = 'webhook_secret = "hush"\n'
# What keeps an engine from looking after itself, and what it says to that.
WRONG_CARE = (
    ("[clerk]\nretry_steps = []", "clerk.retry_steps: 1 to 50 steps are allowed, not 0"),
    (f'[clerk]\nretry_steps = {["1s"] * 51}', "1 to 50 steps are allowed, not 51"),
    ('[clerk]\nretry_steps = ["0s"]', 'clerk.retry_steps: "0s" is no time at all'),
    ('[clerk]\nretry_steps = ["10s", "5s"]', '"5s" is shorter than the step before it'),
    ('[clerk]\nretry_steps = ["25h"]', '"25h" is longer than 24h'),
    *((f'[clerk]\nretry_steps = ["{word}"]', f'"{word}" is not a time such as')
      for word in ("abc", "", "10", "-1s", "1.5s", "10s ", "99999999999s")),
    ("[clerk]\nretry_steps = [10]", "clerk.retry_steps must be a list of strings"),
    ('[clerk]\nretry_steps = "10s"', "clerk.retry_steps must be a list of strings"),
    ("[clerk]\ndeadline_poll_ms = 0", "clerk.deadline_poll_ms must be from 10 to"),
    ("[clerk]\nreconcile_every_ms = 0", "clerk.reconcile_every_ms must be from 50 to"),
    ("[rounds]\nlead_s = -1", "rounds.lead_s must be from 0 to"),
    ("[pay]\nask_again_first_ms = 2000\nask_again_last_ms = 1000",
     "pay.ask_again_last_ms is shorter than ask_again_first_ms"),
    ('[pay]\nallow_test = "yes"', "pay.allow_test must be true or false"),
    ("[alarm]\ndisk_min_mib = -1", "alarm.disk_min_mib must be from 0 to"),
    ("[alarm]\ndisk_min_percent = 100", "alarm.disk_min_percent must be from 0 to 99"),
    ("[alarm]\nbacklog = 0", "alarm.backlog must be from 1 to"),
    ('[alarm]\nwebhook_url = "https://example.com/"', "alarm.webhook_url needs a webhook_secret"),
    (f'[alarm]\n{SIGNED}webhook_secret_file = "hush.txt"', "webhook_secret_file, not both"),
    ('[alarm]\nwebhook_secret_file = "missing.txt"', "cannot read a secret from missing.txt"),
    ('[ws]\nallowed_origins = "https://shop.example"',
     "ws.allowed_origins must be a list of strings"),
    ("[ws]\nallowed_origins = [1]", "ws.allowed_origins must be a list of strings"),
    ("[ws]\nheartbeat_ms = 0", "ws.heartbeat_ms must be from 100 to"),
)


class CommandLineTest(FloodgateTest):

    def expect(self, code, *words, says=""):
        """Runs it; the exit code is `code`, and what it says on the right stream."""
        done = floodgate(*words, timeout_s=60, cwd=self.place)
        self.assertEqual(done.returncode, code, (words, done.stdout, done.stderr))
        self.assertIn(says, done.stderr if code else done.stdout, words)
        if code:
            self.assertLessEqual(len(done.stderr.strip().splitlines()), 8, "it goes on and on")
        return done

    def configured(self, text):
        file = self.place / "some.toml"
        file.write_text(text)
        return "--config", file

    def test_help_and_version(self):
        for command, option in (("serve", "--listen"), ("fixture", "--tokens"),
                                ("check", "--data"), ("sandbox", "--listen"),
                                ("bills", "--file")):
            self.expect(0, "--help", says=command)
            self.expect(0, command, "--help", says=option)
            self.expect(0, command, "-h", says=option)
        self.assertRegex(self.expect(0, "--version").stdout, r"^floodgate \d+\.\d+\.\d+\n$")

    def test_wrong_use_is_told_from_failure(self):
        self.expect(2, says="subcommand")
        self.expect(2, "nonsense", says='there is no command "nonsense"; the commands are serve,')
        self.expect(2, "serve", "--nonsense", says="--nonsense")
        self.expect(2, "serve", "extra", says="extra")
        self.expect(2, "serve", "--data", says="--data")
        self.expect(2, "check", says="--data")
        fixture = ["fixture", "--data", "f", "--users", "1", "--sales", "1", "--stock", "1"]
        self.expect(2, *fixture, says="--tokens")
        for option, value in (("--users", "-1"), ("--users", "many"), ("--sales", "0"),
                              ("--stock", "-1"), ("--stock", "1.5"), ("--stock", "1" + "0" * 30),
                              ("--limit", "0")):
            self.expect(2, *fixture, "--tokens", "t", option, value, says=option)
        self.assertFalse((self.place / "f").exists())

    def test_a_webhook_that_cannot_be_used_is_named_and_nothing_is_touched(self):
        for url in ("ftp://example.com/", "example.com/alerts", "file:///etc/passwd",
                    "https://me:hush@example.com/"):
            self.expect_refusal(f'[alarm]\n{SIGNED}webhook_url = "{url}"', "alarm.webhook_url")

    def expect_refusal(self, text, says):
        """Of a configuration: one line, and no data directory."""
        with self.subTest(text):
            done = self.expect(1, "serve", *self.configured(text), "--data", "d", says=says)
            self.assertIn("some.toml", done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertNotIn("hush", done.stderr, "a secret")
            self.assertFalse((self.place / "d").exists())

    def test_a_bad_configuration_is_named_and_nothing_is_touched(self):
        for text, says in (
                ("[edge]\nlissten = 1", "unknown option edge.lissten"),
                ("nodes = 1", "unknown option nodes"),
                ("node = -1", "node must be from 0 to"),
                ("node = 1024", "node must be from 0 to"),
                ('node = "one"', "node must be a whole number"),
                ("[edge]\nconnections_max = 0", "edge.connections_max must be from 1"),
                ("[edge]\nconnections_max = 1.5", "edge.connections_max must be a whole number"),
                ("[edge]\nlisten = 8080", "edge.listen must be a string"),
                ('[edge]\ntrusted_proxies = "all"', "edge.trusted_proxies must be a list"),
                ('[edge]\ntrusted_proxies = ["10.0.0.0/40"]', "10.0.0.0/40"),
                ('[log]\nlevel = "loud"', "loud"),
                ("[guard]\npassword_mib = 1", "guard.password_mib must be from 8"),
                ("[journal]\nsegment_mib = 99999999999999999999", "some.toml"),
                *WRONG_CARE,
                ("this is not toml", "some.toml"), ("[edge", "some.toml"),
                ("node = 1\nnode = 2", "some.toml")):
            self.expect_refusal(text, says)
        self.expect(1, "serve", "--config", "missing.toml", "--data", "d", says="missing.toml")
        self.assertFalse((self.place / "d").exists())

    @embedded_only("data directories")
    def test_places_that_cannot_be_used(self):
        (self.place / "file").write_text("I am a file")
        self.expect(1, "serve", "--data", "file/below", says="file/below")
        self.expect(1, "serve", "--data", "file", says="file")
        self.expect(1, "check", "--data", "missing", says="missing")
        self.expect(1, "check", "--data", "file", says="file")
        self.expect(1, "fixture", "--data", "file/below", "--users", "1", "--sales", "1",
                    "--stock", "1", "--tokens", "t", says="file/below")
        self.assertFalse((self.place / "missing").exists(), "checking creates nothing")

    @embedded_only("served without stores")
    def test_addresses_that_cannot_be_listened_on(self):
        fast = self.configured(FAST)
        for where, says in (("nonsense", "host:port"), ("127.0.0.1", "host:port"),
                            ("127.0.0.1:99999", "host:port"), ("127.0.0.1:", "host:port"),
                            ("127.0.0.1:80x", "host:port"), (":80", "host:port"),
                            ("256.0.0.1:80", "host:port"), ("203.0.113.1:80", "203.0.113.1:80")):
            done = self.expect(1, "serve", *fast, "--data", "d", "--listen", where, says=says)
            self.assertIn(where, done.stderr)
            self.assertNotIn("password", done.stdout, "an admin nobody saw")
        with socket.create_server(("127.0.0.1", 0)) as taken:
            where = "127.0.0.1:%d" % taken.getsockname()[1]
            self.expect(1, "serve", *fast, "--data", "d", "--listen", where, says="in use")

    @embedded_only("files")
    def test_a_fixture_wants_a_directory_of_its_own(self):
        shop = self.fixture(users=3, stock=5, sales=2)
        self.assertEqual((len(shop.tokens), len(shop.sales)), (3, 2))
        self.assertEqual((shop.data / "ledger.db").stat().st_mode & 0o077, 0)
        tokens = shop.data.with_name(shop.data.name + ".tokens")
        self.assertEqual(tokens.stat().st_mode & 0o077, 0, "tokens are secrets")
        self.expect(1, "fixture", "--data", shop.data, "--users", "1", "--sales", "1",
                    "--stock", "1", "--tokens", "t", says="not empty")
        self.expect(0, "check", "--data", shop.data, says="all is well\n")

    @embedded_only("nodes share what they have")
    def test_a_directory_in_use_is_neither_checked_nor_served(self):
        shop = self.fixture(users=1, stock=1)
        server = self.serve(shop.data, config=FAST)
        self.expect(1, "check", "--data", shop.data, says="in use")
        self.expect(1, "serve", "--data", shop.data, "--listen", "127.0.0.1:0", says="in use")
        with server.client() as client:
            self.assertEqual(client.buy(shop.sales[0], shop.tokens[0]).status, 202)
        self.assertEqual(server.stop(), 0)
        self.assert_clean(shop.data)


@embedded_only("started by hand, without a configuration; the cluster's own: cluster_test.py")
class FirstStartTest(FloodgateTest):

    def start(self, *options):
        """`floodgate serve` in the test's place: (what it said, a client). Ends with the test."""
        (self.place / "fast.toml").write_text(FAST + "[edge]\nstop_within_ms = 60000\n")
        with tempfile.TemporaryFile("w+") as said:
            process = subprocess.Popen(
                [BINARY, "serve", "--config", "fast.toml", "--listen", "127.0.0.1:0", *options],
                cwd=self.place, stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.DEVNULL)
            self.addCleanup(process.wait)
            self.addCleanup(process.kill)
            deadline, found = time.monotonic() + 120, None
            while not found and time.monotonic() < deadline and process.poll() is None:
                time.sleep(0.01)
                said.seek(0)
                text = said.read()
                found = re.search(r"http://([\d.]+):(\d+)/readyz", text)
        self.assertTrue(found, text)
        client = Client((found[1], int(found[2])))
        self.addCleanup(client.close)
        self.process = process
        return text, client

    def stop(self):
        self.process.terminate()
        self.assertEqual(self.process.wait(30), 0)

    def log_in(self, client, phone, password):
        answer = client.post(f"{API}/auth/login", {"phone": phone, "password": password})
        self.assertEqual(answer.status, 200, answer.text)
        return answer.json

    def test_the_demo_has_two_rounds_and_log_ins_that_work(self):
        said, client = self.start("--demo")
        accounts = re.findall(r"(buyer|admin)\b.*?phone (\S+)  password (\S+)", said)
        self.assertEqual([role for role, *_ in accounts], ["buyer", "admin"])
        tokens = {}
        for role, phone, password in accounts:
            welcome = self.log_in(client, phone, password)
            self.assertEqual(welcome["user"]["role"], role)
            tokens[role] = welcome["token"]

        rounds = client.get(f"{API}/rounds").json["rounds"]
        self.assertEqual(len(rounds), 2)
        now = moment_of(client.get(f"{API}/time").json["now"])
        opened, coming = rounds
        self.assertLess(moment_of(opened["starts_at"]), now)
        self.assertGreater(moment_of(opened["ends_at"]), now + datetime.timedelta(hours=1))
        wait = (moment_of(coming["starts_at"]) - now).total_seconds()
        self.assertTrue(90 < wait <= 120, wait)
        self.assertTrue(opened["sales"] and coming["sales"])
        self.assertEqual(client.buy(opened["sales"][0]["id"], tokens["buyer"]).status, 202)
        answer = client.buy(coming["sales"][0]["id"], tokens["buyer"])
        self.assertEqual(answer.code, "not_started")
        self.assertEqual(client.get(f"{API}/admin/audit", tokens["admin"]).status, 200)

        self.stop()
        again, client = self.start("--demo")
        self.assertIn(accounts[0][2], again, "the log-ins are shown again")
        self.assertNotIn("first admin", again)
        same = client.get(f"{API}/rounds").json["rounds"]
        self.assertEqual([(r["id"], r["starts_at"], len(r["sales"])) for r in same],
                         [(r["id"], r["starts_at"], len(r["sales"])) for r in rounds])
        self.assertEqual(same[0]["sales"][0]["free"], opened["sales"][0]["free"] - 1)
        self.stop()
        self.assertEqual(check(self.place / "data"), [])

    def test_the_first_start_keeps_an_admin_password_in_a_private_file(self):
        said, client = self.start("--data", "d")
        file = self.place / "d" / "admin-password"
        self.assertRegex(said, r"phone 10000  password in \S*admin-password")
        self.assertEqual(file.stat().st_mode & 0o777, 0o600)
        first = file.read_text().strip()
        self.assertNotIn(first, said)
        welcome = self.log_in(client, "10000", first)
        self.assertEqual(welcome["user"]["role"], "admin")
        self.assertTrue(welcome["user"]["must_change_password"])
        refused = client.get(f"{API}/admin/staff", welcome["token"])
        self.assertEqual((refused.status, refused.code), (403, "must_change_password"))
        self.assertEqual(client.get(f"{API}/me", welcome["token"]).status, 200)
        changed = client.ask("POST", f"{API}/me/password", welcome["token"],
                             {"old_password": first, "new_password": "battery staple"})
        self.assertEqual(changed.status, 204, changed.text)
        self.assertEqual(client.get(f"{API}/admin/staff", welcome["token"]).status, 200)
        self.assertEqual(client.get(f"{API}/rounds").json, {"rounds": []})
        self.assertEqual((self.place / "d").stat().st_mode & 0o077, 0, "for its owner only")
        self.stop()
        again, client = self.start("--data", "d")
        self.assertNotIn("password", again)
        self.assertEqual(self.log_in(client, "10000", "battery staple")["user"]["role"], "admin")

    def test_a_demo_takes_no_real_data_and_stays_on_this_machine(self):
        shop = self.fixture(users=1, stock=1)
        done = floodgate("serve", "--data", shop.data, "--listen", "127.0.0.1:0", "--demo")
        self.assertEqual(done.returncode, 1)
        self.assertIn("was not made by --demo", done.stderr)
        self.assertFalse((shop.data / "demo").exists())
        done = floodgate("serve", "--data", self.place / "far", "--listen", "0.0.0.0:0", "--demo")
        self.assertEqual(done.returncode, 1)
        self.assertIn("listens only on this machine", done.stderr)
        self.assertFalse((self.place / "far").exists())

    def test_it_stops_while_guests_are_connected(self):
        for signal in (15, 2):
            _, client = self.start("--data", f"d{signal}")
            self.assertEqual(client.get("/healthz").status, 200)
            begin = time.monotonic()
            self.process.send_signal(signal)
            self.assertEqual(self.process.wait(120), 0)
            self.assertLess(time.monotonic() - begin, 30)
            with self.assertRaises(ConnectionError):
                client.get("/healthz")


if __name__ == "__main__":
    unittest.main()
