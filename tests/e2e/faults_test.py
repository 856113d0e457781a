#!/usr/bin/python3
"""Something dies in the middle of a sale over two nodes. After each: no unit sold twice, no order that
was in the ledger lost, gate and ledger agree, and the sale has gone on by itself to the last unit.
How long buyers noticed is printed, and kept in build/faults.json.
"""
import json
import signal
import time
import types
import unittest

from books import clustered_only
from cluster import Buyers, ClusterTest, Watch, judge, servers
from harness import Answer, lock_ledger, orders_in

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
        buyers.wait_until_sold(self.STOCK // 2)
        buyers.per_second = 1000  # everybody else
        buyers.wait_until_sold_out()
        self.wait_until_entered(self.STOCK)
        buyers.finish()
        watch.finish()
        orders = orders_in(self.shop.data)
        lost = set(buyers.accepted) - set(orders)
        self.report(name, out_s=buyers.out_s(began), orders_late_s=watch.late_s(began),
                    slowest_answer_s=buyers.slowest_s, lost_promises=len(lost),
                    answers=dict(buyers.answers))
        self.assertEqual(judge(orders, self.STOCK, buyers, watch.seen, loses_promises)[:10], [])
        self.stop_all()


class Nodes(FaultTest):
    """It is the one that looks after the sale: the other must take over."""

    def test_a_node_is_killed_and_started_again(self):
        def fault():
            dead = self.holder()
            dead.kill()
            time.sleep(1)
            dead.start()
        self.go_through("a node killed and restarted", fault)

    def test_a_node_is_killed_for_good(self):
        self.go_through("a node killed for good", lambda: self.holder().kill())

    def test_a_node_hangs_for_longer_than_its_lease(self):
        hung = []

        def fault():
            node = self.holder()
            hung.append(node)
            node.process.send_signal(signal.SIGSTOP)
            self.nodes.remove(node)
            self.addCleanup(node.process.send_signal, signal.SIGCONT)
            time.sleep(LEASE_S * 2 + 1)
            other = self.holder()  # has taken over
            node.process.send_signal(signal.SIGCONT)
            node.wait_ready()
            self.nodes.append(node)
            self.assertIsNot(other, node)
        self.go_through("a node stopped for longer than its lease", fault)
        self.assertRegex(hung[0].log(), r"cluster\.lease_(lost|left)|ledger\.fenced")


class TheRedis(FaultTest):
    def test_is_killed_and_started_again(self):
        def fault():
            self.stores_.redis.kill()
            time.sleep(2)
            self.stores_.redis.start()
        self.go_through("Redis killed for 2 s", fault)

    def test_is_emptied(self):
        self.go_through("Redis flushed", lambda: self.stores_.redis("FLUSHALL"), loses_promises=True)

    def test_is_emptied_while_promises_wait(self):
        """They are gone; their units are sold to others, once."""
        def fault():
            lock = lock_ledger(self.shop.data)
            time.sleep(1.5)
            self.stores_.redis("FLUSHALL")
            time.sleep(0.5)
            lock.close()
        self.go_through("Redis flushed, ledger locked for 2 s", fault, loses_promises=True)

    def test_is_put_back_to_an_older_copy(self):
        def fault():
            copy = self.stores_.redis.snapshot()
            time.sleep(2)
            self.stores_.redis.restore(copy)
        self.go_through("Redis put back by 2 s", fault, loses_promises=True)

    def test_is_a_cluster_and_a_master_dies(self):
        def fault():
            self.stores_.redis.master_of(self.line_key()).kill()
        self.go_through("Redis Cluster: a master killed", fault, loses_promises=True,
                        stores=self.stores(servers.RedisCluster(masters=3, replicas=1)))


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


class TheBuyersThemselves(unittest.TestCase):
    def test_an_order_whose_answer_never_came_is_sold(self):
        """It failed on a busy machine: the promise stood after a time-out, and nobody counted it."""
        buyers = Buyers(None, types.SimpleNamespace(tokens=["a", "b"]), 1, 1)
        refusal = {"code": "already_ordered", "order_no": "11"}
        headers = {"content-type": "application/problem+json"}
        buyers.come_back(1, "no answer")
        buyers.note(1, Answer(409, headers, json.dumps(refusal).encode()), 0.1)
        buyers.note(2, Answer(202, {}, b'{"order_no": "12"}'), 0.1)
        buyers.note(2, Answer(409, headers, json.dumps({**refusal, "order_no": "12"}).encode()), 0.1)
        self.assertEqual((buyers.sold(), buyers.trouble), (2, []))


class TheJudgeItself(unittest.TestCase):
    """It must notice what it is there for, or its silence means nothing."""

    def setUp(self):
        self.orders = {"11": (1, 1, 1, "unpaid"), "12": (1, 2, 1, "unpaid")}
        self.seen = {"11": (1, 1, 1)}
        self.told = types.SimpleNamespace(accepted={"11": 1, "12": 2}, named={"12": 2})

    def judge(self, may_lose=False):
        return " ".join(judge(self.orders, 2, self.told, self.seen, may_lose))

    def test_a_true_story_is_not_blamed(self):
        self.assertEqual(self.judge(), "")

    def test_a_lost_promise_is_noticed_unless_it_may_be_lost(self):
        self.told.accepted["10"] = self.told.named["10"] = 5
        self.assertIn("order 10 was acknowledged to buyer 5 and is lost", self.judge())
        self.assertEqual(self.judge(may_lose=True), "")

    def test_a_unit_sold_twice_is_noticed(self):
        self.orders["13"] = (1, 3, 1, "unpaid")
        self.assertIn("3 units of 2 are sold", self.judge())

    def test_a_unit_that_was_not_sold_is_noticed(self):
        self.orders["12"] = (1, 2, 1, "closed")
        self.assertIn("1 units of 2 are sold", self.judge())

    def test_two_for_one_buyer_are_noticed(self):
        self.orders["12"] = (1, 1, 1, "unpaid")
        self.assertIn("buyer 1 has 2 orders", self.judge())
        self.assertIn("acknowledged to buyer 2", self.judge())

    def test_a_second_order_that_the_ledger_refused_is_right_where_redis_lost_the_first(self):
        self.orders["13"] = (1, 1, 1, "failed")
        self.assertIn("buyer 1 has 2 orders", self.judge())
        self.assertEqual(self.judge(may_lose=True), "")

    def test_an_order_that_was_there_is_missed(self):
        del self.orders["11"]
        self.assertIn("order 11 was in the ledger", self.judge())

    def test_a_refusal_for_somebody_elses_order_is_noticed(self):
        self.told.named["11"] = 7
        self.assertIn("buyer 7 was refused for order 11", self.judge())


if __name__ == "__main__":
    unittest.main()
