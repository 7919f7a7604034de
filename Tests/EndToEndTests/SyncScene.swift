import Foundation
import Operator
import Postgres
import Retention
import RetentionStore
import Service
import TestSupport
import Testing

/// The simulator's program and the sample agency in the test's database, with nothing of it at
/// Apple yet: a place for `apple-sync` to work in.
final class SyncScene {
    let agency: SampleAgency
    let simulator: SimulatorControl
    private let database: Database
    private let appStore: Running
    private let folder: TemporaryFolder
    private let environment: [String: String]

    init() throws {
        database = try Database.current()
        folder = try TemporaryFolder()
        let key = try PlatformKey(creatingIn: folder.path)
        agency = try SampleAgency.load(
            into: RetentionStore(pool: database.operator), platformKey: key.publicKey,
            now: Instant(milliseconds: Clock.system.now()))
        appStore = try Running(
            "app-store-simulator", [],
            environment: [
                "HOLDFAST_SIMULATOR_CONTROL_PORT": "0", "HOLDFAST_SIMULATOR_ADMIN_PORT": "0",
                "HOLDFAST_SIMULATOR_PRODUCTION_PORT": "0", "HOLDFAST_SIMULATOR_SANDBOX_PORT": "0",
            ])
        try appStore.awaitReady()
        simulator = SimulatorControl(port: try appStore.port("controlPort"))
        for app in agency.apps {
            for environment in ["Production", "Sandbox"] {
                try simulator.put(
                    SimulatorApp(app.sample, in: environment, offerKey: app.offerKey))
            }
        }
        environment = [
            "HOLDFAST_DATABASE_URL": try database.url(role: "holdfast_sync"),
            "HOLDFAST_PLATFORM_PRIVATE_KEY_FILE": key.privatePath,
            "HOLDFAST_PUBLIC_ORIGIN": SampleAgency.publicOrigin,
            "HOLDFAST_APPLE_PRODUCTION_URL":
                "http://127.0.0.1:\(try appStore.port("productionPort"))",
            "HOLDFAST_APPLE_SANDBOX_URL": "http://127.0.0.1:\(try appStore.port("sandboxPort"))",
            "HOLDFAST_SYNC_ADMIN_PORT": "0", "HOLDFAST_SYNC_POLL_MILLISECONDS": "100",
        ]
    }

    func startSync(_ arguments: [String] = []) throws -> Running {
        try Running("apple-sync", arguments, environment: environment)
    }

    /// Whether Apple has all of an app's content, defaults and URL in the sandbox.
    func isWhole(_ app: BuiltApp) throws -> Bool {
        let state = try simulator.state(app.sample.appAppleId, "Sandbox")
        return state.images.count == 2 && state.messages.count == 16
            && state.defaults.count == 16 && state.realtimeURL != nil
    }

    /// The first upload of an image of this app in the sandbox is answered a minute late, or never.
    func hangFirstImage(of app: BuiltApp) throws {
        try simulator.setFaults([
            FaultForm(
                kind: "hang", endpoint: "uploadImage", environment: "Sandbox",
                appAppleId: app.sample.appAppleId, times: 1, milliseconds: 60_000)
        ])
    }

    /// Whether a worker waits for Apple with the upload of an image.
    func isUploadingImage(of app: BuiltApp) throws -> Bool {
        try count(
            """
            select count(*) from holdfast.apple_call
            where app_id = \(app.id.uuid) and environment = 'Sandbox'
              and endpoint = 'uploadImage' and finished_at is null
            """) == 1
    }

    func leases() throws -> Int64 {
        try count("select count(*) from holdfast.sync_state where leased_until is not null")
    }

    /// The identifiers of images and messages, as often as Apple took each in.
    func uploads() throws -> [String] {
        try simulator.appleCalls().calls.filter {
            $0.isApplied && ["uploadImage", "uploadMessage"].contains($0.endpoint ?? "")
        }.map { "\($0.appAppleId ?? 0) \($0.environment) \($0.identifier ?? "")" }
    }

    private func count(_ query: Query) throws -> Int64 {
        try database.superuser.withConnection { connection in
            try #require(try connection.query(query).first).decode(at: 0)
        }
    }
}
