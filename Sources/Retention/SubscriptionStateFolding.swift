extension SubscriptionState {
    init(_ folding: SubscriptionFolding) {
        self.init()
        let history = folding.history
        asOf = history.asOf
        statusAtApple = history.status?.value
        originalTransactionId =
            folding.current?.originalTransactionId ?? history.renewal?.value.originalTransactionId
        setCurrent(folding)
        if let renewal = folding.renewal { setRenewal(renewal, folding) }
        setTotals(folding)
        periods = folding.periods.suffix(Self.periodsLimit)
        offersTaken = folding.takenOffers.suffix(Self.offersLimit)
        renewalChanges = folding.renewalChanges.suffix(Self.changesLimit)
        refundRequests = folding.refundRequests.suffix(Self.refundRequestsLimit)
    }

    private mutating func setCurrent(_ folding: SubscriptionFolding) {
        guard let current = folding.current, let period = folding.periods.last else { return }
        subscribedAt = folding.versions.flatMap {
            [$0.transaction.purchaseDate, $0.transaction.originalPurchaseDate].compactMap { $0 }
        }.min()
        productId = current.productId
        subscriptionGroup = current.subscriptionGroupIdentifier
        billingPlan = current.billingPlan
        storefront = current.storefront
        ownership = current.ownership
        currency = current.currency
        expiresAt = current.expiresDate
        revocation = period.revocation
        offer = current.offer
        appAccountToken = current.appAccountToken
        // A migration names it once, and later transactions need not.
        previousOriginalTransactionId =
            folding.versions.last { $0.transaction.previousOriginalTransactionId != nil }?
            .transaction.previousOriginalTransactionId
        commitment = current.commitment.map { Commitment(now: $0, next: nil) }
    }

    private mutating func setRenewal(_ renewal: RenewalFact, _ folding: SubscriptionFolding) {
        recentStartAt = renewal.recentSubscriptionStartDate
        autoRenewing = renewal.autoRenewStatus?.isOn
        var price: SubscriberProfile.Money?
        if let amount = renewal.renewalPriceMilliunits, let currency = renewal.currency {
            price = SubscriberProfile.Money(amountMilliunits: amount, currency: currency)
        }
        next = NextRenewal(
            productId: renewal.autoRenewProductId, billingPlan: renewal.billingPlan,
            date: renewal.renewalDate, price: price)
        isInBillingRetry = renewal.isInBillingRetryPeriod ?? false
        graceEndsAt = renewal.gracePeriodExpiresDate
        expirationIntent = renewal.expirationIntent
        priceIncrease = renewal.priceIncreaseStatus
        eligibleWinBackOfferIds = renewal.eligibleWinBackOfferIds
        if let next = renewal.commitment {
            commitment = Commitment(now: commitment?.now, next: next)
        }
        if let current = folding.currentVersion, renewal.appAccountToken != nil,
            current.key.signedDate <= renewal.signedDate
        {
            appAccountToken = renewal.appAccountToken
        }
        guard autoRenewing != false, let productId else { return }
        if let wanted = renewal.autoRenewProductId, !isSame(wanted, productId) {
            pendingProductId = wanted
        }
        if let wanted = renewal.billingPlan, wanted != billingPlan { pendingBillingPlan = wanted }
    }

    private mutating func setTotals(_ folding: SubscriptionFolding) {
        paidPeriods = Int64(folding.periods.count(where: \.isPaid))
        spend = folding.spend
        refunds = Int64(folding.periods.count { $0.revocation?.kind == .refund })
        let returned = folding.periods.filter { $0.beginning == .returned }
        returns = Int64(returned.count)
        lastReturnedAt = returned.last?.startsAt
        (extensions, lastExtendedAt) = folding.extensions
        migratedAt = folding.migratedAt
        let counted = folding.takenOffers.filter(\.isCounted)
        offersTakenCount = Int64(counted.count)
        lastOfferAt = counted.map(\.at).max()
    }
}
