package import Retention
internal import Signing

/// What a caller shows: `hf_<id>_<secret>_<crc>`. The identifier lets logs and people name a key
/// without its secret; the checksum refuses a mistyped or cut token before any database is asked.
package struct APIKeyToken: Sendable {
    /// 256 random bits, so that a plain hash is enough to keep and to look it up by.
    private static let secretBytes = 32
    private static let secretCharacters = secretBytes * 2
    private static let idCharacters = 26
    private static let checksumCharacters = 8

    /// The whole token, a secret.
    package let text: String
    package let id: APIKeyID

    package static func make(_ id: APIKeyID) -> APIKeyToken {
        let idText = id.description.dropFirst(APIKeyKind.prefix.count + 1)
        let secret = HexadecimalText.of(randomBytes(secretBytes))
        let start = "hf_\(idText)_\(secret)"
        return APIKeyToken(text: "\(start)_\(checksum(of: Array(start.utf8)))", id: id)
    }

    private init(text: String, id: APIKeyID) {
        self.text = text
        self.id = id
    }

    /// `nil` for anything that is not exactly such a token, checksum included.
    package init?(_ bytes: some Collection<UInt8>) {
        let parts = bytes.split(separator: UInt8(ascii: "_"), omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0].elementsEqual("hf".utf8),
            parts[1].count == Self.idCharacters, parts[2].count == Self.secretCharacters,
            parts[3].count == Self.checksumCharacters
        else { return nil }
        let start = Array(bytes.prefix(bytes.count - Self.checksumCharacters - 1))
        let idText = String(decoding: parts[1], as: UTF8.self)
        guard parts[3].elementsEqual(Self.checksum(of: start).utf8),
            let id = APIKeyID("\(APIKeyKind.prefix)_\(idText)")
        else { return nil }
        self.init(text: String(decoding: bytes, as: UTF8.self), id: id)
    }

    /// What the database keeps.
    package var hash: [UInt8] { SHA256.digest(Array(text.utf8)) }

    private static func checksum(of bytes: [UInt8]) -> String {
        var value = ~UInt32(0)
        for byte in bytes {
            value ^= UInt32(byte)
            // CRC-32 as in ISO 3309, bit by bit: a token has a hundred bytes.
            for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0xedb8_8320 : value >> 1 }
        }
        let sum = ~value
        return HexadecimalText.of(
            stride(from: 24, through: 0, by: -8).map {
                UInt8(truncatingIfNeeded: sum >> UInt32($0))
            })
    }
}
