package import FoundationEssentials
package import Signing

/// Signs promotional offers with an In-App Purchase key: here the second version of the signature,
/// a JWS; the first one is in `OfferSignatureV1.swift`. Apple's pages:
/// retentionmessaging/promotionaloffersignaturev2,
/// storekit/generating-jws-to-sign-app-store-requests.
package struct OfferSigner: Sendable {
    private let issuerId: String
    let keyId: String
    let bundleId: String
    let key: PrivateKey
    private let encodedHeader: [UInt8]

    /// - Parameters:
    ///   - issuerId: from App Store Connect, Users and Access, Integrations.
    ///   - keyId: of the In-App Purchase key (no App Store Connect API key signs offers).
    ///   - bundleId: of the app the offer is for.
    package init(
        issuerId: String, keyId: String, bundleId: String, key: PrivateKey
    ) throws(SigningError) {
        try JWTParts.require(issuerId, "issuerId")
        try JWTParts.require(keyId, "keyId")
        try JWTParts.require(bundleId, "bundleId")
        self.issuerId = issuerId
        self.keyId = keyId
        self.bundleId = bundleId
        self.key = key
        encodedHeader = JWTParts.encodedHeader(keyId: keyId)
    }

    /// A signature for one answer. There is no `exp`: Apple reckons the end from `iat`.
    /// - Parameters:
    ///   - transactionId: required in retention messaging: the request's `originalTransactionId`.
    ///   - nonce: a new one for each signature.
    ///   - nowMilliseconds: UNIX time; the claim is in seconds.
    package func signatureV2(
        productId: String, offerIdentifier: String, transactionId: String, nonce: UUID,
        nowMilliseconds: Int64
    ) throws(SigningError) -> String {
        try JWTParts.require(productId, "productId")
        try JWTParts.require(offerIdentifier, "offerIdentifier")
        try JWTParts.require(transactionId, "transactionId")
        var claims = JSONText()
        claims.add("iss", issuerId)
        claims.add("iat", nowMilliseconds / 1_000)
        claims.add("aud", "promotional-offer")
        claims.add("bid", bundleId)
        claims.add("nonce", nonce.lowerCaseText)
        claims.add("productId", productId)
        claims.add("offerIdentifier", offerIdentifier)
        claims.add("transactionId", transactionId)
        return try CompactJWS.sign(
            encodedHeader: encodedHeader, payload: claims.closed(), with: key)
    }
}
