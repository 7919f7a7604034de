/// A P-256 public key.
package final class PublicKey: Sendable {
    /// SubjectPublicKeyInfo of every P-256 key, up to its uncompressed point. Keys in another
    /// spelling (compressed point, curve given by its numbers) are refused: one key, one
    /// fingerprint.
    static let derPrefix: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08,
        0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
    ]
    /// 0x04 ‖ X ‖ Y.
    static let pointBytes = 65

    let handle: KeyHandle
    private let derBytes: [UInt8]
    private let contexts: ContextStock

    /// Of a key that OpenSSL has parsed already, which is the costly part; nil unless `der`, its
    /// SubjectPublicKeyInfo, is the one spelling of a P-256 key.
    init?(handle: KeyHandle, der: [UInt8]) {
        guard Self.isP256(der) else { return nil }
        self.handle = handle
        self.derBytes = der
        contexts = ContextStock(handle, .verify)
    }

    /// SubjectPublicKeyInfo, exactly, of a point on P-256.
    package init(der: [UInt8]) throws(SigningError) {
        guard Self.isP256(der) else { throw Self.refusal(der: der) }
        guard let handle = KeyHandle.publicKey(der: der) else {
            throw SigningError(.keyMalformed, "The public key is no point on P-256.")
        }
        self.handle = handle
        self.derBytes = der
        contexts = ContextStock(handle, .verify)
    }

    /// A `PUBLIC KEY` block.
    package convenience init(pem: [UInt8]) throws(SigningError) {
        guard pem.count <= PEMBlock.textBytesLimit else {
            throw SigningError(.keyTooLong, "The text is too long for a public key.")
        }
        let blocks = PEMBlock.all(in: pem)
        if blocks.contains(where: { $0.label.hasSuffix("PRIVATE KEY") }) {
            throw SigningError(.keyIsPrivate, "This is a private key; give its public key instead.")
        }
        guard let block = blocks.first(where: { $0.label == "PUBLIC KEY" }),
            let der = Base64.decode(block.body)
        else {
            throw SigningError(.keyMalformed, "No well-formed PUBLIC KEY block was found.")
        }
        try self.init(der: der)
    }

    package func der() -> [UInt8] { derBytes }

    package func pem() -> [UInt8] { PEMBlock.text(label: "PUBLIC KEY", der: derBytes) }

    /// SHA-256 of the DER: which key this is, for logs and for sealed secrets.
    package var fingerprint: [UInt8] { SHA256.digest(derBytes) }

    var point: ArraySlice<UInt8> { derBytes.suffix(Self.pointBytes) }

    /// True when `signature` is 64 bytes R ‖ S, in range, made over SHA-256 of `message` by the
    /// holder of the private key. Never throws: whatever is not a valid signature is not valid.
    package func isValid(_ signature: [UInt8], for message: some Collection<UInt8>) -> Bool {
        guard let der = ECDSASignature.der(raw: signature) else { return false }
        let digest = SHA256.digest(of: message)
        return OpenSSLErrors.cleared {
            contexts.use { $0.isValid(der: der, digest: digest) } ?? false
        }
    }

    private static func isP256(_ der: [UInt8]) -> Bool {
        der.count == derPrefix.count + pointBytes && der.starts(with: derPrefix)
    }

    private static func refusal(der: [UInt8]) -> SigningError {
        guard let other = KeyHandle.publicKey(der: der) else {
            return SigningError(.keyMalformed, "This is no DER of a public key.")
        }
        return KeyRefusal.wrongKind(other)
            ?? SigningError(.keyMalformed, "The P-256 key must be given as an uncompressed point.")
    }
}

extension PublicKey: Equatable {
    package static func == (left: PublicKey, right: PublicKey) -> Bool {
        left.derBytes == right.derBytes
    }
}
