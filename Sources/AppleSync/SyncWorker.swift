package import AppStore
internal import FoundationEssentials
internal import Postgres
internal import Retention
package import RetentionStore
package import Service

/// Works through what is due, one app in one environment at a time, each under its lease. Any
/// number of threads and processes may do so.
package final class SyncWorker: Sendable {
    /// Calls are kept for so long, for people who look for what went wrong.
    private static let callsKeptMilliseconds: Int64 = 90 * 24 * 3_600_000
    /// How many rows one purge takes: far less than a statement's time allows.
    private static let purgedAtOnce: Int32 = 5_000
    /// An app whose turn failed is left alone for so long.
    private static let failureWait: Duration = .seconds(30)

    package let store: RetentionStore
    let client: RetentionMessagingClient
    let keys: KeyRing
    let options: SyncOptions
    let clock: Clock
    let log: Log
    let metrics: SyncMetrics
    let breakers: [StoreEnvironment: HostBreaker]

    package init(
        store: RetentionStore, client: RetentionMessagingClient, keys: KeyRing,
        options: SyncOptions, clock: Clock, log: Log, metrics: SyncMetrics
    ) {
        self.store = store
        self.client = client
        self.keys = keys
        self.options = options
        self.clock = clock
        self.log = log
        self.metrics = metrics
        breakers = Dictionary(
            uniqueKeysWithValues: StoreEnvironment.allCases.map {
                ($0, HostBreaker(limits: options.breaker))
            })
    }

    /// Business time.
    var now: Instant { Instant(milliseconds: clock.now()) }

    /// Works until nothing is due.
    ///
    /// - Parameter isEnding: asked between steps.
    /// - Throws: `PostgresError` where the database does not answer; leases run out by themselves.
    package func workThroughDue(isEnding: @escaping @Sendable () -> Bool) throws {
        while !isEnding(), try workOnce(isEnding: isEnding) {}
    }

    /// Works on the one that is due first in its turn; `false` where none is.
    package func workOnce(isEnding: @escaping @Sendable () -> Bool = { false }) throws -> Bool {
        guard
            let lease = try store.claimSync(
                .syncUpkeep, worker: options.worker, for: options.lease,
                perTenant: options.leasesOfTenant)
        else { return false }
        do {
            try options.reached(.claimed)
            metrics.turns.add(1, try run(lease, isEnding: isEnding))
        } catch let error as StoreError where error.code == .leaseLost {
            noteLost(lease)
        } catch is Frozen {
            noteLost(lease)
        } catch let error as StoreError where error.code == .notFound {
            // The app was removed while it was worked on.
            metrics.turns.add(1, "gone")
        } catch {
            metrics.turns.add(1, "failed")
            throw error
        }
        return true
    }

    /// One turn. What fails in it for a reason of the app's own costs the app a rest, and nobody
    /// else anything; where the database itself is away, everything fails.
    private func run(_ lease: SyncLease, isEnding: @escaping () -> Bool) throws -> String {
        let turn = SyncTurn(worker: self, lease: lease, isEnding: isEnding)
        do {
            return try turn.run()
        } catch let error as PostgresError where error.code == .server {
            try rest(turn, error)
        } catch let error as StoreError
            where error.code == .invalid || error.code == .snapshotTooLarge
        {
            try rest(turn, error)
        }
        return "failed"
    }

    private func rest(_ turn: SyncTurn, _ error: any Error) throws {
        log.error("sync_failed", fields(turn.lease) + [("error", .string("\(error)"))])
        try turn.giveBack(after: Self.failureWait)
    }

    private func noteLost(_ lease: SyncLease) {
        metrics.leasesLost.add()
        metrics.turns.add(1, "leaseLost")
        log.warning("sync_lease_lost", fields(lease))
    }

    /// What is done for all tenants now and then.
    func keepUp() throws {
        let backlog = try store.syncBacklog(.syncUpkeep)
        metrics.due.set(Double(backlog.due))
        metrics.oldestDueSeconds.set(backlog.oldestSeconds)
        for (environment, breaker) in breakers {
            metrics.hostsAway.set(breaker.isOpen ? 1 : 0, environment.rawValue)
        }
    }

    func purge() throws {
        _ = try store.purgeSyncHistory(
            .syncUpkeep, before: now + -Self.callsKeptMilliseconds, most: Self.purgedAtOnce)
    }

    func fields(_ lease: SyncLease) -> [(String, LogValue)] {
        [
            ("tenant", .string(lease.tenant.description)),
            ("app", .string(lease.key.app.description)),
            ("environment", .string(lease.key.environment.rawValue)),
        ]
    }
}
