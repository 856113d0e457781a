"""What admins do, and what buyers notice of it at once."""
import unittest

from harness import API, Client
from recording import SharedServer, iso


class CatalogueTest(SharedServer):

    def test_a_product_a_round_and_a_sale_are_made_and_changed(self):
        made = self.client.post(f"{API}/admin/products", {
            "title": "电水壶", "description": "1.7 l\nsteel", "pictures": ["/kettle.jpg"],
            "list_price_fen": 19900}, self.admin)
        self.assertEqual(made.status, 201)
        product = made.json
        self.assertEqual(made.headers["location"], f"{API}/admin/products/{product['id']}")
        path = f"/products/{product['id']}"
        self.assertEqual(self.manage("GET", path), product)
        changed = self.manage("PUT", path, {"title": "Kettle"})
        self.assertEqual(changed, {**product, "title": "Kettle"}, "what is left out stays")
        self.assertIn(changed, self.manage("GET", "/products")["products"])

        window = {"title": "Ten", "starts_at": iso(-60), "ends_at": iso(600)}
        round_ = self.manage("POST", "/rounds", window, 201)
        self.assertEqual(self.manage("GET", f"/rounds/{round_['id']}"),
                         {**window, "id": round_["id"], "external_id": None})
        self.assertIn(round_, self.manage("GET", "/rounds")["rounds"])

        sale = self.manage("POST", "/sales", {"product_id": product["id"], "stock": 5,
                                              "round_id": round_["id"], "price_fen": 1}, 201)
        self.assertEqual((sale["state"], sale["limit"], sale["starts_at"]),
                         ("draft", 1, window["starts_at"]))
        self.assertIn(sale, self.manage("GET", "/sales")["sales"])
        seen = self.manage("GET", f"/sales/{sale['id']}")
        self.assertEqual(seen["figures"], {"ledger": {"stock": 5, "held": 0}, "gate": None})
        again = self.client.post(f"{API}/admin/sales", {
            "product_id": product["id"], "round_id": round_["id"], "price_fen": 2, "stock": 5},
            self.admin)
        self.assert_problem(again, 409, "already_exists")

    def test_what_cannot_be_is_refused_with_a_reason(self):
        round_, product = self.add_round(), self.add_product()
        backwards = {"title": "x", "starts_at": iso(60), "ends_at": iso(0)}
        sale = {"product_id": product, "round_id": round_, "price_fen": 1, "stock": 1}
        for path, body, status, code, word in (
                ("/rounds", backwards, 422, "invalid", "ends_at"),
                ("/sales", {**sale, "product_id": 999}, 404, "not_found", "product or round"),
                ("/sales", {**sale, "round_id": 999}, 404, "not_found", "product or round"),
                ("/sales", {**sale, "stock": -1}, 400, "bad_request", "stock"),
                ("/products", {"title": "x"}, 400, "bad_request", "list_price_fen")):
            answer = self.client.post(f"{API}/admin{path}", body, self.admin)
            self.assertIn(word, self.assert_problem(answer, status, code)["detail"])
        moved = self.client.put(f"{API}/admin/rounds/{round_}", {"ends_at": iso(-900)}, self.admin)
        self.assert_problem(moved, 422, "invalid")
        for kind in ("products", "rounds", "sales"):
            answer = self.client.get(f"{API}/admin/{kind}/999999", self.admin)
            self.assert_problem(answer, 404, "not_found")

    def test_buyers_have_no_business_here(self):
        token = self.register()
        for method, path in (("GET", "/products"), ("POST", "/products"), ("GET", "/audit"),
                             ("POST", "/sales/1/pause"), ("POST", "/warm-up")):
            answer = self.client.ask(method, f"{API}/admin{path}", token)
            self.assert_problem(answer, 403, "forbidden")
            answer = self.client.ask(method, f"{API}/admin{path}")
            self.assert_problem(answer, 401, "unauthenticated")


class StateTest(SharedServer):

    def test_a_sale_is_published_paused_resumed_and_ended_at_once(self):
        sale = self.add_sale(publish=False)
        buyers = iter([self.register() for _ in range(8)])
        self.assert_problem(self.client.buy(sale, next(buyers)), 404, "unknown_sale")
        for act, state, status in (("publish", "published", 202), ("pause", "paused", 423),
                                   ("resume", "published", 202), ("end", "ended", 410)):
            for _ in range(2):  # asking again for what is so is fine
                self.assertEqual(self.manage("POST", f"/sales/{sale}/{act}")["state"], state)
            self.assertEqual(self.client.get(f"{API}/sales/{sale}").json["state"], state)
            self.assertEqual(self.client.buy(sale, next(buyers)).status, status)
        for act in ("publish", "pause", "resume"):
            answer = self.client.post(f"{API}/admin/sales/{sale}/{act}", token=self.admin)
            problem = self.assert_problem(answer, 409, "conflict")
            self.assertEqual(problem["state"], "ended")

    def test_a_draft_can_be_neither_resumed_nor_warmed_up(self):
        draft = self.add_sale(publish=False)
        for act in ("resume", "pause", "warm-up"):
            answer = self.client.post(f"{API}/admin/sales/{draft}/{act}", token=self.admin)
            self.assertEqual(self.assert_problem(answer, 409, "conflict")["state"], "draft")

    def test_warming_up_while_selling_changes_nothing(self):
        sale, tokens = self.add_sale(stock=2), [self.register() for _ in range(3)]
        self.assertEqual(self.client.buy(sale, tokens[0]).status, 202)
        self.manage("POST", f"/sales/{sale}/warm-up")
        self.assertIn({"id": sale, "ok": True}, self.manage("POST", "/warm-up")["sales"])
        self.assert_problem(self.client.buy(sale, tokens[0]), 409, "already_ordered")
        self.assertEqual(self.client.buy(sale, tokens[1]).status, 202)
        self.assert_problem(self.client.buy(sale, tokens[2]), 409, "sold_out")
        gate = self.manage("GET", f"/sales/{sale}")["figures"]["gate"]
        self.assertEqual((gate["stock"], gate["taken"], gate["free"], gate["buyers"]), (2, 2, 0, 2))

    def test_a_round_that_is_moved_closes_and_opens_its_sales_at_once(self):
        round_ = self.add_round()
        sale, tokens = self.add_sale(round_id=round_), [self.register() for _ in range(3)]
        self.assertEqual(self.client.buy(sale, tokens[0]).status, 202)
        starts, ends = iso(300), iso(600)
        self.manage("PUT", f"/rounds/{round_}", {"starts_at": starts, "ends_at": ends})
        answer = self.client.buy(sale, tokens[1])
        self.assertEqual(self.assert_problem(answer, 403, "not_started")["starts_at"], starts)
        self.assertEqual(self.client.get(f"{API}/sales/{sale}").json["starts_at"], starts)
        self.manage("PUT", f"/rounds/{round_}", {"starts_at": iso(-600), "ends_at": iso(-300)})
        self.assert_problem(self.client.buy(sale, tokens[1]), 410, "ended")
        self.manage("PUT", f"/rounds/{round_}", {"ends_at": ends})
        self.assertEqual(self.client.buy(sale, tokens[1]).status, 202)

    def test_a_new_price_holds_for_later_orders_only(self):
        sale, tokens = self.add_sale(price_points=4), [self.register(), self.register()]
        first = self.client.buy(sale, tokens[0]).json["order_no"]
        changed = self.manage("PUT", f"/sales/{sale}", {"price_fen": 100})
        self.assertEqual((changed["price_fen"], changed["price_points"]), (100, 4))
        second = self.client.buy(sale, tokens[1]).json["order_no"]
        old, new = self.wait_for_order(first, tokens[0]), self.wait_for_order(second, tokens[1])
        self.assertEqual((old["amount_fen"], new["amount_fen"]), (9900, 100))
        self.assertEqual(self.client.get(f"{API}/sales/{sale}").json["price_fen"], 100)


class StockTest(SharedServer):

    def change(self, sale, delta, **more):
        return self.client.post(f"{API}/admin/sales/{sale}/stock", {"delta": delta, **more},
                                self.admin)

    def test_added_stock_lifts_sold_out_at_once(self):
        sale, tokens = self.add_sale(stock=1), [self.register() for _ in range(4)]
        self.assertEqual(self.client.buy(sale, tokens[0]).status, 202)
        self.assert_problem(self.client.buy(sale, tokens[1]), 409, "sold_out")
        self.assertEqual(self.change(sale, 2).json["stock"], 3)
        shown = self.client.get(f"{API}/sales/{sale}").json
        self.assertEqual((shown["stock"], shown["free"]), (3, 2))
        self.assertEqual(self.client.buy(sale, tokens[1]).status, 202)
        self.assertEqual(self.change(sale, -1).json["stock"], 2)
        self.assert_problem(self.client.buy(sale, tokens[2]), 409, "sold_out")

    def test_only_free_units_can_be_removed(self):
        sale = self.add_sale(stock=5)
        for _ in range(2):
            self.assertEqual(self.client.buy(sale, self.register()).status, 202)
        answer = self.change(sale, -4)
        problem = self.assert_problem(answer, 409, "conflict")
        self.assertEqual(problem["free"], 3)
        self.assertIn("3", problem["detail"])
        self.assertEqual(self.client.get(f"{API}/sales/{sale}").json["stock"], 5)
        self.assertEqual(self.change(sale, -3).json["stock"], 2)
        self.assertEqual(self.assert_problem(self.change(sale, -1), 409, "conflict")["free"], 0)

    def test_changes_that_make_no_sense(self):
        sale = self.add_sale(stock=5)
        self.assert_problem(self.change(sale, 0), 422, "invalid")
        self.assert_problem(self.change(sale, 1_000_000_000), 422, "invalid")
        self.assert_problem(self.change(sale, -1_000_000_001), 400, "bad_request")
        self.assertEqual(self.assert_problem(self.change(sale, -6), 409, "conflict")["free"], 5)
        self.assert_problem(self.change(999999, 1), 404, "not_found")

    def test_a_drafts_stock_changes_too(self):
        sale = self.add_sale(stock=5, publish=False)
        self.assertEqual(self.change(sale, -5).json["stock"], 0)
        self.assertEqual(self.assert_problem(self.change(sale, -1), 409, "conflict")["free"], 0)
        self.change(sale, 1)
        self.manage("POST", f"/sales/{sale}/publish")
        self.assertEqual(self.client.buy(sale, self.register()).status, 202)

    def test_the_stock_log_is_a_chain_from_the_first_unit(self):
        sale, token = self.add_sale(stock=4), self.register()
        self.change(sale, 3, note="more came 又到货")
        self.wait_for_order(self.client.buy(sale, token).json["order_no"], token)
        self.change(sale, -2)
        moves = self.manage("GET", f"/sales/{sale}/stock-log")["moves"][::-1]
        self.assertEqual([m["kind"] for m in moves], ["created", "added", "entered", "removed"])
        self.assertEqual([(m["stock_before"], m["stock_after"]) for m in moves],
                         [(0, 4), (4, 7), (7, 7), (7, 5)])
        self.assertEqual([(m["held_before"], m["held_after"]) for m in moves],
                         [(0, 0), (0, 0), (0, 1), (1, 1)])
        self.assertEqual(moves[1]["note"], "more came 又到货")
        newest = self.manage("GET", f"/sales/{sale}/stock-log?limit=1")["moves"]
        self.assertEqual(newest, moves[-1:])


class PointsTest(SharedServer):

    def test_points_are_given_taken_and_shown(self):
        token = self.register()
        user = self.client.get(f"{API}/me", token).json["id"]
        path = f"/users/{user}/points"
        grant = {"amount": 50, "reason": "welcome", "request": f"w-{user}"}
        given = self.manage("POST", path, grant)
        self.assertEqual((given["available"], len(given["lines"])), (50, 1))
        self.assertEqual(self.manage("POST", path, grant), given, "the same once more is one grant")
        self.assertEqual(self.manage("GET", path), given)
        mine = self.client.get(f"{API}/me/points", token).json
        self.assertEqual((mine["available"], mine["lines"][0]["reason"]), (50, "welcome"))
        answer = self.client.post(f"{API}/admin{path}", {**grant, "amount": 60}, self.admin)
        self.assert_problem(answer, 409, "already_exists")
        answer = self.client.post(f"{API}/admin{path}", {
            **grant, "amount": -51, "request": "take"}, self.admin)
        self.assertIn("50", self.assert_problem(answer, 409, "conflict")["detail"])
        answer = self.client.post(f"{API}/admin/users/999999/points", grant, self.admin)
        self.assert_problem(answer, 404, "not_found")
        self.assertEqual(self.manage("POST", path, {
            **grant, "amount": -20, "request": f"t-{user}"})["available"], 30)


class BillTest(SharedServer):
    PATH = f"{API}/admin/payments/bills"
    TITLES = "支付宝交易号,商户订单号,业务类型,创建时间,完成时间,订单金额（元）,退款批次号/请求号\n"
    END = "#明细列表结束\n"

    def check(self, text, channel="alipay", token=None, kind="text/csv"):
        body = text if isinstance(text, bytes) else text.encode()
        return self.client.post(f"{self.PATH}?channel={channel}", body, token or self.admin,
                                {"Content-Type": kind})

    @staticmethod
    def row(number, yuan="9.90"):
        return f"2026,{number},交易,2026-11-16 10:00:00,2026-11-16 10:00:01,{yuan},\n"

    def test_a_bill_is_compared_in_either_encoding(self):
        bill = self.TITLES + self.row(4711) + self.END
        answer = self.check(bill)
        self.assertEqual(answer.status, 200, answer.text)
        self.assertEqual((answer.json["lines"], answer.json["extra"]["count"]), (1, 1))
        self.assertEqual(answer.json["from"], "2026-11-15T16:00:00.000Z")
        self.assertEqual(self.check(bill.encode("gbk"), kind="application/octet-stream").json,
                         answer.json)

    def test_a_bill_may_be_much_longer_than_other_bodies(self):
        rows = "".join(self.row(f"shop-{n}") for n in range(40_000))  # 3 MB
        answer = self.check(self.TITLES + rows + self.END)
        self.assertEqual(answer.status, 200, answer.text)
        self.assertEqual(answer.json["extra"]["count"], 40_000)
        self.assertEqual(len(answer.json["extra"]["named"]), 1000)

    def test_what_is_no_bill_is_refused_with_its_line(self):
        problem = self.assert_problem(self.check(self.TITLES + self.row(1) + self.row(2, "much")),
                                      422, "invalid")
        self.assertEqual(problem["line"], 3)
        self.assertIn("not an amount", problem["detail"])
        self.assert_problem(self.check("{}"), 422, "invalid")
        self.assert_problem(self.check(self.TITLES, channel="points"), 400, "bad_request")
        self.assert_problem(self.check(self.TITLES, kind="application/json"), 415,
                            "unsupported_media_type")

    def test_long_files_of_strangers_are_not_read(self):
        buyer = self.register()
        for token, status in ((buyer, 403), ("made-up", 401)):
            with Client(self.server.address) as client:
                client.send(f"POST {self.PATH}?channel=alipay HTTP/1.1\r\nHost: x\r\n"
                            f"Authorization: Bearer {token}\r\nContent-Type: text/csv\r\n"
                            "Content-Length: 67108864\r\n\r\n".encode())
                self.assertEqual(client.receive().status, status, "before the file has come")
        with Client(self.server.address) as client:
            client.send(f"POST {self.PATH}?channel=alipay HTTP/1.1\r\nHost: x\r\n"
                        "Content-Length: 67108865\r\n\r\n".encode())
            problem = self.assert_problem(client.receive(), 413, "payload_too_large")
            self.assertIn("67108864", problem["detail"])


class AuditTest(SharedServer):

    def test_every_act_leaves_a_line_with_before_and_after(self):
        product, round_ = self.add_product("Kettle"), self.add_round()
        self.manage("PUT", f"/products/{product}", {"title": "Teapot"})
        self.manage("PUT", f"/rounds/{round_}", {"title": "Noon"})
        sale = self.manage("POST", "/sales", {"product_id": product, "round_id": round_,
                                              "price_fen": 9900, "stock": 5}, 201)["id"]
        self.manage("PUT", f"/sales/{sale}", {"price_fen": 100})
        for act in ("publish", "pause", "resume", "warm-up"):
            self.manage("POST", f"/sales/{sale}/{act}")
        for delta in (2, -1):
            self.manage("POST", f"/sales/{sale}/stock", {"delta": delta, "note": "count"})
        self.manage("POST", f"/sales/{sale}/end")
        self.manage("POST", "/warm-up")
        self.client.post(f"{API}/admin/sales/{sale}/publish", token=self.admin)  # refused: no line

        lines = self.manage("GET", "/audit?limit=500")["lines"]
        me = self.client.get(f"{API}/me", self.admin).json["id"]
        self.assertEqual({line["who"] for line in lines}, {me})
        said = [(line["action"], line["subject"]) for line in lines[::-1]
                if not line["action"].startswith("staff.")]
        self.assertEqual(said, [
            ("product.created", f"product {product}"), ("round.created", f"round {round_}"),
            ("product.changed", f"product {product}"), ("round.changed", f"round {round_}"),
            ("sale.created", f"sale {sale}"), ("sale.changed", f"sale {sale}"),
            ("sale.published", f"sale {sale}"), ("sale.paused", f"sale {sale}"),
            ("sale.resumed", f"sale {sale}"), ("sale.warmed_up", f"sale {sale}"),
            ("stock.added", f"sale {sale}"), ("stock.removed", f"sale {sale}"),
            ("sale.ended", f"sale {sale}"), ("sales.warmed_up", "all sales")])
        by_action = {line["action"]: line["details"] for line in lines}
        for action, field, before, after in (
                ("product.changed", "title", "Kettle", "Teapot"),
                ("round.changed", "title", "Ten o'clock", "Noon"),
                ("sale.changed", "price_fen", 9900, 100),
                ("sale.paused", "state", "published", "paused"),
                ("stock.added", "stock", 5, 7), ("stock.removed", "stock", 7, 6)):
            self.assertEqual(by_action[action]["before"][field], before, action)
            self.assertEqual(by_action[action]["after"][field], after, action)

        seen, before = [], None
        for _ in range(20):
            page = self.manage("GET", "/audit?limit=3" + (f"&before={before}" if before else ""))
            seen += page["lines"]
            before = page["next_before"]
            if before is None:
                break
        self.assertEqual(seen, lines, "page by page it is the same")


if __name__ == "__main__":
    unittest.main()
