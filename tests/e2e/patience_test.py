"""Those who are slow, idle or too many."""
import time
import unittest

from harness import API, request_bytes, take_answer
from raw import GET_TIME, PATIENCE, Raw
from recording import FAST, SharedServer


class PatienceTest(SharedServer):
    config = FAST + "[edge]\nhead_ms = 400\nbody_ms = 400\nidle_ms = 500\nwrite_ms = 600\n"

    def drip(self, start, drop):
        """Sends a byte every 50 ms until the server answers; how long that took."""
        begin = time.monotonic()  # before the server can begin to count
        with Raw(self.server.address, start) as raw:
            raw.socket.settimeout(0.05)
            while time.monotonic() - begin < PATIENCE:
                try:
                    first = raw.socket.recv(1)
                    break
                except TimeoutError:
                    raw.send(drop)
            seconds = time.monotonic() - begin
            raw.socket.settimeout(PATIENCE)
            rest = first
            while got := raw.socket.recv(65536):
                rest += got
            return seconds, take_answer(bytearray(rest))

    def test_a_head_that_drips_is_cut_off(self):
        for start in (b"GET /healthz HTTP/1.1\r\nX: ", b"G", GET_TIME + b"GET /"):
            skipped = len(GET_TIME) if start.startswith(GET_TIME) else 0
            seconds, answer = self.drip(start[skipped:], b"y")
            self.assertEqual((answer.status, answer.code), (408, "request_timeout"))
            self.assertEqual(answer.headers["connection"], "close")
            self.assertTrue(0.3 < seconds < PATIENCE, seconds)

    def test_a_body_that_drips_is_cut_off(self):
        head = request_bytes("POST", f"{API}/auth/login", headers={"Content-Length": 1000})
        head = head.replace(b"Content-Length: 0\r\n", b"")
        seconds, answer = self.drip(head, b" ")
        self.assertEqual((answer.status, answer.code), (408, "request_timeout"))
        self.assertTrue(0.3 < seconds < PATIENCE, seconds)
        chunked = head.replace(b"Content-Length: 1000", b"Transfer-Encoding: chunked")
        seconds, answer = self.drip(chunked, b"1\r\n \r\n")
        self.assertEqual((answer.status, answer.code), (408, "request_timeout"))

    def test_an_idle_connection_is_closed_without_a_word(self):
        for start, answers in ((b"", 0), (GET_TIME, 1)):
            begin = time.monotonic()
            with Raw(self.server.address, start) as raw:
                self.assertEqual(len(raw.answers()), answers)
                self.assertTrue(0.4 < time.monotonic() - begin < PATIENCE)

    def test_who_does_not_read_is_cut_off(self):
        with Raw(self.server.address, request_bytes("GET", f"{API}/openapi.json") * 100,
                 receive_bytes=4096):
            deadline, others = time.monotonic() + PATIENCE, 9
            while others > 0 and time.monotonic() < deadline:
                time.sleep(0.1)
                others = self.server.metric("floodgate_connections") - 1  # its own
            self.assertEqual(others, 0)


class ConnectionCapTest(SharedServer):
    config = FAST + "[edge]\nconnections_max = 6\nloops = 1\nhead_ms = 60000\n"

    def test_past_the_cap_one_is_told_and_later_it_works_again(self):
        # Each with something under way: idle ones, such as the test's own, would make room.
        crowd = [Raw(self.server.address, GET_TIME[:-2]) for _ in range(6)]
        for raw in crowd:
            self.addCleanup(raw.socket.close)
        with Raw(self.server.address, GET_TIME) as late:
            answer = late.one()
            self.assertEqual((answer.status, answer.code), (503, "busy"))
            self.assertEqual(answer.headers["connection"], "close")
            self.assertGreater(answer.json["retry_after_ms"], 0)
        crowd.pop().socket.close()
        deadline, status = time.monotonic() + PATIENCE, 503
        while status == 503 and time.monotonic() < deadline:
            with Raw(self.server.address, GET_TIME) as again:
                status = again.one().status
        self.assertEqual(status, 200)
        for raw in crowd:
            raw.send(GET_TIME[-2:])
            self.assertEqual(raw.one().status, 200, "who was there first is served on")


class BusyPoolTest(SharedServer):
    config = FAST.replace("password_passes = 1", "password_passes = 20") + \
        "login_by_device_per_minute = 0\nlogin_by_account_per_minute = 0\nlogin_by_user_per_minute = 0\n[edge]\npool_queue_max = 2\n"

    def test_past_the_queue_one_is_told_to_come_back_and_buying_goes_on(self):
        sale, token = self.add_sale(), self.register()
        guess = request_bytes("POST", f"{API}/auth/login", body={
            "phone": "13800138000", "password": "guess guess"})
        crowd = [Raw(self.server.address) for _ in range(30)]
        for raw in crowd:  # at once: faster than the hashes
            raw.send(guess)
        self.assertEqual(self.client.buy(sale, token).status, 202)
        answers = [raw.one() for raw in crowd]
        for raw in crowd:
            raw.socket.close()
        self.assertEqual({a.code for a in answers}, {"wrong_credentials", "busy"})
        busy = next(a for a in answers if a.code == "busy")
        self.assertEqual(busy.status, 503)
        self.assertGreater(busy.json["retry_after_ms"], 0)
        self.assertEqual(busy.headers["retry-after"], "1")


if __name__ == "__main__":
    unittest.main()
