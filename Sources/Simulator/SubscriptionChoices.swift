/// Events of the customer's will.
extension SubscriptionChange {
    mutating func setAutoRenew(_ isOn: Bool) throws(ControlError) -> EventNotice {
        switch subscription.phase {
        case .active, .billingRetry, .gracePeriod: break
        case .expired, .revoked: throw .impossible("The subscription has ended.")
        }
        try require(
            subscription.autoRenews != isOn, "Auto-renew is \(isOn ? "on" : "off") already.")
        subscription.autoRenews = isOn
        // Apple's table names no subtype where a new price made the customer cancel.
        if !isOn, subscription.priceIncrease != nil { return notice(.didChangeRenewalStatus) }
        return notice(.didChangeRenewalStatus, isOn ? .autoRenewEnabled : .autoRenewDisabled)
    }

    private enum PlanChange {
        case none, atOnce, atRenewal

        var subtype: NotificationSubtype? {
            switch self {
            case .none: nil
            case .atOnce: .upgrade
            case .atRenewal: .downgrade
            }
        }
    }

    /// To a higher level, or to the same level and duration: at once. Else at the next renewal.
    private func planChange(to productId: String) throws(ControlError) -> PlanChange {
        let old = try terms(subscription.current.productId)
        let new = try terms(productId)
        if sameBytes(productId, subscription.current.productId) { return .none }
        if new.level < old.level { return .atOnce }
        return new.level == old.level && new.period == old.period ? .atOnce : .atRenewal
    }

    private func level(of productId: String) throws(ControlError) -> Int {
        try terms(productId).level
    }

    mutating func changePlan() throws(ControlError) -> EventNotice {
        guard let productId = event.productId else {
            throw .impossible("\(event.kind.rawValue) needs productId.")
        }
        try require(subscription.isActive, "The subscription is not active.")
        try require(
            !sameBytes(productId, subscription.current.productId),
            "The subscription is of this product already.")
        let (old, new) = (try level(of: subscription.current.productId), try level(of: productId))
        let isRight =
            switch event.kind {
            case .upgrade: new < old
            case .downgrade: new > old
            default: new == old
            }
        try require(
            isRight,
            "From level \(old) to level \(new) is no \(event.kind.rawValue); 1 is the highest.")
        try require(!subscription.isCommitted, "The customer is committed to the year.")
        let change = try planChange(to: productId)
        try move(to: productId, change, offer: nil)
        return notice(.didChangeRenewalPref, change.subtype)
    }

    private mutating func move(
        to productId: String, _ change: PlanChange, offer: StoreTransaction.Offer?
    ) throws(ControlError) {
        let plan = try planType(for: productId)
        switch change {
        case .atOnce:
            let last = subscription.transactions.count - 1
            subscription.transactions[last].isUpgraded = true
            subscription.ownPrice = nil
            try append(productId, from: at, .purchase, offer: offer, planType: plan)
        case .atRenewal:
            subscription.renewalProductId = productId
            subscription.renewalPlanType = plan
            subscription.renewalOffer = offer
        case .none: subscription.renewalOffer = offer
        }
        subscription.priceIncrease = nil
        subscription.autoRenews = true
    }

    mutating func revertDowngrade() throws(ControlError) -> EventNotice {
        try require(subscription.isActive, "The subscription is not active.")
        try require(
            !sameBytes(subscription.renewalProductId, subscription.current.productId),
            "No downgrade waits for the next renewal.")
        subscription.renewalProductId = subscription.current.productId
        subscription.renewalPlanType = subscription.current.billingPlanType
        subscription.renewalOffer = nil
        return notice(.didChangeRenewalPref)
    }

    /// On the same product the offer begins with the next period.
    mutating func redeemOffer() throws(ControlError) -> EventNotice {
        guard let type = event.offerType else { throw .impossible("redeemOffer needs offerType.") }
        try require(type != 1, "An introductory offer begins with buy.")
        let productId = event.productId ?? subscription.current.productId
        let offer = try offer(ofType: type, on: productId)
        guard subscription.isActive else {
            try require(type != 5, "A retention offer is for a subscription that runs.")
            try begin(productId, offer: offer)
            return notice(.subscribed, .resubscribe)
        }
        try require(type != 4, "A win-back offer is for a subscription that has ended.")
        try require(
            subscription.renewalOffer == nil, "An offer waits for the next renewal already.")
        let change = try planChange(to: productId)
        try require(
            change == .none || !subscription.isCommitted, "The customer is committed to the year.")
        try move(to: productId, change, offer: offer)
        return notice(.offerRedeemed, change.subtype)
    }

    mutating func increasePrice() throws(ControlError) -> EventNotice {
        try require(subscription.phase == .active, "The subscription is not active.")
        try require(subscription.willRenew, "Auto-renew is off.")
        let terms = try terms(subscription.renewalProductId)
        let regular = regularPrice(terms, subscription.renewalPlanType)
        guard let price = event.price, price > regular, price <= 1_000_000_000_000 else {
            throw .impossible("Send price in milliunits, above the present \(regular).")
        }
        let isTold = event.kind == .announcePriceIncrease
        subscription.priceIncrease = .init(price: price, isAccepted: isTold)
        return notice(.priceIncrease, isTold ? .accepted : .pending)
    }

    mutating func acceptPriceIncrease() throws(ControlError) -> EventNotice {
        try require(
            subscription.priceIncrease?.isAccepted == false,
            "No price increase waits for the customer's answer.")
        subscription.priceIncrease?.isAccepted = true
        return notice(.priceIncrease, .accepted)
    }
}
