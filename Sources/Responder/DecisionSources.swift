package import Retention
package import RetentionStore

/// Where the endpoint has from what a snapshot does not hold. Each answers at once or within its
/// own named limit, and says when it does not know.
package struct DecisionSources: Sendable {
    package typealias Subscriber =
        @Sendable (
            _ tenant: TenantID, _ key: AppEnvironment, _ originalTransactionId: String,
            _ mayAskDatabase: Bool
        ) -> (KnownSubscriber, ProfileSource)
    package typealias Budget =
        @Sendable (_ app: ServedApp, _ now: Instant) -> BudgetReading

    package let subscriber: Subscriber
    package let budget: Budget

    package init(subscriber: @escaping Subscriber, budget: @escaping Budget) {
        self.subscriber = subscriber
        self.budget = budget
    }

    /// From memory, else from PostgreSQL.
    package init(lookup: ProfileLookup, budgets: DiscountBudgets) {
        self.init(
            subscriber: { tenant, key, transaction, mayAskDatabase in
                let (reading, source) = lookup.find(
                    tenant: tenant, key: key, originalTransactionId: transaction,
                    mayAskDatabase: mayAskDatabase)
                return (KnownSubscriber(reading), source)
            }, budget: { budgets.reading(of: $0, at: $1) })
    }

    /// Nobody is known, and nothing of budgets.
    package static let none = DecisionSources(
        subscriber: { _, _, _, _ in (.unavailable, .unavailable) }, budget: { _, _ in .unknown })
}
