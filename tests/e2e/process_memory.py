"""How much memory a process has, and how much the kernel keeps for TCP on this machine."""
import os
import pathlib
import re


def resident_bytes(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) * 1024


def tcp_bytes():
    """Of all processes together: the kernel does not say whose it is."""
    found = re.search(r"^TCP: .* mem (\d+)", pathlib.Path("/proc/net/sockstat").read_text(), re.MULTILINE)
    return int(found[1]) * os.sysconf("SC_PAGE_SIZE") if found else 0


def unread_bytes(port):
    """What a server on this port has written and its clients have not read."""
    total, end = 0, f":{port:04X}"
    for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]:
        _, local, remote, _, queues, *_ = line.split()
        unsent, unread = queues.split(":")
        total += int(unsent, 16) * local.endswith(end) + int(unread, 16) * remote.endswith(end)
    return total


def open_files(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))
