"""Compiles bad_disk.c and tells how to put it under a server."""
import pathlib
import subprocess

SOURCE = pathlib.Path(__file__).with_name("bad_disk.c")


def bad_disk(place, **habits):
    """The environment of a server whose disk has these habits: fail_sync=N, fail_write=N, lie=1."""
    shim = pathlib.Path(place) / "bad_disk.so"
    if not shim.exists():
        subprocess.run(["gcc", "-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-pthread",
                        str(SOURCE), "-o", str(shim), "-ldl"], check=True, timeout=60)
    return {"LD_PRELOAD": str(shim),
            **{f"BAD_DISK_{habit.upper()}": str(value) for habit, value in habits.items()}}
