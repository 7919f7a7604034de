extension PrivateKey {
    /// ECDSA over SHA-256 of `message` in DER, 68 to 72 bytes as a rule: the form of the first
    /// version of Apple's offer signatures. A JWS has `sign` instead.
    package func signInDER(_ message: [UInt8]) throws(SigningError) -> [UInt8] {
        guard let der = ECDSASignature.der(raw: try sign(message)) else {
            throw SigningError(.openSSL, "OpenSSL made a signature of another length.")
        }
        return der
    }
}
