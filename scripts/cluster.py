"""What scripts/cluster does: starts, shows and ends a cluster on loopback. See scripts/cluster."""
import argparse
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
# pylint: disable=wrong-import-position
from front import Front  # noqa: E402
from server_process import (LOOPBACK, ServerFailed, ServerProcess, can_connect, claim,  # noqa: E402
                            group_is_empty, signal_group, started_at)
from servers import Galera, MariaDb, RabbitMq, Redis, RedisCluster  # noqa: E402

PASSWORD = "floodgate"  # of the database, which only this machine can reach
DEMO = "buyer 买家 13800000001 / demo-buyer    admin 管理员 10000 / demo-admin"
READY_WITHIN_S = 60
END_WITHIN_S = 30


class Refused(Exception):
    """One line that says what is in the way."""


# Floodgate.

class Node(ServerProcess):
    READY_WITHIN_S = READY_WITHIN_S

    def __init__(self, number, binary, port, place, config):
        self.NAME = f"node-{number}"  # pylint: disable=invalid-name
        super().__init__(place, port, guarded=False)
        self.number, self.binary, self.config = number, binary, config

    def prepare(self):
        self.place.chmod(0o700)
        (self.place / "floodgate.toml").write_text(self.config)

    def command(self):
        words = [self.binary, "serve", "--config", self.place / "floodgate.toml",
                 "--listen", self.at]
        return words + (["--demo"] if self.number == 1 else [])

    def is_ready(self):
        return ask(f"http://{self.at}/readyz")[0] == 200


def node_config(number, place, redis, maria, rabbit):
    def listed(addresses):
        return json.dumps(list(addresses))
    return (f'mode = "clustered"\nnode = {number}\ndata = "{place}/data"\n'
            "[pay]\nallow_test = true\n"
            f'[cluster]\nname = "demo"\nqueue = "{"rabbitmq" if rabbit else "streams"}"\n'
            f"[redis]\naddresses = {listed(getattr(redis, 'addresses', None) or [redis.at])}\n"
            f"cluster = {'true' if isinstance(redis, RedisCluster) else 'false'}\n"
            f"[mariadb]\naddresses = {listed(getattr(maria, 'addresses', None) or [maria.at])}\n"
            f'user = "floodgate"\npassword = "{PASSWORD}"\ndatabase = "floodgate"\n'
            + (f'[rabbitmq]\naddresses = {listed([rabbit.at])}\n' if rabbit else ""))


def ask(address):
    """(status, text); status 0 when nobody answers."""
    try:
        with urllib.request.urlopen(address, timeout=3) as answer:
            return answer.status, answer.read().decode(errors="replace")
    except urllib.error.HTTPError as refused:
        return refused.code, refused.read().decode(errors="replace")
    except OSError:
        return 0, ""


# What is written down between `up` and `down`.

class Notes:
    def __init__(self, place):
        self.place = pathlib.Path(place)
        self.file = self.place / "processes.json"

    def begin(self):
        if self.alive():
            raise Refused(f"it is up already, in {self.place}: scripts/cluster down first")
        if self.file.exists():
            shutil.rmtree(self.place)
        elif self.place.exists() and any(self.place.iterdir()):
            raise Refused(f"{self.place} is not empty and not ours: choose another --dir")
        self.place.mkdir(parents=True, exist_ok=True)
        if self.place.stat().st_uid != os.geteuid():
            raise Refused(f"{self.place} belongs to somebody else: choose another --dir")
        self.place.chmod(0o711)  # the database's own user walks through
        for parent in self.place.parents if os.geteuid() == 0 else ():
            if not parent.stat().st_mode & 0o001:
                raise Refused(f"MariaDB's user cannot get through {parent}: choose another --dir")
        self.file.write_text("[]")
        self.file.chmod(0o600)

    def add(self, kind, server, name=None):
        self.write(self.read() + [{
            "kind": kind, "name": name or server.NAME, "pid": server.process.pid,
            "born": started_at(server.process.pid), "at": server.at, "log": str(server.log_file),
            "command": [str(word) for word in server.command()], "environment": server.environment()}])

    def started_again(self, name, pid):
        """The process of this name is another one now."""
        self.write([{**p, "pid": pid, "born": started_at(pid)} if p["name"] == name else p
                    for p in self.read()])

    def write(self, known):
        self.file.write_text(json.dumps(known, indent=1))

    def read(self):
        return json.loads(self.file.read_text()) if self.file.exists() else []

    def alive(self):
        return [p for p in self.read() if lives(p)]


def lives(process):
    return started_at(process["pid"]) == process["born"] and not group_is_empty(process["pid"])


# up

class Rising:
    """Starts one thing after the other and writes each down as soon as it runs."""

    def __init__(self, wanted, notes):
        self.wanted, self.notes, self.place = wanted, notes, notes.place
        self.nodes = []

    def all(self):
        self.check_ports()
        rabbit = None
        if self.wanted.rabbitmq:
            rabbit = RabbitMq(place=self.place / "rabbitmq", guarded=False)
            rabbit.launch()  # it takes its time: the others start meanwhile
            self.notes.add("epmd", rabbit.names)
            self.notes.add("rabbitmq", rabbit)
        redis, maria = self.redis(), self.maria()
        if rabbit:
            self.step("RabbitMQ", rabbit.wait_ready, lambda _: rabbit.at)
        self.prepare_database(maria)
        for number in range(1, self.wanted.nodes + 1):
            self.node(number, redis, maria, rabbit)
        self.nginx()

    def check_ports(self):
        for port in range(self.wanted.port, self.wanted.port + self.wanted.nodes + 1):
            if can_connect((LOOPBACK, port)):
                raise Refused(f"port {port} is taken: --port N uses N to N + {self.wanted.nodes}")
            claim(port)  # before a store gets it

    def redis(self):
        if not self.wanted.redis_cluster:
            redis = Redis(place=self.place / "redis", guarded=False)
            self.step("Redis", lambda: self.begin("redis", redis), lambda _: redis.at)
            return redis
        cluster = RedisCluster(masters=3, replicas=1, place=self.place, guarded=False)
        self.step("Redis Cluster", cluster.launch, lambda _: " ".join(cluster.addresses))
        for n, node in enumerate(cluster.nodes, 1):
            self.notes.add("redis", node, f"redis-{n}")
        return cluster.wait_ready()

    def maria(self):
        if not self.wanted.galera:
            maria = MariaDb(place=self.place / "mariadb", guarded=False, durable=True)
            self.step("MariaDB", lambda: self.begin("mariadb", maria), lambda _: maria.at)
            return maria
        galera = Galera(nodes=3, place=self.place, guarded=False, durable=True)
        self.step("Galera", galera.start, lambda _: " ".join(galera.addresses))
        for n, node in enumerate(galera.nodes, 1):
            self.notes.add("galera", node, f"galera-{n}")
        return galera

    @staticmethod
    def prepare_database(maria):
        for sql in ("CREATE DATABASE floodgate CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
                    f"CREATE USER floodgate@'%' IDENTIFIED BY '{PASSWORD}'",
                    "GRANT ALL PRIVILEGES ON floodgate.* TO floodgate@'%'"):
            maria.ask(sql)

    def node(self, number, redis, maria, rabbit):
        place = self.place / f"node-{number}"
        node = Node(number, self.wanted.binary, self.wanted.port + number, place,
                    node_config(number, place, redis, maria, rabbit))
        self.step(f"Floodgate node {number}", lambda: self.begin("node", node), lambda _: node.at)
        self.nodes.append(node)

    def nginx(self):
        front = Front([node.at for node in self.nodes], port=self.wanted.port,
                      place=self.place / "nginx", guarded=False)
        self.step("nginx", lambda: self.begin("nginx", front), lambda _: front.at)

    def begin(self, kind, server):
        server.launch()
        self.notes.add(kind, server)
        server.wait_ready()

    @staticmethod
    def step(what, act, where):
        print(f"  {what:20} ", end="", flush=True)
        begin = time.monotonic()
        done = act()
        print(f"{where(done)}  ({time.monotonic() - begin:.1f} s)", flush=True)


def up(wanted, notes):
    if not os.access(wanted.binary, os.X_OK):
        raise Refused(f"no program {wanted.binary}: scripts/build release floodgate")
    missing = [p for p in ("redis-server", "mariadbd", "nginx") if not shutil.which(p)]
    missing += ["rabbitmq-server"] if wanted.rabbitmq and not shutil.which("rabbitmq-server") else []
    if missing:
        raise Refused(f"missing: {', '.join(missing)}. scripts/setup cluster installs them")
    notes.begin()
    print(f"Starting in / 启动目录 {notes.place}", flush=True)
    rising = Rising(wanted, notes)
    try:
        rising.all()
    except BaseException:
        print(flush=True)
        end(notes)
        raise
    base = f"http://{LOOPBACK}:{wanted.port}"
    print(f"""
Everything is up / 已全部启动
  {base}/api/v1/rounds   through nginx / 经由 nginx 访问
  {'  '.join(f'http://{n.at}' for n in rising.nodes)}   the nodes / 各节点
  {base}/readyz   which durability holds / 持久性状态
  log-ins / 账号: {DEMO}
  {notes.place}/*/*.log   logs / 日志
scripts/cluster status   how it is / 查看状态
scripts/cluster shell redis|mariadb|rabbitmq|node   look inside / 进入各组件
scripts/cluster restart node-1   ends it and starts it again / 重启节点
scripts/cluster down     ends it and removes its data / 停止并删除数据
Try: kill -9 one node, and buy on / 试试：kill -9 一个节点，继续购买""")
    return 0


# status and down

def health_of(process):
    address = (LOOPBACK, int(process["at"].rpartition(":")[2]))
    if process["kind"] == "node":
        status, text = ask(f"http://{process['at']}/readyz")
        return f"{status or 'no answer'} {' '.join(text.split())[:300]}"
    if process["kind"] == "nginx":
        return f"{ask('http://' + process['at'] + '/nginx-health')[0] or 'no answer'}"
    return "takes connections" if can_connect(address) else "takes no connections"


def status(notes):
    known = notes.read()
    if not known:
        print(f"nothing is up in {notes.place} / 未启动")
        return 1
    dead = 0
    for process in known:
        alive = lives(process)
        dead += not alive
        print(f"{process['name']:12} pid {process['pid']:<8} {process['at']:16} "
              f"{'runs / 运行' if alive else 'DEAD / 已停止'}  {health_of(process) if alive else process['log']}")
    return 1 if dead else 0


def end(notes):
    """In reverse order: first who uses, then what is used."""
    for process in reversed(notes.read()):
        end_one(process)


def end_one(process):
    if not lives(process):
        signal_group(process["pid"], signal.SIGKILL)  # what a dead leader left behind
        return
    print(f"  ending / 停止 {process['name']} (pid {process['pid']})", flush=True)
    os.kill(process["pid"], signal.SIGTERM)
    deadline = time.monotonic() + END_WITHIN_S
    while lives(process) and time.monotonic() < deadline:
        time.sleep(0.05)
    signal_group(process["pid"], signal.SIGKILL)


def down(notes):
    if not notes.file.exists():
        print(f"nothing is up in {notes.place} / 未启动")
        return 0
    end(notes)
    shutil.rmtree(notes.place, ignore_errors=True)
    print("down / 已停止")
    return 0


# shell and restart

def running(notes, kind, choice=""):
    """A living process of this kind: the one with this name or number, or the first."""
    found = [p for p in notes.alive() if p["kind"] == kind]
    if not found:
        raise Refused(f"no {kind} runs in {notes.place}: scripts/cluster status")
    fitting = [p for p in found if choice in ("", p["name"], p["name"].rpartition("-")[2])]
    if not fitting:
        raise Refused(f"no {choice}: there are {', '.join(p['name'] for p in found)}")
    return fitting[0]


def shell(notes, what, words):
    """Becomes the program that talks to it: with `words` for one command, without them to type."""
    kind = "galera" if what == "mariadb" and any(p["kind"] == "galera" for p in notes.read()) else what
    choice = words.pop(0) if what == "node" and words and words[0].removeprefix("node-").isdigit() else ""
    process = running(notes, kind, choice)
    host, _, port = process["at"].rpartition(":")
    environment = {**os.environ}
    if what == "redis":
        several = ["-c"] if "--cluster-enabled" in process["command"] else []
        command = ["redis-cli", "-h", host, "-p", port, *several, *words]
    elif what == "mariadb":
        environment["MYSQL_PWD"] = PASSWORD
        command = ["mariadb", "--no-defaults", "--table", "-h", host, "-P", port, "-u", "floodgate",
                   "floodgate", *(["-e", " ".join(words)] if words else [])]
    elif what == "rabbitmq":
        environment.update(process["environment"])
        if not words:
            raise Refused("which command of rabbitmqctl? For example: shell rabbitmq list_queues")
        command = [f"{RabbitMq.BINARIES}/rabbitmqctl", "--quiet", *words]
    else:
        environment.update(node=process["name"], api=f"http://{process['at']}/api/v1", log=process["log"],
                           token=token_of(process["at"], "13800000001", "demo-buyer"),
                           admin=token_of(process["at"], "10000", "demo-admin"))
        if not words:
            print("$api, $token (the demo buyer's), $admin, $log and $node are set. "
                  "For example: curl -s $api/rounds", flush=True)
        command = ["bash", "-c", " ".join(words)] if words else ["bash"]
    if not shutil.which(command[0]):
        raise Refused(f"missing: {command[0]}. scripts/setup cluster installs it")
    os.chdir(notes.place)
    os.execvpe(command[0], command, environment)


def token_of(at, phone, password):
    """A log-in of the demo, or "" if it is refused, for example because the password was changed."""
    wanted = urllib.request.Request(
        f"http://{at}/api/v1/auth/login", json.dumps({"phone": phone, "password": password}).encode(),
        {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(wanted, timeout=10) as answer:
            return json.load(answer)["token"]
    except OSError:
        return ""


def restart(notes, name):
    """Ends a node as an operator would, and starts it again with the same configuration."""
    if name.isdigit():
        name = f"node-{name}"
    process = next((p for p in notes.read() if p["kind"] == "node" and p["name"] == name), None)
    if not process:
        raise Refused(f"no {name}: there are "
                      + (", ".join(p["name"] for p in notes.read() if p["kind"] == "node") or "no nodes"))
    end_one(process)
    begin = time.monotonic()
    with open(process["log"], "ab") as log:
        started = subprocess.Popen(process["command"], stdin=subprocess.DEVNULL, stdout=log,
                                   stderr=subprocess.STDOUT, cwd=pathlib.Path(process["log"]).parent,
                                   start_new_session=True)
    notes.started_again(name, started.pid)
    while ask(f"http://{process['at']}/readyz")[0] != 200:
        if started.poll() is not None or time.monotonic() - begin > READY_WITHIN_S:
            raise Refused(f"{name} did not get ready: see {process['log']}")
        time.sleep(0.05)
    print(f"{name} is ready again / 已就绪  {process['at']}  ({time.monotonic() - begin:.1f} s)")
    return 0


def default_place():
    """Not root's runtime directory: the database's user could not get into it."""
    if os.environ.get("FLOODGATE_CLUSTER_DIR"):
        return pathlib.Path(os.environ["FLOODGATE_CLUSTER_DIR"])
    runtime = os.environ.get("XDG_RUNTIME_DIR") if os.geteuid() != 0 else None
    return pathlib.Path(runtime or "/tmp") / f"floodgate-cluster-{os.geteuid()}"


def read_command_line():
    parser = argparse.ArgumentParser(prog="scripts/cluster")
    verbs = parser.add_subparsers(dest="verb", required=True)
    for verb in ("up", "status", "down", "shell", "restart"):
        verbs.add_parser(verb).add_argument("--dir", type=pathlib.Path, default=default_place())
    up_options = verbs.choices["up"]
    for store in ("--redis-cluster", "--galera", "--rabbitmq"):
        up_options.add_argument(store, action="store_true")
    up_options.add_argument("--nodes", type=int, default=2, choices=range(1, 9))
    up_options.add_argument("--port", type=int, default=8080)
    up_options.add_argument("--binary", type=pathlib.Path, default=ROOT / "build/release/floodgate")
    verbs.choices["shell"].add_argument("what", choices=("redis", "mariadb", "rabbitmq", "node"))
    verbs.choices["shell"].add_argument("words", nargs=argparse.REMAINDER, help="one command; none: to type")
    verbs.choices["restart"].add_argument("node", help="node-1, or 1")
    return parser.parse_args()


def main():
    wanted = read_command_line()
    notes = Notes(wanted.dir.resolve())
    try:
        if wanted.verb == "up":
            wanted.binary = wanted.binary.resolve()
            return up(wanted, notes)
        if wanted.verb == "shell":
            return shell(notes, wanted.what, wanted.words)
        if wanted.verb == "restart":
            return restart(notes, wanted.node)
        return status(notes) if wanted.verb == "status" else down(notes)
    except (Refused, ServerFailed) as refused:
        print(f"cluster: {refused}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
