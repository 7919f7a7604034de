/// A chain with the private key of its leaf: what a signer needs to sign as the App Store does.
package struct IssuedChain: Sendable {
    package let root: [UInt8]
    package let intermediate: [UInt8]
    package let leaf: [UInt8]
    package let leafKey: PrivateKey
    /// The certificates of the JWS header in DER, leaf first.
    package let x5c: [[UInt8]]

    /// `x5c` is leaf, intermediate, root unless given otherwise.
    package init(
        root: [UInt8], intermediate: [UInt8], leaf: [UInt8], leafKey: PrivateKey,
        x5c: [[UInt8]]? = nil
    ) {
        self.root = root
        self.intermediate = intermediate
        self.leaf = leaf
        self.leafKey = leafKey
        self.x5c = x5c ?? [leaf, intermediate, root]
    }

    /// Apple's header: `alg` and `x5c`, the certificates in standard padded Base64, no `kid`.
    package var jwsHeader: [UInt8] {
        let certificates = x5c.map { "\"\(Base64.encode($0))\"" }.joined(separator: ",")
        return Array("{\"alg\":\"ES256\",\"x5c\":[\(certificates)]}".utf8)
    }

    /// `payload`, a JSON object as bytes, signed as the App Store signs.
    package func sign(_ payload: [UInt8]) throws(SigningError) -> String {
        try CompactJWS.sign(header: jwsHeader, payload: payload, with: leafKey)
    }
}
