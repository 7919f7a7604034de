import Foundation
import Glibc
import Operator
import Postgres
import Responder
import Retention
import RetentionStore
import Service
import Signing
import TestSupport

/// A look-up as the responder makes it, on a pool of its own, over an agency of the test's.
final class LookupStage: Sendable {
    /// A hang is what it tells apart; the budget of a look-up is a hundredth of it.
    static let patience: Duration = .seconds(5)
    static let id = "2000000000000001"

    let agency: SampleAgency
    let store: RetentionStore
    let responder: RetentionStore
    let registry = Metrics()
    let metrics: ResponderMetrics
    let lookup: ProfileLookup
    let lookupPool: Pool
    let feed: ProfileFeed
    let stop = StopSignal()
    let apps = ServedApps()

    /// - Parameter budget: generous where it is not the test's matter, since other tests run.
    init(
        url: String? = nil, mebibytes: Int = 4, limit: Int = 2, budget: Duration = .seconds(20),
        agencyStore: RetentionStore? = nil, responderPool: Pool? = nil,
        uptime: Clock = .uptime
    ) throws {
        metrics = ResponderMetrics(registry)
        let operatorPool = try agencyStore?.pool ?? Database.current().operator
        store = agencyStore ?? RetentionStore(pool: operatorPool)
        responder = RetentionStore(pool: try responderPool ?? Database.current().responder)
        let placed = try PlacedAgency.load(
            into: store, platformKey: try PrivateKey.generate().publicKey, now: .now)
        agency = placed.agency
        lookupPool = try Pool(
            PoolSettings(
                url: try url ?? Database.current().url(role: "holdfast_responder"),
                maximumConnections: limit, acquireTimeout: budget, connectTimeout: budget,
                queryTimeout: budget, localSettings: []))
        lookup = ProfileLookup(
            table: ProfileTable(mebibytes: mebibytes), store: RetentionStore(pool: lookupPool),
            limit: limit, metrics: metrics, budget: budget, uptime: uptime)
        let log = Log(service: "test", sink: { _ in })
        try SnapshotFeed(
            store: responder, apps: apps, platformKey: nil, log: log, metrics: metrics
        ).poll()
        feed = ProfileFeed(
            store: responder, table: lookup.table, apps: apps, stop: stop, log: log,
            metrics: metrics)
    }

    deinit { lookupPool.close() }

    var key: AppEnvironment { agency.keys[0] }

    func profile(_ byte: UInt8, at milliseconds: Int64 = 0) -> StoredProfile {
        StoredProfile(body: [1, byte], asOf: Instant(milliseconds: 1_000 + milliseconds))
    }

    @discardableResult
    func change<R>(_ body: (TenantTransaction) throws -> R) throws -> R {
        try store.transaction(agency.scope, at: .now, body)
    }

    func keep(_ profile: StoredProfile, of id: String = LookupStage.id) throws {
        try change { try $0.upsertProfile(profile, of: id, at: key) }
    }

    func find(
        _ id: String = LookupStage.id, isGenuine: () -> Bool = { true }
    ) -> (ProfileReading, ProfileSource) {
        lookup.find(
            tenant: agency.scope.tenant, key: key, originalTransactionId: id, isGenuine: isGenuine)
    }

    func source(_ id: String = LookupStage.id) -> ProfileSource { find(id).1 }
}

extension Instant {
    static var now: Instant {
        Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
    }
}
