/// What must be kept of the facts of one subscription so that further ones can be added: of each
/// thing that was signed more than once the newest version, by `FactKey`.
///
/// Adding facts is adding to a set: in any order, any number of times, in one go or in parts that
/// are joined later, the same facts make the same history, and so the same `state`. Beyond its
/// limits it holds the newest, which is as independent of the order.
package struct SubscriptionHistory: Equatable, Sendable {
    /// Of the newest by `transactionId`. A weekly subscription makes 52 in a year.
    package static let transactionsLimit = 2_048
    /// Renewal infos of which is kept what a change of mind shows in.
    package static let mindsLimit = 256
    package static let wordsLimit = 512

    /// A transaction as it was signed last.
    struct Version: Equatable, Sendable {
        let key: FactKey
        /// When any version of it was signed first.
        let firstSigned: Instant
        let transaction: TransactionFact

        func joined(_ other: Version) -> Version {
            let newer = key < other.key ? other : self
            return Version(
                key: newer.key, firstSigned: min(firstSigned, other.firstSigned),
                transaction: newer.transaction)
        }
    }

    /// What the subscriber wanted to happen next, as one renewal info has it.
    struct Mind: Equatable, Sendable {
        let autoRenewStatus: AutoRenewStatus?
        let autoRenewProductId: String?
        let offer: OfferMark?
    }

    /// What a notification says that no transaction and no renewal info does.
    struct Word: Equatable, Sendable {
        enum Kind: UInt8, Sendable {
            case refundRequest = 1
            case refund, refundDeclined, refundReversed, renewalExtended, migration
        }

        let kind: Kind
        let transactionId: String?
        let reason: ConsumptionRequestReason?
    }

    struct Keyed<Value: Equatable & Sendable>: Equatable, Sendable {
        let key: FactKey
        let value: Value

        func joined(_ other: Keyed) -> Keyed { key < other.key ? other : self }
    }

    var versions = KeptInOrder<TransactionOrder, Version>(limit: transactionsLimit)
    var minds = KeptInOrder<FactKey, Mind>(limit: mindsLimit)
    var words = KeptInOrder<FactKey, Word>(limit: wordsLimit)
    var renewal: Keyed<RenewalFact>?
    var status: Keyed<SubscriptionStatus>?
    var asOf: Instant?

    package init() {}

    /// - Parameter facts: of one subscription; facts about none change nothing.
    package init(_ facts: some Sequence<SignedFact>) {
        for fact in facts { insert(fact) }
    }

    /// A notification of a type that is not known changes nothing, nor does what is signed inside
    /// it: what Apple means by it is not known. A build that knows it folds the facts anew.
    package mutating func insert(_ fact: SignedFact) {
        guard fact.originalTransactionId != nil else { return }
        if let notification = fact.notification?.content {
            guard notification.type.isKnown else { return }
            asOf = max(asOf ?? fact.key.signedDate, fact.key.signedDate)
            insert(notification, fact)
        }
        if let transaction = fact.transaction?.content, let key = fact.transactionKey {
            asOf = max(asOf ?? key.signedDate, key.signedDate)
            versions.insert(
                Version(key: key, firstSigned: key.signedDate, transaction: transaction),
                at: TransactionOrder(transactionId: transaction.transactionId)
            ) { $0.joined($1) }
        }
        if let renewal = fact.renewal?.content, let key = fact.renewalKey {
            asOf = max(asOf ?? key.signedDate, key.signedDate)
            insert(renewal, key)
        }
    }

    private mutating func insert(_ notification: NotificationFact, _ fact: SignedFact) {
        if let status = notification.status {
            let keyed = Keyed(key: fact.key, value: status)
            self.status = self.status?.joined(keyed) ?? keyed
        }
        guard let kind = Word.Kind(notification.type) else { return }
        let word = Word(
            kind: kind, transactionId: fact.transaction?.content.transactionId,
            reason: notification.consumptionRequestReason)
        // Under one key is one fact: date, UUID and content are the same.
        words.insert(word, at: fact.key) { first, _ in first }
    }

    private mutating func insert(_ renewal: RenewalFact, _ key: FactKey) {
        let keyed = Keyed(key: key, value: renewal)
        self.renewal = self.renewal?.joined(keyed) ?? keyed
        let mind = Mind(
            autoRenewStatus: renewal.autoRenewStatus,
            autoRenewProductId: renewal.autoRenewProductId, offer: renewal.offer)
        minds.insert(mind, at: key) { first, _ in first }
    }

    /// With all facts of both.
    package mutating func merge(_ other: SubscriptionHistory) {
        versions.merge(other.versions) { $0.joined($1) }
        minds.merge(other.minds) { first, _ in first }
        words.merge(other.words) { first, _ in first }
        if let keyed = other.renewal { renewal = renewal?.joined(keyed) ?? keyed }
        if let keyed = other.status { status = status?.joined(keyed) ?? keyed }
        if let date = other.asOf { asOf = max(asOf ?? date, date) }
    }

    package var state: SubscriptionState { SubscriptionState(SubscriptionFolding(self)) }
}

extension SubscriptionHistory.Word.Kind {
    init?(_ type: NotificationType) {
        switch type {
        case .consumptionRequest: self = .refundRequest
        case .refund: self = .refund
        case .refundDeclined: self = .refundDeclined
        case .refundReversed: self = .refundReversed
        case .renewalExtended: self = .renewalExtended
        case .migration, .migrate: self = .migration
        default: return nil
        }
    }
}
