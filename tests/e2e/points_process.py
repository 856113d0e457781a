"""`floodgate points` as a process: for tests of a shop whose points live elsewhere."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time

import books
from client import Client
from harness import BINARY, PATIENCE_S, ServerFailed


class PointsProcess:
    """One process at a time, on the same port after the first start. In a clustered run its accounts are
    in a MariaDB database of their own."""

    def __init__(self, data, config=""):
        self.data, self.config, self.listen = pathlib.Path(data), config, "127.0.0.1:0"
        self.notes = pathlib.Path(tempfile.mkdtemp(prefix="floodgate-points-"))
        self.process, self.address = None, None

    def launch(self):
        command = [str(BINARY), "points", "--listen", self.listen, "--data", str(self.data)]
        config = books.configure(self.data, self.config)
        if config:
            file = self.notes / "points.toml"
            file.write_text(config)
            file.chmod(0o600)  # there are passwords in it
            command += ["--config", str(file)]
        with (self.notes / "stdout").open("w") as said, (self.notes / "stderr").open("a") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, stderr=log)
        return self

    def start(self):
        """Waits until it says where it listens."""
        self.launch()
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            found = re.search(r"listen on .* http://([\d.]+):(\d+)$", self.said(), re.MULTILINE)
            if found:
                self.address, self.listen = (found[1], int(found[2])), f"{found[1]}:{found[2]}"
                return self
            if self.process.poll() is not None:
                raise ServerFailed(f"exited with {self.process.returncode}:\n{self.log()}")
            time.sleep(0.005)
        raise ServerFailed(f"printed no address:\n{self.log()}")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE_S)

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def freeze(self):
        """It neither works nor ends; its sockets stay open. Waits until the kernel says so."""
        self.process.send_signal(signal.SIGSTOP)
        _, status = os.waitpid(self.process.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status), "it ended instead"

    def thaw(self):
        self.process.send_signal(signal.SIGCONT)

    def discard(self):
        self.kill()
        shutil.rmtree(self.notes, ignore_errors=True)
        books.forget(self.data)

    def said(self):
        return (self.notes / "stdout").read_text()

    def log(self):
        return (self.notes / "stderr").read_text(errors="replace")

    @property
    def secret_file(self):
        return self.data / "points.secret"

    @property
    def secret(self):
        return self.secret_file.read_text().strip()

    def client(self, token=None):
        return Client(self.address, token)

    def shop_settings(self, answer_within_ms):
        """What a shop's configuration says of it."""
        return (f'[points]\nurl = "http://{self.listen}"\nsecret_file = "{self.secret_file}"\n'
                f"answer_within_ms = {answer_within_ms}\n")
