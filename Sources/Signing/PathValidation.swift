internal import COpenSSL

/// The one owner of an `X509_STORE` and its `X509_STORE_CTX`: one validation of one chain.
@safe struct PathValidation: ~Copyable {
    /// Security level 3 asks for 128 bits: P-256 and SHA-256 pass; SHA-1 and RSA-2048 do not.
    private static let authenticationLevel: Int32 = 3

    enum Outcome {
        case verified
        case anotherPath
        case unavailable
        /// An `X509_V_ERR_…` number.
        case refused(Int32)
    }

    private let candidate: TrustAnchors.Candidate
    private let store: OpaquePointer
    private let context: OpaquePointer
    private let untrusted: OpaquePointer

    init?(_ candidate: TrustAnchors.Candidate) {
        let store = unsafe X509_STORE_new()
        let context = unsafe X509_STORE_CTX_new()
        let untrusted = unsafe OPENSSL_sk_new_null()
        guard let store = unsafe store, let context = unsafe context,
            let untrusted = unsafe untrusted
        else {
            unsafe X509_STORE_CTX_free(context)
            unsafe X509_STORE_free(store)
            unsafe OPENSSL_sk_free(untrusted)
            return nil
        }
        self.candidate = candidate
        unsafe self.store = store
        unsafe self.context = context
        unsafe self.untrusted = untrusted
    }

    deinit {
        unsafe X509_STORE_CTX_free(context)
        unsafe X509_STORE_free(store)
        unsafe OPENSSL_sk_free(untrusted)
    }

    func outcome() -> Outcome {
        guard prepare() else { return .unavailable }
        guard unsafe X509_verify_cert(context) == 1 else {
            return unsafe .refused(X509_STORE_CTX_get_error(context))
        }
        return isExactChain() ? .verified : .anotherPath
    }

    /// The root alone is trusted, the intermediate alone may stand between; nothing is fetched.
    private func prepare() -> Bool {
        let leaf = unsafe candidate.leaf.withPointer { unsafe $0 }
        let added = unsafe candidate.root.withPointer { unsafe X509_STORE_add_cert(store, $0) }
        let pushed = unsafe candidate.intermediate.withPointer {
            unsafe OPENSSL_sk_push(untrusted, UnsafeRawPointer($0))
        }
        guard added == 1, pushed == 1,
            unsafe X509_STORE_CTX_init(context, store, leaf, untrusted) == 1,
            let parameters = unsafe X509_STORE_CTX_get0_param(context)
        else { return false }
        unsafe X509_VERIFY_PARAM_set_time(parameters, Int(candidate.unixSeconds))
        unsafe X509_VERIFY_PARAM_set_auth_level(parameters, Self.authenticationLevel)
        let flags = candidate.rules == .strict ? UInt(X509_V_FLAG_X509_STRICT) : 0
        return unsafe X509_VERIFY_PARAM_set_flags(parameters, flags) == 1
    }

    private func isExactChain() -> Bool {
        let expected = [candidate.leaf, candidate.intermediate, candidate.root]
        guard let chain = unsafe X509_STORE_CTX_get0_chain(context),
            unsafe OPENSSL_sk_num(chain) == Int32(expected.count)
        else { return false }
        for (index, certificate) in expected.enumerated() {
            let found = unsafe OpaquePointer(OPENSSL_sk_value(chain, Int32(index)))
            let order = unsafe certificate.withPointer { unsafe X509_cmp($0, found) }
            if order != 0 { return false }
        }
        return true
    }
}
