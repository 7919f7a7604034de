/// All that a profile is made of. `docs/subscriptions.md` says what each of its parts means.
package struct ProfileSources: Equatable, Sendable {
    package var state: SubscriptionState
    /// Of two of one name the one observed last counts.
    package var told: [ToldFact]
    package var lastActiveAt: Instant?
    package var pageViews: Int64?

    package init(
        state: SubscriptionState, told: [ToldFact] = [], lastActiveAt: Instant? = nil,
        pageViews: Int64? = nil
    ) {
        self.state = state
        self.told = told
        self.lastActiveAt = lastActiveAt
        self.pageViews = pageViews
    }

    /// The first instant after `now` at which the profile is another although nothing was learned;
    /// `nil` where none comes.
    package func nextChange(after now: Instant) -> Instant? {
        let profile = SubscriberProfile(of: self, at: now)
        let points = state.turningPoints + told.compactMap(\.expiresAt)
        return Set(points).sorted().first {
            $0 > now && SubscriberProfile(of: self, at: $0) != profile
        }
    }
}

extension SubscriberProfile {
    /// Of a subscription without a transaction nothing is known but what was told.
    package init(of sources: ProfileSources, at now: Instant) {
        self.init()
        lastActiveAt = sources.lastActiveAt
        pageViews = sources.pageViews
        setTold(sources.told, at: now)
        setState(sources.state, at: now)
    }

    private mutating func setState(_ state: SubscriptionState, at now: Instant) {
        guard state.productId != nil else { return }
        let status = state.status(at: now)
        let isRunning = status == .active || status == .gracePeriod || status == .billingRetry
        subscribedAt = state.subscribedAt
        renewsAt = isRunning ? state.expiresAt : nil
        paidPeriods = state.paidPeriods
        lifetimeSpend = state.currency.flatMap { currency in
            state.spend.first { isSame($0.currency, currency) }
        }
        storefront = state.storefront
        billingPlan = state.billingPlan?.rawValue
        refunds = state.refunds
        openRefundRequests = Int64(state.openRefundRequests(at: now).count)
        billingIssue = isRunning && state.isInBillingRetry
        guard let expiresAt = state.expiresAt else { return }
        // A period that is over is in no offer, although its renewal may still be awaited.
        let offer = status == .active && now < expiresAt ? state.offer : nil
        inIntroOffer = offer?.type == .introductory
        inOffer = offer?.type.map { $0 != .introductory } ?? false
        inTrial =
            offer?.discountType == .freeTrial
            && (offer?.type == nil || offer?.type == .introductory)
    }

    private mutating func setTold(_ told: [ToldFact], at now: Instant) {
        var newest: [String: ToldFact] = [:]
        for fact in told where fact.holds(at: now) {
            if let other = newest[fact.name], other.observedAt >= fact.observedAt { continue }
            newest[fact.name] = fact
        }
        if case .text(let reason)? = newest[ToldFact.cancelReasonName]?.value {
            cancelReason = reason
        }
        for name in [ToldFact.cancelReasonName, ToldFact.consentName] { newest[name] = nil }
        // By name, so that of too many always the same are left out.
        clientFacts = newest.values.sorted { $0.name < $1.name }.prefix(Self.clientFactsLimit).map {
            ClientFact(name: $0.name, value: $0.value, toldAt: $0.observedAt)
        }
    }
}
