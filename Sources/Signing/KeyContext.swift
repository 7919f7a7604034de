internal import COpenSSL

/// The one owner of an `EVP_PKEY_CTX`: one operation with one key.
@safe struct KeyContext: ~Copyable {
    private let pointer: OpaquePointer

    init?(_ key: KeyHandle) {
        let made = unsafe key.withPointer { unsafe EVP_PKEY_CTX_new_from_pkey(nil, $0, nil) }
        guard let made = unsafe made else { return nil }
        unsafe pointer = made
    }

    init?(algorithm: String) {
        guard let made = unsafe EVP_PKEY_CTX_new_from_name(nil, algorithm, nil) else { return nil }
        unsafe pointer = made
    }

    deinit { unsafe EVP_PKEY_CTX_free(pointer) }

    func generate(curve: String) -> KeyHandle? {
        guard unsafe EVP_PKEY_keygen_init(pointer) == 1,
            unsafe EVP_PKEY_CTX_set_group_name(pointer, curve) == 1
        else { return nil }
        var key: OpaquePointer?
        guard unsafe EVP_PKEY_keygen(pointer, &key) == 1, let key = unsafe key else { return nil }
        return unsafe KeyHandle(adopting: key)
    }

    /// The private number is in range and fits the public point.
    func isConsistent() -> Bool { unsafe EVP_PKEY_check(pointer) == 1 }

    /// Once, before any `isValid`; likewise for signing.
    func prepareToVerify() -> Bool { unsafe EVP_PKEY_verify_init(pointer) == 1 }

    func prepareToSign() -> Bool { unsafe EVP_PKEY_sign_init(pointer) == 1 }

    func isValid(der signature: [UInt8], digest: [UInt8]) -> Bool {
        unsafe EVP_PKEY_verify(
            pointer, signature, signature.count, digest, digest.count) == 1
    }

    /// In DER.
    func signature(digest: [UInt8]) -> [UInt8]? {
        unsafe output(capacity: ECDSASignature.derBytesLimit) { buffer, length in
            unsafe EVP_PKEY_sign(pointer, buffer, length, digest, digest.count)
        }
    }

    /// The x coordinate of the point both sides share (ECDH). A secret: cleanse it after use.
    func sharedSecret(with peer: KeyHandle) -> [UInt8]? {
        guard unsafe EVP_PKEY_derive_init(pointer) == 1,
            unsafe peer.withPointer({ unsafe EVP_PKEY_derive_set_peer(pointer, $0) }) == 1
        else { return nil }
        return unsafe output(capacity: 32) { buffer, length in
            unsafe EVP_PKEY_derive(pointer, buffer, length)
        }
    }

    /// `count` bytes of HKDF-SHA256. A secret: cleanse it after use.
    func expandedKey(from secret: [UInt8], salt: [UInt8], info: [UInt8], count: Int) -> [UInt8]? {
        guard unsafe EVP_PKEY_derive_init(pointer) == 1,
            unsafe EVP_PKEY_CTX_set_hkdf_md(pointer, EVP_sha256()) == 1,
            unsafe EVP_PKEY_CTX_set1_hkdf_salt(pointer, salt, Int32(salt.count)) == 1,
            unsafe EVP_PKEY_CTX_set1_hkdf_key(pointer, secret, Int32(secret.count)) == 1,
            unsafe EVP_PKEY_CTX_add1_hkdf_info(pointer, info, Int32(info.count)) == 1
        else { return nil }
        return unsafe output(capacity: count) { buffer, length in
            unsafe EVP_PKEY_derive(pointer, buffer, length)
        }
    }

    private func output(
        capacity: Int,
        _ call: (UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int>) -> Int32
    ) -> [UInt8]? {
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            var length = capacity
            let done = unsafe call(buffer.baseAddress, &length)
            count = done == 1 ? length : 0
        }
        return bytes.isEmpty ? nil : bytes
    }
}
