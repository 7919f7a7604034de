import FoundationEssentials
import Retention
import Testing

@Suite struct ScheduleTests {
    /// Berlin's clocks of 2026, and New York's of autumn.
    private static let berlin = ZoneOffsets(
        name: "Europe/Berlin", firstOffsetSeconds: 3_600,
        changes: [
            .init(at: instant("2026-03-29T01:00:00Z"), offsetSeconds: 7_200),
            .init(at: instant("2026-10-25T01:00:00Z"), offsetSeconds: 3_600),
        ])
    private static let kiritimati = ZoneOffsets(
        name: "Pacific/Kiritimati", firstOffsetSeconds: 50_400, changes: [])

    private static func instant(_ text: String) -> Instant {
        let date = try? Date(text, strategy: .iso8601)
        return Instant(milliseconds: Int64((date?.timeIntervalSince1970 ?? 0) * 1_000))
    }

    private func covers(_ schedule: Schedule, _ zone: ZoneOffsets, _ text: String) -> Bool {
        schedule.covers(Self.instant(text), in: zone)
    }

    @Test func `spans are half-open`() {
        let start = Self.instant("2026-11-01T04:00:00Z")
        let end = Self.instant("2026-12-01T05:00:00Z")
        let schedule = Schedule(from: start, to: end, daily: nil)
        for (shift, wanted) in [(Int64(-1), false), (0, true), (1, true)] {
            let instant = Instant(milliseconds: start.milliseconds + shift)
            #expect(schedule.covers(instant, in: .utc) == wanted)
        }
        for (shift, wanted) in [(Int64(-1), true), (0, false)] {
            let instant = Instant(milliseconds: end.milliseconds + shift)
            #expect(schedule.covers(instant, in: .utc) == wanted)
        }
        #expect(Schedule.always.covers(Instant(milliseconds: .min), in: Self.berlin))
        #expect(Schedule.always.covers(Instant(milliseconds: .max), in: Self.berlin))
    }

    /// 01:30 to 02:30 by the clock on the wall.
    @Test func `a daily span where clocks change`() {
        let schedule = Schedule(
            from: nil, to: nil, daily: .init(fromMinute: 90, toMinute: 150))
        let table: [(String, Bool)] = [
            // An ordinary day.
            ("2026-07-01T00:29:59+01:00", false), ("2026-07-01T01:30:00+02:00", true),
            ("2026-07-01T02:29:59+02:00", true), ("2026-07-01T02:30:00+02:00", false),
            // 02:00 to 03:00 does not exist: the span ends with 01:59:59.
            ("2026-03-29T01:59:59+01:00", true), ("2026-03-29T03:00:00+02:00", false),
            // 02:00 to 03:00 comes twice, and so does the span's half of it.
            ("2026-10-25T02:10:00+02:00", true), ("2026-10-25T02:40:00+02:00", false),
            ("2026-10-25T02:10:00+01:00", true), ("2026-10-25T02:40:00+01:00", false),
        ]
        for (text, wanted) in table {
            #expect(covers(schedule, Self.berlin, text) == wanted, "\(text)")
        }
    }

    @Test func `a daily span may reach over midnight`() {
        let night = Schedule(from: nil, to: nil, daily: .init(fromMinute: 1_320, toMinute: 120))
        for (text, wanted) in [
            ("2026-07-01T22:00:00Z", true), ("2026-07-01T23:59:59Z", true),
            ("2026-07-01T00:00:00Z", true), ("2026-07-01T02:00:00Z", false),
            ("2026-07-01T21:59:59Z", false),
        ] {
            #expect(covers(night, .utc, text) == wanted, "\(text)")
        }
    }

    @Test func `days are calendar days of the zone, not spans of 24 hours`() {
        let table: [(ZoneOffsets, String, String, Int64)] = [
            (.utc, "2026-01-31T23:59:59Z", "2026-02-01T00:00:00Z", 1),
            (.utc, "2026-02-01T00:00:00Z", "2026-02-01T23:59:59Z", 0),
            (Self.kiritimati, "2026-02-01T09:59:59Z", "2026-02-01T10:00:00Z", 1),
            // A day of 23 hours, and one of 25.
            (Self.berlin, "2026-03-29T00:00:00+01:00", "2026-03-30T00:00:00+02:00", 1),
            (Self.berlin, "2026-10-25T00:00:00+02:00", "2026-10-26T00:00:00+01:00", 1),
            (Self.berlin, "2026-10-24T23:30:00+02:00", "2026-10-26T00:10:00+01:00", 2),
            (.utc, "2028-02-28T12:00:00Z", "2028-03-01T00:00:00Z", 2),
            (.utc, "2026-07-01T00:00:00Z", "2026-06-30T23:59:59Z", -1),
            (.utc, "1969-12-31T23:59:59Z", "1970-01-01T00:00:00Z", 1),
        ]
        for (zone, from, to, days) in table {
            #expect(
                zone.days(from: Self.instant(from), to: Self.instant(to)) == days, "\(from) \(to)")
        }
        // The trial that ends after 30 days, by Los Angeles' clock: the 31st, though 720 hours
        // later it is April there already.
        let losAngeles = ZoneOffsets(
            name: "America/Los_Angeles", firstOffsetSeconds: -28_800,
            changes: [.init(at: Self.instant("2017-03-12T10:00:00Z"), offsetSeconds: -25_200)])
        let start = Self.instant("2017-03-01T23:30:00-08:00")
        let last = Self.instant("2017-03-31T23:59:59-07:00")
        #expect(losAngeles.days(from: start, to: last) == 30)
        let later = Instant(milliseconds: start.milliseconds + 720 * 3_600_000)
        #expect(losAngeles.days(from: start, to: later) == 31)
    }

    @Test func `days have their date, leap days too`() throws {
        for text in [
            "1970-01-01", "1970-12-31", "1972-02-29", "2000-02-29", "2026-03-01", "2100-03-01",
            "9999-12-31",
        ] {
            let day = ZoneOffsets.utc.day(of: Self.instant("\(text)T23:59:59Z"))
            #expect(CalendarDay(daysSince1970: day)?.description == text)
        }
        #expect(CalendarDay(daysSince1970: -1) == nil)
        #expect(CalendarDay(daysSince1970: .max) == nil)
        let january = try #require(CalendarDay("2027-01-31"))
        #expect(january.firstOfMonth.description == "2027-01-01")
        #expect(january.firstOfMonthBefore.description == "2026-12-01")
    }

    @Test func `what lies ahead by our clock has no age`() {
        var profile = SubscriberProfile()
        profile.subscribedAt = Instant(milliseconds: Asked.now.milliseconds + 1)
        profile.lastActiveAt = profile.subscribedAt
        var asked = Asked()
        asked.subscriber = .known(KeptProfile(profile), asOf: Asked.now, .zero)
        var fixture = SnapshotFixture()
        for fact in [Fact.tenureDays, .daysSinceActive] {
            let test = Condition.fact(FactCondition(fact, .number(atLeast: .min, below: .max)))
            fixture.rules = [
                Rule(
                    id: RuleID(UUID()), name: "r", when: .any([test, .not(test)]),
                    treatment: .fallback)
            ]
            #expect(fixture.decide(asked).rule == nil)
        }
    }
}
