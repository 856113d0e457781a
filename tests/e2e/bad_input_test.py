"""Every endpoint of openapi.json is fed what it must not take, made systematically from its schema.

Each time: a 4xx problem with a known code, no hang, a server that lives on, a catalogue unchanged.
"""
import json
import re
import unittest

from description import Description
from harness import API, request_bytes
from recording import PAY_TEST, FAST, RecordingClient, SharedServer

WRONG_FOR = {  # what is not of this type
    "string": [None, True, 1, 1.5, [], {}, ["a"]],
    "integer": [None, True, "1", "", 1.5, [], {}, [1]],
    "boolean": [None, 0, 1, "true", [], {}],
    "array": [None, True, 1, "a", {}, [1], [None], [[]], [{}]],
    "object": [None, True, 1, "a", [], [{}]],
}
NUMBERS = ["-1", "9223372036854775808", "-9223372036854775809", "1e3", "1.0", "1e400", "-0.0",
           "1" + "0" * 400, "0x10", "01", "+1", "NaN", "Infinity", "1_000"]
STRINGS = ['"\\ud800"', '"\\u0000"', '"a\\u0007b"', '"\\x41"', '"unfinished', "'single'",
           '"raw\ttab"']
MOMENTS = ["", "yesterday", "2026-01-01", "2026-01-01T00:00:00", "2026-13-01T00:00:00Z",
           "2026-02-30T00:00:00Z", "2026-01-01T24:00:00Z", "1969-12-31T23:59:59Z",
           "9999-12-31T23:59:59Z", "2026-01-01T00:00:00.1Z", "2026-01-01 00:00:00Z",
           "2026-01-01T00:00:00+99:00", "-2026-01-01T00:00:00Z", "2026-01-01T00:00:00Zjunk"]
BROKEN = [b"{", b"}", b"[]", b"null", b"1", b'"text"', b"true", b"{}{}", b"{} x", b"{,}", b'{"a"}',
          b'{"a":}', b'{"a":1,}', b"{'a':1}", b"{a:1}", b"/* */{}", b"\xef\xbb\xbf{}", b"\x00",
          b"\xff\xfe{\x00}\x00", b'{"a":"\xff"}', b'{"\xc3\x28":1}', b'{"a":"\xed\xa0\x80"}',
          b"[" * 30000, b'{"a":' * 9000, b'{"a":' * 20 + b"1" + b"}" * 20, b"<xml/>", b"a=1&b=2",
          b'{"quantity":1,"quantity":1}', b'{"quantity":1,"quant\\u0069ty":1}']
IDS = ["0", "-1", "00", "01", "abc", "1.5", "1e3", "9223372036854775807", "9223372036854775808",
       "99999999999999999999999999", "%31", "1%2F2", "1%00", "..", "*", "1;x", "1,2", "+1", "0x1",
       "%D9%A3", "null", "undefined", "1'--", "{id}", "x" * 1000]
SECRETS = {"password", "old_password", "new_password", "code"}
NUMBER_QUERIES = ["", "0", "-1", "1.5", "1e2", "abc", "9223372036854775808", "%00", "1%20", "+5",
                  "100000", "null", "%zz", "٣"]
SHORT_BODY_BYTES_MAX = 4096  # of calls that are not an admin's


class BadInputTest(SharedServer):
    config = PAY_TEST + FAST + "purchase_by_user_per_minute = 0\n" \
        "login_by_device_per_minute = 0\nlogin_by_account_per_minute = 0\nlogin_by_user_per_minute = 0\n"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.description = Description(cls.client.get(f"{API}/openapi.json").json)
        cls.key = cls.client.post(f"{API}/admin/api-keys", {
            "name": "all", "scopes": ["catalogue", "orders", "logins", "payment"]}, cls.admin).json["key"]

    def setUp(self):
        self.buyer = self.register()
        self.sale = self.add_sale(stock=50)
        self.shown = self.manage("GET", f"/sales/{self.sale}")
        self.tried = 0

    def tearDown(self):
        """Whatever it was: it did no harm."""
        if self.tried:
            self.assertEqual(self.client.get("/healthz").status, 200)
            self.assertEqual(self.manage("GET", f"/sales/{self.sale}"), self.shown)
            self.assertEqual(self.client.get(f"{API}/orders", self.buyer).json["orders"], [])
            self.assertEqual(self.catalogue(), self.before)

    def catalogue(self):
        return [self.manage("GET", path) for path in
                ("/products", "/rounds", "/sales", "/audit?limit=500")]

    def begin(self):
        self.before = self.catalogue()

    def real_path(self, operation):
        """The path with the ids of things that exist."""
        existing = {"products": self.shown["product_id"], "rounds": self.shown["round_id"],
                    "sales": self.sale, "orders": 1}
        return operation.path.replace("{id}", str(existing.get(operation.path.split("/")[-2], 0) or
                                                  self.sale)).replace("{no}", "1") \
            if "{" in operation.path else operation.path

    def token_for(self, operation):
        if "/service/" in operation.path:
            return self.key
        return self.admin if "/admin/" in operation.path else self.buyer

    def expect_refusal(self, answer, what, statuses=range(400, 500)):
        self.tried += 1
        self.assertIn(answer.status, statuses, f"{what}: {answer.text[:300]}")
        self.assertEqual(answer.headers["content-type"], "application/problem+json", what)
        problem = answer.json
        self.assertIn(problem["code"], self.description.codes, what)
        self.assertEqual(problem["status"], answer.status, what)
        return problem

    def send_body(self, operation, body, content_type="application/json"):
        """Raw bytes as the body, over the class's connection or a new one."""
        client = type(self).client
        client.send(request_bytes(operation.method, self.real_path(operation),
                                  self.token_for(operation), body,
                                  {"Content-Type": content_type}))
        answer = client.receive()
        if answer.headers.get("connection") == "close":
            client.close()
            type(self).client = RecordingClient(self.server.address)
        return answer

    def refuse_bodies(self, bodies, statuses=(400,)):
        """bodies(schema, example) gives raw bodies, each to be refused by the operation."""
        self.begin()
        for operation in self.description.operations:
            described = self.description.body_schema(operation)
            if not described:
                continue
            for body in bodies(*described):
                answer = self.send_body(operation, body)
                what = f"{operation.name} {body[:120]!r}"
                too_long = len(body) > SHORT_BODY_BYTES_MAX and not re.search("/(admin|service)/", operation.path)
                problem = self.expect_refusal(answer, what, (413,) if too_long else statuses)
                self.assertTrue(problem.get("detail"), f"{what}: no detail")
        self.assertGreater(self.tried, 10)

    def spoilt(self, example, field, raw):
        """The example as JSON text with one field's value replaced by raw text."""
        rest = {k: v for k, v in example.items() if k != field}
        text = json.dumps(rest)[:-1] + (", " if rest else "") + json.dumps(field) + ": " + raw + "}"
        return text.encode("utf-8", "surrogatepass")

    def properties(self, schema):
        for name, rule in schema.get("properties", {}).items():
            yield name, self.description.resolve(rule)

    def test_wrong_types(self):
        self.refuse_bodies(lambda schema, example: [
            self.spoilt(example, name, json.dumps(value))
            for name, rule in self.properties(schema) for value in WRONG_FOR[rule["type"]]])

    def test_numbers_out_of_bounds_and_out_of_this_world(self):
        def bodies(schema, example):
            for name, rule in self.properties(schema):
                if rule["type"] != "integer":
                    continue
                outside = [str(rule["minimum"] - 1), str(rule["maximum"] + 1)]
                for raw in outside + NUMBERS:
                    if raw == "-1" and rule["minimum"] < 0:
                        continue  # -1 is fine where stock is removed
                    yield self.spoilt(example, name, raw)
        self.refuse_bodies(bodies)

    def test_texts_too_long_too_short_or_not_texts(self):
        def bodies(schema, example):
            for name, rule in self.properties(schema):
                if rule["type"] != "string":
                    continue
                if rule.get("format") == "date-time":
                    values = [json.dumps(v) for v in MOMENTS]
                else:
                    values = [json.dumps("x" * (rule.get("maxLength", 100) + 1))]
                    values += [json.dumps("")] if rule.get("minLength") else []
                    # Not for secrets: whatever was typed may be one.
                    values += [json.dumps("  ")] if rule.get("minLength") and name not in SECRETS else []
                for raw in values + (STRINGS if name not in SECRETS else STRINGS[3:]):
                    yield self.spoilt(example, name, raw)
        self.refuse_bodies(bodies)

    def test_lists_too_long_or_of_the_wrong_things(self):
        def bodies(schema, example):
            for name, rule in self.properties(schema):
                if rule["type"] == "array":
                    for value in (["a"] * (rule["maxItems"] + 1), [""], ["x" * 501], ["a", 1],
                                  ["a", None], [["a"]]):
                        yield self.spoilt(example, name, json.dumps(value))
        self.begin()
        self.refuse_bodies(lambda s, e: [*bodies(s, e), b"[1]"])

    def test_missing_fields(self):
        self.refuse_bodies(lambda schema, example: [
            json.dumps({k: v for k, v in example.items() if k != name}).encode()
            for name in schema.get("required", [])])

    def test_unknown_and_doubled_fields(self):
        def bodies(_, example):
            for name in ("id", "x" * 300, "", "constructor", "__proto__", "状态"):
                yield self.spoilt(example, name, "1")
            for name in example:
                yield self.spoilt(example, name, json.dumps(example[name])).replace(
                    b"{", b"{" + json.dumps(name).encode() + b": 1, ", 1)
        self.refuse_bodies(bodies)

    def test_bodies_that_are_not_json_objects(self):
        self.refuse_bodies(lambda *_: BROKEN)

    def test_bodies_that_are_too_large(self):
        self.refuse_bodies(lambda *_: [b" " * 70_000, b'{"a":"' + b"x" * 1_000_000 + b'"}'], (413,))

    def test_bodies_of_another_kind(self):
        self.begin()
        for operation in self.description.operations:
            described = self.description.body_schema(operation)
            if not described:
                continue
            for kind in ("text/plain", "application/xml", "multipart/form-data; boundary=x",
                         "application/x-www-form-urlencoded", "application/jsonp", "json", "/"):
                answer = self.send_body(operation, json.dumps(described[1]).encode(), kind)
                problem = self.expect_refusal(answer, f"{operation.name} {kind}", (415,))
                self.assertEqual(problem["code"], "unsupported_media_type")

    def test_wrong_verbs(self):
        self.begin()
        for path in {o.path for o in self.description.operations}:
            known = self.description.verbs(path)
            operation = next(o for o in self.description.operations if o.path == path)
            for verb in ("GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "LOCK"):
                if verb in known:
                    continue
                answer = self.client.ask(verb, self.real_path(operation), self.admin)
                self.expect_refusal(answer, f"{verb} {path}", (405,))
                allowed = set(answer.headers["allow"].split(", "))
                self.assertEqual(allowed - {"HEAD"}, known, f"{verb} {path}")

    def test_ids_that_are_none(self):
        self.begin()
        for operation in self.description.operations:
            if "{" not in operation.path:
                continue
            start, _, end = operation.path.partition("{")
            body = (self.description.body_schema(operation) or (None, None))[1]
            for text in IDS:
                path = start + text + end.partition("}")[2]
                answer = self.client.ask(operation.method, path, self.token_for(operation), body)
                self.expect_refusal(answer, f"{operation.method} {path}", (404,))

    def test_paths_that_lead_nowhere(self):
        self.begin()
        for path in ("//", "/api", "/api/v1", "/api/v1/", "/API/V1/time", "/api/v1/time/",
                     "/api/v1/../v1/time", "/api/v1//time", "/api/v1/%74ime", "/etc/passwd",
                     "/../../etc/passwd", "/api/v1/time;x", "/api/v2/time", "/.git/config", "/%00",
                     "/api/v1/admin", "/api/v1/admin/", "/favicon.ico", "/metrics/x"):
            self.expect_refusal(self.client.get(path, self.admin), path, (404,))

    def test_bad_queries(self):
        self.begin()
        for operation in self.description.operations:
            if {"ticket": []} in operation.details["security"]:
                continue  # nothing is looked at before the ticket: results_test.py
            parameters = map(self.description.resolve, operation.details.get("parameters", []))
            for name, rule in [(p["name"], self.description.resolve(p["schema"])) for p in parameters
                               if p["in"] == "query"]:
                if rule.get("type") != "integer":
                    continue
                for value in NUMBER_QUERIES:
                    if re.fullmatch("[0-9]+", value) and rule["minimum"] <= int(value) <= rule.get("maximum", 2**63 - 1):
                        continue  # these are fine
                    path = f"{self.real_path(operation)}?{name}={value}"
                    answer = self.client.ask(operation.method, path, self.token_for(operation))
                    problem = self.expect_refusal(answer, path, (400,))
                    self.assertEqual(problem["field"], name)

    def test_tokens_that_are_none(self):
        self.begin()
        for operation in self.description.operations:
            if not operation.details["security"]:
                continue
            for headers in ({}, {"token": ""}, {"token": "x" * 32}, {"token": "x" * 4000},
                            {"Authorization": "Bearer"}, {"Authorization": "Bearer "},
                            {"Authorization": f"Basic {self.admin}"}, {"token": "\u00ff" * 32},
                            {"Authorization": self.admin}, {"token": f"{self.admin}x"},
                            {"token": self.admin[:-1]}, {"token": self.admin.swapcase()}):
                answer = self.client.ask(operation.method, self.real_path(operation),
                                         headers=headers)
                self.expect_refusal(answer, f"{operation.name} {headers}", (401,))


if __name__ == "__main__":
    unittest.main()
