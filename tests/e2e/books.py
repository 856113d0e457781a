"""The ledger and what else belongs to a data directory, in either mode.

FLOODGATE_MODE=clustered runs the tests against a node over Redis and MariaDB instead of one with
files: every data directory then stands for a database and a cluster name of its own, on servers
that are started once for the test process, or were started before (FLOODGATE_TEST_REDIS,
FLOODGATE_TEST_MARIADB: tests/servers.py).
"""
import atexit
import dataclasses
import functools
import hashlib
import json
import os
import pathlib
import sqlite3
import sys
import unittest

CLUSTERED = os.environ.get("FLOODGATE_MODE", "embedded") == "clustered"
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))


def embedded_only(why):
    """For a test, or a class of them, about something that only the embedded mode has."""
    return unittest.skipIf(CLUSTERED, f"embedded only: {why}")


def clustered_only(why="it is about several nodes"):
    return unittest.skipUnless(CLUSTERED, f"clustered only: {why}")


# The servers of a clustered run.

@dataclasses.dataclass
class Stores:
    """What a cluster stands on. Classes of tests/servers.py; `rabbit` is its queue if there is one."""
    redis: object
    maria: object
    rabbit: object = None
    lease_ms: int = 2000
    more: str = ""  # further lines of [cluster]

    def configure(self, name, config="", node=1):
        """A node's configuration: the test's own, and where the stores are."""
        def listed(server):
            return json.dumps(getattr(server, "addresses", None) or [server.at])
        clustered = "true" if hasattr(self.redis, "nodes") else "false"
        return (f'mode = "clustered"\nnode = {node}\n{config}\n'
                f'[cluster]\nname = "{name}"\nlease_ms = {self.lease_ms}\n'
                f'queue = "{"rabbitmq" if self.rabbit else "streams"}"\n{self.more}'
                f"[redis]\naddresses = {listed(self.redis)}\ncluster = {clustered}\n"
                f"[mariadb]\naddresses = {listed(self.maria)}\n"
                f'user = "root"\npassword = "floodgate"\ndatabase = "{name}"\n'
                + (f"[rabbitmq]\naddresses = {listed(self.rabbit)}\n" if self.rabbit else ""))


@functools.lru_cache(maxsize=None)
def shared_stores():
    """One Redis and one MariaDB for all tests of this process."""
    import servers  # pylint: disable=import-outside-toplevel  # needs packages of scripts/setup
    redis, maria = servers.Redis(), servers.MariaDb()
    known = {redis: os.environ.get("FLOODGATE_TEST_REDIS"),
             maria: os.environ.get("FLOODGATE_TEST_MARIADB")}
    for server, at in known.items():
        if at:
            server.port = int(at.rpartition(":")[2])
        else:
            server.launch()
            atexit.register(server.discard)
    for server in known:
        server.wait_ready()
    # A machine that is busy with other things is not what is tested.
    return Stores(redis, maria, more="answer_within_ms = 20000\n")


_own = {}  # data directory -> Stores of its own


def assign(data, stores):
    """From now on this data directory stands for a cluster on these stores."""
    _own[pathlib.Path(data)] = stores


def stores_of(data):
    """None: it is a directory with files."""
    return _own.get(pathlib.Path(data)) or (shared_stores() if CLUSTERED else None)


def name_of(data):
    """What the database and the cluster of a data directory are called."""
    return "e2e_" + hashlib.sha256(str(pathlib.Path(data).resolve()).encode()).hexdigest()[:16]


def configure(data, config="", node=1):
    """The configuration of a server on this data directory."""
    stores = stores_of(data)
    return stores.configure(name_of(data), config, node) if stores else config


def contents(data):
    """(name, bytes) of everything that is kept: files, tables, and keys in Redis."""
    for file in filter(pathlib.Path.is_file, pathlib.Path(data).rglob("*")):
        yield file.name, file.read_bytes()
    if not stores_of(data):
        return
    book = MariaBook(data)
    for table, in book.execute("SHOW TABLES").fetchall():
        yield table, repr(book.execute(f"SELECT * FROM `{table}`").fetchall()).encode()
    book.close()
    redis = stores_of(data).redis
    read = {b"string": ("GET",), b"hash": ("HGETALL",), b"set": ("SMEMBERS",), b"list": ("LRANGE", 0, -1),
            b"zset": ("ZRANGE", 0, -1), b"stream": ("XRANGE", "-", "+")}
    with redis.line() as line:
        for key in line("KEYS", f"{name_of(data)}*"):
            kind = line("TYPE", key)
            if kind == b"none":
                continue  # it has expired meanwhile
            command, *rest = read[kind]
            yield key.decode(errors="replace"), key + b" " + repr(line(command, key, *rest)).encode()


def forget(data):
    """Drops what a data directory stood for."""
    if _own.pop(pathlib.Path(data), None) is None and CLUSTERED:
        shared_stores().maria.ask(f"DROP DATABASE IF EXISTS {name_of(data)}")


# The ledger.

class MariaBook:
    """A connection to MariaDB that is asked like one to SQLite."""

    def __init__(self, data):
        self.connection = stores_of(data).maria.connect(name_of(data))
        self.connection.autocommit(False)

    def execute(self, sql, values=()):
        cursor = self.connection.cursor()
        if values:
            sql = sql.replace("%", "%%").replace("?", "%s")
        cursor.execute(sql, tuple(values) or None)
        return cursor

    def executemany(self, sql, rows):
        """INSERT ... VALUES (...), many rows in one statement."""
        begin, values = sql.replace("?", "%s").split(" VALUES ")
        cursor, rows = self.connection.cursor(), list(rows)
        for at in range(0, len(rows), 1000):
            cursor.execute(f"{begin} VALUES " + ", ".join(cursor.mogrify(values, row)
                                                         for row in rows[at:at + 1000]))
        return cursor

    def commit(self):
        self.connection.commit()

    def close(self):
        if self.connection.open:
            self.connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.commit()


def ledger(data):
    """The ledger, to be asked, not written."""
    if stores_of(data):
        return MariaBook(data)
    return sqlite3.connect(f"file:{pathlib.Path(data) / 'ledger.db'}?mode=ro", uri=True, timeout=60)


def points_book(data):
    """The accounts of points, to be asked, not written."""
    if stores_of(data):
        return MariaBook(data)
    return sqlite3.connect(f"file:{pathlib.Path(data) / 'points.db'}?mode=ro", uri=True, timeout=60)


def open_book(data):
    """The ledger, to be changed behind the server's back. commit() and close() it."""
    if stores_of(data):
        return MariaBook(data)
    return sqlite3.connect(pathlib.Path(data) / "ledger.db", timeout=60)


def lock_ledger(data):
    """Holds the ledger's write lock until close(): nothing gets into it meanwhile."""
    if stores_of(data):
        holder = MariaBook(data)
        tables = holder.execute("SHOW TABLES").fetchall()
        holder.execute("LOCK TABLES " + ", ".join(f"`{name}` READ" for name, in tables))
        return holder
    holder = sqlite3.connect(pathlib.Path(data) / "ledger.db", isolation_level=None, timeout=60)
    holder.execute("BEGIN IMMEDIATE")
    return holder


def poison(data, condition, rejected=True):
    """From now on the ledger takes no order for which the condition on NEW holds: as its own rules
    would refuse a bad record, or with an error of the store, which may pass."""
    if stores_of(data):
        how = ("SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'poison'" if rejected else
               "SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = 1030, MESSAGE_TEXT = 'poison'")
        text = (f"CREATE TRIGGER poison BEFORE INSERT ON orders FOR EACH ROW "
                f"IF {condition} THEN {how}; END IF")
    else:
        how = "RAISE(ABORT, 'poison')" if rejected else "abs(-9223372036854775807 - 1)"
        text = (f"CREATE TRIGGER poison BEFORE INSERT ON orders WHEN {condition} "
                f"BEGIN SELECT {how}; END")
    change(data, text)


def cure(data):
    change(data, "DROP TRIGGER poison")


def change(data, sql, *values):
    """One statement behind the server's back; how many rows it changed."""
    book = open_book(data)
    try:
        rows = book.execute(sql, values).rowcount
        book.commit()
        return rows
    finally:
        book.close()
