"""Clients who cost memory and give nothing back: connections that stay silent, pages that are asked for
and not read, WebSockets that only listen. From many addresses, as a crowd comes."""
import dataclasses
import re
import socket
import time
import types

from client import API, Client, request_bytes
from process_memory import open_files, resident_bytes, tcp_bytes
from sockets import Audience, allow_files

FOR_EACH_ADDRESS = 40  # of one kind
KEPT_FREE = 600        # open files for everything else: the buyers, the ledger, the journal
# The crowd's addresses (127.1.0.0/16) are strangers; the buyers' (127.0.0.1) a proxy, not limited.
CONFIG = '[edge]\ntrusted_proxies = ["127.0.0.1"]\n'
ROUNDS = request_bytes("GET", f"{API}/rounds?limit=100") * 8


@dataclasses.dataclass
class Size:
    idle: int
    unread: int
    sockets: int

    def within_limits(self, connections_max):
        """As many idle ones as the server takes beside the others, and as files may be open."""
        files, _ = allow_files(self.idle + self.unread + self.sockets + 2 * KEPT_FREE)
        room = min(connections_max - self.unread, files - self.unread - self.sockets) - KEPT_FREE
        return dataclasses.replace(self, idle=max(0, min(self.idle, room)))


@dataclasses.dataclass
class Footprint:
    """Of a server: what it holds at a moment."""
    rss: int
    tcp: int  # of the whole machine
    files: int


def footprint(pid):
    return Footprint(resident_bytes(pid), tcp_bytes(), open_files(pid))


def connect_from(place, address, receive_bytes=None):
    """The place-th client of its kind."""
    at = place // FOR_EACH_ADDRESS
    made = socket.socket()
    if receive_bytes:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
    made.bind((f"127.1.{at // 250}.{1 + at % 250}", 0))
    made.settimeout(60)
    made.connect(address)
    return made


class SlowCrowd:
    def __init__(self, address, size, tokens):
        """`tokens`: a buyer for each WebSocket."""
        self.address, self.size, self.tokens = address, size, tokens
        self.held, self.audience = [], None

    def __enter__(self):
        try:
            self.audience = Audience(types.SimpleNamespace(tokens=self.tokens),
                                     range(1, self.size.sockets + 1))
            self.audience.connect(self.address)
            self.held += [connect_from(n, self.address) for n in range(self.size.idle)]
            for n in range(self.size.unread):  # last: an unread answer is cut off after write_ms
                reader = connect_from(n, self.address, receive_bytes=4096)
                self.held.append(reader)
                reader.sendall(ROUNDS)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for one in self.held:
            one.close()
        if self.audience:
            self.audience.close()


def figures(address, *names):
    with Client(address) as client:
        text = client.get("/metrics").text
    return [float(re.search(rf"^{name} (\S+)$", text, re.MULTILINE)[1]) for name in names]


def wait_until_gone(address, within_s=300):
    """Nobody is left of the crowd: (connections besides the one that asks, WebSockets)."""
    deadline = time.monotonic() + within_s
    while True:
        connections, sockets = figures(address, "floodgate_connections", "floodgate_sockets")
        if (connections <= 1 and sockets == 0) or time.monotonic() > deadline:
            return int(connections) - 1, int(sockets)
        time.sleep(0.2)
