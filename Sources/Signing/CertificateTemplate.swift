internal import COpenSSL

/// What is to stand in one certificate, and the issuing of it.
struct CertificateTemplate {
    enum Extension {
        case authority
        case intermediateAuthority
        case noAuthority
        case authorityKeyUsage
        case signatureKeyUsage
        case subjectKeyIdentifier
        case authorityKeyIdentifier
        /// Apple's markers hold an ASN.1 NULL and are not critical.
        case marker(String)
        /// Text for people, of so many bytes: Apple's certificates carry policies and addresses.
        case comment(bytes: Int)
    }

    let commonName: String
    let organisation: String
    let validity: ClosedRange<Int64>
    let extensions: [Extension]

    /// Signed by `issuerKey`; self-signed when `issuer` is nil.
    func issue(
        for subjectKey: KeyHandle, by issuer: Certificate?, issuerKey: KeyHandle
    ) throws(SigningError) -> Certificate {
        let der = try OpenSSLErrors.required("issue a certificate") {
            Draft()?.der(self, subjectKey: subjectKey, issuer: issuer, issuerKey: issuerKey)
        }
        return try Certificate(der: der)
    }
}

/// The one owner of an `X509` that is still being written.
@safe private struct Draft: ~Copyable {
    /// X.509 version 3 is written as 2.
    private static let version3 = 2
    private static let asn1Null: [UInt8] = [0x05, 0x00]

    private let pointer: OpaquePointer

    init?() {
        guard let made = unsafe X509_new() else { return nil }
        unsafe pointer = made
    }

    deinit { unsafe X509_free(pointer) }

    func der(
        _ template: CertificateTemplate, subjectKey: KeyHandle, issuer: Certificate?,
        issuerKey: KeyHandle
    ) -> [UInt8]? {
        guard unsafe X509_set_version(pointer, Self.version3) == 1,
            unsafe ASN1_INTEGER_set_uint64(X509_get_serialNumber(pointer), Self.serial()) == 1,
            setValidity(template.validity), setSubject(template),
            unsafe subjectKey.withPointer({ unsafe X509_set_pubkey(pointer, $0) }) == 1,
            setIssuer(issuer),
            template.extensions.allSatisfy({ add($0, issuer: issuer) }),
            sign(with: issuerKey)
        else { return nil }
        return unsafe DER.encoded { unsafe i2d_X509(pointer, $0) }
    }

    private static func serial() -> UInt64 {
        randomBytes(8).reduce(0) { $0 << 8 | UInt64($1) } >> 1 | 1
    }

    private func setValidity(_ validity: ClosedRange<Int64>) -> Bool {
        unsafe ASN1_TIME_set(X509_getm_notBefore(pointer), Int(validity.lowerBound)) != nil
            && ASN1_TIME_set(X509_getm_notAfter(pointer), Int(validity.upperBound)) != nil
    }

    private func setSubject(_ template: CertificateTemplate) -> Bool {
        let parts = [("CN", template.commonName), ("O", template.organisation), ("C", "US")]
        let name = unsafe X509_get_subject_name(pointer)
        return parts.allSatisfy { field, value in
            let bytes = Array(value.utf8)
            return unsafe X509_NAME_add_entry_by_txt(
                name, field, MBSTRING_UTF8, bytes, Int32(bytes.count), -1, 0) == 1
        }
    }

    private func setIssuer(_ issuer: Certificate?) -> Bool {
        guard let issuer else {
            return unsafe X509_set_issuer_name(pointer, X509_get_subject_name(pointer)) == 1
        }
        return unsafe issuer.withPointer {
            unsafe X509_set_issuer_name(pointer, X509_get_subject_name($0)) == 1
        }
    }

    /// With the digest that fits the key's size, as Apple's authorities do.
    private func sign(with key: KeyHandle) -> Bool {
        let digest = unsafe key.curve == KeyRefusal.p256 ? EVP_sha256() : EVP_sha384()
        return unsafe key.withPointer { unsafe X509_sign(pointer, $0, digest) > 0 }
    }

    private func add(_ item: CertificateTemplate.Extension, issuer: Certificate?) -> Bool {
        switch item {
        case .authority: add(NID_basic_constraints, "critical,CA:TRUE", issuer)
        case .intermediateAuthority:
            add(NID_basic_constraints, "critical,CA:TRUE,pathlen:0", issuer)
        case .noAuthority: add(NID_basic_constraints, "critical,CA:FALSE", issuer)
        case .authorityKeyUsage: add(NID_key_usage, "critical,keyCertSign,cRLSign", issuer)
        case .signatureKeyUsage: add(NID_key_usage, "critical,digitalSignature", issuer)
        case .subjectKeyIdentifier: add(NID_subject_key_identifier, "hash", issuer)
        case .authorityKeyIdentifier: add(NID_authority_key_identifier, "keyid:always", issuer)
        case .marker(let oid): addMarker(oid)
        case .comment(let bytes):
            add(NID_netscape_comment, String(repeating: "For tests. ", count: bytes / 11), issuer)
        }
    }

    private func add(_ nid: Int32, _ value: String, _ issuer: Certificate?) -> Bool {
        guard let issuer else { return unsafe add(nid, value, issuerPointer: unsafe pointer) }
        return unsafe issuer.withPointer { unsafe add(nid, value, issuerPointer: $0) }
    }

    private func add(_ nid: Int32, _ value: String, issuerPointer: OpaquePointer) -> Bool {
        var context = unsafe X509V3_CTX()
        unsafe X509V3_set_ctx(&context, issuerPointer, pointer, nil, nil, 0)
        guard let made = unsafe X509V3_EXT_conf_nid(nil, &context, nid, value) else { return false }
        defer { unsafe X509_EXTENSION_free(made) }
        return unsafe X509_add_ext(pointer, made, -1) == 1
    }

    private func addMarker(_ oid: String) -> Bool {
        let object = unsafe OBJ_txt2obj(oid, 1)
        let value = unsafe ASN1_OCTET_STRING_new()
        defer {
            unsafe ASN1_OBJECT_free(object)
            unsafe ASN1_OCTET_STRING_free(value)
        }
        guard unsafe ASN1_OCTET_STRING_set(value, Self.asn1Null, Int32(Self.asn1Null.count)) == 1,
            let made = unsafe X509_EXTENSION_create_by_OBJ(nil, object, 0, value)
        else { return false }
        defer { unsafe X509_EXTENSION_free(made) }
        return unsafe X509_add_ext(pointer, made, -1) == 1
    }
}
