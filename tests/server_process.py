"""A server that the tests start themselves: on loopback, on a free port, in a directory of its own.

Every server is the leader of its own process group, so what it forks ends with it and nobody else
is hit. A guardian process ends what is left and removes the directories when the Python process
that started them dies, however it dies. (PR_SET_PDEATHSIG would follow the starting *thread*.)
"""
import atexit
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

LOOPBACK = "127.0.0.1"


class ServerFailed(AssertionError):
    """It ended, or did not get ready, where it should have run."""


# Ports and directories.

_claims = {}  # port -> the socket that stands for our claim to it


def possible_ports():
    """Those the kernel never takes for outgoing connections: such a connection would hold the port
    of a server that is about to start again."""
    low, high = pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()
    return [port for port in range(10240, 65536) if not int(low) <= port <= int(high)]


def claim(port):
    """Whether the port is ours now, until this process ends. Every process of the tests asks here
    first (src/store/redis/free_port.hpp does the same), so no two of them get one port, whether something
    listens on it already or not. The claim is a name in the same network namespace as the port."""
    name = socket.socket(socket.AF_UNIX)
    try:
        name.bind(f"\0floodgate-port-{port}")
        with socket.socket() as trial:
            trial.bind((LOOPBACK, port))
    except OSError:
        name.close()
        return False
    _claims[port] = name
    return True


def free_port(count=1):
    """The first of `count` ports of 127.0.0.1 in a row that nobody has, and nobody will get."""
    ports, chance = possible_ports(), random.SystemRandom()
    for _ in range(1000):
        first = chance.choice(ports)
        wanted = range(first, first + count)
        if any(port not in ports or port in _claims for port in wanted):
            continue
        if all(claim(port) for port in wanted):
            return first
    raise ServerFailed("no free port on loopback")


def new_directory(prefix="floodgate-servers-", inside=None):
    """A temporary directory that goes when this process goes."""
    made = pathlib.Path(tempfile.mkdtemp(prefix=prefix, dir=inside))
    if inside is None:
        GUARDIAN.tell("directory", made)
    return made


# The guardian.

class Guardian:
    """Tells a small process of its own what to end and to remove when this process is gone."""

    def __init__(self):
        self.process, self.owner, self.lock = None, None, threading.Lock()

    def tell(self, what, value):
        with self.lock:
            if self.process is None or self.owner != os.getpid():
                self.process = subprocess.Popen(
                    [sys.executable, "-S", "-E", __file__], stdin=subprocess.PIPE, text=True,
                    stdout=subprocess.DEVNULL, start_new_session=True)
                self.owner = os.getpid()
            print(what, value, file=self.process.stdin, flush=True)

    def dismiss(self):
        """The normal end: it cleans up at once, and we wait for it."""
        with self.lock:
            if self.process is not None and self.owner == os.getpid():
                self.process.stdin.close()
                self.process.wait(120)
                self.process = None


GUARDIAN = Guardian()
atexit.register(GUARDIAN.dismiss)


def guard(orders):
    """What the guardian does: reads `group N`, `ended N`, `directory D` until the pipe closes."""
    groups, directories = {}, []
    for line in orders:
        what, value = line.rstrip("\n").split(" ", 1)
        if what == "group":
            groups[int(value)] = started_at(int(value))
        elif what == "ended":
            groups.pop(int(value), None)
        elif what == "directory":
            directories.append(value)
    for group, birth in groups.items():
        if started_at(group) in (birth, None):  # None: the leader is gone, its children may not be
            signal_group(group, signal.SIGKILL)
    for directory in directories:
        shutil.rmtree(directory, ignore_errors=True)


def started_at(pid):
    """When a process began, so that a pid used again is not mistaken for it."""
    try:
        stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
        return stat.rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return None


def signal_group(group, number):
    try:
        os.killpg(group, number)
        return True
    except (ProcessLookupError, PermissionError):
        return False


def group_is_empty(group):
    """Zombies do not count: nobody can do more to them."""
    for entry in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            words = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(words[2]) == group and words[0] not in "ZX":
            return False
    return True


# A server.

class ServerProcess:
    """At most one process at a time over a directory that stays. Start it again after it ended.

    Subclasses say `command()`, and `is_ready()` if connecting to `port` is not enough."""
    NAME = "server"
    READY_WITHIN_S = 180  # a wait that ends well costs nothing, however busy the machine is
    STOP_WITHIN_S = 120

    def __init__(self, place=None, port=None, guarded=True):
        """`guarded=False` leaves it running after this process: for scripts/cluster."""
        self.port = port or free_port()
        self.place = pathlib.Path(place) if place else new_directory(f"floodgate-{self.NAME}-")
        self.place.mkdir(parents=True, exist_ok=True)
        self.guarded, self.process, self.paused = guarded, None, False

    # What a subclass says.

    def command(self):
        raise NotImplementedError

    def environment(self):
        return {}

    def prepare(self):
        """Before each start: files the command needs."""

    def is_ready(self):
        return can_connect(self.address)

    # Verbs.

    def launch(self):
        """Starts and waits for nothing."""
        assert not self.running(), f"{self.NAME} runs already"
        self.prepare()
        with self.log_file.open("ab") as log:
            self.process = subprocess.Popen(
                [str(word) for word in self.command()], stdin=subprocess.DEVNULL, stdout=log,
                stderr=subprocess.STDOUT, cwd=self.place, start_new_session=True,
                env={**os.environ, **self.environment()})
        if self.guarded:
            GUARDIAN.tell("group", self.process.pid)
        self.paused = False
        return self

    def wait_ready(self, within_s=None):
        within_s = within_s or self.READY_WITHIN_S
        deadline = time.monotonic() + within_s
        while time.monotonic() < deadline:
            if self.is_ready():
                return self
            if not self.running():
                raise ServerFailed(f"{self.NAME} ended with {self.process.returncode}:\n"
                                   f"{self.log()[-3000:]}")
            time.sleep(0.02)
        raise ServerFailed(f"{self.NAME} is not ready within {within_s} s:\n{self.log()[-3000:]}")

    def start(self, within_s=None):
        return self.launch().wait_ready(within_s)

    def stop(self, within_s=None):
        """SIGTERM and patience; kill -9 when that runs out. True when it went by itself."""
        if not self.running():
            return True
        self.resume()
        self.ask_to_stop()
        try:
            self.process.wait(within_s or self.STOP_WITHIN_S)
            return True
        except subprocess.TimeoutExpired:
            return False
        finally:
            self.kill()

    def ask_to_stop(self):
        self.process.send_signal(signal.SIGTERM)

    def kill(self):
        """kill -9 of the whole group, at any moment, also after it ended."""
        if self.process is None:
            return
        signal_group(self.process.pid, signal.SIGKILL)
        self.process.wait()
        deadline = time.monotonic() + 10
        while not group_is_empty(self.process.pid) and time.monotonic() < deadline:
            time.sleep(0.01)
        if self.guarded:
            GUARDIAN.tell("ended", self.process.pid)
        self.paused = False

    def pause(self):
        """SIGSTOP: it takes connections (the kernel does) and answers nobody."""
        signal_group(self.process.pid, signal.SIGSTOP)
        self.paused = True

    def resume(self):
        if self.paused:
            signal_group(self.process.pid, signal.SIGCONT)
            self.paused = False

    def restart(self, within_s=None):
        """kill -9, and start again over the same directory."""
        self.kill()
        return self.start(within_s)

    def discard(self):
        self.kill()
        shutil.rmtree(self.place, ignore_errors=True)

    def __enter__(self):
        return self if self.running() else self.start()

    def __exit__(self, *_):
        self.discard()

    # Questions.

    def running(self):
        return self.process is not None and self.process.poll() is None

    @property
    def address(self):
        return (LOOPBACK, self.port)

    @property
    def at(self):
        """HOST:PORT, as configurations want it."""
        return f"{LOOPBACK}:{self.port}"

    @property
    def log_file(self):
        return self.place / f"{self.NAME}.log"

    def log(self):
        return self.log_file.read_text(errors="replace") if self.log_file.exists() else ""


def can_connect(address, timeout_s=5):
    try:
        socket.create_connection(address, timeout_s).close()
        return True
    except OSError:
        return False


def start_together(servers):
    """Starts all of them at the same time; ends all of them when one cannot."""
    try:
        for server in servers:
            server.launch()
        for server in servers:
            server.wait_ready()
    except BaseException:
        for server in servers:
            server.kill()
        raise
    return servers


if __name__ == "__main__":
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    guard(sys.stdin)
