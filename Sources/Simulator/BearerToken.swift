import Signing

/// The token of a call: an ES256 JWT by an In-App Purchase key, good for one app
/// (`appstoreserverapi/generating-json-web-tokens-for-api-requests`).
///
/// `iat` may be missing, since Apple's own Python client leaves it out; `exp` is then within 60
/// minutes from now.
struct BearerToken {
    private static let bytesLimit = 4096
    /// Longer is refused by Apple.
    private static let lifetimeSecondsLimit: Int64 = 3600
    /// How far the caller's clock may be ahead.
    private static let issuedAheadSecondsLimit: Int64 = 60

    struct Refusal: Error {
        var explanation: String

        init(_ explanation: String) { self.explanation = explanation }
    }

    private let jws: CompactJWS
    private let header: JSONValue
    private let claims: JSONValue
    /// The app that the token says it is for; nothing is verified yet.
    let bundleId: String

    init(authorization: String?) throws(Refusal) {
        guard let authorization else { throw Refusal("There is no Authorization field.") }
        let scheme = "Bearer "
        guard authorization.utf8.starts(with: scheme.utf8) else {
            throw Refusal("Authorization is not of the scheme Bearer.")
        }
        do {
            let compact = Array(authorization.utf8.dropFirst(scheme.utf8.count))
            jws = try CompactJWS(compact, limit: BearerToken.bytesLimit)
            header = try JSONValue(jws.header)
            claims = try JSONValue(jws.payload)
        } catch {
            throw Refusal("The token is no compact JWS of JSON texts.")
        }
        guard let bundleId = claims["bid"]?.text else { throw Refusal("bid is missing.") }
        self.bundleId = bundleId
    }

    /// Believes the token, or says why not.
    func verify(for app: AppCatalog?, nowSeconds: Int64) throws(Refusal) {
        guard let app else { throw Refusal("bid is no app in this environment.") }
        guard header["alg"]?.text == "ES256", header["typ"]?.text == "JWT" else {
            throw Refusal("The header is alg ES256 and typ JWT.")
        }
        guard let keyId = header["kid"]?.text, let key = app.offerKey(keyId) else {
            throw Refusal("kid names no In-App Purchase key of this developer.")
        }
        guard jws.isSigned(by: key.key) else {
            throw Refusal("The signature does not verify under the key that kid names.")
        }
        guard let issuer = claims["iss"]?.text, sameBytes(issuer, key.issuerId) else {
            throw Refusal("iss is not the issuer id that the key belongs to.")
        }
        guard claims["aud"]?.text == "appstoreconnect-v1" else {
            throw Refusal("aud is not appstoreconnect-v1.")
        }
        try verifyTimes(nowSeconds)
    }

    private func verifyTimes(_ nowSeconds: Int64) throws(Refusal) {
        guard let expiry = claims["exp"]?.integer, expiry < 1 << 40, expiry > 0 else {
            throw Refusal("exp is no whole number of seconds.")
        }
        guard expiry > nowSeconds else { throw Refusal("exp is past.") }
        var start = nowSeconds
        if let claim = claims["iat"] {
            guard let issued = claim.integer, issued > 0, issued < 1 << 40 else {
                throw Refusal("iat is no whole number of seconds.")
            }
            guard issued <= nowSeconds + BearerToken.issuedAheadSecondsLimit else {
                throw Refusal("iat is in the future.")
            }
            guard issued < expiry else { throw Refusal("exp is before iat.") }
            start = issued
        }
        guard expiry - start <= BearerToken.lifetimeSecondsLimit else {
            throw Refusal("exp is more than 60 minutes after iat.")
        }
    }
}
