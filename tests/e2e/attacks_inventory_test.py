#!/usr/bin/python3
"""Attacks on the stock: a unit that one account holds for ever (M2), and its mill of orders (M3)."""
import unittest

import books
from books import clustered_only
from harness import API, ledger, open_book, request_bytes, first_admin
from orders import CONFIG, TIMED_OUT, ShopTest
from recording import moment_of

LONG_S = 600  # nobody waits for it: no test can be so slow that it ends
WAIT = CONFIG + f"[sale]\ncool_down_s = {LONG_S}\n"


class InventoryTest(ShopTest):

    def assert_waits(self, answer, seconds=LONG_S):
        """Told to wait, no longer than this; gives until when, in ms."""
        self.assertEqual((answer.status, answer.code), (409, "cooling_down"), answer.text)
        said = answer.json
        self.assertGreater(said["retry_after_ms"], 0)
        self.assertLessEqual(said["retry_after_ms"], seconds * 1000)
        self.assertEqual(int(answer.headers["retry-after"]), -(-said["retry_after_ms"] // 1000))
        self.assertEqual(round(moment_of(said["until"]).timestamp() * 1000), said["until_ms"])
        return said["until_ms"]

    def cancel_and_buy(self, buyer, no):
        """Both in one packet, as the attacker sends them."""
        token = self.shop.tokens[buyer - 1]
        self.client.send(request_bytes("POST", f"{API}/orders/{no}/cancel", token) +
                         request_bytes("POST", f"{API}/sales/{self.sale}/orders", token))
        cancelled, bought = self.client.receive(), self.client.receive()
        self.assertEqual(cancelled.status, 200, cancelled.text)
        return bought

    def returns(self):
        """(buyer, times) as an admin sees them."""
        phone, password = first_admin(self.server_)
        admin = self.client.post(f"{API}/auth/login", {
            "phone": phone, "password": password}).json["token"]
        answer = self.client.get(f"{API}/admin/sales/{self.sale}/returns", admin)
        self.assertEqual(answer.status, 200, answer.text)
        return [(b["buyer_id"], b["times"]) for b in answer.json["buyers"]]


class DenialOfInventory(InventoryTest):

    def test_m2_cancel_and_buy_in_one_packet_loses_the_unit_to_others(self):
        self.open_shop(config=WAIT)
        first = self.buy(1)
        self.assertEqual(self.try_to_buy(2).code, "sold_out")
        until = self.assert_waits(self.cancel_and_buy(1, first))
        self.assertEqual(self.try_to_buy(2).status, 202, "the unit is there for others at once")
        self.assertEqual(self.assert_waits(self.try_to_buy(1)), until, "also while it is sold out")
        self.assertGreaterEqual(
            self.server_.metric('floodgate_gate_answers_total{answer="cooling_down"}'), 2)
        self.assertEqual(self.server_.stop(), 0)
        self.assert_clean(self.shop.data)

    def test_m2_the_title_speaks_both_languages(self):
        self.open_shop(config=WAIT)
        self.assert_waits(self.cancel_and_buy(1, self.buy(1)))
        titles = {self.client.ask("POST", f"{API}/sales/{self.sale}/orders", self.shop.tokens[0],
                                  headers={"Accept-Language": language}).json["title"]
                  for language in ("zh", "en")}
        self.assertEqual(len(titles), 2, titles)

    def test_m2_after_the_cool_down_the_buyer_may_try_again(self):
        self.open_shop(config=CONFIG + "[sale]\ncool_down_s = 10\n")
        until = self.assert_waits(self.cancel_and_buy(1, self.buy(1)), 10)
        answers = []

        def accepted():
            answers.append(self.try_to_buy(1))
            return answers[-1].status == 202
        self.wait_until(accepted, what="the cool-down did not end")
        self.assertLessEqual({a.code for a in answers[:-1]}, {"cooling_down"})
        order = self.order(1, answers[-1].json["order_no"], wait_ms=30000)
        self.assertGreaterEqual(round(moment_of(order["created_at"]).timestamp() * 1000), until)

    def test_m2_a_time_out_counts_as_well(self):
        self.open_shop(config=WAIT, pay_within_s=1)
        no = self.try_to_buy(1).json["order_no"]
        self.order(1, no, wait_ms=30000)  # until it is entered, and then until it is closed
        order = self.order(1, no, wait_ms=30000, **{"while": "unpaid"})
        self.assertEqual((order["status"], order["reason"]), TIMED_OUT)
        answers = []

        def waits():
            answers.append(self.try_to_buy(1))
            return answers[-1].code == "cooling_down"
        self.wait_until(waits, what="nobody had to wait")
        self.assertLessEqual({a.code for a in answers[:-1]}, {"already_ordered"})
        self.assert_waits(answers[-1])
        self.assertEqual(self.try_to_buy(2).status, 202)
        self.assertEqual(self.returns()[0], (1, 1))

    def test_m2_a_refund_costs_no_time(self):
        self.open_shop(config=WAIT)
        no = self.buy(1)
        self.assertEqual(self.call("pay", 1, no).status, 200)
        self.assertEqual(self.call("refund", 1, no).status, 202)
        answers = []

        def accepted():
            answers.append(self.try_to_buy(1))
            return answers[-1].status == 202
        self.wait_until(accepted, what="the unit did not come back")
        self.assertLessEqual({a.code for a in answers[:-1]}, {"already_ordered"})
        self.assertEqual(self.returns(), [])

    def test_m2_a_kill_and_a_restart_do_not_end_the_cool_down(self):
        self.open_shop(config=WAIT)
        until = self.assert_waits(self.cancel_and_buy(1, self.buy(1)))
        self.server_.kill()
        self.start()
        self.assertEqual(self.assert_waits(self.try_to_buy(1)), until)
        self.assertEqual(self.try_to_buy(2).status, 202)

    @clustered_only("the gate is in Redis")
    def test_m2_a_gate_that_is_built_again_knows_who_has_to_wait(self):
        self.open_shop(config=WAIT)
        until = self.assert_waits(self.cancel_and_buy(1, self.buy(1)))
        name, redis = books.name_of(self.shop.data), books.stores_of(self.shop.data).redis
        with redis.line() as line:  # as FLUSHALL, but others use this Redis, too
            for key in line("KEYS", f"{name}*"):
                line("DEL", key)
        self.assertEqual(self.assert_waits(self.try_to_buy(1)), until)
        self.assertEqual(self.try_to_buy(2).status, 202)

    def test_m2_repeat_offenders_are_shown_to_admins(self):
        self.open_shop(users=3, stock=3)  # nobody has to wait
        for buyer in (1, 2, 1, 1):
            self.assertEqual(self.call("cancel", buyer, self.buy(buyer)).status, 200)
        self.buy(3)
        self.assertEqual(self.returns(), [(1, 3), (2, 1)])


class OrderMill(InventoryTest):
    ORDERS = 5000

    def plan(self, book):
        """The database's plan for a page, in words."""
        explain, hint = "EXPLAIN QUERY PLAN", ""
        if books.stores_of(self.shop.data):
            explain, hint = "EXPLAIN", "FORCE INDEX (orders_of_buyer)"
        return repr(book.execute(
            f"{explain} SELECT order_no, state FROM orders {hint} WHERE buyer_id = 1 AND "
            "order_no < 3000 ORDER BY order_no DESC LIMIT 2").fetchall())

    def test_m3_a_page_of_many_orders_is_read_and_not_sorted(self):
        self.open_shop(users=2, stock=2)
        book = open_book(self.shop.data)
        book.executemany(
            "INSERT INTO orders (order_no, sale_id, buyer_id, quantity, amount_fen, amount_points, "
            "state, reason, created_ms, pay_by_ms) VALUES (?, ?, ?, 1, 990, 0, 'closed', "
            "'cancelled', 0, 0)",
            ((no, self.sale, 1) for no in range(1, self.ORDERS + 1)))
        book.commit()
        book.close()
        book = ledger(self.shop.data)
        self.addCleanup(book.close)
        said = self.plan(book)
        self.assertIn("orders_of_buyer", said)
        self.assertNotRegex(said, "filesort|TEMP B-TREE")
        seen, before = [], ""
        for _ in range(3):
            page = self.client.get(f"{API}/orders?limit=100{before}", self.shop.tokens[0]).json
            seen += [int(o["order_no"]) for o in page["orders"]]
            before = f"&before={page['next_before']}"
        self.assertEqual(seen, list(range(self.ORDERS, self.ORDERS - 300, -1)))


if __name__ == "__main__":
    unittest.main()
