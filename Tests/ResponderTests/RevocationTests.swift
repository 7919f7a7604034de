import AppStore
import HTTPClient
import Responder
import Service
import StatusServer
import TestSupport
import Testing

/// JWS-05: whatever the issuer's responder does, answers go out in time; a revoked chain gets none.
@Suite(.database) struct RevocationTests {
    private static let requests = 200

    @Test(arguments: StatusBehaviour.allCases)
    func `no answer waits for the issuer`(_ behaviour: StatusBehaviour) throws {
        let server = try StatusServer(behaviour)
        let stage = try Stage(signedBy: server.authority.chain)
        let app = try stage.app(news)
        let watch = RevocationWatch(
            verifier: stage.verifier, client: RevocationClient(timeout: .seconds(3)),
            clock: Clock.system, log: Log(service: "test", sink: stage.lines.append),
            metrics: stage.metrics)
        let loop = BackgroundLoop("revocation", every: .milliseconds(20), onError: { _, _ in }) {
            watch.run()
        }
        try loop.start()
        defer { loop.stop(within: .seconds(30)) }

        var slow = 0
        func status() throws -> Int {
            let start = ContinuousClock.now
            let response = try stage.send(Asked(app), to: app)
            if .now - start >= .seconds(1) { slow += 1 }
            return response.status
        }
        // The first brings the chain; from then on its certificates are asked about.
        let statuses = try (0..<Self.requests).map { _ in try status() }
        #expect(statuses[0] == 200)
        if behaviour.isRevoked {
            #expect(becomesTrue(within: .seconds(30)) { (try? status()) == 401 })
            for _ in 0..<20 { #expect(try status() == 401) }
            #expect(stage.verifier.rememberedChains.isEmpty)
            #expect(stage.metrics.refused.value("chainRevoked") >= 20)
            #expect(
                becomesTrue(within: .seconds(30)) {
                    stage.lines.count(of: "certificate_revoked") == 1
                })
        } else {
            #expect(statuses.allSatisfy { $0 == 200 })
            // Both certificates have been asked about, and it made no difference.
            let label = behaviour.isTold ? "good" : "unknown"
            #expect(
                becomesTrue(within: .seconds(30)) {
                    stage.metrics.revocationChecks.value(label) >= 2
                })
            #expect(try status() == 200)
            let told = behaviour.isTold ? 0 : 2
            #expect(
                becomesTrue(within: .seconds(30)) {
                    stage.lines.count(of: "revocation_unknown") == told
                })
        }
        // A machine that is busy with other tests may hold up one; an issuer would hold up all.
        #expect(slow <= 3, "\(slow) answers took over a second")
        try Promise.kept(
            "certificate-revocation",
            "\(StatusBehaviour.allCases.count) behaviours of an issuer, "
                + "\(Self.requests) answers each"
        )
    }

    /// The simulator's, and every other chain that names nobody.
    @Test func `where nobody can be asked there is nothing to do`() throws {
        let stage = try Stage()
        let app = try stage.app(news)
        let watch = RevocationWatch(
            verifier: stage.verifier, client: RevocationClient(), clock: Clock.system,
            log: Log(service: "test", sink: stage.lines.append), metrics: stage.metrics)
        watch.run()
        #expect(stage.metrics.revocationChecks.value("notOffered") == 0)
        #expect(try stage.send(Asked(app), to: app).status == 200)
        watch.run()
        watch.run()
        #expect(stage.metrics.revocationChecks.value("notOffered") == 2)
        #expect(try stage.send(Asked(app), to: app).status == 200)
    }
}
