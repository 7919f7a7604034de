/// Events of payment and of the end.
extension SubscriptionChange {
    private func requireDue() throws(ControlError) {
        try require(
            at >= subscription.expiresDate - SubscriptionChange.earlyRenewal,
            "The period ends later than in 24 hours.")
    }

    private func requireRenewable() throws(ControlError) {
        try require(subscription.phase == .active, "The subscription is not active.")
        try require(subscription.willRenew, "Auto-renew is off.")
        try requireDue()
        try require(
            subscription.priceIncrease?.isAccepted ?? true,
            "The customer has not agreed to the new price; the subscription expires.")
    }

    private mutating func appendRenewal(
        from purchaseDate: Int64
    ) throws(ControlError) {
        if let increase = subscription.priceIncrease {
            subscription.ownPrice = increase.price
            subscription.priceIncrease = nil
        }
        let offer = subscription.renewalOffer
        if !sameBytes(subscription.renewalProductId, subscription.current.productId) {
            subscription.ownPrice = nil
        }
        try append(
            subscription.renewalProductId, from: purchaseDate, .renewal, offer: offer,
            planType: subscription.renewalPlanType)
    }

    mutating func renew() throws(ControlError) -> EventNotice {
        try requireRenewable()
        try appendRenewal(from: subscription.expiresDate)
        return notice(.didRenew)
    }

    mutating func failRenewal() throws(ControlError) -> EventNotice {
        try requireRenewable()
        guard let days = event.days, days > 0 else {
            subscription.phase = .billingRetry
            return notice(.didFailToRenew)
        }
        try require(days <= 28, "A grace period has 3, 16 or 28 days; send days up to 28.")
        let start = max(at, subscription.expiresDate)
        subscription.phase = .gracePeriod(until: start + Int64(days) * 86_400_000)
        return notice(.didFailToRenew, .gracePeriod)
    }

    mutating func endGracePeriod() throws(ControlError) -> EventNotice {
        guard case .gracePeriod(let until) = subscription.phase else {
            throw .impossible("The subscription is in no grace period.")
        }
        try require(at >= until, "The grace period ends later.")
        subscription.phase = .billingRetry
        return notice(.gracePeriodExpired)
    }

    /// Within the grace period the billing date stays as it was.
    mutating func recover() throws(ControlError) -> EventNotice {
        switch subscription.phase {
        case .gracePeriod: try appendRenewal(from: subscription.expiresDate)
        case .billingRetry: try appendRenewal(from: at)
        case .active, .expired, .revoked:
            throw .impossible("No renewal has failed.")
        }
        return notice(.didRenew, .billingRecovery)
    }

    mutating func expire() throws(ControlError) -> EventNotice {
        guard let reason = event.reason.flatMap(NotificationSubtype.init),
            NotificationType.expired.subtypes.contains(reason)
        else {
            throw .impossible(
                "reason is VOLUNTARY, BILLING_RETRY, PRICE_INCREASE or PRODUCT_NOT_FOR_SALE.")
        }
        let intent = try intent(reason)
        subscription.phase = .expired(intent)
        subscription.autoRenews = false
        subscription.priceIncrease = nil
        subscription.renewalOffer = nil
        return notice(.expired, reason)
    }

    private func intent(
        _ reason: NotificationSubtype
    ) throws(ControlError) -> Subscription.ExpirationIntent {
        guard reason != .billingRetry else {
            try require(
                subscription.phase == .billingRetry, "The subscription is not in billing retry.")
            return .billingError
        }
        try require(subscription.phase == .active, "The subscription is not active.")
        try require(at >= subscription.expiresDate, "The period ends later.")
        switch reason {
        case .voluntary:
            try require(!subscription.willRenew, "Auto-renew is on.")
            return .cancelled
        case .priceIncrease:
            try require(
                subscription.priceIncrease?.isAccepted == false,
                "No price increase waits for the customer's answer.")
            return .priceIncrease
        default: return .productUnavailable
        }
    }

    mutating func resubscribe() throws(ControlError) -> EventNotice {
        try begin(event.productId ?? subscription.renewalProductId, offer: nil)
        return notice(.subscribed, .resubscribe)
    }

    /// A new run of periods after the end.
    mutating func begin(
        _ productId: String, offer: StoreTransaction.Offer?
    ) throws(ControlError) {
        switch subscription.phase {
        case .expired, .revoked: break
        case .active, .billingRetry, .gracePeriod:
            throw .impossible("The subscription has not ended.")
        }
        subscription.ownPrice = nil
        try append(
            productId, from: at, .purchase, offer: offer,
            planType: try planType(for: productId))
        subscription.recentStartDate = at
        subscription.autoRenews = true
    }

    /// The plan that the event names, where the product has it.
    func planType(for productId: String) throws(ControlError) -> String? {
        guard let plan = event.billingPlanType else { return nil }
        let plans = try terms(productId).product.billingPlans ?? []
        try require(
            plans.contains { sameBytes($0, plan) }, "\(productId) has no billing plan \(plan).")
        return plan
    }
}

/// Events of Advanced Commerce, as far as Apple's changelog and library name them. What the
/// documents hold is an assumption but for the types and `previousOriginalTransactionId`.
extension SubscriptionChange {
    /// The subscription goes on under a new original transaction.
    mutating func migrate() throws(ControlError) -> EventNotice {
        try require(subscription.isActive, "The subscription is not active.")
        let number = subscription.transactions.count
        try require(
            number < Subscription.transactionsLimit, "The subscription has no number left.")
        var transaction = subscription.current
        transaction.transactionId = LedgerNumbers.transactionId(subscription.number, number)
        transaction.webOrderLineItemId = LedgerNumbers.lineItemId(subscription.number, number)
        subscription.purchaser.previousOriginalTransactionId =
            subscription.purchaser.originalTransactionId
        subscription.purchaser.originalTransactionId = transaction.transactionId
        subscription.transactions.append(transaction)
        return notice(.migration)
    }

    func changeMetadata() throws(ControlError) -> EventNotice {
        try require(subscription.isActive, "The subscription is not active.")
        return notice(.metadataUpdate)
    }

    mutating func changePrice() throws(ControlError) -> EventNotice {
        try require(subscription.isActive, "The subscription is not active.")
        guard let price = event.price, (0...1_000_000_000_000).contains(price) else {
            throw .impossible("changePrice needs price in milliunits.")
        }
        subscription.ownPrice = price
        return notice(.priceChange)
    }
}
