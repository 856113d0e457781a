#!/usr/bin/python3
"""What a program is made of, as a CycloneDX bill of materials.

    cmake/sbom.py build/release/floodgate      writes build/release/floodgate.cdx.json

Every shared library the program loads is named with the Debian package it came from, and so are the
packages of which only headers went into it. The build calls it after each link; call it again when
the program was stripped. The same program on the same packages gives the same file.
"""
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import uuid

HEADERS_ONLY = ["libboost1.81-dev", "libcli11-dev", "libtomlplusplus-dev"]


def said(*command):
    """What a tool printed; nothing where there is no such tool."""
    try:
        return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                              check=False, env={"LC_ALL": "C", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
                              ).stdout
    except OSError:
        return ""


def libraries(program):
    """Paths of the shared libraries it loads, by their names."""
    found = re.findall(r"^\s*(?:(\S+) => )?(/\S+) \(0x", said("ldd", program), re.MULTILINE)
    return {name or pathlib.Path(path).name: path for name, path in found}


def spellings(path):
    """Packages may know a file under /lib or under /usr/lib: they are one directory."""
    bare = re.sub(r"^/usr", "", path)
    return bare, "/usr" + bare


def packages_of(paths):
    """path -> the package that owns it. dpkg tells the owner of a real file, not of a link to it."""
    real = {p: str(pathlib.Path(p).resolve()) for p in paths}
    asked = {s for p in paths for known in (p, real[p]) for s in spellings(known)}
    owners = {}
    for line in said("dpkg-query", "-S", *sorted(asked)).splitlines():
        names, _, path = line.rpartition(": ")
        if names and not names.startswith("diversion "):
            owners[path] = names.split(", ")[0]
    return {p: next((owners[s] for known in (p, real[p]) for s in spellings(known) if s in owners), "")
            for p in paths}


def facts_of(packages):
    """package -> (name, version, architecture, source package, its version)"""
    form = ("${binary:Package}\t${Package}\t${Version}\t${Architecture}\t${source:Package}\t"
            "${source:Version}\n")
    facts = {}
    for line in said("dpkg-query", "-W", "-f", form, *packages).splitlines():
        full, *rest = line.split("\t")
        facts[full] = facts[rest[0]] = tuple(rest)
    return facts


def distribution():
    """debian-12: scanners look up weaknesses by it."""
    said_here = dict(re.findall(r'^(\w+)="?([^"\n]*)"?$', pathlib.Path("/etc/os-release").read_text(),
                                re.MULTILINE))
    return f"{said_here.get('ID', 'unknown')}-{said_here.get('VERSION_ID', 'unknown')}"


def quoted(text):
    return text.replace("+", "%2B").replace(":", "%3A")


def package_url(name, version, architecture, source, source_version):
    """Debian's reports of weaknesses name source packages: those are the upstream here."""
    upstream = source if source_version in (version, "unknown") else f"{source}@{source_version}"
    return (f"pkg:deb/debian/{name}@{quoted(version)}?arch={architecture}&distro={distribution()}"
            f"&upstream={quoted(upstream)}")


def component(package, facts, properties):
    name, version, architecture, source, source_version = facts.get(
        package, (package, "unknown", "unknown", package, "unknown"))
    purl = package_url(name, version, architecture, source, source_version)
    return {"type": "library", "bom-ref": purl, "supplier": {"name": "Debian"}, "name": name,
            "version": version, "scope": "required", "purl": purl,
            "properties": [{"name": "floodgate:source_package", "value": source}, *properties]}


def bill(program):
    name, version = said(program, "--version").split()
    digest = hashlib.sha256(pathlib.Path(program).read_bytes()).hexdigest()
    owners = packages_of(list(libraries(program).values()))
    files = {}  # package, or the file itself where no package owns it -> its libraries
    for path, package in owners.items():
        files.setdefault(package or pathlib.Path(path).name, []).append(pathlib.Path(path).name)
    facts = facts_of(sorted(set(filter(None, owners.values())) | set(HEADERS_ONLY)))
    parts = [component(package, facts, [{"name": "floodgate:library", "value": file}
                                        for file in sorted(found)])
             for package, found in sorted(files.items())]
    parts += [component(package, facts, [{"name": "floodgate:headers_only", "value": "true"}])
              for package in sorted(HEADERS_ONLY)]
    this = {"type": "application", "bom-ref": f"{name}@{version}", "name": name, "version": version,
            "licenses": [{"license": {"id": "Apache-2.0"}}],
            "hashes": [{"alg": "SHA-256", "content": digest}]}
    return {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
            "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, digest)}",
            "metadata": {"component": this, "tools": {"components": [
                {"type": "application", "name": "cmake/sbom.py", "version": version}]}},
            "components": parts,
            "dependencies": [{"ref": this["bom-ref"], "dependsOn": [p["bom-ref"] for p in parts]}]}


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    program = pathlib.Path(sys.argv[1]).resolve()
    program.with_name(program.name + ".cdx.json").write_text(json.dumps(bill(program), indent=1) + "\n")


if __name__ == "__main__":
    main()
