internal import FoundationEssentials
internal import HTTPClient

/// The simulator's control API as the demo uses it. The shapes are the simulator's own; they are
/// written here again because a process knows another by its wire alone.
package struct SimulatorControl: Sendable {
    private static let pageViewsLimit: Duration = .seconds(120)
    /// As many as the simulator keeps.
    private static let appleCallsLimit = 20_000

    package let base: String
    private let transport: Transport

    package init(port: UInt16) {
        base = "http://127.0.0.1:\(port)/control"
        var settings = TransportSettings()
        settings.totalTimeout = Self.pageViewsLimit
        settings.responseBytesLimit = 8 << 20
        transport = Transport(settings)
    }

    func rootCertificate() throws -> [UInt8] {
        try send("GET", "/root-certificate", [])
    }

    package func put(_ state: SimulatorApp) throws {
        try put(Self.path(state.appAppleId, state.environment), state)
    }

    /// What Apple has of an app by now.
    package func state(_ appAppleId: Int64, _ environment: String) throws -> SimulatorApp {
        try get(Self.path(appAppleId, environment))
    }

    /// Decides what Apple's reviewers would decide of one image or message.
    package func decide(
        _ identifier: String, _ state: String, of appAppleId: Int64, _ environment: String
    ) throws {
        let path = Self.path(appAppleId, environment)
        try put("\(path)/review/\(identifier)", ["state": state])
    }

    /// How the performance tests of an app are run from now on.
    package func setPerformanceTest(_ config: PerformanceTestForm, of appAppleId: Int64) throws {
        try put("\(Self.path(appAppleId, "Sandbox"))/performance-tests", ["config": config])
    }

    /// Spoils Apple's answers from now on.
    package func setFaults(_ faults: [FaultForm]) throws {
        try put("/faults", ["faults": faults])
    }

    /// The calls that came to Apple's servers.
    package func appleCalls() throws -> AppleCallReport {
        try get("/api-calls?limit=\(Self.appleCallsLimit)")
    }

    /// Over all page views by now.
    func statistics() throws -> PageViewReport.Statistics { try get("/statistics") }

    func mapOrigin(_ publicOrigin: String, to localOrigin: String) throws {
        try put(
            "/origins", ["origins": [["publicOrigin": publicOrigin, "localOrigin": localOrigin]]])
    }

    package func play(_ views: [PageView]) throws -> PageViewReport {
        let body = try JSONEncoder().encode(["pageViews": views])
        let answer = try send("POST", "/page-views", Array(body))
        return try JSONDecoder().decode(PageViewReport.self, from: Data(answer))
    }

    private static func path(_ appAppleId: Int64, _ environment: String) -> String {
        "/apps/\(appAppleId)/\(environment)"
    }

    private func get<Answer: Decodable>(_ path: String) throws -> Answer {
        try JSONDecoder().decode(Answer.self, from: Data(try send("GET", path, [])))
    }

    private func put(_ path: String, _ body: some Encodable) throws {
        _ = try send("PUT", path, Array(try JSONEncoder().encode(body)))
    }

    private func send(_ method: String, _ path: String, _ body: [UInt8]) throws -> [UInt8] {
        let response = try transport.send(
            ClientRequest(
                method: method, url: base + path, headers: [("Content-Type", "application/json")],
                body: body))
        guard (200...299).contains(response.status) else {
            let said = String(decoding: response.body.prefix(2_000), as: UTF8.self)
            throw DemoError(
                description:
                    "the simulator answered \(response.status) to \(method) \(path): \(said)")
        }
        return response.body
    }
}

/// What a performance test of Apple's sends and demands.
package struct PerformanceTestForm: Encodable, Sendable {
    let maxConcurrentRequests: Int
    let totalRequests: Int
    /// In milliseconds.
    let totalDuration: Int
    let responseTimeThreshold: Int
    /// In percent.
    let successRateThreshold: Int
}

/// How the simulator spoils answers of Apple's; `docs/simulator.md` says what each kind is.
package struct FaultForm: Encodable, Sendable {
    package let kind: String
    package let endpoint: String
    package let environment: String
    package let appAppleId: Int64
    package let times: Int
    package let milliseconds: Int64

    package init(
        kind: String, endpoint: String, environment: String, appAppleId: Int64, times: Int,
        milliseconds: Int64
    ) {
        self.kind = kind
        self.endpoint = endpoint
        self.environment = environment
        self.appAppleId = appAppleId
        self.times = times
        self.milliseconds = milliseconds
    }
}

/// Somebody opens the page of a subscription.
package struct PageView: Encodable, Sendable {
    package let originalTransactionId: String
    package let appAppleId: Int64
    package let environment: String
    package let productId: String
    package let userLocale: String
    package let taps: Bool
}

/// What the simulator saw, one result for each page view.
package struct PageViewReport: Decodable, Sendable {
    package struct Display: Decodable, Sendable {
        package let layer: String
        package let kind: String
        package let header: String?
        package let offerIdentifier: String?
        package let billingPlanType: String?
        package let hasImage: Bool
        package let bulletPoints: [String]
    }

    package struct Breach: Decodable, Sendable {
        package let rule: String
        package let message: String
    }

    package struct Result: Decodable, Sendable {
        package let appAppleId: Int64
        package let environment: String
        package let productId: String
        package let userLocale: String
        package let taps: Bool
        package let called: Bool
        package let requestIdentifier: String?
        package let httpStatus: Int?
        package let milliseconds: Double?
        package let explanation: String
        package let broken: [Breach]
        package let display: Display
    }

    package struct Statistics: Decodable, Sendable {
        package let pageViews: Int
        package let cancellations: Int
        package let answered: Int
        package let tapped: Int
        package let shownRealtime: Int
        package let shownFallback: Int
        package let shownNothing: Int
        package let wrong: Int
        package let p50Milliseconds: Double?
        package let p99Milliseconds: Double?
    }

    package var results: [Result]
    package var statistics: Statistics
}
