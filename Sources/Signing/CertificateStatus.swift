internal import COpenSSL

/// What an issuer says of a certificate of its own (RFC 6960).
package enum CertificateStatus: Sendable, Equatable {
    case good
    case revoked
    /// The responder does not know the certificate, which says nothing of it.
    case unknown
}

extension Certificate {
    /// Longer addresses are not asked.
    private static let statusURLBytesLimit = 512

    /// Where the issuer answers for this certificate's status: the first OCSP address of its
    /// authority information access. nil when it names none, or none of plain text over http(s).
    package var statusURL: String? {
        unsafe withPointer { pointer in
            OpenSSLErrors.cleared {
                guard let list = unsafe X509_get1_ocsp(pointer) else { return nil }
                defer { unsafe X509_email_free(list) }
                for index in 0..<(unsafe OPENSSL_sk_num(list)) {
                    guard let item = unsafe OPENSSL_sk_value(list, index) else { continue }
                    let text = unsafe String(cString: item.assumingMemoryBound(to: CChar.self))
                    if Self.isStatusURL(text) { return text }
                }
                return nil
            }
        }
    }

    private static func isStatusURL(_ text: String) -> Bool {
        let bytes = text.utf8
        return ["http://", "https://"].contains { bytes.starts(with: $0.utf8) }
            && bytes.count <= statusURLBytesLimit
            && bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}

/// One question for a certificate's status, and the judge of what comes back. The one owner of an
/// `OCSP_REQUEST` and of the certificate's number in it.
@safe package struct StatusRequest: ~Copyable {
    /// Apple's have about 2 KB, with the responder's certificate.
    package static let responseBytesLimit = 64 * 1024
    /// How far the responder's clock may be ahead of ours, and its answer past its end.
    package static let clockSecondsLimit: Int64 = 5 * 60
    /// An answer without an end is believed for so long.
    package static let endlessSecondsLimit: Int64 = 7 * 86_400

    private static let nonceBytes: Int32 = 16

    /// The body of the request, `application/ocsp-request`.
    package let der: [UInt8]

    private let issuer: Certificate
    private let root: Certificate
    private let pointer: OpaquePointer
    private let id: OpaquePointer

    /// - Parameters:
    ///   - issuer: of `certificate`; it, or whom it named for that, signs the answer.
    ///   - root: where the path of the answer's signer has to end.
    package init(
        for certificate: Certificate, issuer: Certificate, root: Certificate
    ) throws(SigningError) {
        ERR_clear_error()
        defer { ERR_clear_error() }
        // SHA-1 only names the issuer here; RFC 5019 has no other, and many responders neither.
        let made = unsafe certificate.withPointer { subject in
            unsafe issuer.withPointer { unsafe OCSP_cert_to_id(EVP_sha1(), subject, $0) }
        }
        guard let id = unsafe made else { throw Self.unmade }
        guard let request = unsafe OCSP_REQUEST_new() else {
            unsafe OCSP_CERTID_free(id)
            throw Self.unmade
        }
        guard let der = unsafe Self.encoded(request, id) else {
            unsafe OCSP_REQUEST_free(request)
            unsafe OCSP_CERTID_free(id)
            throw Self.unmade
        }
        self.der = der
        self.issuer = issuer
        self.root = root
        unsafe self.pointer = request
        unsafe self.id = id
    }

    deinit {
        unsafe OCSP_REQUEST_free(pointer)
        unsafe OCSP_CERTID_free(id)
    }

    private static func encoded(_ request: OpaquePointer, _ id: OpaquePointer) -> [UInt8]? {
        guard let copy = unsafe OCSP_CERTID_dup(id) else { return nil }
        // The request owns the copy from here on.
        guard unsafe OCSP_request_add0_id(request, copy) != nil else {
            unsafe OCSP_CERTID_free(copy)
            return nil
        }
        guard unsafe OCSP_request_add1_nonce(request, nil, nonceBytes) == 1 else { return nil }
        return unsafe DER.encoded { unsafe i2d_OCSP_REQUEST(request, $0) }
    }

    /// What the answer says at this second. Refused as `statusUnusable` unless it is whole, signed
    /// by the issuer or by whom the issuer named, about this certificate, an answer to this request
    /// where it says to which, and of now.
    package func status(
        in response: [UInt8], at unixSeconds: Int64
    ) throws(SigningError) -> CertificateStatus {
        guard response.count <= Self.responseBytesLimit else {
            throw Self.unusable("is longer than \(Self.responseBytesLimit) bytes")
        }
        ERR_clear_error()
        defer { ERR_clear_error() }
        guard let whole = unsafe Self.parsed(response) else {
            throw Self.unusable("is no OCSP response")
        }
        defer { unsafe OCSP_RESPONSE_free(whole) }
        let result = unsafe OCSP_response_status(whole)
        guard result == OCSP_RESPONSE_STATUS_SUCCESSFUL else {
            throw Self.unusable("says that the responder failed, status \(result)")
        }
        guard let basic = unsafe OCSP_response_get1_basic(whole) else {
            throw Self.unusable("is of another type than the basic one")
        }
        defer { unsafe OCSP_BASICRESP_free(basic) }
        // -1: without a nonce, as of responders that sign ahead of time; its dates bound its use.
        guard [1, -1].contains(unsafe OCSP_check_nonce(pointer, basic)) else {
            throw Self.unusable("answers another request")
        }
        guard unsafe isSigned(basic, at: unixSeconds) else {
            throw Self.unusable("is not signed by the issuer or by whom it named")
        }
        return try unsafe found(in: basic, at: unixSeconds)
    }

    private func isSigned(_ basic: OpaquePointer, at unixSeconds: Int64) -> Bool {
        guard let store = unsafe X509_STORE_new() else { return false }
        defer { unsafe X509_STORE_free(store) }
        guard let known = unsafe OPENSSL_sk_new_null() else { return false }
        defer { unsafe OPENSSL_sk_free(known) }
        let added = unsafe root.withPointer { unsafe X509_STORE_add_cert(store, $0) }
        // Owned by `issuer`, which outlives this call.
        let pushed = unsafe issuer.withPointer {
            unsafe OPENSSL_sk_push(known, UnsafeRawPointer($0))
        }
        guard added == 1, pushed == 1, let parameters = unsafe X509_STORE_get0_param(store) else {
            return false
        }
        unsafe X509_VERIFY_PARAM_set_time(parameters, Int(unixSeconds))
        unsafe X509_VERIFY_PARAM_set_auth_level(parameters, 2)
        let flags = UInt(OCSP_NOEXPLICIT)
        return withExtendedLifetime(issuer) {
            unsafe OCSP_basic_verify(basic, known, store, flags) == 1
        }
    }

    private func found(
        in basic: OpaquePointer, at unixSeconds: Int64
    ) throws(SigningError) -> CertificateStatus {
        var status: Int32 = -1
        var reason: Int32 = -1
        var revokedAt: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
        var thisUpdate: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
        var nextUpdate: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
        let isFound = unsafe OCSP_resp_find_status(
            basic, id, &status, &reason, &revokedAt, &thisUpdate, &nextUpdate)
        guard isFound == 1 else { throw Self.unusable("is about another certificate") }
        guard let begin = unsafe Certificate.unixSeconds(thisUpdate),
            begin <= unixSeconds + Self.clockSecondsLimit
        else { throw Self.unusable("is dated ahead of our clock") }
        let end: Int64
        if unsafe nextUpdate == nil {
            end = begin + Self.endlessSecondsLimit
        } else {
            guard let stated = unsafe Certificate.unixSeconds(nextUpdate) else {
                throw Self.unusable("has an end that is no date")
            }
            end = stated + Self.clockSecondsLimit
        }
        guard unixSeconds <= end else { throw Self.unusable("has ended") }
        switch status {
        case V_OCSP_CERTSTATUS_GOOD: return .good
        case V_OCSP_CERTSTATUS_REVOKED: return .revoked
        default: return .unknown
        }
    }

    private static func parsed(_ response: [UInt8]) -> OpaquePointer? {
        unsafe response.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return nil }
            var cursor: UnsafePointer<UInt8>? = unsafe start
            guard let whole = unsafe d2i_OCSP_RESPONSE(nil, &cursor, buffer.count) else {
                return nil
            }
            if unsafe cursor == start + buffer.count { return unsafe whole }
            unsafe OCSP_RESPONSE_free(whole)
            return nil
        }
    }

    private static let unmade = SigningError(
        .openSSL, "OpenSSL could not make a request for a certificate's status.")

    private static func unusable(_ what: String) -> SigningError {
        SigningError(.statusUnusable, "The answer about the certificate \(what).")
    }
}
