/// A signed object in compact form, `header.payload.signature` (RFC 7515 §7.1), cut up but not yet
/// believed: whoever holds one has checked framing only.
package struct CompactJWS: Sendable {
    /// Apple's real-time JWS has about 4 KB, a notification with its nested parts about 15 KB.
    package static let bytesLimit = 64 * 1024

    private static let dot = UInt8(ascii: ".")

    /// The first segment as it came, still encoded: the exact bytes are the key of the chain cache.
    package let headerBytes: ArraySlice<UInt8>
    /// `header.payload`, encoded: what the signature was made over.
    package let signingInput: ArraySlice<UInt8>
    package let payload: [UInt8]
    /// Exactly 64 bytes.
    package let signature: [UInt8]

    /// Exactly three segments in unpadded base64url, the last one of 64 bytes, `limit` bytes at
    /// most. The cheap refusals come first: no segment is decoded before their number and the
    /// signature's length are right.
    package init(
        _ compact: ArraySlice<UInt8>, limit: Int = CompactJWS.bytesLimit
    ) throws(SigningError) {
        guard compact.count <= limit else {
            throw SigningError(.jwsTooLong, "A JWS of more than \(limit) bytes is not read.")
        }
        guard let first = compact.place(of: Self.dot),
            let second = compact[(first + 1)...].place(of: Self.dot),
            !compact[(second + 1)...].contains(Self.dot)
        else { throw SigningError(.jwsSegmentCount, "A compact JWS has exactly three segments.") }
        let encodedSignature = compact[(second + 1)...]
        guard encodedSignature.count == (ECDSASignature.rawBytes * 4 + 2) / 3 else {
            throw SigningError(.jwsSignatureLength, "An ES256 signature has exactly 64 bytes.")
        }
        guard let signature = Base64URL.decode(encodedSignature),
            let payload = Base64URL.decode(compact[(first + 1)..<second])
        else {
            throw SigningError(.jwsEncoding, "A JWS segment is not unpadded, canonical base64url.")
        }
        headerBytes = compact[..<first]
        signingInput = compact[..<second]
        self.payload = payload
        self.signature = signature
    }

    package init(_ compact: [UInt8], limit: Int = CompactJWS.bytesLimit) throws(SigningError) {
        try self.init(compact[...], limit: limit)
    }

    /// The decoded header. Decoded on demand: a header whose chain is cached is never looked into.
    package var header: [UInt8] {
        get throws(SigningError) {
            guard let header = Base64URL.decode(headerBytes) else {
                throw SigningError(
                    .jwsEncoding, "The JWS header is not unpadded, canonical base64url.")
            }
            return header
        }
    }

    /// True when `key` made the signature over the two first segments.
    package func isSigned(by key: PublicKey) -> Bool { key.isValid(signature, for: signingInput) }

    /// Signs `payload` under `header`; both are JSON objects as bytes, and `header` names ES256.
    package static func sign(
        header: [UInt8], payload: [UInt8], with key: PrivateKey
    ) throws(SigningError) -> String {
        try sign(encodedHeader: Base64URL.encodedBytes(header), payload: payload, with: key)
    }

    /// The same with a header that was encoded once for many signatures.
    package static func sign(
        encodedHeader: [UInt8], payload: [UInt8], with key: PrivateKey
    ) throws(SigningError) -> String {
        var compact = encodedHeader
        compact.append(dot)
        compact += Base64URL.encodedBytes(payload)
        let signature = try key.sign(compact)
        compact.append(dot)
        compact += Base64URL.encodedBytes(signature)
        return String(decoding: compact, as: UTF8.self)
    }
}
