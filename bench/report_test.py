#!/usr/bin/python3
"""The page must not claim what was not measured."""
import unittest

import report


def row(what, rate, void=""):
    return {"what": what, "connections": 256, "rate": rate, "p99_ms": 1.0, "void": void}


def restart(queued, ready_s=1.0, void=""):
    return {"restart": {"queued": queued, "entered": 0, "ready_s": ready_s, "bytes": 0, "void": void}}


class ReportTest(unittest.TestCase):
    def verdict(self, results, what):
        line = next(l for l in report.targets_table(results).splitlines() if l.startswith(f"| {what}"))
        return line.split(" | ")[-1].removesuffix(" |")

    def purchases(self, *rows):
        return self.verdict({"purchases": list(rows)}, "durable purchases / ceiling, 256")

    def test_compares_medians_with_the_target(self):
        self.assertEqual("yes", self.purchases(row("ceiling", 100), row("purchase", 50)))
        self.assertEqual("**no**", self.purchases(row("ceiling", 100), row("purchase", 49)))

    def test_nothing_measured_is_not_reached(self):
        self.assertEqual("not measured", self.purchases())
        self.assertEqual("not measured", self.verdict({}, "gate decisions"))

    def test_a_void_run_does_not_count_and_is_named(self):
        void = row("purchase", 99, "503x1")
        self.assertEqual("void", self.purchases(row("ceiling", 100), void))
        self.assertEqual("yes, but 1 runs void",
                         self.purchases(row("ceiling", 100), row("purchase", 60), void))

    def test_nobody_is_faster_than_the_ceiling(self):
        self.assertIn("not credible", self.purchases(row("ceiling", 100), row("purchase", 101)))

    def test_a_restart_counts_only_with_a_million_promises_in_the_journal(self):
        self.assertEqual("yes", self.verdict(restart(1_000_000), "restart"))
        self.assertEqual("**no**", self.verdict(restart(1_000_000, ready_s=3.1), "restart"))
        self.assertEqual("not measured", self.verdict(restart(100_000), "restart"))
        self.assertEqual("void", self.verdict(restart(0, void="entered before"), "restart"))

    def test_slow_clients_are_compared_with_the_same_run_without_them(self):
        moment = {"rss": 2**20, "tcp": 0, "files": 9}
        turn = {"before": moment, "during": moment, "after": moment, "left": [0, 0]}
        slow = {"size": {"idle": 1, "unread": 2, "sockets": 3}, "memory": [turn],
                "load": [{**row("purchase", 100), "p50_ms": 1, "p999_ms": 1, "max_ms": 1},
                         {**row("purchase_beside", 85), "p50_ms": 1, "p999_ms": 1, "max_ms": 1}]}
        results = {"slow_clients": slow}
        self.assertEqual("yes", self.verdict(results, "purchases beside slow clients"))
        self.assertEqual("yes", self.verdict(results, "connections and sockets of slow"))
        turn["left"] = [1, 0]
        self.assertEqual("**no**", self.verdict(results, "connections and sockets of slow"))
        self.assertEqual("not measured", self.verdict({}, "purchases beside slow clients"))
        self.assertIn("9 -> 9 -> 9", report.slow_text(results))


if __name__ == "__main__":
    unittest.main()
