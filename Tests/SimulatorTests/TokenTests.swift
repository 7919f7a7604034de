import Foundation
import Signing
import Simulator
import Testing

/// Who may call, and what the others are told.
struct TokenTests {
    private static let list = "\(Developer.message)/list"

    private func isRefused(
        _ developer: Developer, _ authorization: String, in environment: Environment = .sandbox
    ) throws -> Bool {
        let reply = try developer.send(
            "GET", TokenTests.list, in: environment, authorization: authorization)
        let call = try #require(developer.simulator.apiCalls().last)
        return reply.status == 401 && reply.body == Array("Unauthenticated".utf8)
            && reply.header("Content-Type") == "text/plain"
            && call.explanation?.isEmpty == false && !call.isApplied
    }

    @Test(
        arguments: [
            ("iss", #""issuer-2""#), ("iss", nil), ("aud", #""appstoreconnect-v2""#), ("aud", nil),
            ("aud", #"["appstoreconnect-v1"]"#), ("bid", #""example.other""#), ("bid", nil),
            ("exp", nil), ("exp", #""1790000300""#), ("exp", "1790000300.5"), ("exp", "1790000000"),
            ("exp", "1790003601"), ("exp", "1790000300000"), ("iat", "1790000061"),
            ("iat", "1789996699"), ("iat", "1790000400"), ("iat", #""1790000000""#), ("exp", "-1"),
        ] as [(String, String?)])
    func aClaimThatIsWrongIsRefused(_ claim: String, _ value: String?) throws {
        let developer = try Developer()
        let token = try developer.token { $0[claim] = value }
        #expect(try isRefused(developer, "Bearer \(token)"))
    }

    @Test(
        arguments: [
            ("exp", "1790000001"), ("exp", "1790003600"), ("iat", "1790000060"),
            ("iat", "1789996700"),
            // Apple's own Python client says no iat.
            ("iat", nil), ("nonce", #""x""#),
        ] as [(String, String?)])
    func whatIsJustRightIsTaken(_ claim: String, _ value: String?) throws {
        let developer = try Developer()
        let token = try developer.token { $0[claim] = value }
        let reply = try developer.send("GET", TokenTests.list, authorization: "Bearer \(token)")
        #expect(reply.status == 200)
    }

    @Test(arguments: [
        #"{"alg":"ES256","kid":"KEY2","typ":"JWT"}"#, #"{"alg":"ES256","typ":"JWT"}"#,
        #"{"alg":"ES256","kid":"KEY1"}"#, #"{"alg":"none","kid":"KEY1","typ":"JWT"}"#,
        #"{"alg":"HS256","kid":"KEY1","typ":"JWT"}"#, "[]", "x",
    ])
    func aHeaderThatIsWrongIsRefused(_ header: String) throws {
        let developer = try Developer()
        #expect(try isRefused(developer, "Bearer \(developer.token(header: header))"))
    }

    @Test func anotherKeyAndAnotherFormAreRefused() throws {
        let developer = try Developer()
        let stranger = try developer.token(key: try PrivateKey.generate())
        let token = try developer.token()
        let forms = [
            "Bearer \(stranger)", token, "bearer \(token)", "Basic \(token)", "Bearer ",
            "Bearer x", "Bearer \(token).x", "Bearer \(String(repeating: "x", count: 5000))", "",
        ]
        for form in forms { #expect(try isRefused(developer, form)) }
        #expect(developer.simulator.apiCallCounts.unauthenticated == forms.count)
    }

    @Test func anAppIsKnownByEnvironment() throws {
        let developer = try Developer { state in
            if state.environment == .production { state.bundleId = "example.other" }
        }
        let token = "Bearer \(try developer.token())"
        #expect(try isRefused(developer, token, in: .production))
        #expect(try developer.get(TokenTests.list).status == 200)
    }

    @Test func withoutAccessEverythingIsNotFoundWithoutABody() throws {
        let developer = try Developer { $0.hasRetentionMessagingAccess = false }
        let name = UUID().uuidString
        let calls = [
            ("PUT", "\(Developer.image)/\(name)"), ("DELETE", "\(Developer.image)/\(name)"),
            ("GET", "\(Developer.image)/list"), ("PUT", "\(Developer.message)/\(name)"),
            ("DELETE", "\(Developer.message)/\(name)"), ("GET", TokenTests.list),
            ("PUT", Developer.defaultPath()), ("GET", Developer.defaultPath()),
            ("DELETE", Developer.defaultPath()), ("PUT", Developer.url), ("GET", Developer.url),
            ("DELETE", Developer.url), ("POST", Developer.test),
            ("GET", "\(Developer.test)/result/\(name)"),
        ]
        for (method, path) in calls {
            let reply = try developer.send(method, path)
            #expect(reply.status == 404 && reply.body.isEmpty, "\(method) \(path)")
        }
        #expect(
            Set(developer.simulator.apiCalls().compactMap(\.endpoint))
                == Set(AppleEndpoint.allCases.filter { $0.api == .messaging }))
    }

    @Test func otherPathsAndMethodsAreNotThere() throws {
        let developer = try Developer()
        #expect(try developer.get("/inApps/v1/transaction/1").status == 404)
        #expect(try developer.get("\(AppleEndpoint.basePath)/").status == 404)
        #expect(try developer.send("POST", Developer.url).status == 405)
        let result = "\(Developer.test)/result/\(UUID())"
        for (method, path) in [("POST", Developer.test), ("GET", result)] {
            let reply = try developer.send(method, path, in: .production)
            #expect(reply.status == 404 && reply.body.isEmpty)
        }
    }

    @Test func twoAppsOfOneBundleAreRefused() throws {
        let developer = try Developer()
        var other = try #require(developer.state())
        other.appAppleId = 77
        #expect(throws: ControlError.self) { try developer.simulator.set(other) }
        other.bundleId = "example.other"
        try developer.simulator.set(other)
        other.bundleId = "example.third"
        try developer.simulator.set(other)
        other.appAppleId = 78
        other.bundleId = "example.other"
        try developer.simulator.set(other)
        other.appAppleId = 79
        other.environment = .production
        #expect(throws: ControlError.self) { try developer.simulator.set(other) }
    }
}
