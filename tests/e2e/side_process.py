"""A program of Floodgate's that runs beside a shop and says where it listens: the sandbox, points."""
import pathlib
import re
import signal
import subprocess
import tempfile
import time

from harness import BINARY, PATIENCE_S, ServerFailed


class SideProcess:
    """One process at a time, on the same port after the first start."""

    def __init__(self, command, data, listen="127.0.0.1:0"):
        self.command, self.data, self.listen = command, pathlib.Path(data), listen
        self.notes = pathlib.Path(tempfile.mkdtemp(prefix=f"floodgate-{command}-"))
        self.process, self.address = None, None

    def options(self):
        """More words for its command line."""
        return []

    def launch(self):
        command = [str(BINARY), self.command, "--listen", self.listen, "--data", str(self.data),
                   *self.options()]
        with (self.notes / "stdout").open("w") as said, (self.notes / "stderr").open("a") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, stderr=log)
        return self

    def start(self):
        """Waits until it says where it listens."""
        self.launch()
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            found = re.search(r"listens? on .* http://([\d.]+):(\d+)$", self.said(), re.MULTILINE)
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

    def said(self):
        return (self.notes / "stdout").read_text()

    def log(self):
        return (self.notes / "stderr").read_text(errors="replace")
