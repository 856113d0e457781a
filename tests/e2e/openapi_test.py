"""openapi.json: sound in itself, complete, and true of every answer the other tests have seen."""
import collections
import io
import json
import pathlib
import re
import unittest

import jsonschema

import accounts_test
import admin_test
import api_test
import roles_test
import staff_calls_test
import timed_jobs_test
import upsert_test
from description import Description
from harness import API, ROOT
from recording import SharedServer, record


# The tests of payments make these calls: they need a channel to answer to.
OF_CHANNELS = {"take_alipay_message", "take_wechat_message", "take_external_message",
               "return_from_alipay"}


WALKERS = (accounts_test, api_test, admin_test, roles_test, staff_calls_test, timed_jobs_test, upsert_test)


def walk(node, path=""):
    """Every dictionary in the document, with where it stands."""
    if isinstance(node, dict):
        yield path, node
        for key, value in node.items():
            yield from walk(value, f"{path}/{key}")
    elif isinstance(node, list):
        for number, value in enumerate(node):
            yield from walk(value, f"{path}/{number}")


def walkers():
    """The test classes that together call every operation."""
    return [c for module in WALKERS for c in vars(module).values()
            if isinstance(c, type) and issubclass(c, SharedServer) and c.__module__ == module.__name__]


class OpenApiTest(SharedServer):
    log_in_admin = False

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.document = cls.client.get(f"{API}/openapi.json").json
        cls.description = Description(cls.document)
        # Side by side, this process may have run some of these classes, all of them or none.
        missing = [c for c in walkers() if c.__name__ not in record.walked]
        suite = unittest.TestSuite(map(unittest.defaultTestLoader.loadTestsFromTestCase, missing))
        unittest.TextTestRunner(stream=io.StringIO()).run(suite)

    def test_what_is_served_is_what_is_in_the_repository(self):
        file = pathlib.Path(ROOT, "src/api/openapi.json")
        self.assertEqual(self.document, json.loads(file.read_text()),
                         "the binary is older than src/api/openapi.json")

    def test_its_structure_is_sound(self):
        self.assertRegex(self.document["openapi"], r"^3\.1\.\d+$")
        self.assertTrue(self.document["info"]["title"] and self.document["info"]["version"])
        tags = {tag["name"] for tag in self.document["tags"]}
        schemes = self.document["components"]["securitySchemes"]
        names = [o.details["operationId"] for o in self.description.operations]
        self.assertEqual(len(names), len(set(names)), "operationId twice")
        for operation in self.description.operations:
            with self.subTest(operation.name):
                details = operation.details
                self.assertTrue(details["summary"])
                self.assertLessEqual(set(details["tags"]), tags)
                self.assertIn("default", details["responses"])
                self.assertTrue(any(s.startswith("2") or s in ("101", "303")
                                    for s in details["responses"]))
                for requirement in details["security"]:
                    self.assertLessEqual(set(requirement), set(schemes))
                declared = {p["name"] for p in map(self.description.resolve,
                                                   details.get("parameters", []))
                            if p["in"] == "path" and p["required"]}
                self.assertEqual(declared, set(re.findall(r"\{(\w+)\}", operation.path)))

    def test_every_reference_leads_somewhere_and_everything_is_used(self):
        used = set()
        for path, node in walk(self.document):
            if "$ref" in node:
                with self.subTest(path):
                    self.description.resolve({"$ref": node["$ref"]})
                used.add(node["$ref"])
        for kind in ("schemas", "responses", "parameters"):
            for name in self.document["components"][kind]:
                self.assertIn(f"#/components/{kind}/{name}", used)

    def test_every_schema_is_one_and_closed(self):
        checked = 0
        for path, node in walk(self.document):
            if path.endswith(("/schema", "/items")) or re.search(r"/schemas/\w+$", path):
                jsonschema.Draft202012Validator.check_schema(node)
                checked += 1
                if node.get("type") == "object" and "properties" in node:
                    if "/history/get/" not in path:  # each kind of line says something else
                        self.assertIs(node.get("additionalProperties"), False, path)
                    self.assertLessEqual(set(node.get("required", [])), set(node["properties"]),
                                         path)
        self.assertGreater(checked, 100)

    def test_every_example_fits_its_schema(self):
        checked = 0
        for path, node in walk(self.document):
            if "schema" not in node:
                continue
            examples = [e["value"] for e in node.get("examples", {}).values()]
            examples += [node["example"]] if "example" in node else []
            for example in examples:
                faults = [e.message for e in
                          self.description.validator(node["schema"]).iter_errors(example)]
                self.assertEqual(faults, [], path)
                checked += 1
        self.assertGreater(checked, 50)

    def test_every_route_is_described_and_nothing_else(self):
        table = (ROOT / "src/api/routes.cpp").read_text()
        routes = {(verb.upper(), path)
                  for verb, path in re.findall(r'\{(get|post|put),\s+"(/[^"]+)"', table)}
        self.assertGreater(len(routes), 30)
        self.assertEqual({(o.method, o.path) for o in self.description.operations}, routes)

    def test_every_answer_that_was_seen_is_described(self):
        wrong = collections.Counter()
        for seen in record.exchanges:
            if seen.method == "OPTIONS":  # what a browser asks before a page of another origin may call
                continue
            operation = self.description.find(seen.method, seen.path)
            if operation is None:
                if seen.answer.status not in (404, 405):
                    wrong[f"{seen.method} {seen.path}: {seen.answer.status} from nowhere"] += 1
                continue
            for fault in self.description.faults(operation, seen.answer, seen.method != "HEAD"):
                wrong[f"{operation.name} {seen.answer.status}: {fault}"] += 1
        self.assertEqual(sorted(wrong), [])

    def test_every_operation_was_seen_to_succeed(self):
        seen = {self.description.find(e.method, e.path).name for e in record.exchanges
                if e.answer.status < 300 and self.description.find(e.method, e.path)}
        missing = {o.details["operationId"] for o in self.description.operations if o.name not in seen}
        self.assertEqual(missing, OF_CHANNELS)


if __name__ == "__main__":
    unittest.main()
