internal import Foundation
internal import Retention

extension ZoneOffsets {
    /// As far as decisions can lie, with room: a change outside is not told.
    private static let firstSecond: Double = 946_684_800
    private static let lastSecond: Double = 2_524_608_000

    /// The changes of an IANA time zone from 2000 to 2050 by this machine's database; UTC for a
    /// name that it does not know.
    static func named(_ name: String) -> ZoneOffsets {
        let start = Date(timeIntervalSince1970: firstSecond)
        guard let zone = TimeZone(identifier: name) else { return .utc }
        var changes: [Change] = []
        var date = start
        while let next = zone.nextDaylightSavingTimeTransition(after: date),
            next > date, next.timeIntervalSince1970 < lastSecond
        {
            changes.append(
                Change(
                    at: Instant(milliseconds: Int64(next.timeIntervalSince1970 * 1_000)),
                    offsetSeconds: Int64(zone.secondsFromGMT(for: next))))
            date = next
        }
        let first = Int64(zone.secondsFromGMT(for: start))
        if changes.isEmpty, first == 0 { return .utc }
        return ZoneOffsets(name: name, firstOffsetSeconds: first, changes: changes)
    }
}
