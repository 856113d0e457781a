#!/usr/bin/python3
"""The test run must not report more than it saw: what stages.py does with bad news."""
import contextlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock

import stages


class StagesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        patch = unittest.mock.patch.object(stages, "LOGS", self.folder)
        patch.start()
        self.addCleanup(patch.stop)

    def outcome(self, stage):
        with contextlib.redirect_stdout(io.StringIO()) as said:
            result, *_ = stages.run_stage("trial", stage)
        return (result.passed, result.failed), said.getvalue()

    def test_counts_what_unittest_says(self):
        for ending, passed, failed in [("OK", 5, 0), ("OK (left out=2)", 3, 0),
                                       ("FAILED (failures=1, errors=2)", 2, 3),
                                       ("FAILED (failures=1, left out=2)", 2, 1),
                                       ("FAILED (errors=7)", 0, 7)]:
            with self.subTest(ending=ending):
                tally = stages.unittest_tally(f"..F..\nRan 5 tests in 0.1s\n\n{ending}\n")
                self.assertEqual((passed, failed), (tally.passed, tally.failed))

    def test_a_test_that_was_left_out_has_failed(self):
        tally = stages.unittest_tally("Ran 5 tests in 0.1s\n\nOK (skipped=2)\n")
        self.assertEqual((3, 2), (tally.passed, tally.failed))

    def test_a_test_program_that_died_has_failed(self):
        for output in ["", "Traceback\nImportError: x\n", "Ran 5 tests in 0.1s\n"]:
            tally = stages.unittest_tally(output)
            self.assertEqual((0, 1), (tally.passed, tally.failed))

    def gtest(self, tests, status="run"):
        """What is made of one program, given its report: (passed, failed, left out, names)."""
        report = self.folder / "ctest.xml"
        report.write_text(f'<testsuite><testcase name="gate_test.1" status="{status}"/></testsuite>')
        if tests is not None:
            (self.folder / "gate_test.1.xml").write_text(
                f"<testsuites><testsuite>{tests}</testsuite></testsuites>")
        tally = stages.gtest_tally(report, self.folder)
        return tally.passed, tally.failed, tally.left_out, " ".join(tally.wrong)

    def test_counts_single_tests_of_a_program(self):
        ran = '<testcase name="{}" classname="Gate" status="run" result="completed">{}</testcase>'
        good, bad = ran.format("Opens", ""), ran.format("Shuts", '<failure message="x"/>')
        other = '<testcase name="Else" classname="Gate" status="notrun" result="suppressed"/>'
        self.assertEqual(self.gtest(good + other), (1, 0, 0, ""))
        self.assertEqual(self.gtest(good + bad, "fail"), (1, 1, 0, "gate_test.1: Gate.Shuts"))

    def test_a_program_that_fails_with_good_tests_has_failed(self):
        """As one that leaks does."""
        good = '<testcase name="Opens" classname="Gate" status="run" result="completed"/>'
        self.assertEqual(self.gtest(good, "fail")[:2], (1, 1))

    def test_a_program_without_a_report_has_failed(self):
        self.assertEqual(self.gtest(None, "fail")[:2], (0, 1))

    def test_a_gtest_may_be_left_out_for_known_reasons_only(self):
        """A server that did not start once showed as fewer passes."""
        skip = ('<testcase name="Opens" classname="Gate" status="run" result="skipped">'
                '<skipped message="a_test.cpp:5&#x0A;{}"/></testcase>')
        self.assertEqual(self.gtest(skip.format("there is one writer anyway"))[:3], (0, 0, 1))
        found = self.gtest(skip.format("FLOODGATE_TEST_REDIS is not set"))
        self.assertEqual(found[:3], (0, 1, 0))
        self.assertIn("FLOODGATE_TEST_REDIS is not set", found[3])

    def test_a_stage_without_tests_has_failed(self):
        counts, said = self.outcome(lambda sh: stages.tally())
        self.assertEqual((0, 1), counts)
        self.assertIn("it ran no test", said)

    def test_a_broken_build_is_a_failed_stage_and_its_output_is_shown(self):
        counts, said = self.outcome(lambda sh: sh.run(["sh", "-c", "echo no such header; exit 3"], 9))
        self.assertEqual((0, 1), counts)
        self.assertIn("no such header", said)
        self.assertIn("exited with 3", said)

    def test_a_missing_program_is_a_failed_stage(self):
        self.assertEqual((0, 1), self.outcome(lambda sh: sh.run(["/no/such/program"], 9))[0])

    def test_a_hanging_command_is_ended_with_all_it_started(self):
        pid_file = self.folder / "pid"
        script = f"sleep 60 & echo $! >{pid_file}; wait"
        begin = time.monotonic()
        counts, said = self.outcome(lambda sh: sh.run(["sh", "-c", script], 0.5))
        self.assertEqual((0, 1), counts)
        self.assertIn("not done after", said)
        self.assertLess(time.monotonic() - begin, 30)
        self.assertTrue(gone(int(pid_file.read_text())))

    def test_a_run_that_is_told_to_end_ends_what_it_started_in_both_lanes(self):
        run = subprocess.Popen([sys.executable, "-B", "-c", f"""
import pathlib, stages
stages.LOGS = pathlib.Path("{self.folder}")
def sleep(sh):
    file = stages.LOGS / sh.stage
    sh.run(["sh", "-c", f"echo $$ >{{file}}.new; mv {{file}}.new {{file}}; sleep 60"], 60)
def one(sh): sleep(sh)
def two(sh): sleep(sh)
stages.WAITING, stages.COMPUTING = (one,), (two,)
stages.end_when_told()
stages.run_lanes({{"one": one, "two": two}})
"""], cwd=stages.ROOT / "tests", stdout=subprocess.DEVNULL)
        pid_files = [self.folder / "one", self.folder / "two"]
        while not all(file.exists() for file in pid_files):
            self.assertIsNone(run.poll())
            time.sleep(0.01)
        run.terminate()
        self.assertEqual(run.wait(30), 143)
        for file in pid_files:
            self.assertTrue(gone(int(file.read_text())))

    def test_lanes_run_side_by_side_and_their_stages_in_order(self):
        met, order = threading.Barrier(2, timeout=30), []

        def waits(_):
            met.wait()
            order.append("waits")
            return stages.tally(1)

        def computes(_):
            met.wait()
            return stages.tally(2)

        def follows(_):
            order.append("follows")
            return stages.failure("x")

        def quick(_):
            order.append("quick")
            return stages.tally(3)

        chosen = {stage.__name__: stage for stage in (quick, waits, follows, computes)}
        with contextlib.redirect_stdout(io.StringIO()), unittest.mock.patch.multiple(
                stages, WAITING=(waits, follows), COMPUTING=(computes,)):
            outcomes = stages.run_lanes(chosen)
        self.assertEqual(order, ["quick", "waits", "follows"])
        self.assertEqual({name: (result.passed, result.failed) for name, (result, *_) in outcomes.items()},
                         {"quick": (3, 0), "waits": (1, 0), "follows": (0, 1), "computes": (2, 0)})
        self.assertEqual(list(outcomes), list(chosen))

    def test_what_a_command_leaves_running_is_ended(self):
        pid_file = self.folder / "pid"
        stages.shell("trial").run(["sh", "-c", f"sleep 60 & echo $! >{pid_file}"], 9)
        self.assertTrue(gone(int(pid_file.read_text())))

    def test_output_has_no_colours_even_on_ci(self):
        with unittest.mock.patch.dict(os.environ, {"CI": "true", "FORCE_COLOR": "1"}):
            output = stages.shell("trial").run(
                ["sh", "-c", r"echo ${CI-no} ${FORCE_COLOR-no} $NO_COLOR; printf '\033[1mTests\033[22m 3\n'"], 9)
        self.assertEqual(output, "no no 1\nTests 3\n")

    def test_a_file_that_takes_clang_tidy_too_long_fails_alone(self):
        programs = {"cmake": "exit 0", "clang-tidy": 'case "$*" in *slow*) exec sleep 60 ;; esac'}
        (self.folder / "programs").mkdir()
        for name, text in programs.items():
            program = self.folder / "programs" / name
            program.write_text(f"#!/bin/sh\n{text}\n")
            program.chmod(0o755)
        (self.folder / ".clang-tidy").write_text("")
        (self.folder / "build/asan").mkdir(parents=True)
        (self.folder / "build/asan/compile_commands.json").write_text(json.dumps(
            [{"file": f"{self.folder}/src/{name}.cpp", "command": f"c++ {name}.cpp"}
             for name in ("quick", "slow")]))
        with unittest.mock.patch.multiple(stages, ROOT=self.folder, TIDY_SECONDS=3), \
                unittest.mock.patch.dict(os.environ, {
                    "PATH": f"{self.folder}/programs:{os.environ['PATH']}",
                    "XDG_CACHE_HOME": str(self.folder)}):
            counts, said = self.outcome(stages.tidy)
        self.assertEqual((1, 1), counts, said)
        self.assertIn("FAILED src/slow.cpp", said)

    def test_the_last_lines_are_the_time_and_the_sum(self):
        outcomes = {"shape": (stages.tally(passed=3), 60.0, 0.0), "e2e": (stages.failure("x"), 90.0, 30.0)}
        with contextlib.redirect_stdout(io.StringIO()) as said:
            total = stages.sum_up(outcomes, 150.0)
        self.assertEqual((3, 1), (total.passed, total.failed))
        self.assertEqual(said.getvalue().splitlines()[-2:], ["in all 2.5 minutes", "3 passed, 1 failed"])

    def test_a_fingerprint_follows_includes_and_rules(self):
        with unittest.mock.patch.object(stages, "ROOT", self.folder):
            (self.folder / "src/gate").mkdir(parents=True)
            source, header = self.folder / "src/gate/a.cpp", self.folder / "src/gate/a.hpp"
            source.write_text('#include "gate/a.hpp"\n')
            header.write_text("int a;\n")
            before = stages.fingerprint("src/gate/a.cpp", "rules")
            self.assertEqual(before, stages.fingerprint("src/gate/a.cpp", "rules"))
            self.assertNotEqual(before, stages.fingerprint("src/gate/a.cpp", "other rules"))
            header.write_text("int b;\n")
            self.assertNotEqual(before, stages.fingerprint("src/gate/a.cpp", "rules"))

    def test_a_fingerprint_of_several_sources_follows_each(self):
        with unittest.mock.patch.object(stages, "ROOT", self.folder):
            for name in ("src/gate", "build/asan/together"):
                (self.folder / name).mkdir(parents=True)
            source, together = self.folder / "src/gate/a.cpp", "build/asan/together/gate-1.cpp"
            source.write_text("int a;\n")
            (self.folder / together).write_text('#include "../../../src/gate/a.cpp"  // NOLINT\n')
            before = stages.fingerprint(together, "rules")
            source.write_text("int b;\n")
            self.assertNotEqual(before, stages.fingerprint(together, "rules"))


def gone(pid):
    """Killed processes without a parent may stay as zombies for a moment."""
    for _ in range(100):
        try:
            if "\nState:\tZ" in pathlib.Path(f"/proc/{pid}/status").read_text():
                return True
            os.kill(pid, 0)
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.05)
    return False


if __name__ == "__main__":
    unittest.main()
