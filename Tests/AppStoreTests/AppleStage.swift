import AppStore
import Foundation
import HTTPClient
import Retention
import ScriptedServer
import Signing

/// A server in Apple's place, and a client that calls it.
struct AppleStage {
    static let now = Instant(milliseconds: 1_780_000_000_000)

    let server: ScriptedServer
    let client: RetentionMessagingClient
    let token: BearerToken

    /// - Parameter answer: to every request.
    init(
        _ answer: ScriptedServer.Step, total: Duration = .seconds(10),
        limit: Int = RetentionMessagingClient.responseBytesLimit
    ) throws {
        let server = try ScriptedServer { _ in answer }
        try self.init(port: server.port, server, total: total, limit: limit)
    }

    init(
        port: UInt16, _ server: ScriptedServer, total: Duration = .seconds(10),
        limit: Int = RetentionMessagingClient.responseBytesLimit
    ) throws {
        self.server = server
        var settings = RetentionMessagingClient.settings
        settings.totalTimeout = total
        settings.responseBytesLimit = limit
        client = RetentionMessagingClient(
            hosts: try AppleHosts(
                production: "http://127.0.0.1:\(port)",
                sandbox: "http://127.0.0.1:\(port)/sandbox"),
            settings: settings, now: { Self.now })
        token = try BearerTokens().token(
            for: BearerTokensTests.holder(), issuerId: "57246542-96fe-1a63-e053-0824d011072a",
            bundleId: "com.example", key: .generate(), now: Self.now)
    }

    func send(
        _ call: RetentionMessagingCall, in environment: StoreEnvironment = .sandbox
    ) -> AppleAnswer {
        client.send(call, in: environment, with: token)
    }

    static func reply(
        _ status: String, _ body: String = "", type: String = "application/json",
        fields: String = ""
    ) -> ScriptedServer.Step {
        .answer(
            "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\n\(fields)"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }

    static func refusal(_ status: String, _ code: Int, _ message: String) -> ScriptedServer.Step {
        reply(status, #"{"errorCode":\#(code),"errorMessage":"\#(message)"}"#)
    }
}

/// One call of each endpoint.
enum Calls {
    static let id = UUID(uuidString: "3DB5C98D-8ACF-4E29-831E-8E1F82F9F6E9") ?? UUID()
    static let lowerId = "3db5c98d-8acf-4e29-831e-8e1f82f9f6e9"
    static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0xFF, 0xE2]
    static let urlToken = "0123456789abcdefghijklmnopqrstuvwxyz0123456"
    static let realtimeURL = "https://a.example/realtime/\(urlToken)"

    static var message: UploadMessageBody {
        get throws {
            let text = Localization(locale: "en-US", header: "Stay", body: "You get \"more\".")
            guard let body = UploadMessageBody(text, appleImages: [:]) else { throw NoBody() }
            return body
        }
    }

    struct NoBody: Error {}

    static var all: [RetentionMessagingCall] {
        get throws {
            [
                .uploadImage(id: id, size: .bulletPoint, png: png), .deleteImage(id: id),
                .listImages, .uploadMessage(id: id, try message), .deleteMessage(id: id),
                .listMessages,
                .setDefault(productId: "pro.year", locale: "en-US", messageId: id),
                .getDefault(productId: "pro.year", locale: "en-US"),
                .deleteDefault(productId: "pro.year", locale: "en-US"),
                .setRealtimeURL(realtimeURL), .getRealtimeURL, .deleteRealtimeURL,
                .startPerformanceTest(originalTransactionId: "2000000123456789"),
                .getPerformanceTest(requestId: "A-b.1"),
            ]
        }
    }

    /// A good body for each endpoint that tells something.
    static let contents: [AppleEndpoint: String] = [
        .getImageList: """
        {"imageIdentifiers":[{"imageIdentifier":"\(id.uuidString)","imageState":"APPROVED",\
        "imageSize":"BULLET_POINT"},{"imageIdentifier":"\(lowerId)","imageState":"PENDING"}]}
        """,
        .getMessageList: """
        {"messageIdentifiers":[{"messageIdentifier":"\(lowerId)","messageState":"REJECTED"}]}
        """,
        .getDefaultMessage: #"{"messageIdentifier":"\#(id.uuidString)"}"#,
        .getRealtimeURL: #"{"realtimeURL":"\#(realtimeURL)"}"#,
        .initiatePerformanceTest: #"{"config":\#(config),"requestId":"\#(id.uuidString)"}"#,
        .getPerformanceTestResults: """
        {"config":\(config),"target":"\(realtimeURL)","result":"FAIL","successRate":97,\
        "numPending":3,"responseTimes":{"average":120,"p50":100,"p90":200,"p95":300,"p99":450},\
        "failures":{"SUCCESS":97,"TIMED_OUT":2,"A_NEW_ONE":1}}
        """,
    ]

    static let config = """
        {"maxConcurrentRequests":10,"totalRequests":100,"totalDuration":60000,\
        "responseTimeThreshold":450,"successRateThreshold":95}
        """
}
