/// Writes what the App Store signs about one app, with every member that Apple documents for the
/// case (`appstoreserverapi/jwstransactiondecodedpayload` and its siblings).
struct StoreDocuments: Sendable {
    let app: AppState

    func transaction(
        _ transaction: StoreTransaction, _ purchaser: Purchaser, signedDate: Int64
    ) -> JSONValue {
        var members = DocumentMembers()
        members.add("transactionId", text: transaction.transactionId)
        members.add("originalTransactionId", text: purchaser.originalTransactionId)
        members.add("webOrderLineItemId", text: transaction.webOrderLineItemId)
        members.add("bundleId", text: app.bundleId)
        members.add("productId", text: transaction.productId)
        members.add("subscriptionGroupIdentifier", text: purchaser.subscriptionGroup)
        members.add("purchaseDate", whole: transaction.purchaseDate)
        members.add("originalPurchaseDate", whole: purchaser.originalPurchaseDate)
        members.add("expiresDate", whole: transaction.expiresDate)
        members.add("quantity", whole: 1)
        members.add("type", text: transaction.type.rawValue)
        members.add("appAccountToken", text: purchaser.appAccountToken)
        members.add("inAppOwnershipType", text: purchaser.ownership)
        members.add("signedDate", whole: signedDate)
        if let revocation = transaction.revocation {
            members.add("revocationReason", whole: revocation.reason)
            members.add("revocationDate", whole: revocation.at)
            members.add("revocationType", text: revocation.kind.rawValue)
            members.add("revocationPercentage", whole: revocation.percentage)
        }
        members.add("isUpgraded", flag: transaction.isUpgraded ? true : nil)
        add(transaction.offer, to: &members)
        members.add("environment", text: app.environment.rawValue)
        members.add("transactionReason", text: transaction.reason.rawValue)
        members.add("storefront", text: purchaser.storefront)
        members.add("storefrontId", text: ProductTerms.storefrontId(purchaser.storefront))
        members.add("price", whole: transaction.price)
        members.add("currency", text: purchaser.currency)
        members.add("appTransactionId", text: purchaser.appTransactionId)
        members.add("billingPlanType", text: transaction.billingPlanType)
        members.add("commitmentInfo", transaction.commitment.map { info($0) })
        members.add(
            "previousOriginalTransactionId", text: purchaser.previousOriginalTransactionId)
        return members.object
    }

    private func info(_ commitment: StoreTransaction.Commitment) -> JSONValue {
        var members = DocumentMembers()
        members.add("billingPeriodNumber", whole: commitment.periodNumber)
        members.add("totalBillingPeriods", whole: StoreTransaction.Commitment.billingPeriods)
        members.add("commitmentExpiresDate", whole: commitment.expiresDate)
        members.add("commitmentPrice", whole: commitment.price)
        return members.object
    }

    private func add(_ offer: StoreTransaction.Offer?, to members: inout DocumentMembers) {
        guard let offer else { return }
        members.add("offerType", whole: Int64(offer.type))
        members.add("offerIdentifier", text: offer.identifier)
        members.add("offerDiscountType", text: offer.discountType)
        members.add("offerPeriod", text: offer.period.text)
    }

    /// - Parameters:
    ///   - renewalPrice: what the next renewal costs; nil where there will be none.
    ///   - winBackOfferIds: of a subscription that has ended, the best first.
    func renewalInfo(
        _ subscription: Subscription, renewalPrice: Int64?, winBackOfferIds: [String],
        signedDate: Int64
    ) -> JSONValue {
        var members = DocumentMembers()
        let current = subscription.current
        if case .expired(let intent) = subscription.phase {
            members.add("expirationIntent", whole: intent.rawValue)
        }
        if subscription.isInRetry { members.add("expirationIntent", whole: 2) }
        members.add("originalTransactionId", text: subscription.purchaser.originalTransactionId)
        members.add("autoRenewProductId", text: subscription.renewalProductId)
        members.add("productId", text: current.productId)
        members.add("autoRenewStatus", whole: subscription.autoRenews ? 1 : 0)
        switch subscription.phase {
        case .billingRetry: members.add("isInBillingRetryPeriod", flag: true)
        case .gracePeriod(let until):
            members.add("isInBillingRetryPeriod", flag: true)
            members.add("gracePeriodExpiresDate", whole: until)
        case .expired: members.add("isInBillingRetryPeriod", flag: false)
        case .active, .revoked: break
        }
        if let increase = subscription.priceIncrease {
            members.add("priceIncreaseStatus", whole: increase.isAccepted ? 1 : 0)
        }
        add(subscription.renewalOffer, to: &members)
        members.add("signedDate", whole: signedDate)
        members.add("environment", text: app.environment.rawValue)
        members.add("recentSubscriptionStartDate", whole: subscription.recentStartDate)
        if subscription.willRenew, subscription.isActive {
            members.add("renewalDate", whole: subscription.expiresDate)
        }
        members.add("currency", text: subscription.purchaser.currency)
        members.add("renewalPrice", whole: renewalPrice)
        if !winBackOfferIds.isEmpty {
            members.add("eligibleWinBackOfferIds", .array(winBackOfferIds.map { .string($0) }))
        }
        members.add("appAccountToken", text: subscription.purchaser.appAccountToken)
        members.add("appTransactionId", text: subscription.purchaser.appTransactionId)
        if let commitment = current.commitment {
            members.add(
                "commitmentInfo", renewal(of: commitment, subscription, price: renewalPrice))
        }
        members.add("renewalBillingPlanType", text: subscription.renewalPlanType)
        return members.object
    }

    private func renewal(
        of commitment: StoreTransaction.Commitment, _ subscription: Subscription, price: Int64?
    ) -> JSONValue {
        var members = DocumentMembers()
        members.add("commitmentAutoRenewProductId", text: subscription.renewalProductId)
        members.add("commitmentAutoRenewStatus", whole: subscription.autoRenews ? 1 : 0)
        members.add("commitmentRenewalBillingPlanType", text: subscription.renewalPlanType)
        members.add("commitmentRenewalDate", whole: commitment.expiresDate)
        members.add("commitmentRenewalPrice", whole: price)
        return members.object
    }

    /// `JWSAppTransactionDecodedPayload`. `receiptType` is its word for the environment.
    func appTransaction(
        appTransactionId: String, purchasedAt: Int64, signedDate: Int64
    ) -> JSONValue {
        var members = DocumentMembers()
        members.add("receiptType", text: app.environment.rawValue)
        members.add("appAppleId", whole: app.appAppleId)
        members.add("bundleId", text: app.bundleId)
        members.add("applicationVersion", text: StoreDocuments.version)
        members.add("versionExternalIdentifier", whole: 1)
        members.add("receiptCreationDate", whole: signedDate)
        members.add("originalPurchaseDate", whole: purchasedAt)
        members.add("originalApplicationVersion", text: StoreDocuments.version)
        members.add("appTransactionId", text: appTransactionId)
        members.add("originalPlatform", text: "iOS")
        return members.object
    }

    /// Of the app that the customers have.
    static let version = "1.0"
}

extension Subscription {
    fileprivate var isInRetry: Bool {
        switch phase {
        case .billingRetry, .gracePeriod: true
        case .active, .expired, .revoked: false
        }
    }
}
