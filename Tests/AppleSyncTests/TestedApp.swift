// What performance tests need, beside a synced app.
import AppleSync
import HTTPServer
import Retention
import RetentionStore
import Simulator
import TestSupport
import Testing

/// An app with a sandbox subscription, whose performance tests end at Apple as told.
final class TestedApp {
    static let transaction = "2000000000000001"

    let synced: SyncedApp
    /// Answers our own load as the responder answers what is not Apple's, or with another status.
    private let door: Server
    var loadOrigin: String { "http://127.0.0.1:\(door.port)" }

    init(
        on stage: SyncStage, _ outcomes: [PerformanceTestScript.Outcome], requests: Int = 4,
        loadAnswer status: Int = 401
    ) throws {
        door = try Server(ServerSettings(port: 0), handler: { _ in Response.empty(status) })
        synced = try stage.makeApp()
        var state = try synced.apples(.sandbox)
        state.transactions = [AppState.Transaction(originalTransactionId: Self.transaction)]
        try stage.simulator.set(state)
        try stage.simulator.setPerformanceTests(
            PerformanceTestScript(
                config: .init(
                    maxConcurrentRequests: 4, totalRequests: requests, totalDuration: 50,
                    responseTimeThreshold: 450, successRateThreshold: 97),
                outcomes: outcomes),
            appAppleId: synced.appAppleId)
    }

    deinit { door.stop(drain: .zero) }

    func start(transaction: String = TestedApp.transaction) throws -> PerformanceTestID {
        let id = PerformanceTestID.make(at: SyncStage.now)
        try synced.change {
            try $0.createPerformanceTest(id, transactionId: transaction, of: synced.app)
        }
        return id
    }

    func find(_ id: PerformanceTestID) throws -> StoredPerformanceTest {
        try #require(try synced.change { try $0.findPerformanceTest(id, of: synced.app) })
    }

    /// The test as it is when it has ended, or after that time.
    func end(
        _ id: PerformanceTestID, by worker: SyncWorker, within limit: Duration = .seconds(60)
    ) throws -> StoredPerformanceTest {
        try synced.stage.work(worker, within: limit) { try !find(id).state.isOpen }
        return try find(id)
    }
}
