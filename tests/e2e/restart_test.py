#!/usr/bin/python3
"""A server that stops, and one that must not start."""
import contextlib
import re
import shutil
import signal
import socket
import threading
import time
import unittest

from harness import (API, MANY_LOOPS, UNLIMITED, Attempt, Crowd, FloodgateTest, check,
                     embedded_only, held_in, lock_ledger, orders_in, request_bytes)


class InTheMiddleOfASale(FloodgateTest):
    BUYERS, STOCK = 1000, 400

    def test_the_sale_goes_on_after_a_graceful_stop(self):
        self.goes_on_after(lambda server: self.assertEqual(server.stop(), 0))

    def test_the_sale_goes_on_after_kill_9(self):
        self.goes_on_after(lambda server: server.kill())

    def test_the_sale_goes_on_when_the_clerk_had_entered_nothing(self):
        def end(server):
            server.kill()
            self.lock.close()
        self.goes_on_after(end, locked=True)

    def goes_on_after(self, end, locked=False):
        shop = self.fixture(users=self.BUYERS, stock=self.STOCK)
        server = self.serve(shop.data, config=UNLIMITED)
        if locked:
            self.lock = lock_ledger(shop.data)
        before = Crowd(server.address, 50).rush(Attempt(shop, b) for b in range(1, 151))
        self.assertEqual({a.status for a in before}, {202})
        end(server)
        server.start()

        with server.client() as client:
            seen = client.get(f"{API}/sales/{shop.sales[0]}").json
        self.assertEqual((seen["stock"], seen["free"]), (self.STOCK, self.STOCK - 150))
        again = Crowd(server.address, 50).rush(Attempt(shop, b) for b in range(1, 151))
        self.assertEqual([(a.code, a.order_no) for a in again],
                         [("already_ordered", a.order_no) for a in before])
        rest = Crowd(server.address, 50).rush(
            Attempt(shop, b) for b in range(151, self.BUYERS + 1) for _ in range(2))
        self.assertEqual(sum(a.accepted for a in rest), self.STOCK - 150)

        self.settle(server)
        self.assertEqual(server.stop(), 0)
        self.assertEqual(
            orders_in(shop.data),
            {a.order_no: (a.sale, a.buyer, 1, "unpaid") for a in before + rest if a.accepted})
        self.assert_clean(shop.data)


class GracefulStop(FloodgateTest):

    def test_a_rush_is_finished_what_was_read_is_answered_what_was_not_read_is_not_sold(self):
        shop = self.fixture(users=30000, stock=30000)
        server = self.server(shop.data, config=UNLIMITED + MANY_LOOPS)
        told, first = {}, 1
        for after_s in (0.01, 0.05, 0.1, 0.2, 0.3):
            server.start()
            timers = []

            def begin(after_s=after_s, timers=timers):
                timers.append(threading.Timer(after_s, server.process.send_signal,
                                              [signal.SIGTERM]))
                timers[0].start()
            made = Crowd(server.address, 200).rush(
                (Attempt(shop, b) for b in range(first, first + 5800)), at_start=begin)
            timers[0].join()
            self.assertEqual(server.wait(), 0)
            first += 5800
            self.assertLessEqual({(a.fate, a.status) for a in made},
                                 {("answered", 202), ("unanswered", 0), ("unsent", 0)})
            told.update({a.order_no: (a.sale, a.buyer, 1, "unpaid") for a in made if a.accepted})
            self.settle_again(server)
            # Equal, not only contained: whoever got no answer got no order either.
            self.assertEqual(orders_in(shop.data), told)
        self.assert_clean(shop.data)

    def test_slow_requests_under_way_are_answered(self):
        shop = self.fixture(users=1, stock=1)
        server = self.serve(shop.data, config="[edge]\nstop_within_ms = 60000\n")
        clients = [server.client() for _ in range(6)]
        for i, client in enumerate(clients):  # hashing passwords, one after the other
            self.addCleanup(client.close)
            client.send(request_bytes("POST", f"{API}/auth/register", body={
                "phone": f"1390000000{i}", "password": "correct horse", "nickname": "Li"}))
        # All of them are answered or in the pool, and so is the question itself.
        self.wait_until(lambda: server.metric('floodgate_http_answers_total{status="201"}') +
                        server.metric("floodgate_pool_waiting") >= 7)
        server.process.send_signal(signal.SIGTERM)
        answers = [client.receive() for client in clients]
        self.assertEqual([a.status for a in answers], [201] * 6)
        self.assertEqual(server.wait(), 0)

    def test_purchases_waiting_for_the_disk_are_answered(self):
        """Pipelined: what was answered was the first of them, the rest was never judged."""
        shop = self.fixture(users=50, stock=100)
        server = self.serve(shop.data)
        clients = [server.client() for _ in range(50)]
        for client, token in zip(clients, shop.tokens):
            self.addCleanup(client.close)
            client.send(request_bytes("POST", f"{API}/sales/{shop.sales[0]}/orders", token) * 3)
        server.process.send_signal(signal.SIGTERM)
        told = {}
        for buyer, client in enumerate(clients, 1):
            with contextlib.suppress(ConnectionError):
                while True:
                    answer = client.receive()
                    self.assertIn(answer.status, (202, 409))
                    told[answer.json["order_no"]] = (shop.sales[0], buyer, 1, "unpaid")
        self.assertEqual(server.wait(), 0)
        self.settle_again(server)
        self.assertEqual(orders_in(shop.data), told)

    def test_an_idle_connection_does_not_hold_it_up(self):
        shop = self.fixture(users=1, stock=1)
        server = self.serve(shop.data, config="[edge]\nstop_within_ms = 60000\nhead_ms = 60000\n")
        with server.client() as idle, server.client() as half:
            idle.get("/healthz")
            half.send(b"POST /api/v1/sales/1/orders HTTP/1.1\r\nHost: x\r\n")
            began = time.monotonic()
            self.assertEqual(server.stop(), 0)
            self.assertLess(time.monotonic() - began, 30)
            with self.assertRaises(ConnectionError):
                idle.receive()


class RefusesToStart(FloodgateTest):

    def setUp(self):
        super().setUp()
        self.shop = self.fixture(users=600, stock=600)
        self.server_ = self.server(self.shop.data)
        self.journal = self.shop.data / "journal"

    def sell(self, first, last):
        """Sells and stops: the journal is sealed then."""
        self.server_.start()
        for start in range(first, last, 100):  # several records
            made = Crowd(self.server_.address, 20).rush(
                Attempt(self.shop, b) for b in range(start, min(start + 100, last)))
            self.assertEqual({a.status for a in made}, {202})
        self.assertEqual(self.server_.stop(), 0)

    def assert_refuses(self, pattern, server=None):
        """Exit code 1, and one line that is the reason; before it only what start-up reports."""
        code, said = (server or self.server_).refuse_to_start()
        self.assertEqual(code, 1, said)
        reasons = [line for line in said.splitlines() if not re.match(r"\d{4}-\d\d-\d\dT", line)]
        self.assertEqual(len(reasons), 1, said)
        self.assertRegex(reasons[0], "^floodgate: .*" + pattern)
        return reasons[0]

    def segment(self):
        return sorted(self.journal.glob("*.journal"))[-1]

    @embedded_only("nodes share what they have")
    def test_a_second_server_on_the_same_data(self):
        self.server_.start()
        second = self.server(self.shop.data)
        self.assert_refuses(re.escape(str(self.journal)) + " is in use by another process", second)
        self.assertTrue(self.server_.running())
        with self.server_.client() as client:
            self.assertEqual(client.buy(self.shop.sales[0], self.shop.tokens[0]).status, 202)
        self.assertRegex(check(self.shop.data)[0], "in use by a running server")
        self.assertEqual(self.server_.stop(), 0)
        self.assert_clean(self.shop.data)

    def test_a_port_that_is_taken(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            server = self.server(self.shop.data, listen=f"127.0.0.1:{port}")
            self.assert_refuses(f"cannot listen on 127.0.0.1:{port}: Address already in use",
                                server)
        server.start()  # now it is free, and the failed start has done no harm
        self.assertEqual(server.address[1], port)

    def test_a_port_another_floodgate_has(self):
        self.server_.start()
        other = self.fixture(users=1, stock=1, name="other")
        listen = "{}:{}".format(*self.server_.address)
        for loops in (1, 3):  # one socket, and several that share the port
            server = self.server(other.data, listen=listen, config=f"[edge]\nloops = {loops}\n")
            self.assert_refuses(f"cannot listen on {listen}: Address already in use", server)

    @embedded_only("the journal")
    def test_a_flipped_byte_in_the_journal(self):
        self.sell(1, 301)
        sound = self.segment().read_bytes()
        used = len(sound.rstrip(b"\0"))
        record = sound.find(b"FGR1", used // 2) - 4
        for place in (4, 70, used // 3, record + 1, record + 45, used // 2, used - 4):
            with self.subTest(offset=place):
                broken = bytearray(sound)
                broken[place] ^= 0x10
                self.segment().write_bytes(broken)
                said = self.assert_refuses(re.escape(str(self.segment())) + r" at offset \d+: ")
                offset = int(re.search(r"at offset (\d+)", said)[1])
                self.assertLessEqual(offset, place, "the record that is broken begins before it")
                self.assertRegex(check(self.shop.data)[0], rf"at offset {offset}")
                self.assertEqual(self.segment().read_bytes(), broken, "it must not touch it")
        self.segment().write_bytes(sound)
        self.sell(301, 401)
        self.assert_clean(self.shop.data)

    @embedded_only("the journal")
    def test_a_journal_that_is_gone_or_older_than_the_ledger(self):
        self.sell(1, 101)
        old = self.segment().read_bytes()
        self.sell(101, 201)
        new = self.segment().read_bytes()
        ends = r"the journal ends with promise {}, but the ledger has entered up to 200"

        self.segment().write_bytes(old)
        self.assert_refuses(ends.format(100))
        self.segment().unlink()
        self.assert_refuses(ends.format(0))
        self.assertRegex(check(self.shop.data)[0], "the ledger has entered 200 promises")
        shutil.rmtree(self.journal)
        self.assertRegex(check(self.shop.data)[0], "the ledger has entered 200 promises")
        self.assert_refuses(ends.format(0))
        self.journal.mkdir()  # the refusal left none behind

        (self.journal / f"{1:020}.journal").write_bytes(new)
        self.sell(201, 301)
        self.assertEqual(held_in(self.shop.data, self.shop.sales[0]), 300)
        self.assert_clean(self.shop.data)

    @embedded_only("the journal")
    def test_a_journal_whose_ledger_is_gone(self):
        """An empty ledger beside it would turn everything promised into failed orders."""
        self.sell(1, 101)
        kept = self.place / "kept"
        kept.mkdir()
        for file in self.shop.data.glob("ledger.db*"):
            file.rename(kept / file.name)
        self.assert_refuses("there is a journal, but no ledger")
        self.assertRegex(check(self.shop.data)[0], "there is no ledger here")
        for file in kept.iterdir():
            file.rename(self.shop.data / file.name)
        self.sell(101, 201)
        self.assert_clean(self.shop.data)


if __name__ == "__main__":
    unittest.main()
