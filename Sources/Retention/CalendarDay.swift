/// A day of the calendar, in the time zone of whatever it belongs to.
package struct CalendarDay: Hashable, Comparable, Sendable, CustomStringConvertible {
    private let year: Int
    private let month: Int
    private let day: Int

    /// Reads `2027-06-30`, years 1970 to 9999; `nil` for anything else.
    package init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].count == 4, parts[1].count == 2, parts[2].count == 2,
            let year = Self.number(parts[0]), let month = Self.number(parts[1]),
            let day = Self.number(parts[2]), year >= 1970, (1...12).contains(month),
            (1...Self.days(in: month, of: year)).contains(day)
        else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    package static func < (a: CalendarDay, b: CalendarDay) -> Bool {
        (a.year, a.month, a.day) < (b.year, b.month, b.day)
    }

    package var description: String {
        [year, month, day].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: "-")
    }

    private static func number(_ digits: some Collection<UInt8>) -> Int? {
        guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

/// Until when content holds, and by when somebody is to look at it again. Nothing is hidden by it.
package struct ContentDates: Hashable, Sendable {
    package let showUntil: CalendarDay?
    package let reviewBy: CalendarDay?

    package static let none = ContentDates(showUntil: nil, reviewBy: nil)

    package init(showUntil: CalendarDay?, reviewBy: CalendarDay?) {
        self.showUntil = showUntil
        self.reviewBy = reviewBy
    }

    /// Its last day is over.
    package func isStale(on today: CalendarDay) -> Bool { showUntil.map { today > $0 } ?? false }

    /// The day by which somebody was to look at it is over.
    package func needsReview(on today: CalendarDay) -> Bool {
        reviewBy.map { today > $0 } ?? false
    }
}
