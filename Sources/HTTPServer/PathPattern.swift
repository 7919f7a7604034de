/// A path with named gaps, and the one way paths are cut into segments.
struct PathPattern: Sendable {
    private enum Part {
        case exactly([UInt8])
        case named(String)
    }

    private let parts: [Part]

    /// `pattern` is written in the program, not on the wire: "/", "/livez", "/realtime/{token}".
    init(_ pattern: String) {
        parts = pattern.utf8.split(separator: UInt8(ascii: "/")).map { segment in
            if segment.first == UInt8(ascii: "{") && segment.last == UInt8(ascii: "}") {
                return .named(String(decoding: segment.dropFirst().dropLast(), as: UTF8.self))
            }
            return .exactly(Array(segment))
        }
    }

    func match(_ segments: [[UInt8]]) -> PathParameters? {
        guard segments.count == parts.count else { return nil }
        var values: [(name: String, bytes: [UInt8])] = []
        for (part, segment) in zip(parts, segments) {
            switch part {
            case .exactly(let wanted): if wanted != segment { return nil }
            case .named(let name): values.append((name, segment))
            }
        }
        return PathParameters(values)
    }

    /// The decoded segments of a raw path; none for "/". Nil when the path is ambiguous.
    static func segments(of path: some Collection<UInt8>) -> [[UInt8]]? {
        guard path.first == UInt8(ascii: "/") else { return nil }
        if path.count == 1 { return [] }
        var segments: [[UInt8]] = []
        segments.reserveCapacity(4)
        var rest = path.dropFirst()
        while true {
            let end = rest.firstIndex(of: UInt8(ascii: "/"))
            let segment = end.map { rest[..<$0] } ?? rest
            guard let decoded = PercentEncoding.decode(segment), isPlain(decoded) else {
                return nil
            }
            segments.append(decoded)
            guard let end else { return segments }
            rest = rest[end...].dropFirst()
        }
    }

    private static func isPlain(_ segment: [UInt8]) -> Bool {
        let dot = UInt8(ascii: ".")
        let isDots = segment == [dot] || segment == [dot, dot]
        return !segment.isEmpty && !isDots && !segment.contains(0)
            && !segment.contains(UInt8(ascii: "/"))
    }
}
