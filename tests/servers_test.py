#!/usr/bin/python3
"""The servers that tests start: they come, die, come back with their data, and leave nothing behind."""
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
import unittest

import pymysql

import servers
from server_process import can_connect

HERE = pathlib.Path(__file__).resolve().parent


def processes_that_mention(words):
    """Running processes with one of the words in their command line or environment."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
            said = (entry / "cmdline").read_bytes() + (entry / "environ").read_bytes()
        except OSError:
            continue
        if state not in "ZX" and int(entry.name) != os.getpid():
            found += [entry.name for word in words if word.encode() in said]
    return found


def within(seconds, question):
    deadline = time.monotonic() + seconds
    while not question():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


class RedisTest(unittest.TestCase):
    def test_what_was_written_is_there_after_a_kill(self):
        with servers.Redis() as redis:
            redis("SET", "a", "1")
            redis.restart()
            self.assertEqual(redis("GET", "a"), b"1")

    def test_a_paused_one_answers_nobody_and_goes_on_later(self):
        with servers.Redis() as redis:
            redis.pause()
            with self.assertRaises(OSError):
                with redis.line(timeout_s=0.3) as line:
                    line("PING")
            redis.resume()
            self.assertEqual(redis("PING"), b"PONG")

    def test_goes_back_to_a_snapshot(self):
        with servers.Redis() as redis:
            redis("SET", "a", "1")
            copy = redis.snapshot()
            redis("SET", "a", "2")
            redis.restore(copy)
            self.assertEqual(redis("GET", "a"), b"1")

    def test_wants_its_password(self):
        with servers.Redis(password="secret") as redis:
            self.assertEqual(redis("PING"), b"PONG")
            with self.assertRaises(servers.RedisError):
                with servers.RedisLine(redis.address) as line:
                    line("GET", "a")

    def test_one_that_cannot_start_says_why(self):
        with self.assertRaises(servers.ServerFailed) as failed:
            servers.Redis(more=["--no-such-option", "1"]).start()
        self.assertIn("no-such-option", str(failed.exception))


class RedisClusterTest(unittest.TestCase):
    def test_serves_every_slot_and_fails_over(self):
        with servers.RedisCluster(masters=3, replicas=1) as cluster:
            self.assertEqual(cluster.count_of("master"), 3)
            self.assertEqual(cluster.count_of("slave"), 3)
            dead = cluster.master_of("{a}b")
            # WAIT counts the replicas that have what this connection wrote. Asked over another one, it says
            # nothing about the value.
            with dead.line() as line:
                line("SET", "{a}b", "1")
                self.assertTrue(within(60, lambda: line("WAIT", 1, 1000) == 1), "no replica has it")
            dead.kill()
            self.assertTrue(within(60, lambda: cluster.count_of("master") == 3), "no failover")
            self.assertTrue(within(60, lambda: cluster.master_of("{a}b") is not dead))
            self.assertTrue(within(60, lambda: self.value(cluster) == b"1"), f"got {self.value(cluster)!r}")
            dead.start()
            cluster.wait_ready()
            self.assertEqual(cluster.count_of("slave"), 3)

    @staticmethod
    def value(cluster):
        try:
            return cluster.master_of("{a}b")("GET", "{a}b")
        except (servers.RedisError, OSError) as error:
            return error  # CLUSTERDOWN for a moment, or the node asked still names the dead master


class SqlTest(unittest.TestCase):
    def test_what_was_committed_is_there_after_a_kill(self):
        with servers.MariaDb() as maria:
            maria.ask("CREATE DATABASE d")
            maria.ask("CREATE TABLE t (a INT PRIMARY KEY)", database="d")
            maria.ask("INSERT INTO t VALUES (7)", database="d")
            maria.restart()
            self.assertEqual(maria.ask("SELECT a FROM t", database="d"), ((7,),))

    def test_asks_for_the_password(self):
        with servers.MariaDb() as maria:
            rows = maria.ask("SELECT user, host FROM mysql.global_priv WHERE user <> 'mariadb.sys'")
            self.assertEqual(set(rows), {("root", "localhost"), ("root", "%")})
            with self.assertRaises(pymysql.MySQLError):
                pymysql.connect(host="127.0.0.1", port=maria.port, user="root")

    def test_galera_nodes_are_one_database_and_one_may_die(self):
        with servers.Galera(nodes=3) as galera:
            first, second, third = galera.nodes
            first.ask("CREATE DATABASE d")
            first.ask("CREATE TABLE t (a INT PRIMARY KEY)", database="d")
            # MariaDB 10.11 drops a table it was killed while creating, also when the state it is
            # sent on its return has it. So not in the middle of that.
            self.assertTrue(within(60, lambda: self.rows(third) == ()))
            third.kill()
            self.assertTrue(within(60, lambda: galera.size() == 2), "it was not noticed")
            second.ask("INSERT INTO t VALUES (7)", database="d")
            third.start()
            galera.wait_ready()
            self.assertTrue(within(60, lambda: self.rows(third) == ((7,),)), "it missed something")

    @staticmethod
    def rows(node):
        try:
            return node.ask("SELECT a FROM t", database="d")
        except pymysql.MySQLError:
            return None  # it has not caught up yet


class RabbitMqTest(unittest.TestCase):
    def test_dies_and_comes_back(self):
        with servers.RabbitMq() as rabbit:
            rabbit.restart()
            self.assertTrue(rabbit.is_ready())
            self.assertTrue(rabbit.stop())
            place, port = str(rabbit.place), rabbit.names.port
        self.assertEqual(processes_that_mention([place, f"-port\0{port}"]), [])


class Ports(unittest.TestCase):
    def test_no_two_processes_get_one(self):
        """Also before anything listens, and when what listened is dead."""
        child = "import server_process as s, sys; print(s.claim(int(sys.argv[1])))"

        def asked_by_another(port):
            return subprocess.run([sys.executable, "-c", child, str(port)], cwd=HERE, text=True,
                                  capture_output=True, check=True).stdout.strip()
        with servers.Redis() as redis:
            redis.kill()
            self.assertEqual(asked_by_another(redis.port), "False")
        first = servers.free_port(3)
        for port in (first, first + 1, first + 2):
            self.assertEqual(asked_by_another(port), "False")
            self.assertFalse(can_connect(("127.0.0.1", port)))

    def test_the_kernel_gives_none_of_them_to_a_connection(self):
        low, high = map(int, pathlib.Path(
            "/proc/sys/net/ipv4/ip_local_port_range").read_text().split())
        self.assertFalse([p for _ in range(50) if low <= (p := servers.free_port()) <= high])


def title_of(pid):
    """The process's command line; empty when it has ended."""
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


class NothingIsLeft(unittest.TestCase):
    SCRIPT = ("import servers, sys, time\n"
              "redis = servers.Redis().start()\n"
              "print(redis.place, redis.process.pid, flush=True)\n"
              "{then}\n")

    def begin(self, then):
        child = subprocess.Popen([sys.executable, "-c", self.SCRIPT.format(then=then)], cwd=HERE,
                                 stdout=subprocess.PIPE, text=True)
        self.addCleanup(child.stdout.close)
        place, pid = child.stdout.readline().split()
        return child, place, pid

    def assert_gone(self, place, pid):
        self.assertTrue(within(60, lambda: not processes_that_mention([place])), "still running")
        self.assertTrue(within(60, lambda: not os.path.exists(place)), "its directory is left")
        # Redis gives itself another title, which does not mention the place.
        self.assertTrue(within(60, lambda: not title_of(pid)), f"{pid} still runs")

    def test_when_the_python_process_ends(self):
        child, place, pid = self.begin("")
        child.wait(30)
        self.assert_gone(place, pid)

    def test_when_it_is_killed(self):
        child, place, pid = self.begin("time.sleep(60)")
        child.kill()
        child.wait(30)
        self.assert_gone(place, pid)

    def test_when_the_thread_that_started_it_ends_it_goes_on(self):
        made = []
        with servers.Redis() as redis:
            redis.kill()
            thread = threading.Thread(target=lambda: made.append(redis.start()))
            thread.start()
            thread.join()
            time.sleep(0.2)
            self.assertTrue(redis.running())


class RunTest(unittest.TestCase):
    def run_with_redis(self, *command):
        return subprocess.run([HERE / "servers.py", "run", "--redis", "--", *command], text=True,
                              capture_output=True, timeout=60, check=False)

    def test_the_command_knows_where_they_are_and_its_code_is_ours(self):
        done = self.run_with_redis("sh", "-c", "echo $FLOODGATE_TEST_REDIS; exit 3")
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stdout, r"^127\.0\.0\.1:\d+\n$")

    def test_a_server_that_died_meanwhile_is_a_failure(self):
        done = self.run_with_redis(
            "sh", "-c", "redis-cli -p ${FLOODGATE_TEST_REDIS#*:} shutdown nosave now force; true")
        self.assertEqual(done.returncode, 1)
        self.assertIn("redis died during the run", done.stderr)

    def test_a_signal_reaches_the_command(self):
        child = subprocess.Popen([HERE / "servers.py", "run", "--redis", "--", "sh", "-c",
                                  "echo $$ $FLOODGATE_TEST_REDIS; exec sleep 60"],
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(child.stdout.close)
        port = child.stdout.readline().split(":")[1].strip()
        child.send_signal(signal.SIGTERM)
        self.assertEqual(child.wait(30), 128 + signal.SIGTERM)
        self.assertFalse(can_connect(("127.0.0.1", int(port))))


if __name__ == "__main__":
    unittest.main()
