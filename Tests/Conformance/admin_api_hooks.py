"""What schemathesis is given to know more of Holdfast; it loads this file by itself.

Requests that are as described get real identifiers, most of the time, so that many succeed; what was
made wrong on purpose stays wrong. Every answer is counted and judged by our own checks too.
"""

import atexit
import json
import os
import zlib

import schemathesis
from hypothesis import strategies as st

from admin_api_checks import AnswerChecks
from admin_api_supply import Supply, csv_of, png, private_key

with open(os.environ["HOLDFAST_ADMIN_API_PLAN"], encoding="utf-8") as file:
    PLAN = json.load(file)
with open(PLAN["document"], encoding="utf-8") as file:
    DOCUMENT = json.load(file)

OPERATIONS = {
    operation["operationId"]: operation
    for item in DOCUMENT["paths"].values() for operation in item.values()
}
CHECKS = AnswerChecks(DOCUMENT)
SUPPLY = Supply(PLAN["baseURL"], PLAN["token"]).make_all()
# Things that others rely on, by the operations that would use them up.
PROTECTED = {*SUPPLY.ids.values(), SUPPLY.own_key}
PRIVATE_KEY = private_key()
STOREFRONTS = ["DEU", "USA", "JPN", "FRA", "BRA", "GBR", "ITA", "ESP"]
COUNTS = {name: {"cases": 0, "good": 0, "statuses": {}} for name in OPERATIONS}
SEEN = set()

schemathesis.openapi.media_type("image/png", st.one_of(
    st.builds(png, st.just(3840), st.integers(160, 200), st.integers(0, 255)),
    st.builds(png, st.just(1024), st.just(1024), st.integers(0, 255), st.booleans()),
    st.sampled_from([png(3840, 160, 7)[:64], b"GIF89a"]),
))
CSV = [
    csv_of([["imported", "text", "de-DE", "Kopf", "Rumpf"]]),
    csv_of([["imported", "text", "de_DE", "Kopf", ""], ["a", "", "ja", "=h", '"b, c"']]),
    csv_of([["m" * 300, "none", "fr-FR", "h" * 100, "b"]]),
]


@schemathesis.serializer("text/csv")
def text_csv(ctx, value):
    return {"data": value.encode() if isinstance(value, str) else json.dumps(value).encode()}


def name_of(case):
    return case.operation.definition.raw.get("operationId")


def is_positive(case, location):
    mode = {place.name: info.mode for place, info in case.meta.components.items()}.get(location)
    return mode is None or mode.is_positive


def draw(case):
    """A number that is always the same for the same request."""
    parts = (case.path_parameters, dict(case.headers or {}), case.query, repr(case.body))
    return zlib.crc32(repr(parts).encode("utf-8", "replace"))


@schemathesis.hook
def before_call(context, case, kwargs):
    name = name_of(case)
    if case.method.lower() != case.operation.method.lower() or name == "getOpenAPI":
        return
    number = draw(case)
    linked = set()
    if case.meta.phase.name.value == "stateful":
        override = case._override
        linked = {*(override.path_parameters or {}), *(override.headers or {})}
    is_new = name.startswith("put") and number % 3 == 0 and name not in ("putRuleSetDraft", "putDefault")
    if is_positive(case, "PATH") and case.path_parameters:
        fill_path(case, name, linked, is_new)
    if is_positive(case, "HEADER") or not is_about_headers(case):
        fill_headers(case, name, linked, is_new, number)
    if is_positive(case, "QUERY") and case.query:
        if "cursor" in case.query and number % 4:
            case.query = {key: value for key, value in case.query.items() if key != "cursor"}
        if "appId" in case.query and number % 4:
            case.query = {**case.query, "appId": SUPPLY.ids["appId"]}
    if is_positive(case, "BODY"):
        if name == "createImage" and number % 8 and is_positive(case, "QUERY"):
            size = "BULLET_POINT" if case.body[16:24] == png(1024, 1024, 0)[16:24] else "FULL_SIZE"
            case.query = {**(case.query or {}), "imageSize": size}
        elif case.media_type == "text/csv":
            case.body = CSV[number % len(CSV)]
        elif isinstance(case.body, dict) and number % 8:
            fill_body(case, name)


def fill_path(case, name, linked, is_new):
    given = case.path_parameters
    target = list(given.values())[-1]
    uses_up = name.startswith("delete") or name == "updateApiKey"
    if linked & set(given) and not (uses_up and target in PROTECTED):
        # What an answer before led to stays; it lacks no more than what links do not hand on.
        case.path_parameters = {
            key: value if key in linked or key == "locale" else SUPPLY.ids.get(key, value)
            for key, value in given.items()}
        return
    is_sandbox = (case.query or {}).get("environment") == "Sandbox"
    values = SUPPLY.path_values(name, "Sandbox" if is_sandbox else "Production")
    own = list(given)[-1] if is_new else None
    case.path_parameters = {key: value if key == own else values[key] for key, value in given.items()}


def fill_headers(case, name, linked, is_new, number):
    headers = case.headers
    if is_new:
        headers.pop("If-Match", None)
    elif "x-holdfast-if-match" in OPERATIONS[name] and "If-Match" not in linked:
        if number % 4 and not misses_header(case):
            headers["If-Match"] = "*"
    if "Idempotency-Key" in headers and number % 4:
        headers["Idempotency-Key"] = SUPPLY.fresh()


def is_about_headers(case):
    """Whether headers are what was made wrong; else a wrong one would hide what was."""
    place = getattr(case.meta.phase.data, "parameter_location", None)
    return place is None or place.name == "HEADER"


def misses_header(case):
    scenario = getattr(case.meta.phase.data, "scenario", None)
    return scenario is not None and scenario.value == "missing_parameter"


def fill_body(case, name):
    case.body = filled(case.body, name, ())
    for member in ("bundleId", "appAppleId", "productId", "offerIdentifier", "name"):
        if member in case.body and name.startswith(("create", "copy", "update")):
            value = (name, member, case.body[member])
            if value in SEEN or case.body[member] is None:
                fresh = int(SUPPLY.fresh(), 16) + 1 if member == "appAppleId" else SUPPLY.fresh()
                case.body = {**case.body, member: fresh}
            SEEN.add(value)
    if name == "copyMessage":
        case.body = {"name": SUPPLY.fresh(), **case.body}
    if name == "createPromotion" and case.body.get("messageIds"):
        case.body = {**case.body, "messageIds": [SUPPLY.ids["text"]]}
    if name == "copyRuleSet":
        case.body = {"appId": SUPPLY.app()}


def filled(value, name, place):
    """`value` with the identifiers of real things, and without what contradicts itself."""
    if isinstance(value, list):
        return [filled(item, name, (*place, position)) for position, item in enumerate(value)]
    if not isinstance(value, dict):
        return value
    ids = SUPPLY.ids
    value = {key: filled(item, name, (*place, key)) for key, item in value.items()}
    is_bullet = "bulletPoints" in place
    real = {
        "clientId": ids["clientId"], "appId": ids["targetAppId"], "targetAppId": ids["targetAppId"],
        "clientIds": [ids["clientId"]], "appIds": [ids["appId"]], "productIds": [ids["productId"]],
        "locales": ["en-US"], "imageId": ids["bulletImageId" if is_bullet else "imageId"],
        "timeZone": "Europe/Berlin", "expiresAt": "2099-01-31T12:00:00Z", "privateKey": PRIVATE_KEY,
        "messageId": ids["text"],
    }
    if place and (place[-1] == "treatment" or len(place) > 1 and place[-2] == "steps"):
        kind = value["kind"]
        real["messageId"] = ids.get(kind, ids["text"])
        real["productId"] = ids["productId" if kind == "promotionalOffer" else "otherProductId"]
        real["offerIdentifier"] = ids["offerIdentifier"]
        real["billingPlanType"] = "MONTHLY"
    if "rows" in place:
        real = {}
    value = {key: real[key] if key in real and item is not None else item for key, item in value.items()}
    if "storefront" in value and "amountMilliunits" in value:
        position = place[-1] if isinstance(place[-1], int) else 0
        value.update(storefront=STOREFRONTS[position % len(STOREFRONTS)], currency="EUR")
    if value.get("prices"):
        value["prices"] = value["prices"][:len(STOREFRONTS)]
    if value.get("billingPlans"):
        kinds = {plan["billingPlanType"]: plan for plan in value["billingPlans"]}
        value["billingPlans"] = list(kinds.values())
    if value.get("headerPosition") == "ABOVE_IMAGE" and not value.get("image") and "rows" not in place:
        value["headerPosition"] = "ABOVE_BODY"
    return value


@schemathesis.hook
def after_call(context, case, response):
    name = name_of(case)
    if case.method.lower() != case.operation.method.lower():
        return
    count = COUNTS[name]
    count["cases"] += 1
    count["good"] += 200 <= response.status_code < 300
    status = str(response.status_code)
    count["statuses"][status] = count["statuses"].get(status, 0) + 1


@schemathesis.check
def house_rules(ctx, response, case):
    """Request-Id, problem documents, no 5xx, and no member that the document does not name."""
    name = name_of(case)
    headers = {key.title(): value[0] for key, value in response.headers.items()}
    body = None
    if "json" in headers.get("Content-Type", ""):
        body = response.json()
    sent = {key.title(): value for key, value in response.request.headers.items()}.get("Request-Id")
    if isinstance(sent, bytes):
        sent = sent.decode("latin-1")
    faults = CHECKS.faults(OPERATIONS[name], response.status_code, headers, body, sent)
    # schemathesis sends a text/csv of its own as a form now and then: "data=…" is not the body it describes.
    sent_body = response.request.body or b""
    is_form = isinstance(sent_body, (str, bytes)) and sent_body[:5] in ("data=", b"data=")
    if case.meta is not None and not is_form \
            and all(info.mode.is_positive for info in case.meta.components.values()):
        faults.append(CHECKS.refusal(OPERATIONS[name], response.status_code, body))
    faults = [fault for fault in faults if fault]
    assert not faults, "; ".join(faults)


@atexit.register
def write_counts():
    with open(PLAN["counts"], "w", encoding="utf-8") as file:
        json.dump({"operations": COUNTS, "setUpCalls": SUPPLY.calls}, file)
