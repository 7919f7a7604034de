import FoundationEssentials
import Operator
import Postgres
import Retention
import RetentionStore
import Synchronization
import TestSupport
import Testing

/// A hundred thousand transactions over few connections, with everything that may go wrong in
/// between going wrong: each reads through its own key, and never a row of another's.
@Suite(.database) struct PoolIsolationTests {
    private static let transactions = 100_000
    private static let workers = 8
    private static let connections = 4
    /// Of one worker. A fault costs a connection at times, and so what dozens of others cost.
    private static let roundsAFault = 100

    /// Looks at all rows that the gateway's role is given, and raises at one that is not the key's.
    private static let check = """
        create schema probe;
        grant usage on schema probe to holdfast_gateway;
        create function probe.check(mine uuid[]) returns void language plpgsql as $$
        declare
          seen uuid[] := array(select m.app_id from holdfast.message m group by 1 order by 1);
        begin
          if seen <> mine then
            raise exception 'FOREIGN % instead of %', seen, mine;
          end if;
        end $$;
        grant execute on function probe.check(uuid[]) to holdfast_gateway;
        """

    /// A key and what it may see.
    private struct Reader: Sendable {
        /// Enters, then looks.
        let script: [UInt8]

        init(_ token: APIKeyToken, _ apps: [UUID]) {
            let hash = token.hash.map { byte in
                String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
            }.joined()
            let list = apps.map { "'\($0.uuidString.lowercased())'" }.sorted()
            script = Array(
                """
                select holdfast_sec.enter_key('\\x\(hash)', now())::text;
                select probe.check(array[\(list.joined(separator: ", "))]::uuid[])
                """.utf8)
        }
    }

    /// What happened, by name; a run in which a fault never happened shows nothing.
    private final class Tally: Sendable {
        private let counts = Mutex<[String: Int]>([:])

        func add(_ name: String) { counts.withLock { $0[name, default: 0] += 1 } }

        var all: [String: Int] { counts.withLock { $0 } }
    }

    private struct Thrown: Error {}

    private enum Fault: CaseIterable {
        case throwing, failing, swallowing, statementTimeout, clientDeadline, noKey
    }

    private func readers() throws -> [Reader] {
        let keys = try Keys()
        try keys.agencies.database.superuser.withConnection {
            try $0.execute(script: Self.check)
        }
        let other = try keys.agencies.change(keys.agencies.second) {
            try $0.createAPIKey(
                NewAPIKey(
                    id: .make(at: Agencies.now), name: "other", scopes: AccessScope.all,
                    clients: nil, apps: nil, expiresAt: nil))
        }
        let foreign = Set(keys.agencies.second.keys.map(\.app.uuid))
        return try Keys.Part.allCases.map { part in
            Reader(try keys.make(part), keys.apps(of: part).map(\.uuid))
        } + [Reader(other, Array(foreign)), Reader(other, Array(foreign))]
    }

    /// One transaction; which fault it meets is `fault`'s.
    private static func run(
        _ reader: Reader, _ fault: Fault?, _ pool: Pool, _ tally: Tally
    ) {
        do {
            try pool.transaction { connection in
                if fault == .noKey {
                    _ = try connection.query("select app_id from holdfast.app")
                    tally.add("FOREIGN without a key")
                }
                try connection.execute(script: reader.script)
                switch fault {
                case .throwing: throw Thrown()
                case .failing: _ = try connection.query("select 1 / 0")
                case .swallowing: _ = try? connection.query("select 1 / 0")
                case .statementTimeout:
                    try connection.execute(
                        script: "set local statement_timeout = 1; select pg_sleep(1)")
                case .clientDeadline:
                    _ = try connection.query("select pg_sleep(1)", within: .milliseconds(1))
                case .noKey, nil: break
                }
            }
            tally.add("committed")
        } catch is Thrown {
            tally.add("thrown")
        } catch let error as PostgresError {
            let isForeign = error.message.contains("FOREIGN")
            tally.add(
                isForeign ? error.message : "\(error.code.rawValue) \(error.sqlState ?? "")")
        } catch {
            tally.add("\(error)")
        }
    }

    /// Ends queries and sessions of the pool at random until told to stop.
    private static func disturb(
        _ superuser: Pool, until isOver: @escaping @Sendable () -> Bool
    ) -> ParallelWork<Void> {
        ParallelWork {
            var turn = 0
            while !isOver() {
                let function = turn % 5 == 0 ? "pg_terminate_backend" : "pg_cancel_backend"
                try superuser.withConnection {
                    try $0.execute(
                        script: """
                            select \(function)(pid) from pg_stat_activity
                            where application_name = 'isolation' and state <> 'idle'
                              and datname = current_database()
                            order by random() limit 1; select pg_sleep(0.01)
                            """)
                }
                turn += 1
            }
        }
    }

    @Test func `a hundred thousand pooled transactions see their own rows alone`() throws {
        let readers = try readers()
        let database = try Database.current()
        var settings = PoolSettings(url: try database.url(role: "holdfast_gateway"))
        settings.maximumConnections = Self.connections
        settings.acquireTimeout = .seconds(60)
        settings.connectTimeout = .seconds(60)
        settings.queryTimeout = .seconds(60)
        settings.applicationName = "isolation"
        let pool = try Pool(settings)
        defer { pool.close() }
        let (tally, over) = (Tally(), Over())
        let share = Self.transactions / Self.workers
        let workers = (0..<Self.workers).map { worker in
            ParallelWork {
                for round in 0..<share {
                    let faults = Fault.allCases
                    let fault =
                        round % Self.roundsAFault == 0
                        ? faults[round / Self.roundsAFault % faults.count] : nil
                    let reader = readers[(worker &* 31 &+ round) % readers.count]
                    Self.run(reader, fault, pool, tally)
                }
            }
        }
        let disturber = Self.disturb(database.superuser) { over.value }
        for worker in workers { try worker.value(within: .seconds(600)) }
        over.set()
        try disturber.value()
        let counts = tally.all
        #expect(counts.filter { $0.key.contains("FOREIGN") } == [:])
        #expect(counts.values.reduce(0, +) == Self.transactions)
        #expect(pool.counts.leakedSettings == 0)
        // Each fault happened, and most went well.
        for met in [
            "thrown", "server 22012", "transactionAborted ", "server 42501",
            "deadlineExceeded 57014", "deadlineExceeded ", "connectionLost 57P01",
        ] { #expect(counts[met, default: 0] > 0, "\(met) of \(counts)") }
        #expect(counts["committed", default: 0] > Self.transactions * 9 / 10)
        let findings = try database.gateway.withConnection { try CatalogLint.findings($0) }
        #expect(findings == [])
        try Promise.kept(
            "pool-isolation",
            "\(Self.transactions) transactions, \(counts.count) ways to end, 0 foreign rows")
    }

    private final class Over: Sendable {
        private let isOver = Mutex(false)

        var value: Bool { isOver.withLock { $0 } }

        func set() { isOver.withLock { $0 = true } }
    }
}
