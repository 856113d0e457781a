"""What an attacker found, and what became of it: files, journal, ledger and audit book.

One test for each finding of the security review, named after it.
"""
import os
import pathlib
import resource
import shutil
import socket
import subprocess
import unittest

import books
from books import clustered_only
from harness import (API, BINARY, SMALL_SEGMENTS, UNLIMITED, FloodgateTest, check, embedded_only, floodgate,
                     held_in, lock_ledger, request_bytes)
from managed import ManagedShop

AT_ONCE = 50     # purchases on their way on one connection
SEGMENT = 15000  # promises that certainly do not fit into one segment of 1 MiB
NOBODY = 65534


def sell(clients, shop, buyers):
    """Purchases over connections that are open already; the answers' codes."""
    codes, buyers = [], list(buyers)
    for at in range(0, len(buyers), AT_ONCE * len(clients)):
        waiting = []
        for number, client in enumerate(clients):
            begin = at + number * AT_ONCE
            batch = buyers[begin:begin + AT_ONCE]
            client.send(b"".join(request_bytes("POST", f"{API}/sales/{shop.sales[0]}/orders",
                                               shop.tokens[b - 1]) for b in batch))
            waiting.append((client, len(batch)))
        codes += [client.receive().status for client, count in waiting for _ in range(count)]
    return codes


@embedded_only("files")
class Descriptors(FloodgateTest):
    ALONE = True

    def connect_idly(self, server, count):
        """Connections that say nothing."""
        for _ in range(count):
            idle = socket.create_connection(server.address)
            self.addCleanup(idle.close)

    def use_up_descriptors(self, server):
        """From now on the server has as many files open as it may have."""
        pid = server.process.pid
        used = [int(fd) for fd in os.listdir(f"/proc/{pid}/fd")]
        limit = max(used) + 1
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (limit, limit))
        self.connect_idly(server, limit - len(used) + 10)  # what is free below, and some more

    def test_h2_the_journal_and_the_clerk_need_no_new_descriptor_in_a_rush(self):
        shop = self.fixture(users=2 * SEGMENT, stock=2 * SEGMENT)
        server = self.serve(shop.data, config=UNLIMITED + SMALL_SEGMENTS)
        self.connect_idly(server, 100)  # the longest idle, which make room
        clients = [server.client(timeout_s=60) for _ in range(8)]
        for client in clients:
            self.addCleanup(client.close)
            self.assertEqual(client.get("/healthz").status, 200)
        self.use_up_descriptors(server)
        self.assertEqual(set(sell(clients, shop, range(1, 2 * SEGMENT + 1))), {202})
        self.wait_until(lambda: held_in(shop.data, shop.sales[0]) == 2 * SEGMENT,
                        what="not everything was entered")
        self.assertTrue(server.running())
        self.assertEqual(server.stop(), 0)
        self.assert_clean(shop.data)


@embedded_only("files")
class Journal(FloodgateTest):

    def sell_and_die(self, count):
        """Promises that are only in the journal."""
        self.shop = self.fixture(users=count, stock=count)
        server = self.serve(self.shop.data, config=UNLIMITED + SMALL_SEGMENTS)
        holder = lock_ledger(self.shop.data)
        clients = [server.client(timeout_s=60) for _ in range(4)]
        self.assertEqual(set(sell(clients, self.shop, range(1, count + 1))), {202})
        server.kill()
        holder.close()
        for client in clients:
            client.close()
        return self.shop.data

    def assert_neither_starts_nor_passes(self, data, why):
        self.assertIn(why, "\n".join(check(data)))
        code, said = self.server(data).refuse_to_start()
        self.assertEqual(code, 1, said)
        self.assertIn(why, said)

    def test_m8_check_names_promises_that_are_missing_from_the_journal(self):
        data = self.sell_and_die(SEGMENT + 100)
        first, *others = sorted((data / "journal").glob("*.journal"))
        self.assertGreaterEqual(len(others), 1)
        self.assert_clean(data)
        kept = self.place / first.name
        first.rename(kept)
        self.assert_neither_starts_nor_passes(data, "promises between them are missing")
        kept.rename(first)
        self.assert_clean(data)

    def test_l17_a_journal_that_is_removed_before_the_first_entry_is_missed(self):
        data = self.sell_and_die(20)
        shutil.move(data / "journal", self.place / "kept")
        self.assertIn("is missing", "\n".join(check(data)))
        code, said = self.server(data).refuse_to_start()
        self.assertEqual(code, 1, said)
        self.assertIn("there is no journal, but the ledger had one", said)
        self.assertFalse((data / "journal").exists(), "the refusal left a directory behind")
        shutil.move(self.place / "kept", data / "journal")
        server = self.serve(data)
        self.wait_until(lambda: held_in(data, self.shop.sales[0]) == 20, what="not entered")
        self.assertEqual(server.stop(), 0)
        self.assert_clean(data)

    def test_l17_the_journal_of_another_ledger_is_refused(self):
        data = self.sell_and_die(20)
        other = self.fixture(users=1, stock=1, name="other")
        self.assertEqual(self.serve(other.data).stop(), 0)
        shutil.move(data / "journal", self.place / "kept")
        shutil.copytree(other.data / "journal", data / "journal")
        self.assert_neither_starts_nor_passes(data, "this is the journal of another ledger")

    def test_l18_a_second_server_is_refused_whatever_was_removed_from_the_directory(self):
        shop = self.fixture(users=1, stock=1)
        server = self.serve(shop.data)
        for name in ("LOCK", "ahead.spare", "urgent.spare"):
            (shop.data / "journal" / name).unlink(missing_ok=True)
        code, said = self.server(shop.data).refuse_to_start()
        self.assertEqual(code, 1, said)
        self.assertIn("is in use by another process", said)
        self.assertIn("in use by a running server", "\n".join(check(shop.data)))
        self.assertTrue(server.running())
        self.assertEqual(server.stop(), 0)


class Books(ManagedShop):

    def test_m8_check_finds_an_order_that_was_made_paid_by_hand(self):
        self.open_shop(users=2, stock=5)
        order = self.buy(1).json["order_no"]
        self.wait_until_entered()
        self.tamper("UPDATE orders SET state = 'paid' WHERE order_no = ?", int(order))
        self.assertIn(f"order {order}: is paid, but no event says so", "\n".join(
            self.manage("POST", "/reconcile", {"sale_id": self.sale})["balance"]["differences"]))
        self.assertEqual(self.server_.stop(), 0)
        found = check(self.shop.data)
        self.assertIn(f"WRONG order {order}: is paid, but no event says so", found)
        self.assertIn(f"WRONG order {order}: is paid, but there is no payment", found)
        self.tamper("UPDATE orders SET state = 'unpaid' WHERE order_no = ?", int(order))
        self.assert_clean(self.shop.data)

    @clustered_only("the line is in Redis")
    def test_m8_check_names_promises_that_are_missing_from_the_stream(self):
        self.open_shop(users=4, stock=5)
        holder = lock_ledger(self.shop.data)
        for buyer in (1, 2, 3):
            self.assertEqual(self.buy(buyer).status, 202)
        self.server_.kill()
        holder.close()
        self.assertNotIn("missing", "\n".join(check(self.shop.data)))
        redis = books.stores_of(self.shop.data).redis
        with redis.line() as line:
            key, = (k for k in line("KEYS", f"{books.name_of(self.shop.data)}*:line")
                    if line("XLEN", k) > 0)
            (first, _), *_ = line("XRANGE", key, "-", "+")
            line("XDEL", key, first)
        self.assertRegex("\n".join(check(self.shop.data)), r"WRONG partition \d+: .* are missing")

    def refuse_audit_lines(self):
        """As a full table would, or a database user without the right to insert."""
        how = ("FOR EACH ROW SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no'"
               if books.stores_of(self.shop.data) else "BEGIN SELECT RAISE(ABORT, 'no'); END")
        self.tamper(f"CREATE TRIGGER no_audit BEFORE INSERT ON audit {how}")

    def acts(self):
        """The lines of the audit, without log-ins."""
        return [l for l in self.manage("GET", "/audit")["lines"] if not l["action"].startswith("staff.")]

    def stock(self):
        return self.manage("GET", f"/sales/{self.sale}")["stock"]

    def acts(self):
        """The audit, without log-ins."""
        return [line for line in self.manage("GET", "/audit")["lines"] if line["action"] != "staff.login"]

    def test_m10_an_act_without_its_audit_line_is_not_done(self):
        self.open_shop(users=2, stock=5)
        self.refuse_audit_lines()
        answer = self.ask_admin("POST", f"/sales/{self.sale}/stock", {"delta": 7, "note": "by night"})
        self.assertGreaterEqual(answer.status, 500, answer.text)
        self.assertEqual(self.stock(), 5)
        answer = self.ask_admin("POST", "/products", {"title": "Kettle", "list_price_fen": 1})
        self.assertGreaterEqual(answer.status, 500, answer.text)
        # The brake works nevertheless. The ledger follows when it can be written with its line.
        self.assertEqual(self.manage("POST", f"/sales/{self.sale}/end", status=202)["state"], "ended")
        self.assertEqual(self.buy(1).code, "ended")
        self.assertEqual(self.acts(), [])
        self.tamper("DROP TRIGGER no_audit")
        self.wait_until(self.acts, what="no line came")
        line, = self.acts()
        self.assertEqual((line["action"], line["address"]), ("sale.ended", "127.0.0.1"))
        self.assertEqual(self.stock(), 5)
        self.stop_clean()

    def test_m10_the_largest_act_has_room_for_its_line(self):
        """Before and after, each newline two bytes: more than MariaDB keeps in the column."""
        self.open_shop(users=1, stock=5)
        large = {"title": "x" * 200, "description": "\n" * 20_000, "list_price_fen": 1,
                 "pictures": ["/" + "p" * 499] * 20}
        product = self.manage("POST", "/products", large, status=201)["id"]
        changed = {"title": "y" * 200, "description": "\t" * 20_000, "list_price_fen": 2,
                   "pictures": ["/" + "q" * 499] * 20}
        self.assertEqual(self.manage("PUT", f"/products/{product}", changed)["description"], "\t" * 20_000)
        line = self.manage("GET", "/audit")["lines"][0]
        self.assertEqual((line["action"], line["details"]["before"]["pictures"]),
                         ("product.changed", large["pictures"]))
        self.assertEqual(line["details"]["after"]["description"]["bytes"], 20_000)
        self.stop_clean()

    def test_m10_a_line_that_was_removed_is_found(self):
        self.open_shop(users=1, stock=5)
        self.manage("POST", f"/sales/{self.sale}/stock", {"delta": 7, "note": "by day"})
        self.stop_clean()
        self.assertEqual(self.tamper("DELETE FROM audit WHERE action = 'stock.added'"), 1)
        self.assertRegex("\n".join(check(self.shop.data)), r"was signed in audit line \d+, which is missing")


class Files(FloodgateTest):

    def exposed(self, server):
        return [line for line in server.log().splitlines() if "engine.secret_exposed" in line]

    def test_l7_a_secret_that_all_can_read_is_named_at_start(self):
        shop = self.fixture(users=1, stock=1)
        secret = self.place / "secret"
        secret.write_text("hush-hush\n")
        config = f'[alarm]\nwebhook_secret_file = "{secret}"\n'
        secret.chmod(0o644)
        server = self.serve(shop.data, config=config)
        said, = (line for line in self.exposed(server) if str(secret) in line)
        self.assertIn("0644", said)
        self.assertNotIn("hush-hush", server.log())
        self.assertEqual(server.stop(), 0)
        secret.chmod(0o600)
        server = self.serve(shop.data, config=config)
        self.assertNotIn(str(secret), "\n".join(self.exposed(server)))
        self.assertEqual(server.stop(), 0)

    def test_l7_a_strict_configuration_refuses_it(self):
        secret = self.place / "secret"
        secret.write_text("hush-hush\n")
        secret.chmod(0o644)
        file = self.place / "strict.toml"
        file.write_text(f'[alarm]\nwebhook_secret_file = "{secret}"\n[cluster]\nstrict = true\n')
        done = floodgate("serve", "--config", file, "--data", self.place / "d", "--listen", "127.0.0.1:0")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"secret can be read by every user .*0644")
        self.assertFalse((self.place / "d").exists())

    @embedded_only("files")
    def test_l9_somebody_elses_directory_is_refused_and_left_alone(self):
        theirs = self.directory()
        (theirs / "letter.txt").write_text("dear\n")
        theirs.chmod(0o755)
        code, said = self.server(theirs).refuse_to_start()
        self.assertEqual(code, 1, said)
        self.assertIn("not a data directory", said)
        self.assertEqual(theirs.stat().st_mode & 0o777, 0o755)
        self.assertEqual([p.name for p in theirs.iterdir()], ["letter.txt"])

    @embedded_only("files")
    def test_l9_a_directory_that_merely_has_a_journal_in_it_is_not_ours(self):
        theirs = self.directory()  # as /var/log has one of systemd's
        (theirs / "journal").mkdir()
        theirs.chmod(0o755)
        code, said = self.server(theirs).refuse_to_start()
        self.assertEqual(code, 1, said)
        self.assertIn("there is a journal, but no ledger", said)
        self.assertEqual(theirs.stat().st_mode & 0o777, 0o755)
        self.assertEqual([p.name for p in theirs.iterdir()], ["journal"])

    @embedded_only("files")
    def test_l16_what_can_only_be_read_is_checked_and_nothing_else_is_said(self):
        shop = self.fixture(users=10, stock=20)
        server = self.serve(shop.data)
        with server.client() as client:
            for token in shop.tokens:
                self.assertEqual(client.buy(shop.sales[0], token).status, 202)
        server.kill()  # a log beside the ledger, promises that are not entered
        done = self.check_as_a_reader(shop.data)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertIn("cannot be written: a copy of ledger.db is checked", done.stdout)
        self.assertIn("all is well", done.stdout)
        self.make_writable(shop.data)
        books.change(shop.data, "UPDATE sales SET held = held + 1")
        done = self.check_as_a_reader(shop.data)
        self.assertEqual(done.returncode, 1)
        self.assertIn("WRONG sale", done.stdout)

    def check_as_a_reader(self, data):
        """As on a read-only file system. Root may write anywhere else, so somebody else checks."""
        self.place.chmod(0o755)
        for path in (data, *data.rglob("*")):
            path.chmod(0o555 if path.is_dir() else 0o444)
        self.addCleanup(self.make_writable, data)
        if os.geteuid() != 0:
            return floodgate("check", "--data", data)
        program = self.place / "floodgate"
        if not program.exists():
            shutil.copy(BINARY, program)
            program.chmod(0o755)
        return subprocess.run([program, "check", "--data", data], text=True, capture_output=True,
                              check=False, timeout=60, user=NOBODY, group=NOBODY, extra_groups=[],
                              env={"PATH": os.environ["PATH"], "TMPDIR": "/tmp"}, cwd="/")

    @staticmethod
    def make_writable(data):
        for path in (data, *pathlib.Path(data).rglob("*")):
            path.chmod(0o700 if path.is_dir() else 0o600)


if __name__ == "__main__":
    unittest.main()
