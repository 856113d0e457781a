"""The cast of the cluster's tests: stores, nodes, nginx in front, and buyers who do not give up."""
import collections
import fcntl
import json
import os
import random
import threading
import time

import books
import servers
from front import Front
from harness import API, PARTITIONS, ROOT, Client, FloodgateTest, check, orders_in

RESULTS = ROOT / "build/faults.json"  # how long each fault was felt; docs/operating.md quotes it
# No more than any machine has open files for.
FEW_CLIENTS = "[edge]\nconnections_max = 500\n[ws]\nconnections_max = 500\n"
UNHURRIED = ("[guard]\npurchase_by_user_per_minute = 0\npurchase_by_address_per_minute = 0\n"
             "password_mib = 8\npassword_passes = 1\n"
             "[alarm]\ndisk_min_mib = 0\ndisk_min_percent = 0\n")


class ClusterTest(FloodgateTest):
    """Stores of the test's own, so that it may do to them what it likes."""

    def stores(self, redis=None, maria=None, rabbit=None, **options):
        """Starts what is not given: (Stores)."""
        stores = books.Stores(redis or servers.Redis(), maria or servers.MariaDb(), rabbit, **options)
        for server in (stores.rabbit, stores.redis, stores.maria):
            if server is not None:
                self.addCleanup(server.discard)
        starting = [s for s in (stores.rabbit, stores.redis, stores.maria)
                    if s is not None and hasattr(s, "launch")]
        for server in starting:
            server.launch()
        if not hasattr(stores.maria, "launch"):
            stores.maria.start()
        for server in starting:
            server.wait_ready()
        return stores

    def open_shop(self, users, stock, stores=None, nodes=2, config="", base=UNHURRIED,
                  **terms):
        """A shop on these stores, its nodes (self.nodes) and nginx (self.front), all running."""
        self.stores_ = stores or self.stores()
        books.assign(self.place / "data", self.stores_)
        self.shop = self.fixture(users, stock, **terms)
        self.sale = self.shop.sales[0]
        # On ports of their own: a node that is started again must be where nginx looks for it.
        self.nodes = [self.server(self.shop.data, node=n, config=base + config,
                                  listen=f"{servers.LOOPBACK}:{servers.free_port()}")
                      for n in range(1, nodes + 1)]
        for node in self.nodes:
            node.launch()
        for node in self.nodes:
            node.wait_for_address()
        for node in self.nodes:
            node.wait_ready()
        self.front = Front([node.listen for node in self.nodes])
        self.addCleanup(self.front.discard)
        self.front.start()

    def client(self, where=None, token=None, timeout_s=60):
        """To a node, or through nginx."""
        client = Client((where or self.front).address, token, timeout_s)
        self.addCleanup(client.close)
        return client

    def holder(self, within_s=180):
        """The node that enters the promises of the sale, when there is one."""
        name = f'floodgate_partition_serving{{partition="{self.sale % PARTITIONS}"}}'
        found = []

        def look():
            found[:] = [n for n in self.nodes if n.running() and n.metric(name) == 1]
            return found
        self.wait_until(look, within_s, "nobody looks after the sale")
        return found[0]

    def line_key(self):
        """The stream of the sale's promises in Redis."""
        return f"{books.name_of(self.shop.data)}:{{{self.sale % PARTITIONS}}}:line"

    def wait_until_entered(self, count, within_s=600):
        """So many orders are in the ledger."""
        self.wait_until(lambda: len(orders_in(self.shop.data)) >= count, within_s,
                        f"there were never {count} orders")

    def stop_all(self):
        for node in self.nodes:
            if node.running():
                self.assertEqual(node.stop(), 0)
        self.assertEqual(check(self.shop.data), [])

    @staticmethod
    def report(fault, **figures):
        """For people and for the docs."""
        figures = {name: round(value, 2) if isinstance(value, float) else value
                   for name, value in figures.items()}
        print(f"\n{fault}: {figures}", flush=True)
        RESULTS.parent.mkdir(parents=True, exist_ok=True)
        with RESULTS.open("a+") as file:  # other tests may write theirs now
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            known = json.loads(file.read() or "{}")
            known[fault] = figures
            file.truncate(0)
            file.write(json.dumps(known, indent=1, sort_keys=True) + "\n")


class Buyers:
    """They come one after the other at a steady pace, from many threads, and whoever is told `busy`,
    `undecided` or nothing comes back until they hear something else. Keeps what each was told and when."""
    THREADS = 24
    COME_BACK_S = 0.2

    def __init__(self, address, shop, sale, per_second, double=0.1):
        """`double`: how many of them ask a second time after they have got one."""
        self.address, self.shop, self.sale = address, shop, sale
        self.per_second, self.double, self.chance = per_second, double, random.Random(1)
        self.waiting = collections.deque(range(1, len(shop.tokens) + 1))
        self.lock, self.stopping = threading.Lock(), threading.Event()
        self.next_at = None
        self.accepted = {}      # order number -> buyer
        self.named = {}         # order number -> buyer: refused because of it
        self.times = []         # when a purchase was accepted
        self.answers = collections.Counter()
        self.sold_out_at = None
        self.slowest_s = 0.0
        self.trouble = []
        self.threads = [threading.Thread(target=self.work, daemon=True) for _ in range(self.THREADS)]

    # Verbs.

    def start(self):
        self.next_at = time.monotonic()
        for thread in self.threads:
            thread.start()
        return self

    def wait_until_sold(self, count, within_s=300):
        deadline = time.monotonic() + within_s
        while self.sold() < count:
            if self.trouble or time.monotonic() > deadline:
                raise AssertionError(f"{self.sold()} of {count} were sold; "
                                     f"{dict(self.answers)} {self.trouble[:3]}")
            time.sleep(0.01)

    def wait_until_sold_out(self, within_s=600):
        deadline = time.monotonic() + within_s
        while self.sold_out_at is None:
            if self.trouble or time.monotonic() > deadline:
                raise AssertionError(f"not sold out: {self.sold()} sold, "
                                     f"{dict(self.answers)} {self.trouble[:3]}")
            time.sleep(0.02)

    def finish(self):
        self.stopping.set()
        for thread in self.threads:
            thread.join(120)
        if self.trouble:
            raise AssertionError(self.trouble[:3])
        return self

    # A thread.

    def work(self):
        client = None
        while not self.stopping.is_set():
            buyer = self.next_buyer()
            if buyer is None:
                break
            began = time.monotonic()
            try:
                client = client or Client(self.address, timeout_s=30)
                answer = client.buy(self.sale, self.shop.tokens[buyer - 1])
                self.note(buyer, answer, time.monotonic() - began)
            except OSError:
                client = client and client.close()
                self.come_back(buyer, "no answer")
            except Exception as e:  # pylint: disable=broad-except  # the waiting thread tells it
                self.trouble.append(repr(e))
                break
        if client:
            client.close()

    def next_buyer(self):
        """At the pace that was set."""
        with self.lock:
            if not self.waiting:
                return None
            buyer = self.waiting.popleft()
            at = self.next_at = max(self.next_at + 1 / self.per_second,
                                    time.monotonic() - 0.5)  # what was missed is not made up for
        while (pause := at - time.monotonic()) > 0 and not self.stopping.is_set():
            time.sleep(min(pause, 0.1))
        return buyer

    def note(self, buyer, answer, took_s):
        said = answer.code or str(answer.status)
        with self.lock:
            self.slowest_s = max(self.slowest_s, took_s)
        if said in ("busy", "undecided", "too_many_requests"):
            self.come_back(buyer, said)
            return
        with self.lock:
            self.answers[said] += 1
            if answer.status == 202:
                self.times.append(time.monotonic())
                number = answer.json["order_no"]
                if number in self.accepted:
                    self.trouble.append(f"order number {number} was given twice")
                self.accepted[number] = buyer
                if self.chance.random() < self.double:
                    self.waiting.appendleft(buyer)
            elif said == "already_ordered":
                self.named[answer.json["order_no"]] = buyer
            elif said == "sold_out":
                self.sold_out_at = self.sold_out_at or time.monotonic()
            else:
                self.trouble.append(f"an answer that has no place here: {answer.text}")

    def come_back(self, buyer, why):
        with self.lock:
            self.answers[why] += 1
            self.waiting.appendleft(buyer)
        self.stopping.wait(self.COME_BACK_S)

    # Questions.

    def sold(self):
        """How many orders buyers know of. One whose connection timed out hears of the order only
        when they come back and are refused because of it."""
        with self.lock:
            return len(self.accepted.keys() | self.named.keys())

    def out_s(self, since):
        """The longest time without a sale that ended after `since`."""
        longest, last = 0.0, since
        for at in sorted(self.times):
            if at > since:
                longest, last = max(longest, at - last), at
        return longest


class Watch:
    """Looks into the ledger now and then: which orders were ever there, and when new ones came."""
    EVERY_S = 0.25

    def __init__(self, data):
        self.data, self.seen, self.grew_at = data, {}, []
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.stopping.wait(self.EVERY_S):
            try:
                found = orders_in(self.data)
            except Exception:  # pylint: disable=broad-except  # the database is away; that is the test
                continue
            if len(found) > len(self.seen):
                self.grew_at.append(time.monotonic())
            self.seen.update({no: row[:3] for no, row in found.items()})

    def finish(self):
        self.stopping.set()
        self.thread.join(120)
        return self

    def late_s(self, since):
        """The longest time in which nothing was entered, that ended after `since`."""
        longest, last = 0.0, since
        for at in self.grew_at:
            if at > since:
                longest, last = max(longest, at - last), at
        return longest


def judge(orders, stock, buyers, seen, may_lose=False):
    """What is wrong with a ledger after a sale that sold out, given what its buyers were told and
    which orders (number -> sale, buyer, quantity) were ever seen in it. `may_lose`: promises that
    had not reached the ledger may be gone. A buyer whose promise was gone from Redis may have been given
    another; when the first turns up after all, the ledger refuses one of the two, which is right."""
    wrong = []
    sold = sum(row[2] for row in orders.values() if row[3] == "unpaid")
    if sold != stock:
        wrong.append(f"{sold} units of {stock} are sold")
    kept = [row for row in orders.values() if not (may_lose and row[3] == "failed")]
    for buyer, count in collections.Counter(row[1] for row in kept).items():
        if count > 1:
            wrong.append(f"buyer {buyer} has {count} orders")
    for number, row in seen.items():
        if orders.get(number, (None,))[:3] != row:
            wrong.append(f"order {number} was in the ledger as {row} and is {orders.get(number)}")
    for number, buyer in buyers.accepted.items():
        if number in orders and orders[number][1] != buyer:
            wrong.append(f"order {number} was acknowledged to buyer {buyer}: {orders[number]}")
        elif number not in orders and not may_lose:
            wrong.append(f"order {number} was acknowledged to buyer {buyer} and is lost")
    for number, buyer in buyers.named.items():
        if number in orders and orders[number][1] != buyer:
            wrong.append(f"buyer {buyer} was refused for order {number}: {orders[number]}")
        elif number not in orders and number not in buyers.accepted and not may_lose:
            wrong.append(f"buyer {buyer} was refused for order {number}, which nobody has")
    return wrong


def full_size():
    """Sizes of the issue, or a tenth of them where time is short (FLOODGATE_CROWD=0.1)."""
    return float(os.environ.get("FLOODGATE_CROWD", "1"))
