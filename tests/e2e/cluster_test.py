#!/usr/bin/python3
"""Two nodes are one shop: what one knows, the other knows, and together they sell what there is."""
import collections
import dataclasses
import time
import unittest

from books import assign, clustered_only, forget
from cluster import FEW_CLIENTS, UNHURRIED, ClusterTest, full_size, servers
from harness import API, Attempt, Crowd, check, held_in, orders_in, first_admin
from sockets import Audience, Intruder

PASSWORD = "correct horse"
SLOWLY = "answer_within_ms = 20000\n"  # a machine that is busy with other things is not what is tested


@clustered_only()
class ACrowd(ClusterTest):
    ALONE = True  # it keeps the whole machine busy

    def test_every_unit_is_sold_once_to_one_buyer_each(self):
        """Twenty thousand units, a hundred thousand buyers, two nodes, through nginx."""
        users, stock = int(100_000 * full_size()), int(20_000 * full_size())
        self.open_shop(users, stock)
        began = time.monotonic()
        made = Crowd(self.front.address, 200).rush(
            (Attempt(self.shop, b) for b in range(1, users + 1)), within_s=900)
        took = time.monotonic() - began
        answers = collections.Counter((a.status, a.code) for a in made)
        self.assertLessEqual(set(answers), {(202, ""), (409, "sold_out"), (503, "busy"),
                                            (503, "undecided")})
        sold = {a.order_no: a.buyer for a in made + self.come_back(made)
                if a.accepted or a.code == "already_ordered"}
        self.assertEqual(len(sold), stock)
        self.assertEqual(len(set(sold.values())), stock)
        self.wait_until_entered(stock, 600)
        entered = time.monotonic() - began
        orders = orders_in(self.shop.data)
        self.assertEqual({no: row[1] for no, row in orders.items()}, sold)
        self.assertEqual(held_in(self.shop.data, self.sale), stock)
        self.assert_both_worked()
        self.stop_all()
        self.report("a crowd", buyers=users, units=stock, purchases_s=took, entered_s=entered,
                    answers={str(k): n for k, n in answers.items()})

    def come_back(self, made):
        """Whoever was told `busy` or `undecided` asks until they hear more. Redis may have sold to the
        undecided: then they are refused because of that very order."""
        later, asking = [], [a for a in made if a.status == 503]
        while asking:
            asking = Crowd(self.front.address, 200).rush(
                [Attempt(self.shop, a.buyer) for a in asking], within_s=900)
            later += asking
            asking = [a for a in asking if a.status == 503]
        self.assertLessEqual({(a.status, a.code) for a in later}, {
            (202, ""), (409, "sold_out"), (409, "already_ordered"), (503, "busy"),
            (503, "undecided")})
        return later

    def assert_both_worked(self):
        for node in self.nodes:
            self.assertGreater(node.metric('floodgate_gate_answers_total{answer="accepted"}'), 0)


@clustered_only()
class OneShop(ClusterTest):
    """Small things that must be the same on both nodes."""
    USERS, STOCK = 20, 5

    def setUp(self):
        super().setUp()
        self.open_shop(self.USERS, self.STOCK, self.stores(more=SLOWLY),
                       config="[pay]\nallow_test = true\n")
        self.a, self.b = (self.client(node) for node in self.nodes)
        said = "".join(node.said() for node in self.nodes)
        self.assertEqual(said.count("  password in "), 1, "one node makes the admin")
        phone, password = first_admin(*self.nodes)
        self.admin = self.a.post(f"{API}/auth/login", {
            "phone": phone, "password": password}).json["token"]

    def manage(self, client, method, path, body=None, status=200):
        answer = client.ask(method, f"{API}/admin{path}", self.admin, body)
        self.assertEqual(answer.status, status, answer.text)
        return answer.json

    def token(self, buyer):
        return self.shop.tokens[buyer - 1]

    def sell_out(self):
        """What buyers 1 to STOCK got: order numbers."""
        numbers = []
        for buyer in range(1, self.STOCK + 1):
            answer = (self.a, self.b)[buyer % 2].buy(self.sale, self.token(buyer))
            self.assertEqual(answer.status, 202, answer.text)
            numbers.append(answer.json["order_no"])
        return numbers

    def status(self, client, number, buyer):
        return client.get(f"{API}/orders/{number}?wait_ms=30000", self.token(buyer)).json["status"]

    def test_an_order_made_on_one_is_known_on_the_other(self):
        number = self.a.buy(self.sale, self.token(1)).json["order_no"]
        self.assertIn(self.b.order(number, self.token(1)).json["status"], ("queued", "unpaid"))
        self.assertEqual(self.status(self.b, number, 1), "unpaid")
        again = self.b.buy(self.sale, self.token(1))
        self.assertEqual((again.status, again.code), (409, "already_ordered"))
        self.assertEqual(again.json["order_no"], number)

    def test_a_key_is_known_on_both(self):
        first = self.a.buy(self.sale, self.token(1), key="mine")
        second = self.b.buy(self.sale, self.token(1), key="mine")
        self.assertEqual(first.status, 202, first.text)
        self.assertIn(second.status, (200, 202), second.text)
        self.assertEqual(first.json["order_no"], second.json["order_no"])
        elsewhere = self.b.buy(self.sale + 1, self.token(1), key="mine")
        self.assertEqual((elsewhere.status, elsewhere.code), (422, "key_reused"))

    def test_a_log_in_is_valid_everywhere_at_once_and_so_is_its_end_within_two_seconds(self):
        person = {"phone": "13900000001", "password": PASSWORD}
        self.assertEqual(self.a.post(f"{API}/auth/register", {**person, "nickname": "Li"}).status, 201)
        token = self.a.post(f"{API}/auth/login", person).json["token"]
        self.assertEqual(self.b.get(f"{API}/me", token).status, 200)
        self.assertEqual(self.a.post(f"{API}/auth/logout", token=token).status, 204)
        self.assertEqual(self.a.get(f"{API}/me", token).status, 401)
        # Two seconds are promised; a busy machine has slack.
        self.wait_until(lambda: self.b.get(f"{API}/me", token).status == 401, 60, "still logged in")

    def test_a_ticket_of_one_opens_a_socket_on_the_other_which_hears_of_everything(self):
        ticket = self.a.post(f"{API}/ws/ticket", token=self.token(1)).json["ticket"]
        audience = Audience(self.shop, (1,))
        self.addCleanup(audience.close)
        ear = audience.ears[1]
        ear.line = DoneLine()
        ear.open(self.nodes[1].address, ticket)
        audience.add(ear)
        audience.wait_for(lambda: ear.greeted)
        number = self.a.buy(self.sale, self.token(1)).json["order_no"]
        audience.wait_for(lambda: audience.last(1, number) == ("unpaid", ""))
        self.assertEqual(self.a.post(f"{API}/orders/{number}/cancel", token=self.token(1)).status, 200)
        audience.wait_for(lambda: audience.last(1, number) == ("closed", "cancelled"))

    def test_l1_a_log_out_on_one_ends_sockets_and_tickets_on_the_other(self):
        tickets = [self.a.post(f"{API}/ws/ticket", token=self.token(1)).json["ticket"] for _ in range(2)]
        intruder = Intruder(self.nodes[1].address, tickets[0])
        self.addCleanup(intruder.close)
        self.assertEqual(intruder.answer.status, 101)
        self.assertEqual(self.a.post(f"{API}/auth/logout", token=self.token(1)).status, 204)
        self.assertEqual(intruder.end(), 4001)
        late = Intruder(self.nodes[1].address, tickets[1])
        self.addCleanup(late.close)
        self.assertEqual(late.answer.status, 401)

    def test_a_ticket_is_good_once(self):
        ticket = self.a.post(f"{API}/ws/ticket", token=self.token(1)).json["ticket"]
        answers = []
        for node in self.nodes:
            client = self.client(node)
            client.send((f"GET {API}/ws?ticket={ticket} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\n"
                         "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                         "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n").encode())
            answers.append(client.receive().status)
        self.assertEqual(answers, [101, 401])

    def test_everybody_who_listens_anywhere_hears_their_result(self):
        audiences = [Audience(self.shop, range(1 + n, 5, 2)) for n in (0, 1)]
        for audience, node in zip(audiences, self.nodes):
            self.addCleanup(audience.close)
            audience.connect(node.address)
        for buyer in range(1, 5):  # each buys where they do not listen
            (self.b, self.a)[(buyer + 1) % 2].buy(self.sale, self.token(buyer))
        for audience in audiences:
            audience.wait_for(lambda: all(audience.last(b) == ("unpaid", "")  # noqa: B023
                                          for b in audience.ears))  # noqa: B023

    def test_sold_out_is_lifted_everywhere_when_a_unit_comes_back(self):
        numbers = self.sell_out()
        for client in (self.a, self.b):
            self.assertEqual(client.buy(self.sale, self.token(10)).code, "sold_out")
        self.assertEqual(self.status(self.a, numbers[0], 1), "unpaid")
        self.assertEqual(self.a.post(f"{API}/orders/{numbers[0]}/cancel", token=self.token(1)).status, 200)
        self.wait_until(lambda: self.b.buy(self.sale, self.token(10)).status in (202, 409) and
                        self.b.get(f"{API}/orders", self.token(10)).json["orders"],
                        what="sold out for ever")
        self.assertEqual(self.a.buy(self.sale, self.token(11)).code, "sold_out")

    def test_what_an_admin_does_on_one_holds_on_the_other(self):
        self.manage(self.a, "POST", f"/sales/{self.sale}/pause")
        self.wait_until(lambda: self.b.buy(self.sale, self.token(1)).code == "paused")
        self.manage(self.b, "POST", f"/sales/{self.sale}/resume")
        self.wait_until(lambda: self.a.buy(self.sale, self.token(1)).status in (202, 409))
        self.sell_out_rest()
        self.manage(self.a, "POST", f"/sales/{self.sale}/stock", {"delta": 1, "note": "one more"})
        self.wait_until(lambda: self.b.buy(self.sale, self.token(15)).status == 202)
        self.wait_until(lambda: self.a.get(f"{API}/sales/{self.sale}").json["stock"] ==
                        self.b.get(f"{API}/sales/{self.sale}").json["stock"] == self.STOCK + 1)

    def sell_out_rest(self):
        for buyer in range(2, self.STOCK + 1):
            self.b.buy(self.sale, self.token(buyer))
        self.assertEqual(self.b.buy(self.sale, self.token(9)).code, "sold_out")

    def test_a_new_sale_is_on_sale_everywhere(self):
        product = self.manage(self.a, "POST", "/products",
                              {"title": "Kettle", "list_price_fen": 19900}, 201)["id"]
        rounds = self.a.get(f"{API}/rounds").json["rounds"]
        sale = self.manage(self.a, "POST", "/sales", {
            "product_id": product, "round_id": rounds[0]["id"], "price_fen": 9900, "stock": 3}, 201)["id"]
        self.manage(self.a, "POST", f"/sales/{sale}/publish")
        self.wait_until(lambda: self.b.get(f"{API}/sales/{sale}").status == 200)
        self.wait_until(lambda: self.b.buy(sale, self.token(1)).status in (202, 409))

    def test_paid_on_one_refunded_on_the_other(self):
        number = self.a.buy(self.sale, self.token(1)).json["order_no"]
        self.assertEqual(self.status(self.b, number, 1), "unpaid")
        self.assertEqual(self.b.post(f"{API}/orders/{number}/pay", {"method": "test"}, self.token(1)).status,
                         200)
        self.wait_until(lambda: self.a.order(number, self.token(1)).json["status"] == "paid")
        refunded = self.a.post(f"{API}/orders/{number}/refund", token=self.token(1))
        self.assertIn(refunded.status, (200, 202), refunded.text)
        self.wait_until(lambda: self.b.order(number, self.token(1)).json["status"] == "refunded")

    def test_what_the_bus_lost_is_known_soon_all_the_same(self):
        """Messages are lost while a node is not connected. Nobody may be told the old story for long."""
        number = self.a.buy(self.sale, self.token(1)).json["order_no"]
        self.assertEqual(self.status(self.b, number, 1), "unpaid")
        self.assertEqual(self.status(self.a, number, 1), "unpaid")
        redis = self.stores_.redis
        redis("CLIENT", "KILL", "TYPE", "pubsub")
        paid = self.b.post(f"{API}/orders/{number}/pay", {"method": "test"}, self.token(1))
        redis("CLIENT", "KILL", "TYPE", "pubsub")
        self.assertEqual(paid.status, 200, paid.text)
        self.wait_until(lambda: self.a.order(number, self.token(1)).json["status"] == "paid", 60,
                        "still unpaid on the other node")

    def test_durability_stands_on_readyz(self):
        for client in (self.a, self.b):
            text = client.get("/readyz").text
            self.assertIn("redis", text)
            self.assertIn("mariadb", text)
            self.assertIn("innodb_flush_log_at_trx_commit", text)  # 2 here: a weakness, and named


class DoneLine:
    """Stands where a line that fetches tickets would."""
    socket = None

    @staticmethod
    def ask_next():
        return False


@clustered_only()
class Limits(ClusterTest):
    def test_tries_are_counted_together(self):
        """Five at once and five more each second. Whoever goes to both nodes may get a burst more,
        and pays for it afterwards: in the long run it is one rate, not two."""
        self.open_shop(users=2, stock=2, base=UNHURRIED.replace(
            "[guard]\n", "[guard]\nlogin_by_device_per_minute = 300\nlogin_by_account_per_minute = 0\n"))
        clients = [self.client(node) for node in self.nodes]
        wrong, tried, asked = {"phone": "13911111111", "password": "wrong horse"}, 0, 0
        began, seconds = time.monotonic(), 0
        while seconds < 5:
            tried += sum(c.post(f"{API}/auth/login", wrong).status == 401 for c in clients)
            asked += len(clients)
            time.sleep(0.03)
            seconds = time.monotonic() - began
        one_rate, two_rates = 5 + 5 * seconds, 10 + 10 * seconds
        self.assertGreaterEqual(tried, min(one_rate, asked) // 2)
        self.assertLess(tried, (one_rate + two_rates) / 2, "each node counted for itself")

    def test_deadlines_are_kept_by_one_of_them(self):
        self.open_shop(users=5, stock=5, stores=self.stores(more=SLOWLY), pay_within_s=1)
        client = self.client(self.nodes[0])
        numbers = [client.buy(self.sale, token).json["order_no"] for token in self.shop.tokens]
        self.wait_until(lambda: {row[3] for row in orders_in(self.shop.data).values()} == {"closed"}
                        and len(orders_in(self.shop.data)) == 5)
        self.assertEqual(set(orders_in(self.shop.data)), set(numbers))
        self.wait_until(lambda: client.buy(self.sale, self.shop.tokens[0]).status == 202)
        self.stop_all()


@clustered_only()
class WrongConfiguration(ClusterTest):
    """One clear line, and exit code 1."""

    def refused(self, stores, *says, more=""):
        data = self.directory() / "data"
        assign(data, stores)
        self.addCleanup(forget, data)
        server = self.server(data, config=UNHURRIED + FEW_CLIENTS + more)
        began = time.monotonic()
        code, said = server.refuse_to_start(60)
        self.assertEqual(code, 1, said)
        last = said.strip().splitlines()[-1]
        self.assertTrue(last.startswith("floodgate: "), said)
        for word in says:
            self.assertIn(word, last.lower())
        self.assertNotIn("floodgate: floodgate", last)
        self.assertNotIn("hush", said, "a password")
        self.assertLess(time.monotonic() - began, 55)

    def test_each_is_told_in_one_line(self):
        good = self.stores()
        nobody = servers.Redis()  # not started
        absent = servers.MariaDb()
        with self.subTest("no Redis"):
            self.refused(self.like(good, redis=nobody), "redis", nobody.at)
        with self.subTest("no MariaDB"):
            self.refused(self.like(good, maria=absent), "mariadb", absent.at)
        with self.subTest("a password is wanted"):
            locked = servers.Redis(password="hush")
            self.addCleanup(locked.discard)
            locked.start()
            self.refused(self.like(good, redis=locked), "redis")
        with self.subTest("weak Redis, strictly"):
            weak = servers.Redis(appendfsync="everysec")
            self.addCleanup(weak.discard)
            weak.start()
            self.refused(self.like(good, redis=weak, more="strict = true\n"), "appendfsync")
        with self.subTest("weak MariaDB, strictly"):
            self.refused(self.like(good, more="strict = true\n"), "innodb_flush_log_at_trx_commit")

    @staticmethod
    def like(stores, **changes):
        return dataclasses.replace(stores, **changes)


@clustered_only()
class FirstStart(ClusterTest):
    def test_nodes_that_start_together_on_nothing_agree(self):
        data = self.place / "data"
        assign(data, self.stores())
        self.addCleanup(forget, data)
        nodes = [self.server(data, node=n, config=UNHURRIED) for n in (1, 2, 3)]
        for node in nodes:
            node.launch()
        for node in nodes:
            node.wait_for_address()
            node.wait_ready()
        self.assertEqual("".join(n.said() for n in nodes).count("  password in "), 1)
        phone, password = first_admin(*nodes)
        for node in nodes:
            with node.client() as client:
                answer = client.post(f"{API}/auth/login", {"phone": phone, "password": password})
                self.assertEqual(answer.status, 200, answer.text)
        for node in nodes:
            self.assertEqual(node.stop(), 0)
        self.assertEqual(check(data), [])


if __name__ == "__main__":
    unittest.main()
