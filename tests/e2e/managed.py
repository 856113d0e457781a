"""A shop full of buyers, and an admin who looks after it: for tests of what goes wrong."""

import books
from harness import API, PATIENCE_S, UNLIMITED, FloodgateTest, first_admin
from recording import RecordingClient

# Buyers may click for ever, passwords are quick to hash, and the disk of whoever runs the tests
# raises no alert.
CALM = UNLIMITED + ("password_mib = 8\npassword_passes = 1\n"
                    "[alarm]\ndisk_min_mib = 0\ndisk_min_percent = 0\n")
CLOCKS_APART_S = 0.1  # Floodgate keeps its own time, within milliseconds of ours


class ManagedShop(FloodgateTest):

    def open_shop(self, users, stock, config="", environment=None, **terms):
        """Fills a shop, serves it and logs its admin in. What `config` begins with is read as part
        of [alarm]."""
        self.shop = self.fixture(users, stock, **terms)
        self.sale = self.shop.sales[0]
        self.server_ = self.serve(self.shop.data, config=CALM + config, environment=environment)
        phone, password = first_admin(self.server_)
        with self.client() as client:
            self.admin = client.post(f"{API}/auth/login", {
                "phone": phone, "password": password}).json["token"]

    def client(self, token=None):
        return RecordingClient(self.server_.address, token)

    # Verbs.

    def buy(self, buyer, sale=None):
        with self.client() as client:
            return client.buy(sale or self.sale, self.shop.tokens[buyer - 1])

    def order(self, order_no, buyer):
        """As its buyer sees it."""
        with self.client() as client:
            answer = client.order(order_no, self.shop.tokens[buyer - 1])
        self.assertEqual(answer.status, 200, answer.text)
        return answer.json

    def ask_admin(self, method, path, body=None):
        with self.client() as client:
            return client.ask(method, f"{API}/admin{path}", self.admin, body)

    def manage(self, method, path, body=None, status=200):
        answer = self.ask_admin(method, path, body)
        self.assertEqual(answer.status, status, f"{method} {path}: {answer.text}")
        return answer.json

    def tamper(self, sql, *values):
        """Changes the ledger behind the server's back, as an operator with a shell would."""
        return books.change(self.shop.data, sql, *values)

    # Questions.

    def alerts(self):
        """(alert, subject) of each that stands."""
        return {(a["alert"], a["subject"]) for a in self.manage("GET", "/alerts")["alerts"]}

    def times_raised(self, alert):
        """A metric that is not there must not pass for 0."""
        name = f'floodgate_alerts_raised_total{{alert="{alert}"}}'
        self.assertIn(name, self.server_.metrics_text())
        return self.server_.metric(name)

    def wait_for_alert(self, alert, subject, within_s=PATIENCE_S):
        self.wait_until(lambda: (alert, subject) in self.alerts(), within_s,
                        f"no alert {alert} of {subject}")

    def wait_for_no_alert(self, alert, subject, within_s=PATIENCE_S):
        self.wait_until(lambda: (alert, subject) not in self.alerts(), within_s,
                        f"alert {alert} of {subject} still stood")

    def wait_until_entered(self):
        self.wait_until(self.server_.has_entered_all, 300, "the backlog did not drain")

    def stop_clean(self):
        self.assertEqual(self.server_.stop(), 0)
        self.assert_clean(self.shop.data)
