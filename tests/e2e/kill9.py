#!/usr/bin/python3
"""A crowd buys while the server is killed at random moments and started again.

    tests/e2e/kill9.py [--cycles N] [--seed S] [--limit L] [--segment-mib M] [--loops K]

The clients keep everything they were ever told. In the end the ledger must bear out all of it, and
the sale must have sold out exactly. Exit code 0, or 1 with what is wrong; then the data directory
is kept. The same seed gives the same plan, though never the same moment to the microsecond.
"""
import argparse
import collections
import pathlib
import random
import shutil
import sys
import tempfile
import time

from harness import (UNLIMITED, Attempt, Crowd, Server, ServerFailed, check, fixture, held_in,
                     orders_in)

CONNECTIONS = 200
UNITS_A_CYCLE = 6000
CLICKS_A_SECOND = 30000  # more than can be answered: the rush must not end before the kill
CHECK_EVERY = 4  # cycles


class Record:
    """Everything the clients were told, and what was never answered."""

    def __init__(self, limit):
        self.limit = limit
        self.attempted = collections.Counter()   # buyer -> units they may have got: all they sent
        self.unanswered = collections.Counter()  # buyer -> attempts that died on the way
        self.acknowledged = {}                   # order number -> (sale, buyer, quantity)
        self.named = {}                          # order number -> buyer: refused because of it
        self.sold_out_at = None                  # somebody has heard it by then
        self.breaches = []                       # what already the answers contradict

    def note(self, attempts):
        for a in attempts:
            if a.fate == "unsent":
                continue
            self.attempted[a.buyer] += a.quantity or 1
            if a.fate == "unanswered":
                self.unanswered[a.buyer] += 1
            elif a.accepted:
                self.note_acknowledged(a)
            elif a.code == "already_ordered":
                if a.order_no:
                    self.named[a.order_no] = a.buyer
            elif a.code == "sold_out":
                if (a.quantity or 1) == 1:
                    self.sold_out_at = min(self.sold_out_at or a.answered_at, a.answered_at)
            else:
                self.breaches.append(f"an answer that has no place here: {a} {a.body}")

    def note_acknowledged(self, a):
        if a.order_no in self.acknowledged:
            self.breaches.append(f"order number {a.order_no} was given twice: {a}")
        if self.sold_out_at is not None and a.sent_at > self.sold_out_at:
            self.breaches.append(f"sold out was said, and then one was sold: {a}")
        self.acknowledged[a.order_no] = (a.sale, a.buyer, a.quantity or 1)

    def judge(self, orders, held, stock=None):
        """What is wrong with a ledger, given what was told. `stock`: it must be sold out."""
        wrong = list(self.breaches)
        for no, told in self.acknowledged.items():
            if no not in orders:
                wrong.append(f"order {no} was acknowledged and is lost: {told}")
            elif orders[no] != (*told, "unpaid"):
                wrong.append(f"order {no} was acknowledged as {told} and is {orders[no]}")
        for no, buyer in self.named.items():
            if no not in orders or orders[no][1] != buyer:
                wrong.append(f"buyer {buyer} was refused for order {no}, which is not theirs")
        units, surplus = collections.Counter(), collections.Counter()
        for no, (_, buyer, quantity, _) in orders.items():
            units[buyer] += quantity
            surplus[buyer] += no not in self.acknowledged
        for buyer, n in units.items():
            if n > self.limit:
                wrong.append(f"buyer {buyer} has {n} units, the limit is {self.limit}")
            if n > self.attempted[buyer]:
                wrong.append(f"buyer {buyer} has {n} units and asked for {self.attempted[buyer]}")
            if surplus[buyer] > self.unanswered[buyer]:
                wrong.append(f"buyer {buyer} has {surplus[buyer]} orders nobody told them of, but "
                             f"only {self.unanswered[buyer]} attempts without an answer")
        if held != sum(units.values()):
            wrong.append(f"the sale holds {held} units, its orders {sum(units.values())}")
        if stock is not None and held != stock:
            wrong.append(f"{held} units of {stock} are sold")
        return wrong


class Siege:
    """One sale, one server, many deaths."""

    def __init__(self, place, cycles, seed, limit=1, segment_mib=1, loops=0, say=print,
                 environment=None):
        self.chance, self.cycles, self.say = random.Random(seed), cycles, say
        stock = cycles * UNITS_A_CYCLE
        self.shop = fixture(pathlib.Path(place) / "data", stock * 13 // 10, stock, limit=limit)
        self.server = Server(self.shop.data,
                             config=f"{UNLIMITED}[journal]\nsegment_mib = {segment_mib}\n"
                                    f"[edge]\nloops = {loops}\n",
                             environment=environment)
        self.record = Record(limit)
        self.arrived = 0  # buyers who have tried, in the order of their ids
        self.segments, self.trimmed, self.starts_killed = set(), 0, 0

    def run(self):
        """The sentences that say what is wrong; empty when all is well."""
        try:
            for cycle in range(1, self.cycles + 1):
                self.say(self.go_through(cycle))
                if cycle % CHECK_EVERY == 0 or cycle == self.cycles:
                    wrong = check(self.shop.data)
                    if wrong:
                        return [f"after the kill of cycle {cycle}: {w}" for w in wrong]
            return self.sell_out()
        except ServerFailed as failed:
            return [f"the server did not start again: {failed}"]
        finally:
            self.server.discard()

    def go_through(self, cycle):
        began = time.monotonic()
        self.die_while_starting()
        self.server.start()
        how, after_s = self.chance.choice((
            ("early", self.chance.uniform(0.005, 0.05)), ("rush", self.chance.uniform(0.05, 0.8)),
            ("rush", self.chance.uniform(0.05, 0.8)), ("clerk", self.chance.uniform(0, 0.1)),
            ("stopping", self.chance.uniform(0, 0.05))))
        made = self.rush_and_kill(how, after_s)
        self.record.note(made)
        fates = collections.Counter(a.code or a.fate for a in made)
        self.note_segments()
        return (f"cycle {cycle}: {how} {after_s * 1000:.0f} ms, {dict(fates)}, "
                f"{len(self.record.acknowledged)} acknowledged, {len(self.segments)} segments, "
                f"{time.monotonic() - began:.1f} s")

    def rush_and_kill(self, how, after_s):
        crowd = Crowd(self.server.address, CONNECTIONS)
        if how in ("early", "rush"):
            deaths = []
            made = crowd.rush(self.buyers(int(after_s * CLICKS_A_SECOND) + 500),
                              at_start=lambda: deaths.append(self.server.kill_after(after_s)))
            deaths[0].join()
            return made
        made = crowd.rush(self.buyers(3000))  # the clerk is behind when they are done
        if how == "stopping":
            self.server.process.terminate()
        time.sleep(after_s)
        self.server.kill()
        return made

    def buyers(self, count):
        """New ones, doubled clicks, and ones who have tried before."""
        out = []
        while len(out) < count:
            self.arrived = min(self.arrived + 1, len(self.shop.tokens))
            out += [self.attempt(self.arrived)] * self.chance.choice((1, 1, 1, 2))
            if self.chance.random() < 0.2:
                out.append(self.attempt(self.chance.randint(1, self.arrived)))
        return [Attempt(self.shop, b, quantity=q) for b, q in out]

    def attempt(self, buyer):
        most = self.record.limit
        return buyer, None if most == 1 else self.chance.randint(1, most)

    def die_while_starting(self):
        """Now and then: killed while it recovers, once or twice."""
        while self.chance.random() < 0.3:
            self.server.launch()
            time.sleep(self.chance.uniform(0, 0.25))
            self.server.kill()
            self.starts_killed += 1

    def note_segments(self):
        present = {f.name for f in (self.shop.data / "journal").glob("*.journal")}
        self.segments |= present
        self.trimmed = len(self.segments - present)

    def sell_out(self):
        """The sale goes on as if nothing had happened, to the last unit."""
        self.server.start()
        left = self.shop.stock - self.sold()
        crowd = Crowd(self.server.address, CONNECTIONS)
        everybody = range(1, len(self.shop.tokens) + 1)
        if self.record.limit > 1:
            self.record.note(crowd.rush(self.buyers(left // 2)))
            left = self.shop.stock - self.sold()
        self.record.note(crowd.rush(
            Attempt(self.shop, b, quantity=None) for b in self.rotated(everybody)))
        self.note_segments()
        code = self.server.stop(60)
        wrong = [f"the server exited with {code}"] if code != 0 else []
        wrong += check(self.shop.data)
        orders = orders_in(self.shop.data)
        self.say(f"sold out: {len(orders)} orders, {len(self.record.acknowledged)} acknowledged, "
                 f"{sum(self.record.unanswered.values())} attempts unanswered, "
                 f"{len(self.segments)} segments, {self.trimmed} of them trimmed, "
                 f"{self.starts_killed} starts killed")
        if self.record.sold_out_at is None:
            wrong.append("nobody was told that it is sold out")
        return wrong + self.record.judge(
            orders, held_in(self.shop.data, self.shop.sales[0]), self.shop.stock)

    def rotated(self, everybody):
        """Those who have not tried first."""
        return [*everybody[self.arrived:], *everybody[:self.arrived]]

    def sold(self):
        return held_in(self.shop.data, self.shop.sales[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cycles", type=int, default=20)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--limit", type=int, default=1, help="units a buyer may have")
    parser.add_argument("--segment-mib", type=int, default=1)
    parser.add_argument("--loops", type=int, default=0, help="event loops; 0: as many as fit")
    wanted = parser.parse_args()
    place = tempfile.mkdtemp(prefix="floodgate-kill9-")
    print(f"seed {wanted.seed}, data in {place}", flush=True)
    siege = Siege(place, wanted.cycles, wanted.seed, wanted.limit, wanted.segment_mib,
                  wanted.loops, lambda line: print(line, flush=True))
    wrong = siege.run()
    for sentence in wrong[:20]:
        print("WRONG", sentence)
    if wrong:
        print(f"{len(wrong)} things are wrong; the data are kept in {place}\n{siege.server.log()}")
        return 1
    shutil.rmtree(place)
    print("all is well")
    return 0


if __name__ == "__main__":
    sys.exit(main())
