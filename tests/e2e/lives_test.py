#!/usr/bin/python3
"""Every order to its end: paid, cancelled or left, in a crowd that listens, and through kill -9."""
import collections
import random
import re
import resource
import time
import unittest

from books import change
from harness import API, Attempt, Crowd, FloodgateTest, held_in, ledger, first_admin
from orders import CANCELLED, CONFIG, PAID, TIMED_OUT, Act, ShopTest, quantile
from sockets import Audience, allow_files

BUYERS = 10_000
WAVE = 250  # those who buy at the same time; small, so that most can pay within their 5 s
CONNECTIONS = 64
WISHES = ("pay", "cancel", "leave")


def wish_of(buyer):
    return WISHES[buyer % 3]


class TenThousandLives(FloodgateTest):
    """A third pays, a third cancels, a third leaves it; 5 s each. Everybody listens."""

    def open_shop(self):
        files, before = allow_files(BUYERS + 1000)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, before)
        if files < BUYERS + 1000:
            self.skipTest(f"{files} open files are not enough for {BUYERS} sockets")
        self.shop = self.fixture(users=BUYERS, stock=BUYERS, pay_within_s=5)
        self.sale = self.shop.sales[0]
        self.server_ = self.serve(self.shop.data, config=CONFIG)
        self.admin = self.log_in_admin()
        self.audience = Audience(self.shop, range(1, BUYERS + 1))
        self.addCleanup(self.audience.close)
        self.audience.connect(self.server_.address)
        self.orders = {}   # buyer -> order number
        self.acts = {}     # buyer -> Act

    def log_in_admin(self):
        phone, password = first_admin(self.server_)
        answer = self.ask("POST", "/auth/login", body={"phone": phone, "password": password})
        return answer.json["token"]

    def ask(self, method, path, token=None, body=None):
        """Over a new connection: one that waited through the waves may have been closed as idle."""
        with self.server_.client(timeout_s=60) as client:
            return client.ask(method, f"{API}{path}", token, body)

    def live(self, die_in_wave=None):
        """Wave after wave: some buy while those before them pay or cancel."""
        acts, buyers = [], list(range(1, BUYERS + 1))
        wave = 0
        while buyers or acts:
            wave += 1
            dies = wave == die_in_wave
            buys = [Attempt(self.shop, b) for b in buyers[:WAVE]]
            crowd = Crowd(self.server_.address, CONNECTIONS)
            if dies:
                crowd = DeadlyCrowd(self.server_, CONNECTIONS, random.randint(50, WAVE))
            crowd.rush(mixed(acts, buys))
            if dies:
                self.rise_again()
            buyers = self.who_has_none(buys, dies) + buyers[WAVE:]
            acts = self.wishes([a.buyer for a in buys if a.buyer in self.orders])

    def who_has_none(self, buys, killed):
        """Those who must try again: the server died before it promised them anything."""
        for a in buys:
            if a.accepted:
                self.orders[a.buyer] = a.order_no
            elif killed and a.fate in ("unsent", "unanswered"):
                known = self.ask("GET", "/orders", a.token).json["orders"]
                if known:
                    self.orders[a.buyer] = known[0]["order_no"]
            else:
                self.fail(f"could not buy: {a} {a.body}")
        return [a.buyer for a in buys if a.buyer not in self.orders]

    def wishes(self, buyers):
        """What they do as soon as the push says that they may."""
        def told():
            return all(self.audience.last(b) not in (None, ("queued", "")) for b in buyers)
        self.audience.wait_for(told, what="not everybody heard of their order")
        acts = [Act(self.shop, b, self.orders[b], wish_of(b)) for b in buyers
                if wish_of(b) != "leave"]
        self.acts.update((a.buyer, a) for a in acts)
        return acts

    def rise_again(self):
        self.audience.wait_for(lambda: self.audience.connected() == 0, what="sockets outlived it")
        self.server_.start()
        # Before anybody listens again, so that there is something in the mailboxes.
        self.wait_until(lambda: self.server_.metric('floodgate_order_moves_total{to="closed"}'),
                        what="nothing was closed after the start")
        began = time.monotonic()
        self.audience.connect(self.server_.address)
        print(f"{len(self.audience.ears)} sockets were back in {time.monotonic() - began:.1f} s")

    # What must hold in the end.

    def endings(self, buyer):
        return self.acts[buyer].endings() if buyer in self.acts else {TIMED_OUT}

    def wait_for_the_end(self):
        ended = (PAID, CANCELLED, TIMED_OUT)
        self.audience.wait_for(
            lambda: all(self.audience.last(b) in ended for b in self.audience.ears), 600,
            "not everybody heard how their order ended")
        told = collections.Counter((a.verb, a.fate, a.status, a.code) for a in self.acts.values())
        print(dict(told))

    def assert_units_add_up(self):
        """Gate and ledger, as the server sees them while it runs."""
        paid = sum(self.audience.last(b) == PAID for b in self.audience.ears)
        expected = {"free": BUYERS - paid, "promised": 0, "unpaid": 0, "paid": paid, "refunding": 0}

        def add_up():
            text = self.server_.metrics_text()
            found = dict(re.findall(
                rf'^floodgate_sale_units{{sale="{self.sale}",where="(\w+)"}} (\d+)$', text,
                re.MULTILINE))
            self.seen = {where: int(units) for where, units in found.items()}
            return self.seen == expected
        try:
            self.wait_until(add_up)
        except AssertionError:
            self.assertEqual(self.seen, expected)
        figures = self.ask("GET", f"/admin/sales/{self.sale}", self.admin).json["figures"]
        self.assertEqual(figures["ledger"], {"stock": BUYERS, "held": paid})
        gate = {name: figures["gate"][name] for name in ("stock", "taken", "free", "buyers")}
        self.assertEqual(gate, {"stock": BUYERS, "taken": paid, "free": BUYERS - paid,
                                "buyers": paid})
        text = self.server_.metrics_text()
        self.assertRegex(text, rf'floodgate_sale_off_by{{sale="{self.sale}"}} 0\n')
        alerts = re.findall(r"^floodgate_alerts(?:_raised_total)?{.*", text, re.MULTILINE)
        self.assertGreater(len(alerts), 6)
        self.assertEqual([a for a in alerts if not a.endswith(" 0")], [])

    def assert_lives_are_told_and_booked(self):
        """After the stop: answers, what was pushed, and the ledger tell the same story."""
        self.assert_clean(self.shop.data)  # among others: each line of the stock log goes on from
        book = ledger(self.shop.data)      # the one before, and its last is what the sale holds
        self.addCleanup(book.close)
        ends = {str(no): (state, reason) for no, state, reason in
                book.execute("SELECT order_no, state, reason FROM orders")}
        self.assertEqual(set(ends), set(self.orders.values()))
        wrong = []
        for buyer, no in self.orders.items():
            if ends[no] not in self.endings(buyer):
                wrong.append(f"buyer {buyer}: {self.acts.get(buyer, 'left')}, but is {ends[no]}")
        events = collections.defaultdict(list)
        for event, no, to in book.execute("SELECT id, order_no, to_state FROM order_events"):
            events[str(no)].append((event, to))
        for no, end in ends.items():  # one event each, so each unit went back once at most
            if [to for _, to in events[no]] != [end[0]]:
                wrong.append(f"order {no} is {end} and had {events[no]}")
        for buyer, ear in self.audience.ears.items():
            no = self.orders[buyer]
            if list(ear.orders) != [no] or ear.orders[no][-1] != ends[no]:
                wrong.append(f"buyer {buyer} heard {ear.orders}, but {no} is {ends[no]}")
            elif ear.events != [event for event, _ in events[no]]:
                wrong.append(f"buyer {buyer} heard events {ear.events}, there are {events[no]}")
        self.assertEqual(wrong[:10], [], f"{len(wrong)} lives went wrong")

        counts = collections.Counter(ends.values())
        self.assertEqual(held_in(self.shop.data, self.sale), counts[PAID])
        early = book.execute("SELECT COUNT(*) FROM orders o JOIN order_events e USING (order_no) "
                             "WHERE e.reason = 'timed_out' AND e.at_ms < o.pay_by_ms").fetchone()
        self.assertEqual(early[0], 0, "orders were closed before their time")
        released = book.execute("SELECT SUM(held_before - held_after) FROM stock_log "
                                "WHERE kind = 'released'").fetchone()[0]
        self.assertEqual(released, counts[CANCELLED] + counts[TIMED_OUT])
        # Or else it was all too slow, and next to nothing has been tried.
        self.assertGreater(min(counts[PAID], counts[CANCELLED]), BUYERS // 50, counts)
        print(dict(counts))

    def assert_whoever_may_buys_again(self):
        """Started again: exactly those whose order was closed get a unit, and that is all."""
        self.server_.start()
        made = Crowd(self.server_.address, CONNECTIONS).rush(
            Attempt(self.shop, b) for b in range(1, BUYERS + 1))
        wrong = [a for a in made if (a.status, a.code) != (
            (409, "already_ordered") if self.audience.last(a.buyer) == PAID else (202, ""))]
        self.assertEqual(wrong[:10], [], f"{len(wrong)} were told something else")

    def end(self):
        self.wait_for_the_end()
        self.assert_units_add_up()
        self.metrics = self.server_.metrics_text()
        self.assertEqual(self.server_.stop(), 0)
        self.assert_lives_are_told_and_booked()
        self.assert_whoever_may_buys_again()

    def test_every_order_ends_and_everybody_is_told(self):
        self.open_shop()
        self.live()
        self.end()
        self.assertEqual([a for a in self.acts.values() if a.status not in (200, 409)], [])
        heard = collections.Counter(tuple(s for s, _ in e.orders[self.orders[b]])
                                    for b, e in self.audience.ears.items())
        self.assertLessEqual(set(heard), {("unpaid", "paid"), ("unpaid", "closed")})
        print("lateness p99 at most", quantile(self.metrics, "floodgate_deadline_late_seconds",
                                               0.99), "s")

    def test_the_same_with_kill_9_in_the_middle(self):
        self.open_shop()
        self.live(die_in_wave=BUYERS // WAVE // 2)
        self.end()
        ears = self.audience.ears.values()
        self.assertEqual({e.hellos for e in ears}, {2})
        self.assertGreater(sum(e.mailed for e in ears), 0)
        self.assertGreater(sum(a.fate == "unanswered" for a in self.acts.values()), 0)


class DeadlyCrowd(Crowd):
    """Whoever hears the so-manieth answer kills the server: the others have calls under way."""

    def __init__(self, server, connections, answers):
        super().__init__(server.address, connections)
        self.server, self.last_answer = server, answers
        print(f"killed at answer {answers} of the wave")

    def note(self, attempt, answer):
        super().note(attempt, answer)
        if self.answers == self.last_answer:
            self.server.kill()


def mixed(some, others):
    """Both, evenly spread: a crowd deals them out in this order."""
    both = [(i / max(1, len(part)), n, x) for n, part in enumerate((some, others))
            for i, x in enumerate(part)]
    return [x for _, _, x in sorted(both, key=lambda entry: entry[:2])]


class SoldOutIsNotTheEnd(ShopTest):
    """A unit that comes back is bought by whoever keeps trying; no operator has to do anything."""

    def take_over(self, leave, ending):
        audience = Audience(self.shop, [1])
        self.addCleanup(audience.close)
        audience.connect(self.server_.address)
        first = self.buy(1)
        terms = self.order(1, first)
        # Whoever is next has time: their order must not run out before the test does.
        change(self.shop.data, "UPDATE sales SET pay_within_s = ?", 900)
        self.assertEqual(self.try_to_buy(2).code, "sold_out")
        leave(first)
        answers = []

        def accepted():
            answers.append(self.try_to_buy(2))
            return answers[-1].status == 202
        self.wait_until(accepted, what="nobody could buy the unit that came back")
        at = time.monotonic()
        self.assertEqual({a.code for a in answers[:-1]} | {"sold_out"}, {"sold_out"})
        audience.wait_for(lambda: audience.last(1, first) == ending)
        took = at - audience.ears[1].heard_at
        print(f"{ending}: bought {took * 1000:.0f} ms after the push, at try {len(answers)}")
        self.assertLess(took, 30)  # the issue says 1 s; a busy machine has slack
        # The first buyer's mark is gone too: it is sold out for them, not "you have one".
        self.assertEqual(self.try_to_buy(1).code, "sold_out")
        second = answers[-1].json["order_no"]
        return terms, self.order(2, second, wait_ms=30000)

    def test_after_a_cancellation(self):
        self.open_shop()
        self.take_over(lambda no: self.assertEqual(self.call("cancel", 1, no).status, 200),
                       CANCELLED)
        self.assertEqual(self.server_.stop(), 0)
        self.assert_clean(self.shop.data)

    def test_after_a_deadline(self):
        self.open_shop(pay_within_s=5)
        first, second = self.take_over(lambda no: None, TIMED_OUT)
        self.assertGreaterEqual(second["created_at"], first["pay_by"])  # not a moment early
        self.assertEqual(self.server_.stop(), 0)
        self.assert_clean(self.shop.data)


if __name__ == "__main__":
    unittest.main()
