/// What a refusal says, made fit to be shown and logged: it comes from outside, and may repeat what
/// was sent to it.
package enum AppleExcerpt {
    /// Of the bytes looked at.
    package static let readBytesLimit = 4_096
    package static let scalarsLimit = 300
    /// Any piece of a secret that is this long is hidden.
    package static let secretPieceBytes = 16

    /// Nil where nothing is left that can be seen.
    package static func make(
        _ bytes: some Collection<UInt8>, hiding secrets: [String]
    ) -> String? {
        let text = String(decoding: bytes.prefix(readBytesLimit), as: UTF8.self)
        let line = hiding(secrets, in: oneLine(text))
        let excerpt = line.unicodeScalars.prefix(scalarsLimit)
        return excerpt.allSatisfy { $0 == " " } ? nil : String(String.UnicodeScalarView(excerpt))
    }

    /// Blanks and what cannot be printed become single blanks: no line break, no change of
    /// direction, nothing that a terminal acts on.
    private static func oneLine(_ text: String) -> String {
        var line = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if isPrintable(scalar) {
                line.append(scalar)
            } else if let last = line.last, last != " " {
                line.append(" ")
            }
        }
        return String(line)
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
            .paragraphSeparator, .spaceSeparator:
            false
        default: true
        }
    }

    private static func hiding(_ secrets: [String], in text: String) -> String {
        let bytes = Array(text.utf8)
        let lowered = bytes.map(lowerCase)
        let hidden = Set(secrets.flatMap { pieces(of: Array($0.utf8).map(lowerCase)) })
        var isSecret = [Bool](repeating: false, count: bytes.count)
        for start in starts(bytes.count)
        where hidden.contains(lowered[start..<(start + secretPieceBytes)]) {
            for place in start..<(start + secretPieceBytes) { isSecret[place] = true }
        }
        var shown: [UInt8] = []
        for (place, byte) in bytes.enumerated() {
            if !isSecret[place] {
                shown.append(byte)
            } else if place == 0 || !isSecret[place - 1] {
                shown += "(hidden)".utf8
            }
        }
        return String(decoding: shown, as: UTF8.self)
    }

    private static func pieces(of secret: [UInt8]) -> [ArraySlice<UInt8>] {
        starts(secret.count).map { secret[$0..<($0 + secretPieceBytes)] }
    }

    private static func starts(_ count: Int) -> Range<Int> {
        0..<max(0, count - secretPieceBytes + 1)
    }

    private static func lowerCase(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
    }
}
