package import FoundationEssentials
package import Signing

/// The first version of an offer's signature as a real-time answer carries it: an object beside the
/// values it was made over. Apple still takes it; new offers are signed in the second version.
/// Apple's page: retentionmessaging/promotionaloffersignaturev1.
package struct OfferSignatureV1: Sendable, Equatable {
    /// DER, in standard Base64, once.
    package let encodedSignature: String
    package let productId: String
    package let offerIdentifier: String
    package let keyId: String
    package let nonce: UUID
    /// UNIX milliseconds; Apple takes the signature for 24 hours after it.
    package let timestamp: Int64
    package let appAccountToken: UUID?

    /// UUIDs as they were signed, in lower case; an absent account token is left out.
    var json: JSONText {
        var object = JSONText()
        object.add("encodedSignature", encodedSignature)
        object.add("productId", productId)
        object.add("nonce", nonce.lowerCaseText)
        object.add("timestamp", timestamp)
        object.add("keyId", keyId)
        object.add("offerIdentifier", offerIdentifier)
        if let appAccountToken { object.add("appAccountToken", appAccountToken.lowerCaseText) }
        return object
    }
}

extension OfferSigner {
    /// Between the signed parts: U+2063, INVISIBLE SEPARATOR.
    private static let separator = Array("\u{2063}".utf8)
    /// Anything before 2001-09-09 is a time in seconds.
    private static let timestampMillisecondsLeast: Int64 = 1_000_000_000_000

    /// A signature of the first version for one answer. Apple's page:
    /// storekit/generating-a-signature-for-promotional-offers.
    /// - Parameters:
    ///   - appAccountToken: of the subscriber's purchases; absent, the empty text is signed in its
    ///     place.
    ///   - nonce: a new one for each signature: Apple takes it for one attempt to buy.
    ///   - nowMilliseconds: UNIX time.
    package func signatureV1(
        productId: String, offerIdentifier: String, appAccountToken: UUID?, nonce: UUID,
        nowMilliseconds: Int64
    ) throws(SigningError) -> OfferSignatureV1 {
        for (name, value) in [
            ("bundleId", bundleId), ("keyId", keyId), ("productId", productId),
            ("offerIdentifier", offerIdentifier),
        ] { try Self.requirePlain(value, name) }
        guard nowMilliseconds >= Self.timestampMillisecondsLeast else {
            throw SigningError(
                .fieldMalformed, "timestamp is no time in milliseconds; nothing is signed with it.")
        }
        let parts = [
            bundleId, keyId, productId, offerIdentifier, appAccountToken?.lowerCaseText ?? "",
            nonce.lowerCaseText, String(nowMilliseconds),
        ]
        let message = Array(parts.map { Array($0.utf8) }.joined(separator: Self.separator))
        return OfferSignatureV1(
            encodedSignature: Base64.encode(try key.signInDER(message)), productId: productId,
            offerIdentifier: offerIdentifier, keyId: keyId, nonce: nonce,
            timestamp: nowMilliseconds, appAccountToken: appAccountToken)
    }

    /// What is signed is joined, not framed: a separator inside a value would move its borders, and
    /// a blank in an identifier is a slip that only shows when the purchase fails.
    private static func requirePlain(_ value: String, _ name: String) throws(SigningError) {
        try JWTParts.require(value, name)
        let isPlain = value.unicodeScalars.allSatisfy {
            $0.value > 0x20 && $0.value != 0x7F && $0.value != 0x2063
                && !$0.properties.isWhitespace
        }
        guard isPlain else {
            throw SigningError(
                .fieldMalformed,
                "\(name) holds a blank, a control character or a separator; "
                    + "nothing is signed with it.")
        }
    }
}
