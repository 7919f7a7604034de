package import Retention

/// Takes a transaction apart that was verified.
///
/// Apple's page: appstoreserverapi/jwstransactiondecodedpayload
package enum SignedTransaction {
    /// - Parameter payload: of a JWS that was believed (`SignedDataVerifier.verify`).
    /// - Throws: where a member has another type or form than Apple's, or one of the seven that
    ///   nothing can be said without is missing.
    package static func decode(
        _ payload: [UInt8]
    ) throws(PayloadError) -> SignedFact.Signed<TransactionFact> {
        let reader = try PayloadReader(payload, .transaction)
        var fact = TransactionFact(
            originalTransactionId: try reader.required(
                reader.identifier("originalTransactionId"), "originalTransactionId"),
            transactionId: try reader.required(
                reader.identifier("transactionId"), "transactionId"),
            productId: try reader.required(reader.text("productId"), "productId"),
            purchaseDate: try reader.required(reader.instant("purchaseDate"), "purchaseDate"),
            signedDate: try reader.required(reader.instant("signedDate"), "signedDate"),
            environment: try reader.required(reader.text("environment"), "environment"),
            bundleId: try reader.required(reader.text("bundleId"), "bundleId"))
        fact.webOrderLineItemId = try reader.identifier("webOrderLineItemId")
        fact.appTransactionId = try reader.identifier("appTransactionId")
        fact.subscriptionGroupIdentifier = try reader.text("subscriptionGroupIdentifier")
        fact.type = try reader.word("type", TransactionType.self)
        fact.originalPurchaseDate = try reader.instant("originalPurchaseDate")
        fact.expiresDate = try reader.instant("expiresDate")
        fact.quantity = try reader.integer("quantity")
        fact.appAccountToken = try reader.token("appAccountToken")
        fact.ownership = try reader.word("inAppOwnershipType", OwnershipType.self)
        fact.revocationDate = try reader.instant("revocationDate")
        fact.revocationReason = try reader.number("revocationReason", RevocationReason.self)
        fact.revocationType = try reader.word("revocationType", RevocationType.self)
        fact.revocationPercentage = try reader.integer("revocationPercentage")
        fact.isUpgraded = try reader.flag("isUpgraded")
        fact.offer = try reader.offer()
        fact.storefront = try reader.text("storefront")
        fact.storefrontId = try reader.text("storefrontId")
        fact.reason = try reader.word("transactionReason", TransactionReason.self)
        fact.currency = try reader.text("currency")
        fact.priceMilliunits = try reader.integer("price")
        fact.billingPlan = try reader.word("billingPlanType", BillingPlanType.self)
        fact.commitment = try commitment(reader.object("commitmentInfo"))
        fact.previousOriginalTransactionId = try reader.identifier("previousOriginalTransactionId")
        return SignedFact.Signed(fact, fingerprint: Fingerprint.of(payload))
    }

    private static func commitment(
        _ reader: PayloadReader?
    ) throws(PayloadError) -> TransactionFact.Commitment? {
        guard let reader else { return nil }
        var commitment = TransactionFact.Commitment()
        commitment.billingPeriodNumber = try reader.integer("billingPeriodNumber")
        commitment.totalBillingPeriods = try reader.integer("totalBillingPeriods")
        commitment.expiresDate = try reader.instant("commitmentExpiresDate")
        commitment.priceMilliunits = try reader.integer("commitmentPrice")
        return commitment
    }
}
