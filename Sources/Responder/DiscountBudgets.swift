package import Retention
package import RetentionStore
internal import Synchronization

/// What the discounts of every app cost this month, as the database last said.
package final class DiscountBudgets: Sendable {
    /// Between two looks: so much may be given beyond a budget.
    static let interval: Duration = .seconds(2)

    private struct Key: Hashable {
        let place: AppPlace
        let month: CalendarDay
    }

    /// By currency; `nil` until it was read once.
    private let spent = Mutex<[Key: [SpentBudget]]?>(nil)
    private let lastRead = Mutex<ContinuousClock.Instant?>(nil)
    private let store: RetentionStore

    package init(store: RetentionStore) {
        self.store = store
    }

    /// One look. Throws where the database cannot be read; what was known stays.
    package func poll(at now: Instant) throws {
        guard let today = CalendarDay(daysSince1970: ZoneOffsets.utc.day(of: now)) else { return }
        let start = ContinuousClock.now
        // Somewhere it is still the month before.
        let rows = try store.discountBudgetsSpent(.routing, from: today.firstOfMonthBefore)
        let read = Dictionary(grouping: rows) {
            Key(place: $0.place, month: $0.spent.month)
        }.mapValues { $0.map(\.spent) }
        spent.withLock { $0 = read }
        lastRead.withLock { $0 = start }
    }

    /// Since the last look that succeeded; `nil` before it.
    package var age: Duration? { lastRead.withLock { $0 }.map { .now - $0 } }

    /// Of the app's budget, in its calendar's month; nothing to ask where it has none.
    package func reading(of app: ServedApp, at now: Instant) -> BudgetReading {
        guard let budget = app.snapshot.ruleSet.governor.monthlyDiscountBudget,
            let month = BudgetReading.month(at: now, in: app.snapshot.zone)
        else { return .unknown }
        let key = Key(place: app.head.place, month: month)
        return spent.withLock { spent in
            guard let spent else { return .unknown }
            let rows = spent[key] ?? []
            return BudgetReading(
                spent: rows.map { ($0.currency, $0.spentMilliunits) }, budget: budget)
        }
    }
}
