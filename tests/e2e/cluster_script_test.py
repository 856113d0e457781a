#!/usr/bin/python3
"""scripts/cluster as a person uses it: up, look, buy, down, and nothing is left."""
import os
import pathlib
import re
import subprocess
import unittest

from books import clustered_only
from cluster import servers
from harness import API, BINARY, ROOT, Client, FloodgateTest


@clustered_only("scripts/cluster starts a cluster")
class ScriptTest(FloodgateTest):
    def script(self, verb, *options):
        done = subprocess.run([ROOT / "scripts/cluster", verb, "--dir", self.place / "state", *options],
                              capture_output=True, text=True, timeout=900, check=False)
        return done.returncode, done.stdout + done.stderr

    def setUp(self):
        super().setUp()
        self.place.chmod(0o711)  # as root, MariaDB runs as a user of its own

    def up(self, *options):
        port = servers.free_port(4)  # for nginx and up to three nodes
        self.addCleanup(self.script, "down")
        code, said = self.script("up", "--binary", str(BINARY), "--port", str(port), *options)
        self.assertEqual(code, 0, said)
        return port, said

    def test_up_buy_down(self):
        port, said = self.up()
        for words in ("Everything is up", "已全部启动", f"http://127.0.0.1:{port}", "demo-buyer"):
            self.assertIn(words, said)
        with Client(("127.0.0.1", port)) as client:
            token = client.post(f"{API}/auth/login", {
                "phone": "13800000001", "password": "demo-buyer"}).json["token"]
            sales = [s for r in client.get(f"{API}/rounds").json["rounds"] for s in r["sales"]]
            self.assertEqual(client.buy(sales[0]["id"], token).status, 202)
        code, shown = self.script("status")
        self.assertEqual(code, 0, shown)
        pids = [int(pid) for pid in re.findall(r"pid (\d+)", shown)]
        self.assertEqual(len(pids), 5, shown)  # Redis, MariaDB, two nodes, nginx
        self.assertEqual(self.script("up", "--binary", str(BINARY))[0], 1, "it is up already")
        # What a person may look into, and a node that is started again.
        self.assertIn("PONG", self.script("shell", "redis", "PING")[1])
        self.assertIn("orders", self.script("shell", "mariadb", "SHOW", "TABLES")[1])
        self.assertIn('"rounds"', self.script("shell", "node", "2", 'curl -s "$api/rounds"')[1])
        self.assertIn("no node-9", self.script("restart", "9")[1])
        code, said = self.script("restart", "node-2")
        self.assertEqual(code, 0, said)
        code, shown = self.script("status")
        self.assertEqual(code, 0, shown)
        self.assertNotEqual(pids, [int(pid) for pid in re.findall(r"pid (\d+)", shown)])
        pids = [int(pid) for pid in re.findall(r"pid (\d+)", shown)]
        os.kill(pids[3], 9)
        code, shown = self.script("status")
        self.assertEqual(code, 1)
        self.assertIn("DEAD", shown)
        code, said = self.script("down")
        self.assertEqual(code, 0, said)
        self.assertFalse((self.place / "state").exists())
        for pid in pids:
            state = pathlib.Path(f"/proc/{pid}/stat")
            self.assertTrue(not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z")
        self.assertEqual(self.script("status")[0], 1)

    def test_everything_large(self):
        port, _ = self.up("--redis-cluster", "--galera", "--rabbitmq", "--nodes", "3")
        with Client(("127.0.0.1", port)) as client:
            self.assertEqual(client.get("/readyz").status, 200)
            token = client.post(f"{API}/auth/login", {
                "phone": "13800000001", "password": "demo-buyer"}).json["token"]
            sale = client.get(f"{API}/rounds").json["rounds"][0]["sales"][0]["id"]
            number = client.buy(sale, token).json["order_no"]
            order = client.get(f"{API}/orders/{number}?wait_ms=30000", token).json
            self.assertEqual(order["status"], "unpaid")

    def test_a_port_that_is_taken(self):
        port = servers.free_port()
        with servers.Redis(port=port):
            code, said = self.script("up", "--binary", str(BINARY), "--port", str(port))
        self.assertEqual(code, 1)
        self.assertIn(f"port {port} is taken", said)

    def test_a_node_that_does_not_start_says_why_and_nothing_is_left(self):
        self.place.chmod(0o700)
        if os.geteuid() == 0:
            code, said = self.script("up", "--binary", "/bin/false")
            self.assertEqual((code, "cannot get through" in said), (1, True), said)
        self.place.chmod(0o711)
        code, said = self.script("up", "--binary", "/bin/false", "--port", str(servers.free_port(3)))
        self.assertEqual(code, 1)
        self.assertIn("node-1 ended with 1", said)
        self.assertEqual(self.script("status")[0], 1)


if __name__ == "__main__":
    unittest.main()
