"""What one request was to be answered, from the ground truth alone.

An implementation of its own, from the documents. Only which of several equally readable regions is
nearest is left open: there any of them is right.
"""

import collections
import dataclasses

import decisions_conditions as conditions
import decisions_facts as facts
import decisions_readers as readers

ENVIRONMENTS = ("Production", "Sandbox")
MESSAGE_KINDS = {
    "message": "text", "switchPlan": "switchPlan", "promotionalOffer": "promotionalOffer"}


@dataclasses.dataclass
class Expected:
    """`identifiers` maps each message identifier that is right to its locale; `dead` has, of each
    rule that was tried, why what it was to say could not be said."""

    kind: str
    identifiers: dict
    message: str | None = None
    rule: str | None = None
    treatment: dict | None = None
    reason: str | None = None
    experiment: str | None = None
    arm: str | None = None
    is_held_out: bool = False
    how: str | None = None
    dead: list = dataclasses.field(default_factory=list)


class Place:
    """An app in one environment, arranged for looking things up."""

    def __init__(self, number, app, environment):
        self.number, self.app, self.environment = number, app, environment
        here = app["environments"][environment]
        self.here = here
        self.zone = app["timeZone"]
        self.default_locale = app["defaultLocale"]
        self.products = {product["productId"]: product for product in app["products"]}
        self.offers = {
            (offer["productId"], offer["offerIdentifier"])
            for offer in app["offers"] if offer["kind"] == "promotional"}
        self.message_kinds = {message["id"]: message["kind"] for message in app["messages"]}
        approved = {
            one["messageIdentifier"] for one in here["objects"] if is_approved(one, here["objects"])
        }
        self.texts = collections.defaultdict(dict)
        for placement in here["placements"]:
            if placement["messageIdentifier"] in approved:
                texts = self.texts[placement["messageId"]]
                texts[placement["locale"]] = placement["messageIdentifier"]
        self.defaults = collections.defaultdict(dict)
        for default in here["defaults"]:
            text = self.texts[default["messageId"]].get(default["locale"])
            if text is not None:
                self.defaults[default["productId"]][default["locale"]] = text
        self.connect = {
            message["messageIdentifier"] for message in app["connectMessages"]
            if message["isConfirmed"] or environment == "Sandbox"}
        self.rule_set = app["ruleSets"][here["ruleSet"] - 1]
        self.owners = facts.experiment_owners(app["ruleSets"])[here["ruleSet"] - 1]
        for experiment in app["withoutBuckets"]:
            # Its first arm never got them: whoever would be in it is in none.
            owners = self.owners[experiment]
            self.owners[experiment] = [None if arm == 0 else arm for arm in owners]
        self.spent = {
            (one["month"], one["currency"]): one["spentMilliunits"] for one in here["spent"]}
        self.subscribers = {one["originalTransactionId"]: one for one in here["subscribers"]}

    def group_of(self, product):
        return self.products[product]["subscriptionGroup"] if product in self.products else None

    def is_one_group(self, current, other):
        group = self.group_of(current)
        return group is not None and group == self.group_of(other)


def is_approved(one, objects):
    """Apple has it, says APPROVED, nothing newer stands in its place, and so with its pictures."""
    if one["state"] != "APPROVED" or one["presence"] not in ("listed", "uploaded"):
        return False
    if one["isSuperseded"]:
        return False
    shown = {other["messageIdentifier"]: other for other in objects}
    return all(
        image in shown and is_approved(shown[image], objects) for image in one["images"])


def places(world):
    """In the order in which everybody numbers them."""
    both = [(app, environment) for app in world["apps"] for environment in ENVIRONMENTS]
    return [Place(number, app, environment) for number, (app, environment) in enumerate(both)]


class Truth:
    def __init__(self, world):
        self.places = places(world)
        self.tally = collections.Counter()

    def expect(self, place, request, now, situation=conditions.GOOD):
        """`place` is the one whose URL was called."""
        if place.app["isStopped"]:
            return Expected("fallback", {}, reason="stopped")
        asked = facts.Facts(request, place, now, self.tally, situation)
        if asked.mode == "silent":
            return Expected("fallback", {}, reason="outOfDate")
        holdout = place.rule_set["holdout"]
        transaction = request["originalTransactionId"]
        if place.environment == "Production" and holdout["percent"] > 0:
            number = facts.bucket("holdout:" + place.app["id"], transaction)
            if number < holdout["percent"] * 100:
                return self.held_out(place, request, holdout)
        if asked.mode == "defaultOnly":
            return self.default(place, request)
        first, dead = None, []
        for rule in place.rule_set["rules"]:
            if not facts.scheduled(rule.get("schedule"), now, place.zone):
                self.tally["schedule", "outside"] += 1
                continue
            if asked.verdict(rule["when"]) is not True:
                continue
            treatment, assigned = self.choose(place, rule, transaction)
            reasons = []
            said = self.say(asked, rule, treatment, reasons)
            if reasons:
                dead.append({"rule": rule["id"], "reasons": reasons})
            if said is not None:
                said.rule, said.dead = rule["id"], dead
                said.experiment, said.arm = assigned or first or (None, None)
                if rule.get("schedule") is not None:
                    self.tally["schedule", "inside"] += 1
                return said
            first = first or assigned
        answer = self.default(place, request)
        answer.experiment, answer.arm = first or (None, None)
        answer.dead = dead
        return answer

    def held_out(self, place, request, holdout):
        if holdout["answer"] == "fallback":
            answer = Expected("fallback", {}, reason="holdout")
        else:
            answer = self.default(place, request)
        answer.is_held_out = True
        self.tally["holdout", holdout["answer"]] += 1
        return answer

    def default(self, place, request):
        texts = place.defaults.get(request["productId"], {})
        locales, how = readers.may_get(texts, request["userLocale"], place.default_locale)
        if not locales:
            return Expected("fallback", {}, reason="nothingToShow")
        return Expected(
            "defaultMessage", {texts[locale]: locale for locale in locales}, how=how)

    @staticmethod
    def choose(place, rule, transaction):
        if "treatment" in rule:
            return rule["treatment"], None
        experiment = rule["experiment"]
        number = facts.bucket("experiment:" + experiment["id"], transaction)
        owner = place.owners[experiment["id"]][number]
        if owner is None:
            return None, None
        arm = experiment["arms"][owner]
        return arm["treatment"], (experiment["id"], arm["key"])

    def say(self, asked, rule, treatment, reasons):
        """The step a subscriber has come to, or the nearest one before it that can be said; who is
        not known stands at the first. `treatment` is None for who has no arm."""
        if treatment is None:
            return self.die("noArm", reasons)
        if treatment["kind"] != "escalation":
            return self.say_one(asked, rule, treatment, reasons)
        level = max(0, asked.counters["escalationLevel"]) if asked.counters else 0
        reached = treatment["steps"][: level + 1]
        for back, step in enumerate(reversed(reached)):
            said = self.say_one(asked, rule, step, reasons)
            if said is not None:
                here = len(reached) - 1 - back
                self.tally["escalation", "step back" if back else f"step {here}"] += 1
                return said
        return None

    def die(self, dead, reasons):
        self.tally["dead", dead] += 1
        reasons.append(dead)

    def say_one(self, asked, rule, treatment, reasons):
        place, kind = asked.place, treatment["kind"]
        dead = self.refusal(asked, rule, treatment)
        if dead is None and kind == "fallback":
            return Expected("fallback", {}, treatment=treatment, reason="chosenByRule")
        if dead is None and kind == "appStoreConnectMessage":
            identifiers = {treatment["messageIdentifier"]: None}
            return Expected(kind, identifiers, treatment=treatment)
        if dead is None:
            texts = place.texts.get(treatment["messageId"], {})
            locales, how = readers.may_get(
                texts, asked.request["userLocale"], place.default_locale)
            if locales:
                return Expected(
                    kind, {texts[locale]: locale for locale in locales},
                    message=treatment["messageId"], treatment=treatment, how=how)
            dead = "noApprovedText"
        return self.die(dead, reasons)

    def refusal(self, asked, rule, treatment):
        """Why it cannot be said, but for its text; None where it can."""
        place, kind, current = asked.place, treatment["kind"], asked.request["productId"]
        if kind == "appStoreConnectMessage":
            known = treatment["messageIdentifier"] in place.connect
            return None if known else "notConfirmed"
        if kind == "fallback":
            return None
        if kind == "switchPlan":
            product = treatment["productId"]
            if product == current or not place.is_one_group(current, product):
                return "notInGroup"
            plan = treatment.get("billingPlanType")
            if plan is not None and plan not in place.products[product]["billingPlans"]:
                return "noBillingPlan"
        if kind == "promotionalOffer":
            product = treatment["productId"]
            if place.app["key"] is None:
                return "noKey"
            if (product, treatment["offerIdentifier"]) not in place.offers:
                return "noOffer"
            if not place.is_one_group(current, product):
                return "notInGroup"
            refused = governor_refusal(asked, rule)
            if refused is not None:
                return refused
        if not place.texts.get(treatment["messageId"]):
            return "noApprovedText"
        if place.message_kinds[treatment["messageId"]] != MESSAGE_KINDS[kind]:
            return "noMessage"
        return None


def governor_refusal(asked, rule=None):
    """Why no offer may be made; without the rule, why none may be made by any."""
    governor, place = asked.place.rule_set["governor"], asked.place
    cap = governor.get("offersPerSubscriber")
    rest = governor.get("coolDownDays")
    budget = governor.get("monthlyDiscountBudget")
    is_limited = any(limit is not None for limit in (cap, rest, budget))
    if asked.mode in ("noOffers", "defaultOnly", "silent"):
        return "staleState"
    if asked.mode == "noBudgetedOffers":
        if is_limited or rule is not None and facts.asks_for_counts(rule):
            return "staleState"
    if (cap is not None or rest is not None) and asked.counters is None:
        return "countersUnknown"
    if cap is not None and asked.counters["offersTaken"] >= cap:
        return "offerCap"
    if rest is not None and asked.counters["lastOfferAt"] is not None:
        if facts.days_between(asked.counters["lastOfferAt"], asked.now, place.zone) < rest:
            return "coolDown"
    return None if budget is None else budget_refusal(asked, budget)


def budget_refusal(asked, budget):
    if not asked.reads_budgets:
        asked.tally["budget", "never read"] += 1
        return "budgetUnknown"
    month = facts.month_of(asked.now, asked.place.zone)
    spent = asked.place.spent.get((month, budget["currency"]))
    if spent is not None and spent >= budget["amountMilliunits"]:
        return "budgetSpent"
    if spent is None and any(one == month for one, _ in asked.place.spent):
        # Money was spent that this budget cannot count.
        asked.tally["budget", "in other money"] += 1
        return "budgetUnknown"
    return None
