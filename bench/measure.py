#!/usr/bin/python3
"""Measures Floodgate beside the machine's ceiling and the usual design, in turns, in one run.

Called by scripts/bench, which has built everything. Writes build/bench/results.json, and from it the
page docs/benchmarks.md (report.py). Absolute figures differ from machine to machine and from hour to
hour; the ratios are what counts, so whatever is compared is measured in turns.
"""
import argparse
import contextlib
import dataclasses
import datetime
import json
import os
import pathlib
import platform
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

import cluster
import money
import report
import servers
import slow_clients

ROOT = servers.ROOT
OUT = ROOT / "build/bench"
TOKENS_PER_SECOND = 300_000  # More than any server here answers.


@dataclasses.dataclass
class plan:
    rounds: int = 3
    seconds: float = 4.0
    connections: tuple = (256, 64)
    restart_promises: int = 1_000_000
    pending: int = 100_000  # unpaid orders of the laden server
    sockets: int = 1000     # and buyers who listen to it
    slow: tuple = (20_000, 2_000, 5_000)  # clients: idle, with unread pages, with WebSockets
    repetitions: int = 3  # of the in-process benchmarks


QUICK = plan(rounds=1, seconds=1.0, restart_promises=100_000, repetitions=1, pending=10_000,
             sockets=100, slow=(2_000, 200, 500))


def say(text):
    print(text, flush=True)


@contextlib.contextmanager
def scratch(name):
    """A directory on the disk the repository is on: /tmp may be memory, where a sync costs nothing."""
    OUT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f"{name}-", dir=OUT) as directory:
        yield pathlib.Path(directory)


def in_process(p):
    """Every *_bench program there is: its benchmarks' medians."""
    rows = []
    for program in sorted(servers.PROGRAMS.glob("*_bench")):
        say(f"== {program.name}")
        with scratch("in_process") as directory:
            done = subprocess.run(
                [program, "--benchmark_format=json", f"--benchmark_repetitions={p.repetitions}",
                 *(["--benchmark_min_time=0.1"] if p.repetitions == 1 else [])],
                stdout=subprocess.PIPE, check=True, cwd=directory,
                env={**os.environ, "FLOODGATE_BENCH_DIR": str(directory)})
        rows += medians(json.loads(done.stdout), program.name, p)
    return rows


def medians(output, program, p):
    rows = []
    for row in output["benchmarks"]:
        if row.get("error_occurred"):
            continue  # it needs a server that this part does not start
        if p.repetitions == 1 or row.get("aggregate_name") == "median":
            rows.append({"program": program, **row})
            say(f"   {row['run_name']}: {row['real_time']:.1f} {row['time_unit']}")
    return rows


def purchases(p):
    """The same crowd against ceiling, peer and Floodgate in turns, every round with new buyers;
    Floodgate also with deadlines pending and buyers listening (laden); then refusals: those buyers
    again (already ordered), and a sale that is sold out."""
    rows = []
    for connections in p.connections:
        say(f"== {connections} connections")
        with scratch("load") as directory, contextlib.ExitStack() as stack:
            rows += rounds(p, connections, directory, stack)
    return rows


def rounds(p, connections, directory, stack):
    for name in ("peer", "many", "laden", "few"):
        (directory / name).mkdir()
    users = int(p.seconds * TOKENS_PER_SECOND)
    many = servers.floodgate(directory / "many", users, p.rounds)
    laden = servers.floodgate(directory / "laden", users, p.rounds + 1)
    few = servers.floodgate(directory / "few", users, p.rounds, stock=1000)
    peer = servers.peer(directory / "peer", many.tokens, many.sales)
    ports = {"ceiling": stack.enter_context(servers.ceiling(directory)),
             "peer": stack.enter_context(peer.serve())}
    seller = stack.enter_context(many.serve())
    stack.enter_context(few.serve())
    burdened = stack.enter_context(laden.serve())
    servers.crowd(laden.port, laden.sales[-1], laden.tokens, limit=p.pending)
    stack.enter_context(laden.listened_to(p.sockets))
    servers.settle(burdened)
    common = {"connections": connections, "seconds": p.seconds}

    def measure(what, port, sale, tokens, **options):
        figures = servers.crowd(port, sale, tokens, **common, **options)
        say(f"   {what:15} {figures['rate']:8,.0f}/s  p50 {figures['p50_ms']:6.2f}  "
            f"p99 {figures['p99_ms']:6.2f} ms  {'VOID ' + figures['void'] if figures['void'] else ''}")
        return {"what": what, "connections": connections, **figures}

    drained = 20_000  # buyers: more than the stock, fewer than the tokens
    for many_sale, laden_sale, few_sale in zip(many.sales, laden.sales, few.sales):
        yield measure("ceiling", ports["ceiling"], 1, many.tokens)
        yield measure("peer", ports["peer"], many_sale, many.tokens)
        bought = measure("purchase", many.port, many_sale, many.tokens)
        yield bought
        servers.settle(seller)  # The clerk enters the orders; it must not slow what comes next.
        yield measure("purchase_laden", laden.port, laden_sale, laden.tokens)
        servers.settle(burdened)
        yield measure("already_ordered", many.port, many_sale, many.tokens, repeat=0,
                      limit=max(1, bought["answers"]), statuses=409, containing="already_ordered")
        servers.crowd(few.port, few_sale, few.tokens, limit=drained, statuses="202,409")
        yield measure("sold_out", few.port, few_sale, few.tokens, repeat=0, skip=drained,
                      statuses=409, containing="sold_out")


@contextlib.contextmanager
def locked_ledger(directory):
    """Holds the ledger's write lock, as another process might: the clerk can enter nothing and
    tries again later, so every promise stays in the journal."""
    path = next(directory.glob("data/**/ledger*.db"))
    connection = sqlite3.connect(path, isolation_level=None, timeout=30)
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        connection.close()  # and with it the lock; nothing was written


def restart(p):
    """Sells, is killed at once with -9, and starts again: how long until it is ready?"""
    say(f"== restart with {p.restart_promises:,} promises")
    with scratch("restart") as directory:
        server = servers.floodgate(directory, p.restart_promises, 1)
        with server.serve() as process, locked_ledger(directory):
            sold = servers.crowd(server.port, server.sales[0], server.tokens,
                                 connections=256, seconds=300)
            process.kill()
            process.wait()
        begin = time.monotonic()
        with server.serve(step_s=0.001):
            ready_s = time.monotonic() - begin
            held = sum(f.stat().st_size for f in (directory / "data").rglob("*") if f.is_file())
        log = (directory / "floodgate.log").read_text(errors="replace")
    # The server's own word on what it found, not ours on what it should have found.
    restored = re.findall(r"shop\.gate_restored held_orders=(\d+) queued_promises=(\d+)", log)
    entered, queued = (int(n) for n in restored[-1]) if len(restored) > 1 else (0, 0)
    void = sold["void"]
    if not void and queued < p.restart_promises:
        void = f"only {queued:,} of {p.restart_promises:,} promises were still in the journal"
    say(f"   {ready_s:.2f} s to ready, {queued:,} promises from the journal {void and 'VOID ' + void}")
    return {"queued": queued, "entered": entered, "ready_s": ready_s, "bytes": held, "void": void}


def clustered(p):
    """One node, two nodes and the peer, and the clerk into MariaDB: cluster.py."""
    rows = []
    for connections in p.connections:
        say(f"== a cluster, {connections} connections")
        with scratch("cluster") as directory, contextlib.ExitStack() as stack:
            directory.chmod(0o755)  # MariaDB runs as a user of its own
            rows += cluster.rounds(p, connections, directory, stack, say)
    with scratch("ledger") as directory:
        directory.chmod(0o755)
        entries = medians(json.loads(cluster.ledger(p, directory)), "ledger_bench", p)
    return {"load": rows, "ledger": entries}


def beside_slow_clients(p):
    """Purchases alone and beside a crowd that does not read: slow_clients.py."""
    say("== slow clients")
    with scratch("slow") as directory:
        return slow_clients.measure(p, int(p.seconds * TOKENS_PER_SECOND), directory, say)


def payments(p):
    """Pay, cancel and refund, gathered and one by one: money.py."""
    say("== a payment rush")
    rows = []
    for disk in ("", money.SLOW_DISK):
        with scratch("money") as directory:
            rows += money.embedded(p, directory, say, disk)
    with scratch("money") as directory:
        directory.chmod(0o755)
        rows += money.clustered(p, directory, say)
    with scratch("money") as directory:
        directory.chmod(0o755)
        (directory / "mariadb").mkdir()
        with cluster.MariaDb(place=directory / "mariadb", durable=True) as mariadb:
            output = money.in_process(p, directory, mariadb.port)
        (directory / "slow").mkdir()
        with money.SlowMariaDb(place=directory / "slow", durable=True) as mariadb:
            slow = money.in_process(p, directory, mariadb.port, money.slow_disk(directory))
        messages = money.messages(p)
    return {"load": rows, "ledger": medians(json.loads(output), "ledger_bench", p) +
            medians(json.loads(messages), "pay_bench", p),
            "slow_disk": medians(json.loads(slow), "ledger_bench", p)}


def machine():
    """What matters for the figures, and nothing that tells whose machine it is."""
    def first_line(*command):
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT
                              ).stdout.split("\n", maxsplit=1)[0].strip()
    changed = first_line("git", "status", "--porcelain", "--untracked-files=no")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "load": round(os.getloadavg()[0], 1),
        "cores": os.cpu_count(), "memory_gib": round(memory / 2**30),
        "kernel": ".".join(platform.release().split(".")[:2]),
        "file_system": first_line("findmnt", "-no", "FSTYPE", "-T", str(OUT)),
        "compiler": re.sub(r"^.*?(clang version [\d.]+).*", r"\1", first_line("clang++", "--version")),
        "commit": first_line("git", "rev-parse", "--short", "HEAD") + (" + changes" if changed else ""),
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
    }


def earlier_results(results_file, only):
    """What a run of some parts keeps: the results of the other parts."""
    return json.loads(results_file.read_text()) if only and results_file.exists() else {}


PARTS = {"in_process": in_process, "purchases": purchases, "restart": restart,
         "cluster": clustered, "slow_clients": beside_slow_clients, "money": payments}


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", nargs="*", metavar="PART",
                        help=f"what to measure ({', '.join(PARTS)}); the other results are kept")
    parser.add_argument("--quick", action="store_true",
                        help="one short round; the page then goes to build/bench/benchmarks.md, as it does "
                             "while some parts were never measured")
    parser.add_argument("--only", choices=PARTS, action="append",
                        help="measure this part only and keep the other results")
    parser.add_argument("--rounds", type=int, help=f"default {plan.rounds}")
    parser.add_argument("--seconds", type=float, help=f"of each run, default {plan.seconds:g}")
    wanted = parser.parse_args()
    for part in wanted.part:
        if part not in PARTS:
            parser.error(f"there is no part '{part}': {', '.join(PARTS)}")
    wanted.only = (wanted.only or []) + wanted.part
    p = QUICK if wanted.quick else plan()
    p = dataclasses.replace(p, **{key: value for key in ("rounds", "seconds")
                                  if (value := getattr(wanted, key))})
    os.environ["PATH"] += ":/usr/sbin"  # nginx
    for program in ("redis-server", "redis-cli", "nginx"):
        if not shutil.which(program):
            sys.exit(f"bench: {program} is missing: scripts/setup bench")

    if os.getloadavg()[0] > 0.5:
        say("bench: the machine is busy with something else; the figures will say little")
    OUT.mkdir(parents=True, exist_ok=True)
    results_file = OUT / ("results-quick.json" if wanted.quick else "results.json")
    results = earlier_results(results_file, wanted.only)
    results |= {"machine": machine(), "plan": dataclasses.asdict(p)}
    for part in wanted.only or PARTS:
        results[part] = PARTS[part](p)
        results.setdefault("measured_at", {})[part] = results["machine"]["commit"]
        results_file.write_text(json.dumps(results, indent=1))
    complete = not wanted.quick and all(part in results for part in PARTS)
    page = ROOT / "docs/benchmarks.md" if complete else OUT / "benchmarks.md"
    page.write_text(report.page(results))
    print(report.targets_table(results))
    say(f"written: {page.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
