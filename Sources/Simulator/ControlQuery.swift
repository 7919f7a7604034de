/// The query of a control call: `name=value` pairs of plain characters, nothing percent-encoded.
struct ControlQuery {
    private let pairs: [(name: Substring, value: Substring)]

    init(_ query: String?) {
        pairs = (query ?? "").split(separator: "&").compactMap { pair in
            guard let mark = pair.firstIndex(of: "=") else { return nil }
            return (pair[..<mark], pair[pair.index(after: mark)...])
        }
    }

    subscript(_ name: String) -> String? {
        pairs.first { $0.name.utf8.elementsEqual(name.utf8) }.map { String($0.value) }
    }

    /// A whole number above zero of at most 18 digits.
    static func whole(_ text: String) -> Int64? {
        guard !text.isEmpty, text.utf8.count <= 18 else { return nil }
        var value: Int64 = 0
        for digit in text.utf8 {
            guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
            value = value * 10 + Int64(digit - UInt8(ascii: "0"))
        }
        return value > 0 ? value : nil
    }
}
