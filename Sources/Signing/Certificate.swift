internal import COpenSSL

/// An X.509 certificate, parsed but not yet believed.
@safe package final class Certificate: Sendable {
    /// Apple's have 800 to 1,100 bytes.
    package static let derBytesLimit = 8 * 1024

    package let der: [UInt8]
    package let sha256: [UInt8]
    /// Empty when the subject has no common name.
    package let subjectCommonName: String
    /// UNIX seconds; the certificate is valid from this second on.
    package let notBefore: Int64
    /// UNIX seconds; the certificate ends with this second.
    package let notAfter: Int64

    // Never changed after init, and OpenSSL guards what it computes later by a lock of its own.
    private nonisolated(unsafe) let pointer: OpaquePointer

    /// One certificate in DER, consumed to its last byte, in the one DER spelling of its content.
    package init(der: [UInt8]) throws(SigningError) {
        guard der.count <= Self.derBytesLimit, let pointer = unsafe Self.parsed(der) else {
            throw Self.malformed
        }
        guard let notBefore = unsafe Self.unixSeconds(X509_get0_notBefore(pointer)),
            let notAfter = unsafe Self.unixSeconds(X509_get0_notAfter(pointer))
        else {
            unsafe X509_free(pointer)
            throw Self.malformed
        }
        self.der = der
        sha256 = SHA256.digest(der)
        subjectCommonName = unsafe Self.commonName(X509_get_subject_name(pointer))
        self.notBefore = notBefore
        self.notAfter = notAfter
        unsafe self.pointer = pointer
    }

    /// The one `CERTIFICATE` block of a PEM text.
    package convenience init(pem: [UInt8]) throws(SigningError) {
        guard pem.count <= PEMBlock.textBytesLimit else { throw Self.malformed }
        let blocks = PEMBlock.all(in: pem).filter { $0.label == "CERTIFICATE" }
        guard blocks.count == 1, let der = Base64.decode(blocks[0].body) else {
            throw Self.malformed
        }
        try self.init(der: der)
    }

    deinit { unsafe X509_free(pointer) }

    package func pem() -> [UInt8] { PEMBlock.text(label: "CERTIFICATE", der: der) }

    /// nil when the certificate's key is not P-256, as with Apple's root and intermediate.
    package var publicKey: PublicKey? {
        unsafe withPointer { pointer in
            OpenSSLErrors.cleared {
                let written = unsafe DER.encoded {
                    unsafe i2d_X509_PUBKEY(X509_get_X509_PUBKEY(pointer), $0)
                }
                guard let der = written, let key = unsafe X509_get_pubkey(pointer) else {
                    return nil
                }
                return unsafe PublicKey(handle: KeyHandle(adopting: key), der: der)
            }
        }
    }

    /// `oid` in dotted numbers. Presence only: what the extension holds is not looked at.
    package func hasExtension(_ oid: String) -> Bool {
        unsafe withPointer { pointer in
            OpenSSLErrors.cleared {
                guard let object = unsafe OBJ_txt2obj(oid, 1) else { return false }
                defer { unsafe ASN1_OBJECT_free(object) }
                return unsafe X509_get_ext_by_OBJ(pointer, object, -1) >= 0
            }
        }
    }

    /// At this second, both ends included.
    package func isValid(at unixSeconds: Int64) -> Bool {
        notBefore <= unixSeconds && unixSeconds <= notAfter
    }

    /// By name only; the signature is not looked at.
    func isIssued(by issuer: Certificate) -> Bool {
        unsafe withPointer { mine in
            unsafe issuer.withPointer { other in
                unsafe X509_NAME_cmp(X509_get_issuer_name(mine), X509_get_subject_name(other)) == 0
            }
        }
    }

    /// The pointer, alive as long as `body` runs.
    func withPointer<R>(_ body: (OpaquePointer) -> R) -> R {
        withExtendedLifetime(self) { unsafe body(pointer) }
    }

    private static let malformed = SigningError(
        .certificateMalformed, "This is no single, complete X.509 certificate in DER.")

    private static func parsed(_ der: [UInt8]) -> OpaquePointer? {
        unsafe OpenSSLErrors.cleared {
            let pointer = unsafe der.withUnsafeBufferPointer { buffer in
                var cursor = buffer.baseAddress
                return unsafe d2i_X509(nil, &cursor, buffer.count)
            }
            guard let pointer = unsafe pointer else { return nil }
            // Written out again it is the same: no trailing byte, no BER spelling.
            if unsafe DER.encoded({ unsafe i2d_X509(pointer, $0) }) == der { return unsafe pointer }
            unsafe X509_free(pointer)
            return nil
        }
    }

    /// Of an X.509 time in either of its forms.
    static func unixSeconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
        OpenSSLErrors.cleared {
            guard let time = unsafe time, let epoch = unsafe ASN1_TIME_set(nil, 0) else {
                return nil
            }
            defer { unsafe ASN1_TIME_free(epoch) }
            var days: Int32 = 0
            var seconds: Int32 = 0
            guard unsafe ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else { return nil }
            return Int64(days) * 86_400 + Int64(seconds)
        }
    }

    private static func commonName(_ name: OpaquePointer?) -> String {
        OpenSSLErrors.cleared {
            let index = unsafe X509_NAME_get_index_by_NID(name, NID_commonName, -1)
            guard index >= 0, let entry = unsafe X509_NAME_get_entry(name, index) else { return "" }
            var text: UnsafeMutablePointer<UInt8>?
            let count = unsafe ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(entry))
            guard count >= 0, let text = unsafe text else { return "" }
            defer { unsafe CRYPTO_free(text, nil, 0) }
            let bytes = unsafe UnsafeBufferPointer(start: text, count: Int(count))
            return unsafe String(decoding: bytes, as: UTF8.self)
        }
    }
}
