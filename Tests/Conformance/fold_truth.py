"""Where a subscription stands by what was signed about it: docs/subscriptions.md in Python.

An implementation of its own, from that page. Nothing here is kept from one fact to the next: all
facts are looked at at once, and every member of the state is a question to them.
"""

import functools
import json
import uuid as uuids

DAY = 86_400_000
MINUTE = 60_000
WHOLE = 100_000
SHOWN = 64
LARGEST = 2**63 - 1
KNOWN_TYPES = set(
    "SUBSCRIBED DID_RENEW DID_CHANGE_RENEWAL_PREF DID_CHANGE_RENEWAL_STATUS OFFER_REDEEMED EXPIRED "
    "DID_FAIL_TO_RENEW GRACE_PERIOD_EXPIRED PRICE_INCREASE REFUND REFUND_DECLINED REFUND_REVERSED "
    "CONSUMPTION_REQUEST RENEWAL_EXTENDED RENEWAL_EXTENSION REVOKE TEST ONE_TIME_CHARGE "
    "EXTERNAL_PURCHASE_TOKEN RESCIND_CONSENT METADATA_UPDATE MIGRATION MIGRATE "
    "PRICE_CHANGE".split())
WORDS = {
    "CONSUMPTION_REQUEST", "REFUND", "REFUND_DECLINED", "REFUND_REVERSED", "RENEWAL_EXTENDED",
    "MIGRATION", "MIGRATE"}
# What is planted to see whether anybody would notice; each is asked for by name.
FAULTS = (
    "arrivalOrder", "bareTransactionId", "deliveriesCounted", "dateAlone", "envelopeDate",
    "extensionsPaid", "familyPays", "graceForgotten", "introCounted", "itemsApart",
    "neverAwaited", "offerOfEachPeriod", "offerNotDatedBack", "oldRenewalSpeaks", "oneMigration",
    "partIsAll", "pendingNotTaken", "reasonIgnored", "refundsPaid", "requestsStay",
    "retryForEver", "reversalIgnored", "reversalForEver", "trialsPaid", "unknownSpeaks",
    "upgradesReturn")


def by_number(transaction_id):
    return len(transaction_id), transaction_id.encode()


@functools.lru_cache(maxsize=4096)
def fingerprint(text):
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return value


@functools.total_ordering
class Key:
    """Fingerprints cost time, and hardly ever decide."""

    def __init__(self, date, carrier, text):
        self.date, self.carrier, self.text = date, carrier, text

    def __eq__(self, other):
        return (self.date, self.carrier, self.text) == (other.date, other.carrier, other.text)

    def __lt__(self, other):
        own, others = (self.date, self.carrier), (other.date, other.carrier)
        if own != others or self.text == other.text:
            return own < others
        return fingerprint(self.text) < fingerprint(other.text)

    def __hash__(self):
        return hash((self.date, self.carrier, self.text))


def members(text):
    return {name: value for name, value in json.loads(text).items() if value is not None}


def token(value):
    try:
        return str(uuids.UUID(value)) if value and len(value) == 36 else None
    except ValueError:
        return None


def money(amount, currency):
    return None if amount is None or currency is None else (amount, currency)


def offer_of(signed):
    """None where there is no member of an offer at all."""
    offer = tuple(signed.get(name) for name in (
        "offerType", "offerIdentifier", "offerDiscountType", "offerPeriod"))
    return offer if any(part is not None for part in offer) else None


def same_offer(one, other):
    return bool(one and other and one[0] is not None and one[:2] == other[:2])


class Facts:
    """Everything that was signed about one subscription, each thing once."""

    def __init__(self, facts, fault=None):
        self.fault, self.dates = fault, []
        transactions, renewals, words, statuses = {}, {}, {}, {}
        for place, fact in enumerate(facts):
            self.take(fact, place, transactions, renewals, words, statuses)
        order = (lambda entry: entry[2]) if fault == "arrivalOrder" else (lambda entry: entry[0])
        if fault == "dateAlone":
            order = lambda entry: entry[0].date
        self.first_signed, self.versions = {}, {}
        for key, signed, place in sorted(
                ((key, *rest) for key, rest in transactions.items()), key=order):
            name = signed["transactionId"]
            self.first_signed[name] = min(key.date, self.first_signed.get(name, key.date))
            self.versions[name] = (key, signed)
        in_order = lambda table: sorted(
            ((key, *rest) for key, rest in table.items()), key=order)
        self.renewals = [(key, signed) for key, signed, _ in in_order(renewals)]
        self.words = [(key, word) for key, word, _ in in_order(words)]
        self.statuses = [status for _, status, _ in in_order(statuses)]

    def take(self, fact, place, transactions, renewals, words, statuses):
        outer = members(fact["notification"]) if fact.get("notification") else None
        inner = {name: members(fact[name]) for name in ("transaction", "renewal") if fact.get(name)}
        about = inner.get("transaction", inner.get("renewal"))
        if about is None:
            return
        about = about["originalTransactionId"]
        if inner.get("renewal", {}).get("originalTransactionId", about) != about:
            del inner["renewal"]
        carrier = bytes(16)
        if outer is not None:
            carrier = uuids.UUID(outer["notificationUUID"]).bytes
            kind = outer["notificationType"]
            if kind not in KNOWN_TYPES and self.fault != "unknownSpeaks":
                return
            key = Key(outer["signedDate"], carrier, fact["notification"])
            self.dates.append(outer["signedDate"])
            if kind in WORDS:
                words[key] = ({
                    "kind": kind, "id": inner.get("transaction", {}).get("transactionId"),
                    "reason": outer["data"].get("consumptionRequestReason")}, place)
            if outer["data"].get("status") is not None:
                statuses[key] = (outer["data"]["status"], place)
        for name, table in (("transaction", transactions), ("renewal", renewals)):
            if name in inner:
                date = inner[name]["signedDate"]
                if self.fault == "envelopeDate" and outer is not None:
                    date = outer["signedDate"]
                self.dates.append(inner[name]["signedDate"])
                table[Key(date, carrier, fact[name])] = (inner[name], place)

    def words_of(self, *kinds):
        return [(key, word) for key, word in self.words if word["kind"] in kinds]


class Period:
    def __init__(self, facts, key, signed):
        self.key, self.signed, self.fault = key, signed, facts.fault
        self.id = signed["transactionId"]
        self.start, self.expires = signed["purchaseDate"], signed.get("expiresDate")
        self.is_renewal = signed.get("transactionReason") == "RENEWAL"
        self.is_shared = signed.get("inAppOwnershipType") == "FAMILY_SHARED"
        self.price = money(signed.get("price"), signed.get("currency"))
        self.offer = offer_of(signed)
        self.revocation = self.taken_back(facts)
        self.beginning = None

    def taken_back(self, facts):
        at = self.signed.get("revocationDate")
        if at is None:
            return None
        reversals = [
            key.date for key, word in facts.words_of("REFUND_REVERSED") if word["id"] == self.id]
        if self.fault == "reversalForEver" and reversals:
            return None
        if self.fault != "reversalIgnored" and any(date >= at for date in reversals):
            return None
        kind = self.signed.get("revocationType")
        if kind == "FAMILY_REVOKE" or self.is_shared:
            return "family", at, WHOLE, self.signed.get("revocationReason")
        part = self.signed.get("revocationPercentage")
        if kind == "REFUND_FULL" or part is None or self.fault == "partIsAll":
            part = WHOLE
        return "refund", at, max(0, min(part, WHOLE)), self.signed.get("revocationReason")

    @property
    def end(self):
        ends = [self.expires] if self.expires is not None else []
        if self.revocation:
            ends.append(self.revocation[1])
        return min(ends) if ends else None

    @property
    def is_refunded(self):
        return self.revocation is not None and self.revocation[0] == "refund"

    @property
    def is_paid(self):
        free = self.price[0] <= 0 if self.price else self.signed.get(
            "offerDiscountType") == "FREE_TRIAL"
        if (free and self.fault != "trialsPaid") or (
                self.is_shared and self.fault != "familyPays"):
            return False
        return self.fault == "refundsPaid" or not (self.is_refunded and self.revocation[2] == WHOLE)

    @property
    def net(self):
        if self.price is None:
            return None
        amount, currency = self.price
        if (self.is_shared and self.fault != "familyPays") or amount <= 0:
            return 0, currency
        back = amount * self.revocation[2] // WHOLE if self.is_refunded else 0
        return amount - back, currency


class Subscription:
    def __init__(self, facts, fault=None):
        self.fault = fault
        self.facts = Facts(facts, fault)
        self.deliveries = facts
        self.periods = self.make_periods()
        self.current = self.periods[-1] if self.periods else None
        self.renewal = self.counting_renewal()
        self.taken = self.make_taken()

    def make_periods(self):
        purchases = {}
        for name in sorted(self.facts.versions, key=by_number):
            key, signed = self.facts.versions[name]
            if signed.get("type", "Auto-Renewable Subscription") != "Auto-Renewable Subscription":
                continue
            item = signed.get("webOrderLineItemId")
            purchase = ("item", item) if item and self.fault != "itemsApart" else ("id", name)
            if purchase not in purchases or not key < purchases[purchase].key:
                purchases[purchase] = Period(self.facts, key, signed)
        of_id = (lambda name: name.encode()) if self.fault == "bareTransactionId" else by_number
        periods = sorted(purchases.values(), key=lambda one: (one.start, of_id(one.id)))
        for place, period in enumerate(periods):
            ends = [before.end for before in periods[:place]]
            if place == 0:
                period.beginning = "first"
            elif period.is_renewal and self.fault != "reasonIgnored":
                period.beginning = "renewal"
            elif self.fault == "upgradesReturn" or all(
                    end is not None and end <= period.start for end in ends):
                period.beginning = "returned"
            else:
                period.beginning = "change"
        return periods

    def counting_renewal(self):
        if not self.facts.renewals:
            return None
        key, signed = self.facts.renewals[-1]
        if self.current is None or self.fault == "oldRenewalSpeaks":
            return signed
        first = self.facts.first_signed[self.current.id] - MINUTE
        return signed if key.date >= min(self.current.start, first) else None

    def first_spoken_of(self, offer, start, end):
        return next((
            key.date for key, signed in self.facts.renewals
            if start <= key.date < end and same_offer(offer_of(signed), offer)), None)

    def make_taken(self):
        taken = []
        for place, period in enumerate(self.periods):
            if period.offer is None or period.offer[0] is None:
                continue
            before = self.periods[place - 1] if place else None
            same = before is not None and same_offer(before.offer, period.offer)
            goes_on = same and period.is_renewal and period.offer[2] == "PAY_AS_YOU_GO"
            if goes_on and self.fault != "offerOfEachPeriod":
                continue
            at = None
            if before and period.is_renewal and not same and self.fault != "offerNotDatedBack":
                at = self.first_spoken_of(period.offer, before.start, period.start)
            at = period.start if at is None else at
            taken.append((period.offer, at, period.signed["productId"], period.id))
        waiting = offer_of(self.renewal) if self.renewal else None
        if self.current and waiting and waiting[0] is not None and (
                self.renewal.get("autoRenewStatus") != 0) and (
                not same_offer(waiting, self.current.offer)) and self.fault != "pendingNotTaken":
            at = self.first_spoken_of(waiting, self.current.start, LARGEST)
            product = self.renewal.get("autoRenewProductId", self.renewal.get("productId"))
            taken.append((
                waiting, self.renewal["signedDate"] if at is None else at, product, None))
        return taken

    @property
    def counted(self):
        return [one for one in self.taken if one[0][0] != 1 or self.fault == "introCounted"]

    @property
    def spend(self):
        sums = {}
        for period in self.periods:
            if period.net:
                amount, currency = period.net
                sums[currency] = min(LARGEST, sums.get(currency, 0) + amount)
        return sums

    @property
    def auto_renewing(self):
        status = self.renewal.get("autoRenewStatus") if self.renewal else None
        return {0: False, 1: True}.get(status)

    @property
    def changes(self):
        changes = []
        for key, signed in self.facts.renewals:
            wish = {0: False, 1: True}.get(signed.get("autoRenewStatus")), signed.get(
                "autoRenewProductId")
            if not changes or changes[-1][1:] != wish:
                changes.append((key.date, *wish))
        return changes

    @property
    def requests(self):
        """The newest of each transaction, unless it was answered."""
        newest = {}
        for key, word in self.facts.words_of("CONSUMPTION_REQUEST"):
            if word["id"] is not None:
                newest[word["id"]] = (key, word)
        still = []
        for name, (key, word) in newest.items():
            answers = [
                answer for answer, said in self.facts.words_of("REFUND", "REFUND_DECLINED")
                if said["id"] == name and key < answer]
            back = self.facts.versions[name][1].get("revocationDate")
            if self.fault == "requestsStay" or not (
                    answers or back is not None and back >= key.date):
                still.append((key, name, word["reason"]))
        return [(name, key.date, reason) for key, name, reason in sorted(
            still, key=lambda one: one[0])]

    @property
    def paid(self):
        paid = sum(period.is_paid for period in self.periods)
        if self.fault == "deliveriesCounted":
            paid += sum(bool(fact.get("transaction")) for fact in self.deliveries) - len(
                {fact["transaction"] for fact in self.deliveries if fact.get("transaction")})
        if self.fault == "extensionsPaid":
            paid += len(self.facts.words_of("RENEWAL_EXTENDED"))
        return paid

    def status(self, now):
        if self.current is None:
            return None
        if self.current.revocation:
            return 5
        end = self.current.expires
        if end is None:
            return None
        if now < end:
            return 1
        renewal = self.renewal or {}
        if renewal.get("isInBillingRetryPeriod"):
            grace = renewal.get("gracePeriodExpiresDate")
            if grace is not None and now < grace and self.fault != "graceForgotten":
                return 4
            return 3 if now < end + 60 * DAY or self.fault == "retryForEver" else 2
        awaited = self.auto_renewing and renewal.get("expirationIntent") is None
        return 1 if awaited and now < end + DAY and self.fault != "neverAwaited" else 2
