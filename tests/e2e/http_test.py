"""HTTP/1.1 on bare sockets: what is understood, what is refused, and who waits for whom."""
import json
import socket
import time
import unittest

from harness import API, Client, request_bytes
from raw import GET_HEALTH, GET_TIME, PATIENCE, Raw
from recording import FAST, SharedServer


class HttpTest(SharedServer):
    config = FAST + "[edge]\nbody_bytes_max = 4096\n"

    def raw(self, send=b"", **options):
        raw = Raw(self.server.address, send, **options)
        self.addCleanup(raw.socket.close)
        return raw

    def refuse(self, request, status, code, word=""):
        """Sends it; the one answer is this problem, then the server closes without a reset."""
        found = self.raw(request).answers()
        self.assertEqual(len(found), 1, request[:200])
        self.assertEqual((found[0].status, found[0].code), (status, code),
                         (request[:200], found[0].text))
        self.assertEqual(found[0].headers.get("connection"), "close")
        self.assertIn(word, found[0].json.get("detail", ""))

    def test_a_connection_is_kept_and_used_again(self):
        raw = self.raw()
        for _ in range(20):
            raw.send(GET_TIME)
            answer = raw.one()
            self.assertEqual(answer.status, 200)
            self.assertNotIn("connection", answer.headers)
            self.assertIn("date", answer.headers)

    def test_pipelined_requests_are_answered_in_their_order(self):
        sale, token = self.add_sale(), self.register()
        rows = [("GET", f"{API}/time", None, 200), ("GET", "/readyz", None, 200),
                ("GET", f"{API}/nothing", None, 404),
                ("POST", f"{API}/sales/{sale}/orders", {}, 202),
                ("GET", f"{API}/orders", None, 200), ("GET", f"{API}/sales/{sale}", None, 200),
                ("POST", f"{API}/auth/login", {"phone": "1", "password": "x"}, 400),
                ("POST", f"{API}/sales/{sale}/orders", None, 409), ("PUT", f"{API}/me", None, 405)]
        burst = b"".join(request_bytes(method, path, token, body) for method, path, body, _ in rows)
        found = self.raw(burst).answers(len(rows))
        self.assertEqual([a.status for a in found], [status for *_, status in rows])
        many = self.raw(GET_TIME * 500).answers(500)
        self.assertEqual([a.status for a in many], [200] * 500)

    def test_requests_may_come_byte_by_byte(self):
        raw = self.raw()
        body = {"phone": "1", "password": "x"}
        for byte in request_bytes("POST", f"{API}/auth/login", body=body):
            raw.send(bytes([byte]))
        self.assertEqual(raw.one().code, "bad_request")

    def test_http_1_0_closes_unless_asked_to_stay(self):
        found = self.raw(b"GET /healthz HTTP/1.0\r\n\r\n").answers()
        self.assertEqual([a.status for a in found], [200])
        self.assertEqual(found[0].headers["connection"], "close")
        raw = self.raw()
        for _ in range(2):
            raw.send(b"GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            self.assertEqual(raw.one().status, 200)

    def test_connection_close_is_obeyed_and_announced(self):
        for path, status in (("/healthz", 200), ("/readyz", 200), ("/nowhere", 404)):
            found = self.raw(request_bytes("GET", path, headers={"Connection": "close"}) +
                             GET_TIME).answers()
            self.assertEqual([a.status for a in found], [status])
            self.assertEqual(found[0].headers["connection"], "close")

    def test_a_chunked_body_is_put_together(self):
        head = f"POST {API}/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" \
            "Transfer-Encoding: chunked\r\n\r\n"
        body = json.dumps({"phone": "13900009999", "password": "not the one"})
        chunks = "".join(f"{len(c):x};name=\"value\"\r\n{c}\r\n"
                         for c in (body[:1], body[1:9], body[9:]))
        for trailer in ("", "X-Checksum: 1\r\nHost: other\r\n"):
            raw = self.raw((head + chunks + "0\r\n" + trailer + "\r\n").encode() + GET_HEALTH)
            found = raw.answers(2)
            self.assertEqual(found[0].code, "wrong_credentials", found[0].text)
            self.assertEqual(found[1].json, {"status": "live"})

    def test_ambiguous_lengths_are_refused(self):
        post = f"POST {API}/auth/login HTTP/1.1\r\nHost: x\r\n".encode()
        for lines in (b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
                      b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
                      b"Content-Length: 5\r\nContent-Length: 5\r\n",
                      b"Content-Length: 5\r\nContent-Length: 6\r\n",
                      b"Content-Length: 5, 5\r\n", b"Content-Length: -5\r\n",
                      b"Content-Length: +5\r\n", b"Content-Length: 0x5\r\n",
                      b"Content-Length: \r\n",
                      b"Content-Length: 99999999999999999999\r\n",
                      b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
                      b"Transfer-Encoding: gzip\r\n", b"Transfer-Encoding: gzip, chunked\r\n",
                      b"Transfer-Encoding: chunked, gzip\r\n", b"Transfer-Encoding: identity\r\n",
                      b"Transfer-Encoding: xchunked\r\n", b"Transfer-Encoding : chunked\r\n",
                      b"Transfer-Encoding:\r\n"):
            self.refuse(post + lines + b"\r\n5\r\nhello\r\n0\r\n\r\n" + GET_TIME,
                        400, "bad_request")
        self.refuse(post.replace(b"1.1", b"1.0") + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                    400, "bad_request")

    def test_broken_chunks_are_refused(self):
        head = f"POST {API}/auth/login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
        for chunks in ("x\r\nhello\r\n", "5\r\nhelloworld\r\n", "-5\r\nhello\r\n",
                       "fffffffffffffffff\r\nhello\r\n", ";a=b\r\n\r\n\r\n"):
            self.refuse((head + chunks).encode(), 400, "bad_request")
        self.refuse((head + "1001\r\n").encode(), 413, "payload_too_large")
        self.refuse((head + "800\r\n" + "a" * 2048 + "\r\n801\r\n").encode(),
                    413, "payload_too_large")

    def test_framing_without_end_is_not_hoarded(self):
        """Chunk extensions and trailers are kept until they are whole: they have a limit too."""
        head = f"POST {API}/auth/login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
        for start in ("5;", "0\r\nX-Trailer: "):
            self.refuse((head + start).encode() + b"a" * 200_000, 431, "header_too_large")

    def test_a_request_has_one_host(self):
        for hosts in (b"", b"Host: a\r\nHost: b\r\n", b"Host: a\r\nhost: a\r\n"):
            self.refuse(b"GET /healthz HTTP/1.1\r\n" + hosts + b"\r\n", 400, "bad_request", "Host")

    def test_folded_lines_are_refused(self):
        for lines in (b"Token: abc\r\n def\r\n", b"Host: a\r\n b\r\n", b"X-Other: a\r\n\tb\r\n",
                      b"Content-Length:\r\n 0\r\n"):
            host = b"" if lines.startswith(b"Host") else b"Host: x\r\n"
            self.refuse(b"GET /healthz HTTP/1.1\r\n" + host + lines + b"\r\n", 400, "bad_request")

    def test_what_is_not_http_is_refused(self):
        for garbage in (b"hello\r\n\r\n", b"\x00\xff\xfe\r\n\r\n", b"GET\r\n\r\n", b"GET /\r\n\r\n",
                        b"GET / HTTP/2.0\r\nHost: x\r\n\r\n", b"GET / HTTP/1.2\r\nHost: x\r\n\r\n",
                        b"GET  / HTTP/1.1\r\nHost: x\r\n\r\n",
                        b"G\x01T / HTTP/1.1\r\nHost: x\r\n\r\n",
                        b"GET /\x00 HTTP/1.1\r\nHost: x\r\n\r\n",
                        b"GET x HTTP/1.1\r\nHost: x\r\n\r\n",
                        b"GET / HTTP/1.1\r\nHost : x\r\n\r\n", b"GET / HTTP/1.1\r\n: x\r\n\r\n",
                        b"GET / HTTP/1.1\r\nHost: x\r\nbroken line\r\n\r\n",
                        b"GET / HTTP/1.1\r\nHost: x\r\nA: \x00\r\n\r\n",
                        b"GET / HTTP/1.1\nHost: x\n\n\r\n\r\n",
                        b"GET / HTTP/1.1\r\nHost: x\nToken: y\r\n\r\n",
                        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\r\n\r\n"):
            self.refuse(garbage, 400, "bad_request")

    def test_empty_lines_before_a_request_are_ignored(self):
        found = self.raw(b"\r\n\r\n" + GET_TIME + b"\r\n" + GET_TIME).answers(2)
        self.assertEqual([a.status for a in found], [200, 200])

    def test_heads_and_addresses_have_a_limit(self):
        big = request_bytes("GET", "/healthz", headers={f"X-{n}": "y" * 90 for n in range(100)})
        self.refuse(big, 431, "header_too_large")
        self.refuse(b"GET /healthz HTTP/1.1\r\nHost: x\r\nX: " + b"y" * 1_000_000, 431,
                    "header_too_large")
        self.refuse(request_bytes("GET", "/" + "y" * 3000), 414, "uri_too_long")
        self.refuse(b"GET /" + b"y" * 100_000, 414, "uri_too_long")
        long_enough = self.raw(request_bytes("GET", "/" + "y" * 2000)).one()
        self.assertEqual(long_enough.code, "not_found")

    def test_bodies_have_a_limit_and_the_refusal_arrives(self):
        head = request_bytes("POST", f"{API}/auth/login", headers={"Content-Length": 50_000_000})
        head = head.replace(b"Content-Length: 0\r\n", b"")
        self.refuse(head, 413, "payload_too_large")
        self.refuse(head + b"x" * 3_000_000, 413, "payload_too_large")
        fits = self.raw(request_bytes("POST", f"{API}/auth/login", body=b"x" * 4096)).one()
        self.assertEqual(fits.code, "bad_request")

    def test_other_expectations_than_100_continue_are_refused(self):
        self.refuse(request_bytes("POST", f"{API}/auth/login", headers={"Expect": "200-ok"}),
                    417, "expectation_failed", "100-continue")

    def test_after_a_half_close_the_answers_still_come(self):
        token = self.register()
        for request, status in ((GET_TIME, 200), (request_bytes("GET", "/readyz"), 200),
                                (request_bytes("GET", f"{API}/orders", token), 200),
                                (request_bytes("POST", f"{API}/sales/{self.add_sale()}/orders",
                                               token), 202)):
            raw = self.raw(request)
            raw.finish()
            self.assertEqual([a.status for a in raw.answers()], [status])
        raw = self.raw(GET_TIME[:-3])
        raw.finish()
        self.assertEqual(raw.answers(), [], "half a request gets no answer, and no reset")

    def test_a_slow_reader_holds_up_nobody_else(self):
        page = request_bytes("GET", f"{API}/openapi.json")
        slow = self.raw(page * 60, receive_bytes=4096)  # megabytes of answers it does not read
        with Client(self.server.address) as other:
            begin = time.monotonic()
            for _ in range(50):
                self.assertEqual(other.get("/readyz").status, 200)
            self.assertLess(time.monotonic() - begin, PATIENCE)
        self.assertEqual([a.status for a in slow.answers(60)], [200] * 60)

    def test_many_who_hang_up_early_do_no_harm(self):
        token = self.register()
        buy = request_bytes("POST", f"{API}/sales/{self.add_sale()}/orders", token)
        for n in range(100):
            with Raw(self.server.address, (buy, GET_TIME * 50, GET_TIME[:9], b"")[n % 4]) as raw:
                if n % 8 < 4:  # a reset instead of a farewell
                    raw.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                          b"\x01\0\0\0\0\0\0\0")
        self.assertEqual(self.client.get("/healthz").status, 200)
        deadline = time.monotonic() + PATIENCE
        while self.server.metric("floodgate_connections") > 20 and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertLessEqual(self.server.metric("floodgate_connections"), 20)


if __name__ == "__main__":
    unittest.main()
