/// When a rule counts. Spans are half-open: the end is the first instant outside.
package struct Schedule: Codable, Equatable, Sendable {
    /// A span of every day on the clock on the wall, in minutes since midnight; one that ends
    /// before it begins reaches over midnight. Where clocks jump forward, minutes that do not exist
    /// are not met; where they are set back, those that come twice are met twice.
    package struct Daily: Codable, Equatable, Sendable {
        package static let minutes: ClosedRange<Int64> = 0...1_440

        package let fromMinute: Int64
        package let toMinute: Int64

        package init(fromMinute: Int64, toMinute: Int64) {
            self.fromMinute = fromMinute
            self.toMinute = toMinute
        }

        private enum CodingKeys: String, CodingKey, CaseIterable {
            case fromMinute, toMinute
        }

        package init(from decoder: any Decoder) throws {
            try decoder.refuseMembers(besides: CodingKeys.allCases.map(\.rawValue))
            let container = try decoder.container(keyedBy: CodingKeys.self)
            fromMinute = try container.decode(Int64.self, forKey: .fromMinute)
            toMinute = try container.decode(Int64.self, forKey: .toMinute)
            guard [fromMinute, toMinute].allSatisfy(Self.minutes.contains) else {
                throw decoder.refusal("a time of day is 0 to 1440 minutes")
            }
        }

        func covers(_ minute: Int64) -> Bool {
            if fromMinute <= toMinute { return fromMinute <= minute && minute < toMinute }
            return fromMinute <= minute || minute < toMinute
        }
    }

    package static let always = Schedule(from: nil, to: nil, daily: nil)

    package let from: Instant?
    package let to: Instant?
    package let daily: Daily?

    package init(from: Instant?, to: Instant?, daily: Daily?) {
        self.from = from
        self.to = to
        self.daily = daily
    }

    package func covers(_ now: Instant, in zone: ZoneOffsets) -> Bool {
        if let from, now < from { return false }
        if let to, now >= to { return false }
        return daily?.covers(zone.minuteOfDay(now)) ?? true
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case from, to, daily
    }

    package init(from decoder: any Decoder) throws {
        try decoder.refuseMembers(besides: CodingKeys.allCases.map(\.rawValue))
        let container = try decoder.container(keyedBy: CodingKeys.self)
        from = try container.decodeIfPresent(Instant.self, forKey: .from)
        to = try container.decodeIfPresent(Instant.self, forKey: .to)
        daily = try container.decodeIfPresent(Daily.self, forKey: .daily)
    }
}
