import FoundationEssentials
import Signing
import Simulator

/// One app as an agency would have it, with a flaw of every kind to name in an answer.
struct SampleApp {
    static let subscriber = "2000000123456789"
    static let nowMilliseconds: Int64 = 1_790_000_000_000
    static let appAppleId: Int64 = 1_234_567_890
    static let bundleId = "example.holdfast.meditation"
    static let monthly = "meditation.monthly"
    static let annual = "meditation.annual"
    static let foreign = "recipes.monthly"

    let plain = UUID(), withImage = UUID(), withBullets = UUID()
    let pending = UUID(), rejected = UUID(), withPendingImage = UUID(), withPendingBullet = UUID()
    let picture = UUID(), pendingPicture = UUID(), bullet = UUID(), pendingBullet = UUID()
    let key: PrivateKey

    init() throws {
        key = try PrivateKey.generate()
    }

    var state: AppState {
        AppState(
            appAppleId: SampleApp.appAppleId, environment: .production,
            bundleId: SampleApp.bundleId, realtimeURL: "https://holdfast.example/realtime/token",
            products: [
                .init(productId: SampleApp.monthly, subscriptionGroup: "meditation"),
                .init(
                    productId: SampleApp.annual, subscriptionGroup: "meditation",
                    billingPlans: ["MONTHLY", "BILLED_UPFRONT"]),
                .init(productId: SampleApp.foreign, subscriptionGroup: "recipes"),
            ],
            images: [
                image(picture, .approved, .fullSize), image(pendingPicture, .pending, .fullSize),
                image(bullet, .approved, .bulletPoint),
                image(pendingBullet, .rejected, .bulletPoint),
            ],
            messages: messages,
            defaults: [
                .init(
                    productId: SampleApp.monthly, locale: "en-US",
                    messageIdentifier: plain.uuidString)
            ],
            offerKeys: [
                .init(
                    keyId: "KEY1", issuerId: "issuer-1",
                    publicKeyPEM: String(decoding: key.publicKey.pem(), as: UTF8.self))
            ],
            promotionalOffers: [
                .init(productId: SampleApp.monthly, offerIdentifier: "half"),
                .init(productId: SampleApp.annual, offerIdentifier: "third"),
                .init(productId: SampleApp.foreign, offerIdentifier: "half"),
            ])
    }

    private var messages: [AppState.Message] {
        [
            message(plain), message(withImage, image: picture),
            message(withBullets, bullets: [bullet]), message(pending, .pending),
            message(rejected, .rejected), message(withPendingImage, image: pendingPicture),
            message(withPendingBullet, bullets: [bullet, pendingBullet]),
        ]
    }

    private func image(
        _ identifier: UUID, _ state: AppState.ReviewState, _ size: AppState.Image.Size
    ) -> AppState.Image {
        .init(imageIdentifier: identifier.uuidString, imageState: state, imageSize: size)
    }

    private func message(
        _ identifier: UUID, _ state: AppState.ReviewState = .approved, image: UUID? = nil,
        bullets: [UUID] = []
    ) -> AppState.Message {
        .init(
            messageIdentifier: identifier.uuidString.lowercased(), messageState: state,
            header: "Stay with us", body: "Your sessions are kept.",
            image: image.map { .init(imageIdentifier: $0.uuidString, altText: "A lake") },
            bulletPoints: bullets.map {
                .init(text: "New each week", imageIdentifier: $0.uuidString, altText: "A star")
            })
    }

    var request: RealtimeRequest {
        RealtimeRequest(
            originalTransactionId: SampleApp.subscriber, appAppleId: SampleApp.appAppleId,
            productId: SampleApp.monthly, userLocale: "en-US",
            requestIdentifier: UUID().uuidString.lowercased(), environment: .production,
            signedDate: SampleApp.nowMilliseconds)
    }

    func judge(
        isNewNonce: @escaping (UUID) -> Bool = { _ in true }
    ) throws -> AnswerJudge {
        AnswerJudge(
            catalog: try AppCatalog(state), request: request,
            url: "https://holdfast.example/realtime/token",
            nowMilliseconds: SampleApp.nowMilliseconds, isNewNonce: isNewNonce)
    }

    /// A right `promotionalOfferSignatureV2`, changed as told before it is signed.
    func offerSignature(
        header: String = #"{"alg":"ES256","kid":"KEY1","typ":"JWT"}"#,
        signedWith: PrivateKey? = nil,
        _ change: (inout [String: String]) -> Void = { _ in }
    ) throws -> String {
        var claims = [
            "iss": #""issuer-1""#, "iat": "1790000000", "aud": #""promotional-offer""#,
            "bid": "\"\(SampleApp.bundleId)\"", "nonce": "\"\(UUID().uuidString)\"",
            "productId": "\"\(SampleApp.monthly)\"", "offerIdentifier": #""half""#,
            "transactionId": "\"\(SampleApp.subscriber)\"",
        ]
        change(&claims)
        let payload = claims.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",")
        return try CompactJWS.sign(
            header: Array(header.utf8), payload: Array("{\(payload)}".utf8),
            with: signedWith ?? key)
    }

    func offerAnswer(_ signature: String, message: UUID? = nil) -> String {
        """
        {"promotionalOffer":{"messageIdentifier":"\(message ?? plain)",\
        "promotionalOfferSignatureV2":"\(signature)"}}
        """
    }
}

extension AnswerJudge {
    /// The verdict on a 200 answer in time.
    func judge(_ body: String) -> Verdict {
        judge(.complete(HTTPAnswer(status: 200, body: Array(body.utf8))), elapsed: .zero)
    }
}

extension Verdict {
    var rules: [RuleBreach.Rule] { broken.map(\.rule) }

    var shown: Display? {
        guard case .shown(let display) = outcome else { return nil }
        return display
    }

    var reason: FallbackReason? {
        guard case .fallback(let reason, _) = outcome else { return nil }
        return reason
    }
}
