import AppStore
import Signing
import Testing

/// JWS-04: of all the spellings of one signed object the standard one is believed, and no other.
@Suite struct CompactFormTests {
    /// A chain whose certificates show every difference between the dialects: `+`, `/` and `=`.
    private static func store() throws -> Store {
        for _ in 0..<200 {
            let store = try Store()
            let text = store.chain.x5c.map(Base64.encode).joined()
            if text.contains("+"), text.contains("/"), text.contains("=") { return store }
        }
        throw NoSuchChain()
    }

    private struct NoSuchChain: Error {}

    private static func header(_ alg: String?, x5c: [String], more: String = "") -> [UInt8] {
        let list = x5c.map { "\"\($0)\"" }.joined(separator: ",")
        let algorithm = alg.map { "\"alg\":\"\($0)\"," } ?? ""
        return Array("{\(algorithm)\(more)\"x5c\":[\(list)]}".utf8)
    }

    private static let payload = Store.json(Store.fields())

    @Test func `the standard form is believed`() throws {
        let store = try Self.store()
        #expect(refusal(try store.chain.sign(Self.payload), try store.verifier()) == nil)
    }

    @Test func `certificates in the other dialect, or without padding, are refused`() throws {
        let store = try Self.store()
        let standard = store.chain.x5c.map(Base64.encode)
        let url = store.chain.x5c.map(Base64URL.encode)
        let urlPadded = standard.map {
            String($0.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
        }
        let unpadded = standard.map { String($0.prefix { $0 != "=" }) }
        let blanks = standard.map { $0.prefix(64) + "\\n" + $0.dropFirst(64) }.map(String.init)
        for x5c in [url, urlPadded, unpadded, blanks, standard.map { $0 + "=" }] {
            let jws = try CompactJWS.sign(
                header: Self.header("ES256", x5c: x5c), payload: Self.payload,
                with: store.chain.leafKey)
            #expect(refusal(jws, try store.verifier()) == .chainCertificateMalformed)
        }
    }

    @Test func `an algorithm other than ES256 is refused, whatever its signature`() throws {
        let store = try Self.store()
        let x5c = store.chain.x5c.map(Base64.encode)
        for alg in [
            "none", "None", "HS256", "RS256", "es256", "ES256 ", "ES384", "ES512", "PS256", "", nil,
        ] {
            let jws = try CompactJWS.sign(
                header: Self.header(alg, x5c: x5c), payload: Self.payload,
                with: store.chain.leafKey)
            #expect(refusal(jws, try store.verifier()) == .algorithmRefused, "\(alg ?? "-")")
        }
        for more in ["\"alg\":\"none\",", "\"al\\u0067\":\"none\","] {
            let jws = try CompactJWS.sign(
                header: Self.header("ES256", x5c: x5c, more: more), payload: Self.payload,
                with: store.chain.leafKey)
            #expect(refusal(jws, try store.verifier()) == .headerMalformed)
        }
    }

    @Test func `crit is refused; keys and addresses a sender puts in the header are ignored`()
        throws
    {
        let store = try Self.store()
        let x5c = store.chain.x5c.map(Base64.encode)
        func code(_ more: String, key: PrivateKey) throws -> VerificationError.Code? {
            let jws = try CompactJWS.sign(
                header: Self.header("ES256", x5c: x5c, more: more), payload: Self.payload,
                with: key)
            return refusal(jws, try store.verifier())
        }
        let key = store.chain.leafKey
        #expect(
            try code("\"crit\":[\"b64\"],\"b64\":false,", key: key) == .criticalExtensionRefused)
        #expect(try code("\"crit\":[],", key: key) == .criticalExtensionRefused)
        let stranger = try PrivateKey.generate()
        let point = stranger.publicKey.der().suffix(64)
        let (x, y) = (Base64URL.encode(point.prefix(32)), Base64URL.encode(point.suffix(32)))
        let jwk = "\"jwk\":{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"\(x)\",\"y\":\"\(y)\"},"
        for more in [
            jwk, "\"jku\":\"http://127.0.0.1:1/keys\",", "\"x5u\":\"http://127.0.0.1:1/c\",",
            "\"kid\":\"K\",\"typ\":\"JWT\",",
        ] {
            #expect(try code(more, key: key) == nil, "\(more.prefix(8))")
            #expect(try code(more, key: stranger) == .badSignature, "\(more.prefix(8))")
        }
    }

    @Test func `x5c must be an array of exactly three strings`() throws {
        let store = try Self.store()
        let good = store.chain.x5c.map { "\"\(Base64.encode($0))\"" }
        func code(_ x5c: String) throws -> VerificationError.Code? {
            let header = Array("{\"alg\":\"ES256\"\(x5c)}".utf8)
            let jws = try CompactJWS.sign(
                header: header, payload: Self.payload, with: store.chain.leafKey)
            return refusal(jws, try store.verifier())
        }
        let all = good.joined(separator: ",")
        #expect(try code(",\"x5c\":[\(all)]") == nil)
        #expect(try code("") == .chainMissing)
        #expect(try code(",\"x5cwrong\":[\(all)]") == .chainMissing)
        #expect(try code(",\"x5c\":null") == .chainMissing)
        #expect(try code(",\"x5c\":\(good[0])") == .chainMissing)
        #expect(try code(",\"x5c\":[\(good[0]),\(good[1]),null]") == .chainMissing)
        #expect(try code(",\"x5c\":[\(good[0]),\(good[1]),[\(good[2])]]") == .chainMissing)
        #expect(try code(",\"x5c\":[]") == .chainWrongLength)
        #expect(try code(",\"x5c\":[\(good[0])]") == .chainWrongLength)
        #expect(try code(",\"x5c\":[\(good[0]),\(good[1])]") == .chainWrongLength)
        #expect(try code(",\"x5c\":[\(all),\(good[2])]") == .chainWrongLength)
        let reversed = good.reversed().joined(separator: ",")
        #expect(try code(",\"x5c\":[\(reversed)]") == .chainUnknownRoot)
        let empty = "\(good[0]),\"\",\(good[2])"
        #expect(try code(",\"x5c\":[\(empty)]") == .chainCertificateMalformed)
    }

    @Test func `another number of segments is refused`() throws {
        let store = try Self.store()
        let verifier = try store.verifier()
        let jws = try store.chain.sign(Self.payload)
        let parts = jws.split(separator: ".").map(String.init)
        for text in [
            "", ".", "..", "...", parts[0], "\(parts[0]).\(parts[1])", "\(jws).", ".\(jws)",
            "\(jws).\(parts[2])", "\(parts[0])..\(parts[2])", ".\(parts[1]).\(parts[2])",
            "\(parts[0]).\(parts[1]).", jws + " ", " " + jws, jws + "\n",
        ] {
            #expect(refusal(text, verifier) != nil, "\(text.suffix(20))")
        }
    }

    @Test func `a signature in any form but 64 canonical bytes is refused`() throws {
        let store = try Self.store()
        let verifier = try store.verifier()
        var jws = ""
        // A signature whose base64url differs from its standard spelling.
        repeat { jws = try store.chain.sign(Self.payload) } while !jws.suffix(86).contains("_")
        #expect(refusal(jws, verifier) == nil)
        let head = String(jws.dropLast(86))
        let text = String(jws.suffix(86))
        let raw = try #require(Base64URL.decode(text.utf8))
        let other = String(text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
        var wrong = [
            "", other, text + "==", text + "=", String(text.dropLast()), text + "A", "AAAA",
            Base64URL.encode(Forger.der(raw)), Base64URL.encode(raw.prefix(63)),
            Base64URL.encode(raw + [0]), Base64URL.encode([0] + raw),
            Base64URL.encode(raw.suffix(32) + raw.prefix(32)),
            Base64URL.encode([UInt8](repeating: 0, count: 64)),
            Base64URL.encode([UInt8](repeating: 0xFF, count: 64)),
            Base64URL.encode(raw.prefix(32) + [UInt8](repeating: 0, count: 32)),
            String(repeating: "A", count: 1_000_000), Base64URL.encode(raw + raw),
        ]
        // 64 bytes leave four unused bits in the last character: fifteen more spellings.
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let last = try #require(alphabet.firstIndex(of: text.last ?? "A"))
        wrong += (1..<16).map { String(text.dropLast()) + String(alphabet[last ^ $0]) }
        for signature in wrong { #expect(refusal(head + signature, verifier) != nil) }
        #expect(refusal(head + text, verifier) == nil)
    }

    @Test func `payload and header in padded or non-canonical spelling are refused`() throws {
        let store = try Self.store()
        for length in 0..<3 {
            let fields = Store.fields(["pad": "\"\(String(repeating: "p", count: length))\""])
            let jws = try store.chain.sign(Store.json(fields))
            let verifier = try store.verifier()
            #expect(refusal(jws, verifier) == nil, "payloads of every length class are read")
            let parts = jws.split(separator: ".").map(String.init)
            let padding = String(repeating: "=", count: (4 - parts[1].count % 4) % 4)
            for payload in [parts[1] + padding + "=", parts[1] + "A", parts[1] + "\\n"] {
                #expect(refusal("\(parts[0]).\(payload).\(parts[2])", verifier) != nil)
            }
            for header in [parts[0] + "=", parts[0] + "A", "A" + parts[0], parts[0] + "+/"] {
                #expect(refusal("\(header).\(parts[1]).\(parts[2])", verifier) != nil)
            }
        }
    }

    @Test func `a header that was padded before signing is refused, though its signature is true`()
        throws
    {
        let store = try Self.store()
        var header = Base64URL.encodedBytes(store.chain.jwsHeader + Array(" ".utf8))
        while header.count % 4 == 0 {
            header = Base64URL.encodedBytes(store.chain.jwsHeader + randomBlanks())
        }
        header += Array("==".utf8).prefix(4 - header.count % 4)
        let jws = try CompactJWS.sign(
            encodedHeader: header, payload: Self.payload, with: store.chain.leafKey)
        #expect(refusal(jws, try store.verifier()) == .jwsMalformed)
    }

    private func randomBlanks() -> [UInt8] {
        [UInt8](repeating: UInt8(ascii: " "), count: Int.random(in: 1...5))
    }
}
