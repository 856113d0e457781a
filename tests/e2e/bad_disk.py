"""Compiles bad_disk.c and tells how to put it under a server."""
import pathlib
import subprocess

SOURCE = pathlib.Path(__file__).with_name("bad_disk.c")


def bad_disk(place, **habits):
    """The environment of a server whose disk has these habits: fail_sync=N, fail_write=N, lie=1,
    ledger=FILE."""
    shim = pathlib.Path(place) / "bad_disk.so"
    if not shim.exists():
        subprocess.run(["gcc", "-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-pthread",
                        str(SOURCE), "-o", str(shim), "-ldl"], check=True, timeout=60)
    return {"LD_PRELOAD": str(shim),
            **{f"BAD_DISK_{habit.upper()}": str(value) for habit, value in habits.items()}}


class LedgerDisk:
    """A disk on which the ledger cannot be written for a while, as its file may stand on another
    one than the journal, or have no room where the journal has its room already."""

    def __init__(self, place):
        self.switch = pathlib.Path(place) / "ledger.error"
        self.environment = bad_disk(place, ledger=self.switch)

    def fail_with(self, error):
        """Every write from now on: errno.ENOSPC and the like."""
        whole = self.switch.with_suffix(".new")
        whole.write_text(str(int(error)))
        whole.rename(self.switch)

    def mend(self):
        self.switch.unlink(missing_ok=True)
