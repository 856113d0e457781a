#!/usr/bin/python3
"""A store that hangs: it takes connections and answers nobody. Who does not need it notices nothing;
who does is told `busy` in time."""
import statistics
import time
import unittest

from books import clustered_only
from cluster import ClusterTest
from harness import API

ANSWER_WITHIN_S = 1.0  # cluster.answer_within_ms
MARGIN_S = 5.0         # of a machine that does other things meanwhile


@clustered_only()
class SlowStores(ClusterTest):
    ALONE = True  # it measures: no other test runs meanwhile

    def ask_often(self, act, times=20):
        """(how long each took, the answers)."""
        took, answers = [], []
        for _ in range(times):
            began = time.monotonic()
            answers.append(act())
            took.append(time.monotonic() - began)
        return took, answers

    def assert_lives(self, node):
        client = self.client(node)
        took, answers = self.ask_often(lambda: client.get("/healthz"), 50)
        self.assertEqual({a.status for a in answers}, {200})
        self.assertLess(statistics.median(took), 0.5)
        took, answers = self.ask_often(lambda: client.get(f"{API}/rounds"), 50)
        self.assertEqual({a.status for a in answers}, {200})
        self.assertLess(statistics.median(took), 0.5)

    def test_redis_hangs(self):
        self.open_shop(users=50, stock=40)
        node, client = self.nodes[0], self.client(self.nodes[0])
        self.assertEqual(client.buy(self.sale, self.shop.tokens[0]).status, 202)
        self.stores_.redis.pause()
        self.addCleanup(self.stores_.redis.resume)
        took, answers = self.ask_often(lambda: client.buy(self.sale, self.shop.tokens[1]), 4)
        self.assertEqual({a.status for a in answers}, {503})
        self.assertEqual([a.code for a in answers], ["undecided", "busy", "busy", "busy"],
                         "only the first was sent: after it the connection is given up")
        undecided = answers[0].json
        self.assertGreater(undecided["retry_after_ms"], 0)
        self.assertLess(max(took), ANSWER_WITHIN_S + MARGIN_S)
        self.assert_lives(node)
        self.wait_until(lambda: client.get("/readyz").status == 503, what="still ready")
        self.assertIn("redis", client.get("/readyz").text)
        took, answers = self.ask_often(lambda: client.get(f"{API}/me", self.shop.tokens[1]))
        self.assertEqual({a.status for a in answers}, {200})
        self.assertLess(statistics.median(took), 0.5, "who is known is known without Redis")
        self.stores_.redis.resume()
        self.wait_until(lambda: client.buy(self.sale, self.shop.tokens[2]).status == 202)
        again = client.buy(self.sale, self.shop.tokens[1])
        self.assertEqual((again.code, again.json["order_no"]),
                         ("already_ordered", undecided["order_no"]), "asking again settles it")
        self.wait_until(lambda: client.get("/readyz").status == 200)

    def test_refusals_go_on_while_redis_hangs(self):
        """From memory for a second, which is how old a "sold out" may be; after that Redis is asked,
        and does not answer."""
        self.open_shop(users=50, stock=2)
        client = self.client(self.nodes[0])
        for token in self.shop.tokens[:2]:
            self.assertEqual(client.buy(self.sale, token).status, 202)

        def refusals(count):
            return self.ask_often(lambda: client.buy(self.sale, self.shop.tokens[9]), count)

        def remembered():
            """Whether all of these were answered while Redis hangs. On a busy machine they may come too
            late: then once more."""
            self.stores_.redis.resume()
            self.wait_until(lambda: {a.code for a in refusals(5)[1]} == {"sold_out"} and
                            self.nodes[0].metric("floodgate_gate_reflected_total"))
            self.stores_.redis.pause()
            return {a.code for a in refusals(5)[1]} == {"sold_out"}
        self.addCleanup(self.stores_.redis.resume)
        self.wait_until(remembered, what="no refusal from memory")
        self.wait_until(lambda: refusals(1)[1][0].code != "sold_out", what="sold out for ever")
        took, answers = refusals(3)
        self.assertEqual({a.status for a in answers}, {503})
        self.assertLess(max(took), ANSWER_WITHIN_S + MARGIN_S)
        self.stores_.redis.resume()
        self.wait_until(lambda: client.buy(self.sale, self.shop.tokens[9]).code == "sold_out")

    def test_mariadb_hangs(self):
        self.open_shop(users=50, stock=40)
        node, client = self.nodes[0], self.client(self.nodes[0], timeout_s=60)
        self.stores_.maria.pause()
        self.addCleanup(self.stores_.maria.resume)
        took, answers = self.buy_for(client, range(1, 11))
        self.assertEqual({a.status for a in answers}, {202}, [a.text for a in answers])
        self.assertLess(max(took), ANSWER_WITHIN_S + MARGIN_S)
        self.assert_lives(node)
        self.wait_until(lambda: client.get("/readyz").json["warnings"], what="no warning")
        ready = client.get("/readyz")
        self.assertEqual(ready.status, 200, "it sells: " + ready.text)
        self.assertIn("ledger", ready.json["warnings"][0])
        self.stores_.maria.resume()
        self.wait_until_entered(10)
        self.wait_until(lambda: not client.get("/readyz").json["warnings"])
        self.stop_all()

    def buy_for(self, client, buyers):
        waiting = iter(buyers)
        return self.ask_often(lambda: client.buy(self.sale, self.shop.tokens[next(waiting) - 1]),
                              len(buyers))


if __name__ == "__main__":
    unittest.main()
