"""SIGHUP: what changes at once, what is named as waiting, and that a bad file changes nothing."""
import signal
import unittest

from harness import FloodgateTest, embedded_only, floodgate


class AReload(FloodgateTest):

    def start(self, config):
        self.shop = self.fixture(users=3, stock=50, limit=20)
        self.server_ = self.serve(self.shop.data, config=config)
        self.written = self.server_.config_file.read_text()

    def hang_up(self, old, new, event):
        text = self.server_.config_file.read_text()
        self.assertIn(old, text)
        self.server_.config_file.write_text(text.replace(old, new))
        before = self.server_.log().count(event)
        self.server_.process.send_signal(signal.SIGHUP)
        self.wait_until(lambda: self.server_.log().count(event) > before, 20, f"no {event}")

    def statuses(self, buyer, tries):
        with self.server_.client() as client:
            return [client.buy(self.shop.sales[0], self.shop.tokens[buyer]).status
                    for _ in range(tries)]

    def test_limits_and_the_level_change_and_the_rest_is_named(self):
        self.start("[log]\nlevel = \"warning\"\n[edge]\npool_threads = 2\n"
                   "[guard]\npurchase_by_user_per_minute = 60\npurchase_by_user_burst = 1\n")
        self.assertIn(429, self.statuses(0, 5))
        self.hang_up('level = "warning"', 'level = "info"', "engine.reloaded")
        self.hang_up("purchase_by_user_burst = 1", "purchase_by_user_burst = 20", "engine.reloaded")
        self.assertEqual(set(self.statuses(1, 10)), {202}, "the new burst")
        self.hang_up("pool_threads = 2", "pool_threads = 3", "engine.reload_needs_restart")
        self.assertIn("keys=edge.pool_threads", self.server_.log())

    def test_a_bad_file_is_refused_as_a_whole(self):
        self.start("[guard]\npurchase_by_user_per_minute = 60\npurchase_by_user_burst = 1\n")
        self.hang_up("purchase_by_user_burst = 1", "purchase_by_user_burst = 20\nnonsense = 1",
                     "engine.reload_refused")
        self.assertIn("unknown option guard.nonsense", self.server_.log())
        self.assertIn(429, self.statuses(0, 5), "nothing of it was taken over")
        self.assertTrue(self.server_.running())


@embedded_only("a file is a file")
class TheConfiguration(FloodgateTest):

    def test_check_names_every_fault_with_its_line_and_warns(self):
        file = self.place / "f.toml"
        file.write_text('[edge]\nlisten = "nowhere"\nloops = "many"\nidle_ms = 1\n'
                        '[log]\nlevel = "loud"\n[redis]\naddresses = []\n')
        done = floodgate("config", "check", "--config", file)
        self.assertEqual(done.returncode, 1)
        for words in (f"{file}:3:9: edge.loops must be", f"{file}:4:11: edge.idle_ms must be",
                      f"{file}:6:9: log.level: log level must be", f"{file}:8:13: redis.addresses names nobody", "edge.listen"):
            self.assertIn(words, done.stdout)

    def test_check_warns_of_secrets_that_others_can_read(self):
        secret = self.place / "secret"
        secret.write_text("geheim\n")
        secret.chmod(0o644)
        file = self.place / "f.toml"
        file.write_text(f'[redis]\npassword_file = "{secret}"\n[pay]\nallow_test = true\n')
        done = floodgate("config", "check", "--config", file)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn(f"warning: {secret} can be read by every user", done.stdout)
        self.assertIn("pay.allow_test is on", done.stdout)
        self.assertNotIn("geheim", done.stdout + done.stderr)

    def test_check_says_what_is_wrong_with_a_certificate(self):
        file = self.place / "f.toml"
        file.write_text('[edge]\ntls_certificate_file = "/nowhere/cert.pem"\n'
                        'tls_key_file = "/nowhere/key.pem"\n')
        done = floodgate("config", "check", "--config", file)
        self.assertEqual(done.returncode, 1)
        self.assertIn("/nowhere/cert.pem", done.stdout)


if __name__ == "__main__":
    unittest.main()
