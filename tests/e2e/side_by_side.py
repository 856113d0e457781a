#!/usr/bin/python3
"""Runs end-to-end tests, several classes of them at once: most of their time they wait.

    tests/e2e/side_by_side.py [--at-once N] MODULE ...

What a class printed comes in one piece when it is done. A test that is left out has failed, unless its
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
LEFT_OUT = [  # reasons not to run a test; everything else is a failure
    r"embedded only: ",   # it runs in the other stage
    r"clustered only: ",
    r"no small disk can be mounted here",            # not root
    r"keepalived's test wants root and a network",   # not root, or a container without network
    r"\d+ open files are not enough for",            # ulimit -Hn
]


class Outcome(unittest.TextTestResult):
    """Knows a test that was left out without a reason."""

    def unexpected_skips(self):
        return [f"{test.id()}: {why}" for test, why in self.skipped
                if not any(re.match(known, why) for known in LEFT_OUT)]


def classes_of(modules):
    """MODULE.CLASS of every class with tests; a module that has none, or cannot be loaded, by itself."""
    found = []
    for module in modules:
        tests = flatten(unittest.defaultTestLoader.loadTestsFromName(module))
        names = [f"{module}.{type(test).__name__}" for test in tests if type(test).__module__ == module]
        found += dict.fromkeys(names or [module])
    return found


def flatten(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from flatten(test)
        else:
            yield test


def run_class(name):
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
    module, _, test_class = name.partition(".")
    return getattr(getattr(sys.modules.get(module), test_class, None), "ALONE", False)


def slowest_first(names):
    """As far as the last run told (SECONDS): what begins last should not be what takes longest."""
    known = json.loads(SECONDS.read_text()) if SECONDS.exists() else {}
    return sorted(names, key=lambda name: -known.get(name, 60)), known


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
        jobs = {pool.submit(run_class, name): name for name in names}
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
    parser.add_argument("--at-once", type=int, default=(os.cpu_count() or 1) + 1)
    parser.add_argument("module", nargs="+")
    wanted = parser.parse_args()
    sys.path.insert(0, str(HERE))
    began = time.monotonic()
    total = run(classes_of(wanted.module), wanted.at_once)
    bad = {what: total[what] for what in ("failures", "errors") if total[what]}
    noted = {**bad, **({"left out": total["left_out"]} if total["left_out"] else {})}
    print(f"Ran {total['ran']} tests in {time.monotonic() - began:.1f}s\n")
    print(("FAILED" if bad else "OK")
          + (f" ({', '.join(f'{what}={count}' for what, count in noted.items())})" if noted else ""))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
