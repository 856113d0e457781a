"""`floodgate points` as a process, and a relay in front of it: for tests of a shop whose points live
elsewhere, and are disturbed at a chosen call."""
import contextlib
import http.client
import http.server
import os
import shutil
import signal
import threading

import books
from client import Client
from harness import floodgate
from side_process import SideProcess


class PointsProcess(SideProcess):
    """In a clustered run its accounts are in a MariaDB database of their own."""

    def __init__(self, data, config=""):
        super().__init__("points", data)
        self.config = config

    def options(self):
        """The options that name its configuration, if it has any."""
        config, file = books.configure(self.data, self.config), self.notes / "points.toml"
        if not config:
            return []
        file.write_text(config)
        file.chmod(0o600)  # there are passwords in it
        return ["--config", str(file)]

    def check(self):
        """`floodgate check` of what it keeps."""
        return floodgate("check", "--points", self.data, *self.options())

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

    @property
    def secret_file(self):
        return self.data / "points.secret"

    @property
    def secret(self):
        return self.secret_file.read_text().strip()

    def client(self, token=None):
        return Client(self.address, token)

    def shop_settings(self, answer_within_ms, relay=None):
        """What a shop's configuration says of it, or of a relay in front of it."""
        at = relay.at if relay else self.listen
        return (f'[points]\nurl = "http://{at}"\nsecret_file = "{self.secret_file}"\n'
                f"answer_within_ms = {answer_within_ms}\n")


class Relay(http.server.ThreadingHTTPServer):
    """Stands between a shop and its points. A call that the points do not answer has no answer here."""
    daemon_threads, block_on_close, request_queue_size = True, False, 256

    def __init__(self, far):
        super().__init__(("127.0.0.1", 0), Relaying)
        self.far, self.lock, self.seen, self.plans = far, threading.Lock(), {}, {}
        self.under_way = 0  # calls that the points have not answered, whether or not the shop still waits
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def at(self):
        return f"127.0.0.1:{self.server_address[1]}"

    def disturb(self, call, number, moment, act):
        """At the so-manieth CALL from now on, `before` it reaches the points or `after` they have
        answered it, before the shop hears of it. A threading.Event that says when it has happened."""
        with self.lock:
            happened = threading.Event()
            self.plans[call] = (self.seen.get(call, 0) + number, moment, act, happened)
        return happened

    def begin(self, call):
        """A call begins: the plan if it is for this one."""
        with self.lock:
            self.seen[call] = self.seen.get(call, 0) + 1
            self.under_way += 1
            planned = self.plans.get(call)
            return self.plans.pop(call)[1:] if planned and planned[0] == self.seen[call] else None

    def end(self):
        with self.lock:
            self.under_way -= 1

    def handle_error(self, request, client_address):
        pass  # The shop has hung up, or the points did not answer.

    def close(self):
        self.shutdown()
        self.server_close()


class Relaying(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):  # pylint: disable=invalid-name
        body = self.rfile.read(int(self.headers["Content-Length"]))
        moment, act, happened = self.server.begin(self.path.rpartition("/")[2]) or (None, None, None)
        self.close_connection = True  # unless there is an answer
        if moment == "before":
            act()
            happened.set()
        try:
            answer = self.forward(body)
        finally:
            self.server.end()
        if moment == "after":
            act()
            happened.set()
            return
        self.send_response(answer[0])
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer[1])))
        self.end_headers()
        self.wfile.write(answer[1])
        self.close_connection = False

    def forward(self, body):
        with contextlib.closing(http.client.HTTPConnection(*self.server.far.address, timeout=300)) as to:
            to.request("POST", self.path, body, {"Authorization": self.headers["Authorization"]})
            answer = to.getresponse()
            return answer.status, answer.read()

    def log_message(self, *_):
        pass
