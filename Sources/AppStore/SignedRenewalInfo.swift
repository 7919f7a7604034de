package import Retention

/// Takes a renewal info apart that was verified. It has no bundleId: whose it is, the notification
/// or transaction beside it says.
///
/// Apple's page: appstoreserverapi/jwsrenewalinfodecodedpayload
package enum SignedRenewalInfo {
    /// Apple's list has the best first.
    package static let winBackOffersLimit = 32

    /// - Parameter payload: of a JWS that was believed (`SignedDataVerifier.verify`).
    /// - Throws: where a member has another type or form than Apple's, or one of the three that
    ///   nothing can be said without is missing.
    package static func decode(
        _ payload: [UInt8]
    ) throws(PayloadError) -> SignedFact.Signed<RenewalFact> {
        let reader = try PayloadReader(payload, .renewalInfo)
        var fact = RenewalFact(
            originalTransactionId: try reader.required(
                reader.identifier("originalTransactionId"), "originalTransactionId"),
            signedDate: try reader.required(reader.instant("signedDate"), "signedDate"),
            environment: try reader.required(reader.text("environment"), "environment"))
        fact.productId = try reader.text("productId")
        fact.autoRenewProductId = try reader.text("autoRenewProductId")
        fact.autoRenewStatus = try reader.number("autoRenewStatus", AutoRenewStatus.self)
        fact.isInBillingRetryPeriod = try reader.flag("isInBillingRetryPeriod")
        fact.gracePeriodExpiresDate = try reader.instant("gracePeriodExpiresDate")
        fact.expirationIntent = try reader.number("expirationIntent", ExpirationIntent.self)
        fact.priceIncreaseStatus = try reader.number(
            "priceIncreaseStatus", PriceIncreaseStatus.self)
        fact.offer = try reader.offer()
        fact.recentSubscriptionStartDate = try reader.instant("recentSubscriptionStartDate")
        fact.renewalDate = try reader.instant("renewalDate")
        fact.currency = try reader.text("currency")
        fact.renewalPriceMilliunits = try reader.integer("renewalPrice")
        fact.billingPlan = try reader.word("renewalBillingPlanType", BillingPlanType.self)
        fact.eligibleWinBackOfferIds = try reader.texts(
            "eligibleWinBackOfferIds", limit: winBackOffersLimit)
        fact.appAccountToken = try reader.token("appAccountToken")
        fact.appTransactionId = try reader.identifier("appTransactionId")
        fact.commitment = try commitment(reader.object("commitmentInfo"))
        return SignedFact.Signed(fact, fingerprint: Fingerprint.of(payload))
    }

    private static func commitment(
        _ reader: PayloadReader?
    ) throws(PayloadError) -> RenewalFact.Commitment? {
        guard let reader else { return nil }
        var commitment = RenewalFact.Commitment()
        commitment.autoRenewProductId = try reader.text("commitmentAutoRenewProductId")
        commitment.autoRenewStatus = try reader.number(
            "commitmentAutoRenewStatus", AutoRenewStatus.self)
        commitment.billingPlan = try reader.word(
            "commitmentRenewalBillingPlanType", BillingPlanType.self)
        commitment.renewalDate = try reader.instant("commitmentRenewalDate")
        commitment.renewalPriceMilliunits = try reader.integer("commitmentRenewalPrice")
        return commitment
    }
}
