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
        let currency: String
    }

    /// `nil` until it was read once.
    private let spent = Mutex<[Key: Int64]?>(nil)
    private let store: RetentionStore

    package init(store: RetentionStore) {
        self.store = store
    }

    /// One look. Throws where the database cannot be read; what was known stays.
    package func poll(at now: Instant) throws {
        guard let today = CalendarDay(daysSince1970: ZoneOffsets.utc.day(of: now)) else { return }
        // Somewhere it is still the month before.
        let rows = try store.discountBudgetsSpent(.routing, from: today.firstOfMonthBefore)
        let read = Dictionary(
            rows.map { row in
                (
                    Key(
                        place: AppPlace(tenant: row.tenant, key: row.key), month: row.spent.month,
                        currency: row.spent.currency), row.spent.spentMilliunits
                )
            }, uniquingKeysWith: max)
        spent.withLock { $0 = read }
    }

    /// Of the app's budget, in its calendar's month; nothing to ask where it has none.
    package func reading(of app: ServedApp, at now: Instant) -> BudgetReading {
        guard let budget = app.snapshot.ruleSet.governor.monthlyDiscountBudget else {
            return .unknown
        }
        guard let day = CalendarDay(daysSince1970: app.snapshot.zone.day(of: now)) else {
            return .unknown
        }
        let key = Key(
            place: app.head.place, month: day.firstOfMonth,
            currency: budget.currency)
        return spent.withLock { spent in
            guard let spent else { return .unknown }
            return spent[key].map { .spent(milliunits: $0, currency: budget.currency) } ?? .nothing
        }
    }
}
