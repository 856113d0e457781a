#!/usr/bin/python3
"""floodgate.cdx.json beside the program: a sound bill of materials that names all it is made of."""
import hashlib
import json
import pathlib
import re
import subprocess
import unittest
import urllib.parse

from harness import BINARY, ROOT, embedded_only

INCLUDED_FROM = ("include", "include/*-linux-gnu", "include/mariadb", "include/c++/*",
                 "lib/gcc/*-linux-gnu/*/include")  # below /usr
OF_THE_SYSTEM = {"glibc", "gcc-12", "linux"}  # the first two are in it too, by the libraries they give
OF_TESTS = {"googletest"}
HEADERS_ONLY = {"libboost1.81-dev": "boost/", "libcli11-dev": "CLI/", "libtomlplusplus-dev": "toml++/"}


def said(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@embedded_only("the program is the same in both modes")
class BillOfMaterials(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bill = json.loads(BINARY.with_name(BINARY.name + ".cdx.json").read_text())
        cls.parts = {part["name"]: part for part in cls.bill["components"]}

    def values(self, part, name):
        return [p["value"] for p in part["properties"] if p["name"] == name]

    def test_it_is_cyclonedx(self):
        self.assertEqual((self.bill["bomFormat"], self.bill["specVersion"], self.bill["version"]),
                         ("CycloneDX", "1.5", 1))
        self.assertRegex(self.bill["serialNumber"],
                         r"^urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
        program = self.bill["metadata"]["component"]
        self.assertEqual((program["type"], program["name"]), ("application", "floodgate"))
        self.assertIn(program["version"], said(BINARY, "--version"))
        refs = [program["bom-ref"], *(part["bom-ref"] for part in self.bill["components"])]
        self.assertEqual(len(refs), len(set(refs)), "a reference stands there twice")
        for part in self.bill["components"]:
            self.assertEqual(part["type"], "library")
            self.assertRegex(part["purl"], r"^pkg:deb/debian/[a-z0-9.+-]+@[^?+:]+\?arch=\w+&distro=debian-12&"
                             r"upstream=[a-z0-9.%@~A-Z_-]+$")
            source, = self.values(part, "floodgate:source_package")
            upstream = urllib.parse.unquote(part["purl"]).rpartition("&upstream=")[2]
            self.assertEqual(upstream.partition("@")[0], source)
        for one in self.bill["dependencies"]:
            self.assertLessEqual({one["ref"], *one["dependsOn"]}, set(refs))

    def test_it_is_about_this_program(self):
        stated = self.bill["metadata"]["component"]["hashes"]
        self.assertEqual(stated, [{"alg": "SHA-256",
                                   "content": hashlib.sha256(BINARY.read_bytes()).hexdigest()}])

    def test_every_library_that_is_loaded_is_in_it(self):
        loaded = set(re.findall(r"^\s*(\S+) => /", said("ldd", BINARY), re.MULTILINE))
        self.assertGreater(len(loaded), 10)
        named = {file for part in self.bill["components"]
                 for file in self.values(part, "floodgate:library")}
        self.assertEqual(loaded - named, set())

    def test_versions_are_those_of_the_packages_here(self):
        for name, part in self.parts.items():
            known = said("dpkg-query", "-W", "-f", "${Version}\n", name).splitlines()
            self.assertIn(part["version"], known, name)

    def test_every_library_that_is_included_is_in_it(self):
        sources = {source for part in self.bill["components"]
                   for source in self.values(part, "floodgate:source_package")}
        roots = {}  # of the included headers -> one of them
        for file in (ROOT / "src").rglob("*.?pp"):
            for header in re.findall(r"^#include <([^>]+)>", file.read_text(), re.MULTILINE):
                roots.setdefault(header.partition("/")[0], header)
        self.assertGreater(len(roots), 50)
        unnamed = {root: source for root, header in roots.items()
                   if (source := self.source_of(header)) not in sources | OF_THE_SYSTEM | OF_TESTS}
        self.assertEqual(unnamed, {})

    def source_of(self, header):
        """The Debian source package that a header came from."""
        found = [path for folder in INCLUDED_FROM for path in pathlib.Path("/usr").glob(f"{folder}/{header}")]
        self.assertTrue(found, f"<{header}> is in none of {INCLUDED_FROM}")
        package = said("dpkg-query", "-S", found[0]).split(": ")[0].split(", ")[0]
        return said("dpkg-query", "-W", "-f", "${source:Package}", package)

    def test_what_only_gives_headers_is_in_it(self):
        sources = "\n".join(file.read_text(errors="replace") for file in (ROOT / "src").rglob("*.?pp"))
        for package, folder in HEADERS_ONLY.items():
            self.assertIn(f"#include <{folder}", sources)
            self.assertEqual(self.values(self.parts[package], "floodgate:headers_only"), ["true"])


if __name__ == "__main__":
    unittest.main()
