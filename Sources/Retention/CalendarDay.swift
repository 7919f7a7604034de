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

    /// Of the proleptic Gregorian calendar, counted from 1970-01-01; `nil` before and after 9999.
    package init?(daysSince1970: Int64) {
        guard (0...2_932_896).contains(daysSince1970) else { return nil }
        // Years begin in March here, so that the leap day is a year's last; after H. Hinnant,
        // "chrono-compatible low-level date algorithms".
        let days = daysSince1970 + 719_468
        let era = days / 146_097
        let dayOfEra = days % 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        year = Int(yearOfEra + era * 400 + (month <= 2 ? 1 : 0))
        self.month = Int(month)
        day = Int(dayOfYear - (153 * shifted + 2) / 5 + 1)
    }

    package var firstOfMonth: CalendarDay { CalendarDay(year, month, 1) }

    /// The first day of the month before; of January 1970, itself.
    package var firstOfMonthBefore: CalendarDay {
        if month > 1 { return CalendarDay(year, month - 1, 1) }
        return year > 1970 ? CalendarDay(year - 1, 12, 1) : firstOfMonth
    }

    private init(_ year: Int, _ month: Int, _ day: Int) {
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
