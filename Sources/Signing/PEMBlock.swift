/// One block of textual encoding (RFC 7468), read leniently and written in the one usual form.
///
/// Keys reach us through clipboards, environment files and web forms, which change line ends, add a
/// byte order mark or turn line ends into a literal `\n`. None of this makes another key of it.
struct PEMBlock {
    /// Longer text is no P-256 key and no certificate.
    static let textBytesLimit = 64 * 1024

    private static let begin = Array("-----BEGIN ".utf8)
    private static let end = Array("-----END ".utf8)
    private static let dashes = Array("-----".utf8)
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let lineCharacters = 64

    let label: String
    /// What stands between the lines, blanks removed. May hold a secret.
    var body: [UInt8]

    /// Every complete block in `text`, in its order; what stands around them is ignored.
    static func all(in text: [UInt8]) -> [PEMBlock] {
        var blocks: [PEMBlock] = []
        var rest = text[...]
        while let label = take(after: begin, before: dashes, from: &rest) {
            guard let body = take(upTo: end, from: &rest) else { break }
            blocks.append(
                PEMBlock(
                    label: String(decoding: label, as: UTF8.self), body: withoutBlanks(body)))
        }
        return blocks
    }

    /// `text` without blanks, line ends of every spelling, and a byte order mark.
    static func withoutBlanks(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var kept: [UInt8] = []
        kept.reserveCapacity(text.count)
        var rest = text.starts(with: byteOrderMark) ? text.dropFirst(3) : text
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: " "), 0x09...0x0D:
                continue
            case UInt8(ascii: "\\")
            where rest.first == UInt8(ascii: "n") || rest.first == UInt8(ascii: "r"):
                rest = rest.dropFirst()
            default:
                kept.append(byte)
            }
        }
        return kept
    }

    static func text(label: String, der: [UInt8]) -> [UInt8] {
        var body = Base64.encodedBytes(der)
        defer { cleanse(&body) }
        var text = Array("-----BEGIN \(label)-----\n".utf8)
        text.reserveCapacity(body.count + body.count / lineCharacters + 2 * label.utf8.count + 64)
        for start in stride(from: 0, to: body.count, by: lineCharacters) {
            text += body[start..<min(start + lineCharacters, body.count)]
            text.append(UInt8(ascii: "\n"))
        }
        text += Array("-----END \(label)-----\n".utf8)
        return text
    }

    private static func take(
        after opening: [UInt8], before closing: [UInt8], from rest: inout ArraySlice<UInt8>
    ) -> ArraySlice<UInt8>? {
        guard take(upTo: opening, from: &rest) != nil else { return nil }
        return take(upTo: closing, from: &rest)
    }

    /// The bytes before `mark`; `rest` then stands behind it.
    private static func take(
        upTo mark: [UInt8], from rest: inout ArraySlice<UInt8>
    ) -> ArraySlice<UInt8>? {
        var position = rest.startIndex
        while position + mark.count <= rest.endIndex {
            if rest[position] == mark[0], rest[position...].starts(with: mark) {
                let taken = rest[..<position]
                rest = rest[(position + mark.count)...]
                return taken
            }
            position += 1
        }
        return nil
    }
}
