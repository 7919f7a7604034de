import Foundation
import HTTPClient
import Operator
import Postgres
import Responder
import Retention
import RetentionStore
import Service
import TestSupport
import Testing

/// From a change to the answer: at once where the database can say so, by the poll where not.
@Suite(.database) struct SnapshotWatchTests {
    /// A stage whose snapshots are watched as in a running responder.
    private final class Watched {
        let stage: Stage
        private let watch: SnapshotWatch
        private let stop = StopSignal()

        /// - Parameter role: as which it listens; one that cannot log in does not.
        init(every interval: Duration, role: String = "holdfast_responder") throws {
            stage = try Stage()
            let database = try Database.current()
            var settings = PoolSettings(url: try database.url(role: role))
            settings.connectTimeout = .seconds(60)
            settings.queryTimeout = .seconds(60)
            settings.applicationName = "watch"
            let acknowledger = SnapshotAcknowledger(
                store: RetentionStore(pool: database.responder), apps: stage.apps, name: "one",
                now: { Instant(milliseconds: Clock.system.now()) })
            watch = SnapshotWatch(
                feed: stage.feed, acknowledger: acknowledger, every: interval,
                listening: settings, stop: stop,
                log: Log(service: "test", sink: stage.lines.append))
            for loop in watch.loops { try loop.start() }
        }

        deinit {
            stop.request()
            for loop in watch.loops { _ = loop.stop(within: .seconds(60)) }
        }

        /// The session that listens.
        func listening() throws -> Bool {
            let rows: Int64 = try value(
                """
                select count(*) from pg_stat_activity
                where datname = current_database() and application_name = 'watch'
                  and query like 'listen%'
                """)
            return rows == 1
        }

        func value<T: SQLDecodable>(_ query: Query) throws -> T {
            try Database.current().superuser.withConnection {
                try #require(try $0.query(query).first).decode(at: 0)
            }
        }

        func change<R>(_ body: (TenantTransaction) throws -> R) throws -> R {
            try stage.store.transaction(
                stage.agency.scope, at: Instant(milliseconds: stage.clock.clock.now()), body)
        }

        /// Takes the app's first text out of what may be said.
        func reject(_ app: SimulatorApp) throws {
            let message = try #require(
                app.messages.first { $0.header == SnapshotWatchTests.before })
            let identifier = try #require(UUID(uuidString: message.messageIdentifier))
            try change {
                try $0.setReviewState(
                    .rejected, ofAppleObject: identifier, at: stage.agency.keys[0])
            }
        }

        func answers(_ header: String, _ app: SimulatorApp) throws -> Bool {
            try Answered(stage.send(Asked(app), to: app)).header(in: app) == header
        }

        /// As the database was told: number by environment of the first app.
        func acknowledged() throws -> Int64? {
            let key = stage.agency.keys[0]
            return try Database.current().superuser.withConnection {
                try $0.query(
                    """
                    select number from holdfast.snapshot_acknowledgement
                    where app_id = \(key.app.uuid) and environment = \(key.environment.rawValue)
                      and responder = 'one'
                    """
                ).first?.decode(at: 0)
            }
        }
    }

    private static let before = "New in Tideline News this month"
    private static let after = "Thank you for being with us"
    /// Long after any test: what happens before it was not the poll's doing.
    private static let never: Duration = .seconds(3_600)
    /// As promised for a change, with room for tests that share their machine.
    private static let promised: Duration = .seconds(5)

    @Test func `a change is served at once, long before the next poll`() throws {
        let watched = try Watched(every: Self.never)
        let app = try watched.stage.app(news)
        #expect(try becomesTrue { try watched.listening() })
        #expect(try watched.answers(Self.before, app))
        try watched.reject(app)
        #expect(
            try becomesTrue(within: Self.promised) { try watched.answers(Self.after, app) })
        #expect(try becomesTrue { try watched.acknowledged() == 2 })
    }

    @Test func `without a listener the poll finds the change`() throws {
        let watched = try Watched(every: .milliseconds(50), role: "holdfast_owner")
        let app = try watched.stage.app(news)
        try watched.reject(app)
        #expect(try becomesTrue { try watched.answers(Self.after, app) })
        #expect(try !watched.listening())
    }

    /// PG-06: it listens again by itself, and looks at what it missed meanwhile.
    @Test func `a listener that was killed comes back, and misses nothing`() throws {
        let watched = try Watched(every: Self.never)
        let app = try watched.stage.app(news)
        #expect(try becomesTrue { try watched.listening() })
        try Database.current().superuser.withConnection {
            try $0.execute(
                script: """
                    select pg_terminate_backend(pid) from pg_stat_activity
                    where datname = current_database() and application_name = 'watch'
                    """)
        }
        try watched.reject(app)
        #expect(try becomesTrue { try watched.answers(Self.after, app) })
    }

    @Test func `what is acknowledged is what is served, not what was refused`() throws {
        let watched = try Watched(every: Self.never)
        let app = try watched.stage.app(news)
        #expect(try becomesTrue { try watched.acknowledged() == 1 })
        let all: Int64 = try watched.value("select count(*) from holdfast.snapshot_acknowledgement")
        #expect(all == Int64(watched.stage.apps.count))
        try Database.current().superuser.withConnection {
            // Whatever comes next is unreadable.
            try $0.execute(
                script: """
                    create function public.spoil() returns trigger language plpgsql as $$
                    begin new.body := 'x'; return new; end $$;
                    create trigger spoil before insert on holdfast.snapshot
                      for each row execute function public.spoil()
                    """)
        }
        try watched.reject(app)
        #expect(
            becomesTrue { watched.stage.metrics.snapshotRefused.value("checksumMismatch") == 1 })
        #expect(try watched.acknowledged() == 1)
        #expect(try watched.answers(Self.before, app))
    }

    @Test func `a sign of life comes again and again, and heals what was lost`() throws {
        let stage = try Stage()
        let database = try Database.current()
        func acknowledger() -> SnapshotAcknowledger {
            SnapshotAcknowledger(
                store: RetentionStore(pool: database.responder), apps: stage.apps, name: "one",
                now: { Instant(milliseconds: Clock.system.now()) })
        }
        let first = acknowledger()
        func told() throws -> Int {
            try database.superuser.withConnection {
                try $0.query("select 1 from holdfast.snapshot_acknowledgement").count
            }
        }
        try first.acknowledge()
        #expect(try told() == stage.apps.count)
        try database.superuser.withConnection {
            try $0.execute(script: "delete from holdfast.snapshot_acknowledgement")
        }
        // Nothing new, and no heartbeat due.
        try first.acknowledge()
        #expect(try told() == 0)
        // One that starts says all.
        try acknowledger().acknowledge()
        #expect(try told() == stage.apps.count)
    }

    @Test func `an app that is deleted is answered no more, at once`() throws {
        let watched = try Watched(every: Self.never)
        let app = try watched.stage.app(news)
        #expect(try becomesTrue { try watched.listening() })
        #expect(try watched.stage.send(Asked(app), to: app).status == 200)
        let key = watched.stage.agency.keys[0]
        try Database.current().superuser.withConnection {
            _ = try $0.query("delete from holdfast.app where app_id = \(key.app.uuid)")
        }
        #expect(
            try becomesTrue(within: Self.promised) {
                try watched.stage.send(Asked(app), to: app).status == 404
            })
    }

    @Test func `a stopped app is silent within 5 s, and speaks again`() throws {
        let watched = try Watched(every: .seconds(2))
        let app = try watched.stage.app(news)
        let key = watched.stage.agency.keys[0]
        #expect(try becomesTrue { try watched.listening() })
        #expect(try watched.answers(Self.before, app))
        try watched.change { transaction in
            let app = try transaction.getApp(key.app).app
            try transaction.updateApp(app, isStopped: true)
        }
        #expect(
            try becomesTrue(within: Self.promised) {
                let response = try watched.stage.send(Asked(app), to: app)
                return response.status == 503 && response.body.isEmpty
            })
        // Both environments; and others of the agency are not.
        let sandbox = try watched.stage.app(news, "Sandbox")
        #expect(try watched.stage.send(Asked(sandbox), to: sandbox).status == 503)
        let other = try watched.stage.app(kids)
        #expect(try watched.stage.send(Asked(other), to: other).status == 200)
        _ = try watched.stage.shipped()
        let reason: String = try watched.value(
            """
            select fallback_reason from holdfast.decision where app_id = \(key.app.uuid)
            order by decided_at desc, kind = 'fallback' desc limit 1
            """)
        #expect(reason == "stopped")
        try watched.change { transaction in
            let app = try transaction.getApp(key.app).app
            try transaction.updateApp(app, isStopped: false)
        }
        #expect(
            try becomesTrue(within: Self.promised) {
                try watched.stage.send(Asked(app), to: app).status == 200
            })
        #expect(try watched.answers(Self.before, app))
    }
}
