#!/usr/bin/python3
"""Attacks on pages, on what operators read and on what strangers are shown, as they were once sent.

Each test is named after its finding: H4, M4, L8, L11, L12."""
import contextlib
import json
import socket
import subprocess
import time
import unittest

from harness import (API, PATIENCE_S, Client, FloodgateTest, embedded_only, lock_ledger,
                     request_bytes,
                     first_admin)
from nginx_test import NginxTest
from process_memory import resident_bytes, unread_bytes
from raw import Raw
from recording import FAST, PASSWORD, SharedServer, iso
from server_process import free_port

MIB = 2 ** 20


class BoundedPages(SharedServer):
    """H4: the list of rounds was 6 MB, held whatever ever was, and was copied for every reader."""
    ALONE = True
    SALES = 120

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        ask = lambda path, body: cls.client.ask("POST", f"{API}/admin{path}", cls.admin, body).json["id"]
        cls.round = ask("/rounds", {"title": "Now", "starts_at": iso(-60), "ends_at": iso(3600)})
        pictures = [f"/pictures/{n}/" + "x" * 480 for n in range(20)]
        for _ in range(cls.SALES):
            cls.product = ask("/products", {"title": "Kettle", "description": "y" * 20000,
                                            "pictures": pictures, "list_price_fen": 100})
            sale = ask("/sales", {"product_id": cls.product, "round_id": cls.round, "price_fen": 1,
                                  "stock": 5})
            cls.client.post(f"{API}/admin/sales/{sale}/publish", None, cls.admin)

    def test_h4_a_page_is_small_and_there_are_several(self):
        sizes, seen, after = [], [], ""
        while True:
            page = self.client.get(f"{API}/rounds?limit=100{after}")
            sizes.append(len(page.body))
            seen += [s["id"] for r in page.json["rounds"] for s in r["sales"]]
            if "next" not in page.json:
                break
            after = f"&after={page.json['next']}"
        self.assertGreater(len(sizes), 1)
        self.assertLess(max(sizes), 150_000)
        self.assertGreaterEqual(len(seen), self.SALES)
        self.assertEqual(len(seen), len(set(seen)))
        whole = self.client.get(f"{API}/sales/{seen[-1]}").json["product"]
        self.assertEqual((len(whole["description"]), len(whole["pictures"])), (20000, 20))

    def test_h4_a_round_that_has_ended_is_not_listed(self):
        over = self.add_round()
        self.add_sale(round_id=over)
        self.assertIn(over, [r["id"] for r in self.client.rounds()])
        self.manage("PUT", f"/rounds/{over}", {"ends_at": iso(1)})
        deadline = time.monotonic() + 60
        while over in [r["id"] for r in self.client.rounds()]:
            self.assertLess(time.monotonic(), deadline, "it is still listed")
            time.sleep(0.1)

    def test_h4_readers_who_do_not_read_share_one_page(self):
        page = len(self.client.get(f"{API}/rounds?limit=100").body)
        readers, before = 600, resident_bytes(self.server.process.pid)
        ask = request_bytes("GET", f"{API}/rounds?limit=100") * 20
        held = [Raw(self.server.address, ask, receive_bytes=4096) for _ in range(readers)]
        try:
            self.assertEqual(self.client.get("/healthz").status, 200)
            kernel = self.settled(lambda: unread_bytes(self.server.address[1]))
            grown = resident_bytes(self.server.process.pid) - before
            print(f"{self.id()}: {readers} readers, rss +{grown / MIB:.1f} MiB, "
                  f"unread {kernel / MIB:.1f} MiB, a page is {page} bytes")
            # The server takes some megabytes for itself now and then; copies would be 45.
            self.assertLess(grown, 20 * MIB, "a copy for each reader")
            self.assertGreater(kernel, readers * 4096, "nobody was sent anything")
            self.assertLess(kernel, 120 * MIB, "the kernel keeps megabytes for each")
        finally:
            for one in held:
                one.socket.close()

    @staticmethod
    def settled(measure):
        """The value that did not change any more for a while."""
        last, since = measure(), time.monotonic()
        while time.monotonic() - since < 1:
            time.sleep(0.05)
            if (now := measure()) != last:
                last, since = now, time.monotonic()
        return last

    def test_h4_a_slow_reader_gets_the_whole_page(self):
        whole = self.client.get(f"{API}/rounds?limit=100").body
        with Raw(self.server.address, request_bytes("GET", f"{API}/rounds?limit=100") * 3,
                 receive_bytes=4096) as slow:
            time.sleep(0.3)
            bodies = {answer.body for answer in slow.answers(3)}
        self.assertEqual(bodies, {whole})


class OperatorsPages(SharedServer):
    """M4: /metrics and /readyz waited in the buyers' pool; strangers and buyers held each other up."""
    QUEUE = 20
    config = f"[metrics]\nkept_ms = 1000\n[edge]\npool_queue_max = {QUEUE}\n" + FAST

    def test_m4_operators_pages_do_not_wait_in_the_buyers_pool(self):
        buyer = self.register()
        order = self.client.buy(self.add_sale(), buyer).json["order_no"]
        self.wait_for_order(order, buyer)
        with contextlib.closing(lock_ledger(self.server.data)), contextlib.ExitStack() as movers:
            for _ in range(3 * self.QUEUE):
                mover = movers.enter_context(Client(self.server.address))
                mover.send(request_bytes("POST", f"{API}/orders/{order}/cancel", buyer))
            deadline = time.monotonic() + PATIENCE_S
            while self.server.metric("floodgate_pool_waiting") < self.QUEUE:
                self.assertLess(time.monotonic(), deadline, "the pool never was full")
            for _ in range(5):
                for path in ("/readyz", "/metrics", "/healthz", f"{API}/rounds"):
                    answer = self.client.get(path)
                    self.assertEqual(answer.status, 200, f"{path}: {answer.text}")

    def test_m4_one_page_is_made_for_all_who_ask_within_a_second(self):
        pages = {self.client.get("/metrics").body for _ in range(200)}
        self.assertLess(len(pages), 30)
        self.assertIn(b"floodgate_http_answers_total", pages.pop())

    def test_m4_a_description_for_strangers_does_not_wait_either(self):
        answers = [self.client.get(f"{API}/openapi.json") for _ in range(20)]
        self.assertEqual({a.status for a in answers}, {200})
        self.assertEqual(len({a.body for a in answers}), 1)


class OperatorsAddress(FloodgateTest):
    """M4: what is for operators has an address of its own, if they want."""

    def test_m4_operators_calls_are_on_their_own_address_only(self):
        shop = self.fixture(users=1, stock=1)
        port = free_port()
        server = self.server(shop.data, config=f'[edge]\noperator_listen = "127.0.0.1:{port}"\n' + FAST)
        server.start(ready=False)
        self.assertIn(f"http://127.0.0.1:{port}/readyz", server.said())
        phone, password = first_admin(server)
        with server.client() as buyers, Client(("127.0.0.1", port)) as operators:
            self.wait_until(lambda: operators.get("/readyz").status == 200)
            token = buyers.post(f"{API}/auth/login", {"phone": phone, "password": password}).json["token"]
            for path in ("/metrics", "/readyz", f"{API}/admin/sales", f"{API}/admin/audit"):
                self.assertEqual(operators.get(path, token).status, 200, path)
                hidden = buyers.get(path, token)
                self.assertEqual((hidden.status, hidden.code), (404, "not_found"), path)
                self.assertEqual(buyers.ask("PUT", path, token).status, 404, path)
            for path in ("/healthz", f"{API}/time", f"{API}/rounds", f"{API}/sales/{shop.sales[0]}"):
                self.assertEqual((buyers.get(path).status, operators.get(path).status), (200, 200), path)
            self.assertEqual(buyers.buy(shop.sales[0], shop.tokens[0]).status, 202)
            self.assertEqual(operators.get(f"{API}/admin/sales").status, 401)
        self.assertEqual(server.stop(), 0)

    def test_m4_a_wrong_or_taken_address_is_named(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            at = "127.0.0.1:%d" % taken.getsockname()[1]
            for address, why in ((at, at), ("nowhere", "nowhere")):
                server = self.server(self.place / "data", config=FAST + f'[edge]\noperator_listen = "{address}"\n')
                code, said = server.refuse_to_start()
                self.assertEqual(code, 1)
                self.assertIn("cannot listen on", said)
                self.assertIn(why, said)


@embedded_only("nginx is the same in both modes")
class NothingInClear(NginxTest):
    """L8: with TLS installed, port 80 went on serving everything in clear."""

    def test_l8_port_80_only_redirects_once_tls_is_installed(self):
        place = self.directory()
        certificate, key = place / "c.pem", place / "k.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                        "/CN=shop.example", "-keyout", key, "-out", certificate], check=True,
                       capture_output=True)
        node = self.nodes(False)[0]
        plain = self.client(self.front([node], tls=(certificate, key, free_port())))
        for method, path in (("GET", f"{API}/rounds"), ("POST", f"{API}/auth/login"),
                             ("POST", f"{API}/sales/1/orders"), ("GET", "/")):
            for host in ("shop.example", "127.0.0.1", "anything"):
                plain.send(f"{method} {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 0\r\n\r\n".encode())
                answer = plain.receive()
                self.assertEqual((answer.status, answer.headers["location"]), (308, f"https://{host}{path}"))
        self.assertEqual(plain.get("/nginx-health").status, 200, "for keepalived")
        self.assertEqual(node.requests, [])

    def test_h4_made_up_parameters_fetch_no_page_of_their_own(self):
        node = self.nodes(False)[0]
        client = self.client(self.front([node]))
        for n in range(100):
            self.assertEqual(client.get(f"{API}/rounds?nonsense={n}").status, 200)
        self.assertLess(len(node.requests), 20)
        client.get(f"{API}/rounds?limit=7")
        self.assertIn(f"{API}/rounds?limit=7", [path for _, path, _ in node.requests])

    def test_h4_a_page_is_kept_under_the_parameters_that_a_node_reads(self):
        """A node decodes names, nginx compares them as they came and in any case: a parameter that only
        one of them saw put one page into the place of another, for everybody."""
        for query, asked in (("%61fter=9999999999999.1.0", ""), ("%6cimit=1", ""),
                             ("AFTER=1.2.3", "?after=1.2.3&"), ("Limit=2", "?limit=2"),
                             ("limit=3&x=%61fter&%61fter=1.2.3", "?limit=3"),
                             ("after=1.2.3&after=4.5.6", "?after=1.2.3&"),
                             ("after&after=4.5.6", "?after=4.5.6&"),
                             ("limit=1&Limit=2&%6cimit=3", "?limit=1"),
                             ("limit=9&x=y&after=-1.2.3", "?after=-1.2.3&limit=9")):
            with self.subTest(query):
                node = self.nodes(False)[0]
                self.client(self.front([node])).get(f"{API}/rounds?{query}")
                self.assertEqual([path for _, path, _ in node.requests], [f"{API}/rounds{asked}"])


class WhatStrangersAreShown(SharedServer):
    def test_l11_a_long_key_does_not_come_back(self):
        login = {"phone": "13800138000", "password": PASSWORD}
        product = {"title": "Kettle", "list_price_fen": 1}
        for path, body, key in (("/auth/login", login, "k" * 3000), ("/auth/login", login, "雪" * 300),
                                ("/admin/products", product, "k" * 60000),
                                ("/admin/products", product, "雪" * 9000)):
            answer = self.client.ask("POST", f"{API}{path}", self.admin, {**body, key: 1})
            problem = self.assert_problem(answer, 400, "bad_request")
            self.assertLess(len(answer.body), 600)
            self.assertTrue(key.startswith(problem["field"]))
            self.assertLessEqual(len(problem["field"].encode()), 64)

    def test_l12_nicknames_hide_nothing_and_are_not_the_shops(self):
        for n, nickname in enumerate(("\u200b\u200b", "Li\u200b", "a\u202eb", "a\u2028b", "\ufeffLi",
                                      "\u2066Li", "\u3000", "\u00a0", "\u2003", "\ufe0f", "Operator",
                                      "ADMIN", "admin 1", "官方客服", "管理员")):
            answer = self.client.post(f"{API}/auth/register", {
                "phone": f"1380000{n:04}", "password": PASSWORD, "nickname": nickname})
            problem = self.assert_problem(answer, 400, "bad_request")
            self.assertEqual(problem["field"], "nickname", nickname)

    def test_l12_titles_hide_nothing_and_pictures_are_no_scripts(self):
        good = {"title": "Kettle", "list_price_fen": 1}
        for wrong in ({"title": "a\u202eb"}, {"title": "a\u2028b"}, {"title": "a\u200b"},
                      {"title": "\u3000"}, {"title": "\ufe0f"},
                      {"pictures": ["javascript:alert(1)"]}, {"pictures": ["data:text/html,<b>"]},
                      {"pictures": ["/ok.jpg", "//evil.example/a.jpg"]}, {"pictures": ["kettle.jpg"]}):
            answer = self.client.ask("POST", f"{API}/admin/products", self.admin, {**good, **wrong})
            problem = self.assert_problem(answer, 400, "bad_request")
            self.assertEqual(problem["field"], next(iter(wrong)), json.dumps(wrong))
        title = {"title": "a\u2069b", "starts_at": iso(60), "ends_at": iso(120)}
        self.assert_problem(self.client.ask("POST", f"{API}/admin/rounds", self.admin, title), 400,
                            "bad_request")
        fine = {**good, "title": "电水壶 ☕️", "pictures": ["https://cdn.example/a.jpg", "/b.jpg"]}
        self.manage("POST", "/products", fine, 201)


if __name__ == "__main__":
    unittest.main()
