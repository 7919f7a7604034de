/// Secrets that anyone may put away and one key may take out: the writer holds the public key only.
///
/// ```
///   1     format, 0x01
///   32    fingerprint of the recipient's public key
///   65    ephemeral public key, a point on P-256
///   n     AES-256-GCM of the secret
///   16    its tag
/// ```
/// Key and nonce are HKDF-SHA256 of the ECDH secret with both public keys as salt; every seal has
/// a key of its own, so the nonce is never used twice. The first 98 bytes and the caller's
/// `context` (tenant, app, purpose, row) are authenticated too: a sealed secret moved to another
/// row does not open. A seal proves nothing about who wrote it, since the public key is enough for
/// that.
package enum Sealing {
    /// A `.p8` has about 250 bytes.
    package static let secretBytesLimit = 64 * 1024

    private static let format: UInt8 = 0x01
    private static let headerBytes = 1 + SHA256.digestBytes + PublicKey.pointBytes
    private static let purpose = Array("holdfast sealing 1".utf8)

    package static func seal(
        _ secret: [UInt8], to recipient: PublicKey, context: [UInt8]
    ) throws(SigningError) -> [UInt8] {
        guard secret.count <= secretBytesLimit else {
            throw SigningError(
                .secretTooLong, "A secret of more than \(secretBytesLimit) bytes is not sealed.")
        }
        let ephemeral = try PrivateKey.generate()
        let header = [format] + recipient.fingerprint + ephemeral.publicKey.point
        let text = try withMessageKey(
            mine: ephemeral, peer: recipient, ephemeral: ephemeral.publicKey, recipient: recipient
        ) { key, nonce in
            CipherContext()?.sealed(secret, key: key, nonce: nonce, associated: header + context)
        }
        guard let text else { throw SigningError(.openSSL, "OpenSSL could not seal the secret.") }
        return header + text
    }

    /// The secret, to be cleansed after use. Refused as `sealedForAnotherKey` when another key
    /// must open it, and as `sealBroken` when a bit of it or of `context` is not what was sealed.
    package static func open(
        _ sealed: [UInt8], with key: PrivateKey, context: [UInt8]
    ) throws(SigningError) -> [UInt8] {
        guard sealed.count >= headerBytes + CipherContext.tagBytes,
            sealed.count <= headerBytes + CipherContext.tagBytes + secretBytesLimit,
            sealed[0] == format
        else { throw SigningError(.sealedMalformed, "These bytes are no sealed secret of ours.") }
        guard Array(sealed[1...SHA256.digestBytes]) == key.publicKey.fingerprint else {
            throw SigningError(
                .sealedForAnotherKey, "The secret was sealed to another key than the one given.")
        }
        let header = Array(sealed[..<headerBytes])
        let point = header.suffix(PublicKey.pointBytes)
        guard let ephemeral = try? PublicKey(der: PublicKey.derPrefix + point) else { throw broken }
        let secret = try withMessageKey(
            mine: key, peer: ephemeral, ephemeral: ephemeral, recipient: key.publicKey
        ) { messageKey, nonce in
            CipherContext()?.opened(
                Array(sealed[headerBytes...]), key: messageKey, nonce: nonce,
                associated: header + context)
        }
        guard let secret else { throw broken }
        return secret
    }

    /// Which key opens it, to look that key up; nil when these are no sealed bytes.
    package static func recipientFingerprint(of sealed: [UInt8]) -> [UInt8]? {
        guard sealed.count >= headerBytes + CipherContext.tagBytes, sealed[0] == format else {
            return nil
        }
        return Array(sealed[1...SHA256.digestBytes])
    }

    private static let broken = SigningError(
        .sealBroken, "The sealed secret, or the place it stands in, is not what was sealed.")

    private static func withMessageKey(
        mine: PrivateKey, peer: PublicKey, ephemeral: PublicKey, recipient: PublicKey,
        _ body: ([UInt8], [UInt8]) -> [UInt8]?
    ) throws(SigningError) -> [UInt8]? {
        var shared = try OpenSSLErrors.required("agree on a secret") {
            KeyContext(mine.handle)?.sharedSecret(with: peer.handle)
        }
        defer { cleanse(&shared) }
        var expanded = try OpenSSLErrors.required("derive a key") {
            KeyContext(algorithm: "HKDF")?.expandedKey(
                from: shared, salt: Array(ephemeral.point + recipient.point), info: purpose,
                count: CipherContext.keyBytes + CipherContext.nonceBytes)
        }
        defer { cleanse(&expanded) }
        var key = Array(expanded.prefix(CipherContext.keyBytes))
        defer { cleanse(&key) }
        let nonce = Array(expanded.suffix(CipherContext.nonceBytes))
        return OpenSSLErrors.cleared { body(key, nonce) }
    }
}
