#!/usr/bin/python3
"""Money through Alipay and WeChat Pay: the shop and the sandbox as processes of their own."""
import datetime
import json
import re
import secrets
import shutil
import subprocess
import sys
import time
import unittest
import urllib.parse

from books import clustered_only
from harness import (API, BINARY, ROOT, UNLIMITED, Client, FloodgateTest, embedded_only, floodgate,
                     ledger, place_of,
                     first_admin)
from orders import ShopTest
from payments import (BEIJING, FORM, AlipayForger, AlipayMerchant, Sandbox, WechatForger,
                      WechatMerchant, flipped, new_key, toml_of)

sys.path.insert(0, str(ROOT / "tests"))
from server_process import free_port  # noqa: E402  pylint: disable=wrong-import-position

ASKS_OFTEN = {"sandbox": True, "ask_again_first_ms": 50, "ask_again_last_ms": 200}
ASKS_SELDOM = {"sandbox": True, "ask_again_first_ms": 600_000, "ask_again_last_ms": 600_000}
CALM = "[alarm]\ndisk_min_mib = 0\ndisk_min_percent = 0\n[clerk]\ndeadline_poll_ms = 20\n"
NO_SUCH_ORDER = 123456789012345


def yuan_of(fen):
    return f"{fen // 100}.{fen % 100:02}"


class Channel:
    """What differs between the two. A test class has one of its children beside MoneyTest."""
    method = ""


class Alipay(Channel):
    method = "alipay"

    def refund_by_hand(self, number, fen):
        """As an operator does in the channel's console: under a number that is not the shop's."""
        reply, _ = AlipayMerchant(self.box.merchant()["alipay"]).call(
            self.box, "alipay.trade.refund", out_trade_no=number, refund_amount=yuan_of(fen),
            out_request_no="by_hand_1")
        self.assertEqual(reply["code"], "10000", reply)

    def forger(self):
        return AlipayForger(self.box)

    def go_to_pay(self, answer):
        self.assertIn("<form", answer["form"])
        page = self.box.open_page(answer["redirect"])
        self.assertEqual(page.status, 200, page.text)

    def true_message(self, number, fen, **changed):
        return self.forger().message(number, yuan=yuan_of(fen), **changed)

    def tell(self, fields, headers=None):
        """One message as the sandbox would send it."""
        body = fields if isinstance(fields, bytes) else urllib.parse.urlencode(fields).encode()
        return self.client.post(f"{API}/payments/alipay/notify", body,
                                headers=FORM if headers is None else headers)

    def assert_taken(self, answer):
        self.assertEqual((answer.status, answer.text), (200, "success"))

    def assert_refused(self, answer):
        self.assertNotEqual(answer.text, "success")
        self.assertLess(answer.status, 500, answer.text)

    def wrong_messages(self, number, fen):
        """what is wrong -> how to send it"""
        true = self.true_message(number, fen)
        encoded = urllib.parse.urlencode(true).encode()
        def changed(**fields):
            return lambda: self.tell(self.true_message(number, fen, **fields))
        return {
            "flipped signature": lambda: self.tell({**true, "sign": flipped(true["sign"])}),
            "other key": lambda: self.tell(self.true_message(number, fen, key=new_key())),
            "added parameter": lambda: self.tell({**true, "body": "more"}),
            "changed parameter": lambda: self.tell({**true, "subject": "Teapot"}),
            "no signature": lambda: self.tell({k: v for k, v in true.items() if k != "sign"}),
            "weaker signature": changed(sign_type="RSA"),
            "other app": changed(app_id="2021000000000099"),
            "other seller": changed(seller_id="2088000000000099"),
            "other order": lambda: self.tell(self.true_message(NO_SUCH_ORDER, fen)),
            "no order": lambda: self.tell(self.true_message("nonsense", fen)),
            "smaller amount": lambda: self.tell(self.true_message(number, fen - 1)),
            "larger amount": lambda: self.tell(self.true_message(number, fen + 1)),
            "amount in words": lambda: self.tell(self.forger().message(number, yuan="much")),
            "parameter twice": lambda: self.tell(encoded + b"&total_amount=0.01"),
            "way back": lambda: self.tell(self.forger().way_back(number, yuan_of(fen))),
            "truncated": lambda: self.tell(encoded[:len(encoded) // 2]),
            "empty": lambda: self.tell(b""),
            "rubbish": lambda: self.tell(b"%zz=%&&=\x00\xff"),
            "oversize": lambda: self.tell(encoded + b"&x=" + b"y" * 300_000),
            "wrong content type": lambda: self.tell(encoded, {"Content-Type": "text/plain"}),
        }


def tampered(body):
    """The same message, with one bit of what is encrypted changed."""
    message = json.loads(body)
    message["resource"]["ciphertext"] = flipped(message["resource"]["ciphertext"])
    return json.dumps(message).encode()


class Wechat(Channel):
    method = "wechat"

    def refund_by_hand(self, number, fen):
        merchant = WechatMerchant(self.box.merchant()["wechat"])
        answer, _ = merchant.ask(self.box, "POST", "/v3/refund/domestic/refunds", {
            "out_trade_no": number, "out_refund_no": "by_hand_1",
            "notify_url": merchant.config["notify_url"],
            "amount": {"refund": fen, "total": self.box.trade(number).json["amount_fen"],
                       "currency": "CNY"}})
        self.assertEqual(answer.status, 200, answer.text)

    def forger(self):
        return WechatForger(self.box)

    def go_to_pay(self, answer):
        self.assertRegex(answer["code_url"], r"^\w+://")

    def true_message(self, number, fen, **changed):
        forger = self.forger()
        body = forger.body(forger.content(number, fen, **changed))
        return body, forger.headers(body)

    def tell(self, message):
        body, headers = message
        return self.client.post(f"{API}/payments/wechat/notify", body, headers=headers)

    def assert_taken(self, answer):
        self.assertIn(answer.status, (200, 204), answer.text)

    def assert_refused(self, answer):
        self.assertGreaterEqual(answer.status, 400, answer.text)
        self.assertLess(answer.status, 600)

    def wrong_messages(self, number, fen):
        """what is wrong -> how to send it"""
        forger = self.forger()
        body, headers = self.true_message(number, fen)
        content = forger.content(number, fen)
        def with_headers(**changed):
            return lambda: self.tell((body, {**headers, **changed}))
        def sealed(made, **options):
            return lambda: self.tell((made, forger.headers(made, **options)))
        def changed(**fields):
            return sealed(forger.body({**content, **fields}))
        def amount(**fields):
            return changed(amount={**content["amount"], **fields})
        return {
            "flipped signature": with_headers(**{
                "Wechatpay-Signature": flipped(headers["Wechatpay-Signature"])}),
            "probe": with_headers(**{"Wechatpay-Signature": "WECHATPAY/SIGNTEST/" +
                                     headers["Wechatpay-Signature"][19:]}),
            "other key": sealed(body, key=new_key()),
            "unknown serial": with_headers(**{"Wechatpay-Serial": "AB" * 20}),
            "no headers": lambda: self.tell((body, {"Content-Type": "application/json"})),
            "stale": sealed(body, at=int(time.time()) - 301),
            "from the future": sealed(body, at=int(time.time()) + 400),
            "added byte": lambda: self.tell((body + b" ", headers)),
            "truncated": lambda: self.tell((body[:-20], headers)),
            "signed rubbish": sealed(b"{"),
            "signed null": sealed(b"null"),
            "tampered ciphertext": sealed(tampered(body)),
            "other nonce": sealed(forger.body(content, nonce="0" * 12)),
            "other shared key": sealed(forger.body(content, shared=secrets.token_bytes(32))),
            "other algorithm": sealed(forger.body(content, algorithm="AEAD_AES_128_GCM")),
            "other merchant": changed(mchid="1900000099"),
            "other app": changed(appid="wx0000000000000099"),
            "other order": changed(out_trade_no=str(NO_SUCH_ORDER)),
            "no order": changed(out_trade_no="nonsense"),
            "smaller amount": amount(total=fen - 1),
            "larger amount": amount(total=fen + 1),
            "other currency": amount(currency="USD"),
            "amount in words": amount(total="much"),
            "not paid": changed(trade_state="NOTPAY"),
            "oversize": sealed(forger.body({**content, "attach": "x" * 300_000})),
            "wrong content type": with_headers(**{"Content-Type": "text/plain"}),
        }


class MoneyTest(ShopTest):

    pay_settings, admin_token = ASKS_OFTEN, None

    def open_shop(self, users=2, stock=1, refund_within_s=None, **terms):  # pylint: disable=arguments-differ
        """The sandbox, and a shop that knows its keys. The sandbox's retry clock runs fast."""
        self.port = free_port()
        self.box = Sandbox(self.place / "sandbox", shop=f"http://127.0.0.1:{self.port}")
        self.addCleanup(shutil.rmtree, self.box.notes, ignore_errors=True)
        self.addCleanup(self.box.kill)
        self.box.start()
        self.box.switch(retry_divisor=1000, wechat_refund_settles_ms=50)
        if refund_within_s:
            self.pay_settings = {**ASKS_OFTEN, "refund_within_s": refund_within_s}
        self.shop = self.fixture(users=users, stock=stock, **terms)
        self.sale = self.shop.sales[0]
        self.server_ = self.server(self.shop.data, config=self.config(),
                                   listen=f"127.0.0.1:{self.port}")
        self.start()

    def config(self, port=None):
        """Messages go to this port of the shop."""
        pay = self.box.merchant()
        for name in ("alipay", "wechat"):
            pay[name]["notify_url"] = pay[name]["notify_url"].replace(
                f":{self.port}/", f":{port or self.port}/")
        return UNLIMITED + CALM + toml_of({"pay": self.pay_settings, "pay.alipay": pay["alipay"],
                                           "pay.wechat": pay["wechat"]})

    # Verbs.

    def admin(self):
        """A token of the admin whom the server has made."""
        if not self.admin_token:
            phone, password = first_admin(self.server_)
            self.admin_token = self.client.post(f"{API}/auth/login", {
                "phone": phone, "password": password}).json["token"]
        return self.admin_token

    def begin(self, buyer, no):
        """The buyer is where they can pay; the trade's number."""
        answer = self.call("pay", buyer, no, {"method": self.method})
        self.assertEqual(answer.status, 200, answer.text)
        self.assertEqual(answer.json["method"], self.method)
        self.go_to_pay(answer.json)
        return answer.json["out_trade_no"]

    def pay(self, number):
        answer = self.box.act(number, "pay")
        self.assertEqual(answer.status, 200, answer.text)

    def buy_and_pay(self, buyer):
        no = self.buy(buyer)
        number = self.begin(buyer, no)
        self.pay(number)
        self.wait_for(buyer, no, "paid")
        return no, number

    # Questions.

    def wait_for(self, buyer, no, status):
        self.wait_until(lambda: self.status_of(buyer, no) == status,
                        what=f"{self.method}: order {no} was not {status}")

    def wait_until_told(self):
        self.wait_until(lambda: self.box.notifies()["notifies"] == [],
                        what="messages were not taken")

    def wait_for_trade(self, number, state):
        self.wait_until(lambda: self.box.trade(number).json["state"] == state,
                        what=f"{self.method}: trade {number} was not {state}")

    def end_clean(self):
        """Nothing is wrong in the ledger, and no secret is in a log or on a command line."""
        with open(f"/proc/{self.server_.process.pid}/cmdline", encoding="utf-8") as file:
            told = file.read()
        self.assertEqual(self.server_.stop(), 0)
        self.assertEqual(self.box.stop(), 0)
        self.assert_clean(self.shop.data)
        told += self.server_.log() + self.server_.said() + self.box.log() + self.box.said()
        for file in (self.box.data / "keys").iterdir():
            if "public" not in file.name and "certificate" not in file.name:
                for line in file.read_text().split("\n"):
                    if len(line) > 10 and "KEY-----" not in line:
                        self.assertNotIn(line, told, f"a line of {file.name}")


class Journeys(MoneyTest):
    """Run for each channel by its children below."""

    def test_from_the_order_to_the_next_buyer(self):
        self.open_shop()
        no = self.buy(1)
        number = self.begin(1, no)
        self.assertEqual(self.begin(1, no), number)  # asked again: the same trade
        self.assertEqual(self.status_of(1, no), "unpaid")
        self.assertEqual(self.try_to_buy(2).code, "sold_out")
        self.pay(number)
        self.wait_for(1, no, "paid")
        self.wait_until_told()
        self.assertEqual(self.box.trade(number).json["amount_fen"],
                         self.order(1, no)["amount_fen"])
        answer = self.call("refund", 1, no)
        self.assertEqual((answer.status, answer.json["status"]), (202, "refunding"))
        self.wait_for(1, no, "refunded")
        self.wait_for_trade(number, "refunded")
        self.assertEqual(len(self.box.trade(number).json["refunds"]), 1)
        self.wait_until_told()
        next_no, _ = self.buy_and_pay(2)
        self.assertEqual(self.status_of(1, no), "refunded")
        self.assertEqual(self.status_of(2, next_no), "paid")
        self.end_clean()

    def test_a_message_that_comes_twice_pays_once(self):
        self.open_shop()
        self.box.switch(notify_copies=2)
        no, _ = self.buy_and_pay(1)
        self.wait_until_told()
        self.assert_events([(no, "unpaid", "paid", "")])

    def test_a_message_that_comes_late(self):
        self.open_shop()
        self.box.switch(notify_delay_ms=1000)
        no = self.buy(1)
        self.pay(self.begin(1, no))
        self.wait_for(1, no, "paid")
        self.assert_events([(no, "unpaid", "paid", "")])

    def test_a_message_that_never_comes_is_asked_for_at_the_deadline(self):
        self.open_shop()
        self.box.switch(notify_never=True)
        no = self.buy(1)
        self.pay(self.begin(1, no))
        self.assertEqual(self.status_of(1, no), "unpaid")
        self.pass_deadline(no)
        self.wait_for(1, no, "paid")
        self.end_clean()

    def test_a_message_with_the_wrong_key_pays_nothing(self):
        self.open_shop()
        self.box.switch(notify_wrong_key=3)
        no = self.buy(1)
        number = self.begin(1, no)
        self.box.switch(retry_divisor=1)
        self.pay(number)
        self.wait_until(lambda: [n["tries"] for n in self.box.notifies()["notifies"]] == [1],
                        what="it was not sent")
        self.assertEqual(self.status_of(1, no), "unpaid")
        self.assert_events([])

    def test_after_messages_with_the_wrong_key_comes_the_right_one(self):
        self.open_shop()
        self.box.switch(notify_wrong_key=1)
        no, _ = self.buy_and_pay(1)
        self.wait_until_told()
        self.assert_events([(no, "unpaid", "paid", "")])

    def test_nobody_pays_in_time(self):
        self.open_shop()
        no = self.buy(1)
        number = self.begin(1, no)
        self.pass_deadline(no)
        self.wait_for(1, no, "closed")
        self.wait_for_trade(number, "closed")
        self.assertEqual(self.box.act(number, "pay").status, 409)
        self.buy_and_pay(2)
        self.end_clean()

    def test_money_that_comes_after_the_close_goes_back(self):
        self.open_shop()
        no = self.buy(1)
        number = self.begin(1, no)
        self.call("cancel", 1, no)
        self.wait_for(1, no, "closed")
        other, other_number = self.buy_and_pay(2)
        self.box.switch(pay_after_close=True)
        self.pay(number)
        self.wait_for_trade(number, "refunded")
        self.assertEqual(self.box.trade(number).json["refunded_fen"],
                         self.order(1, no)["amount_fen"])
        self.wait_until_told()
        self.assertEqual(len(self.box.trade(number).json["refunds"]), 1)
        self.assertEqual(self.box.trade(other_number).json["refunds"], [])
        self.assertEqual(self.status_of(2, other), "paid")
        self.end_clean()

    def test_a_refund_whose_answer_is_lost_is_made_once(self):
        self.open_shop()
        no, number = self.buy_and_pay(1)
        verb = {"alipay": "alipay.trade.refund", "wechat": "wechat.refund"}[self.method]
        self.box.switch(troubles=[{"verb": verb, "kind": kind, "calls": 1}
                                  for kind in ("http_500", "system_error", "rubbish", "wrong_key")])
        self.call("refund", 1, no)
        self.wait_for(1, no, "refunded")
        trade = self.box.trade(number).json
        self.assertEqual((len(trade["refunds"]), trade["refunded_fen"]), (1, trade["amount_fen"]))
        self.end_clean()

    def test_a_refund_that_takes_its_time_is_settled_by_its_message(self):
        self.pay_settings = ASKS_SELDOM
        self.open_shop()
        no, number = self.buy_and_pay(1)
        self.box.switch(alipay_refund_settles_ms=2000, wechat_refund_settles_ms=2000)
        self.call("refund", 1, no)
        self.wait_until(lambda: self.open_refunds(), what="the channel was not asked")
        self.assertEqual(self.status_of(1, no), "refunding")
        self.assertEqual([r["settled"] for r in self.box.trade(number).json["refunds"]], [False])
        self.wait_for(1, no, "refunded")  # much sooner than the next question is due
        self.wait_until_told()
        self.assertEqual(len(self.box.trade(number).json["refunds"]), 1)
        self.assertIn("asked", self.verdicts())
        self.assert_events([(no, "unpaid", "paid", ""), (no, "paid", "refunding", ""),
                            (no, "refunding", "refunded", "")])
        self.buy(2)
        self.end_clean()

    def test_a_refund_in_the_channels_console_changes_nothing(self):
        self.open_shop()
        no, number = self.buy_and_pay(1)
        self.refund_by_hand(number, 300)
        self.wait_until(lambda: self.verdicts()[0] == "unknown_refund", what="it was not told")
        self.wait_until_told()  # and is not sent again
        self.assertEqual(self.status_of(1, no), "paid")
        self.assertEqual(self.order(1, no).get("refunded_fen"), None)
        self.assert_events([(no, "unpaid", "paid", "")])
        self.assertEqual(self.try_to_buy(2).code, "sold_out")
        self.assertRegex(self.server_.log(), f"shop.unknown_refund_noted method={self.method} "
                         f"order={no} refund=by_hand_1 amount_fen=300\\b")
        self.end_clean()

    def verdicts(self):
        """On what the channels sent, newest first."""
        found = self.client.get(f"{API}/admin/payments/messages", self.admin()).json["messages"]
        return [m["verdict"] for m in found]

    def open_refunds(self):
        """The notes of those that the channel was asked for at least once."""
        found = self.client.get(f"{API}/admin/payments/open", self.admin()).json["questions"]
        return [q["note"] for q in found if q["question"] == "refund" and q["tries"] > 0]

    def test_a_refund_in_part_and_then_the_rest(self):
        self.open_shop()
        no, number = self.buy_and_pay(1)
        fen = self.order(1, no)["amount_fen"]
        answer = self.call("refund", 1, no, {"amount_fen": 300, "reason": "a scratch"})
        self.assertEqual((answer.status, answer.json["status"]), (202, "refunding"))
        self.wait_until(lambda: self.order(1, no).get("refunded_fen") == 300,
                        what="the part did not go back")
        self.assertEqual(self.status_of(1, no), "paid")
        self.assertEqual([r["amount_fen"] for r in self.box.trade(number).json["refunds"]], [300])
        self.assertEqual(self.try_to_buy(2).code, "sold_out")  # the buyer still has it
        answer = self.call("refund", 1, no, {"amount_fen": fen - 299})
        self.assertEqual((answer.status, answer.json["field"]), (422, "amount_fen"), answer.text)
        self.assertEqual(self.call("refund", 1, no, {"amount_fen": fen - 300}).status, 202)
        self.wait_for(1, no, "refunded")
        self.wait_for_trade(number, "refunded")
        trade = self.box.trade(number).json
        self.assertEqual((len(trade["refunds"]), trade["refunded_fen"]), (2, fen))
        other, _ = self.buy_and_pay(2)
        self.assert_events([
            (no, "unpaid", "paid", ""), (no, "paid", "refunding", ""), (no, "refunding", "paid", ""),
            (no, "paid", "refunding", ""), (no, "refunding", "refunded", ""),
            (other, "unpaid", "paid", "")])
        self.end_clean()

    def test_an_admin_gives_back_what_the_buyer_may_not(self):
        self.open_shop(refund_within_s=1)
        no, number = self.buy_and_pay(1)
        self.wait_until(lambda: self.call("refund", 1, no, {"amount_fen": 10**9}).status == 409,
                        what="the time to give it back did not end")  # 422 until then
        admin = self.admin()
        path = f"{API}/admin/orders/{no}/refund"
        self.assertEqual(self.client.post(path, {"reason": "x"}, self.shop.tokens[0]).status, 403)
        self.assertEqual(self.client.post(path, {"amount_fen": 5}, admin).status, 400)
        answer = self.client.post(path, {"amount_fen": 5, "reason": "arrived broken"}, admin)
        self.assertEqual((answer.status, answer.json["status"]), (202, "refunding"), answer.text)
        self.wait_until(lambda: self.order(1, no).get("refunded_fen") == 5,
                        what="the admin's refund was not made")
        refund, = self.client.get(f"{API}/admin/orders/{no}", admin).json["refunds"]
        self.assertEqual((refund["cause"], refund["reason"], refund["amount_fen"]),
                         ("admin", "arrived broken", 5))
        self.assertIn("done_at", refund)
        self.assertEqual(self.box.trade(number).json["refunds"][0]["request_no"],
                         refund["refund_no"])
        line = self.client.get(f"{API}/admin/audit", admin).json["lines"][0]
        self.assertEqual((line["action"], line["subject"]), ("order.refunded", f"order {no}"))
        self.assertEqual(self.status_of(1, no), "paid")
        self.end_clean()

    def test_answers_that_say_nothing_close_nothing(self):
        """Rubbish, unsigned, foreign: the order stays as it is until a clear answer comes."""
        self.open_shop()
        no = self.buy(1)
        number = self.begin(1, no)
        verb = {"alipay": "alipay.trade.query", "wechat": "wechat.query"}[self.method]
        kinds = ("rubbish", "unsigned", "wrong_key", "http_500", "unavailable", "system_error")
        self.box.switch(notify_never=True, troubles=[
            {"verb": verb, "kind": kind, "calls": 1} for kind in kinds])
        self.pay(number)
        self.pass_deadline(no)
        self.wait_for(1, no, "paid")
        self.assertEqual(self.box.ask("GET", "/sandbox/switches").json["troubles"], [])
        self.end_clean()

    def test_while_the_channel_is_down(self):
        self.open_shop(users=3, stock=2)
        no = self.buy(1)
        number = self.begin(1, no)
        self.box.kill()
        self.pass_deadline(no)
        self.wait_until(lambda: self.open_payments() == [no], what="nobody asked the channel")
        other = self.buy(2)  # buyers are served meanwhile
        self.assertEqual(self.try_to_buy(3).code, "sold_out")  # and its unit is still held
        self.assertEqual(self.status_of(1, no), "unpaid")
        self.box.start()
        self.wait_for(1, no, "closed")
        self.wait_for_trade(number, "closed")
        self.assertEqual(self.status_of(2, other), "unpaid")
        self.buy(3)
        self.end_clean()

    def open_payments(self):
        """Orders that wait for an answer of their channel and were asked for at least once."""
        book = ledger(self.shop.data)
        rows = book.execute("SELECT order_no FROM trades WHERE asked = 1 AND tries > 0")
        found = [str(no) for no, in rows.fetchall()]
        book.close()
        return found

    def test_wrong_messages_change_nothing(self):
        self.open_shop()
        no = self.buy(1)
        number, fen = self.begin(1, no), self.order(1, no)["amount_fen"]
        for name, send in self.wrong_messages(number, fen).items():
            with self.subTest(name):
                try:
                    self.assert_refused(send())
                except OSError:  # too long to be read to its end
                    self.assertEqual(name, "oversize")
                self.client.close()
                self.client = self.server_.client()
                self.assertEqual(self.status_of(1, no), "unpaid")
        self.assert_events([])
        message = self.true_message(number, fen)  # and the same without a fault is believed:
        self.assert_taken(self.tell(message))
        self.wait_for(1, no, "paid")
        self.assert_taken(self.tell(message))
        self.assert_events([(no, "unpaid", "paid", "")])

    def test_an_old_message_again_changes_nothing(self):
        self.open_shop()
        no, number = self.buy_and_pay(1)
        message = self.true_message(number, self.order(1, no)["amount_fen"])
        self.assert_taken(self.tell(message))
        self.call("refund", 1, no)
        self.wait_for(1, no, "refunded")
        self.tell(message)
        self.assertEqual(self.status_of(1, no), "refunded")
        self.assertEqual(len(self.box.trade(number).json["refunds"]), 1)
        self.buy(2)

    @clustered_only("a message reaches another node than the one that began the payment")
    def test_two_nodes(self):
        self.open_shop()
        port = free_port()
        other = self.server(self.shop.data, config=self.config(), node=2,
                            listen=f"127.0.0.1:{port}").start()
        self.server_.stop()
        self.server_ = self.server(self.shop.data, config=self.config(port),
                                   listen=f"127.0.0.1:{self.port}")
        self.start()
        no, _ = self.buy_and_pay(1)
        self.wait_until_told()
        with other.client(self.shop.tokens[0]) as client:
            self.assertEqual(client.order(no).json["status"], "paid")
        self.assertEqual(other.stop(), 0)
        self.end_clean()


class TestAlipay(Alipay, Journeys):

    def test_the_way_back_settles_nothing(self):
        self.open_shop()
        no = self.buy(1)
        number = self.begin(1, no)
        back = self.client.get(f"{API}/payments/alipay/return?" + urllib.parse.urlencode(
            self.forger().way_back(number, yuan_of(self.order(1, no)["amount_fen"]))))
        self.assertIn(back.status, (302, 303))
        self.assertIn(no, back.headers["location"])
        self.assertEqual(self.status_of(1, no), "unpaid")

    @staticmethod
    def bill(*rows):
        """(order number, kind, yuan) each, as Alipay writes it. The sandbox has no bills."""
        now = datetime.datetime.now(BEIJING).strftime("%Y-%m-%d %H:%M:%S")
        return ("#支付宝业务明细查询\n#---业务明细列表---\n"
                "支付宝交易号,商户订单号,业务类型,创建时间,完成时间,订单金额（元）,退款批次号/请求号\n"
                + "".join(f"2026{n}\t,{no}\t,{kind},{now},{now},{yuan},\n"
                          for n, (no, kind, yuan) in enumerate(rows))
                + "#---业务明细列表结束---\n").encode("gbk")

    def compare_bill(self, *rows):
        """`floodgate bills`, beside the running server."""
        file = self.place / "bill.csv"
        file.write_bytes(self.bill(*rows))
        return floodgate("bills", "--channel", "alipay", "--file", file,
                         *place_of(self.shop.data))

    def test_the_daily_bill(self):
        self.open_shop()
        no, _ = self.buy_and_pay(1)
        fen = self.order(1, no)["amount_fen"]
        yuan = yuan_of(fen)
        done = self.compare_bill((no, "交易", yuan))
        self.assertEqual((done.returncode, done.stdout.split("\n")[-2]), (0, "all is well"), done)
        done = self.compare_bill((no, "交易", "0.01"), (NO_SUCH_ORDER, "交易", yuan))
        self.assertEqual(done.returncode, 1, done)
        self.assertIn(f"DIFFERENT order {no}", done.stdout)
        self.assertIn(f"EXTRA order {NO_SUCH_ORDER}", done.stdout)
        self.assertEqual(self.status_of(1, no), "paid")

    def post_bill(self, admin, *rows):
        answer = self.client.post(f"{API}/admin/payments/bills?channel=alipay", self.bill(*rows),
                                  admin, {"Content-Type": "application/octet-stream"})
        self.assertEqual(answer.status, 200, answer.text)
        return answer.json

    def test_an_admin_checks_the_daily_bill(self):
        self.open_shop()
        phone, password = first_admin(self.server_)
        admin = self.client.post(f"{API}/auth/login",
                                 {"phone": phone, "password": password}).json["token"]
        no, _ = self.buy_and_pay(1)
        fen = self.order(1, no)["amount_fen"]
        good = self.post_bill(admin, (no, "交易", yuan_of(fen)))
        self.assertEqual((good["agrees"], good["lines"]), (True, 1), good)
        self.assertEqual((good["bill"]["paid_fen"], good["ledger"]["paid_fen"]), (fen, fen))

        bad = self.post_bill(admin, (no, "交易", "0.01"), (NO_SUCH_ORDER, "交易", "1.00"))
        self.assertFalse(bad["agrees"])
        self.assertEqual([f["order_no"] for f in bad["different"]["named"]], [no])
        self.assertEqual(bad["different"]["named"][0]["paid_fen"], 1)
        self.assertEqual([f["order_no"] for f in bad["extra"]["named"]], [str(NO_SUCH_ORDER)])
        self.assertEqual(bad["missing"]["count"], 0)
        lines = self.client.get(f"{API}/admin/audit", admin).json["lines"]
        self.assertEqual([line["action"] for line in lines if line["action"] != "staff.login"], ["bill.checked"] * 2)
        self.assertEqual(lines[0]["details"]["after"]["different"], 1)
        self.assertEqual(self.status_of(1, no), "paid")


class BothWays(MoneyTest):
    """A buyer begins to pay in two ways. Both channels know the order under the same number."""

    def begin_both(self, buyer):
        no = self.buy(buyer)
        for channel in (Alipay, Wechat):
            answer = self.call("pay", buyer, no, {"method": channel.method})
            self.assertEqual(answer.status, 200, answer.text)
            self.assertEqual(answer.json["out_trade_no"], no)
            channel.go_to_pay(self, answer.json)
        return no

    def pay_with(self, channel, no, status=200):
        answer = self.box.act(no, "pay", channel)
        self.assertEqual(answer.status, status, answer.text)

    def wait_for_state(self, channel, no, state):
        self.wait_until(lambda: self.box.trade(no, channel).json["state"] == state,
                        what=f"the trade with {channel} was not {state}")

    def test_whoever_pays_in_one_way_cannot_pay_in_the_other(self):
        self.open_shop(stock=2)
        for buyer, first, second in ((1, "alipay", "wechat"), (2, "wechat", "alipay")):
            no = self.begin_both(buyer)
            self.pay_with(first, no)
            self.wait_until(lambda b=buyer, n=no: self.status_of(b, n) == "paid")
            self.wait_for_state(second, no, "closed")
            self.pay_with(second, no, status=409)
        self.assertEqual(self.extra(), [])
        self.end_clean()

    def test_whoever_pays_twice_gets_the_second_payment_back(self):
        self.open_shop(stock=2)
        verbs = {"alipay": "alipay.trade.close", "wechat": "wechat.close"}
        for buyer, first, second in ((1, "alipay", "wechat"), (2, "wechat", "alipay")):
            no = self.begin_both(buyer)
            # The second is paid before it can be closed.
            self.box.switch(troubles=[{"verb": verbs[second], "kind": "http_500", "calls": 1000,
                                       "after_work": False}])
            self.pay_with(first, no)
            self.wait_until(lambda b=buyer, n=no: self.status_of(b, n) == "paid")
            self.pay_with(second, no)
            self.wait_for_state(second, no, "refunded")
            self.box.switch(troubles=[])
            self.assertEqual(self.status_of(buyer, no), "paid")
            self.assertNotIn("refunded_fen", self.order(buyer, no))
            self.assertEqual(self.box.trade(no, first).json["refunds"], [])
            self.assertEqual(len(self.box.trade(no, second).json["refunds"]), 1)
            self.wait_until(lambda n=no: "done_at" in self.extra(n), what="it was not listed")
            found = self.extra(no)
            self.assertEqual((found["method"], found["cause"], found["amount_fen"]),
                             (second, "twice", self.order(buyer, no)["amount_fen"]))
        self.assertEqual(len(self.extra()), 2)
        alerts = self.client.get(f"{API}/admin/alerts", self.admin()).json["alerts"]
        self.assertIn("extra_money", [a["alert"] for a in alerts])
        events = [e for e in self.events() if e[2] == "paid"]
        self.assertEqual(len(events), 2)  # once each
        self.end_clean()

    def test_nobody_pays_in_either_way(self):
        self.open_shop()
        no = self.begin_both(1)
        self.pass_deadline(no)
        self.wait_until(lambda: self.status_of(1, no) == "closed")
        for channel in ("alipay", "wechat"):
            self.wait_for_state(channel, no, "closed")
        self.buy(2)
        self.end_clean()

    def test_the_unit_is_held_until_both_channels_have_closed(self):
        self.open_shop(users=3)
        for buyer, quick, slow, verb in ((1, "alipay", "wechat", "wechat.close"),
                                         (2, "wechat", "alipay", "alipay.trade.close")):
            no = self.begin_both(buyer)
            self.box.switch(troubles=[{"verb": verb, "kind": "http_500", "calls": 1000,
                                       "after_work": False}])
            self.pass_deadline(no)
            self.wait_until(lambda n=no, q=quick, s=slow: self.trades(n) == {q: "closed", s: "open"},
                            what=f"the trade with {quick} was not closed")
            self.assertEqual(self.status_of(buyer, no), "unpaid")
            self.assertEqual(self.try_to_buy(3).code, "sold_out")
            self.box.switch(troubles=[])
            self.wait_until(lambda b=buyer, n=no: self.status_of(b, n) == "closed")
        self.buy(3)
        self.end_clean()

    def trades(self, no):
        """channel: state, as the ledger has them"""
        book = ledger(self.shop.data)
        found = book.execute(f"SELECT method, state FROM trades WHERE order_no = {no}").fetchall()
        book.close()
        return dict(found)

    def extra(self, no=None):
        """What is listed; with a number, the one of that order."""
        found = self.client.get(f"{API}/admin/payments/extra", self.admin()).json["refunds"]
        return found if no is None else next((r for r in found if r["order_no"] == no), {})

    def events(self):
        book = ledger(self.shop.data)
        found = book.execute("SELECT order_no, from_state, to_state FROM order_events").fetchall()
        book.close()
        return found


class TestWechat(Wechat, Journeys):

    def test_a_refund_that_is_stuck_says_why(self):
        self.pay_settings = ASKS_SELDOM
        self.open_shop(stock=2)
        for buyer, end in ((1, "ABNORMAL"), (2, "CLOSED")):
            no, _ = self.buy_and_pay(buyer)
            self.box.switch(wechat_refund_ends_as=end, wechat_refund_settles_ms=1000)
            self.call("refund", buyer, no)
            self.wait_until(lambda e=end: any(note.startswith(f"{e}: ")
                                              for note in self.open_refunds()), what=f"not {end}")
            self.wait_until_told()
            self.assertEqual(self.status_of(buyer, no), "refunding")
        self.assertEqual(len(self.open_refunds()), 2)
        self.end_clean()

    def test_a_probe_before_the_message(self):
        self.open_shop()
        self.box.switch(notify_probes=1)
        no, _ = self.buy_and_pay(1)
        self.wait_until_told()
        self.assertNotIn("probe_accepted", self.box.log())
        self.assert_events([(no, "unpaid", "paid", "")])


del Journeys  # only its children are run


@embedded_only("a cluster's demo has no sandbox")
class TheDemo(FloodgateTest):
    """What a newcomer finds: `serve --demo`, and the lines of README.md."""

    def start_demo(self):
        port = free_port()
        with (self.place / "said").open("w") as said, (self.place / "log").open("w") as log:
            process = subprocess.Popen(
                [str(BINARY), "serve", "--demo", "--data", str(self.place / "data"), "--listen",
                 f"127.0.0.1:{port}"], stdin=subprocess.DEVNULL, stdout=said, stderr=log)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        said = (self.place / "said").read_text
        self.wait_until(lambda: "/metrics" in said() or process.poll() is not None)
        self.assertIsNone(process.poll(), (self.place / "log").read_text())
        self.box_at = re.search(r"沙箱.* http://([\d.]+):(\d+)\n", said())
        self.assertTrue(self.box_at, said())
        self.client = Client(("127.0.0.1", port))
        self.addCleanup(self.client.close)
        self.wait_until(lambda: self.client.get("/readyz").status == 200)
        account = re.search(r"buyer\b.*?phone (\S+)  password (\S+)", said())
        self.token = self.client.post(f"{API}/auth/login", {
            "phone": account[1], "password": account[2]}).json["token"]
        return process

    def at_sandbox(self, method, path):
        with Client((self.box_at[1], int(self.box_at[2]))) as client:
            return client.ask(method, path)

    def status_of(self, no):
        return self.client.order(no, self.token).json["status"]

    def test_a_purchase_with_play_money(self):
        process = self.start_demo()
        sales = self.client.rounds()[0]["sales"]
        for sale, method in zip(sales, ("wechat", "alipay")):
            no = self.client.buy(sale["id"], self.token).json["order_no"]
            self.wait_until(lambda no=no: self.status_of(no) == "unpaid")
            answer = self.client.post(f"{API}/orders/{no}/pay", {"method": method}, self.token)
            self.assertEqual(answer.status, 200, answer.text)
            if method == "alipay":
                page = urllib.parse.urlsplit(answer.json["redirect"])
                self.at_sandbox("GET", f"{page.path}?{page.query}")
            paid = self.at_sandbox("POST", f"/sandbox/trades/{no}/pay")
            self.assertEqual(paid.status, 200, paid.text)
            self.wait_until(lambda no=no: self.status_of(no) == "paid")
        keys = self.place / "data/sandbox/keys/wechat_apiv3.key"
        before = keys.read_bytes()
        process.terminate()
        self.assertEqual(process.wait(60), 0)
        self.start_demo()  # on other ports, with the same keys
        self.assertEqual(keys.read_bytes(), before)
        self.assertEqual(self.status_of(no), "paid")

if __name__ == "__main__":
    unittest.main()
