"""How many tests passed and failed, from what the test programs leave behind.

Nothing may pass by not being there: a program that died has failed, and so has a test that was left out
for a reason that is not in LEFT_OUT. A server that did not start is no such reason.
"""
import dataclasses
import re
import xml.etree.ElementTree

LEFT_OUT = [  # reasons for which a GoogleTest may leave itself out
    "this processor has no SSE 4.2",
    "there is one writer anyway",              # the rule is MariaDB's; SQLite has nothing to test
    "it runs in one transaction",              # so does a step of SQLite's schema: it cannot be cut off
    "may not raise a thread's priority here",  # not root
]


@dataclasses.dataclass
class tally:
    passed: int = 0
    failed: int = 0
    left_out: int = 0
    wrong: list = dataclasses.field(default_factory=list)  # the names of what failed, where known

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.left_out += other.left_out
        self.wrong += other.wrong
        return self


def failure(name):
    return tally(failed=1, wrong=[name])


def unittest_tally(output):
    """From what unittest prints at its end, or tests/e2e/side_by_side.py, which says `left out` where
    the reason is a good one."""
    ran = re.findall(r"^Ran (\d+) tests?", output, re.MULTILINE)
    ending = re.findall(r"^(?:OK|FAILED)(?: \((.*)\))?$", output, re.MULTILINE)
    if not ran or not ending:
        return failure("it died before it could say")
    counts = {key.strip(): int(n) for key, n in re.findall(r"([a-z ]+)=(\d+)", ending[-1])}
    bad = sum(counts.get(key, 0) for key in ("failures", "errors", "unexpected successes", "skipped"))
    left_out = counts.get("left out", 0)
    names = re.findall(r"^(?:FAIL|ERROR): (.*)$", output, re.MULTILINE)
    return tally(max(0, int(ran[-1]) - bad - left_out), bad, left_out, names)


def gtest_tally(ctest_report, results):
    """From CTest's report of the programs, and the report that each program left in `results`."""
    total = tally()
    for program in xml.etree.ElementTree.parse(ctest_report).getroot().iter("testcase"):
        name, good = program.get("name"), program.get("status") == "run"
        try:
            tests = xml.etree.ElementTree.parse(results / f"{name}.xml").getroot().iter("testcase")
        except (OSError, xml.etree.ElementTree.ParseError):
            total.add(failure(f"{name} died, or ran for too long"))
            continue
        found = tally()
        for test in tests:
            found.add(gtest_verdict(test, name))
        if not good and not found.failed:
            found.add(failure(f"{name}: its tests passed, and it failed"))  # a leak, for example
        total.add(found)
    return total


def gtest_verdict(test, program):
    name = f"{program}: {test.get('classname')}.{test.get('name')}"
    if test.find("failure") is not None:
        return failure(name)
    if test.get("result") == "suppressed" or test.get("status") == "notrun":
        return tally()  # the other half of the program runs it, or it is disabled
    skipped = test.find("skipped")
    if skipped is None:
        return tally(passed=1)
    why = " ".join((skipped.get("message") or "").split())
    if any(known in why for known in LEFT_OUT):
        return tally(left_out=1)
    return failure(f"{name} was left out: {why}")
