"""What conditions say of a request: three values, ages, calendar days, buckets.

An implementation of its own, from the documents: yes is True, no is False, unknown is None.
"""

import collections
import datetime
import functools
import hashlib
import re
import zoneinfo

import decisions_conditions as conditions
import decisions_readers as readers

HOUR = 3_600_000
MINUTE = HOUR // 60
# What a renewal or a tap can change counts for two days, the rest of a profile for a week.
TWO_DAYS = {
    "inTrial", "inIntroOffer", "inOffer", "daysToRenewal", "openRefundRequests", "billingIssue",
    "daysSinceActive",
}
REQUEST_FACTS = {"productId", "subscriptionGroup", "locale", "language", "environment"}
COUNTER_FACTS = {"offersTaken", "daysSinceOfferTaken"}
DAYS_SINCE = {"tenureDays": "subscribedAt", "daysSinceActive": "lastActiveAt"}
PLAIN_PARTS = {
    "billingPlan", "storefront", "cancelReason", "paidPeriods", "pageViews", "refunds",
    "openRefundRequests", "inTrial", "inIntroOffer", "inOffer", "billingIssue",
}
FACTS = sorted(
    REQUEST_FACTS | COUNTER_FACTS | PLAIN_PARTS | set(DAYS_SINCE)
    | {"daysToRenewal", "lifetimeSpend"}
)
# Of a counter's row that is not there.
NOTHING_TAKEN = {"offersTaken": 0, "lastOfferAt": None, "escalationLevel": 0}


def bucket(salt, transaction):
    """0 to 9,999: the first eight bytes of SHA-256 over salt, a zero byte and the id."""
    digest = hashlib.sha256(salt.encode() + b"\0" + transaction.encode()).digest()
    return int.from_bytes(digest[:8], "big") % 10_000


@functools.lru_cache(maxsize=200_000)
def local(milliseconds, zone):
    """The clock on the wall."""
    seconds = milliseconds // 1000
    return datetime.datetime.fromtimestamp(seconds, zoneinfo.ZoneInfo(zone))


def days_between(start, end, zone):
    """Midnights between the two."""
    return local(end, zone).toordinal() - local(start, zone).toordinal()


def month_of(milliseconds, zone):
    return local(milliseconds, zone).strftime("%Y-%m-01")


def scheduled(schedule, now, zone):
    if schedule is None:
        return True
    if schedule.get("from") is not None and now < schedule["from"]:
        return False
    if schedule.get("to") is not None and now >= schedule["to"]:
        return False
    daily = schedule.get("daily")
    if daily is None:
        return True
    wall = local(now, zone)
    minute = wall.hour * 60 + wall.minute
    start, end = daily["fromMinute"], daily["toMinute"]
    return start <= minute < end if start <= end else minute >= start or minute < end


VERSION = re.compile(r"([0-9]{1,18}(?:\.[0-9]{1,18}){0,7})(?:-([^+]*))?(?:\+.*)?", re.DOTALL)


@functools.lru_cache(maxsize=4096)
def version(text):
    """A key to sort by; None for what is no version."""
    match = VERSION.fullmatch(text)
    if match is None or len(text.encode()) > 64:
        return None
    numbers = [int(number) for number in match[1].split(".")]
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers.pop()
    if match[2] is None:
        return numbers, 1, []
    pieces = match[2].split(".")
    if len(pieces) > 8 or "" in pieces:
        return None
    # A number is below a word.
    stage = [
        (0, int(piece), b"") if re.fullmatch(r"[0-9]{1,18}", piece) else (1, 0, piece.encode())
        for piece in pieces
    ]
    return numbers, 0, stage


class Facts:
    """Of one request at one instant. `tally` counts what was met."""

    def __init__(self, request, place, now, tally, situation=conditions.GOOD):
        self.request = request
        self.place = place
        self.now = now
        self.tally = tally
        self.mode = conditions.mode(situation)
        self.reads_budgets = situation["readsBudgets"]
        known = place.subscribers.get(request["originalTransactionId"])
        self.profile = known and known.get("profile")
        self.as_of = known and known.get("asOf")
        self.counters = (known and known.get("counters")) or NOTHING_TAKEN
        if not situation["findsSubscribers"]:
            # Nobody knows whether there is a row: unknown is not nothing.
            self.profile = self.as_of = self.counters = None

    def verdict(self, condition):
        (kind,) = condition.keys() if len(condition) == 1 else ("fact",)
        if kind == "all":
            answer = self.whole(condition["all"], False)
        elif kind == "any":
            answer = self.whole(condition["any"], True)
        elif kind == "not":
            part = self.verdict(condition["not"])
            answer = None if part is None else not part
        elif kind == "randomShare":
            share = condition["randomShare"]
            salt = "share:" + share["salt"]
            answer = bucket(salt, self.request["originalTransactionId"]) < share["basisPoints"]
        else:
            answer = self.test(condition)
            self.tally["fact", condition["fact"].split(".")[0], answer] += 1
        self.tally["condition", kind, answer] += 1
        return answer

    def whole(self, parts, decisive):
        """`decisive` where one part is; unknown where one is; else the other."""
        answer = not decisive
        for part in parts:
            one = self.verdict(part)
            if one is decisive:
                return decisive
            if one is None:
                answer = None
        return answer

    def test(self, condition):
        value = self.value(condition["fact"], condition.get("maxAgeHours"))
        if value is None:
            return None
        if "in" in condition:
            if isinstance(value, list):
                return any(one in condition["in"] for one in value)
            return value in condition["in"] if isinstance(value, str) else None
        if "is" in condition:
            return value is condition["is"] if isinstance(value, bool) else None
        if "atLeastVersion" in condition or "belowVersion" in condition:
            return self.version_test(condition, value)
        if "currency" in condition:
            if not isinstance(value, dict) or value["currency"] != condition["currency"]:
                return None
            value = value["amountMilliunits"]
        if isinstance(value, bool) or not isinstance(value, int):
            return None
        return condition.get("atLeast", value) <= value and (
            "below" not in condition or value < condition["below"])

    @staticmethod
    def version_test(condition, value):
        key = version(value) if isinstance(value, str) else None
        if key is None:
            return None
        low, high = condition.get("atLeastVersion"), condition.get("belowVersion")
        return (low is None or version(low) <= key) and (high is None or key < version(high))

    def value(self, fact, max_age=None):
        """None for what is missing or too old."""
        if fact in REQUEST_FACTS:
            return self.request_value(fact)
        if fact in COUNTER_FACTS:
            if self.counters is None:
                return None
            if fact == "offersTaken":
                return self.counters["offersTaken"]
            return self.days_since(self.counters["lastOfferAt"])
        if not self.profile:
            return None
        if fact.startswith("client."):
            return self.client_value(fact.removeprefix("client."), max_age or 168)
        limit = max_age or (48 if fact in TWO_DAYS else 168)
        if not self.is_fresh(self.as_of, limit):
            self.tally["age", "profile", "too old"] += 1
            return None
        if fact in DAYS_SINCE:
            return self.days_since(self.profile.get(DAYS_SINCE[fact]))
        if fact == "daysToRenewal":
            renews = self.profile.get("renewsAt")
            return None if renews is None else days_between(self.now, renews, self.place.zone)
        return self.profile.get(fact)

    def request_value(self, fact):
        if fact == "subscriptionGroup":
            return self.place.group_of(self.request["productId"])
        if fact == "locale":
            return readers.spellings(self.request["userLocale"]) or None
        if fact == "language":
            return readers.language_codes(self.request["userLocale"]) or None
        return self.request[fact]

    def is_fresh(self, instant, limit):
        """Five minutes ahead is another clock; more is a wrong one."""
        return -5 * MINUTE <= self.now - instant <= limit * HOUR

    def client_value(self, name, limit):
        for told in self.profile.get("clientFacts", []):
            if told["name"] == name:
                if not self.is_fresh(told["toldAt"], limit):
                    self.tally["age", "client", "too old"] += 1
                    return None
                return told["value"]
        return None

    def days_since(self, instant):
        """What lies ahead has no age."""
        if instant is None or instant > self.now:
            return None
        return days_between(instant, self.now, self.place.zone)


def allocate(weights, former):
    """Buckets of each arm as a list of owners: who shrinks gives up, who grows takes what is free,
    no other bucket moves. `former` has what each of the same arms owned before."""
    owners, counts = [None] * 10_000, [0] * len(weights)
    for arm, owned in enumerate(former):
        for number in owned:
            if counts[arm] < weights[arm]:
                owners[number] = arm
                counts[arm] += 1
    free = [number for number in range(10_000) if owners[number] is None]
    for number in free:
        arm = next((arm for arm, weight in enumerate(weights) if counts[arm] < weight), None)
        if arm is None:
            break
        owners[number] = arm
        counts[arm] += 1
    return owners


def experiment_owners(rule_sets):
    """For each version of an app's rules, {experiment: owners of the buckets}."""
    versions, last = [], {}
    for rule_set in rule_sets:
        owners = {}
        for rule in rule_set["rules"]:
            experiment = rule.get("experiment")
            if experiment is None:
                continue
            arms = experiment["arms"]
            before = last.get(experiment["id"], collections.defaultdict(list))
            owners[experiment["id"]] = allocate(
                [arm["weight"] for arm in arms], [before.get(arm["key"], []) for arm in arms])
            now = collections.defaultdict(list)
            for number, arm in enumerate(owners[experiment["id"]]):
                if arm is not None:
                    now[arms[arm]["key"]].append(number)
            last[experiment["id"]] = now
        versions.append(owners)
    return versions


def asks_for_counts(rule):
    """Whether a rule goes by what the governor counts, its limits aside."""
    treatments = [rule[name] for name in ("treatment",) if name in rule]
    treatments += [arm["treatment"] for arm in rule.get("experiment", {}).get("arms", [])]
    return tests_counts(rule["when"]) or any(
        one["kind"] == "escalation" for one in treatments)


def tests_counts(condition):
    if "fact" in condition:
        return condition["fact"] in COUNTER_FACTS
    parts = condition.get("all", []) + condition.get("any", [])
    parts += [condition["not"]] if "not" in condition else []
    return any(tests_counts(part) for part in parts)
