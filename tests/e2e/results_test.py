"""How buyers hear of their orders: long polls and WebSockets."""
import asyncio
import base64
import json
import logging
import os
import socket
import ssl
import struct
import subprocess
import time
import unittest

import websockets

from harness import API, UNLIMITED, FloodgateTest, lock_ledger, request_bytes

PATIENCE = 60
logging.getLogger("asyncio").setLevel(logging.ERROR)  # it would tell how long our requests take
HANDSHAKE = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
             "Sec-WebSocket-Key": base64.b64encode(bytes(16)).decode()}


class Base(FloodgateTest, unittest.IsolatedAsyncioTestCase):

    def open_shop(self, users=3, stock=100, limit=1, sales=1, config=""):
        self.shop = self.fixture(users, stock, sales=sales, limit=limit)
        self.server_ = self.serve(self.shop.data, config=UNLIMITED + config)
        self.client = self.server_.client()
        self.addCleanup(self.client.close)

    def buy(self, user=0, sale=0):
        answer = self.client.buy(self.shop.sales[sale], self.shop.tokens[user])
        self.assertEqual(answer.status, 202)
        return answer.json["order_no"]

    def ticket(self, user=0):
        answer = self.client.post(f"{API}/ws/ticket", token=self.shop.tokens[user])
        self.assertEqual(answer.status, 201)
        return answer.json["ticket"]

    def url(self, user=0, since=None, scheme="ws"):
        host, port = self.server_.address
        rest = "" if since is None else f"&since={since}"
        return f"{scheme}://{host}:{port}{API}/ws?ticket={self.ticket(user)}{rest}"

    async def connect(self, url, **options):
        stream = await websockets.connect(url, ping_interval=None, open_timeout=PATIENCE,
                                          **options)
        self.addAsyncCleanup(stream.close)
        return stream

    async def heard(self, stream):
        return json.loads(await asyncio.wait_for(stream.recv(), PATIENCE))

    async def listen(self, user=0, since=None, **options):
        """(the socket, its hello)"""
        stream = await self.connect(self.url(user, since), **options)
        hello = await self.heard(stream)
        self.assertEqual(hello["type"], "hello")
        return stream, hello

    async def end_of(self, stream):
        """The code it is closed with."""
        await asyncio.wait_for(stream.wait_closed(), PATIENCE)
        return stream.close_code

    async def silence(self, stream, seconds=0.3):
        with self.assertRaises(asyncio.TimeoutError):
            await asyncio.wait_for(stream.recv(), seconds)

    def upgrade(self, path, **headers):
        """The answer to a handshake, over a connection of its own."""
        with self.server_.client() as client:
            return client.get(path, headers={**HANDSHAKE, **headers})


class PushTest(Base):

    async def test_what_was_bought_before_connecting_is_in_the_hello(self):
        self.open_shop()
        with_lock = lock_ledger(self.shop.data)
        order = self.buy()
        _, hello = await self.listen()
        self.assertEqual([(o["order_no"], o["status"]) for o in hello["orders"]],
                         [(order, "queued")])
        self.assertEqual((hello["events"], hello["last_event"]), ([], 0))
        self.assertEqual(hello["heartbeat_ms"], 30000)
        with_lock.close()
        self.client.get(f"{API}/orders/{order}?wait_ms=30000", self.shop.tokens[0])
        _, hello = await self.listen()
        self.assertEqual(hello["orders"][0]["status"], "unpaid")

    async def test_every_tab_of_the_buyer_hears_and_nobody_else(self):
        self.open_shop()
        lock = lock_ledger(self.shop.data)
        tabs = [(await self.listen())[0] for _ in range(2)]
        other, _ = await self.listen(user=1)
        order = self.buy()
        lock.close()
        for tab in tabs:
            news = await self.heard(tab)
            self.assertEqual((news["type"], news["event"]), ("order", 0))
            asked = self.client.order(order, self.shop.tokens[0]).json
            self.assertEqual(news["order"], {k: asked[k] for k in asked if not k.startswith("product_")})
            self.assertEqual(news["order"]["status"], "unpaid")
        await self.silence(other)

    async def test_a_reconnect_sees_nothing_twice(self):
        self.open_shop(limit=3)
        first, hello = await self.listen()
        self.buy()
        await self.heard(first)
        await first.close()
        again, hello = await self.listen(since=hello["last_event"])
        self.assertEqual((len(hello["orders"]), hello["events"]), (1, []))
        await self.silence(again)
        self.buy()
        self.assertEqual((await self.heard(again))["order"]["status"], "unpaid")

    async def test_a_ping_is_answered(self):
        self.open_shop()
        stream, _ = await self.listen()
        await stream.send('{"type":"ping"}')
        self.assertEqual(await self.heard(stream), {"type": "pong"})
        waiter = await stream.ping()  # the protocol's own
        await asyncio.wait_for(waiter, PATIENCE)

    async def test_what_is_not_understood_ends_it(self):
        self.open_shop(config="[ws]\nper_user_max = 9\n")
        for message, code in (("x", 1008), ('{"type":"pong"}', 1008), (b'{"type":"ping"}', 1003),
                              ("x" * 1025, 1009), ("x" * 100_000, 1009)):
            stream, _ = await self.listen()
            await stream.send(message)
            self.assertEqual(await self.end_of(stream), code, message[:20])
        stream, _ = await self.listen()
        with self.assertRaises(websockets.ConnectionClosed):
            for _ in range(1000):
                await stream.send('{"type":"ping"}')
                await asyncio.sleep(0.001)
        self.assertEqual(await self.end_of(stream), 1008)
        stream, _ = await self.listen()
        for _ in range(50):
            await stream.pong()
        self.assertEqual(await self.end_of(stream), 1008)

    async def test_the_sixth_replaces_the_oldest(self):
        self.open_shop()
        tabs = [(await self.listen())[0] for _ in range(5)]
        other, _ = await self.listen(user=1)
        sixth, _ = await self.listen()
        self.assertEqual(await self.end_of(tabs[0]), 4000)
        self.assertEqual(tabs[0].close_reason, "replaced")
        self.buy()
        for tab in [*tabs[1:], sixth]:
            self.assertEqual((await self.heard(tab))["type"], "order")
        self.assertTrue(other.open)

    async def test_whoever_does_not_read_is_cut_and_slows_nobody(self):
        self.open_shop(users=2, stock=5000, limit=1000, sales=5)
        quick, _ = await self.listen(user=1)
        slow = socket.socket()
        self.addCleanup(slow.close)
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        slow.connect(self.server_.address)
        path = self.url().split("/", 3)[3]
        slow.sendall(request_bytes("GET", f"/{path}", headers=HANDSHAKE))
        for wave in range(90):
            # Fewer than may wait: it is cut for not reading, not for one large wave.
            orders = [self.buy(sale=wave // 20) for _ in range(40)]
            self.client.get(f"{API}/orders/{orders[-1]}?wait_ms=30000", self.shop.tokens[0])
            if self.server_.metric("floodgate_sockets_overflowed_total"):
                break
        self.assertEqual(self.server_.metric("floodgate_sockets_overflowed_total"), 1)
        begin = time.monotonic()
        self.buy(user=1)
        self.assertEqual((await self.heard(quick))["order"]["status"], "unpaid")
        self.assertLess(time.monotonic() - begin, 30)
        self.wait_until(lambda: self.server_.metric("floodgate_sockets") == 1,
                        what="the slow one was not cut")

    async def test_whoever_is_dead_is_noticed(self):
        self.open_shop(config="[ws]\nheartbeat_ms = 2000\n")
        alive, hello = await self.listen()
        self.assertEqual(hello["heartbeat_ms"], 2000)

        def meet_the_dead():
            with self.server_.client() as dead:
                path = "/" + self.url().split("/", 3)[3]
                self.assertEqual(dead.get(path, headers=HANDSHAKE).status, 101)
                self.wait_until(lambda: self.server_.metric("floodgate_sockets") == 2)
                self.wait_until(lambda: self.server_.metric("floodgate_sockets") == 1)
        # On a thread: this one answers the pings of the living.
        await asyncio.to_thread(meet_the_dead)
        self.assertTrue(alive.open)

    async def test_a_stop_says_goodbye(self):
        self.open_shop()
        streams = [(await self.listen(user))[0] for user in (0, 1)]
        lock = lock_ledger(self.shop.data)
        order = self.buy()
        with self.server_.client() as waiting:
            waiting.send(request_bytes("GET", f"{API}/orders/{order}?wait_ms=30000",
                                       self.shop.tokens[0]))
            self.wait_until(lambda: self.server_.metric("floodgate_order_waiters") == 1)
            stopped = asyncio.create_task(asyncio.to_thread(self.server_.stop))
            for stream in streams:
                self.assertEqual(await self.end_of(stream), 1001)
            self.assertEqual(waiting.receive().json["status"], "queued")
        lock.close()
        self.assertEqual(await stopped, 0)

    async def test_over_tls(self):
        certificate, key = self.place / "certificate.pem", self.place / "key.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key, "-out",
                        certificate, "-days", "2", "-subj", "/CN=localhost", "-addext",
                        "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
        shop = self.fixture(users=1, stock=5)
        server = self.server(shop.data, config=UNLIMITED + "[edge]\n"
                             f'tls_certificate_file = "{certificate}"\ntls_key_file = "{key}"\n')
        server.launch()
        self.wait_until(lambda: "https://" in server.said())
        where = server.said().split("https://")[1].split("/")[0].split()[0]
        trust = ssl.create_default_context(cafile=certificate)

        async def ask(method, path):
            reader, writer = await asyncio.open_connection(*where.split(":"), ssl=trust)
            writer.write(request_bytes(method, path, shop.tokens[0]))
            head = await reader.readuntil(b"\r\n\r\n")
            size = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
            body = json.loads(await reader.readexactly(size))
            writer.close()
            return int(head[9:12]), body

        deadline = time.monotonic() + PATIENCE
        while (await ask("GET", "/readyz"))[0] != 200:
            self.assertLess(time.monotonic(), deadline, "it did not get ready")
            await asyncio.sleep(0.02)
        streams = []
        for _ in range(2):
            ticket = (await ask("POST", f"{API}/ws/ticket"))[1]["ticket"]
            streams.append(await self.connect(f"wss://{where}{API}/ws?ticket={ticket}", ssl=trust))
            self.assertEqual((await self.heard(streams[-1]))["type"], "hello")
        status, body = await ask("POST", f"{API}/sales/{shop.sales[0]}/orders")
        self.assertEqual(status, 202, body)
        for stream in streams:
            self.assertEqual((await self.heard(stream))["order"]["status"], "unpaid")
        await streams[0].close()
        self.assertEqual(await asyncio.to_thread(server.stop), 0)
        self.assertEqual(await self.end_of(streams[1]), 1001)


class DoorTest(Base):
    """Who gets a WebSocket and who does not."""

    async def test_a_ticket_is_good_for_one_socket(self):
        self.open_shop()
        url = self.url()
        await self.connect(url)
        with self.assertRaises(websockets.InvalidStatusCode) as refused:
            await self.connect(url)
        self.assertEqual(refused.exception.status_code, 401)

    def test_nothing_else_is_a_ticket(self):
        self.open_shop()
        token = self.shop.tokens[0]
        for query in ("", "?ticket=", f"?ticket={token}",
                      f"?ticket={'x' * 32}", f"?ticket={'x' * 1500}"):
            answer = self.upgrade(f"{API}/ws{query}", Authorization=f"Bearer {token}")
            self.assertEqual((answer.status, answer.code), (401, "unauthenticated"), query)
        unknown = self.upgrade(f"{API}/ws?token={token}", Authorization=f"Bearer {token}")
        self.assertEqual((unknown.status, unknown.code), (400, "bad_request"))
        self.assertEqual(self.client.post(f"{API}/ws/ticket").status, 401)

    async def test_pages_of_other_origins_are_refused(self):
        self.open_shop(config='[ws]\nallowed_origins = ["https://shop.example"]\n')
        host, port = self.server_.address
        for origin in (f"http://{host}:{port}", f"https://{host}:{port}", "https://shop.example"):
            await self.connect(self.url(), origin=origin)
        for origin in ("https://evil.example", f"http://{host}", "null"):
            with self.assertRaises(websockets.InvalidStatusCode) as refused:
                await self.connect(self.url(), origin=origin)
            self.assertEqual(refused.exception.status_code, 403)
        path = f"{API}/ws?ticket={self.ticket()}"
        self.assertEqual(self.upgrade(path, Origin="http://evil").code, "forbidden")
        self.assertEqual(self.upgrade(path).status, 101)  # the ticket was not used up

    def test_it_must_be_an_upgrade_and_nothing_behind_it(self):
        self.open_shop()
        path = f"{API}/ws?ticket={self.ticket()}"
        answer = self.client.get(path)
        self.assertEqual((answer.status, answer.code), (426, "upgrade_required"))
        self.assertEqual(answer.headers["upgrade"], "websocket")
        self.assertEqual(self.upgrade(path, **{"Sec-WebSocket-Version": "7"}).status, 426)
        self.assertEqual(self.upgrade(path, **{"Sec-WebSocket-Key": "x"}).status, 400)
        self.assertEqual(self.upgrade(path + "&since=-1").status, 400)
        with self.server_.client() as client:
            client.send(request_bytes("GET", path, headers=HANDSHAKE) + b"\x81\x80\0\0\0\0")
            self.assertEqual(client.receive().status, 400)
        self.assertEqual(self.client.post(path).status, 405)
        self.assertEqual(self.upgrade(path).status, 101)

    async def test_there_are_so_many_and_no_more(self):
        self.open_shop(config="[ws]\nconnections_max = 2\n")
        first, _ = await self.listen()
        await self.listen(user=1)
        path = "/" + self.url(user=2).split("/", 3)[3]
        answer = self.upgrade(path)
        self.assertEqual((answer.status, answer.code), (503, "busy"))
        self.assertEqual(self.server_.metric("floodgate_sockets_refused_total"), 1)
        await first.close()
        self.wait_until(lambda: self.server_.metric("floodgate_sockets") == 1)
        await self.listen(user=2)

    def test_frames_that_break_the_protocol_do_no_harm(self):
        self.open_shop(config="[ws]\nper_user_max = 99\n")
        for noise in (b"\x81\x05hello", b"\xff" * 50, b"\x81\xff" + b"\xff" * 12, os.urandom(500),
                      b"\x89\xfe" + struct.pack(">H", 200) + b"\0" * 204, b"\x88\x80\0\0\0\0",
                      b"\x00\x80\0\0\0\0", b"\x81\x82\0\0\0\0\xff\xff"):
            with self.server_.client(timeout_s=PATIENCE) as client:
                answer = client.get("/" + self.url().split("/", 3)[3], headers=HANDSHAKE)
                self.assertEqual(answer.status, 101)
                client.send(noise)
                client.socket.shutdown(socket.SHUT_WR)
                while client.socket.recv(65536):
                    pass
        self.wait_until(lambda: self.server_.metric("floodgate_sockets") == 0)
        self.assertTrue(self.server_.running())


class LongPollTest(Base):

    def poll(self, order, query, user=0):
        begin = time.monotonic()
        answer = self.client.get(f"{API}/orders/{order}?{query}", self.shop.tokens[user])
        return answer, time.monotonic() - begin

    def test_it_answers_when_the_order_is_entered(self):
        self.open_shop()
        lock = lock_ledger(self.shop.data)
        order = self.buy()
        with self.server_.client(self.shop.tokens[0]) as waiting:
            waiting.send(request_bytes("GET", f"{API}/orders/{order}?wait_ms=30000",
                                       self.shop.tokens[0]))
            self.wait_until(lambda: self.server_.metric("floodgate_order_waiters") == 1)
            lock.close()
            self.assertEqual(waiting.receive().json["status"], "unpaid")
            self.assertEqual(waiting.order(order).json["status"], "unpaid")  # it lives on
        self.assertEqual(self.server_.metric("floodgate_order_waiters"), 0)

    def test_it_answers_with_what_is_so_when_the_time_is_over(self):
        self.open_shop()
        lock = lock_ledger(self.shop.data)
        order = self.buy()
        answer, took = self.poll(order, "wait_ms=400")
        self.assertEqual((answer.status, answer.json["status"]), (200, "queued"))
        self.assertTrue(0.4 <= took < 15, took)
        lock.close()
        self.assertEqual(self.poll(order, "wait_ms=30000")[0].json["status"], "unpaid")
        answer, took = self.poll(order, "wait_ms=400&while=unpaid")
        self.assertEqual(answer.json["status"], "unpaid")
        self.assertGreaterEqual(took, 0.4)
        for query in ("wait_ms=30000", "wait_ms=30000&while=paid", "wait_ms=0&while=unpaid"):
            answer, took = self.poll(order, query)
            self.assertEqual(answer.json["status"], "unpaid")
            self.assertLess(took, 15)

    def test_it_refuses_nonsense_and_foreign_orders_at_once(self):
        self.open_shop()
        order = self.buy()
        for query, field in (("wait_ms=-1", "wait_ms"), ("wait_ms=30001", "wait_ms"),
                             ("wait_ms=soon", "wait_ms"), ("wait_ms=9&while=lost", "while")):
            answer, _ = self.poll(order, query)
            self.assertEqual((answer.status, answer.json["field"]), (400, field))
        for user, number in ((1, order), (0, 1), (0, 2**63 - 1)):
            answer, took = self.poll(number, "wait_ms=30000", user)
            self.assertEqual(answer.status, 404)
            self.assertLess(took, 15)
        self.assertEqual(self.client.get(f"{API}/orders/{order}?wait_ms=30000").status, 401)
        self.assertEqual(self.server_.metric("floodgate_order_waiters"), 0)

    def test_whoever_hangs_up_waits_no_more(self):
        self.open_shop(config="[results]\nwaiters_max = 2\n")
        lock = lock_ledger(self.shop.data)
        self.addCleanup(lock.close)
        order = self.buy()
        waiting = [self.server_.client() for _ in range(2)]
        for client in waiting:
            client.send(request_bytes("GET", f"{API}/orders/{order}?wait_ms=30000",
                                      self.shop.tokens[0]))
        self.wait_until(lambda: self.server_.metric("floodgate_order_waiters") == 2)
        _, took = self.poll(order, "wait_ms=30000")  # one too many: answered at once
        self.assertLess(took, 15)
        waiting[0].close()
        waiting[1].socket.shutdown(socket.SHUT_WR)  # it sends no more, but reads on
        self.assertEqual(waiting[1].receive().json["status"], "queued")
        waiting[1].close()
        self.wait_until(lambda: self.server_.metric("floodgate_order_waiters") == 0)


if __name__ == "__main__":
    unittest.main()
