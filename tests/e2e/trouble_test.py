#!/usr/bin/python3
"""The ledger cannot be written for a while in the middle of a rush: the rush goes on, nothing that
was promised is lost, and nobody has less time to pay for it."""
import contextlib
import errno
import time
import unittest

from bad_disk import LedgerDisk
from harness import API, Attempt, Crowd, embedded_only, ledger, lock_ledger, orders_in
from managed import CLOCKS_APART_S, ManagedShop

PAY_WITHIN_S = 900


class LedgerFails(ManagedShop):
    """During a rush, until the alert has come: it takes five seconds of failure."""
    BUYERS = 20000

    def setUp(self):
        super().setUp()
        self.told = {}  # order number -> row
        self.arrived = 0

    def rush(self, count, **options):
        """So many new buyers; each is promised a unit. Their order numbers."""
        first = self.arrived + 1
        self.arrived += count
        self.assertLessEqual(self.arrived, self.BUYERS)
        made = Crowd(self.server_.address, 50).rush(
            (Attempt(self.shop, b) for b in range(first, first + count)), **options)
        self.assertEqual({(a.status, a.code) for a in made}, {(202, "")})
        fresh = {a.order_no: (a.sale, a.buyer, 1, "unpaid") for a in made}
        self.assertEqual(len(fresh), count, "an order number was given twice")
        self.told.update(fresh)
        return list(fresh)

    def buy_until_the_alert(self):
        """Order numbers of what was bought meanwhile."""
        meanwhile, deadline = [], time.monotonic() + 60
        while ("ledger_failing", "ledger") not in self.alerts():
            self.assertLess(time.monotonic(), deadline, "nobody was alerted")
            meanwhile += self.rush(20)
            time.sleep(0.05)
        return meanwhile

    def go_through(self, fail, mend, environment=None):
        self.open_shop(self.BUYERS, self.BUYERS, environment=environment,
                       pay_within_s=PAY_WITHIN_S)
        first = self.rush(100)[0]
        self.wait_until_entered()
        self.rush(1000)
        self.rush(1000, at_start=fail)
        meanwhile = self.buy_until_the_alert()

        self.assertEqual(self.server_.metric("floodgate_clerk_failing"), 1)
        self.assertGreaterEqual(self.server_.metric("floodgate_backlog_promises"), len(meanwhile))
        self.assertEqual(self.order(meanwhile[-1], self.told[meanwhile[-1]][1])["status"],
                         "queued")
        with self.client(self.shop.tokens[0]) as client:
            refused = client.post(f"{API}/orders/{first}/cancel")
        self.assertEqual((refused.status, refused.code), (503, "busy"),
                         "what cannot be written down is not said to be done")

        mended_at = time.time()
        mend()
        self.rush(500)
        self.wait_for_no_alert("ledger_failing", "ledger")
        self.wait_until_entered()
        self.assertEqual(self.server_.metric("floodgate_clerk_failing"), 0)
        for word in ("alarm.raised", "alarm.cleared"):
            self.assertRegex(self.server_.log(), rf"{word}.*ledger_failing")
        self.assertEqual(self.times_raised("invariant_breach"), 0)
        self.stop_clean()

        self.assertEqual(orders_in(self.shop.data), self.told)
        book = ledger(self.shop.data)
        with contextlib.closing(book):
            self.assertEqual(book.execute("SELECT COUNT(*) FROM letters").fetchone(), (0,),
                             "a ledger that is away is nobody's own fault")
            pay_by = dict(book.execute("SELECT order_no, pay_by_ms FROM orders"))
        shortest = min(pay_by[int(no)] for no in meanwhile) / 1000 - mended_at
        print(f"{self.id()}: {len(meanwhile)} bought meanwhile; at least {shortest:.3f} s to pay")
        self.assertGreaterEqual(shortest, PAY_WITHIN_S - CLOCKS_APART_S,
                                "our trouble is not taken off the buyer's time")

    def test_locked_by_somebody_else(self):
        held = []
        self.go_through(lambda: held.append(lock_ledger(self.shop.data)), lambda: held[0].close())

    @embedded_only("the disk of SQLite")
    def test_on_a_full_disk(self):
        disk = LedgerDisk(self.place)
        self.go_through(lambda: disk.fail_with(errno.ENOSPC), disk.mend, disk.environment)

    @embedded_only("the disk of SQLite")
    def test_on_a_disk_that_became_read_only(self):
        disk = LedgerDisk(self.place)
        self.go_through(lambda: disk.fail_with(errno.EROFS), disk.mend, disk.environment)

    @embedded_only("the disk of SQLite")
    def test_killed_before_the_disk_was_mended(self):
        disk = LedgerDisk(self.place)
        self.open_shop(self.BUYERS, self.BUYERS, environment=disk.environment)
        self.rush(1000)
        self.rush(1000, at_start=lambda: disk.fail_with(errno.ENOSPC))
        self.wait_until(lambda: self.server_.metric("floodgate_clerk_failing") == 1)
        meanwhile = self.rush(500)
        self.server_.kill()
        disk.mend()
        self.server_.start()
        self.assertIn(self.order(meanwhile[0], self.told[meanwhile[0]][1])["status"],
                      ("queued", "unpaid"))
        self.wait_until_entered()
        self.stop_clean()
        self.assertEqual(orders_in(self.shop.data), self.told)


if __name__ == "__main__":
    unittest.main()
