#!/usr/bin/python3
"""A crowd that does not read and does not leave, beside buyers: all buyers are served, memory stays in
bounds, and nothing is left of the crowd. The full size, with its ratio, is `scripts/bench slow_clients`."""
import resource
import unittest

from harness import Attempt, Crowd, FloodgateTest
from managed import CALM
from slow_crowd import CONFIG, Size, SlowCrowd, footprint, wait_until_gone
from sockets import allow_files

MIB = 2 ** 20
WANTED = Size(idle=2000, unread=200, sockets=500)
# What one of each kind may cost the server, with some room: an idle connection is 4.5 KiB, a socket 4.
BOUND = WANTED.idle * 8192 + WANTED.unread * 16384 + WANTED.sockets * 16384 + 24 * MIB


class SlowCrowdTest(FloodgateTest):
    ALONE = True

    def test_buyers_are_served_beside_a_crowd_that_does_not_read(self):
        files, before = allow_files(2 * (WANTED.idle + WANTED.unread + WANTED.sockets))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, before)
        if files < 1000:
            self.skipTest(f"{files} open files are not enough for this crowd")
        size = WANTED.within_limits(connections_max=20_000)
        if size.idle < 100:
            self.skipTest(f"{files} open files are not enough for this crowd")
        shop = self.fixture(users=3000, stock=3000, sales=60)
        server = self.serve(shop.data, config=CONFIG + CALM)
        self.buy(server, shop, range(1001, 1501))
        quiet = footprint(server.process.pid)
        with SlowCrowd(server.address, size, shop.tokens[:size.sockets]):
            beside = footprint(server.process.pid)
            self.buy(server, shop, range(2001, 2501))
            with server.client() as client:
                self.assertEqual(client.get("/readyz").status, 200)
        left = wait_until_gone(server.address)
        after = footprint(server.process.pid)
        print(f"{self.id()}: {size}, rss {quiet.rss / MIB:.0f} -> {beside.rss / MIB:.0f} -> "
              f"{after.rss / MIB:.0f} MiB, files {quiet.files} -> {beside.files} -> {after.files}, "
              f"TCP +{(beside.tcp - quiet.tcp) / MIB:.0f} MiB")
        self.assertEqual(left, (0, 0), "connections and sockets of the crowd")
        self.assertLess(beside.rss - quiet.rss, BOUND)
        self.assertLess(after.files, quiet.files + 50)
        self.assertEqual(server.stop(), 0)
        self.assert_clean(shop.data)

    def buy(self, server, shop, buyers):
        made = Crowd(server.address, 50).rush(Attempt(shop, buyer) for buyer in buyers)
        self.assertEqual({(a.fate, a.status) for a in made}, {("answered", 202)})


if __name__ == "__main__":
    unittest.main()
