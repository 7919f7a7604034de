internal import Signing

/// What all that an In-App Purchase key signs has in the same form: offers and bearer tokens.
enum JWTParts {
    /// Of each value that goes into the header or the claims.
    static let valueBytesLimit = 255

    /// Apple's header, encoded.
    static func encodedHeader(keyId: String) -> [UInt8] {
        var header = JSONText()
        header.add("alg", "ES256")
        header.add("kid", keyId)
        header.add("typ", "JWT")
        return Base64URL.encodedBytes(header.closed())
    }

    /// A signature over an empty or blank value looks fine and fails at Apple.
    static func require(_ value: String, _ name: String) throws(SigningError) {
        guard value.utf8.contains(where: { $0 > 0x20 }) else {
            throw SigningError(.fieldEmpty, "\(name) is empty; nothing is signed without it.")
        }
        guard value.utf8.count <= valueBytesLimit else {
            throw SigningError(
                .fieldTooLong, "\(name) is longer than \(valueBytesLimit) bytes.")
        }
    }
}
