#!/usr/bin/python3
"""A disk that is full, a disk that fails: the server says why and ends, and what it has
acknowledged is there afterwards."""
import collections
import contextlib
import os
import pathlib
import resource
import subprocess
import threading
import unittest

from bad_disk import bad_disk
from harness import (UNLIMITED, Attempt, Crowd, FloodgateTest, embedded_only, held_in,
                     orders_in)
from kill9 import Record


@embedded_only("the journal's disk")
class Failing(FloodgateTest):
    """fdatasync or write of the journal fails with EIO at the n-th call."""

    def rush_until_it_fails(self, what, at):
        """Sells until the disk fails, starts again on a sound disk, and holds the ledger against
        what was told. True when it came as far as selling."""
        name = f"{what}-{at}"
        shop = self.fixture(users=2000, stock=2000, name=name)
        note = self.place / f"{name}.note"
        server = self.server(shop.data, config=UNLIMITED, environment=bad_disk(
            self.place, **{what: at}, note=note))
        server.launch()
        record, made = Record(limit=1), []
        try:
            server.wait_for_address()
            made = Crowd(server.address, 50).rush(
                Attempt(shop, b) for b in range(1, 2001) for _ in range(2))
        except AssertionError:
            self.assertIsNotNone(server.process.poll(), "it neither started nor ended")
        self.assertEqual(server.wait(), 1)
        self.assertRegex(server.log(),
                         r"(?m)^floodgate: .*/journal/0{19}1\.journal: Input/output error$")
        failed_at = float(note.read_text())
        late = [a for a in made if a.sent_at and a.sent_at > failed_at and a.accepted]
        self.assertEqual(late, [], "acknowledged after the disk had failed")
        record.note(made)

        server.environment = {}
        server.start()
        self.assertEqual(server.stop(), 0)
        self.assertEqual(record.judge(orders_in(shop.data), held_in(shop.data, 1)), [])
        self.assert_clean(shop.data)
        return len(record.acknowledged) > 0

    def test_a_failed_sync_is_the_end_of_acknowledgements(self):
        sold = [self.rush_until_it_fails("fail_sync", n) for n in (1, 2, 3, 20)]
        self.assertIn(True, sold, "it never came as far as selling")

    def test_a_failed_write_is_the_end_of_acknowledgements(self):
        sold = [self.rush_until_it_fails("fail_write", n) for n in (2, 3, 20)]
        self.assertIn(True, sold, "it never came as far as selling")


@embedded_only("the journal's disk")
class NotAllowedToGrow(FloodgateTest):

    def test_a_file_size_limit_ends_the_server_with_a_reason_and_loses_nothing(self):
        shop = self.fixture(users=20000, stock=20000)
        server = self.serve(shop.data, config=UNLIMITED)

        def limit():
            resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (128 << 10, 128 << 10))
        made = Crowd(server.address, 100).rush(
            (Attempt(shop, b) for b in range(1, 20001)), at_start=limit)
        self.assertEqual(server.wait(), 1)
        self.assertRegex(server.log(),
                         r"(?m)^floodgate: .*/journal/\d{20}\.journal: File too large$")
        record = Record(limit=1)
        record.note(made)
        self.assertGreater(len(record.acknowledged), 0)
        server.start()
        self.assertEqual(server.stop(), 0)
        self.assertEqual(
            record.judge(orders_in(shop.data), held_in(shop.data, shop.sales[0])), [])
        self.assert_clean(shop.data)


@embedded_only("the journal's disk")
class Full(FloodgateTest):
    """A small disk that somebody else fills up while the crowd buys."""
    BUYERS = 40000  # more than the segment in use and the spare have room for
    SIZE_MIB = 64

    def setUp(self):
        super().setUp()
        self.disk = self.place / "disk"
        self.disk.mkdir()
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={self.SIZE_MIB}m", "floodgate-test",
             str(self.disk)], check=False, timeout=30, capture_output=True, text=True)
        if mounted.returncode != 0:  # not root; NotAllowedToGrow shows nearly the same
            self.skipTest("no small disk can be mounted here: " + mounted.stderr.strip())
        self.addCleanup(subprocess.run, ["umount", "-l", str(self.disk)], check=True, timeout=30)

    def test_a_full_disk_ends_the_server_and_loses_nothing(self):
        shop = self.fixture(users=self.BUYERS, stock=self.BUYERS, name="disk/data")
        server = self.serve(shop.data, config=UNLIMITED)
        ballast = self.disk / "ballast"
        filling = threading.Timer(0.1, fill, [ballast])
        made = Crowd(server.address, 100).rush(
            (Attempt(shop, b) for b in range(1, self.BUYERS + 1)), at_start=filling.start)
        filling.join()
        self.assertEqual(server.wait(), 1)
        self.assertRegex(server.log(),
                         r"(?m)^floodgate: .*/journal/\d{20}\.journal: No space left on device$")
        fates = collections.Counter((a.fate, a.status) for a in made)
        self.assertEqual(set(fates), {("answered", 202), ("unanswered", 0), ("unsent", 0)})

        # Still full: it may start or not, but it must not harm anything.
        server.launch()
        with contextlib.suppress(AssertionError):
            server.wait_for_address()
        server.kill()

        ballast.unlink()
        server.start()
        record = Record(limit=1)
        record.note(made)
        rest = Crowd(server.address, 100).rush(
            (Attempt(shop, b) for b in range(1, self.BUYERS + 1)))
        record.note(rest)
        self.assertEqual(server.stop(), 0)
        self.assertEqual(
            record.judge(orders_in(shop.data), held_in(shop.data, shop.sales[0]), self.BUYERS), [])
        self.assert_clean(shop.data)


def fill(path):
    """Writes until nothing fits any more."""
    with pathlib.Path(path).open("wb", buffering=0) as ballast:
        for size in (1 << 20, 1 << 12, 1):
            try:
                while True:
                    os.write(ballast.fileno(), b"x" * size)
            except OSError:
                pass


if __name__ == "__main__":
    unittest.main()
