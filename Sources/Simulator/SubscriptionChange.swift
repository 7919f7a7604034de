/// Applies one event to one subscription, as the App Store would, or says why it cannot happen.
struct SubscriptionChange {
    /// Apple charges up to so long before a period ends.
    static let earlyRenewal: Int64 = 86_400_000

    let catalog: AppCatalog
    let event: SubscriptionEvent
    let at: Int64
    var subscription: Subscription

    /// The subscription after the event is in `subscription`.
    mutating func apply() throws(ControlError) -> EventNotice {
        switch event.kind {
        case .buy: throw .impossible("A subscription is bought once; use resubscribe.")
        case .renew: try renew()
        case .failRenewal: try failRenewal()
        case .endGracePeriod: try endGracePeriod()
        case .recover: try recover()
        case .expire: try expire()
        case .disableAutoRenew: try setAutoRenew(false)
        case .enableAutoRenew: try setAutoRenew(true)
        case .upgrade, .downgrade, .crossgrade: try changePlan()
        case .revertDowngrade: try revertDowngrade()
        case .redeemOffer: try redeemOffer()
        case .proposePriceIncrease, .announcePriceIncrease: try increasePrice()
        case .acceptPriceIncrease: try acceptPriceIncrease()
        case .requestRefund: try requestRefund()
        case .refund: try refund()
        case .declineRefund: try declineRefund()
        case .reverseRefund: try reverseRefund()
        case .revoke: try revoke()
        case .extendRenewal: try extendRenewal()
        case .failExtension: try failExtension()
        case .resubscribe: try resubscribe()
        case .migrate: try migrate()
        case .changeMetadata: try changeMetadata()
        case .changePrice: try changePrice()
        }
    }

    func notice(
        _ type: NotificationType, _ subtype: NotificationSubtype? = nil, transaction: Int? = nil
    ) -> EventNotice {
        EventNotice(
            type: type, subtype: subtype,
            transaction: transaction ?? subscription.transactions.count - 1)
    }

    func require(_ holds: Bool, _ sentence: String) throws(ControlError) {
        if !holds { throw .impossible(sentence) }
    }

    func terms(_ productId: String) throws(ControlError) -> ProductTerms {
        guard let product = catalog.product(productId) else {
            throw .impossible("The app has no product \(productId).")
        }
        try require(
            subscription.purchaser.subscriptionGroup.map {
                sameBytes($0, product.subscriptionGroup)
            } ?? true, "The product is of another subscription group.")
        return ProductTerms(product)
    }
}

// MARK: Periods

extension SubscriptionChange {
    /// Appends a period that is paid now, or with the current one's end.
    mutating func append(
        _ productId: String, from purchaseDate: Int64, _ reason: StoreTransaction.Reason,
        offer: StoreTransaction.Offer?, planType: String?
    ) throws(ControlError) {
        let terms = try terms(productId)
        let number = subscription.transactions.count
        try require(
            number < Subscription.transactionsLimit,
            "A subscription has at most \(Subscription.transactionsLimit) transactions here.")
        let identifier = LedgerNumbers.transactionId(subscription.number, number)
        var transaction = StoreTransaction(
            transactionId: identifier, productId: productId, purchaseDate: purchaseDate,
            expiresDate: terms.period.end(after: purchaseDate), reason: reason,
            price: regularPrice(terms, planType))
        transaction.webOrderLineItemId = LedgerNumbers.lineItemId(subscription.number, number)
        transaction.billingPlanType = planType
        if planType == BillingPlan.monthly {
            commit(&transaction, terms, reason)
        }
        if var offer {
            offer.remaining -= 1
            transaction.offer = offer
            transaction.price = offer.price
            if offer.discountType != "PAY_AS_YOU_GO" {
                transaction.expiresDate = offer.period.end(after: purchaseDate)
            }
        }
        subscription.transactions.append(transaction)
        subscription.renewalProductId = productId
        subscription.renewalPlanType = planType
        subscription.renewalOffer = offer.flatMap { $0.remaining > 1 ? $0.used : nil }
        subscription.phase = .active
    }

    /// One month of twelve, each at a twelfth of the year.
    private func commit(
        _ transaction: inout StoreTransaction, _ terms: ProductTerms,
        _ reason: StoreTransaction.Reason
    ) {
        let start = transaction.purchaseDate
        transaction.expiresDate = SubscriptionPeriod.month.end(after: start)
        if reason == .renewal, subscription.isCommitted,
            let running = subscription.current.commitment
        {
            transaction.commitment = running
            transaction.commitment?.periodNumber += 1
            return
        }
        let periods = StoreTransaction.Commitment.billingPeriods
        transaction.commitment = StoreTransaction.Commitment(
            periodNumber: 1,
            expiresDate: SubscriptionPeriod(count: Int(periods), unit: .month).end(after: start),
            price: transaction.price * periods)
    }

    func regularPrice(_ terms: ProductTerms, _ planType: String?) -> Int64 {
        if let own = subscription.ownPrice, let last = subscription.transactions.last,
            sameBytes(last.productId, terms.product.productId)
        {
            return own
        }
        let price = terms.price(in: subscription.purchaser.storefront).milliunits
        let periods = StoreTransaction.Commitment.billingPeriods
        return planType == BillingPlan.monthly ? price / periods : price
    }

    /// - Throws: what is wrong with the offer that the event names.
    func offer(
        ofType type: Int, on productId: String
    ) throws(ControlError) -> StoreTransaction.Offer {
        let terms = try terms(productId)
        let named = terms.offers(ofType: type).first { offer in
            guard let wanted = event.offerIdentifier else { return type == 1 }
            return offer.offerIdentifier.map { sameBytes($0, wanted) } ?? false
        }
        var found = named
        if found == nil, let wanted = event.offerIdentifier {
            let isPromotional = type == 2 && catalog.hasOffer(wanted, on: productId)
            let isRetention = type == 5 && catalog.hasRetentionOffer(wanted)
            if isPromotional || isRetention {
                found = AppState.ProductOffer(offerType: type, offerIdentifier: wanted)
            }
        }
        guard let found else {
            throw .impossible("\(productId) has no offer of type \(type) of this name.")
        }
        let discountType = found.discountType ?? "FREE_TRIAL"
        let periods = found.periods ?? 1
        let regular = regularPrice(terms, nil)
        let part = regular * Int64(found.pricePercent ?? 50) / 100
        let price: Int64 =
            switch discountType {
            case "FREE_TRIAL": 0
            case "PAY_UP_FRONT": part * Int64(periods)
            default: part
            }
        return StoreTransaction.Offer(
            type: type, identifier: found.offerIdentifier, discountType: discountType,
            period: terms.period.times(periods), price: price,
            remaining: discountType == "PAY_AS_YOU_GO" ? periods : 1)
    }

    /// What the next period costs; nil where there is none to come.
    var renewalPrice: Int64? {
        guard subscription.willRenew else { return nil }
        switch subscription.phase {
        case .expired, .revoked: return nil
        case .active, .billingRetry, .gracePeriod: break
        }
        if let offer = subscription.renewalOffer { return offer.price }
        if let increase = subscription.priceIncrease { return increase.price }
        guard let product = catalog.product(subscription.renewalProductId) else { return nil }
        return regularPrice(ProductTerms(product), subscription.renewalPlanType)
    }
}

/// Apple's plans of payment.
enum BillingPlan {
    static let monthly = "MONTHLY"
}

extension StoreTransaction.Offer {
    /// With one transaction fewer to come.
    fileprivate var used: StoreTransaction.Offer {
        var offer = self
        offer.remaining -= 1
        return offer
    }
}

extension AppCatalog {
    fileprivate func hasRetentionOffer(_ identifier: String) -> Bool {
        state.appStoreConnectMessages.contains { message in
            (message.retentionOffers ?? []).contains { sameBytes($0.offerIdentifier, identifier) }
        }
    }
}
