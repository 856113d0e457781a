#!/usr/bin/python3
"""Alerts reach the address an operator has named, signed, and nobody else."""
import collections
import hashlib
import hmac
import http.server
import json
import threading
import time
import unittest

from harness import API, CLUSTERED, lock_ledger
from managed import ManagedShop

SECRET = "a-secret-nobody-may-see-4711"


class Receiver(http.server.ThreadingHTTPServer):
    """Keeps what it is sent; answers with the statuses it was given, then 204."""
    daemon_threads = True

    def __init__(self, *statuses, location=""):
        super().__init__(("127.0.0.1", 0), Handler)
        self.statuses, self.location = collections.deque(statuses), location
        self.got = []  # (path, headers, body)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}/alerts"

    def close(self):
        self.shutdown()
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):

    def do_POST(self):  # pylint: disable=invalid-name
        body = self.rfile.read(int(self.headers["Content-Length"]))
        status = self.server.statuses.popleft() if self.server.statuses else 204
        self.server.got.append((self.path, self.headers, body))
        self.send_response(status)
        if 300 <= status < 400:
            self.send_header("Location", self.server.location)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_GET = do_POST  # what a followed redirect would become

    def log_message(self, *_):
        pass


def is_signed(headers, body, secret):
    """As docs/operating.md tells receivers to check it."""
    secret = secret.encode()
    expected = hmac.new(secret, headers["Floodgate-Timestamp"].encode() + b"." + body,
                        hashlib.sha256).hexdigest()
    return hmac.compare_digest("v1=" + expected, headers["Floodgate-Signature"])


class WebhookTest(ManagedShop):

    def receive(self, *statuses, **options):
        receiver = Receiver(*statuses, **options)
        self.addCleanup(receiver.close)
        return receiver

    def open_watched_shop(self, url, settings=f'webhook_secret = "{SECRET}"\n', private=True):
        """One promise too many in the backlog is an alert."""
        self.open_shop(users=20, stock=20, config=(
            f'backlog = 1\nwebhook_url = "{url}"\n{settings}'
            f"webhook_allow_private = {'true' if private else 'false'}\n"))

    def alert_and_clear(self, meanwhile=lambda: None):
        lock = lock_ledger(self.shop.data)
        try:
            for buyer in (1, 2, 3):
                self.assertEqual(self.buy(buyer).status, 202)
            self.wait_for_alert("backlog", "clerk")
            meanwhile()
        finally:
            lock.close()
        self.wait_for_no_alert("backlog", "clerk")

    def wait_for_messages(self, receiver, count):
        self.wait_until(lambda: len(receiver.got) >= count, what=f"not {count} messages came")
        self.assertEqual(len(receiver.got), count)
        return [json.loads(body) for _, _, body in receiver.got]

    def wait_for_failure(self, count=1):
        self.wait_until(
            lambda: self.server_.metric("floodgate_webhook_failed_total") == count,
            what="it did not give up")

    def assert_secret(self, secret=SECRET):
        """It is in no log and on no page, not even an admin's."""
        with self.client(self.admin) as client:
            pages = "".join(client.get(path).text for path in (
                "/metrics", "/readyz", "/healthz", f"{API}/admin/alerts", f"{API}/admin/audit",
                f"{API}/openapi.json", f"{API}/admin/reconciliation"))
        self.assertIn("floodgate_webhook_sent_total", pages)
        self.assertNotIn(secret, pages)
        self.assertEqual(self.server_.stop(), 0)
        self.assertIn("alarm.raised", self.server_.log())
        self.assertNotIn(secret, self.server_.log() + self.server_.said())

    def test_an_alert_and_its_end_arrive_signed(self):
        receiver = self.receive()
        self.open_watched_shop(receiver.url)
        self.alert_and_clear(lambda: self.wait_for_messages(receiver, 1))
        raised, cleared = self.wait_for_messages(receiver, 2)
        self.assertEqual([m["state"] for m in (raised, cleared)], ["raised", "cleared"])
        for message in (raised, cleared):
            self.assertEqual(set(message), {"id", "alert", "subject", "detail", "state", "since",
                                            "at", "node"})
            self.assertEqual((message["alert"], message["subject"], message["node"]),
                             ("backlog", "clerk", self.server_.node if CLUSTERED else 0))
            self.assertIn("promises", message["detail"])
            self.assertEqual(message["since"], raised["at"])
        self.assertLess(raised["at"], cleared["at"])
        self.assertNotEqual(raised["id"], cleared["id"])
        for path, headers, body in receiver.got:
            self.assertEqual((path, headers["Content-Type"]), ("/alerts", "application/json"))
            self.assertLess(abs(time.time() - int(headers["Floodgate-Timestamp"])), 60)
            self.assertTrue(is_signed(headers, body, SECRET))
            self.assertFalse(is_signed(headers, body, SECRET + "x"))
            self.assertFalse(is_signed(headers, body.replace(b"backlog", b"backlot"), SECRET))
            self.assertNotIn(SECRET, str(headers) + body.decode())
        self.wait_until(lambda: self.server_.metric("floodgate_webhook_sent_total") == 2)
        self.assert_secret()

    def test_a_message_that_failed_comes_again_under_the_same_id(self):
        receiver = self.receive(500)
        self.open_watched_shop(receiver.url)
        self.alert_and_clear()
        first, again, cleared = self.wait_for_messages(receiver, 3)
        self.assertEqual(again, first)
        self.assertEqual(cleared["state"], "cleared", "the later one waits for the earlier one")
        self.assertNotEqual(cleared["id"], first["id"])
        for _, headers, body in receiver.got:
            self.assertTrue(is_signed(headers, body, SECRET), "every try")
        self.wait_until(lambda: self.server_.metric("floodgate_webhook_sent_total") == 2)
        self.assertEqual(self.server_.metric("floodgate_webhook_failed_total"), 0)

    def test_a_redirect_is_not_followed(self):
        elsewhere = self.receive()
        receiver = self.receive(302, 307, location=elsewhere.url)
        self.open_watched_shop(receiver.url)
        self.alert_and_clear()
        self.wait_for_failure(2)
        self.assertEqual(len(self.wait_for_messages(receiver, 2)), 2)
        self.assertEqual(elsewhere.got, [])
        self.assertRegex(self.server_.log(), r"alarm\.webhook_failed .*tries=1 .*302")
        self.assert_secret()

    def test_a_private_address_must_be_allowed(self):
        receiver = self.receive()
        self.open_watched_shop(receiver.url, private=False, settings=(
            f'webhook_secret = "{SECRET}"\nwebhook_attempts = 2\n'))
        self.alert_and_clear(self.wait_for_failure)
        self.wait_for_failure(2)
        self.assertEqual(receiver.got, [])
        self.assertRegex(self.server_.log(), r"alarm\.webhook_failed .*private")
        self.assertEqual(self.server_.metric("floodgate_webhook_sent_total"), 0)
        self.assert_secret()

    def test_the_secret_may_stand_in_a_file(self):
        receiver = self.receive()
        file = self.place / "secret"
        file.write_text("from-a-file-0815\n")
        self.open_watched_shop(receiver.url, f'webhook_secret_file = "{file}"\n')
        self.alert_and_clear()
        self.wait_for_messages(receiver, 2)
        for _, headers, body in receiver.got:
            self.assertTrue(is_signed(headers, body, "from-a-file-0815"), "without the line's end")
        self.wait_until(lambda: self.server_.metric("floodgate_webhook_sent_total") == 2)
        self.assert_secret("from-a-file-0815")

    def test_a_receiver_that_never_answers_holds_up_nobody(self):
        silent = http.server.HTTPServer(("127.0.0.1", 0), None)  # listens, never accepts
        self.addCleanup(silent.server_close)
        self.open_watched_shop(f"http://127.0.0.1:{silent.server_address[1]}/")
        self.alert_and_clear()
        self.assertEqual(self.buy(4).status, 202)
        self.wait_until_entered()
        self.assertEqual(self.server_.stop(), 0)
        self.assert_clean(self.shop.data)


if __name__ == "__main__":
    unittest.main()
