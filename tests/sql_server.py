"""MariaDB and Galera for the tests."""
import functools
import os
import pwd
import shutil
import subprocess
import time

import pymysql

from server_process import (LOOPBACK, ServerFailed, ServerProcess, free_port, new_directory,
                            start_together)

PASSWORD = "floodgate"  # root's, on servers that live as long as a test
TEMPLATE = "FLOODGATE_TEST_MARIADB_TEMPLATE"
GALERA = "/usr/lib/galera/libgalera_smm.so"
ACCOUNTS = f"""
DELETE FROM mysql.global_priv WHERE user = '' OR (user = 'root' AND host <> 'localhost');
FLUSH PRIVILEGES;
ALTER USER 'root'@'localhost' IDENTIFIED BY '{PASSWORD}';
CREATE USER IF NOT EXISTS 'root'@'%' IDENTIFIED BY '{PASSWORD}';
GRANT ALL PRIVILEGES ON *.* TO 'root'@'%' WITH GRANT OPTION;
"""


@functools.lru_cache(maxsize=None)
def template():
    """An empty data directory with root's password set. It takes some seconds, so it is made once, and
    processes that this one starts are told of it (TEMPLATE)."""
    if os.environ.get(TEMPLATE):
        return os.environ[TEMPLATE]
    place = new_directory("floodgate-mariadb-template-")
    temporary = own_temporary(new_directory("floodgate-mariadb-tmp-"))
    made = subprocess.run(
        ["mariadb-install-db", "--no-defaults", "--auth-root-authentication-method=normal",
         "--skip-test-db", f"--datadir={place}", f"--user={user()}"], env=temporary,
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False)
    if made.returncode != 0:
        raise ServerFailed(f"mariadb-install-db: {(made.stdout + made.stderr)[-2000:]}")
    made = subprocess.run(
        ["mariadbd", "--no-defaults", "--bootstrap", f"--datadir={place}", f"--user={user()}"],
        env=temporary, input=ACCOUNTS, capture_output=True, text=True, timeout=300, check=False)
    if made.returncode != 0 or "ERROR" in made.stderr:
        raise ServerFailed(f"mariadbd --bootstrap: {made.stderr[-2000:]}")
    return place


def own_temporary(place):
    """An environment in which MariaDB keeps its temporary tables there. In a directory that it shares
    with another server, each removes the other's when it starts."""
    if os.geteuid() == 0:
        subprocess.run(["chown", f"{user()}:", place], check=True)
    return {**os.environ, "TMPDIR": str(place)}


def user():
    """Root starts it as Debian's user for it: as root, rsync would be nobody, and Galera's state
    transfer fails."""
    return "mysql" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name


class MariaDb(ServerProcess):
    NAME = "mariadb"

    def __init__(self, port=None, durable=False, place=None, guarded=True, more=()):
        """`durable`: commits survive a power cut. Without it they survive only the server's own
        death, which is all that a test can do to it, and is much faster."""
        super().__init__(place, port, guarded)
        self.durable, self.more = durable, list(more)
        self.data = self.place / "data"

    def prepare(self):
        if not self.data.exists():
            shutil.copytree(template(), self.data)
        if os.geteuid() == 0:
            subprocess.run(["chown", "-R", f"{user()}:", self.place], check=True)

    def command(self):
        return ["mariadbd", "--no-defaults", f"--datadir={self.data}", f"--user={user()}",
                f"--port={self.port}", f"--bind-address={LOOPBACK}", "--skip-name-resolve",
                f"--socket={self.place / 's'}", f"--pid-file={self.place / 'pid'}",
                "--character-set-server=utf8mb4", "--collation-server=utf8mb4_bin",
                "--innodb-buffer-pool-size=128M", "--innodb-log-file-size=64M",
                "--max-connections=500", "--performance-schema=OFF",
                # 2: written at each commit, synced each second: kill -9 loses nothing.
                f"--innodb-flush-log-at-trx-commit={1 if self.durable else 2}", *self.more]

    def environment(self):
        return {"TMPDIR": str(self.place)}  # see own_temporary

    def is_ready(self):
        try:
            self.connect(timeout_s=5).close()
            return True
        except pymysql.MySQLError:
            return False

    def connect(self, database=None, timeout_s=60):
        return pymysql.connect(host=LOOPBACK, port=self.port, user="root", password=PASSWORD,
                               database=database, connect_timeout=timeout_s, read_timeout=300,
                               autocommit=True, charset="utf8mb4")

    def ask(self, sql, *arguments, database=None):
        """The rows of one statement, over a connection of its own."""
        connection = self.connect(database)
        try:
            with connection.cursor() as cursor:
                cursor.execute(sql, arguments or None)
                return cursor.fetchall()
        finally:
            connection.close()


class GaleraNode(MariaDb):
    NAME = "galera"
    READY_WITHIN_S = 300

    def __init__(self, place=None, port=None, guarded=True, durable=False):
        super().__init__(port, durable, place, guarded)
        self.group_port, self.ist_port, self.sst_port = free_port(), free_port(), free_port()
        self.others, self.first = [], False

    def command(self):
        members = ",".join(f"{LOOPBACK}:{node.group_port}" for node in [self, *self.others])
        # keepalive and suspect: a dead member is noticed within two seconds instead of five.
        provider = (f"base_host={LOOPBACK};gmcast.listen_addr=tcp://{LOOPBACK}:{self.group_port};"
                    f"ist.recv_addr={LOOPBACK}:{self.ist_port};gcache.size=64M;"
                    "evs.keepalive_period=PT0.3S;evs.suspect_timeout=PT1.5S;"
                    "evs.inactive_timeout=PT3S;evs.inactive_check_period=PT0.3S")
        command = super().command() + [
            "--wsrep-on=ON", f"--wsrep-provider={GALERA}", "--binlog-format=ROW",
            "--innodb-autoinc-lock-mode=2", "--wsrep-cluster-name=floodgate",
            f"--wsrep-cluster-address=gcomm://{members}", f"--wsrep-node-address={LOOPBACK}",
            f"--wsrep-node-name={self.port}", "--wsrep-sst-method=rsync",
            f"--wsrep-sst-receive-address={LOOPBACK}:{self.sst_port}",
            f"--wsrep-node-incoming-address={LOOPBACK}:{self.port}",
            f"--wsrep-provider-options={provider}"]
        return command + (["--wsrep-new-cluster"] if self.first else [])

    def is_ready(self):
        return super().is_ready() and self.status("wsrep_ready") == "ON"

    def status(self, name):
        try:
            return dict(self.ask("SHOW STATUS LIKE 'wsrep_%'")).get(name)
        except pymysql.MySQLError:
            return None


class Galera:
    """Nodes that are one database. The first one founds the cluster, the others join."""

    def __init__(self, nodes=3, place=None, ports=None, guarded=True, durable=False):
        self.nodes = [GaleraNode(place / f"galera-{n + 1}" if place else None,
                                 ports[n] if ports else None, guarded, durable)
                      for n in range(nodes)]
        for node in self.nodes:
            node.others = [other for other in self.nodes if other is not node]

    def start(self, within_s=300):
        first, *others = self.nodes
        try:
            first.first = True
            first.start(within_s)
            first.first = False  # from now on it joins what is there
            start_together(others)
            self.wait_ready(within_s)
        except BaseException:
            self.kill()
            raise
        return self

    def wait_ready(self, within_s=300):
        deadline = time.monotonic() + within_s
        while self.size() != sum(node.running() for node in self.nodes):
            if time.monotonic() > deadline:
                raise ServerFailed(f"the Galera cluster has {self.size()} members")
            time.sleep(0.1)
        return self

    def size(self):
        """Members as the running nodes see it; 0 when they disagree."""
        seen = {node.status("wsrep_cluster_size") for node in self.nodes if node.running()}
        only = seen.pop() if len(seen) == 1 else None
        return int(only) if only else 0

    def stop(self):
        """The first one last, so that it may found the cluster again."""
        for node in reversed(self.nodes):
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

    def ask(self, sql, *arguments, database=None):
        return self.living().ask(sql, *arguments, database=database)

    def connect(self, database=None, timeout_s=60):
        return self.living().connect(database, timeout_s)

    def living(self):
        return next(n for n in self.nodes if n.running() and not n.paused)

    @property
    def addresses(self):
        return [node.at for node in self.nodes]
