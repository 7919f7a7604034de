import Foundation
import Migrations
import Operator
import Postgres
import Responder
import Retention
import RetentionStore
import Service
import TestSupport
import Testing

/// From the spool into a real PostgreSQL.
@Suite(.database) struct DecisionShipperTests {
    private let tenants = [TenantID(UUID()), TenantID(UUID())]
    private let app = AppID(UUID())
    private let folder: SpoolFolder
    private let metrics = ResponderMetrics(Metrics())

    init() throws {
        folder = try SpoolFolder()
    }

    private func shipper(_ spool: DecisionSpool, _ pool: Pool) -> DecisionShipper {
        DecisionShipper(
            spool: spool, store: RetentionStore(pool: pool), clock: .system,
            log: Log(service: "test", sink: { _ in }), metrics: metrics)
    }

    private func stored(_ tenant: TenantID, _ pool: Pool) throws -> [StoredDecision] {
        let store = RetentionStore(pool: pool)
        let scope = Scope.operatorCommand(tenant: tenant)
        return try store.transaction(scope, at: Instant(milliseconds: 0)) {
            try $0.listDecisions(
                at: AppEnvironment(app: app, environment: .sandbox), limit: 10_000)
        }
    }

    @Test func `all of several tenants arrives exactly once, and files go`() throws {
        let database = try Database.current()
        var limits = DecisionSpool.Limits()
        limits.segmentBytes = 2_000
        let spool = try DecisionSpool(directory: folder.path, limits: limits)
        let shipper = shipper(spool, database.responder)
        for round in 0..<10 {
            for tenant in tenants {
                for decision in Samples.decisions {
                    try spool.append(Samples.spooled(decision, tenant: tenant, app: app))
                }
            }
            if round % 3 == 0 { try shipper.ship() }
        }
        try shipper.ship()
        try shipper.ship()
        for tenant in tenants {
            let stored = try stored(tenant, database.operator)
            #expect(stored.count == Samples.decisions.count * 10)
            #expect(Set(stored.map(\.kind)) == Set(AnswerKind.allCases))
        }
        #expect(try spool.segments().all == [spool.segments().growing])
        #expect(metrics.shipped.value() == UInt64(Samples.decisions.count * 20))
    }

    @Test func `shipped while it is written and files change, nothing is lost`() throws {
        let database = try Database.current()
        var limits = DecisionSpool.Limits()
        limits.segmentBytes = 600
        let spool = try DecisionSpool(directory: folder.path, limits: limits)
        let shipper = shipper(spool, database.responder)
        let (tenant, app) = (tenants[0], app)
        let writers = (0..<4).map { _ in
            ParallelWork {
                for _ in 0..<200 {
                    try spool.append(
                        Samples.spooled(Samples.decisions[0], tenant: tenant, app: app))
                }
            }
        }
        let shipping = ParallelWork { for _ in 0..<200 { try shipper.ship() } }
        for writer in writers { try writer.value() }
        try shipping.value()
        try shipper.ship()
        #expect(try stored(tenant, database.operator).count == 800)
        #expect(metrics.spoolDamaged.value() == 0)
    }

    @Test func `shipped again after a restart, nothing doubles`() throws {
        let database = try Database.current()
        let record = Samples.spooled(Samples.decisions[0], tenant: tenants[0], app: app)
        do {
            let spool = try DecisionSpool(directory: folder.path)
            try spool.append(record)
            try shipper(spool, database.responder).ship()
        }
        // The file was still growing, so it is there, and the position was in memory alone.
        let spool = try DecisionSpool(directory: folder.path)
        try spool.append(Samples.spooled(Samples.decisions[1], tenant: tenants[0], app: app))
        try shipper(spool, database.responder).ship()
        #expect(try stored(tenants[0], database.operator).count == 2)
        #expect(metrics.shipped.value() == 2)
    }

    @Test func `what no table takes fills a file up to its limit only`() throws {
        let database = try Database.current()
        let poison = (0..<5).map { _ in
            Samples.spooled(
                Samples.decisions[0], tenant: tenants[0], app: app, transaction: "a\u{0}b")
        }
        var limits = DecisionSpool.Limits()
        limits.rejectsBytes = Int64(poison[0].encoded().count * 3 + 1)
        let spool = try DecisionSpool(directory: folder.path, limits: limits)
        for record in poison { try spool.append(record) }
        try spool.append(Samples.spooled(Samples.decisions[1], tenant: tenants[0], app: app))
        try shipper(spool, database.responder).ship()
        let aside = try FileBytes.readAll(
            folder.path + "/rejected.spool-rejects", bytesLimit: 1 << 20)
        #expect(SpoolBatch(aside).decisions == Array(poison[..<3]))
        #expect(metrics.shipRejected.value() == 5)
        #expect(metrics.shipRejectedLost.value() == 2)
        #expect(try stored(tenants[0], database.operator).count == 1)
        #expect(metrics.shipped.value() == 1)
    }

    @Test func `a record that no table takes is set aside, and those after it go on`() throws {
        let database = try Database.current()
        let spool = try DecisionSpool(directory: folder.path)
        let poison = [
            Samples.spooled(
                Samples.decisions[0], tenant: tenants[0], app: app, transaction: "a\u{0}b"),
            Samples.spooled(
                Samples.decisions[0], tenant: tenants[0], app: app, transaction: "\u{0}"),
        ]
        for record in poison {
            try spool.append(record)
            try spool.append(Samples.spooled(Samples.decisions[1], tenant: tenants[0], app: app))
        }
        try shipper(spool, database.responder).ship()
        #expect(try stored(tenants[0], database.operator).count == 2)
        #expect(metrics.shipRejected.value() == 2)
        let aside = try FileBytes.readAll(
            folder.path + "/rejected.spool-rejects", bytesLimit: 1 << 20)
        #expect(SpoolBatch(aside).decisions == poison)
    }

    @Test func `a damaged record is stepped over and counted`() throws {
        let database = try Database.current()
        let first = Samples.spooled(Samples.decisions[0], tenant: tenants[0], app: app)
        let last = Samples.spooled(Samples.decisions[1], tenant: tenants[0], app: app)
        do {
            let spool = try DecisionSpool(directory: folder.path)
            var rotten = first.encoded()
            rotten[40] ^= 0xff
            let file = try AppendFile(path: folder.path + "/0000000001.spool")
            try file.append(rotten)
            try spool.append(last)
            try file.append(Array(first.encoded().prefix(30)))
        }
        let spool = try DecisionSpool(directory: folder.path)
        try shipper(spool, database.responder).ship()
        #expect(try stored(tenants[0], database.operator).count == 1)
        #expect(metrics.spoolDamaged.value() == UInt64(first.encoded().count + 30))
        #expect(try spool.segments().all == [2])
    }

    /// A release that was rolled back: its records wait for its return, whatever ships meanwhile.
    @Test func `a file with another build's records is kept, and each start looks again`() throws {
        let database = try Database.current()
        let own = Samples.spooled(Samples.decisions[0], tenant: tenants[0], app: app)
        let later = Samples.spooled(Samples.decisions[1], tenant: tenants[0], app: app)
        let path = folder.path + "/0000000001.spool"
        do {
            let spool = try DecisionSpool(directory: folder.path)
            try spool.append(own)
            let file = try AppendFile(path: path)
            for version in [SpooledDecision.version + 1, 9] {
                try file.append(SpoolSamples.encoded(later, version: version))
            }
        }
        for starts in 1...3 {
            let spool = try DecisionSpool(directory: folder.path)
            let shipper = shipper(spool, database.responder)
            for _ in 0..<3 { try shipper.ship() }
            #expect(metrics.spoolKept.value() == UInt64(2 * starts))
            #expect(try spool.segments().all == [spool.segments().growing])
        }
        #expect(metrics.spoolDamaged.value() == 0)
        #expect(try stored(tenants[0], database.operator).count == 1)
        // The later build: to it, the same records are of its own version.
        try FileManager.default.removeItem(atPath: path + "-kept")
        try AppendFile(path: path + "-kept").append(later.encoded())
        let spool = try DecisionSpool(directory: folder.path)
        try shipper(spool, database.responder).ship()
        #expect(try stored(tenants[0], database.operator).count == 2)
        #expect(try spool.segments().all == [spool.segments().growing])
    }

    @Test func `a database that is away loses nothing`() throws {
        let server = try makeOwnServer()
        defer { server.remove() }
        let superuser = try Pool(PoolSettings(url: server.url(), maximumConnections: 1))
        try superuser.withConnection {
            try $0.execute(script: "create database holdfast owner holdfast_owner")
        }
        superuser.close()
        try Schema.migrate(
            url: server.url(database: "holdfast", role: "holdfast_migrator"),
            nowMilliseconds: Clock.system.now())
        let pool = try Pool(
            PoolSettings(url: server.url(database: "holdfast", role: "holdfast_responder")))
        defer { pool.close() }
        let spool = try DecisionSpool(directory: folder.path)
        let shipper = shipper(spool, pool)
        try spool.append(Samples.spooled(Samples.decisions[0], tenant: tenants[0], app: app))
        server.stop()
        #expect(throws: PostgresError.self) { try shipper.ship() }
        try spool.append(Samples.spooled(Samples.decisions[1], tenant: tenants[0], app: app))
        try server.start()
        try shipper.ship()
        let reader = try Pool(
            PoolSettings(url: server.url(database: "holdfast", role: "holdfast_operator")))
        defer { reader.close() }
        #expect(try stored(tenants[0], reader).count == 2)
    }
}
