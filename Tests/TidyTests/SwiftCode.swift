/// Swift text without what only people read: comments and the contents of strings become blanks,
/// code inside `\( )` stays, and every line keeps its number and width.
struct SwiftCode {
    private enum Place {
        case code(openParentheses: Int)
        case string(hashes: Int, quotes: Int)
    }

    private let text: [UInt8]
    private var code: [UInt8] = []
    private var at = 0
    private var places: [Place] = [.code(openParentheses: 0)]

    static func code(of text: String) -> String {
        var scan = SwiftCode(text: Array(text.utf8))
        while scan.at < scan.text.count { scan.step() }
        return String(decoding: scan.code, as: UTF8.self)
    }

    private init(text: [UInt8]) { self.text = text }

    private mutating func step() {
        switch places.last {
        case .string(let hashes, let quotes): stepInString(hashes, quotes)
        case .code(let open): stepInCode(open)
        case nil: keep(text.count - at)
        }
    }

    private mutating func stepInCode(_ open: Int) {
        if sees("//") {
            while at < text.count, text[at] != UInt8(ascii: "\n") { blank(1) }
        } else if sees("/*") {
            blankComment()
        } else if let (hashes, quotes) = stringStart() {
            keep(hashes + quotes)
            places.append(.string(hashes: hashes, quotes: quotes))
        } else {
            let byte = text[at]
            keep(1)
            // Only inside an interpolation do parentheses lead anywhere.
            guard places.count > 1 else { return }
            let change = byte == UInt8(ascii: "(") ? 1 : byte == UInt8(ascii: ")") ? -1 : 0
            places.removeLast()
            if open + change > 0 { places.append(.code(openParentheses: open + change)) }
        }
    }

    private mutating func stepInString(_ hashes: Int, _ quotes: Int) {
        let mark = String(repeating: "#", count: hashes)
        if sees("\\" + mark + "(") {
            blank(1 + hashes)
            keep(1)
            places.append(.code(openParentheses: 1))
        } else if sees("\\" + mark) {
            blank(2 + hashes)
        } else if sees(String(repeating: "\"", count: quotes) + mark) {
            keep(quotes + hashes)
            places.removeLast()
        } else if quotes == 1 && text[at] == UInt8(ascii: "\n") {
            places.removeLast()
        } else {
            blank(1)
        }
    }

    private func stringStart() -> (hashes: Int, quotes: Int)? {
        var next = at
        while next < text.count, text[next] == UInt8(ascii: "#") { next += 1 }
        guard next < text.count, text[next] == UInt8(ascii: "\"") else { return nil }
        let isLong = text[next...].starts(with: "\"\"\"".utf8)
        return (next - at, isLong ? 3 : 1)
    }

    private mutating func blankComment() {
        var depth = 0
        repeat {
            if sees("/*") {
                depth += 1
                blank(2)
            } else if sees("*/") {
                depth -= 1
                blank(2)
            } else {
                blank(1)
            }
        } while depth > 0 && at < text.count
    }

    private func sees(_ mark: String) -> Bool { text[at...].starts(with: mark.utf8) }

    private mutating func keep(_ count: Int) {
        let end = min(at + count, text.count)
        code += text[at..<end]
        at = end
    }

    /// Line ends stay, also escaped ones.
    private mutating func blank(_ count: Int) {
        for byte in text[at..<min(at + count, text.count)] {
            code.append(byte == UInt8(ascii: "\n") ? byte : UInt8(ascii: " "))
        }
        at = min(at + count, text.count)
    }
}
