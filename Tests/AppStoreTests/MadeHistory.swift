import AppStore
import Foundation
import Retention

/// What a program in another language made up about one subscription, in its own form.
struct MadeHistory: Decodable {
    struct Delivery: Decodable {
        let notification: String?
        let transaction: String?
        let renewal: String?

        /// As a receiver does once the signatures are verified.
        func fact() throws -> SignedFact? {
            let transaction = try transaction.map { try SignedTransaction.decode(Array($0.utf8)) }
            let renewal = try renewal.map { try SignedRenewalInfo.decode(Array($0.utf8)) }
            if let notification {
                return try NotificationPayload(Array(notification.utf8))
                    .fact(transaction: transaction, renewal: renewal)
            }
            if let transaction { return SignedFact(transaction: transaction) }
            return renewal.map { SignedFact(renewal: $0) }
        }

        /// Each text without its end.
        var cut: Delivery {
            Delivery(
                notification: notification.map { String($0.dropLast()) },
                transaction: transaction.map { String($0.dropLast()) },
                renewal: renewal.map { String($0.dropLast()) })
        }
    }

    struct Told: Decodable {
        let name: String
        let value: String
        let observedAt: Int64
        let expiresAt: Int64?
    }

    let number: Int
    let facts: [Delivery]
    let times: [Int64]
    let told: [Told]
    let lastActiveAt: Int64?
    let pageViews: Int64?

    func sources(_ state: SubscriptionState) -> ProfileSources {
        ProfileSources(
            state: state,
            told: told.map {
                ToldFact(
                    name: $0.name, value: .text($0.value),
                    observedAt: Instant(milliseconds: $0.observedAt),
                    expiresAt: $0.expiresAt.map(Instant.init(milliseconds:)))
            },
            lastActiveAt: lastActiveAt.map(Instant.init(milliseconds:)), pageViews: pageViews)
    }

    /// The form of `fold_lines.py`.
    func lines(of state: SubscriptionState) -> [String] {
        let sources = sources(state)
        return StateLines(state).lines
            + times.map(Instant.init(milliseconds:)).flatMap { now in
                let parts = [
                    now.said, said(state.status(at: now)), said(sources.nextChange(after: now)),
                ]
                return ["at=" + list(parts)]
                    + StateLines.lines(of: SubscriberProfile(of: sources, at: now))
            }
    }
}
