/// The facts of one request, read when a condition asks for them. An object: each condition of a
/// tree is handed it.
package final class FactReader {
    private static let hourMilliseconds: Int64 = 3_600_000
    /// So far ahead of our clock another's may be; what is dated later is of a clock that is wrong.
    private static let aheadLimitMilliseconds: Int64 = 300_000

    let request: DecisionRequest
    let subscriptionGroup: String?
    let subscriber: KnownSubscriber
    let zone: ZoneOffsets
    let now: Instant
    let bucket: (_ salt: String) -> Int

    init(
        request: DecisionRequest, subscriptionGroup: String?, subscriber: KnownSubscriber,
        zone: ZoneOffsets, now: Instant, bucket: @escaping (_ salt: String) -> Int
    ) {
        self.request = request
        self.subscriptionGroup = subscriptionGroup
        self.subscriber = subscriber
        self.zone = zone
        self.now = now
        self.bucket = bucket
    }

    /// `nil` for what is missing or older than it may be.
    package func value(of fact: Fact, maxAgeHours: Int64? = nil) -> FactValue? {
        switch fact.source {
        case .request: return requestValue(of: fact)
        case .counters: return subscriber.counters.flatMap { value(of: fact, in: $0) }
        case .profile: break
        }
        guard case .known(let kept?, let asOf, _) = subscriber else { return nil }
        let profile = kept.profile
        let limit = maxAgeHours ?? fact.defaultAgeLimitHours
        if case .client(let name) = fact {
            let told = profile.clientFacts.first { isSame($0.name, name) }
            return told.flatMap { isFresh($0.toldAt, limit) ? $0.value : nil }
        }
        guard let asOf, isFresh(asOf, limit) else { return nil }
        return value(of: fact, in: profile)
    }

    private func isFresh(_ instant: Instant, _ limitHours: Int64?) -> Bool {
        guard let limitHours else { return true }
        let (age, overflow) = now.milliseconds.subtractingReportingOverflow(instant.milliseconds)
        return !overflow && age >= -Self.aheadLimitMilliseconds
            && age <= limitHours * Self.hourMilliseconds
    }

    private func requestValue(of fact: Fact) -> FactValue? {
        switch fact {
        case .productId: .text(request.productId)
        case .subscriptionGroup: subscriptionGroup.map { .text($0) }
        // Apple sends any text here; of what is no locale nothing is known.
        case .locale: request.locales.isEmpty ? nil : .texts(request.locales)
        case .language: request.languages.isEmpty ? nil : .texts(request.languages)
        case .environment: .text(request.environment.rawValue)
        default: nil
        }
    }

    private func value(of fact: Fact, in counters: GovernorCounters) -> FactValue? {
        switch fact {
        case .offersTaken: .number(Int64(counters.offersTaken))
        case .daysSinceOfferTaken: counters.lastOfferAt.flatMap(daysSince)
        default: nil
        }
    }

    private func value(of fact: Fact, in profile: SubscriberProfile) -> FactValue? {
        switch fact {
        case .billingPlan: profile.billingPlan.map { .text($0) }
        case .storefront: profile.storefront.map { .text($0) }
        case .cancelReason: profile.cancelReason.map { .text($0) }
        case .tenureDays: profile.subscribedAt.flatMap(daysSince)
        case .daysSinceActive: profile.lastActiveAt.flatMap(daysSince)
        case .daysToRenewal: profile.renewsAt.map { .number(zone.days(from: now, to: $0)) }
        case .paidPeriods: profile.paidPeriods.map { .number($0) }
        case .pageViews: profile.pageViews.map { .number($0) }
        case .refunds: profile.refunds.map { .number($0) }
        case .openRefundRequests: profile.openRefundRequests.map { .number($0) }
        case .inTrial: profile.inTrial.map { .flag($0) }
        case .inIntroOffer: profile.inIntroOffer.map { .flag($0) }
        case .inOffer: profile.inOffer.map { .flag($0) }
        case .billingIssue: profile.billingIssue.map { .flag($0) }
        case .lifetimeSpend:
            profile.lifetimeSpend.map { .money($0.amountMilliunits, currency: $0.currency) }
        default: nil
        }
    }

    /// Calendar days of the app. What lies ahead by our clock has no age: one of the two clocks is
    /// wrong, and a rule must not guess which.
    private func daysSince(_ instant: Instant) -> FactValue? {
        instant <= now ? .number(zone.days(from: instant, to: now)) : nil
    }
}
