#!/usr/bin/python3
"""Real servers for tests, from Debian's packages (scripts/setup cluster).

    tests/servers.py run [--redis] [--redis-cluster] [--mariadb] [--rabbitmq] -- COMMAND ...

starts them together on free loopback ports in temporary directories, tells COMMAND where they are
(FLOODGATE_TEST_REDIS and so on, HOST:PORT), ends everything and exits with COMMAND's code. As a
library: Redis, RedisCluster, MariaDb, Galera, RabbitMq, Nginx, each with start, stop, kill, pause,
resume, restart.
"""
import argparse
import os
import signal
import socket
import subprocess
import sys
import time

from redis_server import Redis, RedisCluster, RedisError, RedisLine  # noqa: F401
from server_process import (GUARDIAN, LOOPBACK, ServerFailed, ServerProcess,  # noqa: F401
                            free_port, new_directory, start_together)
from sql_server import PASSWORD, TEMPLATE, Galera, MariaDb, template  # noqa: F401


class RabbitMq(ServerProcess):
    """RabbitMQ with an epmd, a cookie and a data directory of its own. guest/guest, vhost /."""
    NAME = "rabbitmq"
    READY_WITHIN_S = 300
    BINARIES = "/usr/lib/rabbitmq/bin"  # those in PATH change to the user rabbitmq

    def __init__(self, port=None, place=None, guarded=True):
        super().__init__(place, port, guarded)
        self.names = Epmd(self.place, guarded)
        self.talk_port = free_port()

    def prepare(self):
        if not self.names.running():
            self.names.start()
        (self.place / "enabled_plugins").write_text("[].\n")
        (self.place / "rabbitmq.conf").write_text(
            f"listeners.tcp.1 = {LOOPBACK}:{self.port}\n"
            "loopback_users.guest = true\nlog.console = true\nlog.console.level = warning\n"
            "log.file = false\nvm_memory_high_watermark.absolute = 1GB\n"
            "disk_free_limit.absolute = 50MB\n")

    def command(self):
        return [f"{self.BINARIES}/rabbitmq-server"]

    def environment(self):
        return {"HOME": str(self.place), "ERL_EPMD_PORT": str(self.names.port),
                "ERL_EPMD_ADDRESS": LOOPBACK, "RABBITMQ_NODENAME": f"floodgate{self.port}@localhost",
                "RABBITMQ_CONF_ENV_FILE": "/dev/null",
                "RABBITMQ_CONFIG_FILE": str(self.place / "rabbitmq.conf"),
                "RABBITMQ_ADVANCED_CONFIG_FILE": str(self.place / "none"),
                "RABBITMQ_ENABLED_PLUGINS_FILE": str(self.place / "enabled_plugins"),
                "RABBITMQ_MNESIA_BASE": str(self.place / "mnesia"),
                "RABBITMQ_LOG_BASE": str(self.place / "log"),
                "RABBITMQ_PID_FILE": str(self.place / "pid"),
                "RABBITMQ_DIST_PORT": str(self.talk_port),
                # Two schedulers that sleep when idle: the machine has other things to do.
                "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS":
                    "-start_epmd false +S 2:2 +sbwt none +sbwtdcpu none +sbwtdio none "
                    "-kernel inet_dist_use_interface {127,0,0,1}"}

    def is_ready(self):
        """It greets those who speak AMQP 0-9-1: its listeners are the last thing it starts."""
        try:
            with socket.create_connection(self.address, 1) as line:
                line.sendall(b"AMQP\x00\x00\x09\x01")
                return line.recv(1) == b"\x01"
        except OSError:
            return False

    def control(self, *words):
        """rabbitmqctl; takes two seconds."""
        done = subprocess.run([f"{self.BINARIES}/rabbitmqctl", *words], capture_output=True,
                              text=True, timeout=180, check=False, cwd=self.place,
                              env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", **self.environment()})
        if done.returncode != 0:
            raise ServerFailed(f"rabbitmqctl {words[0]}: {done.stdout}{done.stderr}")
        return done.stdout

    def ask_to_stop(self):
        signal_all(self, signal.SIGTERM)

    def discard(self):
        self.kill()
        self.names.kill()
        super().discard()


class Epmd(ServerProcess):
    """Erlang's port mapper, which would otherwise stay behind as a daemon."""
    NAME = "epmd"

    def __init__(self, place, guarded):
        super().__init__(place, None, guarded)

    def command(self):
        return ["epmd", "-port", self.port, "-address", LOOPBACK]


class Nginx(ServerProcess):
    """nginx with a whole configuration, in which @PORT@ is its port and @PLACE@ its directory."""
    NAME = "nginx"

    def __init__(self, configuration, port=None, place=None, guarded=True):
        super().__init__(place, port, guarded)
        self.configuration = configuration

    def prepare(self):
        text = self.configuration.replace("@PORT@", str(self.port))
        (self.place / "nginx.conf").write_text(text.replace("@PLACE@", str(self.place)))

    def command(self):
        return ["nginx", "-p", self.place, "-c", self.place / "nginx.conf", "-e", "stderr",
                "-g", "daemon off;"]

    def test(self):
        """(exit code, what it said): `nginx -t`."""
        self.prepare()
        done = subprocess.run([*map(str, self.command()), "-t"], capture_output=True, text=True,
                              timeout=30, check=False)
        return done.returncode, done.stdout + done.stderr


def signal_all(server, number):
    subprocess.run(["kill", f"-{int(number)}", "--", f"-{server.process.pid}"], check=False)


# The command.

def steady_cluster():
    """Nobody kills its nodes, and a busy machine must not make one look dead."""
    return RedisCluster(node_timeout_ms=15_000)


KINDS = {  # option: (environment variable, how to make one)
    "redis": ("FLOODGATE_TEST_REDIS", Redis),
    "redis-cluster": ("FLOODGATE_TEST_REDIS_CLUSTER", steady_cluster),
    "mariadb": ("FLOODGATE_TEST_MARIADB", MariaDb),
    "rabbitmq": ("FLOODGATE_TEST_RABBITMQ", RabbitMq),
}


def run(kinds, command):
    servers, begin = {kind: KINDS[kind][1]() for kind in kinds}, time.monotonic()
    # The slow one first; MariaDB's template is made while it starts.
    for kind in sorted(kinds, key=("rabbitmq", "redis", "redis-cluster", "mariadb").index):
        servers[kind].launch()
    for server in servers.values():
        server.wait_ready()
    where = {KINDS[kind][0]: server.at for kind, server in servers.items()}
    print(f"servers: {', '.join(f'{k}={v}' for k, v in where.items())} after "
          f"{time.monotonic() - begin:.1f} s", file=sys.stderr, flush=True)
    if "mariadb" in kinds:
        where[TEMPLATE] = str(template())
    code = run_command(command, where)
    for kind, server in servers.items():
        for process in getattr(server, "nodes", [server]):
            if not process.running():
                print(f"servers: {kind} died during the run:\n{process.log()[-2000:]}",
                      file=sys.stderr)
                code = code or 1
    return code  # the guardian ends them when we go


def run_command(command, environment):
    """Its exit code, as a shell would say it. Signals to us are signals to it."""
    children, early = [], []

    def pass_on(number, _):
        early.append(number)
        for child in children:
            child.send_signal(number)

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, pass_on)
    children.append(subprocess.Popen(command, env={**os.environ, **environment}))
    for number in early:
        children[0].send_signal(number)
    code = children[0].wait()
    return code if code >= 0 else 128 - code


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    verb = verbs.add_parser("run", help="starts servers, runs a command, ends the servers")
    for kind, (variable, _) in KINDS.items():
        verb.add_argument(f"--{kind}", action="store_true", help=f"sets {variable}")
    verb.add_argument("command", nargs="+", metavar="COMMAND")
    wanted = parser.parse_args()
    kinds = [kind for kind in KINDS if getattr(wanted, kind.replace("-", "_"))]
    try:
        return run(kinds, wanted.command)
    except (ServerFailed, OSError) as failed:
        print(f"servers: {failed}", file=sys.stderr)
        return 1
    finally:
        GUARDIAN.dismiss()


if __name__ == "__main__":
    sys.exit(main())
