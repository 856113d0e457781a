#!/usr/bin/python3
"""Runs the stages of the test run and adds up what passed and failed.

Called by scripts/test, which has installed the packages. What a stage prints goes to
build/test-logs/STAGE.log; a stage that fails shows the end of it. A stage that runs no test has
failed. Stages go on after a failed one, so that one run tells everything.

Two lanes of stages run side by side: end-to-end tests wait most of their time, and building and unit tests
use the processors meanwhile.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree

from tallies import failure, gtest_tally, tally, unittest_tally

ROOT = pathlib.Path(__file__).resolve().parent.parent
LOGS = ROOT / "build/test-logs"
PYTHON = "/usr/bin/python3"  # Debian's, whatever else comes first in PATH: it has the packages.
CORES = os.cpu_count() or 1
CLUSTER_TESTS = ["cluster_test", "slow_stores_test", "faults_test", "cluster_script_test", "learning_test"]
# What these say is the same in both modes: HTTP and TLS, the command line, the files under deploy/.
MODELESS_TESTS = ["bad_input_test", "command_line_test", "deploy_cluster_test", "deploy_test", "http_test",
                  "openapi_test", "patience_test", "tls_test"]
SERVERS = ["--redis", "--redis-cluster", "--mariadb", "--rabbitmq"]  # that unit tests may use
# The longest time for one file, one build, one run of tests: past that something hangs. A busy machine is
# several times slower than an idle one.
TIDY_SECONDS, BUILD_SECONDS, RUN_SECONDS = 2400, 7200, 5400
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
FUZZ_SECONDS = int(os.environ.get("FUZZ_SECONDS", "10"))  # for each target


class stage_failed(Exception):
    """The stage could not go on: the build broke, or it took too long."""


class shell:
    """Runs a stage's commands, logs what they print, and says now and then how far they are."""

    told_to_end = threading.Event()  # for all stages

    def __init__(self, stage):
        self.stage = stage
        self.path = LOGS / f"{stage}.log"
        self.path.write_text("")
        self.building_s = 0.0
        self.succeeded = True  # the last command

    def build(self, preset, *targets):
        begin = time.monotonic()
        try:
            self.run([*steady_addresses(), "scripts/build", preset, *targets], BUILD_SECONDS)
        finally:
            self.building_s += time.monotonic() - begin

    def run(self, command, limit_s, may_fail=False, **environment):
        """The command's output. Ends it, and all it started, after `limit_s` seconds."""
        command = [str(word) for word in command]
        with self.path.open("a") as log:
            log.write(f"$ {shlex.join(command)}\n")
            log.flush()
            begin, size = time.monotonic(), log.tell()
            process = subprocess.Popen(
                command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                start_new_session=True, env={**plain_environment(), **environment})
            try:
                self.wait(process, begin, limit_s)
            finally:
                end_group(process)
        with self.path.open(errors="replace") as log:
            log.seek(size)
            output = COLOUR.sub("", log.read())
        self.succeeded = process.returncode == 0
        if not self.succeeded and not may_fail:
            raise stage_failed(f"{shlex.join(command[:4])} ... exited with {process.returncode}")
        return output

    def wait(self, process, begin, limit_s):
        said = begin
        while process.poll() is None:
            time.sleep(0.05)
            now = time.monotonic()
            if shell.told_to_end.is_set():
                raise stage_failed("told to end")
            if now - begin > limit_s:
                raise stage_failed(f"not done after {limit_s} s")
            if now - said > 20:
                said = now
                say(f"      {self.stage:13} {now - begin:4.0f} s  {self.last_line()[:90]}")

    def last_line(self):
        lines = self.path.read_text(errors="replace").split("\n")
        return next((line for line in reversed(lines) if line.strip()), "")


def plain_environment():
    """Ours, without what makes tools colour their output: CI=true does, even into a file."""
    kept = {name: value for name, value in os.environ.items() if name not in ("CI", "FORCE_COLOR")}
    return {**kept, "NO_COLOR": "1", "PYTHONDONTWRITEBYTECODE": "1"}


def end_group(process):
    """Ends what the command left behind. Its process group is its own, so nobody else is hit."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def end_when_told():
    """So that SIGTERM also ends what was started, as Ctrl-C does."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))


def say(*lines):
    """In one piece: stages talk side by side."""
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


def tracked(*patterns):
    listed = subprocess.run(["git", "ls-files", "-z", *patterns], cwd=ROOT, check=True,
                            capture_output=True, text=True).stdout.split("\0")
    return [name for name in listed if name and (ROOT / name).exists()]


# The stages.

def shape(sh):
    """Folder borders, banned forms, sizes, links (tests/shape.py), and the tests of the tests."""
    output = sh.run([PYTHON, "tests/shape.py"], 600, may_fail=True)
    rules = re.search(r"(\d+) rules hold, (\d+) broken", output)
    result = tally(int(rules[1]), int(rules[2])) if rules else failure("tests/shape.py")
    for test in ("tests/shape_test.py", "tests/stages_test.py", "tests/unity_test.py",
                 "tests/side_by_side_test.py", "bench/report_test.py"):
        result.add(unittest_tally(sh.run([PYTHON, test], 600, may_fail=True)))
    return result


def format(sh):  # pylint: disable=redefined-builtin
    """Every source is as clang-format leaves it."""
    names = tracked("*.hpp", "*.cpp")
    output = sh.run(["clang-format", "--dry-run", "-Werror", *names], 1200, may_fail=True)
    wrong = set(re.findall(r"^(\S+?):\d+:\d+: error", output, re.MULTILINE))
    return tally(len(names) - len(wrong), len(wrong), wrong=sorted(wrong))


def tidy(sh):
    """clang-tidy on the sources of src/ without the tests, several at once as the preset asan compiles
    them. What passed is not looked at again until it, something it includes, or the rules change;
    other clones on this machine profit from it (~/.cache/floodgate-tidy)."""
    sh.run(["cmake", "--preset", "asan", "-Wno-dev"], 1200)
    commands = json.loads((ROOT / "build/asan/compile_commands.json").read_text())
    by_file = {os.path.relpath(entry["file"], ROOT): entry["command"].replace(str(ROOT), "")
               for entry in commands if "_test" not in entry["file"]}
    names = sorted(name for name in by_file if name.startswith(("src/", "build/asan/together/")))
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    cache = cache / "floodgate-tidy"
    cache.mkdir(parents=True, exist_ok=True)
    rules = (ROOT / ".clang-tidy").read_text() + sh.run(["clang-tidy", "--version"], 600)

    def look_at(name):
        passed = cache / fingerprint(name, rules + by_file[name])
        if passed.exists():
            return True, ""
        if shell.told_to_end.is_set():
            return False, "told to end\n"
        try:
            done = subprocess.run(["clang-tidy", "--quiet", "-p", "build/asan", name], cwd=ROOT,
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  timeout=TIDY_SECONDS, check=False)
        except subprocess.TimeoutExpired as late:
            return False, f"{late}\n"
        if done.returncode == 0:
            passed.touch()
        return done.returncode == 0, done.stdout + done.stderr

    result, begin = tally(), time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(CORES) as pool, sh.path.open("a") as log:
        for name, (good, output) in zip(names, pool.map(look_at, names)):
            result.add(tally(1) if good else failure(name))
            seconds = time.monotonic() - begin
            log.write(f"{seconds:4.0f} s {name} {'ok' if good else 'FAILED'}\n{'' if good else output}")
            if result.passed % 10 == 0 and seconds > 1:
                say(f"      {sh.stage:13} {seconds:4.0f} s  {result.passed} of {len(names)}")
    return result


def fingerprint(name, rules):
    """Changes when the rules, the file or anything of ours that it includes changes."""
    todo, seen = [name], {}
    while todo:
        path = todo.pop()
        if path not in seen and (ROOT / path).exists():
            seen[path] = (ROOT / path).read_text(errors="replace")
            for used in re.findall(r'#\s*include "([^"]+)"', seen[path]):
                todo += [os.path.normpath(f"{os.path.dirname(path)}/{used}"), f"src/{used}"]
    return hashlib.sha256(json.dumps([rules, sorted(seen.items())]).encode()).hexdigest()


def quick(sh):
    """The unit tests, built as quickly as possible (preset dev). Only with --quick."""
    return ctest(sh, "dev", "unit")


def gcc(sh):
    """The program, and the unit and engine tests, built by gcc as they are."""
    sh.build("gcc")
    return ctest(sh, "gcc", "unit|engine")


def asan(sh):
    """The unit and engine tests, built by clang with the address and undefined-behaviour sanitizers."""
    return ctest(sh, "asan", "unit|engine", UBSAN_OPTIONS="print_stacktrace=1")


def tsan(sh):
    """The unit and engine tests, built by clang with the thread sanitizer."""
    return ctest(sh, "tsan", "unit|engine", TSAN_OPTIONS="halt_on_error=1 second_deadlock_stack=1")


def ctest(sh, preset, labels, **environment):
    sh.build(preset, "tests")
    report, results = LOGS / f"ctest-{preset}.xml", ROOT / f"build/{preset}/test-results"
    report.unlink(missing_ok=True)
    shutil.rmtree(results, ignore_errors=True)
    sh.run([PYTHON, "tests/servers.py", "run", *SERVERS, "--",
            *steady_addresses(), "ctest", "--test-dir", f"build/{preset}", "-L", f"^({labels})$",
            "-j", CORES + 1, "--output-on-failure", "--no-tests=error", "--output-junit", report],
           RUN_SECONDS, may_fail=True, **environment)
    try:
        return gtest_tally(report, results)
    except (OSError, xml.etree.ElementTree.ParseError) as error:
        raise stage_failed(f"ctest left no report: {error}") from error


def steady_addresses():
    """The sanitizers of gcc 12 and clang 14 stumble over many random address bits; where the
    system lets us, run without. Test programs run during the build too, to list their tests."""
    command = ["setarch", "-R"]
    tried = subprocess.run([*command, "true"], stderr=subprocess.DEVNULL, check=False)
    return command if tried.returncode == 0 else []


def e2e(sh):
    """The real binary (release) over HTTP: tests/e2e, Python's unittest, several tests at once. The
    benchmarks are built too, and not run: they follow the code."""
    sh.build("release", "floodgate", "crowd", "ceiling", "benches")
    return unittest_tally(side_by_side(sh, [], [m for m in modules() if m not in CLUSTER_TESTS]))


def e2e_clustered(sh):
    """The same tests, unchanged, against a clustered node over a real Redis and MariaDB, without those
    that say the same in both modes."""
    sh.build("release", "floodgate")
    return clustered_tally(sh, [m for m in modules() if m not in CLUSTER_TESTS + MODELESS_TESTS])


def cluster(sh):
    """Two nodes and more behind nginx: a crowd, what must hold on every node, and each store, queue
    and node dying in the middle of a sale. FLOODGATE_CROWD=0.1 makes the crowd a tenth. Beside it,
    the test of the servers that tests start (tests/servers.py)."""
    sh.build("release", "floodgate")
    return clustered_tally(sh, [*CLUSTER_TESTS, "servers_test"])


def modules():
    return [path.stem for path in sorted((ROOT / "tests/e2e").glob("*_test.py"))]


def clustered_tally(sh, names):
    servers = [PYTHON, "tests/servers.py", "run", "--redis", "--mariadb", "--"]
    return unittest_tally(side_by_side(sh, servers, names, FLOODGATE_MODE="clustered"))


def side_by_side(sh, servers, names, **environment):
    return sh.run([*servers, PYTHON, "tests/e2e/side_by_side.py", *names], RUN_SECONDS, may_fail=True,
                  FLOODGATE=str(ROOT / "build/release/floodgate"), **environment)


def web(sh):
    """The pages: types, lint, Vitest, and how much JavaScript a buyer loads."""
    sh.run([PYTHON, "cmake/web.py"], BUILD_SECONDS)
    result = tally()
    for name in ("check", "lint"):
        sh.run(["npm", "--prefix", "web", "run", "--silent", name], 1200, may_fail=True)
        result.add(tally(1) if sh.succeeded else failure(f"npm run {name}"))
    output = sh.run(["npm", "--prefix", "web", "test"], 1200, may_fail=True)
    counts = re.search(r"^\s*Tests\s+(\d+) passed", output, re.MULTILINE)
    result.add(tally(int(counts[1])) if counts and sh.succeeded else failure("npm test"))
    sizes = sh.run(["npm", "--prefix", "web", "run", "--silent", "size"], 600, may_fail=True)
    wrong = re.findall(r"^FAILED: (.*)$", sizes, re.MULTILINE)
    return result.add(tally(len(re.findall(r"^ok: ", sizes, re.MULTILINE)), len(wrong), wrong=wrong))


def fuzz(sh):
    """libFuzzer, some seconds for each target, starting from tests/fuzz/corpus."""
    targets = [pathlib.Path(name).stem for name in tracked("tests/fuzz/*_fuzz.cpp")]
    if not targets:
        return tally()
    sh.build("asan", "fuzzers")
    result = tally()
    with concurrent.futures.ThreadPoolExecutor(CORES) as pool, sh.path.open("a") as log:
        for target, (good, output) in zip(targets, pool.map(fuzz_one, targets)):
            log.write(output)
            result.add(tally(1) if good else failure(target))
    return result


def fuzz_one(target):
    found, known = ROOT / f"build/fuzz-found/{target}", ROOT / f"tests/fuzz/corpus/{target}"
    found.mkdir(parents=True, exist_ok=True)
    output = shell(target).run(
        [*steady_addresses(), f"build/asan/{target}", f"-max_total_time={FUZZ_SECONDS}",
         "-timeout=10", "-rss_limit_mb=2048", f"-artifact_prefix={found}/",
         "-print_final_stats=1", found, *([known] if known.is_dir() else [])],
        FUZZ_SECONDS + 600, may_fail=True)
    good = re.search(r"^Done [1-9]\d* runs", output, re.MULTILINE) and "ERROR:" not in output
    return bool(good), output


# What is quick comes first and by itself; then the lanes, side by side, each in this order.
QUICK, WAITING, COMPUTING = (shape, format), (e2e, e2e_clustered, cluster), (web, asan, fuzz, tsan, gcc, tidy)
STAGES = {stage.__name__: stage for stage in QUICK + WAITING + COMPUTING}


def run_lanes(chosen):
    """What run_stage says of each of these stages."""
    alone = {name: run_stage(name, stage) for name, stage in chosen.items()
             if stage not in WAITING + COMPUTING}
    lanes = [[name for name, stage in chosen.items() if stage in lane] for lane in (WAITING, COMPUTING)]
    with concurrent.futures.ThreadPoolExecutor(len(lanes)) as pool:
        ran = [pool.submit(lambda names: {name: run_stage(name, chosen[name]) for name in names}, lane)
               for lane in lanes]
        try:
            for lane in ran:
                alone.update(lane.result())
        except BaseException:  # told to end: so are the other threads
            shell.told_to_end.set()
            raise
    return {name: alone[name] for name in chosen}


def run_stage(name, stage):
    say(f"== {name}")
    sh, begin, why = shell(name), time.monotonic(), ""
    try:
        result = stage(sh)
        if result.passed + result.failed == 0:
            why, result = "it ran no test", failure(name)
    except (stage_failed, subprocess.SubprocessError, OSError) as error:
        why, result = str(error), failure(name)
    bad_news = [] if not result.failed else [
        *sh.path.read_text(errors="replace").splitlines()[-60:],
        *(f"   FAILED {wrong}" for wrong in result.wrong),
        f"   {name}: {why or 'something failed'}; all of it in build/test-logs/{name}.log"]
    seconds = time.monotonic() - begin
    say(*bad_news, f"   {name}: {line_of(result, seconds, sh.building_s)}")
    return result, seconds, sh.building_s


def line_of(result, seconds, building_s):
    left_out = f", {result.left_out} left out" if result.left_out else ""
    building = f" ({building_s:.0f} s building)" if building_s else ""
    return f"{result.passed} passed, {result.failed} failed{left_out}, {seconds:.0f} s{building}"


def main():
    listing = "".join(f"  {n:13} {' '.join((s.__doc__ or '').split())}\n" for n, s in STAGES.items())
    parser = argparse.ArgumentParser(
        prog="scripts/test", description="Builds and runs the tests.",
        epilog="stages (those after `cluster` run beside those before it):\n" + listing + "FUZZ_SECONDS=600 fuzzes longer.",
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stage", nargs="*", help="only these stages")
    parser.add_argument("--quick", action="store_true", help="only the unit tests, preset dev")
    wanted = parser.parse_args()
    unknown = [name for name in wanted.stage if name not in STAGES]
    if unknown:
        parser.error(f"no stage is called {unknown[0]}: {', '.join(STAGES)}")

    end_when_told()
    LOGS.mkdir(parents=True, exist_ok=True)
    chosen = {"quick": quick} if wanted.quick else {
        name: stage for name, stage in STAGES.items() if name in (wanted.stage or STAGES)}
    begin = time.monotonic()
    return sum_up(run_lanes(chosen), time.monotonic() - begin).failed > 0


def sum_up(outcomes, seconds):
    """Prints how each stage went and how long it all took, and last `N passed, N failed`."""
    total = tally()
    print()
    for name, (result, stage_s, building_s) in outcomes.items():
        total.add(result)
        print(f"{name:13} {line_of(result, stage_s, building_s)}")
    print(f"in all {seconds / 60:.1f} minutes")
    print(f"{total.passed} passed, {total.failed} failed")
    return total


if __name__ == "__main__":
    sys.exit(main())
