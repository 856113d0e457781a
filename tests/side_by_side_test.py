#!/usr/bin/python3
"""tests/e2e/side_by_side.py counts every test, also those that are left out and those that die."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from tallies import unittest_tally

SCRIPT = pathlib.Path(__file__).resolve().parent / "e2e/side_by_side.py"


class SideBySideTest(unittest.TestCase):
    def run_tests(self, text):
        """What becomes of a module of tests: (its counts, what was said)."""
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "trial_test.py").write_text(f"import os, time, unittest\n{text}")
            done = subprocess.run([sys.executable, SCRIPT, "trial_test"], text=True, check=False,
                                  capture_output=True, timeout=60,
                                  env={**os.environ, "PYTHONPATH": folder,
                                       "E2E_SECONDS": f"{folder}/seconds.json"})
        tally = unittest_tally(done.stdout)
        self.assertEqual(done.returncode, 1 if tally.failed else 0, done.stdout + done.stderr)
        return (tally.passed, tally.failed, tally.left_out), done.stdout

    def test_counts_over_classes(self):
        counts, said = self.run_tests(
            "class One(unittest.TestCase):\n"
            "    def test_good(self): print('good is printed')\n"
            "    def test_bad(self): self.fail('bad is told')\n"
            "class Two(unittest.TestCase):\n"
            "    def test_good(self): pass\n")
        self.assertEqual(counts, (2, 1, 0))
        for words in ("good is printed", "bad is told", "== trial_test.Two.test_good"):
            self.assertIn(words, said)

    def test_what_is_left_out_needs_a_known_reason(self):
        skip = ("class One(unittest.TestCase):\n    def test_good(self): pass\n"
                "    @unittest.skip('{}')\n    def test_other(self): pass\n")
        self.assertEqual(self.run_tests(skip.format("embedded only: files"))[0], (1, 0, 1))
        counts, said = self.run_tests(skip.format("no Redis here"))
        self.assertEqual(counts, (1, 1, 0))
        self.assertIn("left out without need", said)

    def test_a_class_that_dies_has_failed(self):
        counts, _ = self.run_tests("class One(unittest.TestCase):\n"
                                   "    def test_dies(self): os._exit(0)\n")
        self.assertEqual(counts[:2], (0, 1))

    def test_a_module_that_cannot_be_loaded_has_failed(self):
        self.assertEqual(self.run_tests("raise ImportError('no')\n")[0], (0, 1, 0))
        self.assertEqual(self.run_tests("")[0], (0, 1, 0), "nor may it be empty")

    def test_one_that_wants_to_be_alone_is(self):
        counts, _ = self.run_tests(
            "def busy(self):\n"
            "    flag = os.environ['E2E_SECONDS'] + '.flag'\n"
            "    self.assertFalse(os.path.exists(flag))\n"
            "    open(flag, 'w').close()\n"
            "    time.sleep(0.5)\n"
            "    os.remove(flag)\n"
            "class One(unittest.TestCase):\n    ALONE = True\n    test = busy\n"
            "class Two(unittest.TestCase):\n    test = busy\n"
            "class Three(unittest.TestCase):\n    ALONE = True\n    test = busy\n")
        self.assertEqual(counts, (3, 0, 0))


if __name__ == "__main__":
    unittest.main()
