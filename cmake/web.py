#!/usr/bin/python3
"""Builds the pages: web/ to build/web/pages.bin, for all presets together.

    cmake/web.py            builds if something changed since the last build
    cmake/web.py --install  only installs the packages (npm ci), if the lock file changed

Whether something changed is decided by the contents of the sources, not by their times, so that a
second preset, or a file that was written anew as it was, costs nothing.
"""
import fcntl
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WEB, OUT = ROOT / "web", ROOT / "build/web"
NODE_MIN = 18


def fail(why):
    sys.exit(f"web: {why}")


def digest(paths):
    found = hashlib.sha256()
    for path in sorted(paths):
        found.update(f"{path.relative_to(ROOT)}\0{path.stat().st_size}\0".encode() + path.read_bytes())
    return found.hexdigest()


def sources():
    named = [WEB / name for name in ("index.html", "console.html", "package.json", "package-lock.json",
                                     "vite.config.ts", "tsconfig.json", ".npmrc")]
    folders = [path for folder in ("src", "public", "tools") for path in (WEB / folder).rglob("*")
               if path.is_file() and "generated" not in path.parts and not path.name.endswith(".test.ts")]
    return named + folders + [ROOT / "src/api/openapi.json"]


def check_node():
    if not shutil.which("node") or not shutil.which("npm"):
        fail("node and npm are missing. scripts/setup run installs them (Debian: nodejs npm)")
    said = subprocess.run(["node", "--version"], capture_output=True, text=True, check=False).stdout
    version = re.match(r"v(\d+)\.", said)
    if not version or int(version[1]) < NODE_MIN:
        fail(f"node is {said.strip() or 'broken'}, and the pages need {NODE_MIN} or newer")


def run(*command):
    """The output only if it fails."""
    done = subprocess.run(command, cwd=WEB, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False,
                          env={**os.environ, "npm_config_update_notifier": "false", "CI": "1"})
    if done.returncode != 0:
        print(done.stdout[-6000:])
        hint = (". npm could not install the packages that web/package-lock.json names: is the registry "
                "that `npm config get registry` prints reachable?") if command[1] == "ci" else ""
        fail(f"`{' '.join(command)}` in web/ exited with {done.returncode}{hint}")


def stamped(name, value):
    stamp = OUT / name
    return stamp.exists() and stamp.read_text() == value


def install():
    wanted = digest([WEB / "package.json", WEB / "package-lock.json"])
    if (WEB / "node_modules").is_dir() and stamped("installed", wanted):
        return
    check_node()
    (OUT / "installed").unlink(missing_ok=True)
    run("npm", "ci", "--no-audit", "--no-fund", "--prefer-offline")
    (OUT / "installed").write_text(wanted)


def build():
    wanted = digest(sources())
    packed = OUT / "pages.bin"
    if packed.exists() and stamped("built", wanted):
        packed.touch()  # newer than the sources: make is content
        return
    install()
    (OUT / "built").unlink(missing_ok=True)
    run("npm", "run", "--silent", "build")
    (OUT / "built").write_text(wanted)
    packed.touch()


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    with (OUT / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        install() if "--install" in sys.argv[1:] else build()


if __name__ == "__main__":
    main()
