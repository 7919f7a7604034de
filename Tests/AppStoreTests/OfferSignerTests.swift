import AppStore
import Foundation
import Signing
import Testing

@Suite struct OfferSignerTests {
    static func signer(_ key: PrivateKey) throws -> OfferSigner {
        try OfferSigner(
            issuerId: "57246542-96fe-1a63-e053-0824d011072a", keyId: "2X9R4HXF34",
            bundleId: "com.example", key: key)
    }

    static func claims(_ jws: String) throws -> [String: String] {
        let payload = try JSONObject(CompactJWS(Array(jws.utf8)).payload)
        var claims: [String: String] = [:]
        for member in payload.members {
            let key = String(decoding: member.key, as: UTF8.self)
            switch member.value {
            case .string(let text): claims[key] = String(decoding: text, as: UTF8.self)
            case .integer(let value): claims[key] = "#\(value)"
            default: Issue.record("claim \(key) has another type")
            }
        }
        return claims
    }

    /// SIG-07.
    @Test func `the claims are exactly Apple's, in their types`() throws {
        let key = try PrivateKey.generate()
        let nonce = UUID()
        let jws = try Self.signer(key).signatureV2(
            productId: "com.example.product", offerIdentifier: "half-price",
            transactionId: "99371282", nonce: nonce, nowMilliseconds: 1_698_148_900_999)
        let framed = try CompactJWS(Array(jws.utf8))
        #expect(framed.isSigned(by: key.publicKey))
        #expect(
            try String(decoding: framed.header, as: UTF8.self)
                == #"{"alg":"ES256","kid":"2X9R4HXF34","typ":"JWT"}"#)
        #expect(
            try Self.claims(jws) == [
                "iss": "57246542-96fe-1a63-e053-0824d011072a", "iat": "#1698148900",
                "aud": "promotional-offer", "bid": "com.example",
                "nonce": nonce.uuidString.lowercased(), "productId": "com.example.product",
                "offerIdentifier": "half-price", "transactionId": "99371282",
            ])
    }

    @Test func `two subscribers, and one subscriber twice, get signatures of their own`() throws {
        let signer = try Self.signer(PrivateKey.generate())
        let signatures = try ["1", "1", "2"].map {
            try signer.signatureV2(
                productId: "other.product.of.the.group", offerIdentifier: "o", transactionId: $0,
                nonce: UUID(), nowMilliseconds: 1_000)
        }
        let claims = try signatures.map(Self.claims)
        #expect(Set(claims.compactMap { $0["nonce"] }).count == 3)
        #expect(claims.map { $0["transactionId"] } == ["1", "1", "2"])
        #expect(Set(signatures).count == 3)
    }

    @Test(arguments: ["", " ", "\n\t", "\u{0}"])
    func `an empty value is refused by its name`(_ empty: String) throws {
        let key = try PrivateKey.generate()
        let signer = try Self.signer(key)
        func message(_ body: () throws -> Void) -> String? {
            do { try body() } catch let error as SigningError where error.code == .fieldEmpty {
                return error.message
            } catch {}
            return nil
        }
        func sign(_ product: String, _ offer: String, _ transaction: String) throws {
            _ = try signer.signatureV2(
                productId: product, offerIdentifier: offer, transactionId: transaction,
                nonce: UUID(), nowMilliseconds: 0)
        }
        func make(_ issuer: String, _ keyId: String, _ bundle: String) throws {
            _ = try OfferSigner(issuerId: issuer, keyId: keyId, bundleId: bundle, key: key)
        }
        #expect(message { try sign(empty, "o", "t") }?.hasPrefix("productId") == true)
        #expect(message { try sign("p", empty, "t") }?.hasPrefix("offerIdentifier") == true)
        #expect(message { try sign("p", "o", empty) }?.hasPrefix("transactionId") == true)
        #expect(message { try make(empty, "k", "b") }?.hasPrefix("issuerId") == true)
        #expect(message { try make("i", empty, "b") }?.hasPrefix("keyId") == true)
        #expect(message { try make("i", "k", empty) }?.hasPrefix("bundleId") == true)
        #expect(message { try sign("p", "o", "t") } == nil)
    }

    /// SIG-02: one signature in about 128 has a leading zero in r or s; all have 64 bytes.
    @Test func `two thousand signatures have 64 bytes each and are valid`() throws {
        let key = try PrivateKey.generate()
        let signer = try Self.signer(key)
        var zeroR = 0
        var zeroS = 0
        var count = 0
        while count < 2_000 || zeroR == 0 || zeroS == 0 {
            let jws = try signer.signatureV2(
                productId: "p", offerIdentifier: "o", transactionId: "\(count)", nonce: UUID(),
                nowMilliseconds: Store.now)
            let last = try #require(jws.utf8.lastIndex(of: UInt8(ascii: ".")))
            let signature = try #require(Base64URL.decode(jws.utf8[last...].dropFirst()))
            #expect(signature.count == 64)
            #expect(try CompactJWS(Array(jws.utf8)).isSigned(by: key.publicKey))
            if signature[0] == 0 { zeroR += 1 }
            if signature[32] == 0 { zeroS += 1 }
            count += 1
            try #require(count < 20_000, "no leading zero in 20,000 signatures")
        }
    }
}
