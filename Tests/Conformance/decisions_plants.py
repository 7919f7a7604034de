"""A log that is true, and one wrong of each kind planted into it: what the checker must find."""

import base64
import copy
import json
import random
import uuid

import decisions_ask as asking
import decisions_conditions as conditions
import decisions_judge as judging
import decisions_truth as truth

# Of each wrong so many are planted, and this many at the least.
WANTED, NEEDED = 25, 3


def body_of(key, **content):
    return json.dumps({key: {name: value for name, value in content.items() if value is not None}})


def signed_offer(app, claims, key=None):
    header = {"alg": "ES256", "kid": app["key"]["keyId"], "typ": "JWT"}
    private = asking.private_key((key or app["key"])["privateKeyPEM"])
    return asking.compact(asking.url64(json.dumps(header).encode()), claims, private)


def first_offer(app, values, key=None):
    """The same in the first version."""
    key_id = app["key"]["keyId"]
    private = asking.private_key((key or app["key"])["privateKeyPEM"])
    text = judging.first_text(app["bundleId"], key_id, values)
    signature = base64.b64encode(asking.der_signature(private, text)).decode()
    return {**values, "keyId": key_id, "encodedSignature": signature}


def say(line, place, expected, identifier=None):
    """The line with the answer that a responder would give which expects this."""
    line = copy.deepcopy(line)
    if expected.kind == "fallback":
        return {**line, "status": 503, "body": ""}
    message = identifier or sorted(expected.identifiers)[0]
    treatment, key = expected.treatment or {}, judging.KEYS[expected.kind]
    offer = first = None
    if key == "promotionalOffer" and treatment["signatureVersion"] == 1:
        first = first_offer(place.app, {
            "productId": treatment["productId"], "offerIdentifier": treatment["offerIdentifier"],
            "nonce": str(uuid.uuid4()), "timestamp": line["at"]})
    elif key == "promotionalOffer":
        offer = signed_offer(place.app, {
            "iss": place.app["key"]["issuerId"], "iat": line["at"] // 1000,
            "aud": judging.AUDIENCE, "bid": place.app["bundleId"], "nonce": str(uuid.uuid4()),
            "productId": treatment["productId"], "offerIdentifier": treatment["offerIdentifier"],
            "transactionId": line["request"]["originalTransactionId"]})
    product = treatment.get("productId") if key == "alternateProduct" else None
    body = body_of(
        key, messageIdentifier=message, productId=product,
        billingPlanType=treatment.get("billingPlanType"), promotionalOfferSignatureV2=offer,
        promotionalOfferSignatureV1=first)
    return {**line, "status": 200, "body": body}


def true_log(world, count):
    """What a responder without fault would have answered."""
    judge = judging.Judge(world)
    requests = asking.Requests(judge.places, world["seed"] + 1)
    shares, changes = zip(*conditions.BAD)
    chance = random.Random(world["seed"])
    bad = [{**conditions.GOOD, **one} for one in chance.choices(changes, shares, k=count // 2)]
    situations = [conditions.GOOD] * (count - len(bad)) + bad
    chance.shuffle(situations)
    lines = []
    for number, situation in enumerate(situations):
        line = requests.make(world["instants"][number % len(world["instants"])], situation)
        if line["kind"] == "genuine":
            place = judge.places[line["place"]]
            expected = judge.truth.expect(place, line["request"], line["at"], situation)
            line = say(line, place, expected)
        else:
            line["status"], line["body"] = 403, ""
        lines.append(line)
    return lines


class Planter:
    """Each function gives a line with its wrong in it, or None where that does not fit."""

    def __init__(self, world):
        self.judge = judging.Judge(world)
        self.places = self.judge.places
        self.right = {}
        self.elsewhere = {}
        for identifier, all_known in self.judge.known.items():
            for one in all_known:
                self.elsewhere.setdefault((one.place.number, one.message, one.state), identifier)

    def expected(self, line, place=None):
        if place is not None:
            return self.judge.truth.expect(
                place, line["request"], line["at"], conditions.of_line(line))
        if id(line) not in self.right:
            self.right[id(line)] = self.expected(line, self.places[line["place"]])
        return self.right[id(line)]

    def with_identifier(self, line, choose):
        """Another identifier in the same answer."""
        if line["status"] != 200 or line["kind"] != "genuine":
            return None
        whole = json.loads(line["body"])
        ((_, content),) = whole.items()
        other = choose(self.places[line["place"]], content["messageIdentifier"])
        if other is None:
            return None
        content["messageIdentifier"] = other
        return {**line, "body": json.dumps(whole)}

    def known(self, identifier, place):
        found = [one for one in self.judge.known[identifier] if one.place is place]
        return found[0] if found else None

    def messages(self, expected):
        return {
            one.message for identifier in expected.identifiers
            for one in self.judge.known[identifier] if one.message}

    def foreign_app(self, line):
        def choose(place, identifier):
            was = self.known(identifier, place)
            for other in self.places[::-1]:
                if other.app["id"] != place.app["id"] and was.message:
                    for message, texts in other.texts.items():
                        if other.message_kinds[message] == place.message_kinds[was.message]:
                            return next(iter(texts.values()), None)
            return None
        return self.with_identifier(line, choose)

    def same_app_elsewhere(self, line):
        """The same message in the other environment, or at the other tenant of the same app."""
        def choose(place, identifier):
            for other in self.places:
                is_same = other.app["appAppleId"] == place.app["appAppleId"]
                if is_same and other is not place:
                    for texts in other.texts.values():
                        return next(iter(texts.values()), None)
            return None
        return self.with_identifier(line, choose)

    def in_state(self, line, state):
        """The same message, in a text that is not approved, or is deleted."""
        def choose(place, identifier):
            was = self.known(identifier, place)
            return self.elsewhere.get((place.number, was.message, state)) if was.message else None
        return self.with_identifier(line, choose)

    def unapproved(self, line):
        return self.in_state(line, "unapproved")

    def deleted(self, line):
        return self.in_state(line, "deleted")

    def unknown(self, line):
        return self.with_identifier(line, lambda *_: str(uuid.uuid4()))

    def locale(self, line):
        """The same message in a text that somebody else reads."""
        if line["kind"] != "genuine" or conditions.of_line(line) != conditions.GOOD:
            return None
        allowed = self.expected(line).identifiers

        def choose(place, identifier):
            was = self.known(identifier, place)
            texts = place.texts.get(was.message, {}) if was.message else {}
            return next((one for one in texts.values() if one not in allowed), None)
        return self.with_identifier(line, choose)

    def product(self, line):
        if not line["body"].startswith('{"alternateProduct"'):
            return None
        whole, place = json.loads(line["body"]), self.places[line["place"]]
        group = place.group_of(line["request"]["productId"])
        other = next(
            one for one in place.products.values() if one["subscriptionGroup"] != group)
        whole["alternateProduct"]["productId"] = other["productId"]
        return {**line, "body": json.dumps(whole)}

    def same_product(self, line):
        if not line["body"].startswith('{"alternateProduct"'):
            return None
        whole = json.loads(line["body"])
        whole["alternateProduct"]["productId"] = line["request"]["productId"]
        return {**line, "body": json.dumps(whole)}

    def with_claims(self, line, change, key=None):
        if "promotionalOfferSignatureV2" not in line["body"]:
            return None
        whole = json.loads(line["body"])
        claims = dict(judging.read(200, line["body"]).claims)
        change(claims)
        offer = signed_offer(self.places[line["place"]].app, claims, key)
        whole["promotionalOffer"]["promotionalOfferSignatureV2"] = offer
        return {**line, "body": json.dumps(whole)}

    def offer_key(self, line):
        own = self.places[line["place"]].app["key"]
        keys = [place.app["key"] for place in self.places if place.app["key"] not in (None, own)]
        return self.with_claims(line, lambda claims: None, keys[0])

    def with_values(self, line, change, key=None):
        """The same for an offer in the first version."""
        if "promotionalOfferSignatureV1" not in line["body"]:
            return None
        whole = json.loads(line["body"])
        values = dict(judging.read(200, line["body"]).claims)
        change(values)
        offer = first_offer(self.places[line["place"]].app, values, key)
        whole["promotionalOffer"]["promotionalOfferSignatureV1"] = offer
        return {**line, "body": json.dumps(whole)}

    def first_key(self, line):
        own = self.places[line["place"]].app["key"]
        keys = [place.app["key"] for place in self.places if place.app["key"] not in (None, own)]
        return self.with_values(line, lambda values: None, keys[0])

    def first_time(self, line):
        return self.with_values(
            line, lambda values: values.update(timestamp=values["timestamp"] - 1))

    def offer_without_transaction(self, line):
        return self.with_claims(line, lambda claims: claims.pop("transactionId"))

    def offer_of_other_transaction(self, line):
        return self.with_claims(line, lambda claims: claims.update(transactionId="1"))

    def offer_bundle(self, line):
        return self.with_claims(line, lambda claims: claims.update(bid="com.example.other"))

    def offer_time(self, line):
        return self.with_claims(line, lambda claims: claims.update(iat=claims["iat"] + 1))

    def offer_nonce(self, line):
        same = "00000000-0000-4000-8000-000000000000"
        return self.with_claims(line, lambda claims: claims.update(nonce=same))

    def otherwise(self, line, change, is_fit=lambda situation: situation == conditions.GOOD):
        """What would have been answered if `change` were so."""
        if line["kind"] != "genuine" or not is_fit(conditions.of_line(line)):
            return None
        place = self.places[line["place"]]
        right, other = self.expected(line), change(copy.copy(place), self.expected(line))
        if other is None or (other.kind, other.identifiers) == (right.kind, right.identifiers):
            return None
        return say(line, place, other)

    def arm(self, line):
        def change(place, expected):
            if expected.experiment is None or expected.treatment is None:
                return None
            rule = next(
                one for one in place.rule_set["rules"]
                if one.get("experiment", {}).get("id") == expected.experiment)
            asked = truth.facts.Facts(line["request"], place, line["at"], self.judge.tally)
            for arm in rule["experiment"]["arms"]:
                if arm["key"] != expected.arm and expected.rule == rule["id"]:
                    said = self.judge.truth.say(asked, rule, arm["treatment"], [])
                    if said is not None and said.message != expected.message:
                        return said
            return None
        return self.otherwise(line, change)

    def holdout(self, line):
        def change(place, expected):
            if not expected.is_held_out:
                return None
            place.rule_set = {**place.rule_set, "holdout": {"percent": 0}}
            other = self.expected(line, place)
            # A rule may say what the default says: then nobody can tell.
            is_other = not self.messages(other) & self.messages(expected)
            return other if other.rule and is_other else None
        return self.otherwise(line, change)

    def governor(self, line):
        def change(place, expected):
            asked = truth.facts.Facts(line["request"], place, line["at"], self.judge.tally)
            if truth.governor_refusal(asked) in (None, *judging.REFUSED_AS):
                return None
            place.rule_set = {**place.rule_set, "governor": {}}
            other = self.expected(line, place)
            return other if other.kind == "promotionalOffer" else None
        return self.otherwise(line, change)

    def as_if_good(self, line, is_fit, is_wanted):
        """What would have been answered if all were known, and known to be fresh."""
        def change(place, expected):
            other = self.judge.truth.expect(place, line["request"], line["at"])
            # Several rules say the same: then nobody can tell.
            is_other = not self.messages(other) & self.messages(expected)
            return other if is_other and is_wanted(other, expected) else None
        return self.otherwise(line, change, is_fit)

    def in_mode(self, line, modes, is_wanted):
        return self.as_if_good(
            line, lambda situation: conditions.mode(situation) in modes, is_wanted)

    def stale_offer(self, line):
        """By counts and sums that are older than a quarter of an hour."""
        return self.in_mode(
            line, ["noBudgetedOffers"], lambda other, _: other.kind == "promotionalOffer")

    def stale_plain_offer(self, line):
        """One that no limit holds, in the time when none is made."""
        def is_wanted(other, expected):
            governor = self.places[line["place"]].rule_set["governor"]
            return other.kind == "promotionalOffer" and not governor
        return self.in_mode(line, ["noOffers"], is_wanted)

    def stale_rule(self, line):
        return self.in_mode(line, ["defaultOnly"], lambda other, _: other.rule)

    def stale_default(self, line):
        return self.in_mode(
            line, ["silent"], lambda other, _: other.kind == "defaultMessage")

    def with_unread(self, line, name, is_wanted):
        """Where all is fresh, and that alone could not be read."""
        situation = {**conditions.GOOD, name: False}
        return self.as_if_good(line, lambda one: one == situation, is_wanted)

    def unread_counters(self, line):
        def is_wanted(other, expected):
            reasons = [one for rule in expected.dead for one in rule["reasons"]]
            return other.kind == "promotionalOffer" and "countersUnknown" in reasons
        return self.with_unread(line, "findsSubscribers", is_wanted)

    def unread_profile(self, line):
        return self.with_unread(
            line, "findsSubscribers",
            lambda other, _: other.rule and other.kind != "promotionalOffer")

    def unread_budget(self, line):
        def is_wanted(other, expected):
            reasons = [one for rule in expected.dead for one in rule["reasons"]]
            return other.kind == "promotionalOffer" and "budgetUnknown" in reasons
        return self.with_unread(line, "readsBudgets", is_wanted)

    def no_arm(self, line):
        def change(place, expected):
            without = [one["rule"] for one in expected.dead if "noArm" in one["reasons"]]
            for rule in place.rule_set["rules"]:
                if rule["id"] in without:
                    asked = truth.facts.Facts(
                        line["request"], place, line["at"], self.judge.tally)
                    first = rule["experiment"]["arms"][0]
                    said = self.judge.truth.say(asked, rule, first["treatment"], [])
                    if said and said.message and said.message not in self.messages(expected):
                        return said
            return None
        return self.otherwise(line, change)

    def passed_over(self, line):
        """The default, where a rule was to answer."""
        def change(place, expected):
            place.rule_set = {**place.rule_set, "rules": []}
            other = self.expected(line, place)
            is_rule = expected.rule and not expected.experiment and not expected.is_held_out
            is_rule = is_rule and not any("noArm" in one["reasons"] for one in expected.dead)
            return other if is_rule and not self.messages(other) & self.messages(expected) else None
        return self.otherwise(line, change)

    def null_member(self, line):
        if line["status"] != 200:
            return None
        return {**line, "body": line["body"][:-1] + ',"advancedCommerceInfo":null}'}

    def stranger(self, line):
        if line["kind"] == "genuine":
            return None
        return {**line, "status": 200, "body": body_of("message", messageIdentifier="x")}


PLANTS = [
    (Planter.foreign_app, "foreignApp"), (Planter.same_app_elsewhere, "foreignApp"),
    (Planter.unapproved, "unapproved"), (Planter.deleted, "deleted"),
    (Planter.unknown, "unknownId"), (Planter.product, "outsideGroup"),
    (Planter.same_product, "outsideGroup"), (Planter.offer_key, "offerKey"),
    (Planter.offer_without_transaction, "offerTransaction"),
    (Planter.offer_of_other_transaction, "offerTransaction"),
    (Planter.offer_bundle, "offerClaims"), (Planter.offer_time, "offerClaims"),
    (Planter.offer_nonce, "offerNonce"), (Planter.first_key, "offerKey"),
    (Planter.first_time, "offerClaims"), (Planter.locale, "locale"), (Planter.arm, "arm"),
    (Planter.no_arm, "noArm"), (Planter.stale_offer, "stale"),
    (Planter.stale_plain_offer, "stale"), (Planter.stale_rule, "stale"),
    (Planter.stale_default, "stale"), (Planter.unread_counters, "unread"),
    (Planter.unread_profile, "unread"), (Planter.unread_budget, "unread"),
    (Planter.holdout, "holdout"), (Planter.governor, "governor"), (Planter.passed_over, "rule"),
    (Planter.null_member, "form"), (Planter.stranger, "stranger"),
]


def plant(world, lines):
    """Plants each wrong by itself; gives (name, planted, found) of each."""
    planter, results = Planter(world), []
    for make, name in PLANTS:
        judge = judging.Judge(world)
        planted = []
        for line in lines:
            crooked = make(planter, line)
            if crooked is not None:
                planted.append(crooked)
                if len(planted) == WANTED:
                    break
        found = [name in judge.judge(line)[0] for line in planted]
        # The first of a repeated nonce is the one that is repeated.
        missing = found.count(False) - (1 if name == "offerNonce" else 0)
        results.append((make.__name__, len(planted), len(planted) - missing))
    return results
