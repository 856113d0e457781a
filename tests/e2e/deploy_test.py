"""What is in deploy/ is what the tools it is for take, and names only what the server really shows."""
import json
import re
import subprocess
import unittest

from harness import BINARY, CLUSTERED, ROOT, FloodgateTest

DEPLOY = ROOT / "deploy"


def run(*words, cwd=None):
    return subprocess.run(words, cwd=cwd, capture_output=True, text=True, timeout=300, check=False)


class PrometheusRules(FloodgateTest):
    FILES = ("floodgate.rules", "floodgate-cluster.rules")

    def test_promtool_takes_them(self):
        for name in self.FILES:
            done = run("promtool", "check", "rules", f"{name}.yml", cwd=DEPLOY / "prometheus")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_each_fires_when_it_should(self):
        for name in self.FILES:
            done = run("promtool", "test", "rules", f"{name}_test.yml", cwd=DEPLOY / "prometheus")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_every_alert_has_its_section_in_the_runbook(self):
        rules = "".join((DEPLOY / f"prometheus/{name}.yml").read_text() for name in self.FILES)
        headings = re.findall(r"^#+ (\w+)", (ROOT / "docs/operating.md").read_text(), re.MULTILINE)
        sections = {h.lower() for h in headings}
        for alert in re.findall(r"- alert: (\w+)", rules):
            self.assertIn(alert.lower(), sections)
            self.assertIn(f"docs/operating.md#{alert.lower()}", rules)


class Metrics(FloodgateTest):
    def test_rules_and_dashboard_name_only_metrics_that_are_shown(self):
        shop = self.fixture(users=2, stock=1)
        server = self.serve(shop.data)
        with server.client() as client:
            client.buy(shop.sales[0], shop.tokens[0])
        self.wait_until(lambda: "floodgate_sale_units{" in server.metrics_text())
        shown = {line.split("{")[0].split(" ")[0]
                 for line in server.metrics_text().splitlines() if not line.startswith("#")}
        for name in (["prometheus/floodgate-cluster.rules.yml"] if CLUSTERED else
                     ["prometheus/floodgate.rules.yml", "grafana/floodgate.json"]):
            used = set(re.findall(r"\bfloodgate_\w+", (DEPLOY / name).read_text()))
            self.assertEqual(used - shown, set(), name)

    def test_the_dashboard_is_json_with_panels_that_do_not_overlap(self):
        panels = json.loads((DEPLOY / "grafana/floodgate.json").read_text())["panels"]
        taken = set()
        for panel in panels:
            at = panel["gridPos"]
            cells = {(x, y) for x in range(at["x"], at["x"] + at["w"])
                     for y in range(at["y"], at["y"] + at["h"])}
            self.assertFalse(cells & taken, panel["title"])
            taken |= cells


class SystemdUnit(FloodgateTest):
    def test_systemd_takes_it(self):
        unit = self.directory() / "floodgate.service"
        text = (DEPLOY / "systemd/floodgate.service").read_text()
        unit.write_text(text.replace("/usr/local/bin/floodgate", str(BINARY)))
        done = run("systemd-analyze", "verify", str(unit))
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))
        more = unit.with_name("floodgate.service.d")
        more.mkdir()
        (more / "cluster.conf").write_text((DEPLOY / "systemd/cluster.conf").read_text())
        done = run("systemd-analyze", "verify", str(unit))
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))
        (more / "cluster.conf").write_text("[Service]\nRestartSecc=3\n")
        self.assertIn("RestartSecc", run("systemd-analyze", "verify", str(unit)).stderr,
                      "it was not looked at")


if __name__ == "__main__":
    unittest.main()
