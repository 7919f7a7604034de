import Foundation
import HTTPClient
import Operator
import Postgres
import Retention
import RetentionStore
import Service
import Signing
import Synchronization
import TestSupport
import Testing

/// A responder and a PostgreSQL of one test's own, to be killed, stopped and parted. Requests come
/// from the test, signed by a chain that stands for Apple's.
final class Nemesis: Sendable {
    private static let day: Int64 = 86_400

    let postgres: PrivatePostgres
    let agency: PlacedAgency
    let chain: IssuedChain
    private let folder: TemporaryFolder
    private let databaseFolder: String
    private let responder = Mutex<Running?>(nil)
    private let portNow = Mutex<UInt16>(0)

    /// - Parameter link: reaches PostgreSQL through this, where one is given.
    init(through link: DatabaseLink? = nil) throws {
        postgres = try makeOwnServer()
        folder = try TemporaryFolder()
        if let link { try link.start(to: postgres.folder) }
        databaseFolder = link?.folder.path ?? postgres.folder
        try Self.makeDatabase(postgres)
        let now = Clock.system.now()
        _ = try Programs.run("holdfast", ["platform-key", folder.path])
        let publicKey = try PublicKey(
            pem: try FileBytes.readAll(folder.path + "/platform-public.pem", bytesLimit: 10_000))
        let operatorPool = try Self.pool(postgres)
        defer { operatorPool.close() }
        agency = try PlacedAgency.load(
            into: RetentionStore(pool: operatorPool), platformKey: publicKey,
            now: Instant(milliseconds: now))
        let seconds = now / 1_000
        chain = try CertificateAuthority.appleLike(
            name: "Test", leafValidity: seconds - Self.day...seconds + Self.day)
        try FileBytes.replace(folder.path + "/root.der", with: chain.root)
    }

    private static func makeDatabase(_ postgres: PrivatePostgres) throws {
        let superuser = try Pool(PoolSettings(url: postgres.url(), maximumConnections: 1))
        defer { superuser.close() }
        try superuser.withConnection { connection in
            for statement in [
                "create database holdfast owner holdfast_owner",
                "revoke all on database holdfast from public",
                "grant connect on database holdfast to holdfast_migrator, holdfast_operator, "
                    + "holdfast_responder, holdfast_gateway, holdfast_sync",
            ] { try connection.execute(script: statement) }
        }
        let migrated = try Programs.run(
            "holdfast", ["migrate"],
            environment: [
                "HOLDFAST_DATABASE_URL": postgres.url(
                    database: "holdfast", role: "holdfast_migrator")
            ])
        try #require(migrated.end == .exited(0), "\(migrated.text)")
    }

    private static func pool(_ postgres: PrivatePostgres) throws -> Pool {
        try Pool(
            PoolSettings(
                url: postgres.url(database: "holdfast", role: "holdfast_operator"),
                queryTimeout: .seconds(60)))
    }

    // MARK: The responder

    /// Where it answers now.
    var port: UInt16 { portNow.withLock { $0 } }

    /// - Returns: how long it took to be ready.
    @discardableResult
    func startResponder() throws -> Duration {
        let start = ContinuousClock.now
        let url = "postgresql:///holdfast?host=\(databaseFolder)&user=holdfast_responder"
        let running = try Running(
            "realtime-responder", [],
            environment: [
                "HOLDFAST_DATABASE_URL": url,
                "HOLDFAST_RESPONDER_PORT": "0", "HOLDFAST_RESPONDER_ADMIN_PORT": "0",
                "HOLDFAST_RESPONDER_NAME": "nemesis",
                "HOLDFAST_SPOOL_DIRECTORY": folder.path + "/spool",
                "HOLDFAST_STATE_DIRECTORY": folder.path + "/state",
                "HOLDFAST_SNAPSHOT_POLL_MILLISECONDS": "200",
                "HOLDFAST_PLATFORM_PRIVATE_KEY_FILE": folder.path + "/platform-private.pem",
                "HOLDFAST_FURTHER_TRUST_ROOT_FILE": folder.path + "/root.der",
            ])
        try running.awaitReady()
        let took = start.duration(to: .now)
        let port = try running.port("port")
        portNow.withLock { $0 = port }
        responder.withLock { $0 = running }
        return took
    }

    func killResponder() {
        responder.withLock { $0.take() }?.process.terminate(.kill, within: .seconds(10))
    }

    /// What it says of itself.
    func readiness() throws -> (status: Int, text: String) {
        let running = try #require(responder.withLock { $0 })
        let answer = try Transport().send(
            ClientRequest(
                method: "GET", url: "http://127.0.0.1:\(try running.port("adminPort"))/readyz"))
        return (answer.status, String(decoding: answer.body, as: UTF8.self))
    }

    /// What the running one has written so far.
    var log: String { responder.withLock { $0?.text } ?? "" }

    /// Waits until its disk knows as much as it does.
    func awaitFiles() throws {
        let snapshots = folder.path + "/state/snapshots"
        try #require(
            becomesTrue {
                let names = try? FileManager.default.contentsOfDirectory(atPath: snapshots)
                return names?.count { $0.hasSuffix(".snapshot") } == agency.simulatorStates.count
                    && names?.contains("looked-at") == true
            })
    }

    // MARK: What became of it

    /// All decisions in PostgreSQL, once there are that many and all that wait are there.
    func decisions(atLeast count: Int) throws -> [StoredDecision] {
        let pool = try Self.pool(postgres)
        defer { pool.close() }
        let store = RetentionStore(pool: pool)
        var found: [StoredDecision] = []
        _ = becomesTrue(within: .seconds(60)) {
            found = (try? agency.agency.decisions(in: store)) ?? found
            return found.count >= count
        }
        return found
    }
}

/// HAProxy between responder and PostgreSQL. Stopped, it swallows every byte and answers nothing:
/// a network that is cut without a word.
final class DatabaseLink: Sendable {
    let folder: TemporaryFolder
    private let process = Mutex<ChildProcess?>(nil)

    init() throws { folder = try TemporaryFolder() }

    deinit { process.withLock { $0 }?.terminate(.kill, within: .seconds(10)) }

    func start(to other: String) throws {
        let socket = "\(folder.path)/.s.PGSQL.5432"
        let configuration = """
            global
                maxconn 100
            defaults
                mode tcp
                timeout connect 5s
                timeout client 1h
                timeout server 1h
            listen database
                bind unix@\(socket) mode 777
                server database unix@\(other)/.s.PGSQL.5432

            """
        let file = folder.path + "/haproxy.cfg"
        try FileBytes.replace(file, with: Array(configuration.utf8))
        let child = try ChildProcess.start(
            ChildProcess.Plan("/usr/sbin/haproxy", ["-db", "-f", file]))
        process.withLock { $0 = child }
        try #require(becomesTrue { FileManager.default.fileExists(atPath: socket) })
    }

    func send(_ signal: ChildProcess.Signal) { process.withLock { $0 }?.send(signal) }
}
