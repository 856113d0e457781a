#!/usr/bin/python3
"""Deadlines: through restarts, and a hundred thousand of them."""
import datetime
import random
import time
import unittest

from books import change
from harness import CLUSTERED, held_in, ledger, lock_ledger, open_book, orders_in
from orders import CONFIG, TIMED_OUT, ShopTest, quantile


class DeadlinesThroughRestarts(ShopTest):

    def wait_past(self, moment):
        """Until the machine's clock, which is the server's too, is past it."""
        self.wait_until(lambda: now() > moment)

    def end(self, stop):
        if stop:
            self.assertEqual(self.server_.stop(), 0)
        else:
            self.server_.kill()

    def assert_closed_at_once(self, no):
        began = time.monotonic()
        order = self.order(1, no, wait_ms=30000, **{"while": "unpaid"})
        took = time.monotonic() - began
        print(f"closed {took * 1000:.0f} ms after the server was ready")
        self.assertEqual((order["status"], order["reason"]), TIMED_OUT)
        self.next_one_buys()
        self.assert_events([(no, "unpaid", "closed", "timed_out")])
        self.assertEqual(self.server_.stop(), 0)
        self.assert_clean(self.shop.data)

    def next_one_buys(self):
        """The only unit there is: it is back a moment after the ledger says so."""
        answers = []

        def accepted():
            answers.append(self.try_to_buy(2))
            return answers[-1].status == 202
        self.wait_until(accepted, what="the unit did not come back")
        self.assertEqual(self.status_of(2, answers[-1].json["order_no"], wait_ms=30000), "unpaid")

    def sleep_through(self, stop):
        self.open_shop(pay_within_s=6)
        no = self.buy(1)
        pay_by = self.order(1, no)["pay_by"]
        self.end(stop)
        self.assertEqual(orders_in(self.shop.data)[no][3], "unpaid")  # it ended before
        self.wait_past(pay_by)
        self.give_the_next_one_time()
        self.start()
        self.assert_closed_at_once(no)

    def give_the_next_one_time(self):
        """What the next buyer gets must not run out before the test does. An order has the time that the
        ledger says when it is entered."""
        change(self.shop.data, "UPDATE sales SET pay_within_s = ?", 900)

    def test_a_deadline_that_passed_while_it_was_stopped(self):
        self.sleep_through(stop=True)

    def test_a_deadline_that_passed_while_it_was_dead(self):
        self.sleep_through(stop=False)

    def test_a_promise_that_was_never_entered_before_its_deadline(self):
        self.open_shop(pay_within_s=1, config=CONFIG + "[clerk]\ndrain_ms = 100\n")
        lock = lock_ledger(self.shop.data)
        self.addCleanup(lock.close)
        answer = self.try_to_buy(1)
        self.server_.kill()
        lock.close()
        self.assertEqual(orders_in(self.shop.data), {})
        self.wait_past(now(1))
        self.start()
        no = answer.json["order_no"]
        self.wait_until(lambda: self.status_of(1, no) == "closed")
        self.assertEqual(self.order(1, no)["reason"], "timed_out")
        self.give_the_next_one_time()
        self.next_one_buys()

    def test_a_restart_before_the_deadline_does_not_move_it(self):
        self.open_shop(pay_within_s=6)
        no = self.buy(1)
        pay_by = self.order(1, no)["pay_by"]
        self.server_.kill()
        self.start()
        order = self.order(1, no)
        if order["status"] == "unpaid":  # unless this machine took 6 s to get here
            self.assertEqual(order["pay_by"], pay_by)
        self.assertEqual(self.status_of(1, no, wait_ms=30000, **{"while": "unpaid"}), "closed")
        book = ledger(self.shop.data)
        self.addCleanup(book.close)
        closed_at, due_at = book.execute(
            "SELECT e.at_ms, o.pay_by_ms FROM orders o JOIN order_events e USING (order_no)"
        ).fetchone()
        self.assertGreaterEqual(closed_at, due_at)


class ManyDeadlines(ShopTest):
    ALONE = True  # it measures: no other test runs meanwhile
    USERS, SALES = 10_000, 10
    WAIT_S, SPREAD_S = 30 if CLUSTERED else 10, 10  # from now to the first deadline, and from there to the last

    def book_by_hand(self):
        """Everybody has an order in every sale, as the clerk would have booked it; deadlines count
        from 0."""
        chance, users = random.Random(7), self.USERS
        book = open_book(self.shop.data)
        for i, sale in enumerate(self.shop.sales):
            book.executemany(
                "INSERT INTO orders (order_no, sale_id, buyer_id, quantity, amount_fen, "
                "amount_points, state, reason, created_ms, pay_by_ms, mark) "
                "VALUES (?, ?, ?, 1, 990, 0, 'unpaid', '', 0, ?, 0)",
                ((i * users + b, sale, b, chance.randrange(self.SPREAD_S * 1000))
                 for b in range(1, users + 1)))
        book.execute("UPDATE sales SET held = stock")
        book.execute("INSERT INTO stock_log (sale_id, kind, stock_before, stock_after, held_before,"
                     " held_after, note, at_ms) SELECT id, 'taken', stock, stock, 0, stock, "
                     "'by hand', 0 FROM sales")
        book.commit()
        book.close()
        self.assert_clean(self.shop.data)

    def set_off(self):
        """When the first deadline is, in ms."""
        begin = int((time.time() + self.WAIT_S) * 1000)
        book = open_book(self.shop.data)
        book.execute("UPDATE orders SET pay_by_ms = pay_by_ms + ?", (begin,))
        book.commit()
        book.close()
        return begin

    def assert_the_last_still_has_it(self):
        """Nothing is closed early: asked of the one whose deadline is the last."""
        book = ledger(self.shop.data)
        sale, buyer = book.execute(
            "SELECT sale_id, buyer_id FROM orders ORDER BY pay_by_ms DESC LIMIT 1").fetchone()
        book.close()
        answer = self.client.buy(sale, self.shop.tokens[buyer - 1])
        self.assertEqual(answer.code, "already_ordered")

    def test_a_hundred_thousand_mixed_deadlines_are_kept(self):
        self.shop = self.fixture(users=self.USERS, stock=self.USERS, sales=self.SALES)
        self.book_by_hand()
        begin, total = self.set_off(), self.USERS * self.SALES
        self.server_ = self.server(self.shop.data, config=CONFIG)
        self.start()
        ahead_ms = begin - int(time.time() * 1000)
        self.assert_the_last_still_has_it()
        late = "floodgate_deadline_late_seconds"
        self.wait_until(lambda: self.server_.metric(f"{late}_count") == total, 900)
        # How late is measured by scripts/bench; here a machine may be as busy as it likes.
        p99 = quantile(self.server_.metrics_text(), late, 0.99)
        mean_ms = self.server_.metric(f"{late}_sum") / total * 1000
        print(f"{total} deadlines within {self.SPREAD_S} s: lateness p99 at most {p99} s, mean "
              f"{mean_ms:.0f} ms; the server was ready {ahead_ms} ms before the first")
        self.assertEqual(self.server_.stop(), 0)
        self.assert_clean(self.shop.data)
        book = ledger(self.shop.data)
        self.addCleanup(book.close)
        self.assertEqual(book.execute(
            "SELECT COUNT(*), COUNT(DISTINCT order_no), SUM(e.at_ms < o.pay_by_ms) "
            "FROM order_events e JOIN orders o USING (order_no) WHERE e.reason = 'timed_out'"
        ).fetchone(), (total, total, 0))
        self.assertEqual([held_in(self.shop.data, sale) for sale in self.shop.sales],
                         [0] * self.SALES)


def now(seconds_ahead=0):
    """As the API writes moments, so that they can be compared as texts."""
    at = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds_ahead)
    return at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03}Z"


if __name__ == "__main__":
    unittest.main()
