internal import COpenSSL

/// The roots we believe, and the rules by which a chain of Apple's shape leads to one of them.
///
/// The work is in two steps so that the caller can bound the second: `examine` costs some tens of
/// microseconds and refuses everything a stranger can get wrong cheaply; `Candidate.verifyPath`
/// costs about 3 ms (two P-384 signatures).
package struct TrustAnchors: Sendable {
    /// Marks a certificate that signs App Store receipts and data; presence only.
    package static let leafMarker = "1.2.840.113635.100.6.11.1"
    /// Marks Apple's Worldwide Developer Relations intermediate; presence only.
    package static let intermediateMarker = "1.2.840.113635.100.6.2.1"
    /// Leaf, intermediate, root: as many as Apple sends.
    package static let chainLength = 3

    /// How much of a certificate's form is insisted on.
    package enum PathRules: Sendable {
        /// The third certificate is a configured root byte for byte, and RFC 5280 holds to the
        /// letter (`X509_V_FLAG_X509_STRICT`): key identifiers in every certificate, basic
        /// constraints critical. Apple's chain is so, and nothing else is served.
        case strict
        /// As Apple's own libraries judge their test data: the third certificate is not looked at,
        /// the path may end in any configured root, key identifiers may be missing.
        case lenient
    }

    package let roots: [Certificate]
    let rules: PathRules

    package init(roots: [Certificate], rules: PathRules = .strict) {
        self.roots = roots
        self.rules = rules
    }

    /// `examine`, then `verifyPath`: the leaf of a chain that was valid at `unixSeconds`.
    package func verify(
        x5c: [[UInt8]], at unixSeconds: Int64
    ) throws(ChainError) -> Certificate {
        let candidate = try examine(x5c: x5c, at: unixSeconds)
        try candidate.verifyPath()
        return candidate.leaf
    }

    /// Everything but the signatures, cheapest first: the root by its exact bytes before any
    /// certificate of a stranger is parsed.
    package func examine(
        x5c: [[UInt8]], at unixSeconds: Int64
    ) throws(ChainError) -> Candidate {
        guard x5c.count == Self.chainLength else {
            throw ChainError(.wrongLength, "The chain has \(x5c.count) certificates, not three.")
        }
        let root = try root(of: x5c)
        let intermediate = try Self.certificate(x5c[1], "intermediate")
        let leaf = try Self.certificate(x5c[0], "leaf")
        for certificate in [leaf, intermediate, root]
        where !certificate.isValid(at: unixSeconds) {
            throw ChainError(
                .notValidAtThatTime,
                "A certificate of the chain was not valid at the time of signing.")
        }
        guard intermediate.hasExtension(Self.intermediateMarker) else {
            throw ChainError(
                .intermediateMarkerMissing, "The intermediate lacks Apple's marker extension.")
        }
        guard leaf.hasExtension(Self.leafMarker) else {
            throw ChainError(.leafMarkerMissing, "The leaf lacks Apple's marker extension.")
        }
        guard let key = leaf.publicKey else {
            throw ChainError(.leafKeyNotP256, "The leaf's key is not a P-256 key.")
        }
        return Candidate(
            leaf: leaf, intermediate: intermediate, root: root, leafKey: key,
            unixSeconds: unixSeconds, rules: rules)
    }

    private func root(of x5c: [[UInt8]]) throws(ChainError) -> Certificate {
        let exact = roots.first { $0.der == x5c[2] }
        if let exact { return exact }
        if rules == .lenient, let intermediate = try? Certificate(der: x5c[1]),
            let named = roots.first(where: { intermediate.isIssued(by: $0) })
        {
            return named
        }
        throw ChainError(.unknownRoot, "The chain ends in a root that is not configured.")
    }

    private static func certificate(
        _ der: [UInt8], _ role: String
    ) throws(ChainError) -> Certificate {
        guard let certificate = try? Certificate(der: der) else {
            throw ChainError(
                .malformedCertificate, "The \(role) is no single, complete certificate in DER.")
        }
        return certificate
    }
}

extension TrustAnchors {
    /// A chain that ends in a configured root and looks like Apple's. Its signatures are unchecked
    /// until `verifyPath` returned.
    package struct Candidate: Sendable {
        package let leaf: Certificate
        package let intermediate: Certificate
        package let root: Certificate
        package let leafKey: PublicKey
        let unixSeconds: Int64
        let rules: PathRules

        /// The seconds at which all three certificates are valid.
        package var validity: ClosedRange<Int64> {
            let certificates = [leaf, intermediate, root]
            let start = certificates.reduce(Int64.min) { max($0, $1.notBefore) }
            let end = certificates.reduce(Int64.max) { min($0, $1.notAfter) }
            return start...max(start, end)
        }

        /// RFC 5280 path validation at the given second, with OpenSSL's strict rules, no
        /// revocation and no network; the path found must be exactly the three certificates given.
        package func verifyPath() throws(ChainError) {
            let outcome = OpenSSLErrors.cleared { () -> PathValidation.Outcome in
                guard let path = PathValidation(self) else { return .unavailable }
                return path.outcome()
            }
            switch outcome {
            case .verified:
                return
            case .unavailable:
                throw ChainError(.pathRefused, "OpenSSL could not set up the path validation.")
            case .anotherPath:
                throw ChainError(.pathRefused, "The path found is not the chain that was given.")
            case .refused(let error):
                throw Self.chainError(error)
            }
        }

        private static func chainError(_ error: Int32) -> ChainError {
            let reason = unsafe String(cString: X509_verify_cert_error_string(Int(error)))
            return ChainError(code(error), "The certificate path is refused: \(reason).")
        }

        private static func code(_ error: Int32) -> ChainError.Code {
            switch error {
            case X509_V_ERR_CERT_NOT_YET_VALID, X509_V_ERR_CERT_HAS_EXPIRED:
                .notValidAtThatTime
            case X509_V_ERR_CERT_SIGNATURE_FAILURE:
                .badSignature
            case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT,
                X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
                X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE,
                X509_V_ERR_SUBJECT_ISSUER_MISMATCH,
                X509_V_ERR_AKID_SKID_MISMATCH,
                X509_V_ERR_AKID_ISSUER_SERIAL_MISMATCH:
                .issuerMismatch
            default:
                .pathRefused
            }
        }
    }
}
