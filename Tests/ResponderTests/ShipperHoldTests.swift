import Foundation
import Operator
import Postgres
import Responder
import Retention
import RetentionStore
import Service
import Synchronization
import TestSupport
import Testing

/// Tenants whose decisions PostgreSQL refuses until somebody mends something.
@Suite(.database) struct ShipperHoldTests {
    private let tenants = (0..<3).map { _ in TenantID(UUID()) }
    private let app = AppID(UUID())
    private let folder: SpoolFolder
    private let metrics = ResponderMetrics(Metrics())
    private let lines = LogLines()
    private let database: Database
    private let spool: DecisionSpool
    private let shipper: DecisionShipper

    init() throws {
        folder = try SpoolFolder()
        database = try Database.current()
        var limits = DecisionSpool.Limits()
        limits.segmentBytes = 900
        spool = try DecisionSpool(directory: folder.path, limits: limits)
        shipper = DecisionShipper(
            spool: spool, store: RetentionStore(pool: database.responder), clock: .system,
            log: Log(service: "test", sink: lines.append), metrics: metrics,
            heldRetryInterval: .zero)
    }

    private func append(_ count: Int, of tenant: TenantID, at date: Date = Date()) throws {
        for _ in 0..<count {
            try spool.append(
                Samples.spooled(Samples.decisions[0], tenant: tenant, app: app, at: date))
        }
    }

    private func count(_ tenant: TenantID) throws -> Int {
        try RetentionStore(pool: database.operator).transaction(
            .operatorCommand(tenant: tenant), at: Instant(milliseconds: 0)
        ) {
            try $0.listDecisions(
                at: AppEnvironment(app: app, environment: .sandbox), limit: 10_000
            ).count
        }
    }

    private func run(_ script: String) throws {
        try database.superuser.withConnection { try $0.execute(script: script) }
    }

    /// Refuses a tenant's rows, as a wrong grant, policy or trigger would.
    private func refuse(_ tenants: [TenantID], sqlState: String) throws {
        let list = tenants.map { "'\($0.uuid)'" }.joined(separator: ", ")
        try run(
            """
            create or replace function public.refuse() returns trigger language plpgsql as $$
            begin
              if new.tenant_id in (\(list)) then
                raise exception 'refused' using errcode = '\(sqlState)';
              end if;
              return new;
            end $$;
            create or replace trigger refuse before insert on holdfast.decision
              for each row execute function public.refuse()
            """)
    }

    private func allow() throws { try run("drop trigger refuse on holdfast.decision") }

    @Test(arguments: ["42501", "P0001", "44000", "0A000"])
    func `one tenant's refusal holds up no other, and nothing of it is lost`(
        sqlState: String
    ) throws {
        try refuse([tenants[0]], sqlState: sqlState)
        for _ in 0..<5 {
            for tenant in tenants { try append(3, of: tenant) }
            try shipper.ship()
        }
        #expect(try count(tenants[0]) == 0)
        #expect(try count(tenants[1]) == 15 && count(tenants[2]) == 15)
        #expect(metrics.shipHeld.series([]).value == 1)
        #expect(metrics.shipWaiting.series([]).value > 0)
        #expect(lines.count(of: "tenant_not_shipped") == 1)
        try allow()
        try shipper.ship()
        #expect(try count(tenants[0]) == 15)
        #expect(metrics.shipHeld.series([]).value == 0)
        #expect(lines.count(of: "tenant_shipped_again") == 1)
        #expect(metrics.shipRejected.value() == 0)
        #expect(try spool.segments().all == [spool.segments().growing])
    }

    @Test func `tenants held at different places each go on from their own`() throws {
        try append(4, of: tenants[2])
        try refuse([tenants[0]], sqlState: "P0001")
        try append(7, of: tenants[0])
        try append(7, of: tenants[1])
        try shipper.ship()
        try refuse([tenants[0], tenants[1]], sqlState: "P0001")
        for tenant in tenants { try append(9, of: tenant) }
        try shipper.ship()
        #expect(try tenants.map(count) == [0, 7, 13])
        try refuse([tenants[0]], sqlState: "P0001")
        try shipper.ship()
        try append(1, of: tenants[1])
        try shipper.ship()
        #expect(try tenants.map(count) == [0, 17, 13])
        try refuse([tenants[1]], sqlState: "P0001")
        try append(2, of: tenants[1])
        try append(2, of: tenants[0])
        try shipper.ship()
        #expect(try tenants.map(count) == [18, 17, 13])
        try allow()
        try shipper.ship()
        #expect(try tenants.map(count) == [18, 19, 13])
        #expect(try spool.segments().all == [spool.segments().growing])
    }

    @Test func `another reason is told, the same one not again`() throws {
        try append(1, of: tenants[0])
        for sqlState in ["P0001", "P0001", "42501", "42501", "P0001"] {
            try refuse([tenants[0]], sqlState: sqlState)
            try shipper.ship()
        }
        #expect(lines.count(of: "tenant_not_shipped") == 3)
    }

    @Test func `a month without a partition waits until it has one`() throws {
        let april = Date(timeIntervalSince1970: 1_020_000_000)
        try append(2, of: tenants[0])
        try append(2, of: tenants[0], at: april)
        try append(2, of: tenants[1])
        for _ in 0..<3 { try shipper.ship() }
        #expect(try count(tenants[1]) == 2)
        #expect(metrics.shipRejected.value() == 0)
        try run("select holdfast_ops.make_partitions('2002-04-01', 1)")
        try shipper.ship()
        #expect(try count(tenants[0]) == 4)
        #expect(metrics.shipHeld.series([]).value == 0)
    }

    @Test func `what is set aside beside a held record is set aside once`() throws {
        try spool.append(
            Samples.spooled(
                Samples.decisions[0], tenant: tenants[0], app: app, transaction: "a\u{0}"))
        try append(1, of: tenants[0], at: Date(timeIntervalSince1970: 1_020_000_000))
        for _ in 0..<4 { try shipper.ship() }
        #expect(metrics.shipRejected.value() == 0)
        try run("select holdfast_ops.make_partitions('2002-04-01', 1)")
        for _ in 0..<4 { try shipper.ship() }
        #expect(metrics.shipRejected.value() == 1)
        #expect(try count(tenants[0]) == 1)
    }

    /// Each tenant would be refused in its turn, and nobody is at fault.
    @Test(arguments: ["53100", "57P03", "25006", "40001", "55P03", "XX000"])
    func `what befalls everybody is thrown and holds nobody`(sqlState: String) throws {
        try refuse(tenants, sqlState: sqlState)
        for tenant in tenants { try append(3, of: tenant) }
        #expect(throws: PostgresError.self) { try shipper.ship() }
        #expect(metrics.shipHeld.series([]).value == 0)
        try allow()
        try shipper.ship()
        #expect(try tenants.map(count) == [3, 3, 3])
    }
}

/// The lines of a log, to be counted.
final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    @Sendable func append(_ line: [UInt8]) {
        lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
    }

    func count(of event: String) -> Int {
        lines.withLock { $0.count { $0.contains("\"event\":\"\(event)\"") } }
    }
}
