#!/usr/bin/python3
"""docs/learning.md: every command works as printed, and prints what the page says. So do those of its
Chinese twin, which are the same."""
import os
import re
import subprocess
import unittest

from books import clustered_only
from cluster import servers
from harness import BINARY, ROOT, FloodgateTest

PAGES = {language: (ROOT / place).read_text() for language, place in
         (("en", "docs/learning.md"), ("zh", "docs/zh/learning.md"))}
LESSON = re.compile(r"^```bash( rabbitmq)?\n(.*?)^```\n```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def lessons(page, rabbit):
    return [(commands, printed) for kind, commands, printed in LESSON.findall(page) if bool(kind) == rabbit]


def pattern_of(printed):
    """`…` is anything in a line, and any lines if it stands alone."""
    whole = []
    for line in printed.splitlines():
        words = [re.escape(part) for part in line.split("…")]
        whole.append(r"(?:[^\n]*\n)*?" if line == "…" else r"[^\n]*".join(words) + r"\n")
    return re.compile("".join(whole))


class TheText(unittest.TestCase):
    def test_both_languages_have_the_same_lessons(self):
        self.assertEqual(LESSON.findall(PAGES["en"]), LESSON.findall(PAGES["zh"]))
        self.assertEqual(len(re.findall("^### ", PAGES["en"], re.MULTILINE)),
                         len(lessons(PAGES["en"], rabbit=False)))

    def test_what_is_printed_is_compared(self):
        self.assertTrue(pattern_of("a\n…\nb…\n").fullmatch("a\nx\ny\nbc\n"))
        self.assertTrue(pattern_of("…\nb\n").fullmatch("b\n"))
        self.assertFalse(pattern_of("a\n…\nb\n").fullmatch("a\nx\n"))
        self.assertFalse(pattern_of("1\n").fullmatch("10\n"))


@clustered_only("the page is about a cluster")
class TheLearnersPage(FloodgateTest):
    def setUp(self):
        super().setUp()
        self.place.chmod(0o711)  # as root, MariaDB runs as a user of its own
        self.environment = {**os.environ, "FLOODGATE_CLUSTER_DIR": str(self.place / "state")}

    def run_line(self, line):
        return subprocess.run(["bash", "-c", line], cwd=ROOT, env=self.environment, capture_output=True,
                              text=True, timeout=900, check=False)

    def up(self, *options):
        port = servers.free_port(3)
        self.addCleanup(self.run_line, "scripts/cluster down")
        words = " ".join(["scripts/cluster up --binary", str(BINARY), "--port", str(port), *options])
        done = self.run_line(words)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def work_through(self, wanted):
        self.assertTrue(wanted)
        for commands, printed in wanted:
            done = self.run_line(commands)
            said = done.stdout if done.stdout.endswith("\n") else done.stdout + "\n"
            self.assertTrue(pattern_of(printed).fullmatch(said),
                            f"{commands}\nprinted:\n{said}{done.stderr}\nthe page says:\n{printed}")

    def test_every_command_works_as_printed(self):
        self.up()
        self.work_through(lessons(PAGES["en"], rabbit=False))

    def test_every_command_about_rabbitmq_works_as_printed(self):
        self.up("--rabbitmq")
        self.work_through(lessons(PAGES["en"], rabbit=True))


if __name__ == "__main__":
    unittest.main()
