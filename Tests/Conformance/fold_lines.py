"""A state and its profiles as lines of text, the form in which two folds are compared."""

import fold_truth as truth


def said(value):
    if value is None:
        return "-"
    if value is True or value is False:
        return "yes" if value else "no"
    if isinstance(value, (tuple, list)):
        return "(" + " ".join(said(one) for one in value) + ")"
    return str(value)


def last(values):
    return list(values)[-truth.SHOWN:]


def first_of_all(periods):
    dates = [period.start for period in periods]
    dates += [
        period.signed["originalPurchaseDate"] for period in periods
        if "originalPurchaseDate" in period.signed]
    return min(dates, default=None)


def current_lines(one):
    current = one.current.signed if one.current else {}
    renewal = one.renewal or {}
    owner = current.get("originalTransactionId")
    if owner is None and one.facts.renewals:
        owner = one.facts.renewals[-1][1]["originalTransactionId"]
    account = truth.token(current.get("appAccountToken"))
    other = truth.token(renewal.get("appAccountToken"))
    if one.current and other and one.current.key.date <= renewal["signedDate"]:
        account = other
    before = [
        period.signed["previousOriginalTransactionId"] for period in one.periods
        if "previousOriginalTransactionId" in period.signed]
    kinds = ("MIGRATION",) if one.fault == "oneMigration" else ("MIGRATION", "MIGRATE")
    migrations = [key.date for key, _ in one.facts.words_of(*kinds)]
    yield "originalTransactionId", owner
    yield "asOf", max(one.facts.dates, default=None)
    yield "statusAtApple", one.facts.statuses[-1] if one.facts.statuses else None
    yield "subscribedAt", first_of_all(one.periods)
    for name, member in (
            ("productId", "productId"), ("subscriptionGroup", "subscriptionGroupIdentifier"),
            ("billingPlan", "billingPlanType"), ("storefront", "storefront"),
            ("ownership", "inAppOwnershipType"), ("currency", "currency"),
            ("expiresAt", "expiresDate")):
        yield name, current.get(member)
    yield "offer", truth.offer_of(current)
    yield "revocation", one.current.revocation if one.current else None
    yield "appAccountToken", account
    yield "previousOriginalTransactionId", before[-1] if before else None
    yield "migratedAt", migrations[-1] if migrations else None
    yield "commitment", commitment(current.get("commitmentInfo"), renewal.get("commitmentInfo"))


def commitment(now, following):
    parts = []
    for info, names in (
            (now, "billingPeriodNumber totalBillingPeriods commitmentExpiresDate commitmentPrice"),
            (following, "commitmentAutoRenewProductId commitmentAutoRenewStatus "
             "commitmentRenewalBillingPlanType commitmentRenewalDate commitmentRenewalPrice")):
        parts.append(None if info is None else [info.get(name) for name in names.split()])
    return parts if any(part is not None for part in parts) else None


def renewal_lines(one):
    renewal, has = one.renewal or {}, one.renewal is not None
    wanted, plan = renewal.get("autoRenewProductId"), renewal.get("renewalBillingPlanType")
    current = one.current.signed if one.current else {}
    is_pending = has and one.current is not None and one.auto_renewing is not False
    yield "recentStartAt", renewal.get("recentSubscriptionStartDate")
    yield "autoRenewing", one.auto_renewing
    yield "next", [
        wanted, plan, renewal.get("renewalDate"),
        truth.money(renewal.get("renewalPrice"), renewal.get("currency"))] if has else None
    yield "pendingProductId", wanted if is_pending and wanted != current["productId"] else None
    yield "pendingBillingPlan", (
        plan if is_pending and plan != current.get("billingPlanType") else None)
    yield "isInBillingRetry", renewal.get("isInBillingRetryPeriod", False)
    yield "graceEndsAt", renewal.get("gracePeriodExpiresDate")
    yield "expirationIntent", renewal.get("expirationIntent")
    yield "priceIncrease", renewal.get("priceIncreaseStatus")
    yield "eligibleWinBackOfferIds", renewal.get("eligibleWinBackOfferIds", [])[:32]


def total_lines(one):
    returned = [period.start for period in one.periods if period.beginning == "returned"]
    extended = one.facts.words_of("RENEWAL_EXTENDED")
    spend = one.spend
    yield "paidPeriods", one.paid
    yield "spend", [(spend[name], name) for name in sorted(spend, key=str.encode)]
    yield "refunds", sum(period.is_refunded for period in one.periods)
    yield "returns", len(returned)
    yield "lastReturnedAt", returned[-1] if returned else None
    yield "extensions", len({key.carrier for key, _ in extended})
    yield "lastExtendedAt", extended[-1][0].date if extended else None
    yield "offersTakenCount", len(one.counted)
    yield "lastOfferAt", max((taken[1] for taken in one.counted), default=None)
    for period in last(one.periods):
        yield "period", [
            period.id, period.signed["productId"], period.signed.get("billingPlanType"),
            period.signed.get("storefront"), period.start, period.expires, period.beginning,
            period.offer, period.price, period.is_shared, period.signed.get("isUpgraded", False),
            period.revocation, period.end, period.is_paid, period.net]
    for taken in last(one.taken):
        yield "taken", taken
    for change in last(one.changes):
        yield "change", change
    for request in last(one.requests):
        yield "request", request


def profile(one, sources, now):
    told = {}
    for fact in sources["told"]:
        if "expiresAt" in fact and now >= fact["expiresAt"]:
            continue
        other = told.get(fact["name"])
        if other is None or fact["observedAt"] > other["observedAt"]:
            told[fact["name"]] = fact
    reason = told.pop("cancelReason", None)
    told.pop("consent", None)
    parts = {
        "lastActiveAt": sources.get("lastActiveAt"), "pageViews": sources.get("pageViews"),
        "cancelReason": reason["value"] if reason else None,
        "told": [(name, told[name]["value"], told[name]["observedAt"])
                 for name in sorted(told)[:16]],
    }
    if one.current is None:
        return parts
    status, signed = one.status(now), one.current.signed
    runs = status in (1, 3, 4)
    parts |= {
        "subscribedAt": first_of_all(one.periods),
        "renewsAt": one.current.expires if runs else None,
        "paidPeriods": one.paid, "storefront": signed.get("storefront"),
        "billingPlan": signed.get("billingPlanType"),
        "refunds": sum(period.is_refunded for period in one.periods),
        "openRefundRequests": sum(
            now < request[1] + 30 * truth.DAY for request in last(one.requests)),
        "billingIssue": runs and bool((one.renewal or {}).get("isInBillingRetryPeriod")),
    }
    currency = signed.get("currency")
    if currency in one.spend:
        parts["lifetimeSpend"] = one.spend[currency], currency
    if one.current.expires is not None:
        within = status == 1 and now < one.current.expires
        kind, _, discount, _ = one.current.offer or (None,) * 4
        parts["inIntroOffer"] = within and kind == 1
        parts["inOffer"] = within and kind is not None and kind != 1
        parts["inTrial"] = within and discount == "FREE_TRIAL" and kind in (1, None)
    return parts


def next_change(one, sources, now):
    """Walks over every instant at which anything could turn."""
    turns = {fact["expiresAt"] for fact in sources["told"] if "expiresAt" in fact}
    turns |= {request[1] + 30 * truth.DAY for request in last(one.requests)}
    if one.current and one.current.expires is not None:
        turns |= {one.current.expires + days * truth.DAY for days in (0, 1, 60)}
    turns.add((one.renewal or {}).get("gracePeriodExpiresDate", now))
    known = profile(one, sources, now)
    return next(
        (turn for turn in sorted(turns) if turn > now and profile(one, sources, turn) != known),
        None)


def lines(history, fault=None):
    one = truth.Subscription(history["facts"], fault)
    told = [*current_lines(one), *renewal_lines(one), *total_lines(one)]
    for now in history["times"]:
        told.append(("at", [now, one.status(now), next_change(one, history, now)]))
        told += [
            (f"profile {name}", value)
            for name, value in sorted(profile(one, history, now).items()) if value is not None]
    return [f"{name}={said(value)}" for name, value in told]
