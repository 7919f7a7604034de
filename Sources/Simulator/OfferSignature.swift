import FoundationEssentials
import Signing

/// Apple's rules for `promotionalOfferSignatureV2` in a real-time answer
/// (`storekit/generating-jws-to-sign-app-store-requests`, `retentionmessaging/promotionaloffer`).
///
/// Apple says which claims there are and not that it ignores others, so others are refused. How
/// far `iat` may be from now is not documented for V2; five minutes either way is asked here.
struct OfferSignature {
    private static let compactBytesLimit = 8192
    private static let issuedAtToleranceSeconds: Int64 = 300
    private static let claims = [
        "iss", "iat", "aud", "bid", "nonce", "productId", "offerIdentifier", "transactionId",
    ]

    var catalog: AppCatalog
    var request: RealtimeRequest
    var nowSeconds: Int64
    /// Remembers the nonce and says whether it was new.
    var isNewNonce: (UUID) -> Bool

    /// What is offered, where it can be read, and every rule broken. The claims of a signature
    /// that does not verify are not looked at: anybody could have written them.
    func judge(_ compact: String) -> (offer: Offer?, breaches: [RuleBreach]) {
        do {
            let claims = try verifiedClaims(compact)
            let breaches = identityBreaches(claims) + timeBreaches(claims) + offerBreaches(claims)
            guard let productId = claims["productId"]?.text,
                let offerIdentifier = claims["offerIdentifier"]?.text
            else { return (nil, breaches) }
            return (Offer(productId: productId, offerIdentifier: offerIdentifier), breaches)
        } catch {
            return (nil, [error])
        }
    }

    private func verifiedClaims(_ compact: String) throws(RuleBreach) -> JSONValue {
        let jws: CompactJWS
        let header: JSONValue
        let claims: JSONValue
        do {
            jws = try CompactJWS(Array(compact.utf8), limit: OfferSignature.compactBytesLimit)
            header = try JSONValue(jws.header)
            claims = try JSONValue(jws.payload)
        } catch {
            throw RuleBreach(
                .signatureMalformed, "The signature is a compact JWS: three base64url parts.")
        }
        let key = try knownKey(header)
        guard key.key.isValid(jws.signature, for: jws.signingInput) else {
            throw RuleBreach(
                .signatureInvalid, "The signature does not verify under the key that kid names.")
        }
        guard let issuer = claims["iss"]?.text, sameBytes(issuer, key.issuerId) else {
            throw RuleBreach(.claimIssuer, "iss is the issuer id that the key belongs to.")
        }
        return claims
    }

    private func knownKey(_ header: JSONValue) throws(RuleBreach) -> AppCatalog.KnownOfferKey {
        guard case .object(let members) = header, members.count == 3,
            header["alg"]?.text == "ES256", header["typ"]?.text == "JWT",
            let keyId = header["kid"]?.text
        else {
            throw RuleBreach(.signatureHeader, "The header is alg ES256, kid and typ JWT.")
        }
        guard let key = catalog.offerKey(keyId) else {
            throw RuleBreach(
                .signatureKeyUnknown, "kid names no In-App Purchase key of this developer.")
        }
        return key
    }

    private func identityBreaches(_ claims: JSONValue) -> [RuleBreach] {
        var breaches: [RuleBreach] = []
        if claims["aud"]?.text != "promotional-offer" {
            breaches.append(.init(.claimAudience, "aud is promotional-offer."))
        }
        if !has(claims, "bid", catalog.state.bundleId) {
            breaches.append(.init(.claimBundle, "bid is the bundle id of the app."))
        }
        if !has(claims, "transactionId", request.originalTransactionId) {
            breaches.append(
                .init(
                    .claimTransaction,
                    "transactionId is required and is the request's originalTransactionId."))
        }
        if case .object(let members) = claims {
            for member in members
            where !OfferSignature.claims.contains(where: { sameBytes($0, member.name) }) {
                breaches.append(
                    member.name == "exp"
                        ? .init(.claimExpiry, "There is no exp: Apple reckons it from iat.")
                        : .init(.claimUnknown, "There is a claim that Apple does not name."))
            }
        }
        return breaches
    }

    private func timeBreaches(_ claims: JSONValue) -> [RuleBreach] {
        var breaches: [RuleBreach] = []
        if let nonce = claims["nonce"]?.text.flatMap(uuid) {
            if !isNewNonce(nonce) {
                breaches.append(
                    .init(.nonceUsed, "The nonce was used before; make one per answer."))
            }
        } else {
            breaches.append(.init(.claimNonce, "nonce is a UUID of 36 characters."))
        }
        guard let issuedAt = claims["iat"]?.integer else {
            return breaches + [.init(.claimIssuedAt, "iat is a whole number of seconds.")]
        }
        let age = nowSeconds.subtractingReportingOverflow(issuedAt)
        if age.overflow || age.partialValue.magnitude > OfferSignature.issuedAtToleranceSeconds {
            let isMilliseconds = issuedAt / 1000 > nowSeconds - 86_400
            breaches.append(
                .init(
                    .claimIssuedAt,
                    isMilliseconds
                        ? "iat is in milliseconds; Apple reads seconds."
                        : "iat is more than five minutes from now."))
        }
        return breaches
    }

    private func offerBreaches(_ claims: JSONValue) -> [RuleBreach] {
        guard let productId = claims["productId"]?.text,
            let offerIdentifier = claims["offerIdentifier"]?.text
        else {
            return [
                .init(.claimMissing, "productId and offerIdentifier are strings in the claims.")
            ]
        }
        let offer = Offer(productId: productId, offerIdentifier: offerIdentifier)
        return offer.breaches(catalog, request)
    }

    private func has(_ claims: JSONValue, _ name: String, _ wanted: String) -> Bool {
        claims[name]?.text.map { sameBytes($0, wanted) } ?? false
    }
}
