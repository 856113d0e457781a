"""Starts and stops the three servers the crowd is let at: the ceiling, the peer and Floodgate.

Each is a context manager, listens on a free port of the loopback, keeps its files in a directory of
its own and is stopped by the process id that was started.
"""
import contextlib
import http.client
import json
import os
import pathlib
import socket
import subprocess
import sys
import time
import types

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/e2e"))
from sockets import Audience  # noqa: E402  pylint: disable=wrong-import-position

PROGRAMS = ROOT / "build/release"
PEER = ROOT / "bench/peer"
PLENTY = 100_000_000  # stock that no run sells out


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_until(condition, process, what, limit_s=60.0, step_s=0.005):
    end = time.monotonic() + limit_s
    while not condition():
        if process.poll() is not None:
            raise RuntimeError(f"{what} exited with {process.returncode}")
        if time.monotonic() > end:
            raise RuntimeError(f"{what} is not ready after {limit_s:.0f} s")
        time.sleep(step_s)


def accepts(port):
    with socket.socket() as s:
        return s.connect_ex(("127.0.0.1", port)) == 0


@contextlib.contextmanager
def running(command, log, environment=None):
    """A process; when the block ends it is asked to stop, and after ten seconds made to."""
    with open(log, "ab") as out:
        process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL,
                                   stdout=out, stderr=subprocess.STDOUT,
                                   env={**os.environ, **(environment or {})})
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextlib.contextmanager
def ceiling(directory):
    port = free_port()
    with running([PROGRAMS / "ceiling", port], directory / "ceiling.log") as process:
        wait_until(lambda: accepts(port), process, "ceiling")
        yield port


def settle(process, limit_s=120.0):
    """Waits until a process has nothing more to do: less than a twentieth of a core for a second."""
    def cpu_ticks():
        fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])
    end = time.monotonic() + limit_s
    while time.monotonic() < end:
        before = cpu_ticks()
        time.sleep(1)
        if cpu_ticks() - before < os.sysconf("SC_CLK_TCK") / 20:
            return


class peer:
    """nginx + Lua + Redis with appendfsync always. Tokens are those of `tokens`, users 1, 2, 3 ..."""

    def __init__(self, directory, tokens, sales):
        self.directory, self.tokens, self.sales = directory, tokens, sales
        self.port, self.redis_port = free_port(), free_port()

    def redis(self, *words, **options):
        return subprocess.run(["redis-cli", "-p", str(self.redis_port), *map(str, words)],
                              check=True, capture_output=True, text=True, **options).stdout.strip()

    def fill(self):
        self.redis("config", "set", "appendfsync", "no")
        with open(self.tokens, encoding="ascii") as lines:
            commands = "".join(f"SET token:{token.strip()} {n}\r\n" for n, token in enumerate(lines, 1))
        self.redis("--pipe", input=commands)
        for sale in self.sales:
            self.redis("set", f"stock:{{{sale}}}", PLENTY)
        self.redis("config", "set", "appendfsync", "always")
        return self.redis("script", "load", (PEER / "admit.lua").read_text())

    @contextlib.contextmanager
    def serve(self):
        redis = ["redis-server", "--port", self.redis_port, "--bind", "127.0.0.1",
                 "--dir", self.directory, "--save", "", "--appendonly", "yes",
                 "--appendfsync", "always", "--auto-aof-rewrite-percentage", "0"]
        with contextlib.ExitStack() as stack:
            process = stack.enter_context(running(redis, self.directory / "redis.log"))
            wait_until(lambda: accepts(self.redis_port), process, "redis-server")
            values = {"DIR": self.directory, "PORT": self.port, "REDIS": self.redis_port,
                      "SHA": self.fill(), "USER": "user root;" if os.geteuid() == 0 else ""}
            text = (PEER / "nginx.conf.in").read_text()
            for key, value in values.items():
                text = text.replace(f"@{key}@", str(value))
            (self.directory / "nginx.conf").write_text(text)
            nginx = ["nginx", "-p", self.directory, "-e", self.directory / "nginx.log",
                     "-c", self.directory / "nginx.conf"]
            process = stack.enter_context(running(nginx, self.directory / "nginx.out"))
            wait_until(lambda: accepts(self.port), process, "nginx")
            yield self.port


class floodgate:
    """The release build, on a data directory filled by `floodgate fixture`."""

    def __init__(self, directory, users, sales, stock=PLENTY):
        self.directory, self.port = directory, free_port()
        self.tokens = directory / "tokens"
        made = subprocess.run(
            [PROGRAMS / "floodgate", "fixture", "--data", directory / "data", "--users", str(users),
             "--sales", str(sales), "--stock", str(stock), "--tokens", self.tokens],
            check=True, stdout=subprocess.PIPE, text=True)
        self.sales = made.stdout.split()
        self.address = ("127.0.0.1", self.port)

    @contextlib.contextmanager
    def serve(self, step_s=0.005, config=None, environment=None):
        command = [PROGRAMS / "floodgate", "serve", "--data", self.directory / "data",
                   "--listen", f"127.0.0.1:{self.port}", *(["--config", config] if config else [])]
        with running(command, self.directory / "floodgate.log", environment) as process:
            wait_until(self.ready, process, f"floodgate (see {self.directory}/floodgate.log)",
                       step_s=step_s)
            yield process

    @contextlib.contextmanager
    def listened_to(self, sockets):
        """So many buyers have a WebSocket open, from a thread of ours that sleeps until told."""
        with self.tokens.open() as file:
            shop = types.SimpleNamespace(tokens=[next(file).strip() for _ in range(sockets)])
        audience = Audience(shop, range(1, sockets + 1))
        audience.connect(self.address)
        try:
            yield
        finally:
            audience.close()

    def ready(self):
        return ready(self.port)


def ready(port):
    try:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        try:
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        finally:
            connection.close()
    except OSError:
        return False


def crowd(port, sale, tokens, **options):
    """Lets the crowd buy at a server. Its figures, with `void` telling what spoiled the run, if anything."""
    return posts(port, tokens, path=f"/api/v1/sales/{sale}/orders", **options)


def posts(port, tokens, **options):
    command = [PROGRAMS / "crowd", "--port", port, "--tokens", tokens]
    for key, value in options.items():
        command += [f"--{key}", value]
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True,
                          check=False)
    if not done.stdout:
        raise RuntimeError("the crowd could not get at the server")
    figures = json.loads(done.stdout)
    spoiled = {key: figures[key] for key in ("unexpected", "unanswered", "errors") if figures[key]}
    statuses = " ".join(f"{status}x{times}" for status, times in figures["statuses"].items())
    figures["void"] = f"{spoiled}, answers {statuses}" if spoiled or not figures["answers"] else ""
    return figures
