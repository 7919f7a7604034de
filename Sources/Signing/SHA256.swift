internal import COpenSSL

package enum SHA256 {
    package static let digestBytes = 32

    /// Looked up once: `EVP_sha256()` alone is looked up anew by each call that gets it.
    private nonisolated(unsafe) static let algorithm = unsafe EVP_MD_fetch(nil, "SHA256", nil)

    /// The 32-byte digest.
    package static func digest(_ bytes: [UInt8]) -> [UInt8] { digest(of: bytes) }

    /// The 32-byte digest of any contiguous bytes, without a copy.
    package static func digest(of bytes: some Collection<UInt8>) -> [UInt8] {
        unsafe bytes.withBytes { input in
            unsafe [UInt8](unsafeUninitializedCapacity: digestBytes) { output, count in
                var length: UInt32 = 0
                let done = unsafe EVP_Digest(
                    input.baseAddress, input.count, output.baseAddress, &length, algorithm, nil)
                // SHA-256 has no failure but a library without it, and nothing is safe then.
                precondition(done == 1 && length == digestBytes, "OpenSSL has no SHA-256")
                count = digestBytes
            }
        }
    }
}
