import Signing
import Testing

@Suite struct CompactJWSTests {
    private static let header = Array(#"{"alg":"ES256"}"#.utf8)

    @Test func `what was signed is cut up again, in payloads of every length class`() throws {
        let key = try PrivateKey.generate()
        for length in 0...9 {
            let payload = [UInt8](repeating: 0xFB, count: length)
            let text = try CompactJWS.sign(header: Self.header, payload: payload, with: key)
            let jws = try CompactJWS(Array(text.utf8))
            #expect(jws.payload == payload)
            #expect(try jws.header == Self.header)
            #expect(jws.signature.count == 64)
            #expect(jws.isSigned(by: key.publicKey))
            #expect(!text.contains("="))
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            #expect(Array(jws.headerBytes) == Array(parts[0].utf8))
            #expect(Array(jws.signingInput) == Array("\(parts[0]).\(parts[1])".utf8))
        }
    }

    @Test func `a slice out of a larger body is read in place`() throws {
        let key = try PrivateKey.generate()
        let text = Array(try CompactJWS.sign(header: Self.header, payload: [1], with: key).utf8)
        let body = Array("{\"signedPayload\":\"".utf8) + text + Array("\"}".utf8)
        let jws = try CompactJWS(body[18..<(18 + text.count)])
        #expect(jws.isSigned(by: key.publicKey))
        #expect(jws.payload == [1])
    }

    @Test func `each fault of framing has a code`() throws {
        let key = try PrivateKey.generate()
        let text = try CompactJWS.sign(header: Self.header, payload: [1, 2], with: key)
        func code(_ text: String, limit: Int = CompactJWS.bytesLimit) -> SigningError.Code? {
            signingCode { _ = try CompactJWS(Array(text.utf8), limit: limit) }
        }
        #expect(code(text) == nil)
        #expect(code(text, limit: text.count) == nil)
        #expect(code(text, limit: text.count - 1) == .jwsTooLong)
        #expect(code("") == .jwsSegmentCount)
        #expect(code("a.b") == .jwsSegmentCount)
        #expect(code(text + ".") == .jwsSegmentCount)
        #expect(code("..") == .jwsSignatureLength)
        #expect(code(String(text.dropLast())) == .jwsSignatureLength)
        #expect(code(String(text.dropLast()) + "*") == .jwsEncoding)
        #expect(code(String(text.dropLast(87)) + "=" + text.suffix(87)) == .jwsEncoding)
    }
}
