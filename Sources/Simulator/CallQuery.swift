import HTTPServer

/// The query of one of Apple's calls: names may come again, values are percent-encoded.
struct CallQuery: Sendable {
    private let pairs: [(name: String, value: String)]

    init(_ request: Request) throws(AppleError) {
        var pairs: [(name: String, value: String)] = []
        for pair in (request.query ?? "").split(separator: "&") {
            let mark = pair.firstIndex(of: "=") ?? pair.endIndex
            guard mark < pair.endIndex, let value = CallQuery.decoded(pair[mark...].dropFirst())
            else { throw .generalBadRequest }
            pairs.append((String(pair[..<mark]), value))
        }
        self.pairs = pairs
    }

    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
                continue
            }
            let digits = rest.prefix(2)
            guard digits.count == 2,
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    func onlyHas(_ names: [String]) throws(AppleError) {
        guard pairs.allSatisfy({ pair in names.contains { sameBytes($0, pair.name) } }) else {
            throw .generalBadRequest
        }
    }

    func all(_ name: String) -> [String] {
        pairs.filter { sameBytes($0.name, name) }.map(\.value)
    }

    /// - Throws: `error` where it comes twice.
    func one(_ name: String, else error: AppleError) throws(AppleError) -> String? {
        let values = all(name)
        guard values.count <= 1 else { throw error }
        return values.first
    }

    /// What the answer depends on beside the name given, in an order of its own.
    func fingerprint(without name: String) -> String {
        pairs.filter { !sameBytes($0.name, name) }.map { "\($0.name)=\($0.value)" }.sorted()
            .joined(separator: "&")
    }
}
