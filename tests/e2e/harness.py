"""What the end-to-end tests are written with: the real binary, a shop to fill it, a crowd.

    class SomethingHolds(FloodgateTest):
        def test_one_buyer_gets_one(self):
            shop = self.fixture(users=10, stock=3)
            server = self.serve(shop.data)
            answer = server.client().buy(shop.sales[0], shop.tokens[0])
            self.assertEqual(answer.status, 202)

The binary is named by the environment variable FLOODGATE (default build/release/floodgate), the mode
by FLOODGATE_MODE: embedded (default) or clustered (books.py).
Everything happens on loopback, in temporary directories; a process is ended by the pid we started.
"""
import dataclasses
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import unittest

import books
from books import (CLUSTERED, cure, embedded_only, ledger, lock_ledger, open_book,  # noqa: F401
                   poison)
from client import API, Answer, Client, request_bytes, take_answer  # noqa: F401
from crowd import Attempt, Crowd  # noqa: F401

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BINARY = pathlib.Path(os.environ.get("FLOODGATE", ROOT / "build/release/floodgate")).resolve()
UNLIMITED = "[guard]\npurchase_by_user_per_minute = 0\n"  # configuration: buyers may click for ever
MANY_LOOPS = "[edge]\nloops = 4\n"  # several threads take from one gate, whatever the machine has
PATIENCE_S = 120  # past that something hangs: a wait that ends well costs nothing, however busy we are
FRESH_METRICS = "[metrics]\nkept_ms = 0\n"  # what a test reads has happened before it asked
NO_COOL_DOWN = "[sale]\ncool_down_s = 0\n"  # a buyer who cancels may buy again at once
PARTITIONS = 8  # cluster.partitions
# Tests ask more often than people do: these limits are off, unless a test names them.
PATIENT = "lookup_by_user_per_minute = 0\nmove_by_user_per_minute = 0\n"
# On a machine that is busy with other things the clerk, which runs when nobody else wants the core, would
# enter nothing for 30 s, and a stop would leave promises behind: both off, unless a test names them.
UNSTARVED = {"starved_ms": 0, "drain_ms": 50000}
SMALL_SEGMENTS = "[journal]\nsegment_mib = 1\n"  # and no 64 MiB are written at every start


# Commands that end by themselves.

def floodgate(*words, timeout_s=300, **options):
    """Runs a command of the binary. Has returncode, stdout and stderr (text)."""
    return subprocess.run([str(BINARY), *map(str, words)], stdin=subprocess.DEVNULL, text=True,
                          capture_output=True, timeout=timeout_s, check=False, **options)


@dataclasses.dataclass
class Shop:
    """A data directory that `floodgate fixture` has filled. User id N has tokens[N - 1]."""
    data: pathlib.Path
    tokens: list
    sales: list
    stock: int
    limit: int


def fixture(data, users, stock, sales=1, limit=1, pay_within_s=900):
    data = pathlib.Path(data)
    tokens = data.with_name(data.name + ".tokens")
    done = floodgate("fixture", *place_of(data), "--users", users, "--sales", sales,
                     "--stock", stock, "--limit", limit, "--pay-within", pay_within_s,
                     "--tokens", tokens, timeout_s=300)
    if done.returncode != 0:
        raise AssertionError(f"fixture exited with {done.returncode}: {done.stderr}")
    return Shop(data, tokens.read_text().split(), [int(s) for s in done.stdout.split()],
                stock, limit)


def place_of(data):
    """The options that tell a command where the ledger is."""
    if not books.stores_of(data):
        return "--data", data
    config = data.with_name(data.name + ".toml")
    config.write_text(f'data = "{data}"\n{books.configure(data)}')
    return "--config", config


def check(data):
    """`floodgate check`: the sentences that say what is wrong; empty when all is well."""
    done = floodgate("check", *place_of(pathlib.Path(data)))
    if done.returncode == 0:
        return []
    said = (done.stdout + done.stderr).splitlines()
    return [s for s in said if s.startswith("WRONG")] or said or ["it said nothing"]


def orders_in(data):
    """order number -> (sale, buyer, quantity, state), as the ledger has them."""
    with ledger(data) as book:
        rows = book.execute("SELECT order_no, sale_id, buyer_id, quantity, state FROM orders")
        found = {str(no): (sale, buyer, quantity, state)
                 for no, sale, buyer, quantity, state in rows}
    book.close()
    return found


def held_in(data, sale):
    book = ledger(data)
    held = book.execute("SELECT held FROM sales WHERE id = ?", (sale,)).fetchone()[0]
    book.close()
    return held


def fresh(config):
    """The same configuration with FRESH_METRICS in it, unless it says something of metrics itself."""
    return config if "[metrics]" in config else f"{config}\n{FRESH_METRICS}"


def patient(config):
    """The same configuration with PATIENT and UNSTARVED in it."""
    if "lookup_by_user" not in config and "move_by_user" not in config:
        config = with_lines(config, "guard", PATIENT)
    return with_lines(config, "clerk", "".join(
        f"{name} = {value}\n" for name, value in UNSTARVED.items() if name not in config))


def with_lines(config, section, lines):
    """The same configuration with these lines in a section, which may be there already."""
    head = f"[{section}]\n"
    if head in config:
        return config.replace(head, head + lines, 1)
    return f"{config}\n{head}{lines}"


# The server.

ADMIN_PASSWORD = "chosen by the first admin"
changed_passwords = set()  # files with first passwords that were changed already


def first_admin(*servers):
    """(phone, password) of the admin whom one of these servers has made. The password in the file
    must be changed at the first log-in, so it is."""
    phone, file = re.search(r"phone (\d+)  password in (\S+)",
                            "".join(s.said() for s in servers)).groups()
    made = (file, os.stat(file).st_mtime_ns)
    if made not in changed_passwords:
        first = pathlib.Path(file).read_text().strip()
        with servers[0].client() as client:
            token = client.post(f"{API}/auth/login", {"phone": phone, "password": first}).json["token"]
            answer = client.ask("POST", f"{API}/me/password", token,
                                {"old_password": first, "new_password": ADMIN_PASSWORD})
            if answer.status != 204:
                raise AssertionError(answer.text)
        changed_passwords.add(made)
    return phone, ADMIN_PASSWORD


class ServerFailed(AssertionError):
    """It ended, or did not get ready, where it should have run."""


class Server:
    """One `floodgate serve` process at a time. Start it again after it ended."""

    def __init__(self, data, config="", environment=None, prepare=None, listen="127.0.0.1:0",
                 node=1):
        """`prepare` runs in the child before the program starts, for limits. `node` is its number
        in a cluster."""
        self.data = pathlib.Path(data)
        self.config, self.listen, self.node = config, listen, node
        self.environment, self.prepare = dict(environment or {}), prepare
        self.process, self.address, self.starts = None, None, 0
        self.notes = pathlib.Path(tempfile.mkdtemp(prefix="floodgate-log-"))

    # Verbs.

    def start(self, ready=True, within_s=PATIENCE_S):
        """Starts and waits until it has printed its address, and with `ready` until /readyz says
        so. Raises ServerFailed when it ends instead."""
        self.launch()
        self.wait_for_address(within_s)
        if ready:
            self.wait_ready(within_s)
        return self

    def launch(self):
        """Starts and waits for nothing."""
        assert not self.running(), "it runs already"
        self.starts, self.address = self.starts + 1, None
        command = [str(BINARY), "serve", "--data", str(self.data), "--listen", self.listen]
        config = books.configure(self.data, patient(fresh(self.config)), self.node)
        if config:
            self.config_file.write_text(config)
            self.config_file.chmod(0o600)  # there are passwords in it
            command += ["--config", str(self.config_file)]
        with self.said_file.open("w") as said, self.log_file.open("a") as log:
            log.write(f"--- start {self.starts}\n")
            log.flush()
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=said, stderr=log,
                env={**os.environ, **self.environment}, preexec_fn=self.prepare)
        return self

    def wait_for_address(self, within_s=PATIENCE_S):
        deadline = time.monotonic() + within_s
        while time.monotonic() < deadline:
            found = re.search(r"listens on .* http://([\d.]+):(\d+)$", self.said(), re.MULTILINE)
            if found:
                self.address = (found[1], int(found[2]))
                return self.address
            if self.process.poll() is not None:
                raise ServerFailed(f"exited with {self.process.returncode}:\n{self.log()}")
            time.sleep(0.002)
        raise ServerFailed(f"printed no address within {within_s} s:\n{self.log()}")

    def wait_ready(self, within_s=PATIENCE_S):
        deadline = time.monotonic() + within_s
        while time.monotonic() < deadline:
            try:
                with self.client() as client:
                    if client.get("/readyz").status == 200:
                        return
            except OSError:
                if self.process.poll() is not None:
                    raise ServerFailed(f"exited with {self.process.returncode}:\n"
                                       f"{self.log()}") from None
            time.sleep(0.002)
        raise ServerFailed(f"not ready within {within_s} s:\n{self.log()}")

    def stop(self, within_s=PATIENCE_S):
        """SIGTERM; the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.wait(within_s)

    def kill(self):
        """kill -9, at any moment, also after it ended."""
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def kill_after(self, seconds):
        """kill -9 from another thread; join() what this returns before starting again."""
        timer = threading.Timer(seconds, self.kill)
        timer.start()
        return timer

    def wait(self, within_s=PATIENCE_S):
        """The exit code of a server that is about to end by itself."""
        try:
            return self.process.wait(within_s)
        except subprocess.TimeoutExpired:
            raise ServerFailed(f"still running after {within_s} s:\n{self.log()}") from None

    def refuse_to_start(self, within_s=PATIENCE_S):
        """For a server that must not start: (exit code, what it said on stderr this time)."""
        before = len(self.log())
        self.launch()
        code = self.wait(within_s)
        return code, self.log()[before:].split("\n", 1)[1]

    def discard(self):
        """Ends it if need be and removes its notes; the log stays readable."""
        self.kill()
        self.last_log = self.log()
        shutil.rmtree(self.notes, ignore_errors=True)

    # Questions.

    def running(self):
        return self.process is not None and self.process.poll() is None

    def said(self):
        return self.said_file.read_text() if self.said_file.exists() else ""

    def log(self):
        """Standard error of every start, one after the other."""
        if not self.log_file.exists():
            return getattr(self, "last_log", "")
        return self.log_file.read_text(errors="replace")

    def client(self, token=None, timeout_s=60):
        return Client(self.address, token, timeout_s)

    def metrics_text(self):
        with self.client() as client:
            return client.get("/metrics").text

    def metric(self, name):
        """The number behind a metric's full name, labels included."""
        found = re.search(rf"^{re.escape(name)} (\S+)$", self.metrics_text(), re.MULTILINE)
        return float(found[1]) if found else 0.0

    def has_entered_all(self):
        """Whether every promise is in the ledger. In a cluster a node counts only those of the partitions
        it looks after, so it must look after all."""
        text = self.metrics_text()
        served = len(re.findall(r"^floodgate_partition_serving{.*} 1$", text, re.MULTILINE))
        return ("\nfloodgate_backlog_promises 0\n" in text
                and (served == PARTITIONS or not books.stores_of(self.data)))

    @property
    def config_file(self):
        return self.notes / "floodgate.toml"

    @property
    def said_file(self):
        return self.notes / "stdout"

    @property
    def log_file(self):
        return self.notes / "stderr"


# The test case.

class FloodgateTest(unittest.TestCase):
    """Temporary directories and servers that end with the test; the log is shown when it fails."""

    def setUp(self):
        if not BINARY.exists():
            self.fail(f"{BINARY} is missing: ninja -C build/release floodgate")
        self.servers = []
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="floodgate-e2e-"))
        self.addCleanup(shutil.rmtree, self.place, ignore_errors=True)

    def fixture(self, users, stock, name="data", **terms):
        """Terms: sales=1, limit=1, pay_within_s=900."""
        self.addCleanup(books.forget, self.place / name)
        return fixture(self.place / name, users, stock, **terms)

    def directory(self):
        """One more temporary directory."""
        return pathlib.Path(tempfile.mkdtemp(dir=self.place))

    def server(self, data, **options):
        """A server that has not been started. Its journal has small segments and no buyer has to
        wait after a cancel, unless the configuration says something of the journal or the sale."""
        config = options.get("config", "")
        config += "" if "[sale]" in config else NO_COOL_DOWN
        config += "" if "[journal]" in config else SMALL_SEGMENTS
        options["config"] = config
        server = Server(data, **options)
        self.servers.append(server)
        self.addCleanup(server.discard)
        return server

    def serve(self, data, **options):
        return self.server(data, **options).start()

    def run(self, result=None):
        before = len(result.failures) + len(result.errors) if result is not None else 0
        done = super().run(result)
        if result is not None and len(result.failures) + len(result.errors) > before:
            for server in getattr(self, "servers", []):
                print(f"\n{self.id()}: what the server said:\n{server.log()[-4000:]}", flush=True)
        return done

    def assert_clean(self, data):
        self.assertEqual(check(data), [])

    def settle(self, server):
        """Before a stop. In a cluster a node that was started again right after a kill can sell, but
        enters nothing before the leases of its former self have run out."""
        if books.stores_of(server.data):
            self.wait_until(server.has_entered_all, 300, "not everything was entered")

    def settle_again(self, server):
        """After a stop. In a cluster a stop leaves what is in a line whose lease the node did not hold
        just then, because it had started a moment before or the machine is busy: it is entered now."""
        if books.stores_of(server.data):
            server.start()
            self.settle(server)
            self.assertEqual(server.stop(), 0)

    def wait_until(self, question, within_s=PATIENCE_S, what="it did not happen"):
        deadline = time.monotonic() + within_s
        while time.monotonic() < deadline:
            if question():
                return
            time.sleep(0.01)
        self.fail(f"{what} within {within_s} s")
