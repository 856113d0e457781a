#!/usr/bin/python3
"""deploy/nginx in a real nginx: what it passes on, to whom, how often, and what it answers itself."""
import http.server
import json
import ssl
import subprocess
import sys
import threading
import time
import unittest

from harness import API, UNLIMITED, Client, FloodgateTest, ROOT, embedded_only
from sockets import Audience

sys.path.insert(0, str(ROOT / "tests"))
from front import Front  # noqa: E402  pylint: disable=wrong-import-position
from server_process import free_port  # noqa: E402  pylint: disable=wrong-import-position


class FakeNode:
    """Says 200 to everything, or dies over it, and remembers who asked for what."""

    def __init__(self, dies=False):
        self.requests, self.connections = [], set()
        node = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = 65536  # one write for an answer

            def answer(self):
                size = int(self.headers.get("Content-Length", 0))
                self.rfile.read(size)
                node.requests.append((self.command, self.path, dict(self.headers)))
                node.connections.add(self.client_address)
                if dies:
                    self.close_connection = True
                    return
                etag = '"v1"'
                known = self.headers.get("If-None-Match") == etag
                body = b"" if known else b'{"from":"node"}'
                self.send_response(304 if known else 200)
                self.send_header("ETag", etag)
                self.send_header("Cache-Control", "no-cache")
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = answer

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.at = "127.0.0.1:%d" % self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class NginxTest(FloodgateTest):
    def nodes(self, *behaviours):
        made = [FakeNode(dies) for dies in behaviours]
        for node in made:
            self.addCleanup(node.close)
        return made

    def front(self, nodes, **options):
        front = Front([getattr(n, "at", n) for n in nodes], **options)
        self.addCleanup(front.discard)
        return front.start()

    def client(self, front):
        client = Client(front.address)
        self.addCleanup(client.close)
        return client


@embedded_only("nginx is the same in both modes")
class WhatIsPassedOn(NginxTest):
    PURCHASE = f"{API}/sales/1/orders"

    def test_a_purchase_that_reached_a_node_is_never_sent_to_another(self):
        nodes = self.nodes(True, True)
        client = self.client(self.front(nodes))
        answer = client.post(self.PURCHASE)
        self.assertEqual((answer.status, answer.code), (503, "busy"))
        self.assertEqual(sum(len(n.requests) for n in nodes), 1)

    def test_a_question_is_asked_again_when_its_node_died(self):
        nodes = self.nodes(True, False)
        client = self.client(self.front(nodes))
        for _ in range(4):
            self.assertEqual(client.get(f"{API}/time").status, 200)

    def test_who_cannot_be_reached_is_not_asked(self):
        node = self.nodes(False)[0]
        client = self.client(self.front([f"127.0.0.1:{free_port()}", node]))
        for _ in range(20):
            self.assertEqual(client.post(self.PURCHASE).status, 200)
        self.assertEqual(len(node.requests), 20)

    def test_nobody_is_there(self):
        client = self.client(self.front([f"127.0.0.1:{free_port()}"]))
        answer = client.post(self.PURCHASE, headers={"Accept-Language": "zh-CN"})
        self.assertEqual((answer.status, answer.code), (503, "busy"))
        self.assertEqual(answer.headers["retry-after"], "1")
        self.assertIn("请重试", answer.json["title"])

    def test_what_buyers_claim_of_their_address_is_not_believed(self):
        node = self.nodes(False)[0]
        client = self.client(self.front([node]))
        client.get(f"{API}/time", headers={"X-Forwarded-For": "1.2.3.4", "X-Real-IP": "1.2.3.4"})
        self.assertEqual(node.requests[0][2]["X-Forwarded-For"], "127.0.0.1")

    def test_connections_to_the_nodes_are_used_again(self):
        node = self.nodes(False)[0]
        client = self.client(self.front([node]))
        for _ in range(50):
            client.post(self.PURCHASE)
        self.assertEqual((len(node.requests), len(node.connections)), (50, 1))


@embedded_only("nginx is the same in both modes")
class Showcase(NginxTest):
    def test_one_request_a_second_reaches_a_node(self):
        node = self.nodes(False)[0]
        client = self.client(self.front([node]))
        for path in (f"{API}/rounds", f"{API}/sales/7"):
            began = time.monotonic()
            answers = [client.get(path) for _ in range(200)]
            self.assertEqual({a.status for a in answers}, {200})
            self.assertEqual({a.headers["cache-control"] for a in answers}, {"no-cache"})
            self.assertLess(sum(r[1] == path for r in node.requests), 20 + time.monotonic() - began)

    def test_who_knows_the_page_already_is_told_so(self):
        client = self.client(self.front(self.nodes(False)))
        etag = client.get(f"{API}/rounds").headers["etag"]
        self.assertEqual(client.get(f"{API}/rounds", headers={"If-None-Match": etag}).status, 304)

    def test_the_old_page_is_shown_while_no_node_answers(self):
        node = FakeNode()
        client = self.client(self.front([node]))
        client.get(f"{API}/rounds")
        node.close()
        for _ in range(3):
            self.assertEqual(client.get(f"{API}/rounds").status, 200)

    def test_orders_and_purchases_are_never_kept(self):
        node = self.nodes(False)[0]
        client = self.client(self.front([node]))
        for _ in range(3):
            client.get(f"{API}/orders/1")
            client.get(f"{API}/me")
        self.assertEqual(len(node.requests), 6)


@embedded_only("nginx is the same in both modes")
class Limits(NginxTest):
    def test_one_address_cannot_buy_without_end(self):
        client = self.client(self.front(self.nodes(False), limited=True))
        answers = [client.post(f"{API}/sales/1/orders") for _ in range(600)]
        refused = [a for a in answers if a.status == 429]
        self.assertEqual({a.status for a in answers}, {200, 429})
        self.assertEqual({a.code for a in refused}, {"too_many_requests"})
        self.assertIn("retry-after", refused[0].headers)

    def test_large_bodies_stay_outside(self):
        node = self.nodes(False)[0]
        client = self.client(self.front([node]))
        answer = client.post(f"{API}/sales/1/orders", b"x" * 70000)
        self.assertEqual((answer.status, answer.code), (413, "payload_too_large"))
        self.assertEqual(node.requests, [])

    def test_only_an_admins_bill_may_be_large(self):
        node = self.nodes(False)[0]
        client = self.client(self.front([node]))
        self.assertEqual(client.post(f"{API}/admin/payments/bills", b"x" * 1_000_000).status, 200)
        outside = self.client(self.front([node], insiders=False))
        self.assertEqual(outside.post(f"{API}/admin/payments/bills", b"x").status, 404)
        self.assertEqual(len(node.requests), 1)

    def test_metrics_and_console_are_not_public(self):
        node = self.nodes(False)[0]
        client = self.client(self.front([node], insiders=False))
        for path in ("/metrics", "/readyz", f"{API}/admin/sales", "/nginx-status"):
            self.assertEqual(client.get(path).status, 404, path)
        self.assertEqual(node.requests, [])
        self.assertEqual(client.get("/nginx-health").status, 200)
        inside = self.client(self.front([node]))
        self.assertEqual(inside.get(f"{API}/admin/sales").status, 200)

    def test_tickets_are_not_logged(self):
        front = self.front(self.nodes(False))
        client = self.client(front)
        client.get(f"{API}/ws?ticket=secret-ticket")
        self.wait_until(lambda: f"{API}/ws" in front.access_log())
        self.assertNotIn("secret-ticket", front.access_log())
        self.assertRegex(front.access_log(), r"node=127\.0\.0\.1:\d+ node_status=200 node_time=\d")


@embedded_only("nginx is the same in both modes")
class Tls(NginxTest):
    def test_https_as_in_the_example(self):
        place = self.directory()
        certificate, key = place / "c.pem", place / "k.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                        "/CN=shop.example", "-keyout", key, "-out", certificate], check=True,
                       capture_output=True)
        front = self.front(self.nodes(False), tls=(certificate, key, free_port()))
        context = ssl.create_default_context(cafile=certificate)
        context.check_hostname = False
        client = Client((front.address[0], front.tls[2]))
        self.addCleanup(lambda: client.close())  # pylint: disable=unnecessary-lambda
        client.socket = context.wrap_socket(client.socket)
        answer = client.get(f"{API}/time")
        self.assertEqual(answer.status, 200)
        self.assertIn("strict-transport-security", answer.headers)
        self.assertEqual(json.loads(answer.body), {"from": "node"})


@embedded_only("nginx is the same in both modes")
class ARealNode(NginxTest):
    def test_a_buyer_buys_and_hears_of_it_through_nginx(self):
        shop = self.fixture(users=3, stock=2)
        server = self.serve(shop.data, config=UNLIMITED)
        front = self.front(["%s:%d" % server.address])
        audience = Audience(shop, (1, 2, 3))
        self.addCleanup(audience.close)
        audience.connect(front.address)
        client = self.client(front)
        answers = [client.buy(shop.sales[0], token) for token in shop.tokens]
        self.assertEqual([a.status for a in answers], [202, 202, 409])
        audience.wait_for(lambda: audience.last(1) == audience.last(2) == ("unpaid", ""))
        waited = client.get(f"{API}/orders/{answers[0].json['order_no']}?wait_ms=100", shop.tokens[0])
        self.assertEqual(waited.json["status"], "unpaid")
        self.assertEqual(client.get(f"{API}/rounds").status, 200)


if __name__ == "__main__":
    unittest.main()
