import Service
import Synchronization

/// The one subscriber base that there is at a time, and what it needs to live.
final class BaseShelf: Sendable {
    private let memory: AppStoreMemory
    private let subscriptions: Subscriptions
    private let pages: SubscriptionPages
    let clock: Clock
    private let moveClock: @Sendable (Int64) -> Void
    /// What a driver sets it to, before or behind.
    let setClock: @Sendable (Int64) -> Void
    private let base = Mutex<SubscriberBase?>(nil)

    init(
        memory: AppStoreMemory, subscriptions: Subscriptions, pages: SubscriptionPages,
        clock: Clock, moveClock: @escaping @Sendable (Int64) -> Void,
        setClock: @escaping @Sendable (Int64) -> Void
    ) {
        self.memory = memory
        self.subscriptions = subscriptions
        self.pages = pages
        self.clock = clock
        self.moveClock = moveClock
        self.setClock = setClock
    }

    /// Replaces the one before; what that has bought stays.
    func set(_ plan: SubscriberBasePlan) throws(ControlError) {
        let place = AppStoreMemory.Place(
            appAppleId: plan.appAppleId, environment: plan.environment)
        guard let catalog = memory.catalog(place) else {
            throw ControlError(.unknownApp, "The simulator knows no such app; PUT its state first.")
        }
        try plan.check(catalog)
        let made = SubscriberBase(
            plan, subscriptions: subscriptions, pages: pages, memory: memory, clock: clock,
            moveClock: moveClock)
        base.withLock { $0 = made }
    }

    func get() throws(ControlError) -> SubscriberBase {
        guard let base = base.withLock({ $0 }) else {
            throw ControlError(.unknownSubscriber, "There is no subscriber base; PUT its plan.")
        }
        return base
    }

    func forget() {
        base.withLock { $0 = nil }
    }
}
