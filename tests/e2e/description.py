"""The served openapi.json, read: operations, their bodies, and what each may answer."""
import copy
import dataclasses
import json
import re

import jsonschema

from recording import moment_of

formats = jsonschema.FormatChecker(formats=())


@formats.checks("date-time", raises=ValueError)
def is_moment(text):
    return not isinstance(text, str) or bool(moment_of(text))


@dataclasses.dataclass
class Operation:
    method: str
    path: str     # with {id} and {no}
    details: dict

    @property
    def name(self):
        return f"{self.method} {self.path}"


class Description:

    def __init__(self, document):
        self.document = document
        self.operations = [Operation(method.upper(), path, details)
                           for path, item in document["paths"].items()
                           for method, details in item.items()]
        self.resolver = jsonschema.RefResolver.from_schema(document)  # once: it remembers what it has found
        self.codes = document["components"]["schemas"]["Problem"]["properties"]["code"]["enum"]

    def resolve(self, node):
        """Follows $ref. What stands beside a $ref adds to it."""
        while "$ref" in node:
            target = self.document
            for part in node["$ref"].removeprefix("#/").split("/"):
                target = target[part]
            node = {**target, **{k: v for k, v in node.items() if k != "$ref"}}
        return node

    def find(self, method, path):
        """The operation for a real path, or None."""
        method, path = "GET" if method == "HEAD" else method, path.split("?")[0]
        for operation in self.operations:
            path_pattern = re.escape(operation.path).replace(r"\{name\}", "[^/]+")
            pattern = re.sub(r"\\?\{\w+\\?\}", r"([1-9][0-9]{0,18})", path_pattern)
            found = re.fullmatch(pattern, path)
            if operation.method == method and found and \
                    all(int(number) < 2**63 for number in found.groups()):
                return operation
        return None

    def verbs(self, path):
        return {o.method for o in self.operations if o.path == path}

    def body_schema(self, operation):
        """(schema, example) of the request body, or None. What payment channels send is signed, and answered
        as each channel wants it: money_test.py has what is wrong with it."""
        if "requestBody" not in operation.details or "/payments/" in operation.path:
            return None
        if "application/json" not in operation.details["requestBody"]["content"]:
            return None
        content = operation.details["requestBody"]["content"]["application/json"]
        return self.resolve(content["schema"]), copy.deepcopy(content["example"])

    def response(self, operation, status):
        responses = operation.details["responses"]
        return self.resolve(responses[str(status)] if str(status) in responses
                            else responses["default"])

    def validator(self, schema):
        return jsonschema.Draft202012Validator(schema, resolver=self.resolver, format_checker=formats)

    def faults(self, operation, answer, had_body=True):
        """What is wrong with an answer, as sentences."""
        documented = self.response(operation, answer.status)
        if str(answer.status) not in operation.details["responses"] and not answer.code:
            return [f"{answer.status} is not described"]
        wrong = [f"the header {name} is missing" for name in documented.get("headers", {})
                 if name.lower() not in answer.headers]
        if "content" not in documented:
            return wrong + (["a body where none is described"] if answer.body else [])
        media = answer.headers.get("content-type", "").split(";")[0]
        if media not in documented["content"]:
            return wrong + [f"content type {media}, described is {list(documented['content'])}"]
        if not had_body or not media.endswith("json"):
            return wrong
        schema = documented["content"][media]["schema"]
        values = [answer.json] if media != "application/x-ndjson" else \
            [json.loads(line) for line in answer.text.splitlines()]
        return wrong + [f"{'/'.join(map(str, e.path))}: {e.message}"
                        for value in values for e in self.validator(schema).iter_errors(value)]
