#!/usr/bin/python3
"""The page must not claim what was not measured."""
import pathlib
import tempfile
import unittest

import measure
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

    def money(self, rates):
        load = [{**row(what, rate), "connections": 64, "p50_ms": 1, "p999_ms": 1, "max_ms": 1}
                for what, rate in rates.items()]
        ledger = [{"program": "ledger_bench", "run_name": name, "ratio": ratio, "real_time": 1,
                   "time_unit": "ms"}
                  for name, ratio in (("moves_gathered_against_single/sales:1", 16),
                                      ("moves_gathered_against_single/sales:20", 14),
                                      ("moves_in_mariadb_gathered_against_single/sales:1", 5))]
        ledger += [{"program": "pay_bench", "run_name": name, "items_per_second": rate, "real_time": 1,
                    "time_unit": "ns"}
                   for name, rate in (("pay/rsa_2048_alone", 1000), ("pay/notify_alipay", 500),
                                      ("pay/notify_wechat", 290))]
        slow = [{**one, "ratio": 4 * one["ratio"]} for one in ledger if "ratio" in one]
        return {"money": {"load": load, "ledger": ledger, "slow_disk": slow}}

    def test_a_payment_rush_counts_as_many_calls_of_each_kind(self):
        single = {"pay_single": 50, "cancel_single": 100, "refund_single": 100}
        gathered = {what.replace("single", "gathered"): rate * 16 for what, rate in single.items()}
        what = "pay, cancel and refund gathered"
        self.assertEqual("yes", self.verdict(self.money(single | gathered), what))
        gathered["pay_gathered"] = 50  # the slow kind takes most of the time, however fast the others are
        self.assertEqual("**no**", self.verdict(self.money(single | gathered), what))
        del gathered["pay_gathered"]
        self.assertEqual("not measured", self.verdict(self.money(single | gathered), what))
        self.assertEqual("**no**", self.verdict(self.money({}), "the same moves in process on SQLite"))
        self.assertEqual("yes", self.verdict(self.money({}), "the same moves in process on MariaDB"))
        slow = "the same moves in process on SQLite, a sync takes 2 ms"
        self.assertEqual("yes", self.verdict(self.money({}), slow), "it has figures of its own")
        slow = {f"{call}_{how}_slow_disk": rate for call in report.MONEY_CALLS
                for how, rate in (("gathered", 160), ("single", 10))}
        said = "pay, cancel and refund gathered / one transaction each, 64 connections, a sync takes 2 ms"
        self.assertEqual("yes", self.verdict(self.money(single | slow), said))
        self.assertEqual("not measured", self.verdict(self.money(single), said))
        self.assertEqual("**no**", self.verdict(self.money({}), "messages of a channel checked"))
        self.assertIn("one thread for moves", report.money_text(self.money(single)))

    def test_prose_is_as_narrow_as_the_shape_test_wants_it(self):
        machine = {"load": 12.5, "cores": 128, "memory_gib": 1024, "kernel": "6.12",
                   "file_system": "a file system with a long name", "compiler": "clang version 14.0.6 " * 3,
                   "commit": "0123456789ab + changes", "date": "2026-01-01"}
        plan = {"rounds": 100, "seconds": 123.456}
        moment = {"rss": 2**40, "tcp": 0, "files": 9}
        rows = [{**row("purchase", 100), "p50_ms": 1, "p999_ms": 1, "max_ms": 1}]
        slow = {"size": {"idle": 10**9, "unread": 10**9, "sockets": 10**9}, "load": rows,
                "memory": [{"before": moment, "during": moment, "after": moment, "left": [0, 0]}]}
        results = {"machine": machine, "plan": plan, "purchases": rows, "slow_clients": slow,
                   "cluster": {"load": rows, "ledger": []}, "money": {"load": rows, "ledger": []},
                   **restart(10**9, void="a word " * 40),
                   "measured_at": {part: "0123456789ab" for part in measure.PARTS}}
        lines = report.page(results).splitlines()
        wide = [line for line in lines if len(line) > 110 and not line.startswith(("|", "#"))]
        self.assertEqual([], wide)
        self.assertIn("# Benchmarks", lines[0])
        self.assertEqual(5, sum(line.startswith("- **") or line.startswith("- The") for line in lines))

    def test_tables_and_headings_keep_their_lines(self):
        kept = "## A\n\n| a | b |\n|---|---|\n| " + "x " * 80 + "| y |\n"
        self.assertEqual(kept, report.wrapped(kept))
        self.assertEqual("- a b\n- c\n\nd e\n", report.wrapped("- a\n  b\n- c\n\nd\ne\n"))

    def test_one_part_alone_does_not_drop_the_others_from_the_page(self):
        with tempfile.TemporaryDirectory() as directory:
            file = pathlib.Path(directory) / "results.json"
            self.assertEqual({}, measure.earlier_results(file, ["slow_clients"]))
            file.write_text('{"restart": 1}')
            self.assertEqual({}, measure.earlier_results(file, []))
            self.assertEqual({"restart": 1}, measure.earlier_results(file, ["slow_clients"]))


if __name__ == "__main__":
    unittest.main()
