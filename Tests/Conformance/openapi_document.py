#!/usr/bin/env python3
"""Holds the description of the admin API to OpenAPI 3.1 and to our own rules.

    openapi_document.py [--format] docs/api/openapi.json

`rule-set.schema.json` beside it is the source of the schemas that it defines: the document has the
same under the same names. `--format` copies them there, and writes both files anew in the one form
they have. Exits 0 only if nothing is wrong.
"""

import json
import os
import re
import sys

from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

COLUMNS = 120
METHODS = {"get", "post", "put", "patch", "delete"}
ALWAYS = {"401", "403", "429", "500", "503"}
NO_SCOPE = "none"


def formatted(value, indent=0, used=0):
    """JSON with what fits on a line on one line, so that a person can keep it."""
    line = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (dict, list)) or not value or indent + used + len(line) < COLUMNS:
        return line
    inner = " " * (indent + 2)
    if isinstance(value, list):
        parts = [inner + formatted(item, indent + 2) for item in value]
        return "[\n" + ",\n".join(parts) + "\n" + " " * indent + "]"
    parts = []
    for name, item in value.items():
        key = json.dumps(name, ensure_ascii=False) + ": "
        parts.append(inner + key + formatted(item, indent + 2, len(key)))
    return "{\n" + ",\n".join(parts) + "\n" + " " * indent + "}"


def without_repetition(pairs):
    names = [name for name, _ in pairs]
    repeated = {name for name in names if names.count(name) > 1}
    if repeated:
        raise ValueError(f"members given twice: {', '.join(sorted(repeated))}")
    return dict(pairs)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def parsed(text):
    return json.loads(text, object_pairs_hook=without_repetition)


def schemas_of(schema):
    """The definitions of a JSON schema as the document refers to them."""
    text = json.dumps(schema["$defs"], ensure_ascii=False)
    return json.loads(text.replace('"#/$defs/', '"#/components/schemas/'))


def rule_set_schema(path):
    return os.path.join(os.path.dirname(path), "rule-set.schema.json")


class Document:
    def __init__(self, text):
        self.root = parsed(text)
        self.faults = []
        self.examples = 0
        self.request_schemas = set()

    def fault(self, where, what):
        self.faults.append(f"{where}: {what}")

    def resolved(self, value):
        while "$ref" in value:
            target = self.root
            for part in value["$ref"].removeprefix("#/").split("/"):
                target = target[part.replace("~1", "/").replace("~0", "~")]
            value = {**target, **{k: v for k, v in value.items() if k != "$ref"}}
        return value

    def operations(self):
        for path, item in self.root["paths"].items():
            for method, operation in item.items():
                if method in METHODS:
                    yield path, method, operation

    def parameters(self, operation):
        return [self.resolved(parameter) for parameter in operation["parameters"]]

    def judge(self):
        for error in OpenAPIV31SpecValidator(self.root).iter_errors():
            self.fault("OpenAPI", f"{error.json_path}: {error.message}")
        if self.faults:
            return
        seen = set()
        for path, method, operation in self.operations():
            name = operation["operationId"]
            if name in seen:
                self.fault(name, "is the operationId of two")
            seen.add(name)
            self.judge_scope(name, method, operation)
            self.judge_parameters(name, path, operation)
            self.judge_conditions(name, method, operation)
            self.judge_bodies(name, operation)
            self.judge_links(name, operation)
        self.judge_components()

    def judge_scope(self, name, method, operation):
        scope = operation.get("x-holdfast-scope")
        if scope == NO_SCOPE:
            if operation.get("security") != []:
                self.fault(name, "needs no scope and yet a key")
            return
        if scope not in self.root["components"]["schemas"]["APIScope"]["enum"]:
            self.fault(name, f"has no scope we know: {scope}")
        elif (method == "get") != scope.endswith(":read"):
            self.fault(name, f"{method} with the scope {scope}")
        missing = ALWAYS - set(operation["responses"])
        if missing:
            self.fault(name, f"does not say that it may answer {', '.join(sorted(missing))}")
        tags = {tag["name"] for tag in self.root["tags"]}
        if len(operation["tags"]) != 1 or not set(operation["tags"]) <= tags:
            self.fault(name, "has not exactly one of the tags")

    def judge_parameters(self, name, path, operation):
        parameters = self.parameters(operation)
        in_path = [p["name"] for p in parameters if p["in"] == "path"]
        if sorted(in_path) != sorted(re.findall(r"\{(\w+)\}", path)):
            self.fault(name, f"the path {path} and its parameters {in_path} differ")
        if in_path and "404" not in operation["responses"]:
            self.fault(name, "has an identifier in its path and no 404")
        for parameter in parameters:
            if parameter["in"] == "path" and "x-holdfast-id" not in parameter:
                self.fault(name, f"{parameter['name']} does not say what it identifies")
            if "example" in parameter:
                self.judge_example(name, parameter["schema"], parameter["example"])

    def judge_conditions(self, name, method, operation):
        given = {p["name"]: p for p in self.parameters(operation) if p["in"] == "header"}
        answers = set(operation["responses"])
        idempotency = operation.get("x-holdfast-idempotency")
        wanted = ("required", "allowed") if method == "post" else (None,)
        if idempotency not in wanted or (idempotency is None) == ("Idempotency-Key" in given):
            self.fault(name, f"x-holdfast-idempotency is {idempotency}")
        elif idempotency and given["Idempotency-Key"]["required"] != (idempotency == "required"):
            self.fault(name, "Idempotency-Key and x-holdfast-idempotency differ")
        if idempotency and not {"400", "409", "422"} <= answers:
            self.fault(name, "takes an Idempotency-Key and lacks 400, 409 or 422")
        match = operation.get("x-holdfast-if-match")
        if match not in (None, "required", "onExisting") or (match is None) == ("If-Match" in given):
            self.fault(name, f"x-holdfast-if-match is {match}")
        elif match and given["If-Match"]["required"] != (match == "required"):
            self.fault(name, "If-Match and x-holdfast-if-match differ")
        if match and not {"404", "412", "428"} <= answers:
            self.fault(name, "takes If-Match and lacks 404, 412 or 428")
        # A PUT without a body says that something is to be there: no word of anybody's is overwritten.
        if match is None and (method == "patch" or method == "put" and "requestBody" in operation):
            self.fault(name, "changes something without If-Match")
        if ("If-None-Match" in given) != ("304" in answers):
            self.fault(name, "If-None-Match and 304 belong together")

    def judge_bodies(self, name, operation):
        body = operation.get("requestBody")
        if body:
            if not {"413", "415", "422"} <= set(operation["responses"]):
                self.fault(name, "has a body and lacks 413, 415 or 422")
            for content in body["content"].values():
                self.judge_closed(name, content["schema"])
                self.judge_content(name, content)
        for status, response in operation["responses"].items():
            response = self.resolved(response)
            if "Request-Id" not in response.get("headers", {}):
                self.fault(name, f"its {status} has no Request-Id")
            for content in response.get("content", {}).values():
                self.judge_content(f"{name} {status}", content)
            if status == "201" and "Location" not in response["headers"]:
                self.fault(name, "its 201 has no Location")

    def judge_closed(self, name, schema):
        """What is sent has no members besides those named."""
        if "$ref" in schema:
            if schema["$ref"] in self.request_schemas:
                return
            self.request_schemas.add(schema["$ref"])
            name = f"{name} {schema['$ref']}"
            schema = self.resolved(schema)
        kinds = schema.get("type")
        if "properties" in schema or kinds == "object" or isinstance(kinds, list) and "object" in kinds:
            if schema.get("additionalProperties") is not False:
                self.fault(name, "is sent, and lets in any member")
        for part in [
            *schema.get("properties", {}).values(), *schema.get("oneOf", []),
            *schema.get("anyOf", []), *schema.get("allOf", []),
            *([schema["items"]] if "items" in schema else []),
        ]:
            self.judge_closed(name, part)

    def judge_content(self, name, content):
        examples = [example["value"] for example in content.get("examples", {}).values()]
        for example in examples + [content["example"]] if "example" in content else examples:
            self.judge_example(name, content["schema"], example)

    def judge_example(self, name, schema, example):
        self.examples += 1
        whole = {**schema, "components": self.root["components"]}
        validator = Draft202012Validator(whole, format_checker=Draft202012Validator.FORMAT_CHECKER)
        for error in validator.iter_errors(example):
            self.fault(name, f"its example at {error.json_path}: {error.message}")

    def judge_links(self, name, operation):
        known = {operation["operationId"]: operation for _, _, operation in self.operations()}
        for response in operation["responses"].values():
            for link_name, link in self.resolved(response).get("links", {}).items():
                target = known.get(link["operationId"])
                if target is None:
                    self.fault(name, f"links to {link['operationId']}, which is not there")
                    continue
                named = {p["name"] for p in self.parameters(target)}
                given = {key.split(".", 1)[-1] for key in link["parameters"]}
                if not given <= named:
                    self.fault(name, f"its link {link_name} hands on {sorted(given - named)}")

    def judge_components(self):
        text = json.dumps(self.root)
        for kind, components in self.root["components"].items():
            for name, component in components.items():
                where = f"#/components/{kind}/{name}"
                if kind != "securitySchemes" and f'"$ref": "{where}"' not in text:
                    self.fault(where, "is used by nothing")
                if kind == "schemas":
                    self.judge_schema_examples(where, component)
                if kind == "headers" and "example" in component:
                    self.judge_example(where, component["schema"], component["example"])

    def judge_schema_examples(self, where, schema):
        if isinstance(schema, dict):
            for example in schema.get("examples", []) if isinstance(schema.get("examples"), list) else []:
                self.judge_example(where, schema, example)
            for name, part in schema.items():
                if name != "examples":
                    self.judge_schema_examples(f"{where}/{name}", part)
        elif isinstance(schema, list):
            for place, part in enumerate(schema):
                self.judge_schema_examples(f"{where}/{place}", part)


def rewrite(path):
    """Writes the document and the schema it shares in their one form."""
    schema_path = rule_set_schema(path)
    schema = parsed(read(schema_path))
    document = parsed(read(path))
    document["components"]["schemas"].update(schemas_of(schema))
    for name, value in ((schema_path, schema), (path, document)):
        with open(name, "w", encoding="utf-8") as file:
            file.write(formatted(value) + "\n")


def judge_shared(document, path):
    """The rule set's schema, by itself and against the document's copy."""
    text = read(rule_set_schema(path))
    schema = parsed(text)
    try:
        Draft202012Validator.check_schema(schema)
    except Exception as error:  # noqa: BLE001, whatever it is, it is a fault of the file
        document.fault("rule-set.schema.json", str(error))
    if text != formatted(schema) + "\n":
        document.fault("rule-set.schema.json", "is not in its one form; run this script with --format")
    for name, definition in schemas_of(schema).items():
        if document.root["components"]["schemas"].get(name) != definition:
            document.fault(name, "is not what rule-set.schema.json says; run this script with --format")


def main():
    arguments = sys.argv[1:]
    if "--format" in arguments:
        arguments.remove("--format")
        rewrite(arguments[0])
    if len(arguments) != 1:
        sys.exit(__doc__)
    path = arguments[0]
    text = read(path)
    document = Document(text)
    document.judge()
    judge_shared(document, path)
    if text != formatted(document.root) + "\n":
        document.fault(path, "is not in its one form; run this script with --format")
    for fault in document.faults:
        print(fault, file=sys.stderr)
    count = sum(1 for _ in document.operations())
    print(f"{path}: {count} operations, {document.examples} examples, {len(document.faults)} wrong")
    sys.exit(1 if document.faults or count == 0 or document.examples == 0 else 0)


if __name__ == "__main__":
    main()
