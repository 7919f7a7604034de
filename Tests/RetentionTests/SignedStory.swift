import FoundationEssentials
import Retention

/// Facts as Apple signs them, with what a test cares about.
enum SignedStory {
    static let start: Int64 = 1_700_000_000_000
    static let day: Int64 = 86_400_000

    static func at(_ days: Int64, plus milliseconds: Int64 = 0) -> Instant {
        Instant(milliseconds: start + days * day + milliseconds)
    }

    /// A month that was bought for 9.99 on a day.
    static func transaction(
        _ id: String, on days: Int64, signed signedDays: Int64? = nil, product: String = "monthly",
        _ change: (inout TransactionFact) -> Void = { _ in }
    ) -> TransactionFact {
        var fact = TransactionFact(
            originalTransactionId: "1", transactionId: id, productId: product,
            purchaseDate: at(days), signedDate: at(signedDays ?? days), environment: "Production",
            bundleId: "com.example.app")
        fact.type = .autoRenewable
        fact.expiresDate = at(days + 30)
        fact.originalPurchaseDate = at(0)
        fact.reason = id == "1" ? .purchase : .renewal
        fact.priceMilliunits = 9_990
        fact.currency = "EUR"
        fact.storefront = "DEU"
        fact.ownership = .purchased
        change(&fact)
        return fact
    }

    static func renewal(
        signed days: Int64, _ change: (inout RenewalFact) -> Void = { _ in }
    ) -> RenewalFact {
        var fact = RenewalFact(
            originalTransactionId: "1", signedDate: at(days), environment: "Production")
        fact.productId = "monthly"
        fact.autoRenewProductId = "monthly"
        fact.autoRenewStatus = .on
        fact.isInBillingRetryPeriod = false
        change(&fact)
        return fact
    }

    static func uuid(_ number: UInt8) -> UUID {
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, number))
    }

    /// - Parameter content: tells payloads apart that say the same here.
    static func notification(
        _ type: NotificationType, on days: Int64, uuid number: UInt8 = 1,
        _ transaction: TransactionFact? = nil, _ renewal: RenewalFact? = nil,
        content: UInt64 = 0, status: SubscriptionStatus? = nil
    ) -> SignedFact {
        let own = NotificationFact(
            uuid: uuid(number), type: type, subtype: nil, signedDate: at(days), status: status,
            consumptionRequestReason: nil)
        return SignedFact(
            notification: SignedFact.Signed(own, fingerprint: content),
            transaction: transaction.map { SignedFact.Signed($0, fingerprint: content) },
            renewal: renewal.map { SignedFact.Signed($0, fingerprint: content) })
    }

    static func read(_ transaction: TransactionFact) -> SignedFact {
        SignedFact(transaction: SignedFact.Signed(transaction, fingerprint: 0))
    }

    static func read(_ renewal: RenewalFact) -> SignedFact {
        SignedFact(renewal: SignedFact.Signed(renewal, fingerprint: 0))
    }
}

extension NotificationType {
    static let subscribed = NotificationType(rawValue: "SUBSCRIBED")
    static let renewed = NotificationType(rawValue: "DID_RENEW")
    static let changedStatus = NotificationType(rawValue: "DID_CHANGE_RENEWAL_STATUS")
}

extension [SignedFact] {
    /// In every order, for a few of them.
    var permutations: [[SignedFact]] {
        guard let first else { return [[]] }
        return Array(dropFirst()).permutations.flatMap { rest in
            (0...rest.count).map { Array(rest[..<$0]) + [first] + Array(rest[$0...]) }
        }
    }
}
