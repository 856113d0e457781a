"""The systemd unit does what its header says: its user can read what it must, and nobody else the secrets."""
import os
import re
import shutil
import subprocess
import unittest

from harness import BINARY, ROOT, FloodgateTest, embedded_only

UNIT = ROOT / "deploy/systemd/floodgate.service"
NOBODY = 65534


@embedded_only("the unit is the same")
class TheUnit(FloodgateTest):

    def setUp(self):
        super().setUp()
        self.text = UNIT.read_text()

    def as_nobody(self, *command):
        def become():
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        return subprocess.run(command, text=True, capture_output=True, check=False, timeout=60,
                              preexec_fn=become if os.getuid() == 0 else None)

    def test_another_user_reads_the_configuration_and_only_systemd_the_secrets(self):
        mode = re.search(r"install -D -m (\d+) config/floodgate.toml", self.text)[1]
        secrets = re.search(r"install -d -m (\d+) /etc/floodgate/secrets", self.text)[1]
        self.assertEqual(int(secrets, 8) & 0o077, 0)
        self.assertIn("LoadCredential=secrets:/etc/floodgate/secrets", self.text)
        self.assertIn("/run/credentials/floodgate.service/secrets_", self.text)
        self.assertIn("ExecReload=/bin/kill -HUP", self.text)
        if os.getuid() != 0:
            self.assertEqual(int(mode, 8) & 0o004, 0o004)
            return
        self.place.chmod(0o755)
        binary, config = self.place / "floodgate", self.place / "floodgate.toml"
        shutil.copy(BINARY, binary)
        shutil.copy(ROOT / "config/floodgate.toml", config)
        config.chmod(int(mode, 8))
        binary.chmod(0o755)
        done = self.as_nobody(str(binary), "config", "check", "--config", str(config))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        hidden = self.place / "secrets"
        hidden.mkdir()
        (hidden / "redis").write_text("geheim\n")
        hidden.chmod(int(secrets, 8))
        self.assertNotEqual(self.as_nobody("cat", str(hidden / "redis")).returncode, 0)

    def test_systemd_understands_it(self):
        analyze = shutil.which("systemd-analyze")
        if analyze is None:
            for section in ("[Unit]", "[Service]", "[Install]"):
                self.assertIn(section, self.text)
            return
        copy = self.place / "floodgate.service"
        copy.write_text(self.text.replace("/usr/local/bin/floodgate", str(BINARY)))
        done = subprocess.run([analyze, "verify", str(copy)], text=True, capture_output=True,
                              check=False, timeout=60)
        self.assertNotIn("Unknown", done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
