#!/usr/bin/python3
"""Points in a process of their own: paying through it, and what happens when it is away, dies or hangs."""
import collections
import json
import unittest

import books
from harness import API, PATIENCE_S, FloodgateTest, embedded_only, floodgate, request_bytes
from points_process import PointsProcess, Relay
from points_test import EARNED, PRICE, EarningShop

PATIENT_MS = 60000  # a busy machine is not what is tested
HASTY_MS = 500


class FarPoints(EarningShop):

    def open_far_shop(self, users, answer_within_ms=PATIENT_MS, refund_within_s=3600):
        """A shop where everybody can pay one order with points, in another process, and has one."""
        self.far = PointsProcess(self.place / "points")
        self.addCleanup(self.far.discard)
        self.relay = Relay(self.far.start())
        self.addCleanup(self.relay.close)
        self.open_points_shop(users, users, config="[pay]\nallow_test = true\n"
                              f"refund_within_s = {refund_within_s}\n"
                              + self.far.shop_settings(answer_within_ms, self.relay))

    def give_everybody(self, users):
        for buyer in range(1, users + 1):
            self.grant(buyer, PRICE, f"w-{buyer}")
        return {buyer: self.unpaid_order(buyer) for buyer in range(1, users + 1)}

    def run(self, result=None):
        before = len(result.failures) + len(result.errors) if result is not None else 0
        done = super().run(result)
        if result is not None and len(result.failures) + len(result.errors) > before:
            print(f"{self.id()}: the points process said:\n{getattr(self, 'last_words', '')}", flush=True)
        return done

    def tearDown(self):
        if hasattr(self, "far"):
            self.last_words = self.far.log()[-3000:]
        super().tearDown()

    def points(self, buyer, query=""):
        """After a call that was not answered in time, the shop says "busy" for half a second."""
        answers = []

        def answered():
            with self.client() as client:
                answers.append(client.get(f"{API}/me/points{query}", self.shop.tokens[buyer - 1]))
            return answers[-1].status != 503
        self.wait_until(answered, what="the points did not answer")
        self.assertEqual(answers[-1].status, 200, answers[-1].text)
        return answers[-1].json

    def tries(self):
        book = books.points_book(self.far.data)
        found = book.execute("SELECT order_no, state FROM points_tries").fetchall()
        book.close()
        return {str(no): state for no, state in found}

    def spends(self):
        """order number -> how often its points were taken"""
        book = books.points_book(self.far.data)
        found = book.execute("SELECT order_no FROM points_log WHERE event = 'spend_confirmed'").fetchall()
        book.close()
        return collections.Counter(str(no) for no, in found)

    def warnings(self):
        with self.client() as client:
            ready = client.get("/readyz")
        self.assertEqual(ready.status, 200, ready.text)
        return ready.json["warnings"]

    def wait_until_they_answer(self):
        def answered():
            with self.client() as client:
                return client.get(f"{API}/me/points", self.shop.tokens[0]).status == 200
        self.wait_until(answered, what="the points did not come back")

    def wait_for_warning(self):
        self.wait_until(lambda: any(w.startswith("points: ") for w in self.warnings()), what="no warning")

    def pay_at_once(self, orders):
        """buyer -> status of the answer"""
        clients = {b: self.client() for b in orders}
        for buyer, client in clients.items():
            client.send(request_bytes("POST", f"{API}/orders/{orders[buyer]}/pay",
                                      self.shop.tokens[buyer - 1], {"method": "points"}))
        told = {}
        for buyer, client in clients.items():
            told[buyer] = client.receive().status
            client.close()
        self.assertLessEqual(set(told.values()), {200, 409, 503})
        return told

    def pay_until(self, happened, orders):
        """Everybody pays, and those who could not come again, until what was planned has happened. The
        buyers who were told that they have paid."""
        told_paid = set()

        def pay_and_look():
            told = self.pay_at_once(orders)
            told_paid.update(buyer for buyer, status in told.items() if status == 200)
            return happened.is_set()
        self.wait_until(pay_and_look, what="the planned call did not come")
        return told_paid

    def check_shop(self):
        """With its settings: without them `check` would look for the points in the shop itself."""
        return floodgate("check", "--data", self.shop.data, "--config", self.server_.config_file)

    def stop_all_clean(self):
        self.assertEqual(self.server_.stop(), 0)
        self.assertEqual(self.far.stop(), 0, self.far.log())
        for done in (self.check_shop(), self.far.check()):
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class Journey(FarPoints):

    def test_granted_spent_and_given_back_in_the_other_process(self):
        self.open_far_shop(users=1)
        self.grant(1, 100, "w-1")
        self.assertEqual(self.balance(1), (100, 0, 0))
        no = self.unpaid_order(1)
        paid = self.call("pay", 1, no)
        self.assertEqual((paid.status, paid.json["order"]["status"]), (200, "paid"), paid.text)
        self.wait_until(lambda: self.balance(1) == (70, 0, 0))
        self.assertEqual(self.tries(), {no: "confirmed"})
        self.assertEqual(self.call("refund", 1, no).status, 202)
        self.wait_for(no, 1, "refunded")
        self.assertEqual(self.balance(1), (100, 0, 0))
        self.assertEqual([line["event"] for line in self.points(1)["lines"]],
                         ["given_back", "spend_confirmed", "spend_tried", "granted"])
        self.wait_until(lambda: self.warnings() == [], what="a warning stays")
        self.assertFalse((self.shop.data / "points.db").exists())
        secret = self.far.secret
        self.stop_all_clean()
        for told in (self.far.log(), self.far.said(), self.server_.log(), self.server_.said()):
            self.assertNotIn(secret, told)

    def test_earned_in_the_other_process(self):
        self.open_far_shop(users=2, refund_within_s=1)
        self.manage("PUT", f"/sales/{self.sale}", {"earns_points": EARNED})
        self.paid_order(1)
        self.wait_for_balance(1, (EARNED, 0, 0))
        self.assertEqual(self.events(1), ["earn_confirmed", "earn_tried"])
        self.stop_all_clean()

    def test_check_says_that_it_does_not_look_at_them(self):
        self.open_far_shop(users=1)
        self.assertEqual(self.server_.stop(), 0)
        done = self.check_shop()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("points: another process keeps them", done.stdout)


class Trouble(FarPoints):

    def test_a_shop_sells_on_while_they_are_away(self):
        self.open_far_shop(users=3)
        self.grant(1, PRICE, "w-1")
        no = self.unpaid_order(1)
        self.far.kill()
        self.wait_for_warning()
        answer = self.call("pay", 1, no)
        self.assertEqual((answer.status, answer.code), (503, "busy"), answer.text)
        with self.client() as client:
            self.assertEqual(client.get(f"{API}/me/points", self.shop.tokens[0]).status, 503)
        other = self.unpaid_order(2)
        self.assertEqual(self.call("pay", 2, other, "test").json["order"]["status"], "paid")

        self.assertEqual(self.server_.stop(), 0)
        self.server_.start()  # a shop starts without its points
        self.settle(self.server_)
        self.wait_for_warning()
        self.unpaid_order(3)
        self.far.start()
        self.wait_until(lambda: self.warnings() == [], what="the warning did not go away")
        self.wait_until(lambda: self.order(no, 1)["status"] == "paid" or
                        self.call("pay", 1, no).status == 200)
        self.assertEqual(self.balance(1), (0, 0, 0))
        self.assertEqual(self.order(no, 1)["status"], "paid")

    def test_what_is_earned_while_they_are_away_is_promised_when_they_are_back(self):
        self.open_far_shop(users=2)
        self.manage("PUT", f"/sales/{self.sale}", {"earns_points": EARNED})
        self.far.kill()
        kept, given_back = self.paid_order(1), self.paid_order(2)
        self.assertEqual(self.call("refund", 2, given_back).status, 202)
        self.wait_for(given_back, 2, "refunded")
        self.far.start()
        self.wait_for_balance(1, (0, 0, EARNED))
        self.wait_until(lambda: self.tries() == {kept: "open", given_back: "cancelled"},
                        what="what was refunded is not given up")
        self.assertEqual((self.balance(2), self.events(2)), ((0, 0, 0), []))
        self.stop_all_clean()

    def test_everybody_earns_once_although_the_points_are_killed(self):
        """Before a call reaches it, and after it has answered one that the shop does not hear of."""
        deaths = [(call, moment) for call in ("try_earn", "confirm") for moment in ("before", "after")]
        self.open_far_shop(users=len(deaths), refund_within_s=1)
        self.manage("PUT", f"/sales/{self.sale}", {"earns_points": EARNED})
        for buyer, (call, moment) in enumerate(deaths, 1):
            happened = self.relay.disturb(call, 1, moment, self.far.kill)
            self.paid_order(buyer)
            self.assertTrue(happened.wait(PATIENCE_S), f"{call} did not come")
            self.far.start()
            self.wait_for_balance(buyer, (EARNED, 0, 0))
            self.assertEqual(self.events(buyer), ["earn_confirmed", "earn_tried"])
        self.stop_all_clean()

    def test_points_and_orders_agree_after_kill_9_of_the_points(self):
        """Killed while several pay: before a call reaches it, and after it has answered one that the shop
        does not hear of."""
        deaths = [(call, moment) for call in ("balance_of", "try_spend", "confirm")
                  for moment in ("before", "after")]
        buyers = 5 * len(deaths)
        self.open_far_shop(buyers)
        orders = self.give_everybody(buyers)
        told_paid = set()
        for death, (call, moment) in enumerate(deaths):
            some = {b: no for b, no in orders.items() if b % len(deaths) == death}
            self.wait_until_they_answer()
            happened = self.relay.disturb(call, 2, moment, self.far.kill)
            told_paid |= self.pay_until(happened, some)
            self.far.start()
        self.expect_agreement(orders, told_paid)
        self.stop_all_clean()

    def test_points_and_orders_agree_after_the_points_hung(self):
        """What it was sent while it hung it does when it goes on, though nobody waits any more."""
        calls = ("balance_of", "try_spend", "confirm")
        buyers = 5 * len(calls)
        self.open_far_shop(buyers, HASTY_MS)
        orders = self.give_everybody(buyers)
        told_paid = set()
        for hang, call in enumerate(calls):
            some = {b: no for b, no in orders.items() if b % len(calls) == hang}
            self.wait_until_they_answer()
            happened = self.relay.disturb(call, 2, "before", self.far.freeze)
            told_paid |= self.pay_until(happened, some)
            if hang == 0:
                self.wait_for_warning()
            self.far.thaw()
        self.wait_until(lambda: self.relay.under_way == 0, what="a late call was not answered")
        self.expect_agreement(orders, told_paid)
        for buyer, no in orders.items():
            # Told "busy", a buyer comes again until it is done, by this call or by an earlier one.
            self.wait_until(lambda b=buyer, n=no: self.call("pay", b, n).status in (200, 409),
                            what=f"buyer {buyer} could not pay")
            self.wait_for(no, buyer, "paid")
        self.wait_until(lambda: "open" not in self.tries().values(), what="a try is still open")
        self.assertEqual(self.tries(), {no: "confirmed" for no in orders.values()})
        self.assertEqual(self.spends(), {no: 1 for no in orders.values()})
        for buyer in orders:
            self.assertEqual(self.balance(buyer), (0, 0, 0))
        self.stop_all_clean()


@embedded_only("it has no store of a cluster")
class TheProgram(FloodgateTest):

    def points(self, name="points", config=""):
        made = PointsProcess(self.place / name, config)
        self.addCleanup(made.discard)
        return made

    def refusal(self, process):
        process.launch()
        return process.process.wait(PATIENCE_S), process.log()

    def test_makes_a_secret_once_and_ends_when_told_to(self):
        far = self.points().start()
        self.assertIn(f'secret_file = "{far.secret_file}"', far.said())
        self.assertIn("积分", far.said())
        self.assertEqual(far.secret_file.stat().st_mode & 0o777, 0o600)
        secret = far.secret
        self.assertGreaterEqual(len(secret), 32)
        self.assertEqual(far.stop(), 0)
        far.start()
        self.assertEqual(far.secret, secret)
        with far.client() as client:
            self.assertEqual(client.get("/healthz").text, "ok\n")
            self.assertEqual(client.post("/v1/balance_of", {"user": 1}).status, 401)
            self.assertEqual(client.post("/v1/balance_of", {"user": 1}, "x" * 32).status, 401)
            answer = client.post("/v1/balance_of", {"user": 1}, secret)
        self.assertEqual(json.loads(answer.text), {"available": 0, "reserved": 0, "pending": 0})

    def test_says_what_is_wrong(self):
        far = self.points().start()
        in_use = far.check()
        self.assertEqual(in_use.returncode, 1)
        self.assertIn("in use", in_use.stderr)
        code, said = self.refusal(self.points())
        self.assertEqual(code, 1)
        self.assertIn("in use by a running points service", said)
        other = self.points("other")
        other.listen = far.listen
        code, said = self.refusal(other)
        self.assertEqual(code, 1)
        self.assertIn(far.listen, said)
        short = self.place / "short"
        short.write_text("tooshort")
        short.chmod(0o600)
        code, said = self.refusal(self.points("third", f'[points]\nsecret_file = "{short}"\n'))
        self.assertEqual(code, 1)
        self.assertIn("must be 32 to 256", said)
        self.assertNotIn("tooshort", said)
        self.assertEqual(floodgate("points").returncode, 2)
        nonsense = floodgate("points", "--data", self.place / "x", "--listen", "nonsense")
        self.assertEqual(nonsense.returncode, 1)
        self.assertEqual(floodgate("points", "--help").returncode, 0)


if __name__ == "__main__":
    unittest.main()
