import Foundation
import HTTPClient
import Service
import Simulator

/// A simulator that runs, driven over its control API as any other program would.
struct ControlDriver {
    let simulator: Simulator
    private let transport = Transport(TransportSettings())

    /// Half a minute for each answer, since the machine may be busy; nil for Apple's 700 ms.
    init(callsAtOnce: Int = 8, answerDeadline: Duration? = .seconds(30)) throws {
        simulator = try Simulator(
            SimulatorSettings(
                callsAtOnce: callsAtOnce, answerDeadline: answerDeadline ?? AnswerJudge.deadline,
                answerWait: .seconds(30)),
            clock: .fixed(milliseconds: SampleApp.nowMilliseconds))
    }

    func stop() { simulator.stop() }

    func send(
        _ method: String, _ path: String, _ body: [UInt8] = [],
        headers: [(String, String)] = []
    ) throws -> ClientResponse {
        try transport.send(
            ClientRequest(
                method: method, url: "http://127.0.0.1:\(simulator.controlPort)/control\(path)",
                headers: headers, body: body))
    }

    func put(_ path: String, _ body: some Encodable) throws -> Int {
        try send("PUT", path, Array(JSONEncoder().encode(body))).status
    }

    func get<Body: Decodable>(_: Body.Type, _ path: String) throws -> Body {
        try JSONDecoder().decode(Body.self, from: Data(try send("GET", path).body))
    }

    func post<Body: Decodable>(
        _: Body.Type, _ path: String, _ body: some Encodable
    ) throws -> Body {
        let response = try send("POST", path, Array(JSONEncoder().encode(body)))
        return try JSONDecoder().decode(Body.self, from: Data(response.body))
    }

    func refusal(_ method: String, _ path: String, _ body: String) throws -> (Int, ControlError) {
        let response = try send(method, path, Array(body.utf8))
        return (
            response.status,
            try JSONDecoder().decode(ControlError.self, from: Data(response.body))
        )
    }

    /// Hands in an app whose public URL is served at `origin`.
    func set(_ state: AppState, servedAt origin: String) throws {
        _ = try put(path(of: state), state)
        _ = try put(
            "/origins",
            OriginMap(origins: [
                .init(publicOrigin: "https://holdfast.example", localOrigin: origin)
            ]))
    }

    func path(of state: AppState) -> String {
        "/apps/\(state.appAppleId)/\(state.environment.rawValue)"
    }

    func play(_ views: [PageView]) throws -> PageViewReport {
        try post(PageViewReport.self, "/page-views", PageViewBatch(pageViews: views))
    }
}

extension SampleApp {
    func view(
        _ originalTransactionId: String = SampleApp.subscriber, locale: String = "en-US",
        productId: String = SampleApp.monthly, taps: Bool = true, isActive: Bool? = nil
    ) -> PageView {
        PageView(
            originalTransactionId: originalTransactionId, appAppleId: SampleApp.appAppleId,
            environment: .production, productId: productId, userLocale: locale, taps: taps,
            isActive: isActive)
    }

    /// The right answer for a message.
    func answer(_ message: UUID) -> [UInt8] {
        Array(#"{"message":{"messageIdentifier":"\#(message)"}}"#.utf8)
    }
}
