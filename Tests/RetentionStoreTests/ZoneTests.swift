import Foundation
import Operator
import Postgres
import Retention
import RetentionStore
import TestSupport
import Testing

/// The calendar of a snapshot against PostgreSQL's own time zone database.
@Suite(.database) struct ZoneTests {
    private static let zones = [
        "UTC", "Europe/Berlin", "America/New_York", "Pacific/Kiritimati", "Asia/Kolkata",
        "Australia/Lord_Howe", "America/Sao_Paulo",
    ]

    @Test(arguments: zones)
    func `days and minutes are those of the zone`(name: String) throws {
        let agencies = try Agencies()
        let key = agencies.first.keys[0]
        try agencies.change(agencies.first) { transaction in
            let stored = try transaction.getApp(key.app)
            try transaction.updateApp(stored.app.in(zone: name), isStopped: stored.isStopped)
        }
        let zone = try agencies.snapshot(agencies.first, key).zone
        var dice = SeededNumbers(seed: 7)
        let instants = (0..<2_000).map { _ in
            // 2001 to 2049.
            Int64.random(in: 980_000_000_000...2_500_000_000_000, using: &dice)
        }
        let rows = try agencies.database.superuser.withConnection { connection in
            try connection.query(
                """
                select (l::date - date '1970-01-01')::bigint as day,
                  (extract(hour from l) * 60 + extract(minute from l))::bigint as minute
                from unnest(\(instants)) with ordinality as i(ms, place),
                  lateral (select to_timestamp(ms / 1000) at time zone \(name)::text as l) as local
                order by place
                """)
        }
        #expect(rows.count == instants.count)
        for (row, milliseconds) in zip(rows, instants) {
            let instant = Instant(milliseconds: milliseconds)
            #expect(zone.day(of: instant) == (try row.decode(Int64.self, "day")), "\(milliseconds)")
            #expect(
                zone.minuteOfDay(instant) == (try row.decode(Int64.self, "minute")),
                "\(milliseconds)")
        }
    }
}

extension App {
    fileprivate func `in`(zone: String) -> App {
        App(
            id: id, client: client, name: name, bundleId: bundleId, appAppleId: appAppleId,
            defaultLocale: defaultLocale, timeZone: zone,
            performanceTestTransactionId: performanceTestTransactionId,
            appStoreConnectLayer: appStoreConnectLayer)
    }
}
