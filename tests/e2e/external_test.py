#!/usr/bin/python3
"""Money through the shop's own checkout: Floodgate, and a cashier who speaks as docs/payments.md says."""
import json
import os
import re
import subprocess
import sys
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

from cashier import Cashier, ExternalTest
from harness import API, ROOT, UNLIMITED, Server

sys.path.insert(0, str(ROOT / "tests"))
from server_process import free_port  # noqa: E402  pylint: disable=wrong-import-position

NO_SUCH_ORDER = "123456789012345"


class Journeys(ExternalTest):

    def test_from_the_order_to_the_next_buyer(self):
        self.open_shop()
        no = self.buy(1)
        address = self.begin(1, no)
        self.assertEqual(self.begin(1, no), address)  # asked again: the same
        self.assertEqual(self.cashier.asked, [])
        self.assertEqual(self.try_to_buy(2).code, "sold_out")
        fen = self.order(1, no)["amount_fen"]
        self.pay(1, no)
        self.assertEqual(self.tell_paid(no, fen).json, {"status": "paid"})
        self.assert_events([(no, "unpaid", "paid", "")])
        self.cashier.queued["refund"] += [(200, '{"status":"pending"}'), (500, ""), (200, "rubbish"),
                                          (200, '{"status":"refunded","x":"' + "x" * 70_000 + '"}')]
        answer = self.call("refund", 1, no)
        self.assertEqual((answer.status, answer.json["status"]), (202, "refunding"))
        self.wait_for(1, no, "refunded")
        self.assertEqual(self.cashier.asked, [("refund", no)] * 5)
        self.assertEqual(list(self.cashier.refunds.values()), [(no, fen)])
        self.assertEqual(self.tell_paid(no, fen).status, 200)  # an old message changes nothing
        self.assertEqual(self.status_of(1, no), "refunded")
        other = self.buy(2)
        self.begin(2, other)
        self.pay(2, other)
        self.assertEqual(self.cashier.mistakes, [])
        self.end_clean()

    def test_the_secret_is_changed_in_three_steps(self):
        self.open_shop(users=4, stock=4)
        old, self.old_secret_file = self.secret, self.secret_file

        def a_purchase(buyer):
            no = self.buy(buyer)
            self.begin(buyer, no)
            self.pay(buyer, no)
            self.call("refund", buyer, no)
            self.wait_for(buyer, no, "refunded")
            self.assertEqual(self.cashier.mistakes, [])

        new = self.write_secret("new.secret")
        self.restart()
        a_purchase(1)  # the cashier has the old one
        self.secret = self.cashier.secret = new
        a_purchase(2)
        body = b'{"order_no":"1","amount_fen":1}'
        self.assertEqual(self.tell(body, self.seal(body, old)).status, 404)  # still believed
        self.old_secret_file = None
        self.restart()
        a_purchase(3)
        self.assertEqual(self.tell(body, self.seal(body, old)).status, 401)
        self.end_clean()
        self.assertNotIn(old, self.server_.log() + self.server_.said())

    def test_an_order_that_was_cancelled_is_closed_when_the_cashier_confirms(self):
        self.open_shop()
        no = self.buy(1)
        self.begin(1, no)
        close = self.cashier.queued["close"]
        close.extend([(500, "")] * 10_000)
        answer = self.call("cancel", 1, no)
        self.assertEqual((answer.status, answer.json["status"]), (202, "unpaid"))
        self.wait_until(lambda: self.cashier.asked.count(("close", no)) >= 3, what="not asked again")
        self.assertEqual(self.try_to_buy(2).code, "sold_out")  # the unit is held until it is sure
        self.assertNotIn(no, self.cashier.state)
        close.clear()
        close.extend([(200, '{"status":"open"}'), (200, "[]"), (200, '{"status":"absent"}'),
                      (202, '{"status":"closed"}')])
        self.wait_for(1, no, "closed")
        self.assertFalse(close)
        self.assertEqual(self.cashier.state[no], "closed")
        other = self.buy(2)
        self.begin(2, other)
        self.pay(2, other)
        self.end_clean()

    def test_an_order_that_is_paid_while_it_is_being_cancelled_is_paid(self):
        self.open_shop()
        no = self.buy(1)
        self.begin(1, no)
        self.cashier.queued["query"] += [(503, "")] * 3
        self.cashier.state[no] = "paid"
        self.call("cancel", 1, no)
        self.wait_for(1, no, "paid")
        self.end_clean()

    def test_a_message_that_never_comes_is_asked_for_at_the_deadline(self):
        self.open_shop()
        no = self.buy(1)
        self.begin(1, no)
        self.cashier.state[no] = "paid"
        self.pass_deadline(no)
        self.wait_for(1, no, "paid")
        self.assertEqual(self.cashier.asked, [("query", no)])
        self.end_clean()

    def test_while_the_cashier_is_down(self):
        self.open_shop(users=3, stock=2)
        no = self.buy(1)
        self.begin(1, no)
        port = self.cashier.port
        self.cashier.close()
        self.pass_deadline(no)
        self.wait_until(lambda: self.open_payments() == [no], what="nobody asked the cashier")
        other = self.buy(2)  # buyers are served meanwhile
        self.begin(2, other)
        self.assertEqual(self.try_to_buy(3).code, "sold_out")  # and its unit is still held
        self.assertEqual(self.status_of(1, no), "unpaid")
        self.cashier = Cashier(self.secret, port)
        self.wait_for(1, no, "closed")
        self.assertEqual(self.status_of(2, other), "unpaid")
        self.buy(3)
        self.end_clean()

    def test_money_that_comes_after_the_close_goes_back(self):
        self.open_shop()
        no = self.buy(1)
        self.begin(1, no)
        fen = self.order(1, no)["amount_fen"]
        self.call("cancel", 1, no)
        self.wait_for(1, no, "closed")
        other = self.buy(2)
        self.begin(2, other)
        self.pay(2, other)
        for _ in range(2):
            late = self.tell_paid(no, fen)
            self.assertEqual((late.status, late.code), (409, "late_payment"))
            self.assertIn("refund", late.json["title"])
            self.wait_until(lambda: self.cashier.refunds, what="no refund was asked for")
        self.wait_until(lambda: self.open_refunds() == [], what="the refund is still open")
        self.assertEqual(list(self.cashier.refunds.values()), [(no, fen)])
        self.assertEqual(self.status_of(1, no), "closed")
        self.assertEqual(self.status_of(2, other), "paid")
        self.end_clean()


    def test_money_for_an_order_that_was_paid_in_another_way_goes_back(self):
        self.open_shop(allow_test=True)
        no = self.buy(1)
        self.begin(1, no)
        fen = self.order(1, no)["amount_fen"]
        self.assertEqual(self.call("pay", 1, no, {"method": "test"}).status, 200)
        for _ in range(2):
            late = self.tell_paid(no, fen)
            self.assertEqual((late.status, late.code), (409, "late_payment"))
            self.wait_until(lambda: self.cashier.refunds, what="no refund was asked for")
        self.wait_until(lambda: self.open_refunds() == [], what="the refund is still open")
        self.assertEqual(list(self.cashier.refunds.values()), [(no, fen)])
        self.assertEqual(self.status_of(1, no), "paid")
        self.end_clean()


class Messages(ExternalTest):

    def wrong_messages(self, no, fen):
        """what is wrong -> (how to send it, the answer)"""
        good = json.dumps({"order_no": no, "amount_fen": fen}).encode()
        sealed = self.seal(good)
        now = int(time.time())
        flipped = sealed["Floodgate-Signature"].translate({ord(a): b for a, b in zip("0123", "1032")})
        def with_headers(**changed):
            changed = {k.replace("_", "-"): v for k, v in changed.items()}
            return lambda: self.tell(good, {k: v for k, v in {**sealed, **changed}.items()
                                            if v is not None})
        def signed(**fields):
            return lambda: self.tell(json.dumps(fields).encode())
        query = {"event": "query", "order_no": no, "amount_fen": fen, "sent_at": "now"}
        return {
            "flipped": (with_headers(Floodgate_Signature=flipped), 401, "bad_signature"),
            "other key": (lambda: self.tell(good, self.seal(good, secret="x" * 32)), 401,
                          "bad_signature"),
            "no signature": (with_headers(Floodgate_Signature=None), 401, "bad_signature"),
            "no time": (with_headers(Floodgate_Timestamp=None), 401, "bad_signature"),
            "other time": (with_headers(Floodgate_Timestamp=str(now - 1)), 401, "bad_signature"),
            "stale": (lambda: self.tell(good, self.seal(good, at=now - 301)), 401, "bad_signature"),
            "from the future": (lambda: self.tell(good, self.seal(good, at=now + 400)), 401,
                                "bad_signature"),
            "added byte": (lambda: self.tell(good + b" ", sealed), 401, "bad_signature"),
            "truncated": (lambda: self.tell(good[:-5], sealed), 401, "bad_signature"),
            "signed rubbish": (lambda: self.tell(b"{"), 400, "bad_request"),
            "our own question": (signed(**query), 400, "bad_request"),
            "amount in words": (signed(order_no=no, amount_fen="much"), 400, "bad_request"),
            "no amount": (signed(order_no=no), 400, "bad_request"),
            "other order": (signed(order_no=NO_SUCH_ORDER, amount_fen=fen), 404, "not_found"),
            "no order": (signed(order_no="x", amount_fen=fen), 404, "not_found"),
            "smaller amount": (signed(order_no=no, amount_fen=fen - 1), 409, "other_amount"),
            "larger amount": (signed(order_no=no, amount_fen=fen + 1), 409, "other_amount"),
            "nothing": (signed(order_no=no, amount_fen=0), 409, "other_amount"),
            "long": (signed(order_no=no, amount_fen=fen, x="x" * 5000), 413, "payload_too_large"),
            "wrong type": (with_headers(Content_Type="text/plain"), 415, "unsupported_media_type"),
        }

    def test_wrong_messages_change_nothing(self):
        self.open_shop()
        no = self.buy(1)
        self.begin(1, no)
        fen = self.order(1, no)["amount_fen"]
        for name, (send, status, code) in self.wrong_messages(no, fen).items():
            with self.subTest(name):
                answer = send()
                self.assertEqual((answer.status, answer.code), (status, code))
                self.assertEqual(self.status_of(1, no), "unpaid")
        with self.subTest("oversize"):
            body = b'{"x":"' + b"x" * 300_000 + b'"}'
            try:
                self.assertEqual(self.tell(body).status, 413)
            except OSError:  # too long to be read to its end
                pass
            self.client.close()
            self.client = self.server_.client()
        self.assert_events([])
        self.pay(1, no)  # and the same without a fault is believed
        self.assert_events([(no, "unpaid", "paid", "")])
        self.end_clean()

    def test_titles_are_in_the_language_asked_for(self):
        self.open_shop()
        answer = self.tell(b"{}", {"Content-Type": "application/json", "Accept-Language": "zh-CN"})
        self.assertRegex(answer.json["title"], "签名")
        self.assertEqual(answer.headers["www-authenticate"], "Floodgate-Signature")

    def test_without_the_section_there_is_no_such_call(self):
        self.shop = self.fixture(users=1, stock=1)
        self.secret = "x"
        self.server_ = self.server(self.shop.data, config=UNLIMITED)
        self.start()
        self.assertEqual(self.tell(b"{}").status, 404)

    def test_bad_settings_are_named_at_the_start(self):
        self.open_shop()
        self.assertEqual(self.server_.stop(), 0)
        self.assertIn("pay.external.checkout_url is an address of this machine",
                      self.refused(self.config(sandbox=False)))
        os.chmod(self.secret_file, 0o644)
        self.assertIn("chmod 600", self.refused(self.config()))
        os.chmod(self.secret_file, 0o600)
        self.secret_file.write_text("brief\n")
        said = self.refused(self.config())
        self.assertIn("32 to 1024", said)
        self.assertNotIn("brief", said)
        self.old_secret_file, _ = self.secret_file, self.write_secret("new.secret")
        said = self.refused(self.config())
        self.assertIn("pay.external.old_secret_file", said)
        self.assertNotIn("brief", said)
        self.old_secret_file = self.place / "none"
        self.assertIn("pay.external.old_secret_file", self.refused(self.config()))

    def refused(self, config):
        server = Server(self.shop.data, config=config)
        self.addCleanup(server.discard)
        code, said = server.refuse_to_start()
        self.assertEqual(code, 1)
        return said


class TheExampleInTheDocuments(ExternalTest):
    """docs/payments.md has a whole cashier. It is run as it stands there."""

    def open_cashier(self):
        self.listen = free_port()
        return free_port()

    def start(self):
        self.server_.listen = f"127.0.0.1:{self.listen}"
        super().start()
        page = (ROOT / "docs/payments.md").read_text()
        example, = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
        self.assertLessEqual(len(example.splitlines()), 30)
        (self.place / "cashier.py").write_text(example)
        self.run_example()

    def test_the_secret_is_changed_in_three_steps(self):
        self.open_shop(stock=2)
        self.old_secret_file = self.secret_file
        new = self.write_secret("new.secret")
        self.restart()  # the example still has the old one
        for buyer in (1, 2):
            no = self.buy(buyer)
            self.assertEqual(self.visit(self.begin(buyer, no)), 200)
            self.wait_for(buyer, no, "paid")
            self.call("refund", buyer, no)
            self.wait_for(buyer, no, "refunded")
            self.secret = new
            self.end_example(self.example)
            self.run_example()

    def run_example(self):
        self.example = subprocess.Popen(
            [sys.executable, "cashier.py",
             f"http://127.0.0.1:{self.listen}{API}/payments/external/paid", str(self.port),
             str(self.secret_file)], cwd=self.place, stderr=subprocess.DEVNULL)
        self.addCleanup(self.end_example, self.example)
        self.wait_until(lambda: self.visit("/") == 403, what="the example does not listen")

    def end_example(self, process):
        process.kill()
        process.wait()

    def visit(self, address):
        """As a buyer's browser does."""
        address = urllib.parse.urljoin(f"http://127.0.0.1:{self.port}/", address)
        try:
            with urllib.request.urlopen(address, timeout=60) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            return 0

    def test_from_the_order_to_the_next_buyer(self):
        self.open_shop()
        no = self.buy(1)
        address = self.begin(1, no)
        self.assertEqual(self.visit(address.replace("amount_fen=", "amount_fen=1")), 403)
        self.assertEqual(self.status_of(1, no), "unpaid")
        self.assertEqual(self.visit(address), 200)
        self.wait_for(1, no, "paid")
        self.assertEqual(self.visit(address), 200)  # reloaded
        self.call("refund", 1, no)
        self.wait_for(1, no, "refunded")
        other = self.buy(2)
        self.assertEqual(self.visit(self.begin(2, other)), 200)
        self.wait_for(2, other, "paid")
        self.assert_events([(no, "unpaid", "paid", ""), (no, "paid", "refunding", ""),
                            (no, "refunding", "refunded", ""), (other, "unpaid", "paid", "")])
        self.end_clean()

    def test_its_book_outlives_it(self):
        self.open_shop(users=3, stock=2)
        lost, cancelled = self.buy(1), self.buy(2)
        addresses = [self.begin(1, lost), self.begin(2, cancelled)]
        self.server_.kill()  # so the message is lost
        self.assertEqual(self.visit(addresses[0]), 200)
        self.end_example(self.example)
        self.server_.start()
        self.client = self.server_.client()
        self.addCleanup(self.client.close)
        self.pass_deadline(lost)
        self.call("cancel", 2, cancelled)
        self.wait_until(lambda: set(self.open_payments()) == {lost, cancelled}, what="not asked")
        self.run_example()
        self.wait_for(1, lost, "paid")
        self.wait_for(2, cancelled, "closed")
        self.assertEqual(self.visit(addresses[1]), 403)  # it can never be paid any more
        self.buy(3)
        self.settle(self.server_)
        self.end_clean()


if __name__ == "__main__":
    unittest.main()
