import Retention
import Testing

@Suite struct BudgetReadingTests {
    private static let budget = Governor.Budget(amountMilliunits: 9, currency: "EUR")

    @Test func `a month of other currencies is unknown, one without discounts is nothing`() {
        let cases: [([(currency: String, milliunits: Int64)], BudgetReading)] = [
            ([], .nothing), ([("JPY", 1)], .unknown), ([("JPY", 0), ("USD", 5)], .unknown),
            ([("EUR", 4)], .spent(milliunits: 4, currency: "EUR")),
            ([("AUD", 1), ("EUR", 4), ("JPY", 2)], .spent(milliunits: 4, currency: "EUR")),
            ([("eur", 4)], .unknown),
        ]
        for (spent, reading) in cases {
            #expect(BudgetReading(spent: spent, budget: Self.budget) == reading, "\(spent)")
        }
    }

    @Test func `the month is one of the app's calendar`() throws {
        let utc = try #require(CalendarDay("2026-11-01"))
        let before = try #require(CalendarDay("2026-10-01"))
        // The first instant of November in UTC.
        let now = Instant(milliseconds: 1_793_491_200_000)
        #expect(BudgetReading.month(at: now, in: .utc) == utc)
        #expect(
            BudgetReading.month(at: Instant(milliseconds: now.milliseconds - 1), in: .utc)
                == before)
    }
}
