"""A payment rush: pay, cancel and refund with moves gathered into few transactions, and one by one.

Through the API at 64 connections the same server runs with its 64 threads for moves and 64 for payments,
and with one of each: then hardly two moves are under way at the same time, and each has a transaction of its
own. SQLite has one writer anyway, so more threads would bring no more transactions. MariaDB has several
writers, so there the comparison is in process (bench/ledger_moves_bench.cpp): 64 threads share transactions,
or each makes its own, as many at a time as there are connections. The API's rates over MariaDB stand beside
it.

All of it runs twice: on the disk that is there, and with syncs that take 2 ms (slow_sync.cpp), as on a disk
that makes some hundreds of transactions a second. What gathering brings depends on that time most of all.
"""
import contextlib
import os
import shutil
import sqlite3
import subprocess

import cluster
import servers

CONNECTIONS = 64
SLOW_SYNC_US = 2000
SLOW_DISK = "_slow_disk"  # ends the names of such runs
CALLS_PER_SECOND = 20_000  # more than a server here answers
PAY = '{"method":"test"}'
CONFIGURATION = """
[pay]
allow_test = true
[edge]
move_threads = {threads}
channel_threads = {threads}
[guard]
move_by_user_per_minute = 0
"""


class SlowMariaDb(cluster.MariaDb):
    """Its syncs take SLOW_SYNC_US."""

    def environment(self):
        return {**super().environment(), **slow_disk(self.place)}


def slow_disk(directory):
    """The environment of a process whose syncs are slow; a server of another user can read it, too."""
    copy = directory / "slow_sync.so"
    if not copy.exists():
        shutil.copy(next(servers.PROGRAMS.glob("**/libslow_sync.so")), copy)
        copy.chmod(0o755)
    return {"LD_PRELOAD": str(copy), "FLOODGATE_SYNC_US": str(SLOW_SYNC_US)}


def write_paths(directory, orders):
    """For each kind of call a file with the path for each buyer, in the order of their tokens."""
    for kind in ("pay", "cancel", "refund"):
        lines = (f"/api/v1/orders/{no}/{kind}\n" for no in orders)
        (directory / f"{kind}.paths").write_text("".join(lines))


def rounds(p, what, directory, port, tokens, users, say):
    """One round: half of the buyers cancel, the others pay, and those who have paid want it back."""
    def run(kind, **options):
        figures = servers.posts(port, tokens, paths=directory / f"{kind}.paths", seconds=p.seconds,
                                connections=CONNECTIONS, **options)
        say(f"   {what + ' ' + kind:18} {figures['rate']:8,.0f}/s  p99 {figures['p99_ms']:7.2f} ms  "
            f"{'VOID ' + figures['void'] if figures['void'] else ''}")
        return {"what": f"{kind}_{what}", "connections": CONNECTIONS, **figures}
    half = users // 2
    paid = run("pay", limit=half, body=PAY, statuses=200)
    yield paid
    yield run("cancel", skip=half, statuses=200)
    yield run("refund", limit=max(1, paid["answers"]), statuses=202)


def embedded(p, directory, say, disk=""):
    rows = []
    for turn in range(p.rounds):
        for how, threads in (("gathered", 64), ("single", 1)):
            what = how + disk
            place = directory / f"{what}{turn}"
            place.mkdir()
            users = int(p.seconds * CALLS_PER_SECOND)
            shop = servers.floodgate(place, users, 1)
            config = place / "floodgate.toml"
            config.write_text(CONFIGURATION.format(threads=threads))
            environment = slow_disk(place) if disk else None
            with shop.serve(config=config, environment=environment) as process:
                servers.crowd(shop.port, shop.sales[0], shop.tokens, connections=256, seconds=300)
                write_paths(place, all_orders(process, users, lambda here=place: orders_in_file(here)))
                rows += rounds(p, what, place, shop.port, shop.tokens, users, say)
    return rows


def all_orders(process, users, read):
    """The number of each buyer's order, in the order of their tokens, when the clerk has entered all."""
    servers.wait_until(lambda: len(read()) == users, process, "the clerk", limit_s=300, step_s=1)
    servers.settle(process)
    return read()


def orders_in_file(directory):
    path = next(directory.glob("data/**/ledger*.db"))
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as book:
        return [no for no, in book.execute("SELECT order_no FROM orders ORDER BY buyer_id")]


def clustered(p, directory, say):
    """The API over MariaDB, one node."""
    users = int(p.seconds * CALLS_PER_SECOND)
    more = "move_by_user_per_minute = 0\n[pay]\nallow_test = true\n"
    with cluster.shop(directory, users, 1, more=more).serve() as place, place.node(1) as (port, process):
        servers.crowd(port, place.sales[0], place.tokens, connections=256, seconds=300)
        write_paths(directory, all_orders(process, users, lambda: orders_in_mariadb(place)))
        return list(rounds(p, "mariadb", directory, port, place.tokens, users, say))


def orders_in_mariadb(place):
    rows = place.mariadb.ask("SELECT order_no FROM orders ORDER BY buyer_id", database="floodgate")
    return [no for no, in rows]


def messages(p):
    """The output of the benchmark of messages from payment channels."""
    return subprocess.run(
        [servers.PROGRAMS / "pay_bench", "--benchmark_format=json",
         f"--benchmark_repetitions={p.repetitions}"], stdout=subprocess.PIPE, check=True).stdout


def in_process(p, directory, mariadb_port, environment=None):
    """The output of the in-process benchmark over both databases."""
    return subprocess.run(
        [servers.PROGRAMS / "ledger_bench", "--benchmark_filter=^moves_", "--benchmark_format=json",
         f"--benchmark_repetitions={p.repetitions}"],
        stdout=subprocess.PIPE, check=True, cwd=directory,
        env={**os.environ, "FLOODGATE_BENCH_DIR": str(directory),
             "FLOODGATE_TEST_MARIADB": f"127.0.0.1:{mariadb_port}", **(environment or {})}).stdout
