import Foundation
import HTTPClient
import Operator
import Postgres
import Retention
import RetentionStore
import Service
import Signing
import TestSupport
import Testing

/// The program that runs at the moment; one thread alone replaces it.
private final class RunningProgram: @unchecked Sendable {
    private var program: Running?

    func store(_ program: Running) { self.program = program }
    var text: String { program?.text ?? "" }
    func kill() { program?.process.terminate(.kill, within: .seconds(10)) }
}

/// The real gateway over the test's database, at one port however often it is started.
final class GatewayProcess: Sendable {
    /// A restart takes a second; a machine under load takes longer.
    private static let answerLimit: Duration = .seconds(60)

    struct NeverAnswered: Error {
        let key: Int
        let last: String
        let log: String
    }

    let database: Database
    let tenant: TenantID
    let token: String
    private let port: UInt16
    private let keyFile: TemporaryFolder
    private let transport: Transport
    private let running = RunningProgram()

    private let furtherRoot: [String: String]

    /// Of a tenant with quotas that no test reaches.
    ///
    /// - Parameter furtherRoot: of whoever signs notifications, in DER.
    init(scopes: [AccessScope], furtherRoot root: [UInt8]? = nil) throws {
        database = try Database.current()
        port = try FreePort.find(1)[0]
        keyFile = try TemporaryFolder()
        let now = Instant(milliseconds: Clock.system.now())
        let tenant = TenantID.make(at: now)
        self.tenant = tenant
        let store = RetentionStore(pool: database.operator)
        token = try store.transaction(.operatorCommand(tenant: tenant), at: now) { transaction in
            try transaction.createTenant(name: "Agency")
            return try transaction.createAPIKey(
                NewAPIKey(
                    id: .make(at: now), name: "racers", scopes: scopes, clients: nil,
                    apps: nil, expiresAt: nil)
            ).text
        }
        try database.superuser.withConnection { connection in
            _ = try connection.query(
                """
                update holdfast.tenant set requests_per_minute = 10000000, client_limit = 1000000,
                  app_limit = 1000000, api_key_limit = 1000000
                """)
        }
        var settings = TransportSettings()
        settings.connections = 16
        transport = Transport(settings)
        let pem = try PrivateKey.generate().publicKey.pem()
        try Data(pem).write(to: URL(filePath: keyFile.path + "/platform.pem"))
        if let root {
            try Data(root).write(to: URL(filePath: keyFile.path + "/root.der"))
            furtherRoot = ["HOLDFAST_FURTHER_TRUST_ROOT_FILE": keyFile.path + "/root.der"]
        } else {
            furtherRoot = [:]
        }
        try start()
    }

    var origin: String { "http://127.0.0.1:\(port)" }
    var log: String { running.text }

    func killAndStart() throws {
        running.kill()
        try start()
    }

    private func start() throws {
        let program = try Running(
            "api-gateway", [],
            environment: [
                "HOLDFAST_DATABASE_URL": try database.url(role: "holdfast_gateway"),
                "HOLDFAST_GATEWAY_PORT": "\(port)", "HOLDFAST_GATEWAY_ADMIN_PORT": "0",
                "HOLDFAST_GATEWAY_DATABASE_CONNECTIONS": "16",
                "HOLDFAST_PLATFORM_PUBLIC_KEY_FILE": keyFile.path + "/platform.pem",
                "HOLDFAST_LOG_LEVEL": "warning",
            ].merging(furtherRoot) { $1 })
        running.store(program)
    }

    /// JSON, once.
    func send(_ method: String, _ target: String, _ body: String = "") throws -> ClientResponse {
        var headers = [("Authorization", "Bearer \(token)")]
        if !body.isEmpty { headers.append(("Content-Type", "application/json")) }
        return try transport.send(
            ClientRequest(
                method: method, url: origin + target, headers: headers, body: Array(body.utf8),
                deadline: .seconds(20)))
    }

    func waitUntilReady() throws {
        let isReady = becomesTrue(within: Self.answerLimit) {
            (try? send("GET", "/v1/clients"))?.status == 200
        }
        guard isReady else { throw NeverAnswered(key: 0, last: "", log: running.text) }
    }

    /// Repeats the same request until it is answered for good, as a careful client does.
    func createUntilAnswered(_ number: Int) throws -> String {
        let request = ClientRequest(
            method: "POST", url: origin + "/v1/clients",
            headers: [
                ("Authorization", "Bearer \(token)"), ("Content-Type", "application/json"),
                ("Idempotency-Key", "key-\(number)"),
            ], body: Array("{\"name\":\"client \(number)\"}".utf8), deadline: .seconds(20))
        var body = ""
        let isAnswered = becomesTrue(within: Self.answerLimit) {
            do {
                let answer = try transport.send(request)
                body = String(decoding: answer.body, as: UTF8.self)
                return answer.status == 201
            } catch {
                body = "\(error)"
                return false
            }
        }
        guard isAnswered else {
            throw NeverAnswered(key: number, last: body, log: running.text)
        }
        return body
    }

    /// Posts the same until it is answered with 200, as Apple does, only sooner.
    func notifyUntilAnswered(_ token: String, _ body: [UInt8]) throws {
        let request = ClientRequest(
            method: "POST", url: origin + "/notifications/\(token)",
            headers: [("Content-Type", "application/json")], body: body, deadline: .seconds(20))
        var last = ""
        let isAnswered = becomesTrue(within: Self.answerLimit) {
            do {
                let answer = try transport.send(request)
                last = "\(answer.status)"
                return answer.status == 200
            } catch {
                last = "\(error)"
                return false
            }
        }
        guard isAnswered else { throw NeverAnswered(key: 0, last: last, log: running.text) }
    }

    /// Looks into the tenant as an operator does.
    func inTenant<R>(_ body: (TenantTransaction) throws -> R) throws -> R {
        try RetentionStore(pool: database.operator).transaction(
            .operatorCommand(tenant: tenant), at: Instant(milliseconds: Clock.system.now()), body)
    }

    func count(_ table: String) throws -> Int {
        try database.superuser.withConnection { connection in
            let rows = try connection.query(
                Query(unsafeSQL: "select count(*) from holdfast.\(table)"))
            return Int(try #require(rows.first).decode(Int64.self, at: 0))
        }
    }
}
