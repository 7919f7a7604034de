import AdminAPI
import AppStore
import Foundation
import HTTPClient
import HTTPServer
import Postgres
import Retention
import RetentionStore
import Service
import Signing
import Synchronization
import TestSupport
import Testing

/// A gateway over the test's own database, reached by real HTTP.
struct GatewayStage {
    let database: Database
    /// As operators' commands use it.
    let store: RetentionStore
    let platformKey: PrivateKey
    let clock: ManualClock
    let jobs: JobRunner
    let log = CollectedLog()
    /// Signs notifications that the stage believes.
    let chain: IssuedChain
    let receiver: NotificationReceiver
    private let gateway: Gateway
    private let server: Server
    private let pool: Pool
    private let transport: Transport

    /// - Parameters:
    ///   - runningLimit: requests of one tenant at once.
    ///   - trusting: further signers of notifications.
    init(runningLimit: Int = 1_000, trusting: [IssuedChain] = []) throws {
        database = try Database.current()
        store = RetentionStore(pool: database.operator)
        platformKey = try PrivateKey.generate()
        clock = ManualClock(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
        var settings = PoolSettings(url: try database.url(role: "holdfast_gateway"))
        settings.maximumConnections = 8
        settings.acquireTimeout = .seconds(60)
        settings.connectTimeout = .seconds(60)
        settings.queryTimeout = .seconds(60)
        pool = try Pool(settings)
        let metrics = GatewayMetrics(Metrics())
        let collected = log
        let log = Log(
            service: "api-gateway", clock: clock.clock, sink: { collected.append($0) })
        let gatewayStore = RetentionStore(pool: pool)
        jobs = JobRunner(store: gatewayStore, clock: clock.clock, log: log, metrics: metrics)
        gateway = Gateway(
            store: gatewayStore, clock: clock.clock, log: log, metrics: metrics,
            platformKey: platformKey.publicKey, limiter: RateLimiter(runningLimit: runningLimit))
        chain = try trusting.first ?? NotificationSigner.chain(at: clock.clock.now())
        let roots = try ([chain] + trusting).map { try Certificate(der: $0.root) }
        receiver = NotificationReceiver(
            store: gatewayStore,
            verifier: SignedDataVerifier(anchors: TrustAnchors(roots: roots)),
            clock: clock.clock, log: log, metrics: NotificationMetrics(Metrics()))
        server = try Server(
            ServerSettings(
                port: 0, threads: .perConnection(maximum: 64), limits: Settings.limits),
            handler: receiver.handler(otherwise: gateway.respond(to:)))
        var transportSettings = TransportSettings()
        transportSettings.connections = 32
        transportSettings.totalTimeout = .seconds(120)
        transportSettings.responseBytesLimit = 32 << 20
        transport = Transport(transportSettings)
    }

    var origin: String { "http://127.0.0.1:\(server.port)" }

    /// A new agency with one key.
    func makeAgency(
        scopes: [AccessScope] = AccessScope.all, requestsPerMinute: Int32 = 1_000_000
    ) throws -> TestAgency {
        let tenant = TenantID.make(at: now)
        let scope = Scope.operatorCommand(tenant: tenant)
        let token = try store.transaction(scope, at: now) { transaction in
            try transaction.createTenant(name: "Agency \(tenant)")
            return try transaction.createAPIKey(
                NewAPIKey(
                    id: .make(at: now), name: "tests", scopes: scopes, clients: nil, apps: nil,
                    expiresAt: nil))
        }
        try database.superuser.withConnection { connection in
            _ = try connection.query(
                """
                update holdfast.tenant set requests_per_minute = \(requestsPerMinute)
                where tenant_id = \(tenant.uuid)
                """)
        }
        return TestAgency(tenant: tenant, token: token.text, stage: self)
    }

    func setQuotas(of agency: TestAgency, clients: Int32 = 500, apps: Int32 = 1_000) throws {
        try database.superuser.withConnection { connection in
            _ = try connection.query(
                """
                update holdfast.tenant set client_limit = \(clients), app_limit = \(apps)
                where tenant_id = \(agency.tenant.uuid)
                """)
        }
    }

    /// A further key of an agency.
    func makeKey(
        of agency: TestAgency, scopes: [AccessScope] = AccessScope.all,
        clients: [ClientID]? = nil, apps: [AppID]? = nil, expiresAt: Instant? = nil
    ) throws -> TestAgency {
        let token = try store.transaction(
            .operatorCommand(tenant: agency.tenant), at: now
        ) { transaction in
            try transaction.createAPIKey(
                NewAPIKey(
                    id: .make(at: now), name: "another key", scopes: scopes, clients: clients,
                    apps: apps, expiresAt: expiresAt))
        }
        return TestAgency(tenant: agency.tenant, token: token.text, stage: self)
    }

    var now: Instant { Instant(milliseconds: clock.clock.now()) }

    /// As the gateway's own upkeep uses it.
    func gatewayStore() -> RetentionStore { RetentionStore(pool: pool) }

    /// A worker that is interrupted between steps, or between a job's work and its end.
    func jobs(
        limits: StepLimits = StepLimits(),
        betweenSteps: @escaping @Sendable () throws -> Void = {},
        beforeEnd: @escaping @Sendable () throws -> Void = {}
    ) -> JobRunner {
        let collected = log
        return JobRunner(
            store: gatewayStore(), clock: clock.clock,
            log: Log(service: "jobs", sink: { collected.append($0) }),
            metrics: GatewayMetrics(Metrics()), limits: limits, betweenSteps: betweenSteps,
            beforeEnd: beforeEnd)
    }

    func flushKeyUse() throws { try gateway.flushKeyUse() }

    func send(
        _ method: String, _ target: String, token: String? = nil,
        headers: [(String, String)] = [], body: [UInt8] = []
    ) throws -> TestAnswer {
        var headers = headers
        if let token { headers.append(("Authorization", "Bearer \(token)")) }
        let response = try transport.send(
            ClientRequest(method: method, url: origin + target, headers: headers, body: body))
        return TestAnswer(response)
    }
}

/// What the gateway logged, for tests that look for what must not be there.
final class CollectedLog: Sendable {
    private let lines = Mutex<[UInt8]>([])

    func append(_ line: [UInt8]) { lines.withLock { $0 += line } }
    var text: String { lines.withLock { String(decoding: $0, as: UTF8.self) } }
}

/// Someone with a key.
struct TestAgency {
    let tenant: TenantID
    let token: String
    let stage: GatewayStage

    /// Sends JSON, where there is a body.
    func send(
        _ method: String, _ target: String, _ body: JSONTree? = nil,
        headers: [(String, String)] = []
    ) throws -> TestAnswer {
        var headers = headers
        if body != nil, !headers.contains(where: { $0.0 == "Content-Type" }) {
            headers.append(("Content-Type", "application/json"))
        }
        return try stage.send(
            method, target, token: token, headers: headers, body: body?.bytes ?? [])
    }

    func get(_ target: String, headers: [(String, String)] = []) throws -> TestAnswer {
        try send("GET", target, headers: headers)
    }

    func post(
        _ target: String, _ body: JSONTree?, key: String? = nil
    ) throws -> TestAnswer {
        try send("POST", target, body, headers: key.map { [("Idempotency-Key", $0)] } ?? [])
    }

    /// Reads the resource, and patches what was read.
    func patch(_ target: String, _ body: JSONTree) throws -> TestAnswer {
        let tag = try get(target).header("ETag") ?? "none"
        return try send("PATCH", target, body, headers: [("If-Match", tag)])
    }

    func delete(_ target: String) throws -> TestAnswer {
        try send("DELETE", target, headers: [("If-Match", "*")])
    }

    /// Every row of a list, page after page.
    func all(_ target: String, limit: Int = 100) throws -> [JSONTree] {
        var rows: [JSONTree] = []
        var next: String?
        repeat {
            let mark = target.contains("?") ? "&" : "?"
            let cursor = next.map { "&cursor=\($0)" } ?? ""
            let answer = try get("\(target)\(mark)limit=\(limit)\(cursor)")
            try #require(answer.status == 200, "\(answer.text)")
            guard case .array(let data) = answer.json["data"] else { return rows }
            rows += data
            next = answer.json["nextCursor"]?.text
        } while next != nil
        return rows
    }
}

struct TestAnswer {
    let status: Int
    let headers: [(name: String, value: String)]
    let body: [UInt8]
    private let response: ClientResponse

    init(_ response: ClientResponse) {
        self.response = response
        status = response.status
        headers = response.headers
        body = response.body
    }

    func header(_ name: String) -> String? { response.header(name) }

    /// `.null` for a body that is no JSON object.
    var json: JSONTree { (try? JSONTree(document: body)) ?? .null }
    var text: String { String(decoding: body, as: UTF8.self) }
    /// The code of a problem.
    var code: String? { json["code"]?.text }

    /// `pointer code` of each error of a problem.
    var errors: [String] {
        guard case .array(let errors) = json["errors"] else { return [] }
        return errors.map { error in
            let place = error["pointer"] ?? error["parameter"] ?? error["header"]
            return "\(place?.text ?? "?") \(error["code"]?.text ?? "?")"
        }
    }
}

extension JSONTree {
    var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    var number: Int64? {
        guard case .integer(let number) = self else { return nil }
        return number
    }

    var elements: [JSONTree] {
        guard case .array(let elements) = self else { return [] }
        return elements
    }
}
