#!/usr/bin/python3
"""Runs end-to-end tests, several at once: most of their time they wait.

    tests/e2e/side_by_side.py [--at-once N] MODULE ...

What a test printed comes in one piece when it is done. A test that is left out has failed, unless its
reason is one of LEFT_OUT. The end is what unittest would say: how many ran, OK or FAILED.
"""
import argparse
import collections
import concurrent.futures
import contextlib
import io
import json
import os
import pathlib
import re
import sys
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SECONDS = pathlib.Path(os.environ.get("E2E_SECONDS") or HERE.parent.parent / "build/e2e-seconds.json")
LONG = ("lives_test.TenThousandLives", "kill9_test.Killed", "faults_test.", "trouble_test.",
        "cluster_script_test.", "cluster_test.ACrowd", "servers_test.SqlTest", "breach_test.",
        "deploy_cluster_test.", "openapi_test.", "backlog_test.LedgerLocked", "forgotten_sales_test.",
        "attacks_inventory_test.", "sbom_test.")
LEFT_OUT = [  # reasons not to run a test; everything else is a failure
    r"embedded only: ",   # it runs in the other stage
    r"clustered only: ",
    r"no small disk can be mounted here",            # not root
    r"no mount namespace can be made here",          # forbidden in some containers
    r"keepalived's test wants root and a network",   # not root, or a container without network
    r"\d+ open files are not enough for",            # ulimit -Hn
]


class Outcome(unittest.TextTestResult):
    """Knows a test that was left out without a reason."""

    def unexpected_skips(self):
        return [f"{test.id()}: {why}" for test, why in self.skipped
                if not any(re.match(known, why) for known in LEFT_OUT)]


def units_of(modules):
    """What can run by itself: MODULE.CLASS.TEST, or MODULE.CLASS where the tests of a class share a
    server; a module without tests, or that cannot be loaded, by itself."""
    found = []
    for module in modules:
        tests = flatten(unittest.defaultTestLoader.loadTestsFromName(module))
        found += dict.fromkeys([unit_of(test) for test in tests if type(test).__module__ == module]
                               or [module])
    return found


def unit_of(test):
    shared = type(test).setUpClass.__func__ is not unittest.TestCase.setUpClass.__func__
    return ".".join(test.id().split(".")[:2 if shared else 3])


def flatten(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from flatten(test)
        else:
            yield test


def run_unit(name):
    """In a process of the pool: what was printed, and the counts."""
    began, said = time.monotonic(), io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        suite = unittest.defaultTestLoader.loadTestsFromName(name)
        runner = unittest.TextTestRunner(stream=said, verbosity=2, resultclass=Outcome)
        result = runner.run(suite)
        skips = result.unexpected_skips()
        for skip in skips:
            print(f"left out without need: {skip}")
    if result.testsRun == 0:
        skips.append("no test ran")
    counts = collections.Counter(
        ran=result.testsRun, failures=len(result.failures) + len(result.unexpectedSuccesses),
        errors=len(result.errors) + len(skips), left_out=len(result.skipped) - len(skips))
    return said.getvalue(), counts, time.monotonic() - began


def wants_to_be_alone(name):
    """A class that measures says ALONE = True: no other test runs meanwhile."""
    module, test_class, *_ = [*name.split("."), ""]
    return getattr(getattr(sys.modules.get(module), test_class, None), "ALONE", False)


def slowest_first(names):
    """What begins last should not be what takes longest. As the last run told; without one, the LONG
    ones first."""
    known = json.loads(SECONDS.read_text()) if SECONDS.exists() else {}
    return sorted(names, key=lambda name: -known.get(name, 60 if name.startswith(LONG) else 0)), known


def run(names, at_once):
    names, seconds = slowest_first(names)
    alone = [name for name in names if wants_to_be_alone(name)]
    total = collections.Counter()
    for some, processes in ((alone, 1), ([name for name in names if name not in alone], at_once)):
        total.update(run_some(some, processes, seconds))
    SECONDS.parent.mkdir(parents=True, exist_ok=True)
    SECONDS.write_text(json.dumps(seconds, indent=1, sort_keys=True) + "\n")
    return total


def run_some(names, at_once, seconds):
    total = collections.Counter()
    with concurrent.futures.ProcessPoolExecutor(at_once) as pool:
        jobs = {pool.submit(run_unit, name): name for name in names}
        for job in concurrent.futures.as_completed(jobs):
            name = jobs[job]
            try:
                said, counts, took = job.result()
            except Exception as died:  # pylint: disable=broad-except  # say which, and go on
                said, counts, took = f"{name}: {died!r}\n", collections.Counter(ran=1, errors=1), 0
            total.update(counts)
            seconds[name] = round(took, 1)
            print(f"{said}== {name}: {took:.1f} s\n", flush=True)
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--at-once", type=int, default=2 * (os.cpu_count() or 1))
    parser.add_argument("module", nargs="+")
    wanted = parser.parse_args()
    sys.path[:0] = [str(HERE), str(HERE.parent)]
    began = time.monotonic()
    total = run(units_of(wanted.module), wanted.at_once)
    bad = {what: total[what] for what in ("failures", "errors") if total[what]}
    noted = {**bad, **({"left out": total["left_out"]} if total["left_out"] else {})}
    print(f"Ran {total['ran']} tests in {time.monotonic() - began:.1f}s\n")
    print(("FAILED" if bad else "OK")
          + (f" ({', '.join(f'{what}={count}' for what, count in noted.items())})" if noted else ""))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
