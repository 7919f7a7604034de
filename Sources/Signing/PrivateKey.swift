/// A P-256 private key: an In-App Purchase key of Apple, the platform's key for sealed secrets, or
/// the simulator's leaf key. It is never printed: `description` names the public key only.
package final class PrivateKey: Sendable {
    package let publicKey: PublicKey
    let handle: KeyHandle
    private let contexts: ContextStock

    init(handle: KeyHandle) throws(SigningError) {
        if let refusal = KeyRefusal.wrongKind(handle) { throw refusal }
        guard OpenSSLErrors.cleared({ KeyContext(handle)?.isConsistent() ?? false }),
            let publicDER = handle.publicDER
        else {
            throw SigningError(.keyMalformed, "The private key does not fit its public half.")
        }
        self.publicKey = try PublicKey(der: publicDER)
        self.handle = handle
        contexts = ContextStock(handle, .sign)
    }

    package static func generate() throws(SigningError) -> PrivateKey {
        try PrivateKey(handle: KeyHandle.generate(curve: KeyRefusal.p256))
    }

    /// The text of a `.p8` file: PKCS#8 in PEM. Harmless changes of the text (line ends, blanks, a
    /// byte order mark, a literal `\n`, one long line, lost header lines, the traditional `EC
    /// PRIVATE KEY` form) are accepted. What is refused is named by `code`; the message never
    /// quotes the text.
    package convenience init(pem: [UInt8]) throws(SigningError) {
        var der = try Self.der(pem: pem)
        defer { cleanse(&der) }
        guard let handle = KeyHandle.privateKey(der: der) else {
            if KeyHandle.publicKey(der: der) != nil { throw Self.isPublic }
            throw SigningError(
                .keyMalformed, "The text is no complete PKCS#8 private key; download it again.")
        }
        try self.init(handle: handle)
    }

    /// PKCS#8 in PEM, not encrypted: seal it before it is stored, cleanse it after use.
    package func pem() -> [UInt8] {
        var der = OpenSSLErrors.cleared { handle.privateDER ?? [] }
        defer { cleanse(&der) }
        return PEMBlock.text(label: "PRIVATE KEY", der: der)
    }

    /// ECDSA over SHA-256 of `message`: always exactly 64 bytes, R ‖ S with their leading zeros.
    package func sign(_ message: [UInt8]) throws(SigningError) -> [UInt8] {
        let digest = SHA256.digest(message)
        return try OpenSSLErrors.required("sign") {
            guard let der = contexts.use({ $0.signature(digest: digest) }) ?? nil else {
                return nil
            }
            return ECDSASignature.raw(der: der)
        }
    }

    private static let isPublic = SigningError(
        .keyIsPublic, "This is a public key; give the private key (.p8) that Apple delivered.")

    private static func der(pem: [UInt8]) throws(SigningError) -> [UInt8] {
        guard pem.count <= PEMBlock.textBytesLimit else {
            throw SigningError(.keyTooLong, "The text is too long for a P-256 private key.")
        }
        let blocks = PEMBlock.all(in: pem)
        var body = try body(of: blocks, text: pem)
        defer { cleanse(&body) }
        guard !body.isEmpty, let der = Base64.decode(body) else {
            throw SigningError(
                .keyMalformed, "The private key's text is cut short or damaged; download it again.")
        }
        return der
    }

    private static func body(
        of blocks: [PEMBlock], text: [UInt8]
    ) throws(SigningError) -> [UInt8] {
        let labels = blocks.map(\.label)
        let encrypted = Array("ENCRYPTED".utf8)
        if let block = blocks.first(where: { privateLabels.contains($0.label) }) {
            if block.body.starts(with: Array("Proc-Type:".utf8)) { throw isEncrypted }
            return block.body
        }
        if labels.contains(where: { Array($0.utf8).starts(with: encrypted) }) { throw isEncrypted }
        if labels.contains("RSA PRIVATE KEY") || labels.contains("DSA PRIVATE KEY") {
            throw SigningError(
                .keyWrongType, "The key is not an elliptic-curve key; Apple's keys are P-256.")
        }
        if labels.contains(where: { $0.hasSuffix("PUBLIC KEY") }) { throw isPublic }
        if labels.contains("CERTIFICATE") {
            throw SigningError(.keyMalformed, "This is a certificate; give the private key (.p8).")
        }
        return PEMBlock.withoutBlanks(text[...])
    }

    private static let privateLabels = ["PRIVATE KEY", "EC PRIVATE KEY"]

    private static let isEncrypted = SigningError(
        .keyEncrypted, "The private key is encrypted; give the .p8 as Apple delivered it.")
}

extension PrivateKey: CustomStringConvertible {
    package var description: String {
        "PrivateKey(public: \(Base64URL.encode(publicKey.fingerprint.prefix(9))))"
    }
}
