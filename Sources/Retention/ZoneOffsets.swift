/// How far a time zone's clocks were, and will be, from UTC: what turns an instant into a calendar
/// day or a time of day without a time zone database at hand.
///
/// It is part of a snapshot, so that every process that serves it, and everybody who explains an
/// old decision, reckons alike.
package struct ZoneOffsets: Codable, Equatable, Sendable {
    package struct Change: Codable, Equatable, Sendable {
        package let at: Instant
        /// East of UTC.
        package let offsetSeconds: Int64

        package init(at: Instant, offsetSeconds: Int64) {
            self.at = at
            self.offsetSeconds = offsetSeconds
        }
    }

    package static let utc = ZoneOffsets(name: "UTC", firstOffsetSeconds: 0, changes: [])

    /// Of the IANA database.
    package let name: String
    /// Before the first change.
    package let firstOffsetSeconds: Int64
    /// In the order of time.
    package let changes: [Change]

    package init(name: String, firstOffsetSeconds: Int64, changes: [Change]) {
        self.name = name
        self.firstOffsetSeconds = firstOffsetSeconds
        self.changes = changes.sorted { $0.at < $1.at }
    }

    private func localSeconds(_ instant: Instant) -> Int64 {
        var (low, high) = (0, changes.count)
        while low < high {
            let middle = (low + high) / 2
            if changes[middle].at <= instant { low = middle + 1 } else { high = middle }
        }
        let offset = low == 0 ? firstOffsetSeconds : changes[low - 1].offsetSeconds
        return Self.quotient(instant.milliseconds, 1_000) + offset
    }

    private static let daySeconds: Int64 = 86_400

    /// Rounded down, also below zero.
    private static func quotient(_ number: Int64, _ divisor: Int64) -> Int64 {
        let quotient = number / divisor
        return number % divisor < 0 ? quotient - 1 : quotient
    }

    /// Local calendar days since 1970-01-01.
    package func day(of instant: Instant) -> Int64 {
        Self.quotient(localSeconds(instant), Self.daySeconds)
    }

    /// How many midnights lie between the two: calendar days, not spans of 24 hours.
    package func days(from start: Instant, to end: Instant) -> Int64 {
        day(of: end) - day(of: start)
    }

    /// Minutes since local midnight on the clock on the wall.
    package func minuteOfDay(_ instant: Instant) -> Int64 {
        let seconds = localSeconds(instant)
        return (seconds - Self.quotient(seconds, Self.daySeconds) * Self.daySeconds) / 60
    }
}
