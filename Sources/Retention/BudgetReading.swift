/// What the discounts of an app have cost this month, as far as is known.
package enum BudgetReading: Equatable, Sendable {
    case unknown
    /// It was asked, and nothing is counted yet, in no currency.
    case nothing
    case spent(milliunits: Int64, currency: String)

    /// What a month's discounts say of a budget. Where all of them were in other currencies, money
    /// was spent that the budget cannot count: that is unknown, and not nothing.
    ///
    /// - Parameter spent: of the month, by currency (ISO 4217), in thousandths.
    package init(
        spent: some Sequence<(currency: String, milliunits: Int64)>, budget: Governor.Budget
    ) {
        self = .nothing
        for (currency, milliunits) in spent {
            if isSame(currency, budget.currency) {
                self = .spent(milliunits: milliunits, currency: currency)
                return
            }
            self = .unknown
        }
    }

    /// The month whose discounts count for a budget at `now`: of the app's calendar.
    ///
    /// - Returns: its first day; `nil` for an instant that no calendar day has.
    package static func month(at now: Instant, in zone: ZoneOffsets) -> CalendarDay? {
        CalendarDay(daysSince1970: zone.day(of: now))?.firstOfMonth
    }
}
