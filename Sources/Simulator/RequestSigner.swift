package import Signing

/// Signs as the App Store signs: ES256 under a chain of three certificates of the simulator's own,
/// whose header holds `alg` and `x5c` and no `kid`. A service that is to believe it must be
/// given the root by an explicit setting.
package struct RequestSigner: Sendable {
    /// Three years before the start, so that what customers did in the past can be signed as of
    /// then; two years after it, as Apple's leaves.
    private static let leafBackdatingSeconds: Int64 = 3 * 365 * 86_400
    private static let leafLifetimeSeconds: Int64 = 2 * 365 * 86_400

    let chain: IssuedChain

    /// Makes a new root, intermediate and leaf.
    package init(nowSeconds: Int64, name: String = "Holdfast Simulator") throws(SigningError) {
        chain = try CertificateAuthority.appleLike(
            name: name, leafValidity: RequestSigner.leafValidity(nowSeconds))
    }

    init(chain: IssuedChain) {
        self.chain = chain
    }

    static func leafValidity(_ nowSeconds: Int64) -> ClosedRange<Int64> {
        nowSeconds - leafBackdatingSeconds...nowSeconds + leafLifetimeSeconds
    }

    /// The root in DER.
    package var rootCertificate: [UInt8] { chain.root }

    /// `{"signedPayload": "…"}` for a request: the whole body that Apple posts.
    package func body(of request: RealtimeRequest) throws(SigningError) -> [UInt8] {
        try body(ofPayload: request.json)
    }

    func body(ofPayload payload: JSONValue) throws(SigningError) -> [UInt8] {
        RequestSigner.body(signedPayload: try chain.sign(payload.bytes))
    }

    static func body(signedPayload: String) -> [UInt8] {
        JSONValue.object([.init(name: "signedPayload", value: .string(signedPayload))]).bytes
    }
}

extension RealtimeRequest {
    /// Apple's seven fields.
    package var json: JSONValue {
        .object([
            .init(name: "originalTransactionId", value: .string(originalTransactionId)),
            .init(name: "appAppleId", value: .whole(appAppleId)),
            .init(name: "productId", value: .string(productId)),
            .init(name: "userLocale", value: .string(userLocale)),
            .init(name: "requestIdentifier", value: .string(requestIdentifier)),
            .init(name: "environment", value: .string(environment.rawValue)),
            .init(name: "signedDate", value: .whole(signedDate)),
        ])
    }
}
