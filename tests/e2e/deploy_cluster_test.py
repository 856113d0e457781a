#!/usr/bin/python3
"""The files of deploy/ for a cluster: each is taken by the program it is for."""
import os
import pathlib
import re
import subprocess
import sys
import tomllib
import unittest

import yaml

from harness import BINARY, ROOT, FloodgateTest, embedded_only

sys.path.insert(0, str(ROOT / "tests"))
from front import Front  # noqa: E402  pylint: disable=wrong-import-position
from servers import MariaDb, RabbitMq, Redis, free_port  # noqa: E402  pylint: disable=wrong-import-position

DEPLOY = ROOT / "deploy"


def run(*words):
    return subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=300,
                          check=False)


@embedded_only("the files are the same in both modes")
class Keepalived(FloodgateTest):
    def check(self, name, **changes):
        interface = next((i for i in sorted(os.listdir("/sys/class/net")) if i != "lo"), None)
        if interface is None or os.geteuid() != 0:
            self.skipTest("keepalived's test wants root and a network interface besides loopback")
        text = (DEPLOY / "keepalived" / name).read_text()
        # Version 2.2.7 ends itself in a config test when scripts have a user that is not root.
        for old, new in {"eth0": interface, "script_user nobody nogroup": "script_user root",
                         "/etc/keepalived/check-nginx": str(DEPLOY / "keepalived/check-nginx"),
                         **changes}.items():
            self.assertTrue(old in text or old.startswith("/etc/"), old)
            text = text.replace(old, new)
        file = self.directory() / "keepalived.conf"
        file.write_text(text)
        done = run("keepalived", "--config-test", "-f", file)
        return done.returncode, done.stdout + done.stderr

    def test_takes_both_files(self):
        for name in ("nginx-pair.conf", "lvs.conf"):
            with self.subTest(name=name):
                self.assertEqual(self.check(name), (0, ""))

    def test_would_notice_a_mistake(self):
        self.assertNotEqual(self.check("lvs.conf", lvs_sched="lvs_shed")[0], 0)

    def test_the_check_follows_nginx(self):
        front = Front([f"127.0.0.1:{free_port()}"])
        self.addCleanup(front.discard)
        front.start()
        script, base = DEPLOY / "keepalived/check-nginx", f"http://{front.at}"
        self.assertEqual(run(script, base).returncode, 0)
        front.kill()
        self.assertEqual(run(script, base).returncode, 1)


@embedded_only("the files are the same in both modes")
class Stores(FloodgateTest):
    def test_redis_takes_its_file(self):
        redis = FromFile(DEPLOY / "redis.conf")
        self.addCleanup(redis.discard)
        redis.start()
        for name, value in {"appendonly": "yes", "appendfsync": "always", "save": "",
                            "maxmemory-policy": "noeviction",
                            "no-appendfsync-on-rewrite": "no"}.items():
            self.assertEqual(redis("CONFIG", "GET", name)[1].decode(), value)

    def test_mariadb_takes_its_file(self):
        maria = WithFile(DEPLOY / "mariadb.cnf")
        self.addCleanup(maria.discard)
        maria.start()
        shown = dict(maria.ask("SHOW GLOBAL VARIABLES"))
        self.assertEqual(shown["innodb_flush_log_at_trx_commit"], "1")
        self.assertEqual((shown["sync_binlog"], shown["innodb_doublewrite"]), ("1", "ON"))
        self.assertEqual(shown["collation_server"], "utf8mb4_bin")

    def test_mariadb_knows_every_word_of_galeras_file(self):
        done = run("mariadbd", f"--defaults-file={DEPLOY / 'galera.cnf'}", "--verbose", "--help",
                   "--user=root")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("unknown variable", done.stderr)
        shown = dict(re.findall(r"^(wsrep-[\w-]+|innodb-autoinc-lock-mode) +(\S+)$", done.stdout,
                                re.MULTILINE))
        self.assertEqual(shown["wsrep-sst-method"], "rsync")
        self.assertEqual(shown["innodb-autoinc-lock-mode"], "2")

    def test_rabbitmq_takes_its_file(self):
        rabbit = RabbitWithFile(DEPLOY / "rabbitmq.conf")
        self.addCleanup(rabbit.discard)
        rabbit.start()
        self.assertIn("pause_minority",
                      rabbit.control("eval", "application:get_env(rabbit, cluster_partition_handling)."))


class FromFile(Redis):
    def __init__(self, file):
        super().__init__()
        self.file = file

    def command(self):
        return ["redis-server", self.file, "--port", self.port, "--dir", self.place]


class WithFile(MariaDb):
    def __init__(self, file):
        super().__init__()
        self.file = file

    def command(self):
        words = [w for w in super().command()
                 if not re.match(r"--(no-defaults|innodb|character|collation|max-conn)", w)]
        # Memory of a test machine, not of a database server.
        return [words[0], f"--defaults-file={self.file}", *words[1:],
                "--innodb-buffer-pool-size=64M", "--innodb-log-file-size=32M"]


class RabbitWithFile(RabbitMq):
    def __init__(self, file):
        super().__init__()
        self.file = file

    def prepare(self):
        super().prepare()
        text = self.file.read_text().replace(
            "listeners.tcp.default = 5672", f"listeners.tcp.1 = 127.0.0.1:{self.port}")
        (self.place / "rabbitmq.conf").write_text(text)


@embedded_only("the files are the same in both modes")
class Compose(FloodgateTest):
    def setUp(self):
        super().setUp()
        self.set = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
        self.services = self.set["services"]

    def test_every_file_it_names_is_there(self):
        named = [v.split(":")[0] for s in self.services.values() for v in s.get("volumes", [])
                 if v.startswith(".")]
        self.assertGreater(len(named), 6)
        for name in named:
            self.assertTrue((DEPLOY / name).is_file(), name)
        build = self.services["floodgate-1"]["build"]
        self.assertTrue((DEPLOY / build["context"] / build["dockerfile"]).is_file())

    def test_everything_it_refers_to_is_declared(self):
        for name, service in self.services.items():
            for other in service.get("depends_on", []):
                self.assertIn(other, self.services, name)
            for secret in service.get("secrets", []):
                self.assertIn(secret, self.set["secrets"], name)
            for volume in service.get("volumes", []):
                if not volume.startswith("."):
                    self.assertIn(volume.split(":")[0], self.set["volumes"], name)
            for network in service["networks"]:
                self.assertIn(network, self.set["networks"], name)

    def test_nginx_finds_the_nodes(self):
        nginx = re.findall(r"server ([\d.]+):8080 ", (DEPLOY / "nginx/floodgate.conf").read_text())
        nodes = [s["networks"]["inside"]["ipv4_address"] for n, s in self.services.items()
                 if n.startswith("floodgate-")]
        self.assertEqual(nginx, nodes)

    def test_the_nodes_use_options_that_exist_and_differ_in_their_number(self):
        known = tomllib.loads((ROOT / "config/floodgate.toml").read_text())
        numbers = set()
        for file in sorted((DEPLOY / "compose").glob("node-*.toml")):
            used = tomllib.loads(file.read_text())
            numbers.add(used["node"])
            for key, value in used.items():
                self.assertIn(key, known, file.name)
                for option in value if isinstance(value, dict) else ():
                    self.assertIn(option, known[key], f"{file.name} [{key}]")
        self.assertEqual(len(numbers), 2)

    def test_secrets_and_stores_agree_with_the_nodes(self):
        for file in (DEPLOY / "compose").glob("node-*.toml"):
            used = tomllib.loads(file.read_text())
            for store in ("redis", "mariadb", "rabbitmq"):
                self.assertEqual(used[store]["password_file"], f"/run/secrets/{store}")
                self.assertEqual(used[store]["addresses"][0].split(":")[0], store)
                self.assertIn(store, self.services)


@embedded_only("the files are the same in both modes")
class ComposeSecrets(FloodgateTest):
    """The secrets as the head of compose.yaml makes them, and a node that finds them as it would."""
    def make_secrets(self):
        head = (DEPLOY / "compose.yaml").read_text()
        commands = re.findall(r"^#   (.*deploy/secrets.*)$", head, re.MULTILINE)
        self.assertEqual(len(commands), 2)
        root = self.directory()
        (root / "deploy").mkdir()
        done = subprocess.run(["sh", "-ec", "umask 022\n" + "\n".join(commands)], cwd=root, check=False,
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return root / "deploy/secrets"

    def test_only_their_owner_finds_them_and_every_container_reads_them(self):
        secrets = self.make_secrets()
        self.assertEqual(secrets.stat().st_mode & 0o777, 0o700)
        for secret in ("redis", "mariadb", "rabbitmq"):
            self.assertEqual((secrets / secret).stat().st_mode & 0o004, 0o004)

    def test_a_strict_node_takes_them(self):
        if run("unshare", "--map-root-user", "--mount", "true").returncode != 0:
            self.skipTest("no mount namespace can be made here")
        secrets = self.make_secrets()
        for file in sorted((DEPLOY / "compose").glob("node-*.toml")):
            with self.subTest(file=file.name):
                self.assertTrue(tomllib.loads(file.read_text())["cluster"]["strict"])
                said = self.start_in_a_container(secrets, file)
                self.assertIn("engine.secret_exposed", said)
                self.assertNotIn("cluster.strict is set", said)
                self.assertIn("nobody answers at redis:6379", said, "it came as far as its stores")

    def start_in_a_container(self, secrets, file):
        """Mounts as Docker would make them, in a namespace that ends with the node. The node finds no
        Redis and says so. It expects few clients: the limit on open files may be lower here."""
        own = self.directory() / "floodgate.toml"
        own.write_text(file.read_text().replace("[edge]\n", "[edge]\nconnections_max = 100\n") +
                       "[ws]\nconnections_max = 100\n")
        script = (f"mount -t tmpfs none /run && mkdir /run/secrets && cp -p {secrets}/* /run/secrets/ && "
                  f"exec {BINARY} serve --config {own} --data {self.directory() / 'data'}")
        done = run("unshare", "--map-root-user", "--mount", "sh", "-c", script)
        self.assertEqual(done.returncode, 1, done.stderr)
        return done.stdout + done.stderr


@embedded_only("the files are the same in both modes")
class Image(FloodgateTest):
    def test_every_library_of_the_binary_is_installed(self):
        text = (DEPLOY / "Dockerfile").read_text()
        listed = re.search(r"install -y --no-install-recommends([^&]*)", text)[1].replace("\\", "").split()
        binary = pathlib.Path(os.environ.get("FLOODGATE", ROOT / "build/release/floodgate"))
        needed = re.findall(r"NEEDED\s+(\S+)", run("objdump", "-p", binary).stdout)
        for library in needed:
            found = re.findall(r"^([^:\s]+)[:,]", run("dpkg", "-S", f"*/{library}").stdout, re.MULTILINE)
            self.assertTrue(set(found) & {*listed, "libc6", "libstdc++6", "libgcc-s1"},
                            f"{library} is in {found}, which the image does not have")

    def test_what_the_build_needs_is_not_left_outside(self):
        allowed = re.findall(r"^!(\S+)", (DEPLOY / "Dockerfile.dockerignore").read_text(), re.MULTILINE)
        for name in allowed:
            self.assertTrue((ROOT / name).exists(), name)
        for used in re.findall(r"(?:add_subdirectory|include)\((\w+)", (ROOT / "CMakeLists.txt").read_text()):
            if (ROOT / used).is_dir():
                self.assertIn(used, allowed)


if __name__ == "__main__":
    unittest.main()
