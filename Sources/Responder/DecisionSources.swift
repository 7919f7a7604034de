package import Retention
package import RetentionStore

/// Where the endpoint has from what a snapshot does not hold. Each answers at once or within its
/// own named limit, and says when it does not know.
package struct DecisionSources: Sendable {
    package typealias Subscriber =
        @Sendable (
            _ tenant: TenantID, _ key: AppEnvironment, _ originalTransactionId: String,
            _ mayAskDatabase: Bool, _ isGenuine: () -> Bool
        ) -> (KnownSubscriber, ProfileSource)
    package typealias Budget =
        @Sendable (_ app: ServedApp, _ now: Instant) -> BudgetReading

    package let subscriber: Subscriber
    package let budget: Budget
    /// How old what is known of subscribers and budgets may be; `nil` where it was never read.
    package let age: @Sendable () -> Duration?

    package init(
        subscriber: @escaping Subscriber, budget: @escaping Budget,
        age: @escaping @Sendable () -> Duration? = { .zero }
    ) {
        self.subscriber = subscriber
        self.budget = budget
        self.age = age
    }

    /// What may be offered by it: no old counter and no old sum may let an offer through. Facts of
    /// profiles have ages of their own.
    var mode: ServingMode {
        age().map { ServingMode(age: $0) } == .full ? .full : .noBudgetedOffers
    }

    /// From memory, else from PostgreSQL.
    ///
    /// - Parameter feed: what keeps memory fresh; `nil` where nothing does, and its age is no
    ///   matter.
    package init(lookup: ProfileLookup, budgets: DiscountBudgets, feed: ProfileFeed? = nil) {
        self.init(
            subscriber: { tenant, key, transaction, mayAskDatabase, isGenuine in
                let (reading, source) = lookup.find(
                    tenant: tenant, key: key, originalTransactionId: transaction,
                    mayAskDatabase: mayAskDatabase, isGenuine: isGenuine)
                return (KnownSubscriber(reading), source)
            }, budget: { budgets.reading(of: $0, at: $1) },
            age: {
                guard let feed else { return .zero }
                guard let feed = feed.age, let budgets = budgets.age else { return nil }
                return max(feed, budgets)
            })
    }

    /// Nobody is known, and nothing of budgets.
    package static let none = DecisionSources(
        subscriber: { _, _, _, _, _ in (.unavailable, .unavailable) }, budget: { _, _ in .unknown })
}
