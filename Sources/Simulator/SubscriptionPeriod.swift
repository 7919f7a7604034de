import FoundationEssentials

/// How long a subscription or an offer lasts, in ISO 8601: `P3D`, `P1W`, `P1M`, `P1Y`.
struct SubscriptionPeriod: Sendable, Equatable {
    enum Unit: Character, Sendable {
        case day = "D"
        case week = "W"
        case month = "M"
        case year = "Y"
    }

    private static let countLimit = 120
    static let month = SubscriptionPeriod(count: 1, unit: .month)

    var count: Int
    var unit: Unit

    init(count: Int, unit: Unit) {
        self.count = count
        self.unit = unit
    }

    /// Nil where the text is no such duration of 1 to 120 units.
    init?(_ text: String) {
        guard text.first == "P", let unit = text.last.flatMap(Unit.init),
            let count = Int(text.dropFirst().dropLast()),
            (1...SubscriptionPeriod.countLimit).contains(count)
        else { return nil }
        self.init(count: count, unit: unit)
    }

    var text: String { "P\(count)\(unit.rawValue)" }

    func times(_ factor: Int) -> SubscriptionPeriod {
        SubscriptionPeriod(count: count * factor, unit: unit)
    }

    /// The same time of day so many days or calendar months later, in UTC: the 31st of January and
    /// a month is the last of February.
    func end(after milliseconds: Int64) -> Int64 {
        let day: Int64 = 86_400_000
        switch unit {
        case .day: return milliseconds + Int64(count) * day
        case .week: return milliseconds + Int64(count) * 7 * day
        case .month: return SubscriptionPeriod.months(count, after: milliseconds)
        case .year: return SubscriptionPeriod.months(count * 12, after: milliseconds)
        }
    }

    private static let calendar: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()

    private static func months(_ count: Int, after milliseconds: Int64) -> Int64 {
        let seconds = milliseconds.dividedTowardsPast(by: 1000)
        let rest = milliseconds - seconds * 1000
        let start = Date(timeIntervalSince1970: Double(seconds))
        guard let end = calendar.date(byAdding: .month, value: count, to: start) else {
            return milliseconds + Int64(count) * 30 * 86_400_000
        }
        return Int64(end.timeIntervalSince1970.rounded()) * 1000 + rest
    }
}

extension Int64 {
    fileprivate func dividedTowardsPast(by divisor: Int64) -> Int64 {
        self / divisor - (self % divisor < 0 ? 1 : 0)
    }
}
