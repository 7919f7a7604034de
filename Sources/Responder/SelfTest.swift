internal import AppStore
internal import FoundationEssentials
internal import Retention
internal import Signing

/// What a responder does once before it takes work: it believes a request that a throw-away chain
/// signed, disbelieves one whose bytes were changed, decides, and signs an offer with a throw-away
/// key. A build or a machine on which one of these fails must not answer Apple.
package enum SelfTest {
    private static let product = "self.test.product"
    private static let offer = "self_test_offer"
    private static let app: Int64 = 1
    private static let validitySeconds: Int64 = 86_400
    /// Within the life of any such chain. Not the clock's: what is wrong with that is found
    /// elsewhere, and must not keep a responder from refusing what it should.
    private static let moment: Int64 = 1_800_000_000_000

    /// - Throws: `SelfTestFailed`.
    package static func run() throws(SelfTestFailed) {
        do {
            try check(moment)
        } catch let error as SelfTestFailed {
            throw error
        } catch {
            throw SelfTestFailed(step: "\(error)")
        }
    }

    private static func check(_ now: Int64) throws {
        let seconds = now / 1_000
        let chain = try CertificateAuthority.appleLike(
            name: "Self-test", leafValidity: seconds - validitySeconds...seconds + validitySeconds)
        let verifier = SignedDataVerifier(
            anchors: TrustAnchors(roots: [try Certificate(der: chain.root)]))
        let body = try body(signedBy: chain, now)
        let asked = try verifier.realtimeRequest(
            body: body, appAppleId: app, environment: StoreEnvironment.production.rawValue,
            nowMilliseconds: now)
        try require(asked.productId == product, "another request was read than was signed")
        var changed = body
        // In the signature, which ends before the closing quote and brace.
        changed[changed.count - 20] ^= 1
        let forged = try? verifier.realtimeRequest(
            body: changed, appAppleId: app, environment: StoreEnvironment.production.rawValue,
            nowMilliseconds: now)
        try require(forged == nil, "a changed request was believed")
        try decide(asked, at: now)
    }

    private static func decide(_ asked: RealtimeRequest, at now: Int64) throws {
        let key = try PrivateKey.generate()
        let (snapshot, identifier) = snapshot()
        let decision = ServingSnapshot(snapshot).decide(
            DecisionInputs(
                request: DecisionRequest(
                    productId: product, languages: ["en"], environment: .production),
                localeChain: ["en-US"], canSignOffers: true, now: Instant(milliseconds: now),
                bucket: { _ in 0 }))
        try require(
            decision.answer
                == .promotionalOffer(
                    identifier, productId: product, offerIdentifier: offer),
            "another answer was decided")
        let signer = try OfferSigner(
            issuerId: "self-test", keyId: "self-test", bundleId: "self.test", key: key)
        let signature = try signer.signatureV2(
            productId: product, offerIdentifier: offer,
            transactionId: asked.originalTransactionId, nonce: UUID(), nowMilliseconds: now)
        try require(
            try CompactJWS(Array(signature.utf8)).isSigned(by: key.publicKey),
            "the signature of an offer is not valid")
    }

    private static func body(signedBy chain: IssuedChain, _ now: Int64) throws -> [UInt8] {
        let payload = """
            {"originalTransactionId":"1","appAppleId":\(app),"productId":"\(product)",\
            "userLocale":"en-US","requestIdentifier":"\(UUID().uuidString.lowercased())",\
            "environment":"Production","signedDate":\(now)}
            """
        return Array(#"{"signedPayload":"\#(try chain.sign(Array(payload.utf8)))"}"#.utf8)
    }

    private static func snapshot() -> (Snapshot, messageIdentifier: UUID) {
        let (message, identifier) = (MessageID(UUID()), UUID())
        let rule = Rule(
            id: RuleID(UUID()), name: "self-test", when: .always,
            treatment: .promotionalOffer(
                message, productId: product, offerIdentifier: offer))
        let snapshot = Snapshot(
            tenant: TenantID(UUID()), app: AppID(UUID()), environment: .production, number: 1,
            bundleId: "self.test", appAppleId: app, defaultLocale: "en-US",
            endpointTokenHashes: [],
            products: [
                Product(
                    productId: product, subscriptionGroup: "1", period: "P1M", billingPlans: [])
            ],
            offers: [Offer(offerIdentifier: offer, productId: product, kind: .promotional)],
            messages: [
                ServedMessage(
                    id: message, kind: .promotionalOffer, placements: ["en-US": identifier])
            ],
            defaults: [], ruleSet: RuleSet(rules: [rule]), signingKey: nil)
        return (snapshot, identifier)
    }

    private static func require(_ isTrue: Bool, _ step: String) throws(SelfTestFailed) {
        if !isTrue { throw SelfTestFailed(step: step) }
    }
}

package struct SelfTestFailed: Error, CustomStringConvertible {
    package let step: String

    package var description: String {
        "the self-test failed: \(step); this build must not answer on this machine"
    }
}
