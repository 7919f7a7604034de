"""Makes up what the App Store signs about subscriptions: lives that could be, and that cannot.

Each history is a list of facts as the receiver has them, the texts of the payloads: of a
notification with what was signed inside, or of a transaction or a renewal info read by itself.
"""

import collections
import copy
import json
import random
import uuid

DAY = 86_400_000
HOUR = DAY // 24
START = 1_700_000_000_000
END = START + 900 * DAY
LENGTHS = {"weekly": 7 * DAY, "monthly": 30 * DAY, "yearly": 365 * DAY, "pro.monthly": 30 * DAY}
PRICES = {"weekly": 1990, "monthly": 6990, "yearly": 59990, "pro.monthly": 12990}
PLACES = [("DEU", "EUR"), ("USA", "USD"), ("JPN", "JPY")]
OFFERS = {2: "stay", 3: "CODE2026", 4: "back", 5: "keep", 9: "new-kind"}
DISCOUNTS = ["FREE_TRIAL", "PAY_AS_YOU_GO", "PAY_UP_FRONT"]


class Life:
    """One subscription, lived from its first purchase on."""

    def __init__(self, rng, number, tally):
        self.rng, self.tally, self.facts = rng, tally, []
        self.owner = str(2_000_000_000_000_000 + number * 1_000)
        self.count, self.pending, self.waiting, self.tail = 0, None, None, 0
        self.now = START + rng.randrange(200 * DAY)
        self.storefront, self.currency = rng.choice(PLACES)
        self.is_shared, self.is_committed = rng.random() < 0.08, rng.random() < 0.1
        self.product = "yearly" if rng.random() < 0.1 else rng.choice(["weekly", "monthly"])
        if self.is_committed:
            self.product = "yearly"
        self.token = str(uuid.UUID(int=rng.getrandbits(128)))
        self.kept, self.renewal, self.asked = {}, {}, []

    def chance(self, share):
        return self.rng.random() < share

    def tick(self, most=HOUR):
        self.now += self.rng.randrange(1, most)

    # What is signed.

    def signed_transaction(self, transaction_id, at=None):
        return json.dumps({**self.kept[transaction_id], "signedDate": at or self.now})

    def signed_renewal(self, at=None):
        renewal = {
            "originalTransactionId": self.owner, "productId": self.product,
            "environment": "Production", "signedDate": at or self.now, **self.renewal}
        if self.pending:
            renewal["autoRenewProductId"] = self.pending
        if self.waiting and renewal.get("autoRenewStatus"):
            renewal |= self.waiting
        return json.dumps(renewal)

    def notify(self, kind, subtype=None, about=None, status=None, reason=None, renewal=True):
        """Apple signs what is inside some milliseconds before or after."""
        self.tally[kind, subtype or ""] += 1
        about = about or self.newest
        inner = self.signed_transaction(about, self.now + self.rng.randrange(-40, 40))
        outer = self.signed_renewal(self.now + self.rng.randrange(-40, 40)) if renewal else None
        data = {
            "environment": "Production", "bundleId": "com.example.app", "appAppleId": 1234567890,
            "signedTransactionInfo": f"jws of {hash_of(inner)}"}
        if outer:
            data["signedRenewalInfo"] = f"jws of {hash_of(outer)}"
        if status is not None:
            data["status"] = status
        if reason:
            data["consumptionRequestReason"] = reason
        notification = {
            "notificationType": kind, "notificationUUID": str(
                uuid.UUID(int=self.rng.getrandbits(128))),
            "version": "2.0", "signedDate": self.now, "data": data,
            "futureMember": {"a": [1, None]}}
        if subtype:
            notification["subtype"] = subtype
        if self.rng.random() < 0.02:
            notification["notificationUUID"] = notification["notificationUUID"].upper()
        if self.facts and self.chance(0.05):
            self.tally["lost", ""] += 1
            return
        self.facts.append({
            "notification": json.dumps(notification), "transaction": inner, "renewal": outer})

    def read(self):
        """Histories and statuses, as they are now."""
        if self.chance(0.5):
            self.tally["read", "history"] += 1
            for transaction_id in self.kept:
                self.facts.append({"transaction": self.signed_transaction(transaction_id)})
        else:
            self.tally["read", "status"] += 1
            self.facts.append({"transaction": self.signed_transaction(self.newest)})
            self.facts.append({"renewal": self.signed_renewal()})

    # What happens.

    def buy(self, reason, offer=None, start=None, product=None):
        self.count += 1
        self.product = product or self.product
        self.newest = str(int(self.owner) + self.count - 1)
        start = start or self.now
        # A commitment's months are billed one by one.
        length = 30 * DAY if self.is_committed else LENGTHS[self.product]
        price = PRICES[self.product] // (12 if self.is_committed else 1)
        signed = {
            "originalTransactionId": self.owner, "transactionId": self.newest,
            "webOrderLineItemId": str(5_000_000_000 + self.count), "bundleId": "com.example.app",
            "productId": self.product, "subscriptionGroupIdentifier": "21000001",
            "type": "Auto-Renewable Subscription", "purchaseDate": start,
            "originalPurchaseDate": self.first if self.count > 1 else start, "quantity": 1,
            "inAppOwnershipType": "FAMILY_SHARED" if self.is_shared else "PURCHASED",
            "environment": "Production", "storefront": self.storefront, "storefrontId": "143443",
            "transactionReason": reason, "currency": self.currency, "appAccountToken": self.token}
        if self.count == 1:
            self.first = start
        if offer:
            kind, identifier, discount = offer
            self.tally["offer", kind] += 1
            self.tally["discount", discount] += 1
            signed |= {"offerType": kind, "offerDiscountType": discount}
            if identifier:
                signed["offerIdentifier"] = identifier
            if self.chance(0.5):
                signed["offerPeriod"] = "P1M"
            price = 0 if discount == "FREE_TRIAL" else price // 2
        if self.is_committed:
            month = (self.count - 1) % 12 + 1
            self.tally["commitment", month] += 1
            signed |= {"billingPlanType": "MONTHLY", "commitmentInfo": {
                "billingPeriodNumber": month, "totalBillingPeriods": 12,
                "commitmentExpiresDate": start + (13 - month) * 30 * DAY, "commitmentPrice": 59990}}
        if offer == (1, None, "FREE_TRIAL") and self.chance(0.2):
            price = None
        signed |= {"price": price, "expiresDate": start + length}
        self.end, self.offer = start + length, offer
        self.kept[self.newest] = {
            name: value for name, value in signed.items() if value is not None}
        self.renewal = {
            "autoRenewProductId": self.product, "autoRenewStatus": 1,
            "isInBillingRetryPeriod": False, "renewalDate": self.end, "currency": self.currency,
            "renewalPrice": PRICES[self.product], "recentSubscriptionStartDate": self.first}
        if self.is_committed:
            self.renewal |= {"renewalBillingPlanType": "MONTHLY", "commitmentInfo": {
                "commitmentAutoRenewProductId": self.product, "commitmentAutoRenewStatus": 1,
                "commitmentRenewalBillingPlanType": self.rng.choice(["MONTHLY", "BILLED_UPFRONT"]),
                "commitmentRenewalDate": self.end, "commitmentRenewalPrice": 59990}}

    def begin(self):
        offer = self.rng.choice([None, (1, None, "FREE_TRIAL"), (1, None, "PAY_AS_YOU_GO")])
        self.buy("PURCHASE", offer)
        self.tally["family" if self.is_shared else "purchased", ""] += 1
        self.notify("SUBSCRIBED", "INITIAL_BUY", status=1)
        while self.now < END and self.count < 24:
            for _ in range(self.rng.choice([0, 0, 1, 1, 2])):
                self.now = min(self.end - 1, self.now + self.rng.randrange(1, 8 * DAY))
                self.rng.choice(self.happenings)(self)
            if self.chance(0.06) or not self.finish_period():
                break

    def upgrade(self):
        self.kept[self.newest]["isUpgraded"] = True
        before, offer = self.newest, None
        if self.chance(0.3):
            offer = (2, OFFERS[2], self.rng.choice(DISCOUNTS))
        if self.chance(0.6):
            self.kept[before] |= {
                "revocationDate": self.now, "revocationReason": 0,
                "revocationType": "REFUND_PRORATED",
                "revocationPercentage": self.rng.randrange(100_001)}
        self.buy("PURCHASE", offer, product="pro.monthly")
        self.pending = None
        self.notify("OFFER_REDEEMED" if offer else "DID_CHANGE_RENEWAL_PREF", "UPGRADE", status=1)
        if self.chance(0.5):
            self.notify("METADATA_UPDATE", about=before, renewal=False)

    def change_preference(self):
        self.pending = None if self.pending else self.rng.choice(list(LENGTHS))
        self.notify(
            "DID_CHANGE_RENEWAL_PREF", "DOWNGRADE" if self.pending else None, status=1)
        if self.pending and self.chance(0.4):
            self.tick(2 * DAY)
            self.change_preference()

    def turn_over(self):
        status = 1 - self.renewal["autoRenewStatus"]
        self.renewal["autoRenewStatus"] = status
        self.notify(
            "DID_CHANGE_RENEWAL_STATUS", f"AUTO_RENEW_{'ENABLED' if status else 'DISABLED'}",
            status=1)
        if status == 0 and self.chance(0.5):
            self.tick(2 * DAY)
            self.turn_over()

    def redeem(self):
        """To begin with the next renewal."""
        kind = self.rng.choice([2, 3, 5, 5, 9])
        self.waiting = {
            "offerType": kind, "offerIdentifier": OFFERS[kind],
            "offerDiscountType": self.rng.choice(DISCOUNTS)}
        self.renewal["autoRenewStatus"] = 1
        self.notify("OFFER_REDEEMED", self.rng.choice([None, "DOWNGRADE"]), status=1)

    def raise_price(self):
        self.renewal["priceIncreaseStatus"] = 0
        self.notify("PRICE_INCREASE", "PENDING", status=1)
        self.tick(2 * DAY)
        if self.chance(0.6):
            self.renewal["priceIncreaseStatus"] = 1
            self.notify("PRICE_INCREASE", "ACCEPTED", status=1)

    def extend(self):
        self.end += self.rng.randrange(1, 90) * DAY
        self.kept[self.newest]["expiresDate"] = self.end
        self.renewal["renewalDate"] = self.end
        if self.chance(0.1):
            self.notify("RENEWAL_EXTENSION", "FAILURE", status=1)
        self.notify("RENEWAL_EXTENDED", status=1)

    def ask_for_money(self):
        about = self.rng.choice(list(self.kept))
        self.notify(
            "CONSUMPTION_REQUEST", about=about, renewal=self.chance(0.5), reason=self.rng.choice(
                ["UNINTENDED_PURCHASE", "OTHER", "FUTURE_REASON"]))
        self.tick(2 * DAY)
        answer = self.rng.choice(["none", "declined", "refund"])
        self.tally["request", answer] += 1
        if answer == "declined":
            self.notify("REFUND_DECLINED", about=about, renewal=False)
        if answer == "refund":
            self.refund(about)

    def refund(self, about=None):
        about = about or self.rng.choice(list(self.kept))
        part = self.rng.choice(["whole", "part", "unsaid", "beyond"])
        self.tally["refund", part] += 1
        back = {"revocationDate": self.now, "revocationReason": self.rng.choice([0, 1, 7])}
        if part == "whole":
            back |= {"revocationType": "REFUND_FULL", "revocationPercentage": 100_000}
        if part == "part":
            back |= {
                "revocationType": "REFUND_PRORATED",
                "revocationPercentage": self.rng.randrange(100_001)}
        if part == "beyond":
            back |= {"revocationType": "FUTURE", "revocationPercentage": 250_000}
        self.kept[about] |= back
        self.notify("REFUND", about=about, renewal=self.chance(0.5), status=5)
        if self.chance(0.4):
            self.tick(20 * DAY)
            # Whether the date goes away is nowhere said.
            stays = self.chance(0.5)
            self.tally["reversal", "date stays" if stays else "date gone"] += 1
            if not stays:
                for name in list(back):
                    self.kept[about].pop(name, None)
            self.notify("REFUND_REVERSED", about=about, renewal=self.chance(0.5), status=1)
            if stays and self.chance(0.3):
                self.tick(20 * DAY)
                self.tally["refund", "again"] += 1
                self.kept[about]["revocationDate"] = self.now
                self.notify("REFUND", about=about, renewal=False, status=5)

    def revoke(self):
        self.kept[self.newest] |= {"revocationDate": self.now, "revocationReason": 0}
        if self.chance(0.5):
            self.kept[self.newest]["revocationType"] = "FAMILY_REVOKE"
        self.notify("REVOKE", status=5)

    def family(self):
        if self.is_shared:
            self.revoke()

    def migrate(self):
        self.kept[self.newest]["previousOriginalTransactionId"] = "1000000" + self.owner[-6:]
        self.notify(self.rng.choice(["MIGRATION", "MIGRATE"]), status=1)

    def surprise(self):
        self.notify("FUTURE_THING", "FUTURE_SUBTYPE", status=self.rng.choice([1, 7]))
        if self.chance(0.7):
            about = copy.deepcopy(self.kept[self.newest])
            self.kept[self.newest] |= {"price": 1, "productId": "future"}
            self.notify("FUTURE_THING", status=2)
            self.kept[self.newest] = about
        if self.chance(0.5):
            self.notify("PRICE_CHANGE", "FUTURE_SUBTYPE", status=1)

    def same_item(self):
        """A late notice may carry another transaction of one purchase."""
        other = str(int(self.newest) + 500)
        self.kept[other] = {**self.kept[self.newest], "transactionId": other}
        self.notify("DID_RENEW", about=other, status=1)
        self.tally["sameItem", ""] += 1
        del self.kept[other]

    happenings = [
        upgrade, change_preference, turn_over, turn_over, redeem, redeem, raise_price, extend,
        ask_for_money, refund, family, migrate, surprise, same_item, read, read]

    # How a period ends.

    def finish_period(self):
        """Whether there is another."""
        if self.renewal.get("autoRenewStatus") == 0:
            return self.expire(1, "VOLUNTARY")
        if self.renewal.get("priceIncreaseStatus") == 0:
            return self.expire(3, "PRICE_INCREASE")
        if self.chance(0.15):
            return self.fail_to_bill()
        if self.chance(0.03):
            return self.expire(
                *self.rng.choice([(4, "PRODUCT_NOT_FOR_SALE"), (5, None), (6, "FUTURE")]))
        # Some renewals are signed hours before the period that they are for.
        self.now = self.end - (self.rng.randrange(1, 6 * HOUR) if self.chance(0.4) else 0)
        return self.renew(start=self.end)

    def renew(self, start, subtype=None):
        offer = None
        if self.waiting:
            offer = tuple(self.waiting.values())
        elif self.offer and self.offer[2] == "PAY_AS_YOU_GO" and self.chance(0.6):
            offer = self.offer
        product, self.pending, self.waiting = self.pending, None, None
        self.buy("RENEWAL", offer, start, product)
        self.notify("DID_RENEW", subtype, status=1)
        self.now = max(self.now, start)
        return True

    def fail_to_bill(self):
        self.now = self.end
        has_grace = self.chance(0.5)
        self.renewal["isInBillingRetryPeriod"] = True
        if has_grace:
            self.renewal["gracePeriodExpiresDate"] = self.end + 16 * DAY
        self.notify(
            "DID_FAIL_TO_RENEW", "GRACE_PERIOD" if has_grace else None,
            status=4 if has_grace else 3)
        if self.chance(0.2):
            return False
        if has_grace and self.chance(0.5):
            self.now = self.end + 16 * DAY
            self.notify("GRACE_PERIOD_EXPIRED", status=3)
        self.tick(20 * DAY)
        if self.chance(0.5):
            return self.renew(self.now, "BILLING_RECOVERY")
        self.now = max(self.now, self.end + 60 * DAY)
        self.renewal["isInBillingRetryPeriod"] = False
        return self.expire(2, "BILLING_RETRY")

    def expire(self, intent, subtype):
        self.now = max(self.now, self.end)
        self.pending = self.waiting = None
        self.renewal |= {"expirationIntent": intent, "autoRenewStatus": 0}
        if self.chance(0.5):
            self.renewal["eligibleWinBackOfferIds"] = ["back", "back-2"]
        self.tally["intent", intent] += 1
        self.notify("EXPIRED", subtype, status=2)
        if self.chance(0.4):
            return False
        self.now += self.rng.randrange(1, 90 * DAY)
        offer = (4, OFFERS[4], self.rng.choice(DISCOUNTS)) if self.chance(0.4) else None
        self.tally["returned", "won back" if offer else "by themselves"] += 1
        self.buy("PURCHASE", offer, product=self.rng.choice(["weekly", "monthly"]))
        self.notify("SUBSCRIBED", "RESUBSCRIBE", status=1)
        return True


def hash_of(text):
    return uuid.uuid5(uuid.NAMESPACE_OID, text).hex


# What no App Store signs.

OPTIONAL = [
    "webOrderLineItemId", "type", "originalPurchaseDate", "expiresDate", "inAppOwnershipType",
    "storefront", "transactionReason", "currency", "price", "offerType", "offerIdentifier",
    "autoRenewProductId", "autoRenewStatus", "isInBillingRetryPeriod", "renewalDate", "productId"]
STRANGE = {
    "type": ["Consumable", "Future"], "inAppOwnershipType": ["FUTURE"], "price": [
        -5, 0, 2**63 - 1], "offerType": [0, 99, -1], "offerDiscountType": ["ONE_TIME", "FUTURE"],
    "transactionReason": ["FUTURE"], "revocationPercentage": [-1, 33_333, 10**12],
    "revocationDate": [0, START, END], "autoRenewStatus": [2], "expirationIntent": [99],
    "expiresDate": [0, 253_402_300_799_999], "currency": ["EUR", "CHF"], "isUpgraded": [True],
    "billingPlanType": ["NEW"], "appAccountToken": ["no uuid", None],
    "transactionId": ["9", "10", "abc"], "purchaseDate": [START, END],
    "webOrderLineItemId": ["5000000001"], "gracePeriodExpiresDate": [END],
    "isInBillingRetryPeriod": [True], "autoRenewProductId": ["weekly", None], "storefront": ["ZZZ"]}


def distort(rng, facts, tally):
    """Members gone, strange, dated as others are; other things under a UUID that was used."""
    dates = [START + rng.randrange(900) * DAY for _ in range(3)]
    all_at_once = rng.random() < 0.2
    for fact in list(facts):
        if all_at_once and fact.get("transaction"):
            signed = json.loads(fact["transaction"])
            signed |= {"purchaseDate": START, "transactionId": str(int(
                signed["transactionId"]) % 1_000 + 8)}
            fact["transaction"] = json.dumps(signed)
        for part in ("transaction", "renewal"):
            if not fact.get(part) or rng.random() > 0.25:
                continue
            signed = json.loads(fact[part])
            what = rng.choice(["gone", "strange", "strange", "date"])
            if what == "gone":
                name = rng.choice(OPTIONAL)
                if (part, name) != ("transaction", "productId"):
                    signed.pop(name, None)
            elif what == "strange":
                name = rng.choice(list(STRANGE))
                signed[name] = rng.choice(STRANGE[name])
            else:
                signed["signedDate"] = rng.choice(dates)
            tally["distorted", what] += 1
            fact[part] = json.dumps(signed)
        if fact.get("notification") and rng.random() < 0.1:
            other = json.loads(fact["notification"])
            other["signedDate"] = rng.choice(dates)
            fact["notification"] = json.dumps(other)
            tally["distorted", "outer date"] += 1
        if fact.get("notification") and rng.random() < 0.05:
            facts.append(twin(rng, fact, tally))


def twin(rng, fact, tally):
    """Same UUID, same dates, another content."""
    other = dict(fact)
    for part in ("transaction", "renewal", "notification"):
        if other.get(part):
            signed = json.loads(other[part])
            signed["twin"] = rng.randrange(1_000)
            if part == "transaction":
                signed["price"] = rng.randrange(10_000)
            if part == "renewal":
                signed["autoRenewStatus"] = rng.randrange(2)
            other[part] = json.dumps(signed)
    tally["distorted", "twin"] += 1
    return other


def told(rng, now):
    """What the app's server told, some of it expired or twice."""
    names = ["cancelReason", "consent", "appVersion", "level", "seats"]
    facts = []
    for name in rng.sample(names, rng.randrange(len(names))):
        for _ in range(rng.choice([1, 1, 2])):
            fact = {
                "name": name, "value": rng.choice(["tooExpensive", "notUsed", "2.4.1"]),
                "observedAt": now - rng.randrange(1, 40) * DAY - len(facts)}
            if rng.random() < 0.4:
                fact["expiresAt"] = now + rng.randrange(-20, 20) * DAY
            facts.append(fact)
    return facts


def make(seed, number, tally):
    rng = random.Random(f"{seed} {number}")
    life = Life(rng, number, tally)
    life.begin()
    facts, is_distorted = life.facts, number % 3 == 2
    if is_distorted:
        distort(rng, facts, tally)
    tally["history", "that cannot be" if is_distorted else "that could be"] += 1
    if rng.random() < 0.1:
        # Only what came later is known.
        facts = facts[len(facts) // 2:]
        tally["history", "without its beginning"] += 1
    at = life.now + rng.randrange(-5, 40) * DAY
    history = {
        "number": number, "facts": facts,
        "times": sorted({at, life.end - 1, life.end + rng.randrange(70) * DAY}),
        "told": told(rng, at)}
    if rng.random() < 0.5:
        history |= {"lastActiveAt": at - DAY, "pageViews": rng.randrange(9)}
    return history


def make_many(seed, count):
    tally = collections.Counter()
    return [make(seed, number, tally) for number in range(count)], tally
