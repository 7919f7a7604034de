import AppStore
import Foundation
import Retention
import ScriptedServer
import Testing

/// What arrives at Apple, byte by byte.
@Suite struct RetentionMessagingCallTests {
    private static func seen(
        _ call: RetentionMessagingCall, in environment: StoreEnvironment = .sandbox
    ) throws -> (head: [String], body: [UInt8], token: BearerToken) {
        let stage = try AppleStage(AppleStage.reply("200 OK"))
        defer { stage.server.stop() }
        _ = stage.send(call, in: environment)
        let requests = stage.server.requests
        try #require(requests.count == 1)
        let bytes = requests[0].bytes
        let blank = Array("\r\n\r\n".utf8)
        let end = try #require(bytes.indices.first { bytes[$0...].starts(with: blank) })
        let head = String(decoding: bytes[..<end], as: UTF8.self)
        return (
            head.components(separatedBy: "\r\n"), Array(bytes[(end + blank.count)...]), stage.token
        )
    }

    private static let expected: [(line: String, type: String?, body: String)] = [
        ("PUT /image/\(Calls.lowerId)?imageSize=BULLET_POINT", "image/png", ""),
        ("DELETE /image/\(Calls.lowerId)", nil, ""),
        ("GET /image/list", nil, ""),
        (
            "PUT /message/\(Calls.lowerId)", "application/json",
            #"{"header":"Stay","body":"You get \"more\"."}"#
        ),
        ("DELETE /message/\(Calls.lowerId)", nil, ""),
        ("GET /message/list", nil, ""),
        (
            "PUT /default/pro.year/en-US", "application/json",
            #"{"messageIdentifier":"\#(Calls.lowerId)"}"#
        ),
        ("GET /default/pro.year/en-US", nil, ""),
        ("DELETE /default/pro.year/en-US", nil, ""),
        ("PUT /realtime/url", "application/json", #"{"realtimeURL":"\#(Calls.realtimeURL)"}"#),
        ("GET /realtime/url", nil, ""),
        ("DELETE /realtime/url", nil, ""),
        (
            "POST /performanceTest", "application/json",
            #"{"originalTransactionId":"2000000123456789"}"#
        ),
        ("GET /performanceTest/result/A-b.1", nil, ""),
    ]

    @Test(arguments: 0..<14)
    func `request line, fields and body are exactly Apple's`(_ place: Int) throws {
        let calls = try Calls.all
        try #require(calls.count == Self.expected.count)
        #expect(Set(calls.map(\.endpoint)) == Set(AppleEndpoint.allCases))
        let (call, expected) = (calls[place], Self.expected[place])
        let body = call.endpoint == .uploadImage ? Calls.png : Array(expected.body.utf8)
        let environments: [StoreEnvironment] =
            call.endpoint.isSandboxOnly ? [.sandbox] : [.production, .sandbox]
        for environment in environments {
            let seen = try Self.seen(call, in: environment)
            let port = try #require(seen.head.first { $0.hasPrefix("Host: 127.0.0.1:") })
            var fields = [
                port, "Authorization: \(seen.token.authorization)", "Accept: application/json",
            ]
            if let type = expected.type {
                fields += ["Content-Type: \(type)", "Content-Length: \(body.count)"]
            }
            let prefix = environment == .sandbox ? "/sandbox" : ""
            let line = expected.line.replacing(
                " /", with: " \(prefix)/inApps/v1/messaging/", maxReplacements: 1)
            #expect(seen.head.first == "\(line) HTTP/1.1")
            #expect(Set(seen.head.dropFirst()) == Set(fields))
            #expect(seen.body == body)
        }
    }

    @Test(arguments: [
        ("a b", "a%20b"), ("a/b", "a%2Fb"), ("a?b#c", "a%3Fb%23c"), ("é", "%C3%A9"),
        ("100%", "100%25"), ("a+b&c=d", "a%2Bb%26c%3Dd"), ("..x", "..x"), ("A-z_0.~", "A-z_0.~"),
        ("\r\nX: y", "%0D%0AX%3A%20y"), ("\u{0}", "%00"), ("😀", "%F0%9F%98%80"),
        ("/../../x", "%2F..%2F..%2Fx"), ("@", "%40"),
    ])
    func `a product id may hold any character`(_ id: String, _ encoded: String) throws {
        let seen = try Self.seen(.getDefault(productId: id, locale: id))
        #expect(
            seen.head.first
                == "GET /sandbox/inApps/v1/messaging/default/\(encoded)/\(encoded) HTTP/1.1")
        let result = try Self.seen(.getPerformanceTest(requestId: id))
        #expect(result.head.first?.hasSuffix("/performanceTest/result/\(encoded) HTTP/1.1") == true)
    }

    @Test(arguments: ["", ".", "..", "..."])
    func `what no path can carry is not sent`(_ id: String) throws {
        let stage = try AppleStage(AppleStage.reply("200 OK"))
        defer { stage.server.stop() }
        for call in [
            RetentionMessagingCall.getDefault(productId: id, locale: "en-US"),
            .deleteDefault(productId: "p", locale: id),
            .setDefault(productId: id, locale: id, messageId: Calls.id),
            .getPerformanceTest(requestId: id),
        ] {
            #expect(call.path == nil)
            #expect(stage.send(call).outcome == .notSent(.badRequest))
        }
        #expect(stage.server.requests.isEmpty)
    }

    @Test func `a performance test never goes to production`() throws {
        let stage = try AppleStage(AppleStage.reply("200 OK"))
        defer { stage.server.stop() }
        for call in try Calls.all where call.endpoint.isSandboxOnly {
            #expect(stage.send(call, in: .production).outcome == .notSent(.sandboxOnly))
        }
        #expect(stage.server.requests.isEmpty)
    }

    @Test func `a text with everything is rendered in one order, what is absent left out`() throws {
        let (image, icon) = (ImageID(UUID()), ImageID(UUID()))
        let atApple = [image: Calls.id, icon: UUID(), ImageID(UUID()): UUID()]
        let iconId = try #require(atApple[icon]).uuidString.lowercased()
        let bullet = Bullet(text: "One", image: PlacedImage(image: icon, altText: "a star"))
        func body(_ text: Localization, _ images: [ImageID: UUID] = atApple) -> String? {
            UploadMessageBody(text, appleImages: images).map {
                String(decoding: $0.json(), as: UTF8.self)
            }
        }
        let whole = Localization(
            locale: "ja", header: "H", body: "B\n", headerPosition: .aboveImage,
            image: PlacedImage(image: image, altText: "a \"picture\""), bullets: [bullet, bullet])
        let point = #"{"text":"One","imageIdentifier":"\#(iconId)","altText":"a star"}"#
        #expect(
            body(whole)
                == #"{"header":"H","body":"B\u000a","image":{"imageIdentifier":"#
                + #""\#(Calls.lowerId)","altText":"a \"picture\""},"headerPosition":"ABOVE_IMAGE","#
                + #""bulletPoints":[\#(point),\#(point)]}"#)
        #expect(
            body(
                Localization(locale: "ja", header: "H", body: "B", headerPosition: .aboveBody), [:])
                == #"{"header":"H","body":"B","headerPosition":"ABOVE_BODY"}"#)
        #expect(body(whole, [image: Calls.id]) == nil)
        #expect(body(whole, [icon: Calls.id]) == nil)
        let json = try JSONSerialization.jsonObject(with: Data((body(whole) ?? "").utf8))
        #expect(json is [String: Any])
    }
}
