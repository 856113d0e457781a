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


def open_files(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))
