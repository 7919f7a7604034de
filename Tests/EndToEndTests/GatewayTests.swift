import Foundation
import HTTPClient
import Operator
import Retention
import RetentionStore
import Service
import TestSupport
import Testing

/// The admin API as it stands in production: the real gateway behind the real HAProxy.
@Suite struct GatewayTests {
    private struct Problem: Decodable {
        let code: String
        let status: Int
        let requestId: String
    }

    private func problem(_ response: ClientResponse) throws -> Problem {
        #expect(response.header("Content-Type") == "application/problem+json")
        let problem = try JSONDecoder().decode(Problem.self, from: Data(response.body))
        #expect(problem.status == response.status)
        #expect(response.header("Request-Id") == problem.requestId)
        return problem
    }

    @Test func `the door leads to the gateway, and what it says is the gateway's`() throws {
        let stage = try Stage()
        let origin = stage.processes.proxyOrigin
        let document = try stage.get(origin + "/openapi.json")
        #expect(document.status == 200)
        #expect(document.body == (try PackageRoot.bytes(of: "docs/api/openapi.json")))
        let stranger = try stage.get(origin + "/v1/clients")
        #expect(stranger.status == 401)
        #expect(stranger.header("WWW-Authenticate") == "Bearer")
        #expect(try problem(stranger).code == "unauthenticated")
        #expect(try problem(stage.getAsAgency("/v1/nothing")).code == "notFound")
        let clients = try stage.getAsAgency("/v1/clients")
        #expect(clients.status == 200)
        // The door's address for the caller, not what the caller says of itself.
        let event = try #require(try stage.auditEvents().first { $0.actor.kind == "apiKey" })
        #expect(event.event.address == "127.0.0.1")
    }

    @Test func `a revoked key is refused at once, also by a gateway that knew it`() throws {
        let stage = try Stage()
        #expect(try stage.getAsAgency("/v1/clients").status == 200)
        let tenant = stage.agency.scope.tenant.description
        let environment = [
            "HOLDFAST_DATABASE_URL": try #require(stage.processes.postgresServer).url(
                database: "holdfast", role: "holdfast_operator")
        ]
        let key = try #require(
            try stage.inAgency { try $0.listAPIKeys(after: nil, limit: 1) }.first)
        let (end, text) = try Programs.run(
            "holdfast", ["key", "revoke", "--tenant", tenant, "--key", "\(key.id)"],
            environment: environment)
        #expect(end == .exited(0), "\(text)")
        #expect(try stage.getAsAgency("/v1/clients").status == 401)
    }

    /// Apple is told to look elsewhere within 5 s of the call, and again answered after the next.
    @Test func `the stop switch silences an app within five seconds, and wakes it again`() throws {
        let stage = try Stage()
        let app = try #require(stage.agency.simulatorStates.first)
        let place = try #require(stage.agency.keys.first)
        let path = try #require(app.realtimeURL).dropFirst(SampleAgency.publicOrigin.count)
        let url = stage.processes.proxyOrigin + path
        #expect(try stage.post(url, stage.signedRequest()).status == 200)
        for (word, status) in [("stopped", 503), ("running", 200)] {
            try stage.api.patch("/v1/apps/\(place.app)", ["realTimeAnswers": word])
            let isSo = try becomesTrue(within: .seconds(5)) {
                let answer = try stage.post(url, stage.signedRequest())
                return answer.status == status && answer.body.isEmpty == (status == 503)
            }
            #expect(isSo, "\(word)")
        }
        let others = stage.agency.pageViews.filter { $0.appAppleId != app.appAppleId }
        #expect(try stage.play(others.prefix(20)).statistics.wrong == 0)
        try Promise.kept("stop-switch", "stopped and started again, each within 5 s")
    }

    @Test func `a gateway told to end does so within five seconds, and costs Apple nothing`()
        throws
    {
        let stage = try Stage()
        let ready = stage.processes.gatewayAdminOrigin + "/readyz"
        #expect(try stage.get(ready).status == 200)
        let start = ContinuousClock.now
        stage.processes.end("api-gateway", by: .terminate)
        #expect(ContinuousClock.now - start < .seconds(5))
        #expect(try stage.get(stage.processes.proxyOrigin + "/v1/clients").status == 503)
        let played = try stage.play(stage.agency.pageViews.prefix(30))
        #expect(played.statistics.answered == played.statistics.cancellations)
        try stage.processes.startGateway()
        #expect(try stage.getAsAgency("/v1/clients").status == 200)
    }

    @Test func `a gateway without its database is not ready, and says 503 until it is back`() throws
    {
        let stage = try Stage()
        let ready = stage.processes.gatewayAdminOrigin + "/readyz"
        let postgres = try #require(stage.processes.postgresServer)
        postgres.stop()
        #expect(try becomesTrue { try stage.get(ready).status == 503 })
        let answer = try stage.getAsAgency("/v1/clients")
        #expect(answer.status == 503)
        #expect(try problem(answer).code == "unavailable")
        #expect(answer.header("Retry-After") == "1")
        try postgres.start()
        #expect(try becomesTrue { try stage.get(ready).status == 200 })
        #expect(try becomesTrue { try stage.getAsAgency("/v1/clients").status == 200 })
    }
}
