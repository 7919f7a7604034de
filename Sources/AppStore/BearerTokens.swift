package import Retention
package import Signing
internal import Synchronization

/// Makes the tokens that calls of Apple's API show, and remembers each for some minutes: a call
/// needs no signature of its own.
///
/// Source: developer.apple.com/documentation/appstoreserverapi, its page
/// generating-json-web-tokens-for-api-requests
package final class BearerTokens: Sendable {
    /// Whose token it is. Two tenants of one app have two tokens.
    package struct Holder: Hashable, Sendable {
        package let tenant: TenantID
        package let app: AppID
        package let environment: StoreEnvironment
        package let keyId: String

        package init(
            tenant: TenantID, app: AppID, environment: StoreEnvironment, keyId: String
        ) {
            self.tenant = tenant
            self.app = app
            self.environment = environment
            self.keyId = keyId
        }
    }

    /// Tokens remembered at once; past it the oldest is forgotten.
    package static let tokensLimit = 2_048
    /// `iat` lies this far back: Apple's clock may be behind ours.
    package static let backdatingSeconds: Int64 = 30
    /// From `iat` to `exp`. Apple allows an hour.
    package static let lifeSeconds: Int64 = 15 * 60
    package static let rememberedMilliseconds: Int64 = 10 * 60_000
    /// Of its life, when it is handed out.
    package static let leastLeftMilliseconds: Int64 = 2 * 60_000

    private struct Entry: Sendable {
        let token: BearerToken
        let mintedAt: Instant
        /// What it was made of: another key or name under the same id makes another token.
        let issuerId: String
        let bundleId: String
        let keyFingerprint: [UInt8]

        func isGood(at now: Instant) -> Bool {
            let age = now.milliseconds - mintedAt.milliseconds
            // A clock that was set back would show Apple a token of the future.
            return age >= -backdatingSeconds * 1_000 && age < rememberedMilliseconds
                && token.expiry.milliseconds - now.milliseconds >= leastLeftMilliseconds
        }
    }

    private let tokensLimit: Int
    private let entries = Mutex<[Holder: Entry]>([:])

    package init(tokensLimit: Int = BearerTokens.tokensLimit) {
        self.tokensLimit = max(1, tokensLimit)
    }

    /// The token that is remembered, or a new one.
    package func token(
        for holder: Holder, issuerId: String, bundleId: String, key: PrivateKey, now: Instant
    ) throws(SigningError) -> BearerToken {
        let fingerprint = key.publicKey.fingerprint
        // Signed under the lock, some 50 us: what `forget` took away cannot come back behind it.
        return try entries.withLock { entries throws(SigningError) in
            if let entry = entries[holder], entry.isGood(at: now),
                isSame(entry.issuerId, issuerId), isSame(entry.bundleId, bundleId),
                entry.keyFingerprint == fingerprint
            {
                return entry.token
            }
            entries[holder] = nil
            let token = try Self.mint(
                keyId: holder.keyId, issuerId: issuerId, bundleId: bundleId, key: key, now: now)
            makeRoom(in: &entries, now)
            entries[holder] = Entry(
                token: token, mintedAt: now, issuerId: issuerId, bundleId: bundleId,
                keyFingerprint: fingerprint)
            return token
        }
    }

    /// After Apple refused it, or when the key was changed.
    package func forget(_ holder: Holder) {
        entries.withLock { $0[holder] = nil }
    }

    package var count: Int { entries.withLock { $0.count } }

    private func makeRoom(in entries: inout [Holder: Entry], _ now: Instant) {
        guard entries.count >= tokensLimit else { return }
        entries = entries.filter { $0.value.isGood(at: now) }
        guard entries.count >= tokensLimit,
            let oldest = entries.min(by: { $0.value.mintedAt < $1.value.mintedAt })
        else { return }
        entries[oldest.key] = nil
    }

    private static func mint(
        keyId: String, issuerId: String, bundleId: String, key: PrivateKey, now: Instant
    ) throws(SigningError) -> BearerToken {
        try JWTParts.require(keyId, "keyId")
        try JWTParts.require(issuerId, "issuerId")
        try JWTParts.require(bundleId, "bundleId")
        let issuedAt = now.milliseconds / 1_000 - backdatingSeconds
        let expiry = issuedAt + lifeSeconds
        var claims = JSONText()
        claims.add("iss", issuerId)
        claims.add("iat", issuedAt)
        claims.add("exp", expiry)
        claims.add("aud", "appstoreconnect-v1")
        claims.add("bid", bundleId)
        let text = try CompactJWS.sign(
            encodedHeader: JWTParts.encodedHeader(keyId: keyId), payload: claims.closed(),
            with: key)
        return BearerToken(secretText: text, expiry: Instant(milliseconds: expiry * 1_000))
    }
}
