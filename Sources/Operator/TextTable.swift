/// Columns under one another, each as wide as its widest cell.
struct TextTable {
    let head: [String]
    let rows: [[String]]

    var text: String {
        let all = ([head] + rows).map { $0.map(\.withoutControls) }
        let widths = head.indices.map { column in
            all.map { TextWidth.columns(of: $0[column]) }.max() ?? 0
        }
        return all.map { row in
            let cells = zip(row, widths).map { $0.padded(to: $1) }.joined(separator: "  ")
            return String(cells.reversed().drop { $0 == " " }.reversed()) + "\n"
        }.joined()
    }
}

extension String {
    /// A name is whatever somebody chose: it must not move the cursor or turn the line around.
    fileprivate var withoutControls: String {
        let joiner: Unicode.Scalar = "\u{200D}"
        return String(
            String.UnicodeScalarView(
                unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .lineSeparator, .paragraphSeparator: "\u{FFFD}"
                    case .format where scalar != joiner: "\u{FFFD}"
                    default: scalar
                    }
                }))
    }

    /// With blanks behind it up to `width` columns; never cut.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - TextWidth.columns(of: self)))
    }
}

/// How wide a text is on a terminal: East Asian characters take two columns.
enum TextWidth {
    static func columns(of text: String) -> Int {
        text.unicodeScalars.reduce(0) { $0 + (isWide($1) ? 2 : 1) }
    }

    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        [
            0x1100...0x115f, 0x2e80...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f,
            0xff00...0xff60, 0xffe0...0xffe6,
        ].contains { $0.contains(Int(scalar.value)) }
    }
}
