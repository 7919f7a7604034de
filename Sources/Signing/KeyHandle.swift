internal import COpenSSL

/// The one owner of an `EVP_PKEY`. Frees it exactly once.
@safe final class KeyHandle: Sendable {
    // OpenSSL counts references with atomics and a key never changes after it was made here.
    private nonisolated(unsafe) let pointer: OpaquePointer

    init(adopting pointer: OpaquePointer) { unsafe self.pointer = pointer }

    deinit { unsafe EVP_PKEY_free(pointer) }

    /// The pointer, alive as long as `body` runs.
    func withPointer<R>(_ body: (OpaquePointer) -> R) -> R {
        withExtendedLifetime(self) { unsafe body(pointer) }
    }

    static func generate(curve: String) throws(SigningError) -> KeyHandle {
        try OpenSSLErrors.required("generate a key") {
            KeyContext(algorithm: "EC")?.generate(curve: curve)
        }
    }

    /// Of the DER of a SubjectPublicKeyInfo, consumed to its last byte.
    static func publicKey(der: [UInt8]) -> KeyHandle? {
        unsafe consumed(der) { cursor, count in unsafe d2i_PUBKEY(nil, cursor, count) }
    }

    /// Of the DER of a PKCS#8 or a traditional private key, consumed to its last byte.
    static func privateKey(der: [UInt8]) -> KeyHandle? {
        unsafe consumed(der) { cursor, count in unsafe d2i_AutoPrivateKey(nil, cursor, count) }
    }

    private static func consumed(
        _ der: [UInt8],
        by call: (UnsafeMutablePointer<UnsafePointer<UInt8>?>, Int) -> OpaquePointer?
    ) -> KeyHandle? {
        OpenSSLErrors.cleared {
            unsafe der.withUnsafeBufferPointer { buffer in
                guard let start = buffer.baseAddress else { return nil }
                var cursor: UnsafePointer<UInt8>? = unsafe start
                guard let key = unsafe call(&cursor, buffer.count) else { return nil }
                let handle = unsafe KeyHandle(adopting: key)
                return unsafe cursor == start + buffer.count ? handle : nil
            }
        }
    }

    var isEllipticCurve: Bool {
        unsafe withPointer { unsafe EVP_PKEY_get_base_id($0) == EVP_PKEY_EC }
    }

    /// OpenSSL's name of the curve, such as `prime256v1` for P-256.
    var curve: String? {
        unsafe withPointer { key in
            var length = 0
            let name = unsafe [UInt8](unsafeUninitializedCapacity: 64) { buffer, count in
                let done = unsafe buffer.withMemoryRebound(to: CChar.self) {
                    unsafe EVP_PKEY_get_group_name(key, $0.baseAddress, $0.count, &length)
                }
                count = done == 1 ? length : 0
            }
            return name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
        }
    }

    /// SubjectPublicKeyInfo.
    var publicDER: [UInt8]? {
        unsafe withPointer { key in unsafe DER.encoded { unsafe i2d_PUBKEY(key, $0) } }
    }

    /// PrivateKeyInfo (PKCS#8), not encrypted.
    var privateDER: [UInt8]? {
        unsafe withPointer { key in
            guard let info = unsafe EVP_PKEY2PKCS8(key) else { return nil }
            defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
            return unsafe DER.encoded { unsafe i2d_PKCS8_PRIV_KEY_INFO(info, $0) }
        }
    }
}
