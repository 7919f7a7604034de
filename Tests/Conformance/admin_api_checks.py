"""Our own checks of an answer, beside those that come with schemathesis."""

import re

from jsonschema import Draft202012Validator

REQUEST_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")

# Why a request that the document allows may still be refused: what no schema can say.
REASONS = {
    400: {"invalidCursor"},
    412: {"preconditionFailed"},
    428: {"preconditionRequired"},
    422: {"idempotencyKeyReused", "quotaExceeded", "validationFailed"},
}
REASONS_OF_MEMBERS = {
    "unknownReference", "duplicate", "notAllowed", "nearMiss", "unknownValue", "outOfRange",
    "notApproved", "notConfirmed", "neverMatches", "hidesLaterRules",
    "hasAlphaChannel", "transparent", "wrongSize", "animated", "notPNG", "truncated",
}


def closed(schema):
    """The schema with every object that names its members letting in no others."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    schema = {name: part if name in ("example", "examples") else closed(part) for name, part in schema.items()}
    if schema.get("type") == "object" and "properties" in schema:
        schema.setdefault("additionalProperties", False)
    return schema


class AnswerChecks:
    """Each returns None or a sentence that says what is wrong."""

    def __init__(self, document):
        self.document = document
        self.components = closed(document["components"])
        self.validators = {}

    def faults(self, operation, status, headers, body, sent_request_id=None):
        """All that is wrong with an answer; `body` is its JSON, or None."""
        found = [self.request_id(headers, sent_request_id)]
        if status >= 500:
            found.append(f"answered {status}")
        if status == 429:
            found.append("answered 429: raise the rate limit of the gateway under test")
        if status >= 400:
            found.append(self.problem(status, headers, body))
        else:
            found.append(self.closed_answer(operation, status, body))
        return [fault for fault in found if fault]

    def request_id(self, headers, sent):
        got = headers.get("Request-Id")
        if got is None or not REQUEST_ID.fullmatch(got):
            return f"Request-Id is {got!r}"
        if sent is not None and REQUEST_ID.fullmatch(sent) and got != sent:
            return f"Request-Id {sent!r} came back as {got!r}"
        return None

    def problem(self, status, headers, body):
        media_type = headers.get("Content-Type", "").split(";")[0]
        if media_type != "application/problem+json":
            return f"a {status} of the type {media_type!r}, no problem document"
        fault = self.invalid({"$ref": "#/components/schemas/Problem"}, body)
        if fault:
            return f"a problem document that is none: {fault}"
        if body["status"] != status:
            return f"a problem of status {body['status']} under {status}"
        if body["requestId"] != headers.get("Request-Id"):
            return f"requestId {body['requestId']!r} is not the header's"
        if body["type"] != f"https://holdfast.dev/problems/{body['code']}":
            return f"type {body['type']} of the code {body['code']}"
        return None

    def closed_answer(self, operation, status, body):
        if body is None:
            return None
        response = operation["responses"].get(str(status))
        if response is None:
            return f"answered {status}, which the document does not name"
        if "$ref" in response:
            response = self.components["responses"][response["$ref"].rsplit("/", 1)[1]]
        contents = response.get("content", {})
        content = contents.get("application/json", contents.get("application/schema+json"))
        if content is None:
            return f"a body under {status}, which has none"
        fault = self.invalid(content["schema"], body)
        return f"the answer is not as described: {fault}" if fault else None

    def refusal(self, operation, status, body):
        """Of a request that was as the document says."""
        if status not in REASONS:
            return None
        if status == 428 and operation.get("x-holdfast-if-match") != "onExisting":
            return "refused for want of If-Match, which was sent"
        code = body.get("code") if isinstance(body, dict) else None
        if code not in REASONS[status]:
            return f"a request as described was refused with {status} {code}"
        if code != "validationFailed":
            return None
        errors = body.get("errors") or [{"code": "none"}]
        strange = [error for error in errors if not self.is_reason(error)]
        return f"a request as described was refused for {strange}" if strange else None

    def is_reason(self, error):
        code, place = error.get("code"), error.get("pointer", "")
        if code in REASONS_OF_MEMBERS:
            return True
        if code == "tooLong":
            return error.get("unit") in ("UTF-16 units", "bytes")
        if code == "tooMany":
            return error.get("unit") in ("levels", "nodes")
        if code == "required":
            # A patch of a picture that is not there; a test of an app that names no transaction.
            return place.endswith(("/altText", "/imageId", "/originalTransactionId"))
        return place == "/privateKey" or place == ""

    def invalid(self, schema, value):
        key = repr(schema)
        if key not in self.validators:
            whole = {**closed(schema), "components": self.components}
            self.validators[key] = Draft202012Validator(
                whole, format_checker=Draft202012Validator.FORMAT_CHECKER)
        for error in self.validators[key].iter_errors(value):
            return f"{error.json_path}: {error.message[:300]}"
        return None
