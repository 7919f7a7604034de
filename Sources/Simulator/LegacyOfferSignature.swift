import FoundationEssentials
import Signing

/// `promotionalOfferSignatureV1`, which Apple still takes
/// (`retentionmessaging/promotionaloffersignaturev1`,
/// `storekit/generating-a-signature-for-promotional-offers`).
package struct LegacyOfferSignature: Sendable, Equatable {
    /// An offer signed longer ago has expired.
    private static let lifetimeMilliseconds: Int64 = 24 * 3_600_000
    /// How far the developer's clock may be ahead.
    private static let toleranceMilliseconds: Int64 = 300_000
    /// U+2063 INVISIBLE SEPARATOR stands between the signed parts.
    private static let separator = "\u{2063}"

    var encodedSignature: String
    var productId: String
    var nonce: String
    var timestamp: Int64
    var keyId: String
    var offerIdentifier: String
    var appAccountToken: String?

    var offer: Offer { Offer(productId: productId, offerIdentifier: offerIdentifier) }

    func breaches(
        _ catalog: AppCatalog, _ request: RealtimeRequest, nowMilliseconds: Int64,
        isNewNonce: (UUID) -> Bool
    ) -> [RuleBreach] {
        guard let key = catalog.offerKey(keyId) else {
            let advice = "keyId names no In-App Purchase key of this developer."
            return [.init(.signatureKeyUnknown, advice)]
        }
        guard let der = Base64.decode(Array(encodedSignature.utf8)),
            let signature = RawSignature.bytes(der)
        else {
            return [
                .init(.signatureMalformed, "encodedSignature is the Base64 of a DER signature.")
            ]
        }
        guard key.key.isValid(signature, for: signedBytes(catalog.state.bundleId)) else {
            return [.init(.signatureInvalid, "The signature does not verify under the key.")]
        }
        return nonceBreaches(isNewNonce) + timeBreaches(nowMilliseconds)
            + offer.breaches(catalog, request)
    }

    private func signedBytes(_ bundleId: String) -> [UInt8] {
        let parts = [
            bundleId, keyId, productId, offerIdentifier, appAccountToken ?? "", nonce,
            String(timestamp),
        ]
        return Array(parts.joined(separator: LegacyOfferSignature.separator).utf8)
    }

    private func nonceBreaches(_ isNewNonce: (UUID) -> Bool) -> [RuleBreach] {
        let tokens = [nonce] + (appAccountToken.map { [$0] } ?? [])
        guard tokens.allSatisfy({ sameBytes(uuid($0)?.lowerCase ?? "", $0) }),
            let nonce = uuid(nonce)
        else {
            let advice = "nonce and appAccountToken are UUIDs in lower case."
            return [.init(.claimNonce, advice)]
        }
        return isNewNonce(nonce)
            ? [] : [.init(.nonceUsed, "The nonce was used before; make one per answer.")]
    }

    private func timeBreaches(_ nowMilliseconds: Int64) -> [RuleBreach] {
        let age = nowMilliseconds.subtractingReportingOverflow(timestamp)
        let isTimely =
            !age.overflow && age.partialValue <= LegacyOfferSignature.lifetimeMilliseconds
            && age.partialValue >= -LegacyOfferSignature.toleranceMilliseconds
        return isTimely
            ? [] : [.init(.claimIssuedAt, "timestamp is in milliseconds, 24 hours old at most.")]
    }
}

/// An ECDSA P-256 signature out of its DER form.
enum RawSignature {
    private static let numberBytes = 32

    /// R and S, 32 bytes each; nil for anything but the one DER form of two positive numbers.
    static func bytes(_ der: [UInt8]) -> [UInt8]? {
        guard der.count >= 2, der[0] == 0x30, Int(der[1]) == der.count - 2 else { return nil }
        var rest = der[2...]
        guard let r = takeNumber(&rest), let s = takeNumber(&rest), rest.isEmpty else { return nil }
        return r + s
    }

    private static func takeNumber(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        guard rest.popFirst() == 0x02, let length = rest.popFirst(), length > 0,
            Int(length) <= rest.count
        else { return nil }
        var digits = rest.prefix(Int(length))
        rest = rest.dropFirst(Int(length))
        guard let first = digits.first, first < 0x80 else { return nil }
        if first == 0, digits.count > 1 {
            digits = digits.dropFirst()
            // A leading zero is there only to keep the number positive.
            guard let second = digits.first, second >= 0x80 else { return nil }
        }
        guard digits.count <= numberBytes else { return nil }
        return [UInt8](repeating: 0, count: numberBytes - digits.count) + digits
    }
}
