import Foundation
import HTTPClient
import Operator
import Service
import TestSupport
import Testing

/// `apple-sync`, the program: from a timer, told to end, killed, without its database.
@Suite(.database) struct SyncProcessTests {
    @Test func `once, it does what is due and ends`() throws {
        let scene = try SyncScene()
        let first = try scene.startSync(["--once"])
        #expect(first.process.wait(for: Programs.endLimit) == .exited(0), "\(first.text)")
        #expect(try scene.leases() == 0)
        #expect(Set(try scene.uploads()).count >= 3 * 18)
        // What Apple takes time for is done by the next ones, as a timer would start them.
        let isWhole = try becomesTrue {
            let again = try scene.startSync(["--once"])
            #expect(again.process.wait(for: Programs.endLimit) == .exited(0), "\(again.text)")
            return try scene.agency.apps.allSatisfy(scene.isWhole)
        }
        #expect(isWhole)
        let uploads = try scene.uploads()
        #expect(Set(uploads).count == uploads.count, "each once")
    }

    @Test(arguments: [false, true])
    func `told to end, it does so within five seconds, also while Apple hangs`(
        hangs: Bool
    ) throws {
        let scene = try SyncScene()
        let app = try #require(scene.agency.apps.first)
        if hangs { try scene.hangFirstImage(of: app) }
        let sync = try scene.startSync()
        try sync.awaitReady()
        if hangs { #expect(try becomesTrue { try scene.isUploadingImage(of: app) }) }
        sync.process.send(.terminate)
        #expect(sync.process.wait(for: .seconds(5)) == .exited(0))
    }

    /// Its leases of 30 s are over before anybody may go on.
    @Test func `killed while Apple hangs, it is followed by another within 45 seconds`() throws {
        let scene = try SyncScene()
        let app = try #require(scene.agency.apps.first)
        try scene.hangFirstImage(of: app)
        let killed = try scene.startSync()
        #expect(try becomesTrue { try scene.isUploadingImage(of: app) })
        killed.process.terminate(.kill, within: .seconds(10))
        #expect(try !scene.isWhole(app))
        #expect(try scene.leases() > 0)
        let next = try scene.startSync()
        let isWhole = try becomesTrue(within: .seconds(45)) {
            try scene.agency.apps.allSatisfy(scene.isWhole)
        }
        #expect(isWhole, "\(next.text)")
        let uploads = try scene.uploads()
        #expect(Set(uploads).count == uploads.count, "each once, also the one that hung")
    }

    @Test func `without PostgreSQL it waits, not ready, and goes on when it is there`() throws {
        let folder = try TemporaryFolder()
        let key = try PlatformKey(creatingIn: folder.path)
        let processes = try DemoProcesses(
            DemoSettings(
                deployDirectory: PackageRoot.path + "/deploy", programs: try Programs.folder()),
            stop: StopSignal(), say: { _ in })
        defer { processes.end() }
        try processes.startPostgres()
        let postgres = try #require(processes.postgresServer)
        postgres.stop()
        let port = try FreePort.find(1)[0]
        let sync = try Running(
            "apple-sync", [],
            environment: [
                "HOLDFAST_DATABASE_URL": postgres.url(database: "holdfast", role: "holdfast_sync"),
                "HOLDFAST_PLATFORM_PRIVATE_KEY_FILE": key.privatePath,
                "HOLDFAST_PUBLIC_ORIGIN": SampleAgency.publicOrigin,
                "HOLDFAST_SYNC_ADMIN_PORT": "\(port)",
            ])
        let ready = ClientRequest(method: "GET", url: "http://127.0.0.1:\(port)/readyz")
        #expect(becomesTrue { sync.text.contains("database_unavailable") })
        #expect(try Transport().send(ready).status == 503)
        #expect(!sync.text.contains("\"event\":\"ready\""))
        try postgres.start()
        try sync.awaitReady()
        #expect(becomesTrue { (try? Transport().send(ready))?.status == 200 })
        sync.process.send(.terminate)
        #expect(sync.process.wait(for: .seconds(5)) == .exited(0))
    }
}
