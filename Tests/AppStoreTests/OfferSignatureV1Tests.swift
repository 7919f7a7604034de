import AppStore
import Foundation
import Signing
import Testing

/// The first version of offer signatures: SIG-02 in its DER half, and SIG-05.
@Suite struct OfferSignatureV1Tests {
    static let now: Int64 = 1_698_148_900_000

    static func message(
        _ signature: OfferSignatureV1, bundleId: String = "com.example"
    ) -> [UInt8] {
        let parts = [
            bundleId, signature.keyId, signature.productId, signature.offerIdentifier,
            signature.appAccountToken?.uuidString.lowercased() ?? "",
            signature.nonce.uuidString.lowercased(), "\(signature.timestamp)",
        ]
        return Array(parts.joined(separator: "\u{2063}").utf8)
    }

    /// R ‖ S of a signature in DER; nil unless it is the shortest DER of two positive numbers.
    static func raw(_ der: [UInt8]) -> [UInt8]? {
        guard der.count >= 8, der.count <= 72, der[0] == 0x30, Int(der[1]) == der.count - 2 else {
            return nil
        }
        var rest = der[2...]
        var raw: [UInt8] = []
        for _ in 0..<2 {
            guard rest.popFirst() == 0x02, let length = rest.popFirst(), length >= 1,
                length <= 33, rest.count >= Int(length)
            else { return nil }
            let number = Array(rest.prefix(Int(length)))
            rest = rest.dropFirst(Int(length))
            if number[0] >= 0x80 || (number[0] == 0 && (number.count == 1 || number[1] < 0x80)) {
                return nil
            }
            let digits = number[0] == 0 ? Array(number.dropFirst()) : number
            raw += [UInt8](repeating: 0, count: 32 - digits.count) + digits
        }
        return rest.isEmpty ? raw : nil
    }

    @Test func `two thousand signatures are canonical DER in one Base64, and valid`() throws {
        let key = try PrivateKey.generate()
        let signer = try OfferSignerTests.signer(key)
        var lengths: [Int: Int] = [:]
        for count in 0..<2_000 {
            let signature = try signer.signatureV1(
                productId: "com.example.product", offerIdentifier: "offer.\(count)",
                appAccountToken: count % 2 == 0 ? UUID() : nil, nonce: UUID(),
                nowMilliseconds: Self.now + Int64(count))
            // Decoded once it is the signature; Apple's stumble on text that was encoded twice.
            let der = try #require(Base64.decode(signature.encodedSignature.utf8))
            let raw = try #require(Self.raw(der))
            #expect(key.publicKey.isValid(raw, for: Self.message(signature)))
            lengths[der.count, default: 0] += 1
        }
        #expect(lengths.count > 2, "numbers of other lengths were among them: \(lengths)")
    }

    @Test func `the answer holds what was signed, its UUIDs in lower case`() throws {
        let key = try PrivateKey.generate()
        let token = UUID()
        let nonce = UUID()
        let signature = try OfferSignerTests.signer(key).signatureV1(
            productId: "com.example.product", offerIdentifier: "half", appAccountToken: token,
            nonce: nonce, nowMilliseconds: Self.now)
        let id = UUID()
        let body = RealtimeResponse.promotionalOfferV1(id: id, signature: signature).json()
        let json = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
        #expect(json?.count == 1)
        let offer = try #require(json?["promotionalOffer"] as? [String: Any])
        #expect(Set(offer.keys) == ["messageIdentifier", "promotionalOfferSignatureV1"])
        #expect(offer["messageIdentifier"] as? String == id.uuidString.lowercased())
        let object = try #require(offer["promotionalOfferSignatureV1"] as? [String: Any])
        #expect(
            Set(object.keys) == [
                "encodedSignature", "productId", "nonce", "timestamp", "keyId", "offerIdentifier",
                "appAccountToken",
            ])
        #expect(object["nonce"] as? String == nonce.uuidString.lowercased())
        #expect(object["appAccountToken"] as? String == token.uuidString.lowercased())
        #expect(object["timestamp"] as? Int64 == Self.now)
        #expect(object["keyId"] as? String == "2X9R4HXF34")
        #expect(object["productId"] as? String == "com.example.product")
        #expect(object["offerIdentifier"] as? String == "half")
    }

    @Test func `without an account token its place stays empty and its member is absent`() throws {
        let key = try PrivateKey.generate()
        let signature = try OfferSignerTests.signer(key).signatureV1(
            productId: "p", offerIdentifier: "o", appAccountToken: nil, nonce: UUID(),
            nowMilliseconds: Self.now)
        let text = String(decoding: Self.message(signature), as: UTF8.self)
        #expect(
            text.contains("\u{2063}o\u{2063}\u{2063}\(signature.nonce.uuidString.lowercased())"))
        let raw = try #require(Base64.decode(signature.encodedSignature.utf8).flatMap(Self.raw))
        #expect(key.publicKey.isValid(raw, for: Self.message(signature)))
        let body = RealtimeResponse.promotionalOfferV1(id: UUID(), signature: signature).json()
        #expect(!String(decoding: body, as: UTF8.self).contains("appAccountToken"))
    }

    @Test(arguments: ["", " ", "\n\t", "a b", "half ", " half", "a\u{2063}b", "a\u{0}", "a\u{A0}"])
    func `nothing is signed over an empty or blank value, and the value is named`(
        _ bad: String
    ) throws {
        let key = try PrivateKey.generate()
        func refusal(
            product: String = "p", offer: String = "o", bundle: String = "b", keyId: String = "k"
        ) -> SigningError? {
            do {
                let signer = try OfferSigner(
                    issuerId: "i", keyId: keyId, bundleId: bundle, key: key)
                _ = try signer.signatureV1(
                    productId: product, offerIdentifier: offer, appAccountToken: nil,
                    nonce: UUID(), nowMilliseconds: Self.now)
            } catch { return error }
            return nil
        }
        #expect(refusal() == nil)
        let refusals = [
            ("productId", refusal(product: bad)), ("offerIdentifier", refusal(offer: bad)),
            ("bundleId", refusal(bundle: bad)), ("keyId", refusal(keyId: bad)),
        ]
        for (name, error) in refusals {
            let error = try #require(error, "\(name)")
            #expect([.fieldEmpty, .fieldMalformed].contains(error.code))
            #expect(error.message.hasPrefix(name))
        }
    }

    @Test(arguments: [0, -1, Int64.min, 1_698_148_900, 999_999_999_999])
    func `a time in seconds, or none, is not signed`(_ time: Int64) throws {
        let signer = try OfferSignerTests.signer(PrivateKey.generate())
        #expect {
            try signer.signatureV1(
                productId: "p", offerIdentifier: "o", appAccountToken: nil, nonce: UUID(),
                nowMilliseconds: time)
        } throws: { error in
            (error as? SigningError)?.code == .fieldMalformed
                && (error as? SigningError)?.message.hasPrefix("timestamp") == true
        }
    }
}
