package import Retention
package import RetentionStore

/// Where the endpoint has from what a snapshot does not hold. Each answers at once or within its
/// own named limit, and says when it does not know.
package struct DecisionSources: Sendable {
    package typealias Subscriber =
        @Sendable (_ tenant: TenantID, _ key: AppEnvironment, _ originalTransactionId: String) -> (
            KnownSubscriber, ProfileSource
        )
    package typealias Budget =
        @Sendable (_ app: ServedApp, _ now: Instant) -> BudgetReading

    package let subscriber: Subscriber
    package let budget: Budget
    /// How much may be said, by the age of what is known.
    package let mode: @Sendable () -> ServingMode

    package init(
        subscriber: @escaping Subscriber, budget: @escaping Budget,
        mode: @escaping @Sendable () -> ServingMode
    ) {
        self.subscriber = subscriber
        self.budget = budget
        self.mode = mode
    }

    /// Nobody is known, nothing was spent, everything is new.
    package static let none = DecisionSources(
        subscriber: { _, _, _ in (.unavailable, .unavailable) }, budget: { _, _ in .unknown },
        mode: { .full })
}
