import Foundation
import HTTPClient
import Operator
import Retention
import RetentionStore
import TestSupport
import Testing

/// What is not a genuine, fresh request of this app gets a fast status without a body, through the
/// real proxy, and leaves nothing but a counter.
@Suite struct RefusalTests {
    private static let expected: [(mutation: String, status: Int)] = [
        ("stale", 400), ("future", 400), ("wrongApp", 403), ("wrongEnvironment", 403),
        ("xcode", 403), ("localTesting", 403), ("transaction", 403), ("forgedSignature", 401),
        ("otherPayload", 401), ("otherChain", 401), ("oneCertificateChain", 401),
        ("leafMarkerMissing", 401), ("intermediateMarkerMissing", 401),
    ]

    @Test func `each kind has its status, no body, and is not recorded`() throws {
        let stage = try Stage()
        let origin = stage.processes.proxyOrigin
        for (mutation, status) in Self.expected {
            let (path, bodies) = try stage.signedRequests(mutation)
            let response = try stage.post(origin + path, try #require(bodies.first))
            #expect(response.status == status, "\(mutation)")
            #expect(response.body.isEmpty, "\(mutation)")
        }
        let (path, bodies) = try stage.signedRequests("genuine")
        let genuine = try #require(bodies.first)
        let unknown = try stage.post(origin + "/realtime/nobody", genuine)
        #expect(unknown.status == 404 && unknown.body.isEmpty)
        let nonsense = try stage.post(origin + path, Array("{}".utf8))
        #expect(nonsense.status == 400 && nonsense.body.isEmpty)
        // The same genuine request twice: decided twice, recorded once.
        for _ in 0..<2 { #expect(try stage.post(origin + path, genuine).status == 200) }
        #expect(try stage.decisions(count: 1).count == 1)
        let metrics = String(
            decoding: try stage.get(stage.processes.responderAdminOrigin + "/metrics").body,
            as: UTF8.self)
        #expect(metrics.contains(#"holdfast_realtime_refused_total{reason="stale"} 1"#))
        #expect(metrics.contains(#"holdfast_realtime_refused_total{reason="unknownToken"} 1"#))
    }

    @Test func `a deliberate fallback is 503 without a body, and recorded`() throws {
        let stage = try Stage()
        let annual = stage.agency.pageViews.filter {
            $0.appAppleId == 6_500_000_002 && $0.productId.hasSuffix("annual")
                && $0.userLocale == "en-US"
        }
        let played = try stage.play(annual.prefix(1))
        #expect(played.results.map(\.httpStatus) == [503])
        #expect(played.statistics.wrong == 0)
        #expect(try stage.decisions(count: 1).map(\.kind) == [.fallback])
    }

    @Test func `a responder that trusts Apple alone refuses the simulator`() throws {
        let stage = try Stage(trustsSimulator: false)
        let played = try stage.play(stage.agency.pageViews.prefix(60))
        #expect(played.statistics.cancellations > 0)
        #expect(played.statistics.shownRealtime == 0)
        let statuses = Set(played.results.filter(\.called).map(\.httpStatus))
        #expect(statuses == [401])
        let ready = try stage.get(stage.processes.responderAdminOrigin + "/readyz")
        #expect(!String(decoding: ready.body, as: UTF8.self).contains("trust root"))
    }

    @Test func `a further trust root shows in readyz`() throws {
        let stage = try Stage()
        let ready = try stage.get(stage.processes.responderAdminOrigin + "/readyz")
        #expect(ready.status == 200)
        #expect(String(decoding: ready.body, as: UTF8.self).contains("trust root"))
    }
}
