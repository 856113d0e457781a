#!/usr/bin/python3
"""Something dies in the middle of a sale over two nodes. After each: no unit sold twice, no order that
was in the ledger lost, gate and ledger agree, and the sale has gone on by itself to the last unit.
How long buyers noticed is printed, and kept in build/faults.json.
"""
import signal
import time
import unittest

from books import clustered_only
from cluster import Buyers, ClusterTest, Watch, servers
from harness import orders_in

LEASE_S = 2


@clustered_only()
class FaultTest(ClusterTest):
    USERS, STOCK, PER_SECOND = 10_000, 2_000, 150

    def go_through(self, name, fault, stores=None, loses_promises=False, **terms):
        """Sells until a quarter is gone, lets `fault` happen, and sells on. `fault` returns when
        what it did is undone, if it undoes it."""
        self.open_shop(self.USERS, self.STOCK, stores, **terms)
        watch = Watch(self.shop.data)
        buyers = Buyers(self.front.address, self.shop, self.sale, self.PER_SECOND).start()
        buyers.wait_until_sold(self.STOCK // 4)
        began = time.monotonic()
        fault()
        buyers.wait_until_sold(self.STOCK // 2, 120)
        buyers.per_second = 1000  # everybody else
        buyers.wait_until_sold_out()
        self.wait_until_entered(self.STOCK, 60)
        buyers.finish()
        watch.finish()
        self.report(name, out_s=buyers.out_s(began), orders_late_s=watch.late_s(began),
                    slowest_answer_s=buyers.slowest_s,
                    lost_promises=self.judge(buyers, watch, loses_promises),
                    answers=dict(buyers.answers))
        self.stop_all()
        return buyers

    def judge(self, buyers, watch, loses_promises):
        """How many promises were lost that had not reached the ledger."""
        orders = orders_in(self.shop.data)
        self.assertEqual(len(orders), self.STOCK, "exactly the stock was sold")
        self.assertEqual({row[2] for row in orders.values()}, {1})
        self.assertEqual(len({row[1] for row in orders.values()}), self.STOCK, "one for each buyer")
        for number, row in watch.seen.items():
            self.assertEqual(orders.get(number, (None,))[:3], row, f"order {number} was in the ledger")
        lost = {no: buyer for no, buyer in buyers.accepted.items() if no not in orders}
        for number, buyer in buyers.accepted.items():
            if number in orders:
                self.assertEqual(orders[number][1], buyer)
        if not loses_promises:
            self.assertEqual(lost, {}, "acknowledged, and not in the ledger")
        for number, buyer in buyers.named.items():
            if number not in lost:
                self.assertEqual(orders.get(number, (0, 0))[1], buyer, "refused for somebody's order")
        return len(lost)


class Nodes(FaultTest):
    def test_a_node_is_killed_and_started_again(self):
        def fault():
            self.nodes[0].kill()
            time.sleep(1)
            self.nodes[0].start(within_s=60)
        self.go_through("a node killed and restarted", fault)

    def test_a_node_is_killed_for_good(self):
        self.go_through("a node killed for good", lambda: self.nodes[0].kill())

    def test_a_node_hangs_for_longer_than_its_lease(self):
        """Each of them in turn, so that one of them held what mattered."""
        def fault():
            for node in self.nodes:
                node.process.send_signal(signal.SIGSTOP)
                time.sleep(LEASE_S * 2 + 1)
                node.process.send_signal(signal.SIGCONT)
                node.wait_ready(30)
        self.go_through("a node stopped for longer than its lease", fault)
        for node in self.nodes:
            self.assertIn("lease", node.log())


class TheRedis(FaultTest):
    def test_is_killed_and_started_again(self):
        def fault():
            self.stores_.redis.kill()
            time.sleep(2)
            self.stores_.redis.start()
        self.go_through("Redis killed for 2 s", fault)

    def test_is_emptied(self):
        self.go_through("Redis flushed", lambda: self.stores_.redis("FLUSHALL"), loses_promises=True)

    def test_is_put_back_to_an_older_copy(self):
        def fault():
            copy = self.stores_.redis.snapshot()
            time.sleep(2)
            self.stores_.redis.restore(copy)
        self.go_through("Redis put back by 2 s", fault, loses_promises=True)

    def test_is_a_cluster_and_a_master_dies(self):
        def fault():
            self.stores_.redis.master_of(self.gate_key()).kill()
        self.go_through("Redis Cluster: a master killed", fault, loses_promises=True,
                        stores=self.stores(servers.RedisCluster(masters=3, replicas=1)))

    def gate_key(self):
        """Some key of the sale that is being sold."""
        for node in self.stores_.redis.nodes:
            for key in node("KEYS", "*"):
                if b"line" in key and node("TYPE", key) == b"stream":
                    if node("XINFO", "STREAM", key)[1] or node("EXISTS", key):
                        return key
        raise AssertionError("no stream in Redis")


class TheLedger(FaultTest):
    def test_mariadb_is_killed_for_ten_seconds(self):
        def fault():
            self.stores_.maria.kill()
            time.sleep(10)
            self.stores_.maria.start()
        self.go_through("MariaDB killed for 10 s", fault)

    def test_a_galera_node_is_killed(self):
        """The first one: it is the one the nodes write through."""
        def fault():
            self.stores_.maria.nodes[0].kill()
        self.go_through("Galera: the node in use killed", fault,
                        stores=self.stores(maria=servers.Galera(nodes=3)))


class TheQueue(FaultTest):
    def test_rabbitmq_is_killed(self):
        def fault():
            self.stores_.rabbit.kill()
            time.sleep(3)
            self.stores_.rabbit.start()
        self.go_through("RabbitMQ killed and restarted", fault,
                        stores=self.stores(rabbit=servers.RabbitMq()))


if __name__ == "__main__":
    unittest.main()
