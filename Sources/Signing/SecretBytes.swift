internal import COpenSSL

/// True when both hold the same bytes. The time taken depends on the lengths only, never on where
/// the first difference stands: for secrets and for what is derived from them.
package func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    return unsafe CRYPTO_memcmp(left, right, left.count) == 0
}

/// `count` bytes of OpenSSL's random generator.
package func randomBytes(_ count: Int) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
        // A process whose random generator fails must not go on: it would sign with a guessable
        // nonce.
        precondition(unsafe RAND_bytes(buffer.baseAddress, Int32(count)) == 1, "no random bytes")
        filled = count
    }
}

/// Overwrites a secret in place, in a way that the optimiser does not remove. Copies made elsewhere
/// are not reached: keep a secret in one array and hand it on `inout`.
package func cleanse(_ secret: inout [UInt8]) {
    unsafe secret.withUnsafeMutableBytes { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) }
}
