import AppStore
import Signing
import Testing

/// The signed data of Apple's open-source libraries.
@Suite(.enabled(if: Files.vectorsArePresent, Files.absence))
struct VectorTests {
    private static func verifier() throws -> SignedDataVerifier {
        let root = try Certificate(der: Files.vector("mock-signed-data/testCA.der"))
        // These test chains lack key identifiers; Apple's libraries switch strictness off for them.
        return SignedDataVerifier(anchors: TrustAnchors(roots: [root], rules: .lenient))
    }

    private static func text(_ path: String) throws -> String {
        let bytes = try Files.vector(path)
        return String(decoding: bytes, as: UTF8.self)
            .trimmingSuffix { $0.isWhitespace }
    }

    @Test(arguments: ["testNotification", "transactionInfo", "renewalInfo"])
    func `signed mock data is verified as a JWS`(_ name: String) throws {
        let jws = try Self.text("mock-signed-data/\(name)")
        #expect(refusal(jws, try Self.verifier()) == nil)
        // ... and is no real-time request,
        #expect(refusal(Store.body(jws: jws), try Self.verifier()) == .wrongType)
        // and is not Apple's.
        let apple = SignedDataVerifier(anchors: try AppleRoot.anchors())
        #expect(refusal(jws, apple) == .chainUnknownRoot)
    }

    @Test func `a notification verified has the content that Apple's library reads`() throws {
        let jws = try Self.text("mock-signed-data/testNotification")
        let payload = try Self.verifier().verify(Array(jws.utf8))
        #expect(payload.signedDateMilliseconds == 1_681_314_324_000)
        let object = try JSONObject(payload.bytes)
        #expect(object.string("notificationType").map(Array.init) == Array("TEST".utf8))
    }

    @Test func `a header without x5c is refused`() throws {
        let jws = try Self.text("mock-signed-data/missingX5CHeaderClaim")
        #expect(refusal(jws, try Self.verifier()) == .chainMissing)
    }

    @Test func `data without a date is refused, unless the caller says when to judge it`() throws {
        let jws = try Self.text("mock-signed-data/wrongBundleId")
        #expect(refusal(jws, try Self.verifier()) == .payloadMalformed)
        let judged = try Self.verifier()
            .verify(Array(jws.utf8), undatedMilliseconds: 1_761_962_975_000)
        let data = try JSONObject(judged.bytes)
        #expect(data.string("notificationType").map(Array.init) == Array("TEST".utf8))
    }

    @Test func `the test chains do not pass the strict rules that are served`() throws {
        let root = try Certificate(der: Files.vector("mock-signed-data/testCA.der"))
        let strict = SignedDataVerifier(anchors: TrustAnchors(roots: [root]))
        let jws = try Self.text("mock-signed-data/testNotification")
        #expect(refusal(jws, strict) == .chainUnknownRoot, "its third certificate is another")
        let renewal = try Self.text("mock-signed-data/renewalInfo")
        #expect(refusal(renewal, strict) == .chainPathRefused)
    }

    @Test(arguments: [
        "xcode-signed-transaction", "xcode-signed-renewal-info", "xcode-signed-app-transaction",
    ])
    func `data signed by Xcode decodes and is never accepted`(_ name: String) throws {
        let jws = try Self.text("xcode/\(name)")
        let framed = try CompactJWS(Array(jws.utf8))
        #expect(try !JSONObject(framed.payload).members.isEmpty)
        #expect(try !JSONObject(framed.header).members.isEmpty)
        let apple = SignedDataVerifier(anchors: try AppleRoot.anchors())
        #expect(refusal(jws, apple) == .chainWrongLength)
        for environment in ["Production", "Sandbox"] {
            let code = refusal(Store.body(jws: jws), apple, environment: environment)
            #expect(code == .chainWrongLength)
        }
    }

    @Test func `Apple's own sample of a request has the fields we read`() throws {
        let sample = try Files.vector("models/decodedRealtimeRequest.json")
        let store = try Store()
        let body = Store.body(jws: try store.chain.sign(sample))
        // Of LocalTesting and of 2023: believed as to its shape, then refused.
        #expect(refusal(body, try store.verifier()) == .chainNotValidAtSigning)
        let fields = Store.fields(["environment": "\"LocalTesting\""])
        #expect(refusal(try store.body(fields), try store.verifier()) == .wrongEnvironment)
        let names = try JSONObject(sample).members.map { String(decoding: $0.key, as: UTF8.self) }
        #expect(Set(names) == Set(Store.fields().map(\.0)))
    }
}

extension String {
    fileprivate func trimmingSuffix(while predicate: (Character) -> Bool) -> String {
        var text = self[...]
        while let last = text.last, predicate(last) { text.removeLast() }
        return String(text)
    }
}
