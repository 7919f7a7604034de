internal import COpenSSL

/// The one owner of an `EVP_CIPHER_CTX`: one AES-256-GCM operation.
@safe struct CipherContext: ~Copyable {
    static let keyBytes = 32
    static let nonceBytes = 12
    static let tagBytes = 16

    private let pointer: OpaquePointer

    init?() {
        guard let made = unsafe EVP_CIPHER_CTX_new() else { return nil }
        unsafe pointer = made
    }

    deinit { unsafe EVP_CIPHER_CTX_free(pointer) }

    /// The ciphertext with its tag behind it.
    func sealed(
        _ text: [UInt8], key: [UInt8], nonce: [UInt8], associated: [UInt8]
    ) -> [UInt8]? {
        guard key.count == Self.keyBytes, nonce.count == Self.nonceBytes,
            unsafe EVP_EncryptInit_ex(pointer, EVP_aes_256_gcm(), nil, key, nonce) == 1
        else { return nil }
        var length: Int32 = 0
        guard
            unsafe EVP_EncryptUpdate(
                pointer, nil, &length, associated, Int32(associated.count)) == 1
        else { return nil }
        var output = [UInt8](repeating: 0, count: text.count)
        guard unsafe EVP_EncryptUpdate(pointer, &output, &length, text, Int32(text.count)) == 1,
            length == text.count
        else { return nil }
        var tag = [UInt8](repeating: 0, count: Self.tagBytes)
        // GCM writes nothing at the end; the tag's memory only stands in for an output.
        guard unsafe EVP_EncryptFinal_ex(pointer, &tag, &length) == 1, length == 0,
            unsafe EVP_CIPHER_CTX_ctrl(
                pointer, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagBytes), &tag) == 1
        else { return nil }
        return output + tag
    }

    /// nil when a bit of text, tag, nonce or associated bytes differs from what was sealed.
    func opened(
        _ sealed: [UInt8], key: [UInt8], nonce: [UInt8], associated: [UInt8]
    ) -> [UInt8]? {
        guard key.count == Self.keyBytes, nonce.count == Self.nonceBytes,
            sealed.count >= Self.tagBytes,
            unsafe EVP_DecryptInit_ex(pointer, EVP_aes_256_gcm(), nil, key, nonce) == 1
        else { return nil }
        let text = Array(sealed.dropLast(Self.tagBytes))
        var tag = Array(sealed.suffix(Self.tagBytes))
        var length: Int32 = 0
        guard
            unsafe EVP_DecryptUpdate(
                pointer, nil, &length, associated, Int32(associated.count)) == 1
        else { return nil }
        var output = [UInt8](repeating: 0, count: text.count)
        guard unsafe EVP_DecryptUpdate(pointer, &output, &length, text, Int32(text.count)) == 1,
            unsafe EVP_CIPHER_CTX_ctrl(
                pointer, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagBytes), &tag) == 1
        else { return nil }
        var rest = [UInt8](repeating: 0, count: Self.tagBytes)
        guard unsafe EVP_DecryptFinal_ex(pointer, &rest, &length) == 1 else {
            cleanse(&output)
            return nil
        }
        return output
    }
}
