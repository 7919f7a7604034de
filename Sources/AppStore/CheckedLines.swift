internal import Signing

/// A small file of ours: a title, lines, and last the SHA-256 of all before it. The checksum tells
/// damage, not malice: whoever may write the file may write a fitting one, so what it says is
/// judged by its reader.
package struct CheckedLines: Sendable {
    /// The headers of all remembered chains have some 150 KB.
    package static let bytesLimit = 4 << 20

    private static let lineEnd = UInt8(ascii: "\n")

    private let title: [UInt8]

    /// Lines: encoded JWS headers. See `SignedDataVerifier.warm`.
    package static let verifiedChains = CheckedLines("holdfast verified chains 1")
    /// Lines: SHA-256 of certificates in hexadecimal. See `SignedDataVerifier.refuse`.
    package static let refusedCertificates = CheckedLines("holdfast refused certificates 1")

    private init(_ title: String) { self.title = Array(title.utf8) }

    /// Lines that hold no line end.
    package func encode(_ lines: [[UInt8]]) -> [UInt8] {
        var bytes: [UInt8] = []
        for line in [title] + lines {
            bytes += line
            bytes.append(Self.lineEnd)
        }
        return bytes + HexadecimalText.of(SHA256.digest(bytes)).utf8 + [Self.lineEnd]
    }

    /// nil unless it is whole, of this title, and undamaged.
    package func decode(_ bytes: [UInt8]) -> [[UInt8]]? {
        guard bytes.count <= Self.bytesLimit, bytes.last == Self.lineEnd,
            bytes.starts(with: title + [Self.lineEnd])
        else { return nil }
        let lines = bytes.dropLast().split(
            separator: Self.lineEnd, omittingEmptySubsequences: false)
        guard lines.count >= 2, let checksum = lines.last else { return nil }
        let summed = bytes.prefix(bytes.count - checksum.count - 1)
        guard checksum.elementsEqual(HexadecimalText.of(SHA256.digest(of: summed)).utf8) else {
            return nil
        }
        return lines.dropFirst().dropLast().map { Array($0) }
    }
}
