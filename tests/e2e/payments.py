"""The payment sandbox as a process, and both channels' protocols as an independent implementation
(python3-cryptography): a merchant that speaks to the sandbox, and a forger who holds any key.
"""
import base64
import datetime
import json
import os
import pathlib
import re
import secrets
import time
import tomllib
import urllib.parse

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from harness import Client
from side_process import SideProcess

FORM = {"Content-Type": "application/x-www-form-urlencoded; charset=utf-8"}
SCHEME = "WECHATPAY2-SHA256-RSA2048"
BEIJING = datetime.timezone(datetime.timedelta(hours=8))


# Keys and signatures.

def private_key(file):
    return serialization.load_pem_private_key(pathlib.Path(file).read_bytes(), None)


def public_key(file):
    pem = pathlib.Path(file).read_bytes()
    if b"CERTIFICATE" in pem:
        return x509.load_pem_x509_certificate(pem).public_key()
    return serialization.load_pem_public_key(pem)


def new_key():
    return rsa.generate_private_key(65537, 2048)


def private_pem(key):
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                             serialization.NoEncryption())


def public_pem(key):
    return key.public_key().public_bytes(serialization.Encoding.PEM,
                                         serialization.PublicFormat.SubjectPublicKeyInfo)


def sign(key, text):
    return base64.b64encode(key.sign(text.encode(), padding.PKCS1v15(), hashes.SHA256())).decode()


def is_signed(key, text, signature):
    try:
        key.verify(base64.b64decode(signature), text.encode(), padding.PKCS1v15(), hashes.SHA256())
        return True
    except InvalidSignature:
        return False


def beijing_now():
    return datetime.datetime.now(BEIJING).strftime("%Y-%m-%d %H:%M:%S")


# The sandbox.

class Sandbox(SideProcess):
    """Without `config` it makes its own keys."""

    def __init__(self, data, config=None, listen="127.0.0.1:0", shop=None):
        super().__init__("sandbox", data, listen)
        self.config, self.shop = config, shop

    def options(self):
        return [*(["--config", str(self.config)] if self.config else []),
                *(["--shop", self.shop] if self.shop else [])]

    def merchant(self):
        """The configuration it wrote for the merchant, as a table."""
        return tomllib.loads((self.data / "merchant.toml").read_text())["pay"]

    # What people and scripts do.

    @property
    def url(self):
        return f"http://{self.listen}"

    def ask(self, method, path, body=None, headers=None):
        with Client(self.address) as client:
            return client.ask(method, path, None, body, headers)

    def open_page(self, url):
        """As a browser follows the address that the shop gave the buyer, up to the cashier."""
        for _ in range(5):
            parts = urllib.parse.urlsplit(urllib.parse.urljoin(self.url, url))
            assert parts.netloc == self.listen, url
            page = self.ask("GET", parts.path + (f"?{parts.query}" if parts.query else ""))
            if page.status not in (302, 303):
                return page
            url = page.headers["location"]
        raise AssertionError(f"it leads in circles: {url}")

    def trade(self, number, channel=""):
        """The channel must be named if both have a trade of this number."""
        return self.ask("GET", f"/sandbox/trades/{number}?channel={channel}")

    def act(self, number, act, channel=""):
        return self.ask("POST", f"/sandbox/trades/{number}/{act}?channel={channel}", {})

    def notifies(self):
        return self.ask("GET", "/sandbox/notifies").json

    def switch(self, **wanted):
        answer = self.ask("POST", "/sandbox/switches", wanted)
        assert answer.status == 200, answer.text
        return answer.json


# A merchant of the sandbox, written from the channels' documents.

def sign_alipay(params, key, drop=("sign",)):
    """Requests are signed with sign_type; messages, which drop it too, without."""
    text = "&".join(f"{k}={v}" for k, v in sorted(params.items()) if k not in drop and v)
    return {**params, "sign": sign(key, text)}


class AlipayMerchant:

    def __init__(self, config):
        self.config = config
        self.key = private_key(config["private_key_file"])
        self.platform = public_key(config["platform_public_key_file"])

    def request(self, method, content, key=None, **more):
        params = {"app_id": self.config["app_id"], "method": method, "charset": "utf-8",
                  "sign_type": "RSA2", "timestamp": beijing_now(), "version": "1.0",
                  "biz_content": json.dumps(content), **more}
        return sign_alipay(params, key or self.key)

    def page(self, number, amount="99.00"):
        content = {"out_trade_no": number, "total_amount": amount, "subject": "Kettle",
                   "product_code": "FAST_INSTANT_TRADE_PAY"}
        return "/gateway.do?" + urllib.parse.urlencode(self.request(
            "alipay.trade.page.pay", content, notify_url=self.config["notify_url"]))

    def call(self, sandbox, method, key=None, **content):
        """(the response, whether its signature fits)"""
        answer = sandbox.ask("POST", "/gateway.do", urllib.parse.urlencode(
            self.request(method, content, key)).encode(), FORM)
        found = re.match(r'\{"(\w+_response)":(\{.*\}),"sign":"([^"]*)"\}$', answer.text)
        if not found:
            return answer, False
        return json.loads(found[2]), is_signed(self.platform, found[2], found[3])


class WechatMerchant:

    def __init__(self, config):
        self.config = config
        self.key = private_key(config["private_key_file"])
        self.platforms = {s: public_key(f) for s, f in config["platform_keys"].items()}

    def ask(self, sandbox, method, target, content=None, key=None, at=None):
        """(the answer, whether its signature fits)"""
        body = json.dumps(content) if content is not None else ""
        at, nonce = str(at or int(time.time())), secrets.token_hex(16)
        signature = sign(key or self.key, f"{method}\n{target}\n{at}\n{nonce}\n{body}\n")
        headers = {"Accept": "application/json", "Authorization": (
            f'{SCHEME} mchid="{self.config["mch_id"]}",nonce_str="{nonce}",timestamp="{at}",'
            f'serial_no="{self.config["serial"]}",signature="{signature}"')}
        if content is not None:
            headers["Content-Type"] = "application/json"
        answer = sandbox.ask(method, target, body.encode() if content is not None else None, headers)
        seal = {name: answer.headers.get(f"wechatpay-{name}", "")
                for name in ("timestamp", "nonce", "signature", "serial")}
        platform = self.platforms.get(seal["serial"])
        text = f"{seal['timestamp']}\n{seal['nonce']}\n{answer.text}\n"
        return answer, bool(platform) and is_signed(platform, text, seal["signature"])

    def order(self, sandbox, number, total=9900, **options):
        return self.ask(sandbox, "POST", "/v3/pay/transactions/native", {
            "appid": self.config["app_id"], "mchid": self.config["mch_id"],
            "description": "Kettle", "out_trade_no": number,
            "notify_url": self.config["notify_url"],
            "amount": {"total": total, "currency": "CNY"}}, **options)

    def query(self, sandbox, number):
        return self.ask(sandbox, "GET", f"/v3/pay/transactions/out-trade-no/{number}"
                                        f"?mchid={self.config['mch_id']}")


# Messages as a platform sends them, true or forged.

class AlipayForger:

    def __init__(self, sandbox):
        self.config = sandbox.merchant()["alipay"]
        self.key = private_key(sandbox.data / "keys/alipay_platform.pem")

    def fields(self, number, yuan="99.00", **changed):
        return {"app_id": self.config["app_id"], "auth_app_id": self.config["app_id"],
                "charset": "utf-8", "version": "1.0", "sign_type": "RSA2",
                "notify_type": "trade_status_sync", "notify_id": secrets.token_hex(17),
                "notify_time": beijing_now(), "out_trade_no": str(number),
                "trade_no": "2026" + "0" * 24, "seller_id": self.config["seller_id"],
                "buyer_id": "2088000000000009", "subject": "Kettle", "total_amount": yuan,
                "trade_status": "TRADE_SUCCESS", "gmt_create": beijing_now(),
                "gmt_payment": beijing_now(), **changed}

    def message(self, number, key=None, **changed):
        return sign_alipay(self.fields(number, **changed), key or self.key, ("sign", "sign_type"))

    def way_back(self, number, yuan):
        """What a buyer is sent back with: Alipay signs it, but it is no message about a payment."""
        return sign_alipay(
            {"app_id": self.config["app_id"], "auth_app_id": self.config["app_id"],
             "charset": "utf-8", "version": "1.0", "sign_type": "RSA2",
             "method": "alipay.trade.page.pay.return", "timestamp": beijing_now(),
             "out_trade_no": str(number), "trade_no": "2026" + "0" * 24,
             "seller_id": self.config["seller_id"], "total_amount": yuan},
            self.key, ("sign", "sign_type"))


class WechatForger:

    def __init__(self, sandbox):
        self.config = sandbox.merchant()["wechat"]
        self.key = private_key(sandbox.data / "keys/wechat_platform.pem")
        self.serial, = self.config["platform_keys"]
        self.shared = pathlib.Path(self.config["apiv3_key_file"]).read_bytes().strip()

    def content(self, number, fen=9900, currency="CNY", **changed):
        return {"appid": self.config["app_id"], "mchid": self.config["mch_id"],
                "out_trade_no": str(number), "transaction_id": "4200" + "0" * 24,
                "trade_type": "NATIVE", "trade_state": "SUCCESS", "trade_state_desc": "支付成功",
                "bank_type": "OTHERS", "success_time": datetime.datetime.now(BEIJING).isoformat(
                    timespec="seconds"), "payer": {"openid": "o" + "0" * 27},
                "amount": {"total": fen, "payer_total": fen, "currency": currency,
                           "payer_currency": currency}, **changed}

    def body(self, content, shared=None, **resource):
        nonce = secrets.token_hex(6)
        sealed = AESGCM(shared or self.shared).encrypt(
            nonce.encode(), json.dumps(content).encode(), b"transaction")
        return json.dumps({
            "id": "EV-" + secrets.token_hex(12), "create_time": content.get("success_time", ""),
            "resource_type": "encrypt-resource", "event_type": "TRANSACTION.SUCCESS",
            "summary": "支付成功", "resource": {
                "original_type": "transaction", "algorithm": "AEAD_AES_256_GCM",
                "ciphertext": base64.b64encode(sealed).decode(),
                "associated_data": "transaction", "nonce": nonce, **resource}}).encode()

    def headers(self, body, key=None, at=None, **changed):
        at, nonce = str(at or int(time.time())), secrets.token_hex(16)
        signature = sign(key or self.key, f"{at}\n{nonce}\n{body.decode()}\n")
        return {"Content-Type": "application/json", "Wechatpay-Timestamp": at,
                "Wechatpay-Nonce": nonce, "Wechatpay-Signature": signature,
                "Wechatpay-Serial": self.serial, "Wechatpay-Signature-Type": SCHEME, **changed}


def flipped(text):
    """The same base64 with one bit changed."""
    raw = bytearray(base64.b64decode(text))
    raw[len(raw) // 2] ^= 1
    return base64.b64encode(raw).decode()


# The keys of both sides as the configuration names them, made by somebody else than Floodgate.

def certificate_of(key, name):
    now = datetime.datetime.now(datetime.timezone.utc)
    called = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    made = (x509.CertificateBuilder().subject_name(called).issuer_name(called)
            .public_key(key.public_key()).serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=1)).sign(key, hashes.SHA256()))
    return made.public_bytes(serialization.Encoding.PEM), f"{made.serial_number:X}"


def write_keys(place):
    """All key files of a merchant and of the sandbox; the configuration as lines by section."""
    place = pathlib.Path(place)
    merchant, alipay, wechat = new_key(), new_key(), new_key()
    certificate, serial = certificate_of(merchant, "merchant")
    for name, content in (("merchant.pem", private_pem(merchant)),
                          ("merchant_public.pem", public_pem(merchant)),
                          ("merchant_certificate.pem", certificate),
                          ("alipay.pem", private_pem(alipay)),
                          ("alipay_public.pem", public_pem(alipay)),
                          ("wechat.pem", private_pem(wechat)),
                          ("wechat_public.pem", public_pem(wechat)),
                          ("apiv3.key", secrets.token_hex(16).encode())):
        (place / name).write_bytes(content)
        os.chmod(place / name, 0o600)
    return {
        "pay.alipay": {"app_id": "2021000000000009", "seller_id": "2088000000000009",
                       "private_key_file": f"{place}/merchant.pem",
                       "platform_public_key_file": f"{place}/alipay_public.pem"},
        "pay.wechat": {"mch_id": "1900000009", "app_id": "wx0000000000000009", "serial": serial,
                       "private_key_file": f"{place}/merchant.pem",
                       "apiv3_key_file": f"{place}/apiv3.key",
                       "platform_keys": {"PUB_KEY_ID_9": f"{place}/wechat_public.pem"}},
        "sandbox.alipay": {"merchant_public_key_file": f"{place}/merchant_public.pem",
                           "platform_private_key_file": f"{place}/alipay.pem"},
        "sandbox.wechat": {"merchant_certificate_file": f"{place}/merchant_certificate.pem",
                           "platform_private_key_file": f"{place}/wechat.pem",
                           "platform_serial": "PUB_KEY_ID_9"}}


def toml_of(sections):
    lines = []
    for name, values in sections.items():
        lines.append(f"[{name}]")
        for key, value in values.items():
            if isinstance(value, dict):
                value = "{ " + ", ".join(f'"{k}" = "{v}"' for k, v in value.items()) + " }"
            elif isinstance(value, bool):
                value = "true" if value else "false"
            else:
                value = json.dumps(value)
            lines.append(f"{key} = {value}")
    return "\n".join(lines) + "\n"
