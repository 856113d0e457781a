#!/usr/bin/python3
"""What an attacker found about connections, sent again: each test bears the name of its finding."""
import pathlib
import re
import resource
import select
import signal
import socket
import ssl
import subprocess
import time
import unittest

from harness import API, PATIENCE_S, Client, FloodgateTest, lock_ledger, request_bytes
from orders import CONFIG, ShopTest
from raw import GET_HEALTH, GET_TIME, PATIENCE, Raw
from sockets import HANDSHAKE

HALF = b"GET /healthz HTTP/1.1\r\nHost: x\r\n"  # something is under way: such a one makes no room
ONE_LOOP = "[edge]\nloops = 1\nhead_ms = 120000\nbody_ms = 120000\nidle_ms = 120000\n"
GO_AHEAD = b"HTTP/1.1 100 Continue\r\n\r\n"
MIB = 1 << 20


def files(limit):
    """For Server(prepare=...): `ulimit -n LIMIT`."""
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))


def memory_of(server):
    """Bytes that the process really has."""
    pages = pathlib.Path(f"/proc/{server.process.pid}/statm").read_text().split()[1]
    return int(pages) * resource.getpagesize()


def unread_by(port):
    """Bytes on their way to this port that the server has not read."""
    total, end = 0, f":{port:04X}"
    for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]:
        _, local, remote, _, queues, *_ = line.split()
        unsent, unread = queues.split(":")
        if remote.endswith(end):
            total += int(unsent, 16)
        if local.endswith(end):
            total += int(unread, 16)
    return total


class Attack(ShopTest):

    def crowd(self, count, say=b"", address=None):
        """Connections that say this and no more."""
        found = []
        for _ in range(count):
            one = socket.create_connection(address or self.server_.address, PATIENCE)
            self.addCleanup(one.close)
            if say:
                one.sendall(say)
            found.append(one)
        return found

    def raw(self, send=b""):
        raw = Raw(self.server_.address, send)
        self.addCleanup(raw.socket.close)
        return raw

    def assert_heard_busy(self, raw):
        found = raw.answers()
        self.assertEqual([(a.status, a.code) for a in found], [(503, "busy")])
        self.assertGreater(found[0].json["retry_after_ms"], 0)
        self.assertIn("retry-after", found[0].headers)


class H2Descriptors(Attack):
    """Clients take every descriptor they can get."""

    def open_small_shop(self, limit=256):
        self.shop = self.fixture(users=3, stock=3)
        self.sale = self.shop.sales[0]
        self.server_ = self.server(self.shop.data, config=CONFIG + ONE_LOOP, prepare=files(limit))

    def start_small(self):
        self.open_small_shop()
        self.server_.start()
        capped = re.search(r"engine\.clients_capped .*", self.server_.log())
        self.assertTrue(capped, "the log does not name the numbers")
        self.assertIn("limit=256", capped[0])
        return int(re.search(r" clients_max=(\d+)", capped[0])[1])

    def buy_and_pay(self, buyer):
        """Over a connection of its own: from the purchase to the money."""
        with self.server_.client(self.shop.tokens[buyer - 1], timeout_s=60) as client:
            answer = client.buy(self.sale)
            self.assertEqual(answer.status, 202, answer.text)
            order = answer.json["order_no"]
            entered = client.get(f"{API}/orders/{order}?wait_ms=30000")
            self.assertEqual(entered.json["status"], "unpaid")
            paid = client.post(f"{API}/orders/{order}/pay", {"method": "test"})
            self.assertEqual(paid.status, 200, paid.text)
            self.assertEqual(client.order(order).json["status"], "paid")

    def test_h2_idle_clients_keep_nobody_from_buying(self):
        clients_max = self.start_small()
        self.crowd(clients_max + 40)
        self.buy_and_pay(1)
        self.crowd(clients_max)
        self.buy_and_pay(2)
        self.assertEqual(self.server_.stop(), 0)
        self.assert_clean(self.shop.data)

    def test_h2_the_client_too_many_hears_so(self):
        clients_max = self.start_small()
        busy = self.crowd(clients_max, HALF)
        self.assert_heard_busy(self.raw())
        busy[0].sendall(b"\r\n")
        self.assertTrue(busy[0].recv(65536).startswith(b"HTTP/1.1 200 "))
        self.buy_and_pay(1)  # that one was idle now and has made room
        for one in busy:
            one.close()
        self.wait_until(lambda: self.server_.metric("floodgate_connections") < 10)
        self.buy_and_pay(2)

    def test_h2_a_server_that_has_no_room_for_clients_does_not_start(self):
        self.open_small_shop(50)
        code, said = self.server_.refuse_to_start()
        self.assertEqual(code, 1)
        self.assertRegex(said, r"may have 50 open files, \d+ are set aside, 0 are left for clients")
        self.assertRegex(said, r"ulimit -n \d+")


class M1OneClient(Attack):
    """One address, or one buyer, wants everything."""

    def test_m1_silent_connections_make_room(self):
        self.open_shop(config=CONFIG + ONE_LOOP + "connections_max = 100\n")
        silent = self.crowd(100)
        with self.server_.client(self.shop.tokens[0]) as buyer:
            self.assertEqual(buyer.buy(self.sale).status, 202)
        self.assertEqual(silent[0].recv(1), b"", "it had been idle longest")
        self.assertGreaterEqual(self.server_.metric("floodgate_connections_made_room_total"), 1)

    def test_m1_whoever_has_a_request_under_way_is_not_sent_away(self):
        self.open_shop(config=CONFIG + ONE_LOOP + "connections_max = 20\n")
        half = self.crowd(10, HALF)
        self.crowd(100)
        with self.server_.client() as other:
            self.assertEqual(other.get("/healthz").status, 200)
        for one in half:
            one.sendall(b"\r\n")
            self.assertTrue(one.recv(65536).startswith(b"HTTP/1.1 200 "))

    def test_m1_one_address_has_so_many_connections_and_no_more(self):
        self.open_shop(config=CONFIG + "[edge]\nloops = 2\nconnections_per_address_max = 5\n"
                       "trusted_proxies = []\n")

        five = [self.come_from("127.0.0.2") for _ in range(5)]
        for one in five:
            self.assertEqual(one.get("/healthz").status, 200)
        sixth = self.come_from("127.0.0.2").receive()
        self.assertEqual((sixth.status, sixth.code), (503, "busy"))
        self.assertIn("retry-after", sixth.headers)
        neighbour = self.come_from("127.0.0.3")
        self.assertEqual(neighbour.buy(self.sale, self.shop.tokens[0]).status, 202)
        self.assertGreaterEqual(
            self.server_.metric("floodgate_connections_refused_by_address_total"), 1)
        five[0].close()
        self.wait_until(lambda: self.gets_in("127.0.0.2"), what="the place did not become free")

    def come_from(self, address):
        one = Client.__new__(Client)
        one.token, one.buffer = None, bytearray()
        one.socket = socket.create_connection(self.server_.address, PATIENCE, (address, 0))
        self.addCleanup(one.close)
        return one

    def gets_in(self, address):
        try:
            return self.come_from(address).get("/healthz").status == 200
        except ConnectionError:
            return False

    def test_m1_web_sockets_count_as_their_address(self):
        self.open_shop(config=CONFIG + "[edge]\nloops = 2\nconnections_per_address_max = 5\n"
                       "trusted_proxies = []\n")
        sockets = []
        with self.server_.client(self.shop.tokens[0]) as buyer:
            for _ in range(5):
                ticket = buyer.post(f"{API}/ws/ticket").json["ticket"]
                sockets.append(self.come_from("127.0.0.2"))
                upgraded = sockets[-1].get(f"{API}/ws?ticket={ticket}", headers=HANDSHAKE)
                self.assertEqual(upgraded.status, 101)
        sixth = self.come_from("127.0.0.2").receive()
        self.assertEqual((sixth.status, sixth.code), (503, "busy"))
        self.assertTrue(self.gets_in("127.0.0.3"), "others are not held up")
        sockets[0].close()
        self.wait_until(lambda: self.gets_in("127.0.0.2"), what="the place did not become free")

    def test_m1_one_address_does_not_get_all_of_a_few_places(self):
        self.open_shop(config=CONFIG + ONE_LOOP + "connections_max = 40\ntrusted_proxies = []\n")
        self.assertRegex(self.server_.log(), r"engine\.\w+ .*per_address_max=10")
        greedy = [self.come_from("127.0.0.2") for _ in range(10)]
        for one in greedy:
            one.send(HALF)
        self.assertEqual(self.come_from("127.0.0.2").receive().status, 503)
        with self.server_.client(self.shop.tokens[0]) as buyer:
            self.assertEqual(buyer.buy(self.sale).status, 202)

    def test_m1_long_polls_of_one_buyer_do_not_end_those_of_others(self):
        self.open_shop(users=2, stock=2, config=CONFIG + "[results]\nwaiters_max = 20\n")
        lock = lock_ledger(self.shop.data)
        self.addCleanup(lock.close)
        orders = [self.try_to_buy(buyer).json["order_no"] for buyer in (1, 2)]

        def poll(buyer):
            client = self.server_.client(timeout_s=PATIENCE_S)
            self.addCleanup(client.close)
            client.send(request_bytes("GET", f"{API}/orders/{orders[buyer - 1]}?wait_ms=30000",
                                      self.shop.tokens[buyer - 1]))
            return client
        greedy = {client.socket: client for client in [poll(1) for _ in range(25)]}
        self.wait_until(lambda: len(select.select(greedy, [], [], 0)[0]) == 15,
                        what="those who waited longest were not answered")
        for one in select.select(greedy, [], [], 0)[0]:
            self.assertEqual(greedy.pop(one).receive().json["status"], "queued")
        self.wait_until(lambda: self.server_.metric("floodgate_order_waiters") == 10)
        modest = poll(2)
        self.wait_until(lambda: self.server_.metric("floodgate_order_waiters") == 11,
                        what="the other buyer's poll does not wait")
        lock.close()
        self.assertEqual(modest.receive().json["status"], "unpaid")
        for one in greedy.values():
            self.assertEqual(one.receive().json["status"], "unpaid")


class L10Bodies(Attack):
    """Bodies that are sent for nothing are not gathered."""

    def test_l10_bodies_for_nothing_cost_no_memory(self):
        self.open_shop(config=CONFIG + ONE_LOOP)
        buy = f"{API}/sales/{self.sale}/orders"
        for method, path, token, status in (
                ("POST", "/nowhere", None, 404), ("POST", buy, None, 401),
                ("POST", buy, "x" * 32, 401), ("GET", "/healthz", None, 200),
                ("POST", f"{API}/admin/products", self.shop.tokens[0], 403),
                ("POST", f"{API}/auth/login", None, 413)):
            with self.subTest(path=path, status=status):
                before = memory_of(self.server_)
                request = request_bytes(method, path, token, b" " * 65536,
                                        {"Content-Type": "application/json"})
                waiting = self.crowd(300, request[:-1])
                self.wait_until(lambda: unread_by(self.server_.address[1]) == 0)
                self.assertLess(memory_of(self.server_) - before, 10 * MIB)
                waiting[0].sendall(request[-1:] + GET_TIME)
                raw = Raw.__new__(Raw)
                raw.socket = waiting[0]
                self.assertEqual([a.status for a in raw.answers(2)], [status, 200])
                for one in waiting:
                    one.close()
                self.wait_until(lambda: self.server_.metric("floodgate_connections") < 10)

    def test_l10_what_is_of_use_still_arrives(self):
        self.open_shop(config=CONFIG + ONE_LOOP)
        request = request_bytes("POST", f"{API}/sales/{self.sale}/orders", self.shop.tokens[0],
                                b" " * 4000 + b'{"quantity":1}', {"Content-Type": "application/json"})
        raw = self.raw(request[:300])
        self.wait_until(lambda: unread_by(self.server_.address[1]) == 0)
        raw.send(request[300:])
        self.assertEqual(raw.one().status, 202)


class L19Manners(Attack):

    def setUp(self):
        super().setUp()
        self.open_shop(config=CONFIG + ONE_LOOP)

    def test_l19_a_whole_address_is_understood(self):
        for target, status in ((f"http://shop.example{API}/time", 200),
                               (f"HTTPS://shop.example:8443{API}/rounds?limit=1", 200),
                               (f"http://[::1]:80{API}/nothing", 404), ("http://shop.example", 200)):
            raw = self.raw(f"GET {target} HTTP/1.1\r\nHost: other\r\n\r\n".encode() + GET_HEALTH)
            self.assertEqual([a.status for a in raw.answers(2)], [status, 200], target)
        for target in ("http://user@shop.example/", "ftp://shop.example/", "http:///healthz",
                       "shop.example:80", "*"):
            raw = self.raw(f"GET {target} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            self.assertEqual([a.status for a in raw.answers()], [400], target)

    def expecting(self, path, body, expectation="100-continue", token=None):
        """The head of a request, and its body, which is to be sent later."""
        whole = request_bytes("POST", path, token, body, {"Expect": expectation,
                                                          "Content-Type": "application/json"})
        return whole[:-len(body)], body

    def test_l19_a_client_that_waits_is_told_to_go_on(self):
        head, body = self.expecting(f"{API}/sales/{self.sale}/orders", b'{"quantity":1}',
                                    token=self.shop.tokens[0])
        raw = self.raw(head)
        heard = b""
        while len(heard) < len(GO_AHEAD):
            heard += raw.socket.recv(len(GO_AHEAD) - len(heard))
        self.assertEqual(heard, GO_AHEAD)
        raw.send(body)
        self.assertEqual(raw.one().status, 202)
        raw.send(GET_TIME)
        self.assertEqual(raw.one().status, 200)
        raw.send(head + body)  # it did not wait
        self.assertEqual([a.status for a in raw.answers(1)], [409])

    def test_l19_a_client_that_waits_in_vain_is_told_at_once(self):
        for path, body, status in (("/nowhere", b"{}", 404),
                                   (f"{API}/sales/{self.sale}/orders", b"{}", 401),
                                   (f"{API}/auth/login", b" " * 5000, 413)):
            raw = self.raw(self.expecting(path, body)[0])
            self.assertEqual([a.status for a in raw.answers()], [status], path)

    def test_l19_nothing_else_can_be_expected(self):
        raw = self.raw(self.expecting(f"{API}/auth/login", b"{}", "wonders")[0])
        self.assertEqual([(a.status, a.code) for a in raw.answers()],
                         [(417, "expectation_failed")])

    def test_l19_answers_are_not_to_be_framed_or_sniffed(self):
        for path in ("/healthz", "/metrics", f"{API}/rounds", f"{API}/openapi.json", "/nowhere",
                     f"{API}/me"):
            headers = self.client.get(path).headers
            self.assertEqual(headers["content-security-policy"],
                             "default-src 'none'; frame-ancestors 'none'", path)
            self.assertEqual(headers["x-content-type-options"], "nosniff", path)
            self.assertEqual(headers["referrer-policy"], "no-referrer", path)
            self.assertNotIn("strict-transport-security", headers, "this is not TLS")
        bought = self.try_to_buy(1)
        self.assertEqual(bought.headers["x-content-type-options"], "nosniff")
        refused = self.raw(b"nonsense\r\n\r\n").answers()[0]
        self.assertIn("content-security-policy", refused.headers)


class Tls(FloodgateTest):
    """A server of our own TLS. An RSA key: with it every kind of cipher could be agreed on."""

    def make_certificate(self, name="shop"):
        made = self.place / f"{name}.pem", self.place / f"{name}.key"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-out", made[0],
                        "-keyout", made[1], "-days", "2", "-subj", f"/CN={name}", "-addext",
                        "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
        return made

    def open(self, config=""):
        self.certificate, self.key = self.make_certificate()
        self.server_ = self.server(
            self.place / "data", config=f'[edge]\nloops = 1\n{config}tls_key_file = "{self.key}"\n'
            f'tls_certificate_file = "{self.certificate}"\n'
            "[guard]\npassword_mib = 8\npassword_passes = 1\n")
        self.server_.launch()
        self.wait_until(lambda: "https://" in self.server_.said())
        host, port = re.search(r"https://([\d.]+):(\d+)", self.server_.said()).groups()
        self.address = host, int(port)
        self.wait_until(lambda: "engine.started" in self.server_.log())

    def context(self, ciphers=None):
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        if ciphers:
            context.set_ciphers(f"{ciphers}:@SECLEVEL=0")
            context.maximum_version = ssl.TLSVersion.TLSv1_2
        return context

    def secure(self, ciphers=None):
        stream = self.context(ciphers).wrap_socket(socket.create_connection(self.address, PATIENCE))
        self.addCleanup(stream.close)
        return stream

    def ask(self, stream, request=GET_HEALTH):
        raw = Raw.__new__(Raw)
        raw.socket = stream
        raw.send(request)
        return raw.one()


class L5Ciphers(Tls):

    def test_l5_only_ciphers_with_forward_secrecy_and_authentication(self):
        self.open()
        for cipher in ("AES128-SHA", "AES256-SHA", "AES128-SHA256", "AES128-GCM-SHA256",
                       "AES256-GCM-SHA384", "ECDHE-RSA-AES128-SHA", "ECDHE-RSA-AES256-SHA",
                       "ECDHE-RSA-AES128-SHA256", "ECDHE-RSA-AES256-SHA384",
                       "DHE-RSA-AES128-GCM-SHA256"):
            with self.assertRaises((ssl.SSLError, ConnectionError), msg=cipher):
                self.secure(cipher)
        for cipher in ("ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-RSA-AES256-GCM-SHA384",
                       "ECDHE-RSA-CHACHA20-POLY1305"):
            stream = self.secure(cipher)
            self.assertEqual(stream.cipher()[0], cipher)
            self.assertEqual(self.ask(stream).status, 200)
        self.assertEqual(self.secure().version(), "TLSv1.3")

    def test_l5_browsers_are_told_to_come_by_tls(self):
        self.open()
        for request in (GET_HEALTH, request_bytes("GET", "/nowhere")):
            answer = self.ask(self.secure(), request)
            self.assertEqual(answer.headers["strict-transport-security"], "max-age=31536000")

    def test_l5_unless_the_shop_does_not_want_that(self):
        self.open("tls_hsts_s = 0\n")
        self.assertNotIn("strict-transport-security", self.ask(self.secure()).headers)

    def shown(self):
        return self.secure().getpeercert(binary_form=True)

    def test_l5_a_new_certificate_needs_no_restart(self):
        self.open()
        before, waiting = self.shown(), self.secure()
        fresh = self.make_certificate("renewed")
        self.certificate.write_bytes(b"half a file")
        self.server_.process.send_signal(signal.SIGHUP)
        self.wait_until(lambda: "engine.certificate_refused" in self.server_.log())
        self.assertEqual(self.shown(), before, "what does not fit is not used")
        self.certificate.write_bytes(fresh[0].read_bytes())
        self.key.write_bytes(fresh[1].read_bytes())
        self.server_.process.send_signal(signal.SIGHUP)
        self.wait_until(lambda: self.shown() != before, what="no new certificate")
        self.assertEqual(self.ask(waiting).status, 200, "older connections live on")
        self.assertEqual(self.server_.stop(), 0)


class L6Handshake(Tls):

    def test_l6_a_handshake_has_the_time_of_a_head(self):
        self.open("head_ms = 1000\nidle_ms = 120000\n")
        hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"  # as it begins
        for begun in (b"", hello):
            began = time.monotonic()
            with Raw(self.address, begun) as raw:
                self.assertTrue(raw.closed_by_server())  # within PATIENCE, well below idle_ms
                self.assertGreater(time.monotonic() - began, 0.5)

    def test_l6_silent_clients_cost_next_to_nothing_and_make_room(self):
        self.open("head_ms = 120000\nidle_ms = 120000\nconnections_max = 300\n")
        self.assertEqual(self.ask(self.secure()).status, 200)
        before = memory_of(self.server_)
        silent = [socket.create_connection(self.address, PATIENCE) for _ in range(300)]
        for one in silent:
            self.addCleanup(one.close)
        self.assertEqual(self.ask(self.secure()).status, 200)  # it is the last in the queue
        self.assertLess(memory_of(self.server_) - before, 10 * MIB)
        self.assertEqual(silent[0].recv(1), b"", "it has made room")


if __name__ == "__main__":
    unittest.main()
