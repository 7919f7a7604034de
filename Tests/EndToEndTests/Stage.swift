import Foundation
import HTTPClient
import Operator
import Retention
import RetentionStore
import Service
import TestSupport
import Testing

/// The whole of Holdfast as the demo runs it but for the sync, for one test: what that would bring
/// to Apple is placed.
final class Stage {
    let processes: DemoProcesses
    let agency: PlacedAgency
    let api: AdminClient
    private let transport = Transport()

    init(trustsSimulator: Bool = true) throws {
        processes = try DemoProcesses(
            DemoSettings(
                deployDirectory: PackageRoot.path + "/deploy", programs: try Programs.folder()),
            stop: StopSignal(), say: { _ in })
        try processes.startPostgres()
        try processes.startSimulator()
        try processes.startGateway()
        try processes.startProxy()
        let (built, api) = try processes.makeAgency()
        self.api = api
        agency = try PlacedAgency(
            placing: built, in: RetentionStore(pool: try processes.operatorPool()),
            now: Instant(milliseconds: Clock.system.now()))
        for state in agency.simulatorStates { try processes.simulator.put(state) }
        try processes.startResponder(trustsSimulator: trustsSimulator)
    }

    deinit { processes.end() }

    func play(_ views: some Collection<PageView>) throws -> PageViewReport {
        try processes.simulator.play(Array(views))
    }

    /// Waits until PostgreSQL holds `count` decisions.
    func decisions(count: Int) throws -> [StoredDecision] {
        let store = RetentionStore(pool: try processes.operatorPool())
        var found: [StoredDecision] = []
        _ = try becomesTrue(within: .seconds(30)) {
            found = try agency.agency.decisions(in: store)
            return found.count >= count
        }
        return found
    }

    /// The path and bodies of real-time requests with `mutation`, for the first app in production.
    func signedRequests(_ mutation: String, count: Int = 1) throws -> (
        path: String, bodies: [[UInt8]]
    ) {
        let app = try #require(agency.simulatorStates.first { $0.environment == "Production" })
        let order: [String: Any] = [
            "appAppleId": app.appAppleId, "environment": app.environment,
            "originalTransactionId": "2000000000009999", "userLocale": "en-US",
            "productId": app.products[0].productId, "mutation": mutation,
        ]
        let body = try JSONSerialization.data(
            withJSONObject: ["signedRequests": Array(repeating: order, count: count)])
        let answer = try post(
            processes.simulatorControlOrigin + "/signed-requests", Array(body))
        let made = try JSONDecoder().decode(SignedRequests.self, from: Data(answer.body))
        let url = try #require(app.realtimeURL)
        let path = String(url.dropFirst(SampleAgency.publicOrigin.count))
        return (path, made.signedRequests.map { Array($0.body.utf8) })
    }

    func post(_ url: String, _ body: [UInt8]) throws -> ClientResponse {
        try transport.send(
            ClientRequest(
                method: "POST", url: url, headers: [("Content-Type", "application/json")],
                body: body))
    }

    func get(_ url: String) throws -> ClientResponse {
        try transport.send(ClientRequest(method: "GET", url: url))
    }

    /// One genuine request of the first app, made now.
    func signedRequest() throws -> [UInt8] {
        try #require(try signedRequests("genuine").bodies.first)
    }

    /// With the agency's key, through the door.
    func getAsAgency(_ path: String) throws -> ClientResponse {
        try transport.send(
            ClientRequest(
                method: "GET", url: processes.proxyOrigin + path,
                headers: [("Authorization", api.authorization)]))
    }

    /// Looks into the agency as an operator does.
    func inAgency<R>(_ body: (TenantTransaction) throws -> R) throws -> R {
        let store = RetentionStore(pool: try processes.operatorPool())
        let now = Instant(milliseconds: Clock.system.now())
        return try store.transaction(agency.scope, at: now, body)
    }

    func auditEvents() throws -> [StoredAuditEvent] {
        try inAgency { try $0.listAuditEvents(AuditFilter(), before: nil, limit: 100) }
    }

    private struct SignedRequests: Decodable {
        struct Made: Decodable {
            let body: String
        }

        let signedRequests: [Made]
    }
}
