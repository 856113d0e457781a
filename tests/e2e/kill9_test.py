#!/usr/bin/python3
"""What was acknowledged outlives kill -9. More cycles by hand: kill9.py."""
import contextlib
import unittest

from bad_disk import bad_disk
from harness import CLUSTERED, Attempt, FloodgateTest, Shop, embedded_only, lock_ledger
from kill9 import Record, Siege


class Killed(FloodgateTest):
    """Twenty cycles in all."""

    def besiege(self, **terms):
        said = []
        siege = Siege(self.place, say=said.append, **terms)
        self.servers.append(siege.server)  # its log is shown when this fails
        wrong = siege.run()
        self.assertEqual(wrong[:10], [], "\n".join(said))
        return siege

    def test_nothing_acknowledged_is_lost_and_no_unit_is_sold_twice(self):
        siege = self.besiege(cycles=12, seed=20)
        if not CLUSTERED:
            self.assertGreater(len(siege.segments), 1, "the journal never went on to another segment")
            self.assertGreater(siege.trimmed, 0, "no segment was ever deleted")
        self.assertGreater(siege.starts_killed, 0)

    def test_the_same_with_quantities_and_keys_many_loops_and_larger_segments(self):
        self.besiege(cycles=8, seed=21, limit=3, segment_mib=8, loops=3)


class TheSiegeItself(FloodgateTest):
    """It must notice a broken promise, or its silence means nothing."""

    @embedded_only("the journal's disk")
    def test_a_disk_that_loses_what_it_said_was_safe_is_found_out(self):
        siege = Siege(self.place, cycles=1, seed=22, say=lambda line: None,
                      environment=bad_disk(self.place, lie=1))
        self.addCleanup(siege.server.discard)
        siege.server.start()
        with contextlib.closing(lock_ledger(siege.shop.data)):
            siege.record.note(siege.rush_and_kill("clerk", 0))
        self.assert_noticed(siege.sell_out(), "was acknowledged and is lost")

    def setUp(self):
        super().setUp()
        self.attempts = [self.told(at, *told) for at, told in enumerate((
            (1, "answered", 202, "", "11"), (2, "answered", 202, "", "12"),
            (2, "answered", 409, "already_ordered", "12"), (3, "unanswered", 0, "", None),
            (4, "answered", 409, "sold_out", None)))]
        self.orders = {"11": (1, 1, 1, "unpaid"), "12": (1, 2, 1, "unpaid"),
                       "13": (1, 3, 1, "unpaid")}

    @staticmethod
    def told(at, buyer, fate, status, code, order_no):
        a = Attempt(Shop(None, ["token"] * 9, [1], 3, 1), buyer)
        a.fate, a.status, a.code, a.order_no = fate, status, code, order_no
        a.sent_at, a.answered_at = at, at + 0.5
        return a

    def judge(self, held=3):
        record = Record(limit=1)
        record.note(self.attempts)
        return record.judge(self.orders, held, 3)

    def assert_noticed(self, wrong, *words):
        for word in words:
            self.assertTrue(any(word in sentence for sentence in wrong), wrong)

    def test_a_true_record_is_not_blamed(self):
        self.assertEqual(self.judge(), [])

    def test_a_lost_order_is_noticed(self):
        del self.orders["12"]
        self.assert_noticed(self.judge(), "order 12 was acknowledged and is lost",
                            "buyer 2 was refused for order 12", "holds 3 units, its orders 2")

    def test_an_order_of_somebody_else_is_noticed(self):
        self.orders["11"] = (1, 5, 1, "unpaid")
        self.assert_noticed(self.judge(), "order 11 was acknowledged as", "asked for 0")

    def test_a_failed_order_is_noticed(self):
        self.orders["11"] = (1, 1, 1, "failed")
        self.assert_noticed(self.judge(), "order 11 was acknowledged as")

    def test_a_unit_sold_twice_is_noticed(self):
        self.orders["14"] = (1, 2, 1, "unpaid")
        self.assert_noticed(self.judge(4), "the limit is 1", "4 units of 3 are sold",
                            "orders nobody told them of")

    def test_a_unit_never_sold_is_noticed(self):
        del self.orders["13"]
        self.assert_noticed(self.judge(2), "2 units of 3 are sold")

    def test_an_order_number_given_twice_is_noticed(self):
        self.attempts[1].order_no = "11"
        self.assert_noticed(self.judge(), "order number 11 was given twice")

    def test_two_orders_for_one_key_are_noticed(self):
        again = self.told(9, 1, "answered", 202, "", "13")
        again.key = "k"
        self.attempts[0].key = "k"
        self.attempts.append(again)
        self.assert_noticed(self.judge(), "one key, two orders")

    def test_a_forgotten_key_is_noticed(self):
        self.attempts[1].key = self.attempts[2].key = "k"
        self.assert_noticed(self.judge(), "refused, though the key has order 12")

    def test_a_retry_that_found_its_order_leaves_no_room_for_another(self):
        again = self.told(9, 3, "answered", 202, "", "13")
        again.key = "k"
        self.attempts[3].key = "k"
        self.attempts.append(again)
        self.assertEqual(self.judge(), [])
        self.orders["14"] = (1, 3, 1, "unpaid")
        self.assert_noticed(self.judge(4), "only 0 attempts without an answer")

    def test_a_sale_after_sold_out_is_noticed(self):
        self.attempts[1].sent_at = 9
        self.attempts = [self.attempts[4], *self.attempts[:4]]
        self.assert_noticed(self.judge(), "sold out was said, and then one was sold")

    def test_an_unexpected_answer_is_noticed(self):
        self.attempts[4].status, self.attempts[4].code = 500, "internal"
        self.assert_noticed(self.judge(), "an answer that has no place here")


if __name__ == "__main__":
    unittest.main()
