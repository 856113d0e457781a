"""A backup made in a rush is a shop that can be opened: nothing acknowledged before it is missing."""
import os
import pathlib
import stat
import threading
import unittest

from harness import (UNLIMITED, FloodgateTest, check, embedded_only, floodgate, orders_in)


def modes_in(directory):
    """What others may do with anything in it: nothing is 0."""
    found = [directory, *pathlib.Path(directory).rglob("*")]
    return {stat.S_IMODE(os.stat(path).st_mode) & 0o077 for path in found}


class Rush(threading.Thread):
    """Buyers one after the other, each once, until they are told to stop; what was promised."""

    def __init__(self, server, shop, first):
        super().__init__()
        self.server, self.shop, self.first = server, shop, first
        self.promised, self.enough = [], False

    def run(self):
        with self.server.client() as client:
            for token in self.shop.tokens[self.first::4]:
                if self.enough:
                    return
                answer = client.buy(self.shop.sales[0], token)
                if answer.status == 202:
                    self.promised.append(answer.json["order_no"])


@embedded_only("a cluster's ledger is backed up with its database's tools")
class ABackup(FloodgateTest):

    def rush(self, server, shop):
        crowd = [Rush(server, shop, n) for n in range(4)]
        for buyers in crowd:
            buyers.start()
        return crowd

    def promised(self, crowd):
        return [no for buyers in crowd for no in list(buyers.promised)]

    def backup(self, data, to):
        done = floodgate("backup", "--data", data, "--to", to)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_made_in_a_rush_restores_to_a_sound_shop_that_sells_on(self):
        shop = self.fixture(users=20000, stock=20000)
        server = self.serve(shop.data, config=UNLIMITED)
        crowd = self.rush(server, shop)
        for turn in range(3):
            so_far = 300 * (turn + 1)
            self.wait_until(lambda n=so_far: len(self.promised(crowd)) > n, 60, "nobody buys")
            before = set(self.promised(crowd))
            to, data = self.place / f"backup{turn}", self.place / f"restored{turn}"
            self.backup(shop.data, to)
            self.assertTrue(any(buyers.is_alive() for buyers in crowd), "it was made in the rush")
            self.assertEqual(modes_in(to), {0})
            done = floodgate("restore", "--from", to, "--data", data)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(modes_in(data), {0})
            self.assertEqual(check(data), [])
            copy = self.serve(data, config=UNLIMITED)
            with copy.client() as client:
                answer = client.buy(shop.sales[0], shop.tokens[-1 - turn])
                self.assertIn(answer.status, (202, 409), answer.text)
            self.assertEqual(copy.stop(), 0)
            self.assertEqual(before - set(orders_in(data)), set(), "promised before, and not there")
            self.assertEqual(check(data), [])
        for buyers in crowd:
            buyers.enough = True
            buyers.join()
        self.assertEqual(server.stop(), 0)
        self.assertEqual(check(shop.data), [])

    def test_nothing_is_overwritten_and_nothing_damaged_is_restored(self):
        shop = self.fixture(users=2, stock=2)
        full = self.directory()
        (full / "file").write_text("x")
        self.assertEqual(floodgate("backup", "--data", shop.data, "--to", full).returncode, 1)
        self.assertEqual(floodgate("backup", "--data", full, "--to", self.place / "x").returncode, 1)
        to = self.place / "backup"
        self.backup(shop.data, to)
        self.assertEqual(floodgate("restore", "--from", to, "--data", full).returncode, 1)
        self.assertEqual(floodgate("restore", "--from", full, "--data",
                                   self.place / "y").returncode, 1, "not a backup")
        book = to / "ledger.db"
        damaged = bytearray(book.read_bytes())
        damaged[len(damaged) // 2] ^= 1
        book.write_bytes(damaged)
        done = floodgate("restore", "--from", to, "--data", self.place / "z")
        self.assertEqual(done.returncode, 1)
        self.assertIn("not as it was", done.stderr)
        code, said = self.server(self.place / "z").refuse_to_start()
        self.assertEqual(code, 1, said)


if __name__ == "__main__":
    unittest.main()
