"""Redis and Redis Cluster for the tests, and the little of their language that needs."""
import shutil
import socket
import time

from server_process import (LOOPBACK, ServerFailed, ServerProcess, free_port, new_directory,
                            start_together)

SLOTS = 16384


class RedisError(Exception):
    """An error reply."""


class RedisLine:
    """One connection. `line("SET", "a", 1)` gives the reply: bytes, int, list or None."""

    def __init__(self, address, password=None, timeout_s=30):
        self.socket = socket.create_connection(address, timeout_s)
        self.input = self.socket.makefile("rb")
        if password:
            self("AUTH", password)

    def __call__(self, *words):
        words = [w if isinstance(w, bytes) else str(w).encode() for w in words]
        self.socket.sendall(b"*%d\r\n" % len(words)
                            + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in words))
        return self.reply()

    def reply(self):
        line = self.input.readline()
        if not line.endswith(b"\r\n"):
            raise ConnectionError("closed by Redis")
        kind, rest = line[:1], line[1:-2]
        if kind == b"-":
            raise RedisError(rest.decode())
        if kind == b":":
            return int(rest)
        if kind == b"$":
            return None if rest == b"-1" else self.input.read(int(rest) + 2)[:-2]
        if kind == b"*":
            return None if rest == b"-1" else [self.reply() for _ in range(int(rest))]
        return rest

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.input.close()
        self.socket.close()


class Redis(ServerProcess):
    NAME = "redis"

    def __init__(self, port=None, appendfsync="always", password=None, appendonly="yes", place=None,
                 guarded=True, more=()):
        """`more`: further options, as words of the command line."""
        super().__init__(place, port, guarded)
        self.appendfsync, self.appendonly = appendfsync, appendonly
        self.password, self.more = password, list(more)

    def command(self):
        # Not a file: what is said here wins over nothing, and nothing of the machine is read.
        command = ["redis-server", "--port", self.port, "--bind", LOOPBACK, "--dir", self.place,
                   "--appendonly", self.appendonly, "--appendfsync", self.appendfsync, "--save", "",
                   "--daemonize", "no", "--enable-debug-command", "yes"]
        if self.password:
            command += ["--requirepass", self.password]
        return command + self.more

    def is_ready(self):
        try:
            return self("PING") == b"PONG"
        except (OSError, RedisError):  # not there yet, or still loading
            return False

    def line(self, timeout_s=30):
        return RedisLine(self.address, self.password, timeout_s)

    def __call__(self, *words):
        """One command over a connection of its own."""
        with self.line() as line:
            return line(*words)

    # What can happen to it.

    def snapshot(self):
        """A copy of its directory as it is now. The append-only file only grows, so a copy taken
        while it stands still is what a restored backup looks like."""
        copy = new_directory("floodgate-redis-snapshot-")
        running = self.running() and not self.paused
        if running:
            self.pause()
        try:
            shutil.copytree(self.place, copy, dirs_exist_ok=True)
        finally:
            if running:
                self.resume()
        return copy

    def restore(self, copy, start=True):
        """Puts it back to a snapshot: everything since is forgotten."""
        self.kill()
        shutil.rmtree(self.place)
        shutil.copytree(copy, self.place)
        return self.start() if start else self


class RedisCluster:
    """Masters, and replicas of each. nodes[:masters] begin as masters."""

    def __init__(self, masters=3, replicas=0, appendfsync="always", place=None, ports=None,
                 guarded=True, node_timeout_ms=2000):
        count = masters * (1 + replicas)
        self.masters, self.replicas = masters, replicas
        self.nodes = []
        for n in range(count):
            self.nodes.append(Redis(
                port=ports[n] if ports else None, appendfsync=appendfsync, guarded=guarded,
                place=place / f"redis-{n + 1}" if place else None,
                more=["--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf",
                      "--cluster-port", free_port(), "--cluster-node-timeout", node_timeout_ms,
                      "--cluster-announce-ip", LOOPBACK]))

    # Verbs.

    def start(self, within_s=180):
        self.launch()
        return self.wait_ready(within_s)

    def launch(self):
        start_together(self.nodes)
        if b"cluster_slots_assigned:0\r\n" in self.nodes[0]("CLUSTER", "INFO"):
            try:
                self.introduce()
            except BaseException:
                self.kill()
                raise
        return self

    def introduce(self):
        """What `redis-cli --cluster create` does, without its pauses."""
        first = self.nodes[0]
        for n, node in enumerate(self.nodes):
            node("CLUSTER", "SET-CONFIG-EPOCH", n + 1)
            if n < self.masters:
                begin = SLOTS * n // self.masters
                node("CLUSTER", "ADDSLOTSRANGE", begin, SLOTS * (n + 1) // self.masters - 1)
            if n:
                bus = first.more[first.more.index("--cluster-port") + 1]
                node("CLUSTER", "MEET", LOOPBACK, first.port, bus)
        self.wait(self.all_know_all, 120, "the nodes did not meet")
        for n, node in enumerate(self.nodes[self.masters:]):
            master = self.nodes[n % self.masters]
            self.wait(lambda: self.becomes_replica(node, master), 120, "no replica")  # noqa: B023

    @staticmethod
    def becomes_replica(node, master):
        try:
            node("CLUSTER", "REPLICATE", master("CLUSTER", "MYID"))
            return True
        except RedisError:
            return False  # it has not heard of its master yet

    def wait_ready(self, within_s=180):
        self.wait(self.is_ready, within_s, "the Redis Cluster is not ready")
        return self

    def stop(self):
        for node in self.nodes:
            node.stop()

    def kill(self):
        for node in self.nodes:
            node.kill()

    def discard(self):
        for node in self.nodes:
            node.discard()

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.discard()

    # Questions.

    def is_ready(self):
        """Every running node sees every slot served, and every replica follows its master."""
        try:
            for node in self.nodes:
                if node.running() and b"cluster_state:ok" not in node("CLUSTER", "INFO"):
                    return False
                if node.running() and b"role:slave" in node("INFO", "replication"):
                    if b"master_link_status:up" not in node("INFO", "replication"):
                        return False
            return len(self.roles()) == len(self.nodes) and self.count_of("master") >= self.masters
        except (OSError, RedisError):
            return False

    def all_know_all(self):
        return all(b"cluster_known_nodes:%d\r\n" % len(self.nodes) in node("CLUSTER", "INFO")
                   for node in self.nodes)

    def roles(self):
        """port -> "master" or "slave", as each running node says of itself."""
        return {node.port: "master" if b"role:master" in node("INFO", "replication") else "slave"
                for node in self.nodes if node.running()}

    def count_of(self, role):
        return list(self.roles().values()).count(role)

    def master_of(self, key):
        """The node that serves a key now."""
        for node in self.nodes:
            if not node.running():
                continue
            slot = node("CLUSTER", "KEYSLOT", key)
            for begin, end, master, *_ in node("CLUSTER", "SLOTS"):
                if begin <= slot <= end:
                    return next(n for n in self.nodes if n.port == master[1])
        raise ServerFailed(f"nobody serves {key}")

    @property
    def at(self):
        return self.nodes[0].at

    @property
    def addresses(self):
        return [node.at for node in self.nodes]

    @staticmethod
    def wait(question, within_s, otherwise):
        deadline = time.monotonic() + within_s
        while not question():
            if time.monotonic() > deadline:
                raise ServerFailed(f"{otherwise} within {within_s} s")
            time.sleep(0.02)
