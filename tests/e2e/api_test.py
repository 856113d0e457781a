"""The public surface as a buyer walks it."""
import math
import unittest

from harness import API, CLUSTERED
from recording import FAST, PASSWORD, SharedServer, iso, moment_of, phones

SYNCED = "appendfsync=always" if CLUSTERED else "fdatasync"  # what /readyz says of promises


class AccountsTest(SharedServer):

    def test_somebody_registers_logs_in_looks_and_logs_out(self):
        phone = next(phones)
        welcome = self.client.post(f"{API}/auth/register", {
            "phone": phone, "password": PASSWORD, "nickname": "李雷"})
        self.assertEqual(welcome.status, 201)
        self.assertEqual(welcome.headers["cache-control"], "no-store")
        self.assertEqual(welcome.json["user"]["nickname"], "李雷")
        self.assertEqual(welcome.json["user"]["role"], "buyer")

        answer = self.client.post(f"{API}/auth/login", {"phone": phone, "password": PASSWORD})
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.json["user"], welcome.json["user"])
        self.assertGreater(moment_of(answer.json["expires_at"]), moment_of(iso()))
        first, second = welcome.json["token"], answer.json["token"]
        self.assertNotEqual(first, second)

        for headers in ({"Authorization": f"Bearer {second}"},
                        {"authorization": f"bearer {second}"},
                        {"token": second}, {"Token": second}):
            me = self.client.get(f"{API}/me", headers=headers)
            self.assertEqual((me.status, me.json), (200, welcome.json["user"]), headers)

        gone = self.client.post(f"{API}/auth/logout", token=second)
        self.assertEqual((gone.status, gone.body), (204, b""))
        answer = self.client.get(f"{API}/me", second)
        self.assert_problem(answer, 401, "unauthenticated")
        self.assertEqual(answer.headers["www-authenticate"], "Bearer")
        self.assertEqual(self.client.get(f"{API}/me", first).status, 200, "another log-in stays")

    def test_a_phone_number_is_registered_once_however_it_is_written(self):
        phone = next(phones)
        body = {"phone": phone, "password": PASSWORD, "nickname": "Li"}
        self.assertEqual(self.client.post(f"{API}/auth/register", body).status, 201)
        for written in (phone, f"+86{phone}", f"+86 {phone[:3]}-{phone[3:7]}-{phone[7:]}"):
            answer = self.client.post(f"{API}/auth/register", {**body, "phone": written})
            problem = self.assert_problem(answer, 409, "already_exists")
            self.assertEqual(problem["field"], "phone")
        answer = self.client.post(f"{API}/auth/login", {"phone": f"+86{phone}",
                                                        "password": PASSWORD})
        self.assertEqual(answer.status, 200)

    def test_a_wrong_password_and_an_unknown_phone_get_the_same_answer(self):
        phone = next(phones)
        self.client.post(f"{API}/auth/register", {
            "phone": phone, "password": PASSWORD, "nickname": "Li"})
        wrong, unknown = (self.client.post(f"{API}/auth/login", body) for body in (
            {"phone": phone, "password": "not it at all"},
            {"phone": next(phones), "password": "not it at all"}))
        self.assert_problem(wrong, 401, "wrong_credentials")
        self.assertEqual(wrong.body, unknown.body)
        self.assertEqual(wrong.headers.keys(), unknown.headers.keys())

    def test_attempts_to_log_in_are_limited_for_each_phone(self):
        phone = next(phones)
        body = {"phone": phone, "password": PASSWORD, "nickname": "Li"}
        self.client.post(f"{API}/auth/register", body)
        guesses = [self.client.post(f"{API}/auth/login", {
            "phone": phone, "password": f"guess {n}"}) for n in range(8)]
        self.assert_problem(guesses[0], 401, "wrong_credentials")
        problem = self.assert_problem(guesses[-1], 429, "too_many_requests")
        self.assertGreater(problem["retry_after_ms"], 0)
        self.assertEqual(int(guesses[-1].headers["retry-after"]),
                         math.ceil(problem["retry_after_ms"] / 1000))
        right = self.client.post(f"{API}/auth/login", {"phone": phone, "password": PASSWORD})
        self.assert_problem(right, 429, "too_many_requests")
        self.assertEqual(self.client.post(f"{API}/auth/login", {
            "phone": self.admin_phone, "password": self.admin_password}).status, 200)

    def test_titles_follow_the_language_asked_for(self):
        for asked, title in ((None, "Please log in"), ("en", "Please log in"), ("zh", "请先登录"),
                             ("zh-CN,zh;q=0.9,en;q=0.8", "请先登录"),
                             ("en-GB,en;q=0.9,zh;q=0.2", "Please log in"),
                             ("fr", "Please log in"), ("zh;q=0.1, en;q=0.7", "Please log in"),
                             ("en;q=0.1, zh;q=0.7", "请先登录"), (";;q=,,", "Please log in")):
            headers = {} if asked is None else {"Accept-Language": asked}
            answer = self.client.get(f"{API}/me", headers=headers)
            self.assertEqual(answer.json["title"], title, asked)

    def test_every_refusal_of_a_form_says_what_is_wrong_with_it(self):
        good = {"phone": "13800138000", "password": PASSWORD, "nickname": "Li"}
        for change, field in (({"phone": "138"}, "phone"), ({"phone": "call me"}, "phone"),
                              ({"password": "short"}, "password"), ({"nickname": " "}, "nickname"),
                              ({"nickname": "a\u202eb"}, "nickname"), ({"age": 3}, "age")):
            answer = self.client.post(f"{API}/auth/register", {**good, **change})
            problem = self.assert_problem(answer, 400, "bad_request")
            self.assertEqual(problem["field"], field)
            self.assertIn(field, problem["detail"])


class WindowShoppingTest(SharedServer):

    def test_the_clock(self):
        answer = self.client.get(f"{API}/time")
        self.assertEqual(answer.status, 200)
        self.assertEqual(moment_of(answer.json["now"]).timestamp() * 1000, answer.json["now_ms"])
        self.assertLess(abs((moment_of(answer.json["now"]) - moment_of(iso())).total_seconds()), 5)

    def test_rounds_and_sales_are_shown_and_drafts_are_not(self):
        sale, draft = self.add_sale(stock=7, price_points=5, limit=2), self.add_sale(publish=False)
        shown = self.client.get(f"{API}/sales/{sale}").json
        self.assertEqual((shown["price_fen"], shown["price_points"], shown["stock"], shown["free"],
                          shown["limit"], shown["state"]), (9900, 5, 7, 7, 2, "published"))
        self.assert_problem(self.client.get(f"{API}/sales/{draft}"), 404, "unknown_sale")
        rounds = self.client.rounds(limit=2)
        self.assertEqual(rounds, sorted(rounds, key=lambda r: (r["starts_at"], r["id"])))
        self.assertEqual(rounds, self.client.rounds(), "however large the pages are")
        everything = [s for r in rounds for s in r["sales"]]
        for detail in ("description", "external_id", "metadata"):
            del shown["product"][detail]
        self.assertIn(shown, everything)
        self.assertNotIn(draft, [s["id"] for s in everything])

    def test_a_page_of_rounds_that_does_not_exist(self):
        for query in ("limit=0", "limit=101", "limit=many", "after=", "after=7", "after=1.2.3.4"):
            problem = self.assert_problem(self.client.get(f"{API}/rounds?{query}"), 400, "bad_request")
            self.assertEqual(problem["field"], query.partition("=")[0])
        far = self.client.get(f"{API}/rounds?after=9000000000000.1.1")
        self.assertEqual((far.status, far.json), (200, {"rounds": []}))

    def test_what_has_not_changed_is_not_sent_again(self):
        sale = self.add_sale()
        for path in (f"{API}/rounds", f"{API}/sales/{sale}", f"{API}/openapi.json"):
            full = self.client.get(path)
            etag = full.headers["etag"]
            self.assertRegex(etag, r'^"[^"]+"$')
            for condition in (etag, f'"other", {etag}', f"W/{etag}", "*"):
                same = self.client.get(path, headers={"If-None-Match": condition})
                self.assertEqual((same.status, same.body), (304, b""), (path, condition))
                self.assertEqual(same.headers["etag"], etag)
            other = self.client.get(path, headers={"If-None-Match": '"something else"'})
            self.assertEqual((other.status, other.body), (200, full.body))
        before = self.client.get(f"{API}/sales/{sale}").headers["etag"]
        self.manage("POST", f"/sales/{sale}/pause")
        changed = self.client.get(f"{API}/sales/{sale}", headers={"If-None-Match": before})
        self.assertEqual((changed.status, changed.json["state"]), (200, "paused"))

    def test_head_is_get_without_the_body(self):
        sale = self.add_sale()
        for path in (f"{API}/rounds", f"{API}/sales/{sale}", f"{API}/openapi.json", "/healthz",
                     f"{API}/time", "/readyz", f"{API}/sales/999999"):
            got, head = self.client.get(path), self.client.ask("HEAD", path)
            self.assertEqual(head.status, got.status, path)
            self.assertEqual(head.headers["content-length"], got.headers["content-length"], path)
            self.assertEqual(head.headers["content-type"], got.headers["content-type"], path)
        self.assertEqual(self.client.get("/healthz").status, 200, "the connection is in step")

    def test_operators_see_that_it_lives_is_ready_and_what_it_counts(self):
        self.assertEqual(self.client.get("/healthz").json, {"status": "live"})
        ready = self.client.get("/readyz").json
        self.assertEqual(ready["status"], "ready")
        self.assertTrue(any(SYNCED in line for line in ready["durability"]), ready)
        metrics = self.client.get("/metrics")
        self.assertTrue(metrics.headers["content-type"].startswith("text/plain"))
        self.assertIn('floodgate_http_answers_total{status="200"}', metrics.text)


class PurchaseTest(SharedServer):

    def test_a_purchase_is_queued_and_then_unpaid(self):
        sale, token = self.add_sale(stock=3, price_points=70, pay_within_s=600), self.register()
        answer = self.client.buy(sale, token)
        self.assertEqual((answer.status, answer.json["status"]), (202, "queued"))
        no = answer.json["order_no"]
        self.assertIn(self.client.order(no, token).json["status"], ("queued", "unpaid"))
        order = self.wait_for_order(no, token)
        self.assertEqual({k: order[k] for k in ("order_no", "sale_id", "quantity", "status",
                                                "amount_fen", "amount_points")},
                         {"order_no": no, "sale_id": sale, "quantity": 1, "status": "unpaid",
                          "amount_fen": 9900, "amount_points": 70})
        to_pay = moment_of(order["pay_by"]) - moment_of(order["created_at"])
        self.assertAlmostEqual(to_pay.total_seconds(), 600, delta=5)
        self.assertEqual(self.client.get(f"{API}/sales/{sale}").json["stock"], 3)

    def test_a_ticket_opens_a_socket(self):
        answer = self.client.post(f"{API}/ws/ticket", token=self.register())
        self.assertEqual(answer.status, 201)
        path = f"{API}/ws?ticket={answer.json['ticket']}"
        self.assert_problem(self.client.get(path), 426, "upgrade_required")
        with self.connect() as client:
            headers = {"Connection": "Upgrade", "Upgrade": "websocket",
                       "Sec-WebSocket-Version": "13",
                       "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="}
            answer = client.get(path, headers=headers)
            self.assertEqual((answer.status, answer.headers["sec-websocket-accept"]),
                             (101, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="))
        self.assert_problem(self.client.get(path, headers=headers), 401, "unauthenticated")

    def test_asking_again_gives_the_same_order_number(self):
        sale, token = self.add_sale(), self.register()
        no = self.client.buy(sale, token).json["order_no"]
        for language, title in (("en", "You have ordered already"), ("zh", "您已下单")):
            answer = self.client.post(f"{API}/sales/{sale}/orders", token=token,
                                      headers={"Accept-Language": language})
            problem = self.assert_problem(answer, 409, "already_ordered")
            self.assertEqual((problem["order_no"], problem["title"]), (no, title))

    def test_the_same_key_gets_the_same_order_and_is_good_for_one_request(self):
        sale, other, token = self.add_sale(), self.add_sale(), self.register()
        first = self.client.buy(sale, token, key="cart-1")
        again = self.client.buy(sale, token, key="cart-1")
        self.assertIn((again.status, again.json["status"]), ((202, "queued"), (200, "unpaid")))
        self.assertEqual(again.json["order_no"], first.json["order_no"])
        self.assert_problem(self.client.buy(sale, token, 2, "cart-1"), 422, "key_reused")
        stranger = self.client.buy(sale, self.register(), key="cart-1")
        self.assertEqual(stranger.status, 202)
        self.assertNotEqual(stranger.json, first.json, "a key belongs to its buyer")
        self.assert_problem(self.client.buy(other, token, key="cart-1"), 422, "key_reused")
        for bad in ("", "x" * 129, "with blank", "umläut"):
            answer = self.client.buy(other, token, key=bad)
            problem = self.assert_problem(answer, 400, "bad_request")
            self.assertEqual(problem["field"], "Idempotency-Key")

    def test_the_last_unit_is_sold_once(self):
        sale, tokens = self.add_sale(stock=1), [self.register(), self.register()]
        self.assertEqual(self.client.buy(sale, tokens[0]).status, 202)
        self.assert_problem(self.client.buy(sale, tokens[1]), 409, "sold_out")
        self.assert_problem(self.client.buy(sale, tokens[0]), 409, "already_ordered")

    def test_several_units_up_to_the_limit(self):
        sale, token = self.add_sale(stock=5, limit=3), self.register()
        refused = self.assert_problem(self.client.buy(sale, token, quantity=4), 422, "over_limit")
        self.assertEqual(refused["limit"], 3)
        self.assertEqual(self.client.buy(sale, token, quantity=2).status, 202)
        self.assertEqual(self.client.buy(sale, token, quantity=2).status, 409)
        last = self.client.buy(sale, token, quantity=1)
        self.assertEqual(last.status, 202)
        order = self.wait_for_order(last.json["order_no"], token)
        self.assertEqual((order["quantity"], order["amount_fen"]), (1, 9900))
        other = self.register()
        refused = self.assert_problem(self.client.buy(sale, other, quantity=3), 409, "not_enough")
        self.assertEqual(refused["free"], 2)
        self.assertEqual(self.client.buy(sale, other, quantity=2).status, 202)
        self.assert_problem(self.client.buy(sale, self.register(), quantity=3), 409, "sold_out")

    def test_orders_are_listed_newest_first_page_by_page(self):
        token, sales = self.register(), [self.add_sale() for _ in range(5)]
        numbers = [self.client.buy(s, token).json["order_no"] for s in sales]
        for no in numbers:
            self.wait_for_order(no, token)
        newest_first = numbers[::-1]
        whole = self.client.get(f"{API}/orders", token).json
        self.assertEqual([o["order_no"] for o in whole["orders"]], newest_first)
        self.assertIsNone(whole["next_before"])
        seen, before, pages = [], None, 0
        while pages < 9:
            query = "?limit=2" + (f"&before={before}" if before else "")
            page = self.client.get(f"{API}/orders{query}", token).json
            seen += [o["order_no"] for o in page["orders"]]
            before, pages = page["next_before"], pages + 1
            if before is None:
                break
        self.assertEqual((seen, pages), (newest_first, 3))
        for query in ("limit=0", "limit=101", "limit=x", "before=0", "before=-1", "limit="):
            answer = self.client.get(f"{API}/orders?{query}", token)
            problem = self.assert_problem(answer, 400, "bad_request")
            self.assertEqual(problem["field"], query.split("=")[0])

    def test_a_foreign_order_is_not_found_like_a_missing_one(self):
        sale, owner, stranger = self.add_sale(), self.register(), self.register()
        no = self.client.buy(sale, owner).json["order_no"]
        queued = self.client.order(no, stranger)
        self.wait_for_order(no, owner)
        entered, missing = self.client.order(no, stranger), self.client.order("1", stranger)
        self.assert_problem(missing, 404, "not_found")
        self.assertEqual(queued.body, missing.body)
        self.assertEqual(entered.body, missing.body)
        self.assertEqual(self.client.get(f"{API}/orders", stranger).json["orders"], [])

    def test_nobody_buys_without_a_log_in_or_what_is_not_there(self):
        sale, token = self.add_sale(), self.register()
        self.assert_problem(self.client.buy(sale), 401, "unauthenticated")
        self.assert_problem(self.client.buy(sale, "x" * 32), 401, "unauthenticated")
        self.assert_problem(self.client.buy(999999, token), 404, "unknown_sale")
        draft = self.add_sale(publish=False)
        self.assert_problem(self.client.buy(draft, token), 404, "unknown_sale")

    def test_a_round_that_begins_later_or_is_over(self):
        token, later = self.register(), iso(500)
        coming = self.manage("POST", "/rounds", {"title": "Later", "starts_at": later,
                                                 "ends_at": iso(900)}, 201)["id"]
        answer = self.client.buy(self.add_sale(round_id=coming), token)
        problem = self.assert_problem(answer, 403, "not_started")
        self.assertEqual(problem["starts_at"], later)
        over = self.add_round(starts_in_s=-900, ends_in_s=-1)
        self.assert_problem(self.client.buy(self.add_sale(round_id=over), token), 410, "ended")


class LimitsTest(SharedServer):
    config = FAST + "purchase_by_user_burst = 4\npurchase_by_user_per_minute = 60\n"

    def test_a_buyer_who_clicks_too_fast_is_told_when_to_come_back(self):
        sale, token, other = self.add_sale(), self.register(), self.register()
        answers = [self.client.buy(sale, token) for _ in range(6)]
        self.assertEqual([a.status for a in answers[:4]], [202, 409, 409, 409])
        problem = self.assert_problem(answers[-1], 429, "too_many_requests")
        self.assertTrue(0 < problem["retry_after_ms"] <= 1000, problem)
        self.assertEqual(answers[-1].headers["retry-after"], "1")
        self.assertEqual(self.client.buy(sale, other).status, 202, "others are not held up")
        self.assertEqual(self.client.get(f"{API}/orders", token).status, 200, "reading is free")


class Forwarding(SharedServer):
    """Buyers who come through a proxy, or pretend to."""

    def buy_from(self, sale, forwarded=None):
        headers = {"X-Forwarded-For": forwarded} if forwarded else None
        return self.client.post(f"{API}/sales/{sale}/orders", token=self.register(),
                                headers=headers).status

    def guess_from(self, address):
        return self.client.post(f"{API}/auth/login", {
            "phone": next(phones), "password": "guess guess"},
            headers={"X-Forwarded-For": address}).status


class BehindProxyTest(Forwarding):
    """Loopback is a trusted proxy unless told otherwise."""
    config = FAST + "purchase_by_address_burst = 3\npurchase_by_address_per_minute = 1\n" \
        "login_by_address_burst = 2\nlogin_by_address_per_minute = 1\n"

    def test_a_forwarded_client_is_limited_and_the_proxy_itself_is_not(self):
        sale = self.add_sale(stock=100)
        self.assertEqual([self.buy_from(sale, "203.0.113.5") for _ in range(3)], [202] * 3)
        self.assertEqual(self.buy_from(sale, "203.0.113.5"), 429)
        self.assertEqual(self.buy_from(sale, "198.51.100.1, 203.0.113.5"), 429,
                         "what the client wrote itself does not count")
        self.assertEqual(self.buy_from(sale, "203.0.113.6"), 202)
        self.assertEqual([self.buy_from(sale) for _ in range(5)], [202] * 5)

    def test_attempts_to_log_in_are_limited_for_each_forwarded_address(self):
        self.assertEqual([self.guess_from("203.0.113.9") for _ in range(3)], [401, 401, 429])
        self.assertEqual(self.guess_from("203.0.113.10"), 401)


class NoProxyTest(Forwarding):
    """With no trusted proxies everybody counts as who they connect as."""
    config = "[edge]\ntrusted_proxies = []\n" + FAST + \
        "purchase_by_address_burst = 3\npurchase_by_address_per_minute = 1\n" \
        "login_by_address_burst = 30\nlogin_by_address_per_minute = 1\n"

    def test_forwarded_addresses_are_not_believed(self):
        sale = self.add_sale(stock=100)
        self.assertEqual([self.buy_from(sale, f"203.0.113.{n}") for n in (1, 2)], [202] * 2)
        self.assertEqual(self.buy_from(sale), 202)
        self.assertEqual(self.buy_from(sale, "203.0.113.3"), 429)
        self.assertEqual(self.buy_from(sale), 429)
        guesses = [self.guess_from(f"203.0.113.{n}") for n in range(40)]
        self.assertEqual((guesses[0], guesses[-1]), (401, 429))


if __name__ == "__main__":
    unittest.main()
