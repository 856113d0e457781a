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

from harness import (CLUSTERED, UNLIMITED, Attempt, Crowd, Server, ServerFailed, check, fixture,
                     held_in, orders_in)

CONNECTIONS = 200
# More clicks than can be answered: the rush must not end before the kill. A cluster answers fewer.
BUYERS_A_CYCLE, CLICKS_A_SECOND = (4000, 20000) if CLUSTERED else (8000, 45000)
CHECK_EVERY = 4  # cycles


class Record:
    """Everything the clients were told, and what was never answered.

    A wish is one attempt, or all attempts of a buyer with the same Idempotency-Key: it may become
    one order at most.
    """

    def __init__(self, limit):
        self.limit = limit
        self.wished = {}            # wish -> units
        self.wished_at = {}         # wish -> when it was first sent
        self.unknown = set()        # wishes without an answer: they may have become orders
        self.granted = {}           # wish -> order number
        self.acknowledged = {}      # order number -> (sale, buyer, quantity)
        self.named = {}             # order number -> buyer: refused because of it
        self.sold_out_at = None     # somebody has heard it by then
        self.breaches = []          # what already the answers contradict

    def note(self, attempts):
        for a in attempts:
            if a.fate == "unsent":
                continue
            wish = (a.buyer, a.key or len(self.wished))
            self.wished[wish] = a.quantity or 1
            self.wished_at[wish] = min(a.sent_at, self.wished_at.get(wish, a.sent_at))
            if a.fate == "unanswered":
                if wish not in self.granted:
                    self.unknown.add(wish)
                continue
            if a.code == "undecided":  # Redis did not answer in time: it may be done
                if wish not in self.granted:
                    self.unknown.add(wish)
                continue
            if a.code == "busy" and CLUSTERED:  # nothing was promised; what came before is as it was
                continue
            if a.accepted:
                self.note_acknowledged(a, wish)
            else:
                self.note_refused(a, wish)
            self.unknown.discard(wish)

    def note_acknowledged(self, a, wish):
        known = self.granted.setdefault(wish, a.order_no)
        if known != a.order_no:
            self.breaches.append(f"one key, two orders: {known} and {a}")
        told = (a.sale, a.buyer, a.quantity or 1)
        if self.acknowledged.get(a.order_no, told) != told or (
                not a.key and a.order_no in self.acknowledged):
            self.breaches.append(f"order number {a.order_no} was given twice: {a}")
        self.acknowledged[a.order_no] = told

    def note_refused(self, a, wish):
        if wish in self.granted:
            self.breaches.append(f"refused, though the key has order {self.granted[wish]}: {a}")
        if a.code == "already_ordered":
            if a.order_no:
                self.named[a.order_no] = a.buyer
        elif a.code == "sold_out":
            if (a.quantity or 1) == 1:
                self.sold_out_at = min(self.sold_out_at or a.answered_at, a.answered_at)
        else:
            self.breaches.append(f"an answer that has no place here: {a} {a.body}")

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
        for wish, no in self.granted.items():
            if self.sold_out_at is not None and self.wished_at[wish] > self.sold_out_at:
                wrong.append(f"sold out was said, and then one was sold: order {no}")
        asked, open_wishes = collections.Counter(), collections.Counter()
        for (buyer, _), quantity in self.wished.items():
            asked[buyer] += quantity
        open_wishes.update(buyer for buyer, _ in self.unknown)
        units, surplus = collections.Counter(), collections.Counter()
        for no, (_, buyer, quantity, _) in orders.items():
            units[buyer] += quantity
            surplus[buyer] += no not in self.acknowledged
        for buyer, n in units.items():
            if n > self.limit:
                wrong.append(f"buyer {buyer} has {n} units, the limit is {self.limit}")
            if n > asked[buyer]:
                wrong.append(f"buyer {buyer} has {n} units and asked for {asked[buyer]}")
            if surplus[buyer] > open_wishes[buyer]:
                wrong.append(f"buyer {buyer} has {surplus[buyer]} orders nobody told them of, but "
                             f"only {open_wishes[buyer]} attempts without an answer")
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
        buyers, wish = cycles * BUYERS_A_CYCLE, (limit + 1) // 2  # units in a usual wish
        self.shop = fixture(pathlib.Path(place) / "data", buyers, buyers * wish * 3 // 4,
                            limit=limit)
        self.server = Server(self.shop.data,
                             config=f"{UNLIMITED}[journal]\nsegment_mib = {segment_mib}\n"
                                    f"[edge]\nloops = {loops}\n",
                             environment=environment)
        self.record = Record(limit)
        self.keys, self.unanswered = 0, []
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
        self.unanswered = [(a.buyer, a.quantity, a.key) for a in made
                           if a.key and a.fate == "unanswered"]
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
            out += [self.wish_of(self.arrived)] * self.chance.choice((1, 1, 1, 2))
            if self.chance.random() < 0.2:
                out.append(self.wish_of(self.chance.randint(1, self.arrived)))
        retried, self.unanswered = self.unanswered, []
        return [Attempt(self.shop, b, quantity=q, key=key) for b, q, key in retried + out]

    def wish_of(self, buyer):
        """Where a buyer may have several, their clients use keys and try again what died."""
        if self.record.limit == 1:
            return buyer, None, None
        self.keys += 1
        return buyer, self.chance.randint(1, self.record.limit), f"wish-{self.keys}"

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
        crowd = Crowd(self.server.address, CONNECTIONS)
        self.record.note(crowd.rush(self.buyers(1000)))  # the last retries among them
        passes, deadline = self.record.limit, time.monotonic() + 900
        while self.record.sold_out_at is None and passes > 0 and time.monotonic() < deadline:
            made = crowd.rush((Attempt(self.shop, b) for b in self.newest_first()), within_s=900)
            self.record.note(made)
            # Buyers who were told to come again do so, and that pass does not count.
            passes -= all(a.code not in ("busy", "undecided") for a in made)
        self.note_segments()
        # In a cluster a rush of this size is not entered within clerk.drain_ms.
        wrong = self.wait_until_entered() if CLUSTERED else []
        code = self.server.stop()
        wrong += [f"the server exited with {code}"] if code != 0 else []
        wrong += check(self.shop.data)
        orders = orders_in(self.shop.data)
        self.say(f"sold out: {len(orders)} orders, {len(self.record.acknowledged)} acknowledged, "
                 f"{len(self.record.unknown)} wishes unanswered, "
                 f"{len(self.segments)} segments, {self.trimmed} of them trimmed, "
                 f"{self.starts_killed} starts killed")
        if self.record.sold_out_at is None:
            wrong.append("nobody was told that it is sold out")
        return wrong + self.record.judge(
            orders, held_in(self.shop.data, self.shop.sales[0]), self.shop.stock)

    def wait_until_entered(self, within_s=900):
        """The sentence that says that they were not; empty when all were."""
        deadline = time.monotonic() + within_s
        while not self.server.has_entered_all():
            if time.monotonic() > deadline:
                return [f"not every promise was entered within {within_s} s"]
            time.sleep(0.1)
        return []

    def newest_first(self):
        """Everybody, those who have not tried yet before the others."""
        return range(len(self.shop.tokens), 0, -1)


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
