"""Floodgate as a cluster beside the peer: one node, then two, over one Redis and one MariaDB.

Redis and MariaDB keep everything they acknowledge (`appendfsync always`,
`innodb_flush_log_at_trx_commit=1`), as the peer's Redis does. All of them share the machine's cores
with the crowd, so two nodes are not expected to be faster than one: the ratio says what a second node
costs here, not what it brings on a machine of its own.
"""
import concurrent.futures
import contextlib
import os
import subprocess
import sys

import servers

sys.path.append(str(servers.ROOT / "tests"))
from redis_server import Redis  # noqa: E402  pylint: disable=wrong-import-position
from sql_server import MariaDb  # noqa: E402  pylint: disable=wrong-import-position

CONFIGURATION = """
mode = "clustered"
node = {number}
data = "{directory}/node{number}"
[edge]
connections_max = 2000  # strict refuses a start when there are fewer descriptors than clients wanted
[ws]
connections_max = 2000
[redis]
addresses = ["127.0.0.1:{redis}"]
[mariadb]
addresses = ["127.0.0.1:{mariadb}"]
user = "root"
password = "floodgate"
[cluster]
name = "bench"
strict = true
answer_within_ms = 10000
[guard]
purchase_by_user_per_minute = 0
purchase_by_address_per_minute = 0
"""


class shop:
    """A Redis, a MariaDB and the configuration of each node. Tokens and sales are the fixture's.
    `more`: lines after those of [guard]."""

    def __init__(self, directory, users, sales, more=""):
        self.directory, self.tokens = directory, directory / "tokens"
        (directory / "redis").mkdir()
        (directory / "mariadb").mkdir()
        self.redis = Redis(place=directory / "redis",
                           more=["--auto-aof-rewrite-percentage", "0"])
        self.mariadb = MariaDb(place=directory / "mariadb", durable=True)
        self.users, self.count, self.more = users, sales, more
        self.sales = []

    @contextlib.contextmanager
    def serve(self):
        with self.redis, self.mariadb:
            for number in (1, 2):
                self.configuration(number).touch(mode=0o600)  # it has a password
                self.configuration(number).write_text(CONFIGURATION.format(
                    number=number, directory=self.directory, redis=self.redis.port,
                    mariadb=self.mariadb.port) + self.more)
            made = subprocess.run(
                [servers.PROGRAMS / "floodgate", "fixture", "--config", self.configuration(1),
                 "--users", str(self.users), "--sales", str(self.count), "--stock",
                 str(servers.PLENTY), "--tokens", self.tokens],
                check=True, stdout=subprocess.PIPE, text=True)
            self.sales = made.stdout.split()
            yield self

    def configuration(self, number):
        return self.directory / f"node{number}.toml"

    @contextlib.contextmanager
    def node(self, number):
        port = servers.free_port()
        log = self.directory / f"node{number}.log"
        command = [servers.PROGRAMS / "floodgate", "serve", "--config", self.configuration(number),
                   "--listen", f"127.0.0.1:{port}"]
        with servers.running(command, log) as process:
            servers.wait_until(lambda: servers.ready(port), process, f"node {number} (see {log})")
            yield port, process


def both(ports, sale, tokens, users, **options):
    """Half of the crowd at each node, at once: the sum of their rates, the worse of their delays."""
    half = users // 2
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        parts = list(pool.map(
            lambda at: servers.crowd(ports[at], sale, tokens, skip=at * half, **options), (0, 1)))
    total = dict(parts[0])
    total["rate"] = sum(part["rate"] for part in parts)
    for key in ("p50_ms", "p99_ms", "p999_ms", "max_ms"):
        total[key] = max(part[key] for part in parts)
    total["void"] = "; ".join(part["void"] for part in parts if part["void"])
    return total


def rounds(p, connections, directory, stack, say):
    users = int(p.seconds * 100_000)
    (directory / "peer").mkdir()
    place = stack.enter_context(shop(directory, users, p.rounds * 2).serve())
    peer = stack.enter_context(
        servers.peer(directory / "peer", place.tokens, place.sales).serve())
    first, process = stack.enter_context(place.node(1))
    common = {"seconds": p.seconds}

    def measured(what, figures):
        say(f"   {what:15} {figures['rate']:8,.0f}/s  p50 {figures['p50_ms']:6.2f}  "
            f"p99 {figures['p99_ms']:6.2f} ms  {'VOID ' + figures['void'] if figures['void'] else ''}")
        return {"what": what, "connections": connections, **figures}

    for sale in place.sales[:p.rounds]:
        yield measured("peer", servers.crowd(peer, sale, place.tokens, connections=connections,
                                             **common))
        yield measured("node", servers.crowd(first, sale, place.tokens, connections=connections,
                                             **common))
        servers.settle(process)
    second, _ = stack.enter_context(place.node(2))
    for sale in place.sales[p.rounds:]:
        yield measured("two_nodes", both((first, second), sale, place.tokens, users,
                                         connections=connections // 2, **common))
        servers.settle(process)


def ledger(p, directory):
    """The clerk into MariaDB against a loop over libmariadb written by hand (bench/ledger_bench)."""
    (directory / "mariadb").mkdir()
    with MariaDb(place=directory / "mariadb", durable=True) as mariadb:
        done = subprocess.run(
            [servers.PROGRAMS / "ledger_bench", "--benchmark_filter=enter_into_mariadb",
             "--benchmark_format=json", f"--benchmark_repetitions={p.repetitions}"],
            stdout=subprocess.PIPE, check=True, cwd=directory,
            env={**os.environ, "FLOODGATE_BENCH_DIR": str(directory),
                 "FLOODGATE_TEST_MARIADB": f"127.0.0.1:{mariadb.port}"})
    return done.stdout
