"""The catalogue from outside: bulk upserts by external id, pictures, filters, pages of another origin."""
import json
import struct
import unittest
import zlib

from harness import API
from recording import FAST, SharedServer, iso

NDJSON = {"Content-Type": "application/x-ndjson"}


def lines_of(*objects):
    return "".join(json.dumps(o) + "\n" for o in objects).encode()


def png(width, height):
    """A whole PNG, black."""
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + \
            struct.pack(">I", zlib.crc32(kind + content))
    rows = zlib.compress(b"".join(b"\0" + bytes(3 * width) for _ in range(height)))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) + \
        chunk(b"IDAT", rows) + chunk(b"IEND", b"")


class Machine(SharedServer):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        made = cls.client.post(f"{API}/admin/api-keys", {"name": "shop", "scopes": ["catalogue"]}, cls.admin)
        cls.key = made.json["key"]

    def put(self, what, *objects):
        answer = self.client.ask("PUT", f"{API}/service/{what}", self.key, lines_of(*objects), NDJSON)
        self.assertEqual(answer.status, 200, answer.text)
        return [json.loads(line) for line in answer.text.splitlines()]

    @staticmethod
    def sale(name, product, **more):
        return {"external_id": name, "product": product, "price_fen": 100, "stock": 1, "publish": True,
                "round": {"title": "Ten", "starts_at": "2026-01-01T10:00:00Z",
                          "ends_at": "2096-01-01T10:00:00Z"}, **more}


class UpsertTest(Machine):

    def test_products_and_sales_are_put_and_sold(self):
        product = {"external_id": "sku-1", "title": "壶", "list_price_fen": 200, "metadata": {"shelf": 7}}
        self.assertEqual(self.put("products", product)[0]["result"], "created")
        self.assertEqual(self.put("products", product)[0]["result"], "unchanged")
        made = self.put("sales", self.sale("s-1", "sku-1", metadata={"campaign": "11.11"}))[0]
        self.assertEqual(made["result"], "created", made)
        token = self.register()
        bought = self.client.buy(made["id"], token)
        self.assertEqual(bought.status, 202, bought.text)
        order = self.wait_for_order(bought.json["order_no"], token)
        self.assertEqual((order["sale_external_id"], order["product_external_id"], order["sale_metadata"]),
                         ("s-1", "sku-1", {"campaign": "11.11"}))
        self.assertEqual(self.client.buy(made["id"], self.register()).code, "sold_out")
        self.assertEqual(self.put("sales", self.sale("s-1", "sku-1", stock=2))[0]["result"], "updated")
        self.assertEqual(self.client.buy(made["id"], self.register()).status, 202)
        fewer = self.put("sales", self.sale("s-1", "sku-1", stock=1))[0]
        self.assertEqual((fewer["result"], fewer["problem"]["code"]), ("refused", "conflict"))

    def test_a_bad_line_is_refused_alone(self):
        good = {"external_id": "good", "title": "Cup", "list_price_fen": 1}
        answers = self.put("products", {"external_id": "a b", "title": "x", "list_price_fen": 1}, good,
                           {"external_id": "c", "list_price_fen": 1})
        self.assertEqual([a["result"] for a in answers], ["refused", "created", "refused"])
        self.assertEqual(answers[2]["problem"]["field"], "title")
        listed = self.manage("GET", "/products?external_id=good")["products"]
        self.assertEqual([p["title"] for p in listed], ["Cup"])

    def test_thousands_go_in_one_request(self):
        many = [{"external_id": f"m-{n}", "title": f"Thing {n}", "list_price_fen": n} for n in range(5000)]
        self.assertEqual({a["result"] for a in self.put("products", *many)}, {"created"})
        self.assertEqual({a["result"] for a in self.put("products", *many)}, {"unchanged"})
        page = self.manage("GET", "/products?q=Thing%20499&limit=5")
        self.assertEqual((len(page["products"]), page["next_before"] is None), (5, False))

    def test_strangers_and_other_formats_are_refused(self):
        body = lines_of({"external_id": "x"})
        target = f"{API}/service/products"
        self.assert_problem(self.client.ask("PUT", target, None, body, NDJSON), 401, "unauthenticated")
        self.assert_problem(self.client.ask("PUT", target, self.register(), body, NDJSON), 401, "unauthenticated")
        self.assert_problem(self.client.ask("PUT", target, self.key, body,
                                            {"Content-Type": "application/json"}),
                            415, "unsupported_media_type")


class PictureTest(Machine):

    def test_a_picture_is_stored_once_and_kept_for_ever(self):
        for _ in range(2):
            added = self.client.ask("POST", f"{API}/admin/pictures", self.admin, png(40, 30),
                                    {"Content-Type": "image/png"})
            self.assertIn(added.status, (200, 201), added.text)
        self.assertEqual((added.status, added.json["width"], added.json["height"]), (200, 40, 30))
        for _ in range(2):  # cold, then from memory
            shown = self.client.get(added.json["address"])
            self.assertEqual((shown.status, shown.body), (200, png(40, 30)))
            self.assertEqual(shown.headers["content-type"], "image/png")
            self.assertEqual(shown.headers["cache-control"], "public, max-age=31536000, immutable")
            self.assertEqual(shown.headers["x-content-type-options"], "nosniff")
            self.assertIn("default-src 'none'", shown.headers["content-security-policy"])
        same = self.client.get(added.json["address"], headers={"If-None-Match": shown.headers["etag"]})
        self.assertEqual(same.status, 304)
        self.manage("POST", "/products", {"title": "x", "list_price_fen": 1,
                                          "pictures": [added.json["address"]]}, 201)

    def test_what_is_no_picture_is_refused(self):
        for body, code in ((b"<svg onload='alert(1)'/>", "invalid"), (png(1, 1)[:20], "invalid"),
                           (png(1, 1) + bytes(2 << 20), "payload_too_large")):
            answer = self.client.ask("POST", f"{API}/admin/pictures", self.admin, body,
                                     {"Content-Type": "image/png"})
            self.assertEqual(answer.code, code)
        for name in ("x.png", "0" * 64 + ".png", "0" * 64 + ".svg", "../../etc/passwd"):
            self.assertEqual(self.client.get(f"/pictures/{name}").status, 404)


class FilterTest(Machine):

    def test_an_unknown_parameter_is_refused_with_what_there_is(self):
        answer = self.client.get(f"{API}/admin/sales?sate=draft", self.admin)
        self.assertIn("there are limit, before", self.assert_problem(answer, 400, "bad_request")["detail"])
        self.assertEqual(answer.json["field"], "sate")
        self.assert_problem(self.client.get(f"{API}/time?x=1"), 400, "bad_request")

    def test_every_list_comes_in_pages(self):
        sale = self.add_sale(stock=5)
        for _ in range(3):
            self.manage("POST", f"/sales/{sale}/stock", {"delta": 1})
        seen, before = [], ""
        while before is not None:
            page = self.manage("GET", f"/sales/{sale}/stock-log?limit=2{before}")
            seen += [m["stock_after"] for m in page["moves"]]
            before = page["next_before"] and f"&before={page['next_before']}"
        self.assertEqual(seen, [8, 7, 6, 5])
        self.assertEqual([s["id"] for s in self.manage("GET", "/sales?state=published")["sales"]], [sale])
        self.assertEqual(self.manage("GET", "/sales?state=draft")["sales"], [])
        self.assertEqual(self.manage("GET", "/rounds?state=over")["rounds"], [])
        self.assertEqual(len(self.manage("GET", f"/rounds?from={iso()}")["rounds"]), 1)


class CorsTest(SharedServer):
    config = '[edge.cors]\norigins = ["https://shop.example"]\n' + FAST

    def test_a_listed_origin_may_read_and_no_other(self):
        for origin, allowed in (("https://shop.example", True), ("https://evil.example", False),
                                ("null", False)):
            answer = self.client.get(f"{API}/time", headers={"Origin": origin})
            self.assertEqual(answer.headers.get("access-control-allow-origin"),
                             origin if allowed else None)
            self.assertEqual(answer.headers["vary"], "Origin")
            self.assertNotIn("access-control-allow-credentials", answer.headers)
        self.assertNotIn("access-control-allow-origin", self.client.get(f"{API}/time").headers,
                         "the connection forgets the page before")

    def test_a_preflight_is_answered_and_a_purchase_can_be_read(self):
        sale = self.add_sale(stock=1)
        page = {"Origin": "https://shop.example"}
        asked = self.client.ask("OPTIONS", f"{API}/sales/{sale}/orders", None, None, {
            **page, "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization"})
        self.assertEqual(asked.status, 204)
        self.assertEqual(asked.headers["access-control-allow-methods"], "POST")
        self.assertIn("Authorization", asked.headers["access-control-allow-headers"])
        bought = self.client.post(f"{API}/sales/{sale}/orders", None, self.register(), page)
        self.assertEqual((bought.status, bought.headers["access-control-allow-origin"]),
                         (202, "https://shop.example"))
        other = self.client.ask("OPTIONS", f"{API}/time", None, None, {"Origin": "https://evil.example"})
        self.assertEqual(other.status, 405)


class CorsIsOffTest(SharedServer):
    log_in_admin = False

    def test_without_configuration_nothing_is_said_about_origins(self):
        answer = self.client.get(f"{API}/time", headers={"Origin": "https://shop.example"})
        self.assertNotIn("access-control-allow-origin", answer.headers)
        self.assertNotIn("vary", answer.headers)


if __name__ == "__main__":
    unittest.main()
