#!/usr/bin/python3
"""The ledger does not take one promise: everybody else gets what they were promised, and the one
waits where an operator finds it."""
import json
import time
import unittest

from harness import API, Attempt, Crowd, cure, orders_in, poison, request_bytes
from managed import CLOCKS_APART_S, ManagedShop
from recording import moment_of

PAY_WITHIN_S = 900
STEPS = json.dumps(["200ms"] + ["1s"] * 40 + ["24h"])  # the operator has time to look, and no long wait


class Poison(ManagedShop):
    """One promise that the ledger does not take."""

    def poison(self, buyer, rejected=True):
        poison(self.shop.data, f"NEW.buyer_id = {buyer}", rejected)

    def cure(self):
        cure(self.shop.data)

    def letters(self, state):
        return self.manage("GET", f"/dead-letters?state={state}")["letters"]

    def wait_for_letter(self, state):
        """The only one there is."""
        self.wait_until(lambda: self.letters(state), what=f"no letter is {state}")
        everything = self.manage("GET", "/dead-letters")["letters"]
        self.assertEqual([one["state"] for one in everything], [state])
        return everything[0]

    def assert_refused(self, answer, status, code):
        self.assertEqual((answer.status, answer.code), (status, code), answer.text)

    def assert_held(self, order_no, poisoned, other):
        """Its buyer waits, and nobody else gets the unit, which is the last one."""
        self.assertEqual(self.order(order_no, poisoned)["status"], "queued")
        again = self.buy(poisoned)
        self.assert_refused(again, 409, "already_ordered")
        self.assertEqual(again.json["order_no"], order_no)
        self.assert_refused(self.buy(other), 409, "sold_out")

    def test_one_ends_in_the_dead_letters_while_a_thousand_pass(self):
        self.open_shop(users=1001, stock=1000, pay_within_s=PAY_WITHIN_S)
        self.poison(7)
        made = Crowd(self.server_.address, 50).rush(Attempt(self.shop, b) for b in range(1, 1001))
        self.assertEqual({a.status for a in made}, {202})
        orders = {a.buyer: a.order_no for a in made}
        letter = self.wait_for_letter("dead")
        self.wait_until_entered()
        entered = orders_in(self.shop.data)
        self.assertEqual({no: row[3] for no, row in entered.items()},
                         {no: "unpaid" for buyer, no in orders.items() if buyer != 7})

        self.assertEqual((letter["attempts"], bool(letter["cause"])), (1, True), letter)
        promise = letter["promise"]
        self.assertEqual((promise["order_no"], promise["buyer_id"], promise["sale_id"],
                          promise["quantity"]), (orders[7], 7, self.sale, 1))
        self.assertEqual(self.manage("GET", f"/dead-letters/{letter['id']}"), letter)
        self.assertIn("poison", self.server_.log(), "the database's own words")
        self.wait_for_alert("dead_letters", "letters")
        self.wait_until(lambda: self.server_.metric('floodgate_letters{state="dead"}') == 1)
        self.assert_held(orders[7], 7, 1001)

        self.server_.kill()
        self.server_.start()
        self.assertEqual(self.letters("dead"), [letter])
        self.assert_held(orders[7], 7, 1001)
        self.wait_for_alert("dead_letters", "letters")

        path = f"/dead-letters/{letter['id']}/replay"
        self.assert_refused(self.ask_admin("POST", path), 409, "conflict")
        self.assertEqual(self.wait_for_letter("dead")["id"], letter["id"])
        self.assert_held(orders[7], 7, 1001)
        self.cure()
        replayed_at = time.time()
        done = self.manage("POST", path)
        self.assertEqual((done["outcome"], done["letter"]["state"]), ("entered", "replayed"))
        order = self.order(orders[7], 7)
        self.assertEqual(order["status"], "unpaid")
        self.assertGreaterEqual(moment_of(order["pay_by"]).timestamp() - replayed_at,
                                PAY_WITHIN_S - CLOCKS_APART_S)
        self.wait_for_no_alert("dead_letters", "letters")
        self.assert_refused(self.ask_admin("POST", path), 409, "conflict")
        self.assert_refused(self.buy(1001), 409, "sold_out")
        self.assertEqual(self.times_raised("invariant_breach"), 0)
        self.stop_clean()
        self.assertEqual(orders_in(self.shop.data),
                         {no: (self.sale, b, 1, "unpaid") for b, no in orders.items()})

    def test_one_is_discarded_and_somebody_else_gets_the_unit(self):
        self.open_shop(users=3, stock=2)
        self.poison(2)
        self.assertEqual(self.buy(1).status, 202)
        order = self.buy(2).json["order_no"]
        path = f"/dead-letters/{self.wait_for_letter('dead')['id']}/discard"
        self.wait_for_alert("dead_letters", "letters")
        self.cure()
        self.assert_held(order, 2, 3)

        for nothing in (None, {}, {"reason": ""}):
            self.assert_refused(self.ask_admin("POST", path, nothing), 400, "bad_request")
        self.assert_held(order, 2, 3)
        with self.client(self.shop.tokens[1]) as waiting:
            waiting.send(request_bytes("GET", f"{API}/orders/{order}?wait_ms=30000",
                                       waiting.token))
            done = self.manage("POST", path, {"reason": "the buyer asked us to"})
            told = waiting.receive().json
        self.assertEqual((told["status"], told["reason"]), ("failed", "discarded"))
        self.assertEqual(done["outcome"], "discarded")
        self.assertEqual((done["letter"]["state"], done["letter"]["note"]),
                         ("discarded", "the buyer asked us to"))
        self.assertEqual(self.buy(3).status, 202, "the unit went back")
        self.wait_for_no_alert("dead_letters", "letters")
        line = self.manage("GET", "/audit?limit=1")["lines"][0]
        self.assertEqual(line["action"], "letter.discarded")
        for verb in ("replay", "discard"):
            late = self.ask_admin("POST", path.replace("discard", verb), {"reason": "again"}
                                  if verb == "discard" else None)
            self.assert_refused(late, 409, "conflict")
        self.wait_until_entered()
        self.assertEqual(self.order(order, 2)["status"], "failed")
        self.assertEqual(self.times_raised("invariant_breach"), 0)
        self.stop_clean()

    def test_what_may_pass_is_tried_again_step_by_step(self):
        self.open_shop(users=3, stock=2, config='[clerk]\nretry_steps = ["200ms", "300ms"]\n')
        self.poison(2, rejected=False)
        order = self.buy(2).json["order_no"]
        other = self.buy(1).json["order_no"]
        letter = self.wait_for_letter("dead")
        self.assertEqual(letter["attempts"], 3, "one and two steps")
        between = moment_of(letter["last_at"]) - moment_of(letter["first_at"])
        self.assertGreaterEqual(between.total_seconds(), 0.5)
        self.wait_until(lambda: self.order(other, 1)["status"] == "unpaid")
        self.assert_held(order, 2, 3)
        self.assertEqual(self.server_.metric("floodgate_letters_retried_total"), 2)
        self.cure()
        self.manage("POST", f"/dead-letters/{letter['id']}/replay")
        self.assertEqual(self.order(order, 2)["status"], "unpaid")
        self.stop_clean()

    def test_what_passes_is_entered_without_an_operator(self):
        self.open_shop(users=2, stock=1, config=f"[clerk]\nretry_steps = {STEPS}\n")
        self.poison(1, rejected=False)
        order = self.buy(1).json["order_no"]
        letter = self.wait_for_letter("waiting")
        self.assertIn("next_try", letter)
        self.assert_held(order, 1, 2)
        self.assertNotIn(("dead_letters", "letters"), self.alerts(), "it is not dead yet")
        self.cure()
        self.wait_until(lambda: self.order(order, 1)["status"] == "unpaid")
        self.wait_for_letter("replayed")
        self.assertEqual(self.server_.metric("floodgate_letters_revived_total"), 1)
        self.assertEqual(self.times_raised("dead_letters"), 0)
        self.stop_clean()


if __name__ == "__main__":
    unittest.main()
