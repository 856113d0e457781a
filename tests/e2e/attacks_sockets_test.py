"""What an attacker found at the WebSockets: H1, L1, L13 and L14 of the security review."""
import os
import random
import re
import ssl
import struct
import subprocess
import time
import unittest

from books import clustered_only
from harness import API, Client, FloodgateTest
from sockets import HANDSHAKE, PONG, TEXT, Intruder, frame

UNHURRIED = "[ws]\nticket_by_user_per_minute = 0\n"  # configuration: tickets as fast as they are asked for
QUICK = "[guard]\npassword_mib = 8\npassword_passes = 1\n"
SOCKETS = 1000  # of the random attack
LIMIT_S = 30  # for a stop: 10 s are configured, and the machine may be busy

REFUSED = frame(0x82)  # an empty binary message, which is not taken
RESERVED_BIT = frame(0xc1)
UNMASKED = frame(0x81, b"hello", masked=False)
TOO_LONG = frame(0x81, b"x" * 2000)
GOODBYE = frame(0x88, struct.pack(">H", 1000))


class SocketTest(FloodgateTest):
    TLS = False

    def open_shop(self, users=3, config="", stock=10):
        self.shop = self.fixture(users, stock)
        self.trust = None
        if self.TLS:
            config += self.make_certificate()
        self.server_ = self.server(self.shop.data, config=config)
        self.server_.launch()
        self.wait_until(lambda: re.search(r"listens on .*https?://[\d.]+:\d+", self.server_.said()),
                        what="it did not start")
        host, port = re.search(r"https?://([\d.]+):(\d+)", self.server_.said()).groups()
        self.server_.address = (host, int(port))
        self.wait_until(lambda: self.ask("GET", "/readyz").status == 200)

    def make_certificate(self):
        certificate, key = self.place / "certificate.pem", self.place / "key.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key, "-out",
                        certificate, "-days", "2", "-subj", "/CN=localhost", "-addext",
                        "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
        self.trust = ssl.create_default_context(cafile=certificate)
        return f'[edge]\ntls_certificate_file = "{certificate}"\ntls_key_file = "{key}"\n'

    # Verbs.

    def client(self):
        client = Client(self.server_.address)
        if self.trust:
            client.socket = self.trust.wrap_socket(client.socket, server_hostname="127.0.0.1")
        return client

    def ask(self, method, path, token=None, body=None):
        with self.client() as client:
            return client.ask(method, path, token, body)

    def ticket(self, token=None):
        answer = self.ask("POST", f"{API}/ws/ticket", token or self.shop.tokens[0])
        self.assertEqual(answer.status, 201, answer.text)
        return answer.json["ticket"]

    def connect(self, ticket):
        intruder = Intruder(self.server_.address, ticket, self.trust)
        self.addCleanup(intruder.close)
        return intruder

    def listen(self, token=None):
        """A socket that has heard its hello."""
        intruder = self.connect(self.ticket(token))
        self.assertEqual(intruder.answer.status, 101)
        self.assertEqual(intruder.hear()[0], TEXT)
        return intruder

    # Questions.

    def sockets(self):
        return int(re.search(r"^floodgate_sockets (\d+)$", self.ask("GET", "/metrics").text,
                             re.MULTILINE)[1])

    def assert_all_are_let_go(self):
        self.wait_until(lambda: self.sockets() == 0, what="a socket was never let go")

    def assert_stops(self):
        begin = time.monotonic()
        self.assertEqual(self.server_.stop(LIMIT_S), 0)
        self.assertLess(time.monotonic() - begin, LIMIT_S)


class EverySocketEnds(SocketTest):
    """H1: what follows a refused message in the same packet."""

    def attack(self, sequel):
        self.open_shop(config=UNHURRIED)
        for _ in range(8):  # a close got through now and then
            intruder = self.listen()
            intruder.send(REFUSED + sequel)
            self.assertEqual(intruder.end(), 1003)
            intruder.close()
        self.assert_all_are_let_go()
        left = self.listen()  # and one that is still on its way when the server stops
        left.send(REFUSED + sequel)
        self.assert_stops()

    def test_h1_a_refused_message_and_a_reserved_bit(self):
        self.attack(RESERVED_BIT)

    def test_h1_a_refused_message_and_an_unmasked_frame(self):
        self.attack(UNMASKED)

    def test_h1_a_refused_message_and_a_long_text(self):
        self.attack(TOO_LONG)

    def test_h1_a_refused_message_and_a_close(self):
        self.attack(GOODBYE)

    def test_h1_a_refused_message_and_nothing(self):
        self.attack(b"")

    def test_h1_the_place_of_a_refused_socket_is_free_again(self):
        self.open_shop(config=UNHURRIED + "connections_max = 2\n")
        for _ in range(2):
            self.listen().send(REFUSED + RESERVED_BIT)
        self.assert_all_are_let_go()
        self.assertEqual(self.connect(self.ticket(self.shop.tokens[1])).answer.status, 101)

    def test_h1_a_silent_client_that_broke_the_protocol_is_cut(self):
        self.open_shop(config=UNHURRIED)
        for noise in (RESERVED_BIT, UNMASKED, TOO_LONG, GOODBYE, REFUSED):
            self.listen().send(noise)  # stays connected, says nothing more
        self.assert_all_are_let_go()
        self.assert_stops()


class EverySocketEndsOverTls(EverySocketEnds):
    TLS = True


class RandomFrames(SocketTest):
    """H1: a thousand sockets, each with frames in some order; then the server must stop."""
    USERS = 40

    def test_h1_after_a_thousand_hostile_sockets_the_server_stops(self):
        seed = int(os.environ.get("SEED", "9"))
        dice = random.Random(seed)
        self.open_shop(self.USERS, config=UNHURRIED)
        left = []
        with self.client() as line:
            for n in range(SOCKETS):
                answer = line.post(f"{API}/ws/ticket", token=dice.choice(self.shop.tokens))
                self.assertEqual(answer.status, 201, answer.text)
                intruder = Intruder(self.server_.address, answer.json["ticket"], self.trust)
                self.assertEqual(intruder.answer.status, 101, f"seed {seed}, socket {n}")
                self.misbehave(intruder, dice)
                if dice.random() < 0.1:
                    left.append(intruder)
                else:
                    intruder.close()
        for intruder in left[::2]:
            intruder.close()
        self.assert_stops()
        for intruder in left:
            intruder.close()

    def misbehave(self, intruder, dice):
        try:
            for _ in range(dice.randint(1, 3)):
                intruder.send(b"".join(self.some_frame(dice) for _ in range(dice.randint(1, 6))))
            if dice.random() < 0.1:
                intruder.socket.settimeout(0.05)
                intruder.hear()
        except OSError:
            pass  # cut off already, or nothing was said

    @staticmethod
    def some_frame(dice):
        return dice.choice((
            lambda: frame(0x81, b'{"type":"ping"}'), lambda: frame(0x81, b"x"), lambda: REFUSED,
            lambda: RESERVED_BIT, lambda: UNMASKED, lambda: TOO_LONG, lambda: GOODBYE,
            lambda: frame(0x88), lambda: frame(0x88, b"x"), lambda: frame(0x88, b"\x03\xec"),
            lambda: frame(0x89, b"p"), lambda: frame(0x8a, b"q"), lambda: frame(0x01, b"a"),
            lambda: frame(0x00), lambda: frame(0x80, b"b"), lambda: frame(0x81, b"\xff\xfe"),
            lambda: frame(0x81, b"half a frame")[:9], lambda: dice.randbytes(dice.randint(1, 40))))()


class RandomFramesOverTls(RandomFrames):
    TLS = True


class LoggedOut(SocketTest):
    """L1: a socket and a ticket are worth no more than the log-in they came from."""

    def log_in_twice(self):
        """Two tokens of one user."""
        person = {"phone": "13900001234", "password": "correct horse battery"}
        first = self.ask("POST", f"{API}/auth/register", body={**person, "nickname": "Li"})
        second = self.ask("POST", f"{API}/auth/login", body=person)
        self.assertEqual((first.status, second.status), (201, 200), second.text)
        return first.json["token"], second.json["token"]

    def log_out(self, token):
        self.assertEqual(self.ask("POST", f"{API}/auth/logout", token).status, 204)

    def test_l1_a_ticket_from_before_the_log_out_is_refused(self):
        self.open_shop(config=QUICK)
        phone, laptop = self.log_in_twice()
        before, other = self.ticket(phone), self.ticket(laptop)
        self.log_out(phone)
        refused = self.connect(before).answer
        self.assertEqual((refused.status, refused.code), (401, "unauthenticated"))
        self.assertEqual(self.connect(other).answer.status, 101)

    def test_l1_a_log_out_closes_the_sockets_of_that_log_in_only(self):
        self.open_shop(config=QUICK)
        phone, laptop = self.log_in_twice()
        tabs, other = [self.listen(phone) for _ in range(2)], self.listen(laptop)
        self.log_out(phone)
        self.assertEqual([tab.end() for tab in tabs], [4001, 4001])
        other.send(frame(0x81, b'{"type":"ping"}'))
        self.assertEqual(other.hear(), (TEXT, b'{"type":"pong"}'))
        self.log_out(laptop)
        self.assertEqual(other.end(), 4001)
        self.assert_all_are_let_go()


class TooFast(SocketTest):
    """L14: how fast one user may ask for tickets, and how much a socket may send."""

    def test_l14_one_user_gets_so_many_tickets(self):
        self.open_shop()
        begin, statuses, refused = time.monotonic(), [], None
        with self.client() as line:
            for _ in range(100):
                answer = line.post(f"{API}/ws/ticket", token=self.shop.tokens[0])
                statuses.append(answer.status)
                refused = answer if answer.status == 429 else refused
            took = time.monotonic() - begin
            other = line.post(f"{API}/ws/ticket", token=self.shop.tokens[1])
        self.assertEqual(set(statuses), {201, 429})
        self.assertLessEqual(statuses.count(201), 20 + took + 1)
        self.assertEqual(other.status, 201, "others are not held up")
        self.assertEqual(refused.code, "too_many_requests")
        self.assertGreater(refused.json["retry_after_ms"], 0)

    def test_l14_too_many_pings_are_closed_with_1008(self):
        self.open_shop()
        for ping in (frame(0x89, b"x" * 125), frame(0x8a)):
            intruder = self.listen()
            intruder.send(ping * 30)
            self.assertEqual(intruder.end(), 1008)

    def test_l14_a_flood_is_not_read(self):
        self.open_shop()
        for first in (0x89, 0x8a):
            intruder, sent, flood = self.listen(), 0, frame(first, b"x" * 125) * 500
            with self.assertRaises(OSError):
                while sent < 100_000_000:
                    intruder.send(flood)
                    sent += len(flood)
            # What lay in the kernel's buffers, on both sides. It was 96 MB/s for three seconds.
            self.assertLess(sent, 32_000_000)
        self.assert_all_are_let_go()

    def test_l14_endless_fragments_are_closed_with_1008(self):
        self.open_shop()
        intruder = self.listen()
        intruder.send(frame(0x01, b"x") + frame(0x00) * 4000)
        self.assertEqual(intruder.end(), 1008)

    def test_l14_what_a_page_does_is_not_too_fast(self):
        self.open_shop()
        intruder = self.listen()
        for _ in range(4):
            intruder.send(frame(0x81, b'{"type":"ping"}') + frame(0x89, b"x" * 125))
            self.assertEqual({intruder.hear()[0] for _ in range(2)}, {TEXT, PONG})


@clustered_only("the tickets are in Redis")
class MadeUpTickets(SocketTest):
    """L14, M4: each made-up ticket was a job in the buyers' pool and a question to Redis."""
    ATTACKER, OTHER = "203.0.113.9", "198.51.100.7"
    FEW = "[guard]\npurchase_by_address_per_minute = 60\npurchase_by_address_burst = 5\n"

    def show(self, line, ticket, address):
        return line.get(f"{API}/ws?ticket={ticket}", headers={**HANDSHAKE, "X-Forwarded-For": address})

    def test_l14_an_address_shows_so_many_made_up_tickets(self):
        self.open_shop(config=self.FEW)
        begin, statuses, refused = time.monotonic(), [], None
        with self.client() as line:
            for n in range(60):
                answer = self.show(line, f"{n:032}", self.ATTACKER)
                statuses.append(answer.status)
                refused = answer if answer.status == 429 else refused
            took = time.monotonic() - begin
            self.assertLessEqual(set(statuses), {401, 429, 503})  # 503: Redis did not answer in time
            self.assertIn(429, statuses)
            self.assertLessEqual(statuses.count(401), 5 + took + 1)
            self.assertEqual(refused.code, "too_many_requests")
            short = [self.show(line, "short", self.OTHER).status for _ in range(20)]
            self.assertEqual(set(short), {401}, "refused before anybody pays for it")
        self.wait_until(self.others_get_in, what="others did not get in")

    def others_get_in(self):
        with self.client() as line:
            return self.show(line, self.ticket(), self.OTHER).status == 101


class CountersTest(SocketTest):
    """L13: the hello tells a buyer of their own events only."""

    def test_l13_the_last_event_of_a_buyer_without_orders_is_0(self):
        self.open_shop()
        bought = self.ask("POST", f"{API}/sales/{self.shop.sales[0]}/orders", self.shop.tokens[0])
        number = bought.json["order_no"]
        self.wait_until(lambda: self.ask("GET", f"{API}/orders/{number}", self.shop.tokens[0]).json[
            "status"] == "unpaid")
        self.ask("POST", f"{API}/orders/{number}/cancel", self.shop.tokens[0])
        last = []
        for token in self.shop.tokens[:2]:
            intruder = self.connect(self.ticket(token))
            last.append(int(re.search(rb'"last_event":(\d+)', intruder.hear()[1])[1]))
        self.assertGreater(last[0], 0)
        self.assertEqual(last[1], 0)


if __name__ == "__main__":
    unittest.main()
