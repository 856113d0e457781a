#!/usr/bin/python3
"""Rounds open and end by the clock, and what an admin says of a sale holds from the next request
on, in the middle of a crowd too."""
import threading
import time
import unittest

from harness import API, PATIENCE_S, Attempt, Crowd, orders_in
from managed import CLOCKS_APART_S, ManagedShop
from recording import FAST, SharedServer, iso, moment_of


class ByTheClock(SharedServer):
    config = FAST + "purchase_by_user_per_minute = 0\n[pay]\nallow_test = true\n"  # into [guard]

    def knock(self, sale, token, while_status, within_s=PATIENCE_S):
        """Asks to buy until the answer is another one: (that answer, when it came)."""
        deadline = time.monotonic() + within_s
        while time.monotonic() < deadline:
            answer = self.client.buy(sale, token)
            if answer.status != while_status:
                return answer, time.time()
            time.sleep(0.005)
        self.fail(f"{while_status} for {within_s} s")

    def move(self, round_, which, seconds_from_now):
        """Lets a round start or end so soon, by the clock; that moment."""
        moment = iso(seconds_from_now)
        self.manage("PUT", f"/rounds/{round_}", {which: moment})
        return moment

    def test_a_round_opens_and_ends_by_itself(self):
        first, second = self.register(), self.register()
        round_ = self.add_round(starts_in_s=3600, ends_in_s=7200)
        sale = self.add_sale(stock=5, round_id=round_)
        self.assert_problem(self.client.buy(sale, first), 403, "not_started")
        starts_at = self.move(round_, "starts_at", 2)  # now that all is ready, however long it took

        opened, answered_at = self.knock(sale, first, while_status=403)
        self.assertEqual(opened.status, 202, opened.text)
        start = moment_of(starts_at).timestamp()
        self.assertGreaterEqual(answered_at, start - CLOCKS_APART_S, "it opened early")
        print(f"{self.id()}: open {answered_at - start:.3f} s after its time")
        self.assertLess(answered_at - start, 30)

        self.assertEqual(self.client.buy(sale, second).status, 202)
        ends_at = self.move(round_, "ends_at", 2)
        closed, answered_at = self.knock(sale, second, while_status=409)
        self.assert_problem(closed, 410, "ended")
        end = moment_of(ends_at).timestamp()
        self.assertGreaterEqual(answered_at, end - CLOCKS_APART_S, "it ended early")
        self.assertLess(answered_at - end, 30)
        self.assert_problem(self.client.buy(sale, self.register()), 410, "ended")

        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline and "jobs.round_ended" not in self.server.log():
            time.sleep(0.05)
        for word in ("opened", "ended"):
            self.assertIn(f"jobs.round_{word} round={round_}\n", self.server.log())
            self.assertGreaterEqual(self.server.metric(f"floodgate_rounds_{word}_total"), 1)

    def test_what_was_bought_can_be_paid_for_after_the_end(self):
        token = self.register()
        round_ = self.add_round()
        sale = self.add_sale(stock=5, round_id=round_)
        order = self.client.buy(sale, token).json["order_no"]
        self.move(round_, "ends_at", 1)
        self.assertEqual(self.knock(sale, token, while_status=409)[0].code, "ended")
        self.assertEqual(self.wait_for_order(order, token)["status"], "unpaid")
        paid = self.client.post(f"{API}/orders/{order}/pay", {"method": "test"}, token)
        self.assertEqual((paid.status, paid.json["order"]["status"]), (200, "paid"), paid.text)

    def test_a_round_that_is_moved_opens_at_its_new_time(self):
        token, round_ = self.register(), self.add_round(starts_in_s=3600, ends_in_s=7200)
        sale = self.add_sale(round_id=round_)
        self.assert_problem(self.client.buy(sale, token), 403, "not_started")
        self.move(round_, "starts_at", 1)
        opened, _ = self.knock(sale, token, while_status=403)
        self.assertEqual(opened.status, 202, opened.text)


class AtOnce(ManagedShop):
    BUYERS = 500

    def let_pass(self, count):
        enough = len(self.made) + count
        self.wait_until(lambda: len(self.made) >= enough, what="there was no crowd")

    def rush_beside(self, meddle):
        """A crowd buys, group by group, as long as `meddle` runs on a thread of its own: all its
        attempts. Who has been through may come again."""
        self.made, faults = [], []

        def guard():
            try:
                meddle()
            except BaseException as fault:  # pylint: disable=broad-except
                faults.append(repr(fault))
        helper = threading.Thread(target=guard)
        helper.start()
        while helper.is_alive():
            self.made += Crowd(self.server_.address, 50).rush(
                Attempt(self.shop, b) for b in range(1, self.BUYERS + 1))
        helper.join()
        self.assertEqual(faults, [])
        return self.made

    def test_pause_resume_and_end_hold_from_the_next_request_on(self):
        self.open_shop(users=self.BUYERS, stock=1_000_000, limit=1000)
        moves = []

        def meddle():
            for act in ("pause", "resume", "pause", "resume", "end"):
                self.let_pass(1000)
                before = time.monotonic()
                self.manage("POST", f"/sales/{self.sale}/{act}")
                moves.append((act, before, time.monotonic()))
            self.let_pass(1000)
        made = self.rush_beside(meddle)
        self.assertEqual({a.status for a in made if a.answered_at < moves[0][1]}, {202})
        for at, (act, _, since) in enumerate(moves):
            until = moves[at + 1][1] if at + 1 < len(moves) else float("inf")
            between = {a.status for a in made if a.sent_at > since and a.answered_at < until}
            self.assertEqual(between, {{"pause": 423, "resume": 202, "end": 410}[act]},
                             f"after move {at}: {act}")
        self.wait_until_entered()
        self.assertEqual(self.times_raised("invariant_breach"), 0)
        self.stop_clean()
        self.assertEqual(set(orders_in(self.shop.data)), {a.order_no for a in made if a.accepted})

    def test_a_warm_up_in_the_middle_of_a_crowd_changes_nothing(self):
        stock = 20_000
        self.open_shop(users=self.BUYERS, stock=stock, sales=3, limit=100)
        sold = []  # at most, when a warm-up was over

        def meddle():
            self.let_pass(1)
            while len(self.made) < stock + 1000:
                done = self.manage("POST", "/warm-up")["sales"]
                self.assertEqual([(s["id"], s["ok"]) for s in done],
                                 [(s, True) for s in self.shop.sales])
                progress = self.manage("GET", "/warm-up")
                self.assertEqual((progress["running"], progress["total"], progress["done"],
                                  progress["failed"]), (False, 3, 3, 0))
                self.manage("POST", f"/sales/{self.sale}/warm-up")
                sold.append(len(self.made) + self.BUYERS)
        made = self.rush_beside(meddle)
        middle = sum(count < stock for count in sold)
        print(f"{self.id()}: {middle} warm-ups before it was sold out, {len(sold)} in all")
        self.assertGreater(middle, 0)
        self.assertEqual({(a.status, a.code) for a in made}, {(202, ""), (409, "sold_out")})
        self.assertEqual(sum(a.accepted for a in made), stock)
        self.wait_until_entered()
        self.assertEqual(self.times_raised("invariant_breach"), 0)
        self.stop_clean()
        self.assertEqual(set(orders_in(self.shop.data)), {a.order_no for a in made if a.accepted})


if __name__ == "__main__":
    unittest.main()
