"""Judges one answer: everything that is wrong with it, by name."""

import base64
import collections
import copy
import dataclasses
import functools
import json
import uuid

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

import decisions_conditions as conditions
import decisions_facts as facts
import decisions_readers as readers
import decisions_truth as truth

WRONGS = {
    "foreignApp": "names an identifier of another tenant, app or environment",
    "unapproved": "names what Apple has not approved",
    "deleted": "names what is at Apple no more, or was replaced",
    "unknownId": "names an identifier that nobody has",
    "outsideGroup": "names a product outside the subscriber's group",
    "offerKey": "has an offer that the app's own key did not sign",
    "offerTransaction": "has an offer without the subscriber's transactionId",
    "offerClaims": "has an offer with another claim that is wrong",
    "offerNonce": "has an offer whose nonce another answer has",
    "locale": "says the right message in a locale that is not the reader's",
    "arm": "answers as another arm than the one assigned",
    "holdout": "gives a rule to somebody who is held out",
    "noArm": "gives an arm to somebody who has none",
    "governor": "makes an offer that the governor refuses",
    "stale": "says more than may be said by what is so old",
    "unread": "goes by counts, sums or facts that nobody could read",
    "rule": "is not what the rules say",
    "form": "is no answer that Apple takes",
    "stranger": "answers a request that is not genuine",
}
KEYS = {
    "message": "message", "defaultMessage": "message", "appStoreConnectMessage": "message",
    "switchPlan": "alternateProduct", "promotionalOffer": "promotionalOffer",
}
MEMBERS = {
    "message": [{"messageIdentifier"}],
    "alternateProduct": [
        {"messageIdentifier", "productId"}, {"messageIdentifier", "productId", "billingPlanType"}],
    "promotionalOffer": [
        {"messageIdentifier", "promotionalOfferSignatureV2"},
        {"messageIdentifier", "promotionalOfferSignatureV1"}],
}
AUDIENCE = "promotional-offer"
FIRST_MEMBERS = {
    "encodedSignature", "productId", "nonce", "timestamp", "keyId", "offerIdentifier"}
# Between the signed values of the first version.
SEPARATOR = "\u2063"


@dataclasses.dataclass
class Answer:
    """`key` is None where Apple is left to show its next layer."""

    key: str | None
    message: str | None = None
    product: str | None = None
    plan: str | None = None
    version: int | None = None
    key_id: str | None = None
    claims: dict | None = None
    signed: bytes = b""
    signature: bytes = b""

    @property
    def offer(self):
        return self.claims and self.claims.get("offerIdentifier")


# Why an offer may not be made, where that is no limit that was reached.
REFUSED_AS = {
    "staleState": "stale", "countersUnknown": "unread", "budgetUnknown": "unread"}


class Malformed(Exception):
    pass


def unique(pairs):
    names = [name for name, _ in pairs]
    if len(set(names)) != len(names):
        raise Malformed("a member twice")
    return dict(pairs)


def base64url(text):
    if "=" in text or "+" in text or "/" in text:
        raise Malformed("no base64url without padding")
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def read(status, body):
    if status == 503 and body == "":
        return Answer(None)
    if status != 200:
        raise Malformed(f"status {status}")
    whole = json.loads(body, object_pairs_hook=unique)
    if not isinstance(whole, dict) or len(whole) != 1:
        raise Malformed("not exactly one kind")
    ((key, content),) = whole.items()
    if not isinstance(content, dict) or set(content) not in MEMBERS.get(key, []):
        raise Malformed(f"kind {key}, or its members")
    first = content.pop("promotionalOfferSignatureV1", None)
    if not all(isinstance(value, str) for value in content.values()):
        raise Malformed("a value that is no text")
    message = content["messageIdentifier"]
    if str(uuid.UUID(message)) != message:
        raise Malformed("no UUID in small letters")
    answer = Answer(
        key, message, content.get("productId"), content.get("billingPlanType"))
    if first is not None:
        read_first(answer, first)
    elif key == "promotionalOffer":
        read_second(answer, content["promotionalOfferSignatureV2"])
    return answer


def read_second(answer, jws):
    header, claims, signature = jws.split(".")
    top = json.loads(base64url(header), object_pairs_hook=unique)
    answer.claims = json.loads(base64url(claims), object_pairs_hook=unique)
    raw = base64url(signature)
    if set(top) != {"alg", "kid", "typ"} or (top["alg"], top["typ"]) != ("ES256", "JWT"):
        raise Malformed("header")
    if not isinstance(answer.claims, dict) or len(raw) != 64:
        raise Malformed("no JWS of an object with 64 bytes of signature")
    answer.version, answer.key_id, answer.product = 2, top["kid"], answer.claims.get("productId")
    answer.signed = f"{header}.{claims}".encode()
    r, s = (int.from_bytes(half, "big") for half in (raw[:32], raw[32:]))
    answer.signature = encode_dss_signature(r, s)


def read_first(answer, fields):
    if not isinstance(fields, dict) or set(fields) != FIRST_MEMBERS:
        raise Malformed("members of the first version")
    answer.claims = {name: fields[name] for name in FIRST_MEMBERS - {"encodedSignature", "keyId"}}
    answer.version, answer.key_id, answer.product = 1, fields["keyId"], fields["productId"]
    answer.signature = base64.b64decode(fields["encodedSignature"], validate=True)


def first_text(bundle, key_id, claims):
    """What is signed in the first version; nobody's account is named."""
    values = [
        bundle, key_id, claims["productId"], claims["offerIdentifier"], "", claims["nonce"],
        str(claims["timestamp"])]
    return SEPARATOR.join(values).encode()


@dataclasses.dataclass
class Known:
    """An identifier of the world, and what Apple says of it."""

    place: truth.Place
    state: str
    message: str | None = None
    locale: str | None = None


def index(places):
    """Every identifier there is or was."""
    known = collections.defaultdict(list)
    for place in places:
        objects = {one["messageIdentifier"]: one for one in place.here["objects"]}
        for one in objects.values():
            if one["kind"] == "image":
                known[one["messageIdentifier"]].append(Known(place, "unapproved"))
        for one in place.here["placements"]:
            identifier = one["messageIdentifier"]
            theirs = objects[identifier]
            state = "approved" if truth.is_approved(theirs, objects.values()) else "unapproved"
            if theirs["isSuperseded"] or theirs["presence"] == "gone":
                state = "deleted"
            known[identifier].append(Known(place, state, one["messageId"], one["locale"]))
        for one in place.here["former"]:
            known[one["messageIdentifier"]].append(
                Known(place, "deleted", one["messageId"], one["locale"]))
        for one in place.app["connectMessages"]:
            identifier = one["messageIdentifier"]
            state = "approved" if identifier in place.connect else "unapproved"
            known[identifier].append(Known(place, state))
    return known


class Judge:
    def __init__(self, world):
        self.truth = truth.Truth(world)
        self.places = self.truth.places
        self.known = index(self.places)
        self.tally = self.truth.tally
        # For what would have been, which nobody met.
        self.might = copy.copy(self.truth)
        self.might.tally = collections.Counter()
        self.nonces = collections.Counter()

    def judge(self, line):
        """What is wrong with the answer, as names, and what was expected."""
        place, request, now = self.places[line["place"]], line["request"], line["at"]
        situation = conditions.of_line(line)
        if line["kind"] != "genuine":
            self.tally["stranger", line["kind"]] += 1
            refused = 400 <= line["status"] < 500 and line["body"] == ""
            return (set() if refused else {"stranger"}), None
        expected = self.truth.expect(place, request, now, situation)
        self.count(expected, request, situation)
        try:
            answer = read(line["status"], line["body"])
        except (Malformed, ValueError, KeyError, TypeError, AttributeError):
            return {"form"}, expected
        wrong = self.identifier_wrongs(place, answer)
        wrong |= self.product_wrongs(place, request, answer)
        wrong |= self.offer_wrongs(line, place, answer)
        if not self.is_expected(expected, answer):
            wrong.add(self.difference(line, place, expected, answer))
        return wrong, expected

    def count(self, expected, request, situation):
        self.tally["mode", conditions.mode(situation)] += 1
        if not situation["findsSubscribers"]:
            self.tally["subscriber", "not found"] += 1
        self.tally["kind", expected.kind] += 1
        if expected.reason:
            self.tally["reason", expected.reason] += 1
        if expected.how:
            self.tally["text", expected.how] += 1
        if expected.how == "near":
            self.tally["near", near_kind(request["userLocale"], expected)] += 1
        if expected.arm:
            self.tally["arm", expected.arm] += 1
        treatment = expected.treatment or {}
        if treatment.get("billingPlanType"):
            self.tally["billing plan", treatment["billingPlanType"]] += 1
        if treatment.get("signatureVersion"):
            self.tally["signature version", treatment["signatureVersion"]] += 1

    # MARK: what is wrong whatever was expected

    def identifier_wrongs(self, place, answer):
        if answer.key is None:
            return set()
        all_known = self.known.get(answer.message)
        if not all_known:
            return {"unknownId"}
        here = [one for one in all_known if one.place is place]
        if not here:
            return {"foreignApp"}
        if any(one.state == "approved" for one in here):
            return set()
        return {here[0].state}

    @staticmethod
    def product_wrongs(place, request, answer):
        if answer.key in (None, "message"):
            return set()
        is_same = answer.product == request["productId"]
        right = place.is_one_group(request["productId"], answer.product)
        if answer.key == "alternateProduct" and is_same:
            right = False
        return set() if right else {"outsideGroup"}

    def offer_wrongs(self, line, place, answer):
        if answer.key != "promotionalOffer":
            return set()
        request, now, situation = line["request"], line["at"], conditions.of_line(line)
        wrong, key, claims = set(), place.app["key"], answer.claims
        if answer.version == 1:
            answer.signed = first_text(place.app["bundleId"], answer.key_id, claims)
            expected, moment = {"timestamp": now}, "timestamp"
        else:
            expected = {
                "iss": key and key["issuerId"], "bid": place.app["bundleId"], "aud": AUDIENCE,
                "iat": now // 1000}
            moment = "iat"
            if claims.get("transactionId") != request["originalTransactionId"]:
                wrong.add("offerTransaction")
        if key is None or not is_signed(answer, key["publicKeyPEM"], key["keyId"]):
            wrong.add("offerKey")
        others = set(claims) - {"nonce", "productId", "offerIdentifier", "transactionId"}
        if {name: claims[name] for name in others} != expected or isinstance(claims[moment], bool):
            wrong.add("offerClaims")
        nonce = claims.get("nonce")
        if not isinstance(nonce, str) or str(uuid.UUID(nonce)) != nonce:
            wrong.add("offerClaims")
        elif self.nonces[nonce]:
            wrong.add("offerNonce")
        self.nonces[nonce] += 1
        if (answer.product, answer.offer) not in place.offers:
            wrong.add("offerClaims")
        asked = facts.Facts(request, place, now, collections.Counter(), situation)
        refused = truth.governor_refusal(asked)
        if refused is not None:
            wrong.add(REFUSED_AS.get(refused, "governor"))
        return wrong

    # MARK: against what was expected

    @staticmethod
    def is_expected(expected, answer):
        if expected.kind == "fallback" or answer.key is None:
            return expected.kind == "fallback" and answer.key is None
        if KEYS[expected.kind] != answer.key or answer.message not in expected.identifiers:
            return False
        treatment = expected.treatment or {}
        if answer.key == "message":
            return True
        return (
            answer.product == treatment["productId"]
            and answer.plan == treatment.get("billingPlanType")
            and answer.offer == treatment.get("offerIdentifier")
            and answer.version == treatment.get("signatureVersion"))

    def difference(self, line, place, expected, answer):
        """The name of what became of another answer than the expected one."""
        if expected.is_held_out:
            return "holdout"
        situation = conditions.of_line(line)
        if situation != conditions.GOOD:
            known = self.might.expect(place, line["request"], line["at"])
            if self.is_expected(known, answer):
                return "unread" if conditions.mode(situation) == "full" else "stale"
        said = {one.message for one in self.known.get(answer.message, []) if one.message}
        wanted = {
            one.message for identifier in expected.identifiers
            for one in self.known[identifier] if one.message}
        if said & wanted and answer.key == KEYS.get(expected.kind):
            treatment = expected.treatment or {}
            same = answer.product == treatment.get("productId") or answer.key == "message"
            if same and answer.message not in expected.identifiers:
                return "locale"
        if self.is_of_no_arm(place, expected, answer, said):
            return "noArm"
        if expected.experiment and self.is_of_other_arm(place, expected, answer, said):
            return "arm"
        return "rule"

    @staticmethod
    def is_of_no_arm(place, expected, answer, said):
        without = {one["rule"] for one in expected.dead if "noArm" in one["reasons"]}
        return any(
            is_answer_of(arm["treatment"], answer, said)
            for rule in place.rule_set["rules"] if rule["id"] in without
            for arm in rule["experiment"]["arms"])

    @staticmethod
    def is_of_other_arm(place, expected, answer, said):
        for rule in place.rule_set["rules"]:
            experiment = rule.get("experiment")
            if experiment is None or experiment["id"] != expected.experiment:
                continue
            for arm in experiment["arms"]:
                if arm["key"] != expected.arm and is_answer_of(arm["treatment"], answer, said):
                    return True
        return False


def is_answer_of(treatment, answer, said):
    kind = treatment["kind"]
    if kind == "fallback":
        return answer.key is None
    if KEYS.get(kind) != answer.key:
        return False
    if kind == "appStoreConnectMessage":
        return treatment["messageIdentifier"] == answer.message
    return (
        treatment["messageId"] in said and treatment.get("productId") == answer.product
        and treatment.get("offerIdentifier") == answer.offer)


def near_kind(asked, expected):
    """Which of the promises a near text kept."""
    parts = readers.subtags(asked)
    language = parts[0].lower()
    if language in readers.SERVED_BY:
        return "another code"
    if language == "zh":
        return "Chinese " + readers.reader(asked)[1]
    return "region"


@functools.cache
def public_key(text):
    return serialization.load_pem_public_key(text.encode())


def is_signed(answer, key, key_id):
    """By this very key, and said so."""
    if answer.key_id != key_id:
        return False
    try:
        public_key(key).verify(answer.signature, answer.signed, ec.ECDSA(hashes.SHA256()))
    except InvalidSignature:
        return False
    return True
