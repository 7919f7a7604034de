import Foundation
import HTTPClient
import Service
import Signing
import Simulator

/// A developer who calls Apple's API, on a clock that stands still until told otherwise.
final class Developer: Sendable {
    static let image = "\(AppleEndpoint.basePath)/image"
    static let message = "\(AppleEndpoint.basePath)/message"
    static let url = "\(AppleEndpoint.basePath)/realtime/url"
    static let test = "\(AppleEndpoint.basePath)/performanceTest"

    let simulator: Simulator
    let clock = ManualClock(milliseconds: SampleApp.nowMilliseconds)
    private let key: PrivateKey
    private let transport: Transport

    struct Reply {
        var status: Int
        var errorCode: Int?
        var body: [UInt8]
        var response: ClientResponse

        var json: JSONValue? { try? JSONValue(body) }

        func header(_ name: String) -> String? { response.header(name) }
    }

    /// An app with products and a key and nothing uploaded, in both environments.
    init(
        notificationsLimit: Int = NotificationSender.queueLimit,
        _ change: (inout AppState) -> Void = { _ in }
    ) throws {
        simulator = try Simulator(
            SimulatorSettings(
                answerDeadline: .seconds(30), answerWait: .seconds(30),
                notificationsLimit: notificationsLimit),
            clock: clock.clock)
        let app = try SampleApp()
        key = app.key
        transport = Transport(TransportSettings())
        for environment in Environment.allCases {
            var state = app.state
            state.environment = environment
            state.realtimeURL = nil
            (state.images, state.messages, state.defaults) = ([], [], [])
            change(&state)
            try simulator.set(state)
        }
    }

    deinit { simulator.stop() }

    static func defaultPath(
        _ productId: String = SampleApp.monthly, _ locale: String = "en-US"
    ) -> String {
        "\(AppleEndpoint.basePath)/default/\(productId)/\(locale)"
    }

    func state(_ environment: Environment = .sandbox) -> AppState? {
        simulator.state(appAppleId: SampleApp.appAppleId, environment: environment)
    }

    /// What the token says, as JSON values.
    var claims: [String: String] {
        let now = clock.clock.now() / 1000
        return [
            "iss": #""issuer-1""#, "iat": String(now), "exp": String(now + 300),
            "aud": #""appstoreconnect-v1""#, "bid": "\"\(SampleApp.bundleId)\"",
        ]
    }

    func token(
        header: String = #"{"alg":"ES256","kid":"KEY1","typ":"JWT"}"#, key: PrivateKey? = nil,
        _ change: (inout [String: String]) -> Void = { _ in }
    ) throws -> String {
        var claims = claims
        change(&claims)
        let payload = claims.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",")
        return try CompactJWS.sign(
            header: Array(header.utf8), payload: Array("{\(payload)}".utf8), with: key ?? self.key)
    }

    func send(
        _ method: String, _ path: String, _ body: [UInt8] = [], type: String? = nil,
        in environment: Environment = .sandbox, authorization: String? = nil,
        patience: Duration? = nil
    ) throws -> Reply {
        var headers = [("Authorization", try authorization ?? "Bearer \(token())")]
        if let type { headers.append(("Content-Type", type)) }
        let response = try transport.send(
            ClientRequest(
                method: method, url: simulator.origin(of: environment) + path, headers: headers,
                body: body, deadline: patience))
        let code = (try? JSONValue(response.body))?["errorCode"]?.integer
        return Reply(
            status: response.status, errorCode: code.map { Int($0) }, body: response.body,
            response: response)
    }

    func put(
        _ path: String, _ json: String, in environment: Environment = .sandbox,
        patience: Duration? = nil
    ) throws -> Reply {
        try send(
            "PUT", path, Array(json.utf8), type: "application/json", in: environment,
            patience: patience)
    }

    func get(_ path: String, in environment: Environment = .sandbox) throws -> Reply {
        try send("GET", path, in: environment)
    }

    func delete(_ path: String, in environment: Environment = .sandbox) throws -> Reply {
        try send("DELETE", path, in: environment)
    }

    func upload(
        _ png: [UInt8], _ identifier: UUID = UUID(), size: String? = nil,
        type: String? = "image/png", in environment: Environment = .sandbox
    ) throws -> Reply {
        let query = size.map { "?imageSize=\($0)" } ?? ""
        let path = "\(Developer.image)/\(identifier.uuidString)\(query)"
        return try send("PUT", path, png, type: type, in: environment)
    }

    func upload(
        message json: String = #"{"header":"Stay","body":"Half the price."}"#,
        _ identifier: UUID = UUID(), in environment: Environment = .sandbox,
        patience: Duration? = nil
    ) throws -> Reply {
        let path = "\(Developer.message)/\(identifier.uuidString)"
        return try put(path, json, in: environment, patience: patience)
    }

    func configure(
        _ identifier: UUID, _ path: String = Developer.defaultPath(),
        in environment: Environment = .sandbox
    ) throws -> Reply {
        try put(path, #"{"messageIdentifier":"\#(identifier.uuidString)"}"#, in: environment)
    }
}

extension Developer.Reply {
    /// Whether Apple refused with this code and its status, in its envelope.
    func isRefusal(_ error: AppleError) -> Bool {
        status == error.status && errorCode == error.rawValue
            && json?["errorMessage"]?.text?.isEmpty == false
            && header("Content-Type") == "application/json"
    }

    /// Done, and nothing to say.
    var isDone: Bool { status == 200 && body.isEmpty }
}
