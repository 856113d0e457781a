"""What an attacker sends at log-ins and limits, and what becomes of it. Named after the findings."""
import re
import select
import socket
import threading
import time
import unittest

from harness import API, PATIENCE_S, Client, request_bytes
from raw import Raw
from recording import FAST, PASSWORD, SharedServer, phones

ATTACKER, KNOWN, UNKNOWN = "203.0.113.66", "198.51.100.7", "198.51.100.8"
LOGIN, REGISTER = f"{API}/auth/login", f"{API}/auth/register"


class LoggingIn(SharedServer):
    """Loopback is a trusted proxy, so X-Forwarded-For says where a client is."""

    def log_in(self, phone, password, address, client=None):
        return (client or self.client).post(LOGIN, {"phone": phone, "password": password},
                                            headers={"X-Forwarded-For": address})

    def guess(self, phone, address, client=None):
        return self.log_in(phone, "guess guess", address, client)

    def log_admin_in(self, address):
        return self.log_in(self.admin_phone, self.admin_password, address)

    def wait_for_metric(self, name, value):
        """The page may be a second old."""
        deadline = time.monotonic() + PATIENCE_S
        while self.server.metric(name) < value:
            self.assertLess(time.monotonic(), deadline, f"{name}: {self.server.metric(name)}")
            time.sleep(0.05)
        self.assertEqual(self.server.metric(name), value)

    def new_buyer(self):
        phone = next(phones)
        answer = self.client.post(REGISTER, {"phone": phone, "password": PASSWORD, "nickname": "Li"})
        self.assertEqual(answer.status, 201, answer.text)
        return phone


class LockOutTest(LoggingIn):
    # An attacker's fast connection must not be what stops him.
    config = FAST + "login_by_address_per_minute = 0\nregister_by_address_burst = 5\n" \
        "login_by_account_per_minute = 60\n"

    def test_h3_one_attacker_does_not_keep_the_admin_out(self):
        self.assertEqual(self.log_admin_in(KNOWN).status, 200)
        over = threading.Event()

        def attack():
            with Client(self.server.address) as client:
                while not over.is_set():
                    self.guess(self.admin_phone, ATTACKER, client)
        attacker = threading.Thread(target=attack)
        attacker.start()
        try:
            self.wait_until_limited(ATTACKER)
            for _ in range(10):
                self.assertEqual(self.log_admin_in(KNOWN).status, 200)
            self.assertEqual(self.log_admin_in(UNKNOWN).status, 200, "from a new address as well")
        finally:
            over.set()
            attacker.join()

    def wait_until_limited(self, address):
        deadline = time.monotonic() + PATIENCE_S
        while self.guess(self.admin_phone, address).status != 429:
            self.assertLess(time.monotonic(), deadline, "an attacker was never limited")

    def test_h3_many_addresses_do_not_keep_the_admin_out_for_long(self):
        phone = self.new_buyer()
        self.assertEqual(self.log_in(phone, PASSWORD, KNOWN).status, 200)
        crowd = self.attack_from_many(phone)
        self.assertEqual(self.log_in(phone, PASSWORD, KNOWN).status, 200, "a known device")
        tries, answer = 0, self.log_in(phone, PASSWORD, UNKNOWN)
        while answer.status == 429 and tries < 5:
            tries += 1
            time.sleep(answer.json["retry_after_ms"] / 1000)
            for address in crowd[:30]:  # it goes on meanwhile
                self.guess(phone, address)
            answer = self.log_in(phone, PASSWORD, UNKNOWN)
        self.assertEqual(answer.status, 200, f"after {tries} tries")

    def attack_from_many(self, phone):
        """The addresses. Afterwards strangers are told to wait."""
        crowd = [f"192.0.2.{n}" for n in range(1, 121)]
        answers = [self.guess(phone, address) for address in crowd for _ in range(3)]
        self.assertIn(429, {a.status for a in answers})
        return crowd

    def test_h3_the_answer_does_not_tell_when_to_come_back_to_the_millisecond(self):
        phone = self.new_buyer()
        waits = [a.json["retry_after_ms"] for a in
                 [self.guess(phone, ATTACKER) for _ in range(12)] if a.status == 429]
        self.assertTrue(waits)
        self.assertEqual({wait % 5000 for wait in waits}, {0}, waits)

    def test_h3_registrations_do_not_keep_anybody_from_logging_in(self):
        phone = self.new_buyer()
        body = {"phone": phone, "password": PASSWORD, "nickname": "not Li"}
        answers = [self.client.post(REGISTER, body, headers={"X-Forwarded-For": KNOWN})
                   for _ in range(10)]
        self.assertEqual({a.status for a in answers}, {409, 429})
        self.assertEqual(self.log_in(phone, PASSWORD, KNOWN).status, 200)

    def test_h3_a_known_device_is_known_after_a_restart(self):
        phone = self.new_buyer()
        self.assertEqual(self.log_in(phone, PASSWORD, KNOWN).status, 200)
        type(self).client.close()
        self.assertEqual(self.server.stop(), 0)
        self.server.start()
        type(self).client = self.connect()
        self.attack_from_many(phone)
        self.assertEqual(self.log_in(phone, PASSWORD, KNOWN).status, 200)


class RealAddressesTest(LoggingIn):
    """The same without a proxy: loopback lets a client be any address of 127.0.0.0/8."""
    config = "[edge]\ntrusted_proxies = []\n" + FAST + "login_by_device_per_minute = 1\n"
    log_in_admin = False

    def client_at(self, address):
        client = Client.__new__(Client)
        client.token, client.buffer = None, bytearray()
        client.socket = socket.create_connection(self.server.address, PATIENCE_S, (address, 0))
        self.addCleanup(client.close)
        return client

    def test_h3_an_attacker_at_another_address_keeps_nobody_out(self):
        attacker, owner, elsewhere = (self.client_at(f"127.0.0.{n}") for n in (2, 3, 4))
        right = {"phone": self.admin_phone, "password": self.admin_password}
        wrong = {"phone": self.admin_phone, "password": "guess guess"}
        self.assertEqual(owner.post(LOGIN, right).status, 200)
        guesses = [attacker.post(LOGIN, wrong).status for _ in range(15)]
        self.assertEqual(guesses[-1], 429)
        self.assertEqual(owner.post(LOGIN, right).status, 200)
        self.assertEqual(elsewhere.post(LOGIN, right).status, 200)
        self.assertEqual(attacker.post(LOGIN, right).status, 429, "right or wrong, from there")


class QueuesTest(LoggingIn):
    # Hashes that take their time, so that there is a queue on any machine.
    config = FAST.replace("password_mib = 8\npassword_passes = 1", "password_mib = 19\npassword_passes = 4")

    def test_m7_a_buyer_does_not_wait_behind_made_up_phone_numbers(self):
        phone = self.new_buyer()
        strangers = []
        self.addCleanup(lambda: [raw.socket.close() for raw in strangers])
        for n in range(250):
            strangers.append(Raw(self.server.address, request_bytes("POST", LOGIN, body={
                "phone": f"1370000{n:04}", "password": "guess guess"})))
        self.wait_for_queue(150)
        answer = self.client.post(LOGIN, {"phone": phone, "password": PASSWORD})
        before = len(select.select([raw.socket for raw in strangers], [], [], 0)[0])
        self.assertEqual(answer.status, 200, answer.text)
        self.assertLess(before, 125, "of 250 who were not known went before")

    def wait_for_queue(self, length):
        deadline = time.monotonic() + PATIENCE_S
        while self.server.metric("floodgate_pool_waiting") < length:
            self.assertLess(time.monotonic(), deadline, "there never was a queue")


class OneAccountTest(LoggingIn):
    config = FAST + "login_by_user_per_minute = 1\nlogin_by_user_burst = 5\n"

    def test_m7_one_account_does_not_fill_the_queue_from_many_addresses(self):
        phone, other = self.new_buyer(), self.new_buyer()
        answers = [self.log_in(phone, PASSWORD, f"192.0.2.{n}") for n in range(1, 71)]
        self.assertLessEqual(sum(a.status == 200 for a in answers), 7, "of 70")
        problem = self.assert_problem(answers[-1], 429, "too_many_requests")
        self.assertGreater(problem["retry_after_ms"], 0)
        self.assertEqual(self.log_in(other, PASSWORD, "192.0.2.1").status, 200, "nobody else waits")
        limited = 'floodgate_limited_total{limit="login_by_user"}'
        self.wait_for_metric(limited, sum(a.status == 429 for a in answers))

    def test_m7_only_the_right_password_uses_the_limit_up(self):
        phone = self.new_buyer()
        guesses = [self.guess(phone, f"203.0.113.{n}").status for n in range(1, 41)]
        self.assertEqual(set(guesses), {401})
        self.assertEqual([self.log_in(phone, PASSWORD, KNOWN).status for _ in range(5)], [200] * 5)


class UnreadableAddressesTest(LoggingIn):
    config = FAST + "login_by_address_per_minute = 1\nlogin_by_address_burst = 20\n"

    def judged(self, addresses):
        """How many guesses, each at another phone number, got as far as the password."""
        return sum(self.guess(next(phones), address).status == 401 for address in addresses)

    def test_m9_addresses_that_cannot_be_read_are_limited_together(self):
        unreadable = ["garbage", "9.9.9.8, unknown", "203.0.113.5:", "[2001:db8::1", ",", "_x:80"]
        self.assertLessEqual(self.judged(unreadable * 5), 22, "of 30")
        self.assertEqual(self.judged(["203.0.113.200"]), 1, "others are not held up")

    def test_m9_a_blank_address_is_limited_too(self):
        self.assertLessEqual(self.judged(["", " ", "\t", "203.0.113.6,", " , 127.0.0.1"] * 6), 22, "of 30")

    def test_m9_two_proxies_that_each_add_a_line_hide_nobody(self):
        def two_lines(client, port):
            return f"{client}\r\nX-Forwarded-For: 127.0.0.{port}"

        self.assertLessEqual(self.judged([two_lines("203.0.113.60", n) for n in range(2, 32)]), 22, "of 30")
        self.assertEqual(self.judged([two_lines("203.0.113.61", 2)]), 1, "others are not held up")

    def test_m9_an_address_with_a_port_is_that_address(self):
        ports = [f"203.0.113.77:{port}" for port in range(1024, 1054)]
        self.assertLessEqual(self.judged(ports), 22, "of 30")
        self.assertEqual(self.judged(["203.0.113.78:1024", "[2001:db8::7]:80", "[2001:db8:1::7]"]), 3)
        self.assertEqual(self.judged(["203.0.113.77"]), 0)


class BudgetsTest(LoggingIn):
    config = "[pay]\nallow_test = true\n" + FAST + \
        "lookup_by_user_per_minute = 1\nlookup_by_user_burst = 6\n" \
        "move_by_user_per_minute = 1\nmove_by_user_burst = 3\n"

    def test_m3_m4_what_a_user_looks_up_is_limited(self):
        token, other = self.register(), self.register()
        paths = ["/orders", "/me", "/orders/1", "/orders?limit=1", "/me", "/orders"]
        answers = [self.client.get(API + path, token) for path in paths]
        self.assertNotIn(429, [a.status for a in answers])
        for path in ("/orders", "/me", "/orders/1", "/orders/1?wait_ms=1000"):
            problem = self.assert_problem(self.client.get(API + path, token), 429, "too_many_requests")
            self.assertGreater(problem["retry_after_ms"], 0)
        self.assertEqual(self.client.get(f"{API}/me", other).status, 200, "others are not held up")
        self.wait_for_metric('floodgate_limited_total{limit="lookup_by_user"}', 4)

    def test_m3_what_a_user_does_to_orders_is_limited(self):
        token, other = self.register(), self.register()

        def move(verb, who):
            body = {"method": "test"} if verb == "pay" else None
            return self.client.post(f"{API}/orders/1/{verb}", body, who)
        self.assertEqual([move(v, token).status for v in ("cancel", "pay", "refund")], [404] * 3)
        for verb in ("cancel", "pay", "refund"):
            problem = self.assert_problem(move(verb, token), 429, "too_many_requests")
            self.assertGreater(problem["retry_after_ms"], 0)
        self.assertEqual(move("cancel", other).status, 404)
        self.assertEqual(self.client.get(f"{API}/me", token).status, 200, "looking is another limit")


class Watching(LoggingIn):
    """Reads the log and the metrics, as somebody does who looks into an attack."""

    def lines(self, event):
        return re.findall(rf"^\S+ \w+ guard\.{event}( .*)$", self.server.log(), re.MULTILINE)

    def wait_for_line(self, event, pattern):
        deadline = time.monotonic() + PATIENCE_S
        while not any(re.search(pattern, line) for line in self.lines(event)):
            self.assertLess(time.monotonic(), deadline, f"no {event} {pattern}:\n{self.server.log()}")
            time.sleep(0.02)


class SecurityEventsTest(Watching):

    def test_m10_log_ins_failures_and_refusals_are_seen(self):
        phone = next(phones)
        person = {"phone": phone, "password": PASSWORD, "nickname": "Li"}
        made = self.client.post(REGISTER, person, headers={"X-Forwarded-For": KNOWN}).json
        user, token = made["user"]["id"], made["token"]
        self.assertEqual(self.log_in(phone, PASSWORD, KNOWN).status, 200)
        self.assertEqual(self.guess(phone, ATTACKER).status, 401)
        self.assertEqual(self.client.get(f"{API}/admin/audit", token).status, 403)
        self.assertEqual(self.client.get(f"{API}/ws?ticket=made-up", headers={
            "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA=="}).status, 401)
        self.assertEqual(self.client.post(f"{API}/auth/logout", token=token).status, 204)
        self.assertEqual(self.client.get(f"{API}/me", token).status, 401)
        self.assertEqual(self.guesses_until_limited(phone).status, 429)
        for event, pattern in (("registered", f"user={user} from={KNOWN} "),
                               ("login", f"user={user} from={KNOWN} route={LOGIN}"),
                               ("login_failed", f"user={user} from={ATTACKER} "),
                               ("role_denied", f"user={user} .*route={API}/admin/audit"),
                               ("ticket_refused", f"route={API}/ws"),
                               ("logout", f"user={user} "),
                               ("token_refused", f"route={API}/me"),
                               ("limited", f"limit=login_by_device from={ATTACKER} ")):
            with self.subTest(event):
                self.wait_for_line(event, pattern)
                self.wait_for_some(f'floodgate_security_events_total{{event="{event}"}}')
        self.wait_for_some('floodgate_limited_total{limit="login_by_device"}')
        for secret in (phone, PASSWORD, token):
            self.assertNotIn(secret, self.server.log())

    def guesses_until_limited(self, phone):
        answers = [self.guess(phone, ATTACKER) for _ in range(8)]
        return answers[-1]

    def wait_for_some(self, metric):
        deadline = time.monotonic() + PATIENCE_S
        while self.server.metric(metric) == 0:
            self.assertLess(time.monotonic(), deadline, metric)
            time.sleep(0.05)


class FloodOfEventsTest(Watching):

    def test_m10_a_flood_of_failures_does_not_flood_the_log(self):
        tries, began = 3000, time.monotonic()
        flood = request_bytes("GET", f"{API}/me", "x" * 32)
        with Raw(self.server.address) as raw:
            for _ in range(tries // 100):
                raw.send(flood * 100)
                self.assertEqual({a.status for a in raw.answers(100)}, {401})
        seconds = time.monotonic() - began
        self.wait_for_metric('floodgate_security_events_total{event="token_refused"}', tries)
        self.wait_for_all(tries)
        self.assertLessEqual(len(self.lines("token_refused")), 10 * (seconds + 2))

    def left_out(self):
        return sum(int(n) for n in re.findall(
            r"guard\.events_left_out event=token_refused count=(\d+)", self.server.log()))

    def wait_for_all(self, tries):
        """Every one is a line or among those that were left out."""
        deadline = time.monotonic() + PATIENCE_S
        while len(self.lines("token_refused")) + self.left_out() < tries:
            self.assertLess(time.monotonic(), deadline, "some were neither told nor counted")
            time.sleep(0.05)


class PasswordRulesTest(LoggingIn):

    def register_with(self, phone, password):
        return self.client.post(REGISTER, {"phone": phone, "password": password, "nickname": "Li"})

    def test_l3_passwords_that_are_no_secret_are_refused(self):
        phone = next(phones)
        for password in ("12345678", "password1", "Qwerty123", "11111111", "chocolate", "elizabeth",
                         "butterfly", "Summer2024!", "19900131", phone,
                         f"{phone[:3]} {phone[3:]}", "密码密", "密码密码密码密"):
            with self.subTest(password):
                problem = self.assert_problem(self.register_with(phone, password), 400, "bad_request")
                self.assertEqual(problem["field"], "password")

    def test_l3_any_characters_are_taken(self):
        for password in ("我家的狗爱吃西瓜", "a tab\tand\nlines", "four words and blanks", " leading blank", "🛒🛒 ünï cödé",
                         "x" * 60 + "y" * 68):
            with self.subTest(password):
                phone = next(phones)
                self.assertEqual(self.register_with(phone, password).status, 201)
                self.assertEqual(self.log_in(phone, password, KNOWN).status, 200)


if __name__ == "__main__":
    unittest.main()
