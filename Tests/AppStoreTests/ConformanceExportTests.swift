import AppStore
import Foundation
import Signing
import Testing

/// Writes what Apple's own Python library is then to judge (`Tests/Conformance/*.py`): a signature
/// that only our own verifier accepts proves little. `deploy/test` names the folder.
@Suite(
    .enabled(
        if: Files.conformanceFolder != nil,
        "HOLDFAST_CONFORMANCE_DIRECTORY is not set: nothing to write for Apple's library"))
struct ConformanceExportTests {
    private static func write(_ rows: [[String: Any]], _ name: String) throws {
        let folder = URL(filePath: try #require(Files.conformanceFolder))
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let lines = try rows.map {
            try JSONSerialization.data(withJSONObject: $0, options: [.sortedKeys]) + Data("\n".utf8)
        }
        try Data(lines.joined()).write(to: folder.appending(path: name))
    }

    /// SIG-02 and SIG-07, for an independent judge.
    @Test func `two thousand offer signatures are written for an independent verifier`() throws {
        let key = try PrivateKey.generate()
        let publicKey = String(decoding: key.publicKey.pem(), as: UTF8.self)
        let signer = try OfferSigner(
            issuerId: "57246542-96fe-1a63-e053-0824d011072a", keyId: "2X9R4HXF34",
            bundleId: "com.example", key: key)
        let rows = try (0..<2_000).map { count -> [String: Any] in
            let nonce = UUID()
            // Every tenth carries text that JSON must escape.
            let offer = count % 10 == 0 ? "half \"price\" \\ é😀\t\(count)" : "offer.\(count)"
            let jws = try signer.signatureV2(
                productId: "com.example.product", offerIdentifier: offer,
                transactionId: "\(99_371_282 + count)", nonce: nonce,
                nowMilliseconds: Store.now + Int64(count))
            let claims: [String: Any] = [
                "iss": "57246542-96fe-1a63-e053-0824d011072a", "bid": "com.example",
                "aud": "promotional-offer", "iat": (Store.now + Int64(count)) / 1_000,
                "nonce": nonce.uuidString.lowercased(), "productId": "com.example.product",
                "offerIdentifier": offer, "transactionId": "\(99_371_282 + count)",
            ]
            return ["jws": jws, "publicKey": publicKey, "keyId": "2X9R4HXF34", "claims": claims]
        }
        let legacy = try (0..<2_000).map {
            try Self.legacyRow($0, signer, publicKey: publicKey)
        }
        try Self.write(rows + legacy, "offer_signatures.jsonl")
    }

    /// SIG-02 and SIG-05: a signature of the first version, with and without an account token.
    private static func legacyRow(
        _ count: Int, _ signer: OfferSigner, publicKey: String
    ) throws -> [String: Any] {
        let token = count % 2 == 0 ? UUID() : nil
        let signature = try signer.signatureV1(
            productId: "com.example.product", offerIdentifier: "offer.\(count)",
            appAccountToken: token, nonce: UUID(), nowMilliseconds: Store.now + Int64(count))
        let body = RealtimeResponse.promotionalOfferV1(id: UUID(), signature: signature).json()
        let json = try JSONSerialization.jsonObject(with: Data(body)) as? [String: [String: Any]]
        let object = try #require(json?["promotionalOffer"]?["promotionalOfferSignatureV1"])
        return [
            "legacy": object, "publicKey": publicKey, "bundleId": "com.example",
            "keyId": "2X9R4HXF34", "productId": "com.example.product",
            "offerIdentifier": "offer.\(count)", "timestamp": Store.now + Int64(count),
            "appAccountToken": token.map { $0.uuidString.lowercased() } ?? "",
        ]
    }

    @Test func `signed requests, good and bad, are written for Apple's library`() throws {
        let store = try Store()
        let stranger = try Store()
        let noLeafMarker = try Store(flaws: Self.flaws { $0.leafMarker = false })
        let noIntermediateMarker = try Store(flaws: Self.flaws { $0.intermediateMarker = false })
        let forged = try Store(flaws: Self.flaws { $0.leafSignature = false })
        var rows: [[String: Any]] = []
        for environment in ["Production", "Sandbox"] {
            for _ in 0..<10 {
                rows.append(try Self.row(store.chain, root: store.chain.root, environment))
            }
            let good = try Self.row(store.chain, root: store.chain.root, environment)
            for other in [noLeafMarker, noIntermediateMarker, forged] {
                var row = try Self.row(other.chain, root: other.chain.root, environment)
                row["expected"] = "VERIFICATION_FAILURE"
                rows.append(row)
            }
            var row = try Self.row(stranger.chain, root: store.chain.root, environment)
            row["expected"] = "VERIFICATION_FAILURE"
            rows.append(row)
            row = good
            row["environment"] = environment == "Sandbox" ? "Production" : "Sandbox"
            row["expected"] = "INVALID_ENVIRONMENT"
            rows.append(row)
            row = good
            row["signedPayload"] = try Self.otherSignature(good, store.chain)
            row["expected"] = "VERIFICATION_FAILURE"
            rows.append(row)
        }
        var row = try Self.row(store.chain, root: store.chain.root, "Production")
        row["appAppleId"] = 1
        row["expected"] = "INVALID_APP_IDENTIFIER"
        rows.append(row)
        try Self.write(rows, "signed_requests.jsonl")
    }

    private static func flaws(
        _ change: (inout CertificateAuthority.Flaws) -> Void
    ) -> CertificateAuthority.Flaws {
        var flaws = CertificateAuthority.Flaws()
        change(&flaws)
        return flaws
    }

    private static func row(
        _ chain: IssuedChain, root: [UInt8], _ environment: String
    ) throws -> [String: Any] {
        let identifier = UUID().uuidString.lowercased()
        let fields = Store.fields([
            "environment": "\"\(environment)\"", "requestIdentifier": "\"\(identifier)\"",
        ])
        let expected: [String: Any] = [
            "originalTransactionId": "99371282", "appAppleId": Store.appAppleId,
            "productId": "com.example.product", "userLocale": "en-US",
            "requestIdentifier": identifier, "environment": environment, "signedDate": Store.now,
        ]
        return [
            "root": Base64.encode(root), "signedPayload": try chain.sign(Store.json(fields)),
            "environment": environment, "appAppleId": Store.appAppleId, "expected": expected,
        ]
    }

    /// The header and payload of `row` under the signature of another payload.
    private static func otherSignature(_ row: [String: Any], _ chain: IssuedChain) throws -> String
    {
        let jws = try #require(row["signedPayload"] as? String)
        let other = try chain.sign(Store.json(Store.fields()))
        return String(jws.dropLast(86)) + other.suffix(86)
    }
}
