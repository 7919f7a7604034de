internal import COpenSSL

/// Issues chains shaped like Apple's: P-384 root and intermediate signing with SHA-384, a P-256
/// leaf, the two marker extensions, key usage and key identifiers. The simulator signs with one at
/// run time, the tests with crooked ones; no service trusts one unless a setting names its root.
package struct CertificateAuthority: Sendable {
    /// 2014-04-30 to 2039-04-30, as Apple's root.
    package static let rootValidity: ClosedRange<Int64> = 1_398_816_000...2_187_734_399
    /// 2021-03-17 to 2036-03-19, as Apple's intermediate.
    package static let intermediateValidity: ClosedRange<Int64> = 1_615_939_200...2_089_497_600

    // With them the certificates are as large as Apple's: 1,077 and 794 bytes.
    private static let leafCommentBytes = 480
    private static let intermediateCommentBytes = 170

    /// What to get wrong on purpose.
    package struct Flaws: Sendable {
        package var leafMarker = true
        package var intermediateMarker = true
        /// Off: the intermediate says CA:FALSE.
        package var intermediateIsAuthority = true
        /// Off: the leaf is signed by a key that is not the intermediate's.
        package var leafSignature = true
        /// On: the leaf's key is P-384.
        package var leafOnP384 = false

        package init() {}
    }

    /// Three certificates under a fresh root. Two calls with one name give two roots that differ in
    /// their keys only: an impostor for the tests.
    /// - Parameters:
    ///   - name: the organisation in all subjects.
    ///   - leafValidity: UNIX seconds, both ends included; likewise the others.
    package static func appleLike(
        name: String, leafValidity: ClosedRange<Int64>,
        intermediateValidity: ClosedRange<Int64> = CertificateAuthority.intermediateValidity,
        rootValidity: ClosedRange<Int64> = CertificateAuthority.rootValidity,
        flaws: Flaws = Flaws()
    ) throws(SigningError) -> IssuedChain {
        let rootKey = try KeyHandle.generate(curve: "secp384r1")
        let intermediateKey = try KeyHandle.generate(curve: "secp384r1")
        let leafKey = try PrivateKey.generate()
        let p384LeafKey = flaws.leafOnP384 ? try KeyHandle.generate(curve: "secp384r1") : nil

        let root = try CertificateTemplate(
            commonName: "\(name) Root CA", organisation: name, validity: rootValidity,
            extensions: [.authority, .authorityKeyUsage, .subjectKeyIdentifier]
        ).issue(for: rootKey, by: nil, issuerKey: rootKey)
        let intermediate = try CertificateTemplate(
            commonName: "\(name) Intermediate CA", organisation: name,
            validity: intermediateValidity,
            extensions: intermediateExtensions(flaws)
        ).issue(for: intermediateKey, by: root, issuerKey: rootKey)
        let leaf = try CertificateTemplate(
            commonName: "\(name) Store Signing", organisation: name, validity: leafValidity,
            extensions: leafExtensions(flaws)
        ).issue(
            for: p384LeafKey ?? leafKey.handle, by: intermediate,
            issuerKey: flaws.leafSignature ? intermediateKey : rootKey)
        return IssuedChain(
            root: root.der, intermediate: intermediate.der, leaf: leaf.der, leafKey: leafKey)
    }

    /// One self-signed certificate, as Xcode's local testing signs with. It must never be believed.
    package static func xcodeLike(
        name: String, validity: ClosedRange<Int64>
    ) throws(SigningError) -> IssuedChain {
        let key = try PrivateKey.generate()
        let only = try CertificateTemplate(
            commonName: name, organisation: name, validity: validity,
            extensions: [.authority, .authorityKeyUsage, .subjectKeyIdentifier]
        ).issue(for: key.handle, by: nil, issuerKey: key.handle)
        return IssuedChain(
            root: only.der, intermediate: only.der, leaf: only.der, leafKey: key, x5c: [only.der])
    }

    private static func intermediateExtensions(_ flaws: Flaws) -> [CertificateTemplate.Extension] {
        let first: CertificateTemplate.Extension =
            flaws.intermediateIsAuthority ? .intermediateAuthority : .noAuthority
        let base: [CertificateTemplate.Extension] = [
            first, .authorityKeyUsage, .subjectKeyIdentifier, .authorityKeyIdentifier,
            .comment(bytes: intermediateCommentBytes),
        ]
        return base
            + (flaws.intermediateMarker ? [.marker(TrustAnchors.intermediateMarker)] : [])
    }

    private static func leafExtensions(_ flaws: Flaws) -> [CertificateTemplate.Extension] {
        let base: [CertificateTemplate.Extension] = [
            .noAuthority, .signatureKeyUsage, .subjectKeyIdentifier, .authorityKeyIdentifier,
            .comment(bytes: leafCommentBytes),
        ]
        return base + (flaws.leafMarker ? [.marker(TrustAnchors.leafMarker)] : [])
    }
}
