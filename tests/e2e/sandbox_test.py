#!/usr/bin/python3
"""The payment sandbox as a program: starts, pays, is troubled, keeps its trades, says what is wrong."""
import collections
import http.server
import re
import shutil
import socket
import threading
import time
import unittest
import urllib.parse

from harness import FloodgateTest, embedded_only, floodgate
from payments import (AlipayMerchant, Sandbox, WechatMerchant, is_signed, new_key,
                      public_pem, toml_of, write_keys)


class Shop(http.server.ThreadingHTTPServer):
    """Takes the sandbox's messages; answers with the bodies it was given, then `success`."""
    daemon_threads = True

    def __init__(self, *answers):
        super().__init__(("127.0.0.1", 0), Taking)
        self.answers, self.got = collections.deque(answers), []  # (path, headers, body)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"

    def close(self):
        self.shutdown()
        self.server_close()


class Taking(http.server.BaseHTTPRequestHandler):

    def do_POST(self):  # pylint: disable=invalid-name
        body = self.rfile.read(int(self.headers["Content-Length"]))
        said = self.server.answers.popleft() if self.server.answers else b"success"
        self.server.got.append((self.path, self.headers, body))
        self.send_response(200)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *_):
        pass


class SandboxTest(FloodgateTest):

    def shop(self, *answers):
        shop = Shop(*answers)
        self.addCleanup(shop.close)
        return shop

    def sandbox(self, **options):
        made = Sandbox(self.place / "sandbox", **options)
        self.addCleanup(shutil.rmtree, made.notes, ignore_errors=True)
        self.addCleanup(made.kill)
        return made


@embedded_only("it has no store of a cluster")
class ItsOwnKeys(SandboxTest):
    """The newcomer's way: no configuration."""

    def open(self, *answers):
        self.merchant_shop = self.shop(*answers)
        box = self.sandbox(shop=self.merchant_shop.url).start()
        self.alipay = AlipayMerchant(box.merchant()["alipay"])
        self.wechat = WechatMerchant(box.merchant()["wechat"])
        return box

    def test_says_where_to_look_and_ends_when_told_to(self):
        box = self.open()
        self.assertIn("支付沙箱", box.said())
        self.assertIn(f"floodgate serve --config {box.data}/merchant.toml", box.said())
        self.assertEqual(box.ask("GET", "/healthz").text, "ok\n")
        page = box.ask("GET", "/sandbox")
        self.assertEqual((page.status, page.headers["content-type"].split(";")[0]),
                         (200, "text/html"))
        self.assertEqual(box.ask("GET", "/nonsense").status, 404)
        for file in (box.data / "merchant.toml", *(box.data / "keys").iterdir()):
            self.assertEqual(file.stat().st_mode & 0o777, 0o600, file)
        self.assertEqual(box.stop(), 0)

    def test_alipay_from_the_page_to_the_message(self):
        box = self.open()
        said, good = self.alipay.call(box, "alipay.trade.query", out_trade_no="A10001")
        self.assertEqual((said["sub_code"], good), ("ACQ.TRADE_NOT_EXIST", True))
        page = box.ask("GET", self.alipay.page("A10001"))
        self.assertIn(page.status, (200, 302), page.text)
        self.assertEqual(box.act("A10001", "pay").status, 200)
        self.wait_until(lambda: self.merchant_shop.got, what="no message came")
        path, _, body = self.merchant_shop.got[0]
        self.assertEqual(path, "/api/v1/payments/alipay/notify")
        told = dict(urllib.parse.parse_qsl(body.decode()))
        text = "&".join(f"{k}={v}" for k, v in sorted(told.items())
                        if k not in ("sign", "sign_type"))
        self.assertTrue(is_signed(self.alipay.platform, text, told["sign"]))
        self.assertEqual((told["out_trade_no"], told["total_amount"], told["trade_status"]),
                         ("A10001", "99.00", "TRADE_SUCCESS"))
        said, good = self.alipay.call(box, "alipay.trade.query", out_trade_no="A10001")
        self.assertEqual((said["trade_status"], good), ("TRADE_SUCCESS", True))
        self.wait_until(lambda: box.notifies()["notifies"] == [], what="it was not taken")

    def test_a_stranger_is_shown_the_string_that_was_checked(self):
        box = self.open()
        said, _ = self.alipay.call(box, "alipay.trade.query", key=new_key(), out_trade_no="A10001")
        self.assertEqual(said["sub_code"], "isv.invalid-signature")
        self.assertIn("app_id=", said["sub_msg"])
        answer, _ = self.wechat.order(box, "W10001", key=new_key())
        self.assertEqual((answer.status, answer.json["code"]), (401, "SIGN_ERROR"))
        answer, _ = self.wechat.order(box, "W10001", at=1_000_000_000)
        self.assertEqual(answer.status, 401)

    def test_wechat_from_the_code_to_the_message(self):
        box = self.open()
        answer, good = self.wechat.order(box, "W10001")
        self.assertEqual((answer.status, good), (200, True), answer.text)
        self.assertTrue(answer.json["code_url"])
        self.assertEqual(box.act("W10001", "pay").status, 200)
        self.wait_until(lambda: self.merchant_shop.got, what="no message came")
        path, headers, body = self.merchant_shop.got[0]
        self.assertEqual(path, "/api/v1/payments/wechat/notify")
        text = f"{headers['Wechatpay-Timestamp']}\n{headers['Wechatpay-Nonce']}\n{body.decode()}\n"
        self.assertTrue(is_signed(self.wechat.platforms[headers["Wechatpay-Serial"]], text,
                                  headers["Wechatpay-Signature"]))
        answer, good = self.wechat.query(box, "W10001")
        self.assertEqual((answer.json["trade_state"], good), ("SUCCESS", True))

    def test_a_message_that_is_not_taken_comes_again(self):
        box = self.open(b"fail", b"Success", b"success ")
        box.switch(retry_divisor=1_000_000)
        box.ask("GET", self.alipay.page("A10001"))
        box.act("A10001", "pay")
        self.wait_until(lambda: len(self.merchant_shop.got) == 4, what="it did not come again")
        self.wait_until(lambda: box.notifies()["notifies"] == [], what="it was not taken")
        ids = {dict(urllib.parse.parse_qsl(b.decode()))["notify_id"]
               for _, _, b in self.merchant_shop.got}
        self.assertEqual(len(ids), 1)

    def test_switches_lose_and_spoil_answers(self):
        box = self.open()
        self.wechat.order(box, "W10001")
        box.switch(troubles=[{"verb": "wechat.query", "kind": "http_500", "calls": 1},
                             {"verb": "wechat.query", "kind": "wrong_key", "calls": 1}])
        found = [self.wechat.query(box, "W10001") for _ in range(3)]
        self.assertEqual([(a.status, good) for a, good in found],
                         [(500, False), (200, False), (200, True)])
        wrong = box.ask("POST", "/sandbox/switches", {"nonsense": 1})
        self.assertEqual(wrong.status, 400, wrong.text)

    def test_an_answer_that_is_late_on_demand_does_not_hold_up_the_end(self):
        box = self.open()
        box.switch(troubles=[{"verb": "wechat.query", "kind": "late", "calls": 1,
                              "delay_ms": 60_000}])
        ended = []
        asking = threading.Thread(target=lambda: ended.append(self.ask_in_vain(box)))
        asking.start()
        self.wait_until(lambda: box.ask("GET", "/sandbox/switches").json["troubles"] == [],
                        what="the call did not come")
        begin = time.monotonic()
        self.assertEqual(box.stop(), 0)
        self.assertLess(time.monotonic() - begin, 30)
        asking.join(30)
        self.assertEqual(len(ended), 1)

    def ask_in_vain(self, box):
        try:
            return self.wechat.query(box, "W10001")
        except OSError as error:
            return error

    def test_a_restart_keeps_trades_messages_and_keys(self):
        box = self.open()
        keys = {f.name: f.read_bytes() for f in (box.data / "keys").iterdir()}
        box.switch(notify_delay_ms=3_600_000)
        self.wechat.order(box, "W10001")
        box.act("W10001", "pay")
        waiting = box.notifies()["notifies"]
        self.assertEqual(len(waiting), 1)
        box.kill()
        box.start()
        self.assertEqual({f.name: f.read_bytes() for f in (box.data / "keys").iterdir()}, keys)
        answer, good = self.wechat.query(box, "W10001")
        self.assertEqual((answer.json["trade_state"], good), ("SUCCESS", True))
        self.assertEqual(box.notifies()["notifies"], waiting)

    def test_a_real_shop_refuses_its_keys(self):
        pay = self.sandbox().start().merchant()
        pay["alipay"] |= {"gateway": "https://openapi.alipay.com/gateway.do",
                          "notify_url": "https://shop.example/api/v1/payments/alipay/notify",
                          "return_url": "https://shop.example/api/v1/payments/alipay/return"}
        pay["wechat"] |= {"base": "https://api.mch.weixin.qq.com",
                          "notify_url": "https://shop.example/api/v1/payments/wechat/notify"}
        bare = self.place / "bare_base64"
        with open(pay["alipay"]["private_key_file"], encoding="ascii") as pem:
            bare.write_text("".join(line for line in pem if "-----" not in line))
        bare.chmod(0o600)

        def refused(channel, **changed):
            file = self.place / "shop.toml"
            file.write_text(toml_of({f"pay.{channel}": pay[channel] | changed}))
            done = floodgate("serve", "--config", file, "--data", self.place / "shop", "--listen",
                             "127.0.0.1:0")
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn("set pay.sandbox = true", done.stderr)
            return done.stderr

        self.assertIn("pay.alipay.private_key_file holds a test key", refused("alipay"))
        self.assertIn("pay.alipay.private_key_file holds a test key",
                      refused("alipay", private_key_file=str(bare)))
        self.assertIn("pay.wechat.private_key_file holds a test key", refused("wechat"))

        own = write_keys(self.place)  # real ones are no help while the other half is a test key
        self.assertIn("pay.alipay.platform_public_key_file holds a test key", refused(
            "alipay", private_key_file=own["pay.alipay"]["private_key_file"]))
        self.assertIn("pay.wechat.apiv3_key_file holds a test key", refused(
            "wechat", private_key_file=own["pay.wechat"]["private_key_file"],
            serial=own["pay.wechat"]["serial"],
            platform_keys=own["pay.wechat"]["platform_keys"]))

    def test_no_key_is_printed_or_logged(self):
        box = self.open()
        self.wechat.order(box, "W10001")
        box.act("W10001", "pay")
        self.wait_until(lambda: self.merchant_shop.got)
        self.assertEqual(box.stop(), 0)
        told = box.said() + box.log()
        self.assertIn("notify_sent", told)
        for file in (box.data / "keys").iterdir():
            if "public" not in file.name and "certificate" not in file.name:
                for line in file.read_text().split("\n"):
                    self.assertNotIn(line if len(line) > 10 and "KEY" not in line else "\0", told)


@embedded_only("it has no store of a cluster")
class Configured(SandboxTest):
    """The keys of both sides were made elsewhere."""

    def setUp(self):
        super().setUp()
        self.sections = write_keys(self.place)

    def write(self, **changed):
        """`alipay__key=value` changes [sandbox.alipay]; None takes it out."""
        sections = {name: dict(values) for name, values in self.sections.items()}
        for where, value in changed.items():
            section, key = where.split("__")
            sections[section.replace("_", ".")][key] = value
            if value is None:
                del sections[section.replace("_", ".")][key]
        file = self.place / "some.toml"
        file.write_text(toml_of({"pay": {"sandbox": True}, **sections}))
        return file

    def test_serves_the_merchant_of_the_file(self):
        shop = self.shop()
        for name in ("alipay", "wechat"):
            self.sections[f"pay.{name}"]["notify_url"] = f"{shop.url}/{name}"
        box = self.sandbox(config=self.write()).start()
        self.assertNotIn("merchant.toml", box.said())
        self.assertFalse((box.data / "keys").exists())
        answer, good = WechatMerchant(self.sections["pay.wechat"]).order(box, "W10001")
        self.assertEqual((answer.status, good), (200, True), answer.text)
        said, good = AlipayMerchant(self.sections["pay.alipay"]).call(
            box, "alipay.trade.query", out_trade_no="A10001")
        self.assertEqual((said["sub_code"], good), ("ACQ.TRADE_NOT_EXIST", True))
        box.act("W10001", "pay")
        self.wait_until(lambda: shop.got)
        self.assertEqual(shop.got[0][0], "/wechat")

    def test_one_channel_is_enough(self):
        box = self.sandbox(config=self.write(sandbox_wechat__merchant_certificate_file=None,
                                             sandbox_wechat__platform_private_key_file=None))
        box.start()
        answer = box.ask("POST", "/v3/pay/transactions/native", {})
        self.assertEqual((answer.status, answer.json), (404, {"error": "WeChat Pay is not configured"}))

    def refuse(self, file, *words):
        done = floodgate("sandbox", "--listen", "127.0.0.1:0", "--data", self.place / "sandbox",
                         "--config", file, timeout_s=60)
        self.assertEqual(done.returncode, 1, done.stdout)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertEqual(len(done.stderr.strip().split("\n")), 1, done.stderr)
        self.assertNotRegex(done.stderr, "[A-Za-z0-9+/]{64}")  # no byte of a key

    def test_says_which_key_is_missing_or_wrong(self):
        gone, other, small = (self.place / n for n in ("gone.pem", "other.pem", "small.pem"))
        other.write_bytes(public_pem(new_key()))
        small.write_text("-----BEGIN PRIVATE KEY-----\nMIIBVAIBADANBg\n-----END PRIVATE KEY-----\n")
        small.chmod(0o600)
        self.refuse(self.write(sandbox_alipay__merchant_public_key_file=str(gone)), str(gone))
        self.refuse(self.write(sandbox_alipay__platform_private_key_file=None),
                    "sandbox.alipay.platform_private_key_file")
        self.refuse(self.write(sandbox_wechat__platform_private_key_file=str(small)), str(small))
        self.refuse(self.write(sandbox_wechat__platform_serial=None),
                    "sandbox.wechat.platform_serial")
        self.refuse(self.write(pay_alipay__app_id=None), "pay.alipay.app_id")
        self.refuse(self.write(pay_wechat__apiv3_key_file=str(other)), str(other))
        self.refuse(self.write(pay_alipay__platform_public_key_file=str(other)), str(other),
                    "do not belong together")
        self.refuse(self.write(pay_wechat__serial="AB" * 20), "pay.wechat.serial", "AB" * 20)
        self.refuse(self.write(pay_wechat__platform_keys={"PUB_KEY_ID_9": str(other)}),
                    "do not belong together")

    def test_a_key_that_others_can_read_is_refused(self):
        (self.place / "alipay.pem").chmod(0o644)
        self.refuse(self.write(), "alipay.pem")

    def test_a_file_that_names_no_side_of_the_sandbox(self):
        file = self.place / "shop.toml"
        file.write_text("[pay]\nsandbox = true\n")
        self.refuse(file, "[sandbox.alipay]")
        self.refuse(self.place / "none.toml", "none.toml: No such file")

    def test_a_port_or_directory_that_is_taken(self):
        box = self.sandbox(config=self.write()).start()
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            done = floodgate("sandbox", "--listen", f"127.0.0.1:{port}", "--data",
                             self.place / "other", "--config", self.place / "some.toml")
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, rf"^floodgate: .*{port}.*in use")
        done = floodgate("sandbox", "--listen", "127.0.0.1:0", "--data", box.data, "--config",
                         self.place / "some.toml")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^floodgate: .*in use by a running sandbox")

    def test_wrong_use(self):
        done = floodgate("sandbox")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--data", done.stderr)
        done = floodgate("sandbox", "--data", self.place / "s", "--listen", "nonsense")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, re.compile("nonsense"))
        self.assertFalse((self.place / "s").exists())


if __name__ == "__main__":
    unittest.main()
