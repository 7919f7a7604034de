internal import FoundationEssentials

/// Reads what `SubscriptionHistory.encoded` wrote, in the same order.
struct HistoryReader {
    struct Misfit: Error {}

    private static let winBackOffersLimit = 1_024

    private var reader: CompactReader

    init(_ bytes: [UInt8]) {
        reader = CompactReader(bytes)
    }

    var isAtEnd: Bool { reader.isAtEnd }

    private func fitting<Value>(_ value: Value?) throws(Misfit) -> Value {
        guard let value else { throw Misfit() }
        return value
    }

    mutating func byte() throws(Misfit) -> UInt8 { try fitting(reader.byte()) }
    mutating func integer() throws(Misfit) -> Int64 { try fitting(reader.integer()) }
    mutating func instant() throws(Misfit) -> Instant { try fitting(reader.instant()) }
    mutating func text() throws(Misfit) -> String { try fitting(reader.text()) }

    mutating func count(limit: Int) throws(Misfit) -> Int {
        let count = try fitting(reader.integer32())
        guard count >= 0, count <= limit else { throw Misfit() }
        return Int(count)
    }

    mutating func optional<Value>(
        _ read: (inout HistoryReader) throws(Misfit) -> Value
    ) throws(Misfit) -> Value? {
        try fitting(reader.flag()) ? try read(&self) : nil
    }

    mutating func optionalText() throws(Misfit) -> String? {
        try optional { (reader: inout HistoryReader) throws(Misfit) in try reader.text() }
    }

    mutating func optionalInstant() throws(Misfit) -> Instant? {
        try optional { (reader: inout HistoryReader) throws(Misfit) in try reader.instant() }
    }

    mutating func optionalInteger() throws(Misfit) -> Int64? {
        try optional { (reader: inout HistoryReader) throws(Misfit) in try reader.integer() }
    }

    private mutating func optionalFlag() throws(Misfit) -> Bool? {
        try optional { (reader: inout HistoryReader) throws(Misfit) in
            try reader.fitting(reader.reader.flag())
        }
    }

    private mutating func optionalUUID() throws(Misfit) -> UUID? {
        try optional { (reader: inout HistoryReader) throws(Misfit) in
            try reader.fitting(reader.reader.uuid())
        }
    }

    mutating func word<Word: RawRepresentable>(_ type: Word.Type) throws(Misfit) -> Word?
    where Word.RawValue == String {
        try optionalText().flatMap(Word.init(rawValue:))
    }

    mutating func number<Word: RawRepresentable>(_ type: Word.Type) throws(Misfit) -> Word?
    where Word.RawValue == Int64 {
        try optionalInteger().flatMap(Word.init(rawValue:))
    }

    mutating func key() throws(Misfit) -> FactKey {
        let date = try instant()
        let uuid = try fitting(reader.uuid())
        return FactKey(
            signedDate: date, uuid: uuid, fingerprint: UInt64(bitPattern: try integer()))
    }

    mutating func offer() throws(Misfit) -> OfferMark {
        OfferMark(
            type: try number(OfferType.self), identifier: try optionalText(),
            discountType: try word(OfferDiscountType.self), period: try optionalText())
    }

    mutating func optionalOffer() throws(Misfit) -> OfferMark? {
        try optional { (reader: inout HistoryReader) throws(Misfit) in try reader.offer() }
    }

    mutating func transaction() throws(Misfit) -> TransactionFact {
        var fact = TransactionFact(
            originalTransactionId: try text(), transactionId: try text(), productId: try text(),
            purchaseDate: try instant(), signedDate: try instant(), environment: try text(),
            bundleId: try text())
        fact.webOrderLineItemId = try optionalText()
        fact.appTransactionId = try optionalText()
        fact.subscriptionGroupIdentifier = try optionalText()
        fact.type = try word(TransactionType.self)
        fact.originalPurchaseDate = try optionalInstant()
        fact.expiresDate = try optionalInstant()
        fact.quantity = try optionalInteger()
        fact.appAccountToken = try optionalUUID()
        fact.ownership = try word(OwnershipType.self)
        fact.revocationDate = try optionalInstant()
        fact.revocationReason = try number(RevocationReason.self)
        fact.revocationType = try word(RevocationType.self)
        fact.revocationPercentage = try optionalInteger()
        fact.isUpgraded = try optionalFlag()
        fact.offer = try optionalOffer()
        fact.storefront = try optionalText()
        fact.storefrontId = try optionalText()
        fact.reason = try word(TransactionReason.self)
        fact.currency = try optionalText()
        fact.priceMilliunits = try optionalInteger()
        fact.billingPlan = try word(BillingPlanType.self)
        fact.commitment = try optional { (reader: inout HistoryReader) throws(Misfit) in
            var commitment = TransactionFact.Commitment()
            commitment.billingPeriodNumber = try reader.optionalInteger()
            commitment.totalBillingPeriods = try reader.optionalInteger()
            commitment.expiresDate = try reader.optionalInstant()
            commitment.priceMilliunits = try reader.optionalInteger()
            return commitment
        }
        fact.previousOriginalTransactionId = try optionalText()
        return fact
    }

    mutating func renewal() throws(Misfit) -> RenewalFact {
        var fact = RenewalFact(
            originalTransactionId: try text(), signedDate: try instant(), environment: try text())
        fact.productId = try optionalText()
        fact.autoRenewProductId = try optionalText()
        fact.autoRenewStatus = try number(AutoRenewStatus.self)
        fact.isInBillingRetryPeriod = try optionalFlag()
        fact.gracePeriodExpiresDate = try optionalInstant()
        fact.expirationIntent = try number(ExpirationIntent.self)
        fact.priceIncreaseStatus = try number(PriceIncreaseStatus.self)
        fact.offer = try optionalOffer()
        fact.recentSubscriptionStartDate = try optionalInstant()
        fact.renewalDate = try optionalInstant()
        fact.currency = try optionalText()
        fact.renewalPriceMilliunits = try optionalInteger()
        fact.billingPlan = try word(BillingPlanType.self)
        for _ in 0..<(try count(limit: Self.winBackOffersLimit)) {
            fact.eligibleWinBackOfferIds.append(try text())
        }
        fact.appAccountToken = try optionalUUID()
        fact.appTransactionId = try optionalText()
        fact.commitment = try optional { (reader: inout HistoryReader) throws(Misfit) in
            var commitment = RenewalFact.Commitment()
            commitment.autoRenewProductId = try reader.optionalText()
            commitment.autoRenewStatus = try reader.number(AutoRenewStatus.self)
            commitment.billingPlan = try reader.word(BillingPlanType.self)
            commitment.renewalDate = try reader.optionalInstant()
            commitment.renewalPriceMilliunits = try reader.optionalInteger()
            return commitment
        }
        return fact
    }
}
