"""Makes a world: tenants, apps, what Apple has of them, rules, subscribers, keys.

All by chance, and the same for one seed but for its keys.
"""

import base64
import collections
import datetime
import random
import uuid

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

import decisions_facts as facts
import decisions_truth as truth

CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
HOUR, DAY = 3_600_000, 86_400_000
TENANTS, APPS_EACH = 3, 4
SUBSCRIBERS_EACH = 210
LOCALES = [
    "en-US", "en-GB", "fr-FR", "fr-CA", "de-DE", "es-ES", "es-MX", "pt-BR", "pt-PT", "zh-Hans",
    "zh-Hant", "ja", "no", "he", "id", "fil", "ko", "ru", "uk", "ar-SA", "it", "sv", "ro",
]
ZONES = [
    "UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Auckland",
    "America/St_Johns", "Asia/Kathmandu", "Australia/Lord_Howe", "America/Los_Angeles",
    "Asia/Tokyo", "Pacific/Kiritimati", "Europe/London", "UTC",
]


def at(text):
    moment = datetime.datetime.fromisoformat(text + "+00:00")
    return round(moment.timestamp() * 1000)


# Around a month's end and the end of summer time in America: each zone has a midnight in between,
# and New York a day of 25 hours, one of whose hours comes twice.
INSTANTS = [
    at("2026-10-31T10:59:59.999"), at("2026-10-31T11:00:00.000"), at("2026-10-31T22:59:59.999"),
    at("2026-10-31T23:00:00.000"), at("2026-11-01T03:59:59.999"), at("2026-11-01T04:00:00.000"),
    at("2026-11-01T05:30:00.000"), at("2026-11-01T06:30:00.000"), at("2026-11-01T18:30:00.000"),
    at("2026-11-02T04:59:59.999"), at("2026-11-02T05:00:00.000"), at("2026-11-02T08:10:00.000"),
]


def crockford(number):
    return "".join(CROCKFORD[number >> shift & 31] for shift in range(125, -1, -5))


class Maker:
    """Everything by chance comes from here."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.count = 0

    def identifier(self, prefix):
        self.count += 1
        value = INSTANTS[0] << 80 | 7 << 76 | self.random.getrandbits(12) << 64
        value |= 2 << 62 | self.count << 32 | self.random.getrandbits(32)
        return f"{prefix}_{crockford(value)}"

    def uuid(self):
        return str(uuid.UUID(int=self.random.getrandbits(128), version=4))

    def some(self, values, count):
        return self.random.sample(values, min(count, len(values)))

    def chance(self, share):
        return self.random.random() < share


def pem(key):
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption()).decode()


def public_pem(key):
    return key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo).decode()


# MARK: the chain that stands for Apple's

MARKERS = {"intermediate": "1.2.840.113635.100.6.2.1", "leaf": "1.2.840.113635.100.6.11.1"}


def certificate(name, key, issuer, issuer_key, role):
    """`issuer` is None for the root."""
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    builder = (
        x509.CertificateBuilder().subject_name(subject)
        .issuer_name(issuer.subject if issuer else subject).public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(datetime.datetime(2020, 1, 1))
        .not_valid_after(datetime.datetime(2035, 1, 1)))
    is_authority = role != "leaf"
    builder = builder.add_extension(
        x509.BasicConstraints(is_authority, 0 if role == "intermediate" else None), critical=True)
    builder = builder.add_extension(
        x509.KeyUsage(
            digital_signature=not is_authority, key_cert_sign=is_authority, crl_sign=is_authority,
            content_commitment=False, key_encipherment=False, data_encipherment=False,
            key_agreement=False, encipher_only=False, decipher_only=False), critical=True)
    builder = builder.add_extension(
        x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    if issuer is not None:
        builder = builder.add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key()),
            critical=False)
    if role in MARKERS:
        marker = x509.UnrecognizedExtension(x509.ObjectIdentifier(MARKERS[role]), b"\x05\x00")
        builder = builder.add_extension(marker, critical=False)
    algorithm = hashes.SHA384() if isinstance(issuer_key.curve, ec.SECP384R1) else hashes.SHA256()
    return builder.sign(issuer_key, algorithm)


def make_chain():
    root_key, middle_key = (ec.generate_private_key(ec.SECP384R1()) for _ in range(2))
    leaf_key = ec.generate_private_key(ec.SECP256R1())
    root = certificate("Checker Root CA", root_key, None, root_key, "root")
    middle = certificate("Checker Intermediate CA", middle_key, root, root_key, "intermediate")
    leaf = certificate("Checker Store Signing", leaf_key, middle, middle_key, "leaf")
    x5c = [
        base64.b64encode(one.public_bytes(serialization.Encoding.DER)).decode()
        for one in (leaf, middle, root)]
    root_pem = root.public_bytes(serialization.Encoding.PEM).decode()
    return {"x5c": x5c, "rootPEM": root_pem, "leafKeyPEM": pem(leaf_key)}


# MARK: apps

def make_products(prefix):
    return [
        {"productId": f"{prefix}.{name}", "subscriptionGroup": group, "period": period,
         "billingPlans": plans}
        for name, group, period, plans in [
            ("monthly", "main", "P1M", ["BILLED_UPFRONT"]),
            ("yearly", "main", "P1Y", ["BILLED_UPFRONT", "MONTHLY"]),
            ("weekly", "main", "P1W", []),
            ("extra", "other", "P1M", ["BILLED_UPFRONT"]),
            ("extra.yearly", "other", "P1Y", ["MONTHLY"]),
        ]]


def make_offers(prefix):
    return [
        {"offerIdentifier": name, "productId": f"{prefix}.{product}", "kind": kind}
        for name, product, kind in [
            ("half", "monthly", "promotional"), ("free", "monthly", "promotional"),
            ("half", "yearly", "promotional"), ("half", "extra", "promotional"),
            ("stay", "monthly", "retention"), ("back", "yearly", "winBack"),
        ]]


MESSAGES = [
    ("thanks", "text"), ("news", "text"), ("nothing", "text"), ("yearly", "switchPlan"),
    ("weekly", "switchPlan"), ("half", "promotionalOffer"), ("free", "promotionalOffer"),
]


def make_messages(maker, locales, default_locale):
    messages = []
    for name, kind in MESSAGES:
        some = set(maker.some(locales, maker.random.randint(6, 10)))
        if name != "nothing":
            some.add(default_locale)
        messages.append({
            "id": maker.identifier("msg"), "name": name, "kind": kind, "locales": sorted(some)})
    return messages


def apple_object(identifier, kind="message", state="APPROVED", images=(), is_superseded=False):
    return {
        "messageIdentifier": identifier, "kind": kind, "state": state, "presence": "listed",
        "images": list(images), "isSuperseded": is_superseded}


def make_placements(maker, messages, default_locale):
    """What Apple has of each text, and what it had before."""
    objects, placements, former = [], [], []
    pictures = {state: maker.uuid() for state in ("APPROVED", "PENDING", "REJECTED")}
    objects += [apple_object(one, "image", state) for state, one in pictures.items()]
    for message in messages:
        for locale in message["locales"]:
            identifier = maker.uuid()
            place = {"messageId": message["id"], "locale": locale}
            state = maker.random.choices(
                ["APPROVED", "PENDING", "REJECTED", "picture", "superseded", "gone", "deleted"],
                [70, 6, 6, 4, 3, 3, 8])[0]
            if message["name"] == "thanks" and locale == default_locale:
                state = "APPROVED"
            if message["name"] == "nothing" and state == "APPROVED":
                state = "PENDING"
            if maker.chance(0.25) or state == "deleted":
                before = maker.uuid()
                objects.append(apple_object(before))
                former.append({**place, "messageIdentifier": before})
            if state == "deleted":
                continue
            one = apple_object(identifier)
            if state in ("PENDING", "REJECTED"):
                one["state"] = state
            elif state == "picture":
                one["images"] = [pictures["APPROVED"], pictures["PENDING"]]
            elif state == "superseded":
                one["isSuperseded"] = True
            elif state == "gone":
                one["presence"] = "gone"
            elif message["kind"] == "text" and maker.chance(0.3):
                one["images"] = [pictures["APPROVED"]]
            objects.append(one)
            placements.append({**place, "messageIdentifier": identifier})
    return objects, placements, former


def make_defaults(maker, app, messages):
    """Of most products, in some of the locales."""
    texts = [message for message in messages if message["name"] in ("thanks", "news")]
    defaults = []
    for product in app["products"][:4]:
        message = texts[0] if maker.chance(0.7) else texts[1]
        some = maker.some(message["locales"], 6)
        if maker.chance(0.75) and app["defaultLocale"] in message["locales"]:
            some = sorted({*some, app["defaultLocale"]})
        defaults += [
            {"productId": product["productId"], "locale": locale, "messageId": message["id"]}
            for locale in some]
    return defaults


# MARK: subscribers

def make_instant(maker, spread_days):
    """Often close to an edge of the instants that are asked about."""
    base = maker.random.choice(INSTANTS)
    if maker.chance(0.4):
        hours = maker.random.choice([24, 48, 72, 168, 169, 24 * 30])
        return base - hours * HOUR + maker.random.choice([-1, 0, 1])
    return base - maker.random.randint(0, spread_days * DAY)


STOREFRONTS = ["USA", "DEU", "FRA", "JPN", "BRA", "IND"]
VERSIONS = [
    "2.1", "2.1.0", "9.0.0", "10.0.0", "10.0.1", "2.1-beta.9", "2.1-beta.10", "2.1+build7", "3",
    "2.1-alpha", "garbage", "1..2", "v2",
]
CLIENT_FACTS = {
    "appVersion": lambda maker: maker.random.choice(VERSIONS),
    "tier": lambda maker: maker.random.choice(["gold", "silver", "bronze", 3]),
    "streak": lambda maker: maker.random.choice([0, 1, 5, 29, 30, 31, 400, "many"]),
    "pushAllowed": lambda maker: maker.random.choice([True, False, "yes"]),
}
PARTS = {
    "subscribedAt": lambda maker: make_instant(maker, 700),
    "renewsAt": lambda maker: make_instant(maker, 2) + maker.random.randint(-3, 40) * DAY,
    "lastActiveAt": lambda maker: make_instant(maker, 20),
    "paidPeriods": lambda maker: maker.random.choice([0, 1, 2, 3, 11, 12, 13, 40]),
    "lifetimeSpend": lambda maker: {
        "amountMilliunits": maker.random.choice([0, 9_990, 50_000, 99_999, 100_000, 100_001]),
        "currency": maker.random.choice(["EUR", "EUR", "USD", "JPY"])},
    "storefront": lambda maker: maker.random.choice(STOREFRONTS),
    "billingPlan": lambda maker: maker.random.choice(["MONTHLY", "BILLED_UPFRONT"]),
    "inTrial": lambda maker: maker.chance(0.4),
    "inIntroOffer": lambda maker: maker.chance(0.4),
    "inOffer": lambda maker: maker.chance(0.4),
    "billingIssue": lambda maker: maker.chance(0.4),
    "pageViews": lambda maker: maker.random.choice([0, 1, 2, 3, 4, 10, 50]),
    "refunds": lambda maker: maker.random.choice([0, 0, 1, 2]),
    "openRefundRequests": lambda maker: maker.random.choice([0, 0, 1]),
    "cancelReason": lambda maker: maker.random.choice(["price", "unused", "bugs", "café"]),
}


def make_profile(maker):
    profile = {name: make(maker) for name, make in PARTS.items() if maker.chance(0.75)}
    profile["clientFacts"] = [
        {"name": name, "value": make(maker), "toldAt": make_instant(maker, 6)}
        for name, make in CLIENT_FACTS.items() if maker.chance(0.7)]
    return profile


def make_subscriber(maker, transaction):
    subscriber = {"originalTransactionId": transaction, "profile": None, "counters": None}
    kind = maker.random.choices(["both", "profile", "counters"], [70, 22, 8])[0]
    if kind != "counters":
        subscriber["profile"] = make_profile(maker)
        subscriber["asOf"] = make_instant(maker, 3)
    if kind != "profile":
        taken = maker.random.choice([0, 0, 1, 2, 3])
        subscriber["counters"] = {
            "offersTaken": taken,
            "lastOfferAt": make_instant(maker, 60) if taken else None,
            "escalationLevel": maker.random.choice([0, 1, 2, 2, 3, 7])}
    return subscriber


# MARK: rules

def fact_tests(maker, app, locales):
    """For each fact, tests that some subscribers pass and others do not."""
    pick = maker.random.choice
    products = [product["productId"] for product in app["products"]]

    def span(*values):
        low = pick(values)
        both = {"atLeast": low, "below": low + pick([1, 5, 90])}
        return pick([{"atLeast": low}, {"below": low}, both])

    def version():
        low, high = pick(["2.1-beta.10", "2.1", "9.0.0"]), pick(["2.1.0", "10.0.0", "10.0.1"])
        forms = [
            {"atLeastVersion": low}, {"belowVersion": high},
            {"atLeastVersion": low, "belowVersion": high}]
        return pick(forms)

    return {
        "productId": lambda: {"in": maker.some(products + ["unknown.product"], 3)},
        "subscriptionGroup": lambda: {"in": [pick(["main", "other"])]},
        "locale": lambda: {"in": maker.some(LOCALES + ["en-IN", "zh-HK", "pt-BR"], 8)},
        "language": lambda: {"in": maker.some(["en", "de", "no", "he", "zh", "pt", "es", "fr"], 3)},
        "environment": lambda: {"in": [pick(["Production", "Sandbox"])]},
        "billingPlan": lambda: {"in": [pick(["MONTHLY", "BILLED_UPFRONT"])]},
        "storefront": lambda: {"in": maker.some(STOREFRONTS, 3)},
        "tenureDays": lambda: span(1, 2, 7, 30, 90, 365),
        "paidPeriods": lambda: span(1, 2, 12),
        "lifetimeSpend": lambda: {**span(10_000, 100_000), "currency": pick(["EUR", "USD"])},
        "inTrial": lambda: {"is": maker.chance(0.5)},
        "inIntroOffer": lambda: {"is": maker.chance(0.5)},
        "inOffer": lambda: {"is": maker.chance(0.5)},
        "daysToRenewal": lambda: span(-1, 0, 1, 7, 30),
        "pageViews": lambda: span(1, 2, 3, 10),
        "refunds": lambda: span(1, 2),
        "openRefundRequests": lambda: span(1),
        "billingIssue": lambda: {"is": maker.chance(0.5)},
        "daysSinceActive": lambda: span(1, 2, 3, 7),
        "cancelReason": lambda: {"in": maker.some(["price", "unused", "café", "cafe\u0301"], 2)},
        "offersTaken": lambda: span(1, 2),
        "daysSinceOfferTaken": lambda: span(1, 2, 7, 30),
        "client.appVersion": version,
        "client.tier": lambda: {"in": maker.some(["gold", "silver", "bronze"], 2)},
        "client.streak": lambda: span(1, 30),
        "client.pushAllowed": lambda: {"is": maker.chance(0.5)},
    }


class Conditions:
    def __init__(self, maker, app, locales):
        self.maker = maker
        self.tests = fact_tests(maker, app, locales)
        self.queue = []

    def fact(self):
        """Each comes up before one comes up again."""
        if not self.queue:
            self.queue = self.maker.some(sorted(self.tests), len(self.tests))
        name = self.queue.pop()
        condition = {"fact": name, **self.tests[name]()}
        if self.maker.chance(0.25):
            condition["maxAgeHours"] = self.maker.random.choice([1, 24, 48, 72, 168, 8_760])
        return condition

    def make(self, depth):
        kind = self.maker.random.choices(
            ["fact", "all", "any", "not", "randomShare"],
            [40, 18, 18, 14, 10] if depth else [85, 0, 0, 0, 15])[0]
        if kind == "fact":
            return self.fact()
        if kind == "randomShare":
            salt = self.maker.random.choice(["autumn", "pilot", "größe"])
            share = self.maker.random.choice([0, 500, 2_500, 5_000, 9_000, 10_000])
            return {"randomShare": {"salt": salt, "basisPoints": share}}
        if kind == "not":
            return {"not": self.make(depth - 1)}
        return {kind: [self.make(depth - 1) for _ in range(self.maker.random.randint(0, 3))]}


def treatments(maker, app):
    """Every way to answer, those that cannot be said among them."""
    by_name = {message["name"]: message["id"] for message in app["messages"]}
    monthly, yearly, weekly, extra, _ = (product["productId"] for product in app["products"])

    def text(name):
        return {"kind": "message", "messageId": by_name[name]}

    def switch(message, product, plan=None):
        treatment = {
            "kind": "switchPlan", "messageId": by_name[message], "productId": product}
        return treatment if plan is None else {**treatment, "billingPlanType": plan}

    def offer(message, product, identifier):
        return {
            "kind": "promotionalOffer", "messageId": by_name[message], "productId": product,
            "offerIdentifier": identifier,
            "signatureVersion": maker.random.choice([1, 2])}

    connect = [
        {"kind": "appStoreConnectMessage", "messageIdentifier": one["messageIdentifier"]}
        for one in app["connectMessages"]]
    good = [
        text("thanks"), text("news"), switch("yearly", yearly), switch("weekly", weekly),
        switch("yearly", yearly, "MONTHLY"), switch("yearly", extra),
        offer("half", monthly, "half"), offer("free", monthly, "free"),
        offer("half", yearly, "half"), offer("half", extra, "half"), *connect[:2],
        {"kind": "fallback"},
    ]
    bad = [
        text("nothing"), {"kind": "message", "messageId": by_name["half"]},
        {"kind": "message", "messageId": maker.identifier("msg")},
        switch("weekly", weekly, "MONTHLY"), switch("yearly", "unknown.product"),
        switch("yearly", yearly, "OTHER"), offer("half", monthly, "stay"),
        offer("half", yearly, "back"), offer("half", weekly, "half"),
        offer("half", monthly, "unknown"), *connect[2:],
        {"kind": "appStoreConnectMessage", "messageIdentifier": maker.uuid()},
    ]
    return good, bad


def make_schedule(maker):
    start, end = maker.random.choice(INSTANTS), maker.random.choice(INSTANTS)
    minutes = maker.random.choice([(0, 60), (60, 120), (1_380, 60), (0, 1_440), (90, 1_439)])
    daily = {"fromMinute": minutes[0], "toMinute": minutes[1]}
    return maker.random.choice([
        {"from": start}, {"to": end}, {"from": INSTANTS[1], "to": INSTANTS[-2]}, {"daily": daily},
        {"daily": daily, "from": INSTANTS[2]}])


def make_outcome(maker, number, good, bad):
    """In turn, so that every app has one of each."""
    pick = maker.random.choice
    if number % 6 == 0:
        offers = [one for one in good if one["kind"] == "promotionalOffer"]
        return {"treatment": pick(offers)}
    if number % 4 == 1:
        steps = [pick(good[:6]), pick(good), pick(good if maker.chance(0.5) else bad), pick(good)]
        return {"treatment": {
            "kind": "escalation", "steps": steps[: maker.random.randint(2, 4)]}}
    if number % 4 == 3:
        weights = pick([[5_000, 5_000], [3_333, 3_333, 3_334], [9_000, 1_000], [2_500] * 4])
        arms = [
            {"key": f"arm{place}", "weight": weight, "buckets": [],
             "treatment": pick(bad) if maker.chance(0.15) else treatment}
            for place, (weight, treatment) in enumerate(
                zip(weights, maker.some(good, len(weights))))]
        name = f"experiment {number}"
        return {"experiment": {"id": maker.identifier("exp"), "name": name, "arms": arms}}
    return {"treatment": pick(bad) if number % 4 == 2 else pick(good)}


GOVERNORS = [
    {}, {"offersPerSubscriber": 2}, {"coolDownDays": 1}, {"coolDownDays": 30},
    {"monthlyDiscountBudget": {"amountMilliunits": 1_000_000, "currency": "EUR"}},
    {"offersPerSubscriber": 3, "coolDownDays": 2,
     "monthlyDiscountBudget": {"amountMilliunits": 500_000, "currency": "USD"}},
]
HOLDOUTS = [
    {"percent": 5, "answer": "defaultMessage"}, {"percent": 10, "answer": "fallback"},
    {"percent": 0, "answer": "defaultMessage"}, {"percent": 20, "answer": "fallback"},
]
RULES_EACH = 20
# Of an app's subscribers a rule meets so many, as far as it can be arranged.
SHARE_MET = (0.02, 0.22)


def make_open_offer(number, good):
    """An offer to half of those whom no rule before it met, for which nobody need be known."""
    offers = [
        one for one in good
        if one["kind"] == "promotionalOffer" and not one["productId"].endswith(".extra")]
    # Its own chance: a rule more leaves the others as they are.
    maker = Maker(f"open {number}")
    return {
        "id": maker.identifier("rule"), "name": "open",
        "when": {"randomShare": {"salt": "open", "basisPoints": 5_000}},
        "treatment": maker.random.choice(offers)}


def make_rules(maker, number, app, sample):
    conditions = Conditions(maker, app, LOCALES)
    good, bad = treatments(maker, app)
    rules = []
    for place in range(RULES_EACH):
        rule = {
            "id": maker.identifier("rule"), "name": f"rule {place}",
            "when": likely(maker, conditions, sample),
            **make_outcome(maker, place, good, bad)}
        if maker.chance(0.25):
            rule["schedule"] = make_schedule(maker)
        rules.append(rule)
    rules.append(make_open_offer(number, good))
    first = {
        "schemaVersion": 2, "holdout": HOLDOUTS[number % len(HOLDOUTS)],
        "governor": GOVERNORS[number % len(GOVERNORS)], "rules": rules}
    return [first, reweighted(first)]


def likely(maker, conditions, sample):
    """A condition that some of the sampled requests meet."""
    for _ in range(60):
        condition = conditions.make(3)
        met = sum(one.verdict(condition) is True for one in sample) / len(sample)
        if SHARE_MET[0] <= met <= SHARE_MET[1]:
            break
    return condition


def reweighted(rule_set):
    """The next version: every experiment with other weights and, some, with one arm more."""
    rules = []
    for rule in rule_set["rules"]:
        experiment = rule.get("experiment")
        if experiment is not None:
            arms = [dict(arm) for arm in experiment["arms"]]
            arms[0]["weight"] -= 700
            if len(arms) < 3:
                arms.append({**arms[0], "key": "late", "weight": 700, "buckets": []})
            else:
                arms[1]["weight"] += 700
            rule = {**rule, "experiment": {**experiment, "arms": arms}}
        rules.append(rule)
    return {**rule_set, "rules": rules}


def make_spent(maker, number, governor):
    """Of the month that ends meanwhile, the one that begins, and in other money."""
    budget = governor.get("monthlyDiscountBudget")
    if budget is None:
        return []
    limit, currency = budget["amountMilliunits"], budget["currency"]
    amounts = [
        (limit, limit - 1), (limit - 1, limit), (limit + 1, None), (None, limit)][number % 4]
    spent = [
        {"month": month, "currency": currency, "spentMilliunits": amount}
        for month, amount in zip(("2026-10-01", "2026-11-01"), amounts) if amount is not None]
    other = {"month": "2026-11-01", "currency": "JPY", "spentMilliunits": limit * 9}
    return [*spent, other]


def make_app(maker, number, tenant, shared):
    """`shared` are transactions that several apps have."""
    prefix = "com.example.same" if number in (0, APPS_EACH) else f"com.example.app{number}"
    locales = maker.some(LOCALES, 14)
    default_locale = maker.random.choice(["en-US", locales[0], "fr-FR"])
    app = {
        "tenant": tenant["id"], "client": tenant["client"], "id": maker.identifier("app"),
        "name": f"App {number}", "bundleId": prefix,
        "appAppleId": 6_400_000_000 + (0 if number == APPS_EACH else number),
        "defaultLocale": default_locale, "timeZone": ZONES[number % len(ZONES)],
        "isStopped": number == TENANTS * APPS_EACH, "key": make_key(maker, number),
        "products": make_products(prefix), "offers": make_offers(prefix),
        "messages": make_messages(maker, sorted({*locales, default_locale}), default_locale),
        "connectMessages": [
            {"messageIdentifier": maker.uuid(), "name": f"made {place}", "isConfirmed": place < 2}
            for place in range(4)],
        "environments": {}, "withoutBuckets": [], "ruleSets": [{
            "schemaVersion": 2, "holdout": HOLDOUTS[2], "governor": {}, "rules": []}],
    }
    for environment in truth.ENVIRONMENTS:
        objects, placements, former = make_placements(maker, app["messages"], default_locale)
        own = [str(maker.random.randrange(10**15, 10**16)) for _ in range(SUBSCRIBERS_EACH - 60)]
        app["environments"][environment] = {
            "ruleSet": 1, "objects": objects, "placements": placements, "former": former,
            "defaults": make_defaults(maker, app, app["messages"]), "spent": [],
            "subscribers": [
                make_subscriber(maker, one) for one in own + maker.some(shared, 60)]}
    add_rules(maker, number, app)
    return app


def make_key(maker, number):
    if number == 5:
        return None
    key = ec.generate_private_key(ec.SECP256R1())
    return {
        "id": maker.identifier("cred"), "keyId": f"KEY{number:07d}", "issuerId": maker.uuid(),
        "privateKeyPEM": pem(key), "publicKeyPEM": public_pem(key)}


def add_rules(maker, number, app):
    sample = []
    for environment in truth.ENVIRONMENTS:
        place = truth.Place(number, app, environment)
        for one in maker.some(app["environments"][environment]["subscribers"], 60):
            request = {
                "originalTransactionId": one["originalTransactionId"],
                "productId": maker.random.choice(app["products"])["productId"],
                "userLocale": maker.random.choice(LOCALES), "environment": environment}
            now = maker.random.choice(INSTANTS)
            sample.append(facts.Facts(request, place, now, collections.Counter()))
    app["ruleSets"] = make_rules(maker, number, app, sample)
    app["withoutBuckets"] = [
        next(rule["experiment"]["id"] for rule in app["ruleSets"][0]["rules"]
             if "experiment" in rule)]
    for place, environment in enumerate(truth.ENVIRONMENTS):
        here = app["environments"][environment]
        here["ruleSet"] = 1 + (number + place) % 2
        here["spent"] = make_spent(maker, number + place, app["ruleSets"][0]["governor"])


def make_world(seed):
    maker = Maker(seed)
    tenants = [
        {"id": maker.identifier("ten"), "client": maker.identifier("cli"), "name": f"Agency {n}"}
        for n in range(TENANTS)]
    shared = [str(maker.random.randrange(10**15, 10**16)) for _ in range(120)]
    apps = [
        make_app(maker, number, tenants[number // APPS_EACH % TENANTS], shared)
        for number in range(TENANTS * APPS_EACH + 1)]
    return {
        "seed": seed, "instants": INSTANTS, "chain": make_chain(), "tenants": tenants,
        "apps": apps}
