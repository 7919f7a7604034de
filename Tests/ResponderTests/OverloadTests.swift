import AppStore
import Foundation
import HTTPClient
import HTTPServer
import Operator
import Responder
import Retention
import RetentionStore
import Service
import Signing
import Synchronization
import TestSupport
import Testing

/// Five times what can be answered: the rest is refused at once, and what can be answered is.
@Suite(.database) struct OverloadTests {
    /// Each answer takes so long, so that a test can ask for more than there is.
    private static let work: Duration = .milliseconds(10)
    private static let threads = 2
    private static let seconds = 3

    /// The responder's parts with a clock that takes its time: it is read once for each request
    /// that was let through.
    private final class SlowResponder: Sendable {
        let stage: Stage
        let server: Server
        let metrics: ResponderMetrics
        let folder: SpoolFolder
        private let bodies: [[UInt8]]
        private let path: String

        init() throws {
            let stage = try Stage()
            self.stage = stage
            metrics = stage.metrics
            folder = try SpoolFolder()
            let now = stage.clock.clock
            let conditions = ServingConditions.good()
            var limits = OverloadGate.Limits(requestsInFlight: 16)
            // A machine that is busy with other tests is not what is looked for.
            limits.deadline = .seconds(5)
            let root = try Certificate(der: stage.chain.root)
            let endpoint = RealtimeEndpoint(
                apps: stage.apps,
                verifier: SignedDataVerifier(anchors: TrustAnchors(roots: [root])),
                spool: try DecisionSpool(directory: folder.path),
                clock: Clock {
                    Pace.hold(for: OverloadTests.work)
                    return now.now()
                }, metrics: metrics,
                conditions: ServingConditions(
                    age: conditions.age,
                    overload: OverloadGate(limits)))
            var settings = ServerSettings(port: 0, threads: .pool(OverloadTests.threads))
            settings.measuresLoad = true
            server = try Server(settings, handler: endpoint.handler)
            let app = try stage.app(news)
            path = String(try #require(app.realtimeURL).dropFirst(SampleAgency.publicOrigin.count))
            bodies = try (0..<500).map { _ in
                try Asked(app).body(signedBy: stage.chain, now: now.now())
            }
        }

        deinit { server.stop(drain: .zero) }

        /// One connection a request, as behind the proxy.
        func ask(_ number: Int, over transport: Transport) -> Int? {
            try? transport.send(
                ClientRequest(
                    method: "POST", url: "http://127.0.0.1:\(server.port)\(path)",
                    headers: [("Content-Type", "application/json"), ("Connection", "close")],
                    body: bodies[number % bodies.count])
            ).status
        }
    }

    private struct Outcome {
        var statuses: [Int?]
        var seconds: Double
        var perSecond: Double { Double(statuses.count { $0 == 200 }) / seconds }
    }

    /// - Parameter perSecond: an open loop at that rate; `nil` asks again once answered.
    private func load(
        _ responder: SlowResponder, clients: Int, count: Int, perSecond: Double? = nil
    ) throws -> Outcome {
        var settings = TransportSettings()
        settings.connections = clients
        let transport = Transport(settings)
        let start = ContinuousClock.now
        let next = Mutex(0)
        let work = (0..<clients).map { _ in
            ParallelWork<[Int?]> {
                var statuses: [Int?] = []
                while true {
                    let number = next.withLock { next in
                        defer { next += 1 }
                        return next
                    }
                    if number >= count { return statuses }
                    if let perSecond {
                        Pace.hold(until: start + .seconds(Double(number) / perSecond))
                    }
                    statuses.append(responder.ask(number, over: transport))
                }
            }
        }
        let statuses = try work.flatMap { try $0.value() }
        return Outcome(
            statuses: statuses, seconds: start.duration(to: .now) / .seconds(1))
    }

    @Test func `five times the capacity is answered or refused, and then all is well again`()
        throws
    {
        let responder = try SlowResponder()
        let alone = try load(responder, clients: 4, count: 200)
        #expect(alone.statuses.allSatisfy { $0 == 200 })
        let offered = 5 * alone.perSecond
        let under = try load(
            responder, clients: 64, count: Int(offered) * Self.seconds, perSecond: offered)
        #expect(under.statuses.allSatisfy { $0 == 200 || $0 == 503 })
        let share = under.perSecond / alone.perSecond
        #expect(share >= 0.5, "goodput fell to \(share) of \(alone.perSecond) a second")
        let refused = under.statuses.count { $0 == 503 }
        #expect(refused > 0)
        let shed = OverloadGate.Refusal.allCases.map { responder.metrics.shed.value($0.rawValue) }
        #expect(Int(shed.reduce(0, +)) == refused)
        // As many clients as there are threads: nothing waits, nothing is refused.
        let after = try load(responder, clients: Self.threads, count: 50)
        #expect(after.statuses.allSatisfy { $0 == 200 })
        try Promise.kept(
            "overload",
            "\(under.statuses.count) requests at 5 times the capacity of answers that take "
                + "10 ms, \(refused) refused, goodput \(Int(share * 100)) %")
    }
}
