import AppStore
import AppleSync
import HTTPClient
import Postgres
import Retention
import RetentionStore
import Service
import Signing
import Simulator
import Synchronization
import TestSupport
import Testing

/// The real worker against the simulator over HTTP and a database of the test's own. Waits are
/// short; nothing else is changed.
final class SyncStage: Sendable {
    static let publicOrigin = "https://holdfast.example"

    let store: RetentionStore
    let syncPool: Pool
    let superuser: Pool
    let simulator: Simulator
    let platformKey: PrivateKey
    let lines = LogLines()
    let metrics = Metrics()

    convenience init() throws {
        let database = try Database.current()
        try self.init(
            operator: database.operator, sync: database.sync, superuser: database.superuser)
    }

    init(operator: Pool, sync: Pool, superuser: Pool) throws {
        store = RetentionStore(pool: `operator`)
        syncPool = sync
        self.superuser = superuser
        simulator = try Simulator(SimulatorSettings())
        platformKey = try PrivateKey.generate()
    }

    deinit { simulator.stop() }

    static var now: Instant { Instant(milliseconds: Clock.system.now()) }

    /// Waits that a test can bear.
    static var options: SyncOptions {
        var options = SyncOptions(worker: "test", publicOrigin: publicOrigin, leasesOfTenant: 2)
        options.limits.reviewPollLeastMilliseconds = 20
        options.limits.reviewPollMostMilliseconds = 200
        options.limits.reviewPollWhileUploadingMilliseconds = 200
        options.limits.listLagMilliseconds = 500
        options.limits.retirementMilliseconds = 0
        options.limits.refusalMilliseconds = 300
        options.limits.pauseMilliseconds = 100
        options.limits.retryMilliseconds = [5, 20, 50]
        options.lease = .seconds(20)
        options.acknowledgementWait = .milliseconds(20)
        options.leastWait = .milliseconds(1)
        options.breaker.window = .milliseconds(500)
        options.breaker.probeInterval = .milliseconds(50)
        options.performanceTest.pollLeast = .milliseconds(20)
        options.performanceTest.pollMost = .milliseconds(50)
        options.performanceTest.retry = .milliseconds(50)
        return options
    }

    func worker(
        _ change: (inout SyncOptions) -> Void = { _ in }, key: PrivateKey? = nil,
        timeout: Duration = .seconds(20)
    ) throws -> SyncWorker {
        var options = Self.options
        change(&options)
        var transport = RetentionMessagingClient.settings
        transport.totalTimeout = timeout
        let client = RetentionMessagingClient(
            hosts: try AppleHosts(
                production: simulator.origin(of: .production),
                sandbox: simulator.origin(of: .sandbox)),
            settings: transport, now: { Self.now })
        return SyncWorker(
            store: RetentionStore(pool: syncPool), client: client,
            keys: KeyRing(platformKey: key ?? platformKey), options: options, clock: .system,
            log: Log(service: "test", sink: lines.append), metrics: SyncMetrics(metrics))
    }

    /// Works until what is asked for is so; what is due only later is waited for.
    @discardableResult
    func work(
        _ worker: SyncWorker, within limit: Duration = .seconds(60), until isDone: () throws -> Bool
    ) throws -> Bool {
        try becomesTrue(within: limit) {
            while try worker.workOnce() {}
            return try isDone()
        }
    }

    /// How often it had something to do in so many seconds.
    func turns(of worker: SyncWorker, seconds: Int) throws -> Int {
        var turns = 0
        let end = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < end {
            if try worker.workOnce() {
                turns += 1
            } else {
                _ = becomesTrue(within: .milliseconds(5)) { false }
            }
        }
        return turns
    }

    /// As if so much real time had passed for whoever holds a lease.
    func expireLeases() throws {
        _ = try superuser.withConnection {
            try $0.query(
                """
                update holdfast.sync_state
                set leased_until = clock_timestamp() - interval '1 second'
                where leased_until is not null
                """)
        }
    }

    func makeApp(_ number: Int64 = 1) throws -> SyncedApp {
        try SyncedApp(number, on: self)
    }
}

/// What was logged.
final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    func append(_ bytes: [UInt8]) {
        let line = String(decoding: bytes, as: UTF8.self)
        lines.withLock { $0.append(line) }
    }

    var text: String { lines.withLock { $0.joined() } }
}
