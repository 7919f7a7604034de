internal import FoundationEssentials

// The row form of a history: a version, then everything in a fixed order. Who cannot read it folds
// the facts anew: nothing is lost with it but time.

extension SubscriptionHistory {
    /// Raised whenever the form, or what is kept of the same facts, is another.
    package static let version: UInt8 = 1

    /// Some 250 bytes a transaction and 50 a renewal info.
    package func encoded() -> [UInt8] {
        var writer = CompactWriter()
        writer.append(Self.version)
        writer.append(asOf)
        writer.append(status) { $0.append(key: $1.key, $1.value.rawValue) }
        writer.append(renewal) {
            $0.append(key: $1.key)
            $0.append($1.value)
        }
        writer.append(UInt32(versions.entries.count))
        for (_, version) in versions.entries {
            writer.append(key: version.key, version.firstSigned.milliseconds)
            writer.append(version.transaction)
        }
        writer.append(UInt32(minds.entries.count))
        for (key, mind) in minds.entries {
            writer.append(key: key)
            writer.append(mind.autoRenewStatus?.rawValue) { $0.append($1) }
            writer.append(mind.autoRenewProductId)
            writer.append(mind.offer) { $0.append($1) }
        }
        writer.append(UInt32(words.entries.count))
        for (key, word) in words.entries {
            writer.append(key: key)
            writer.append(word.kind.rawValue)
            writer.append(word.transactionId)
            writer.append(word.reason?.rawValue)
        }
        return writer.bytes
    }

    /// `nil` for what this build did not write.
    package init?(body: [UInt8]) {
        guard let history = try? Self.read(body) else { return nil }
        self = history
    }

    private static func read(
        _ body: [UInt8]
    ) throws(HistoryReader.Misfit) -> SubscriptionHistory {
        var reader = HistoryReader(body)
        guard try reader.byte() == version else { throw HistoryReader.Misfit() }
        var history = SubscriptionHistory()
        history.asOf = try reader.optionalInstant()
        history.status = try reader.optional {
            (reader: inout HistoryReader) throws(HistoryReader.Misfit) in
            Keyed(key: try reader.key(), value: SubscriptionStatus(rawValue: try reader.integer()))
        }
        history.renewal = try reader.optional {
            (reader: inout HistoryReader) throws(HistoryReader.Misfit) in
            Keyed(key: try reader.key(), value: try reader.renewal())
        }
        for _ in 0..<(try reader.count(limit: transactionsLimit)) {
            let version = Version(
                key: try reader.key(), firstSigned: try reader.instant(),
                transaction: try reader.transaction())
            history.versions.insert(
                version, at: TransactionOrder(transactionId: version.transaction.transactionId)
            ) { $0.joined($1) }
        }
        for _ in 0..<(try reader.count(limit: mindsLimit)) {
            let key = try reader.key()
            let mind = Mind(
                autoRenewStatus: try reader.number(AutoRenewStatus.self),
                autoRenewProductId: try reader.optionalText(),
                offer: try reader.optionalOffer())
            history.minds.insert(mind, at: key) { first, _ in first }
        }
        for _ in 0..<(try reader.count(limit: wordsLimit)) {
            let key = try reader.key()
            guard let kind = Word.Kind(rawValue: try reader.byte()) else {
                throw HistoryReader.Misfit()
            }
            let word = Word(
                kind: kind, transactionId: try reader.optionalText(),
                reason: try reader.word(ConsumptionRequestReason.self))
            history.words.insert(word, at: key) { first, _ in first }
        }
        guard reader.isAtEnd else { throw HistoryReader.Misfit() }
        return history
    }
}

// MARK: - Writing

extension CompactWriter {
    fileprivate mutating func append(key: FactKey, _ more: Int64? = nil) {
        append(key.signedDate.milliseconds)
        append(key.uuid)
        append(key.fingerprint)
        if let more { append(more) }
    }

    fileprivate mutating func append(number: Int64?) {
        append(number) { $0.append($1) }
    }

    fileprivate mutating func append(flag: Bool?) {
        append(flag) { $0.append($1) }
    }

    fileprivate mutating func append(_ offer: OfferMark) {
        append(number: offer.type?.rawValue)
        append(offer.identifier)
        append(offer.discountType?.rawValue)
        append(offer.period)
    }

    fileprivate mutating func append(_ fact: TransactionFact) {
        append(fact.originalTransactionId)
        append(fact.transactionId)
        append(fact.productId)
        append(fact.purchaseDate.milliseconds)
        append(fact.signedDate.milliseconds)
        append(fact.environment)
        append(fact.bundleId)
        append(fact.webOrderLineItemId)
        append(fact.appTransactionId)
        append(fact.subscriptionGroupIdentifier)
        append(fact.type?.rawValue)
        append(fact.originalPurchaseDate)
        append(fact.expiresDate)
        append(number: fact.quantity)
        append(fact.appAccountToken)
        append(fact.ownership?.rawValue)
        append(fact.revocationDate)
        append(number: fact.revocationReason?.rawValue)
        append(fact.revocationType?.rawValue)
        append(number: fact.revocationPercentage)
        append(flag: fact.isUpgraded)
        append(fact.offer) { $0.append($1) }
        append(fact.storefront)
        append(fact.storefrontId)
        append(fact.reason?.rawValue)
        append(fact.currency)
        append(number: fact.priceMilliunits)
        append(fact.billingPlan?.rawValue)
        append(fact.commitment) {
            $0.append(number: $1.billingPeriodNumber)
            $0.append(number: $1.totalBillingPeriods)
            $0.append($1.expiresDate)
            $0.append(number: $1.priceMilliunits)
        }
        append(fact.previousOriginalTransactionId)
    }

    fileprivate mutating func append(_ fact: RenewalFact) {
        append(fact.originalTransactionId)
        append(fact.signedDate.milliseconds)
        append(fact.environment)
        append(fact.productId)
        append(fact.autoRenewProductId)
        append(number: fact.autoRenewStatus?.rawValue)
        append(flag: fact.isInBillingRetryPeriod)
        append(fact.gracePeriodExpiresDate)
        append(number: fact.expirationIntent?.rawValue)
        append(number: fact.priceIncreaseStatus?.rawValue)
        append(fact.offer) { $0.append($1) }
        append(fact.recentSubscriptionStartDate)
        append(fact.renewalDate)
        append(fact.currency)
        append(number: fact.renewalPriceMilliunits)
        append(fact.billingPlan?.rawValue)
        append(UInt32(fact.eligibleWinBackOfferIds.count))
        for offer in fact.eligibleWinBackOfferIds { append(offer) }
        append(fact.appAccountToken)
        append(fact.appTransactionId)
        append(fact.commitment) {
            $0.append($1.autoRenewProductId)
            $0.append(number: $1.autoRenewStatus?.rawValue)
            $0.append($1.billingPlan?.rawValue)
            $0.append($1.renewalDate)
            $0.append(number: $1.renewalPriceMilliunits)
        }
    }
}
