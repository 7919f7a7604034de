internal import Service

/// The bodies of a corpus as whole requests, one behind the other in memory.
package struct RequestCorpus: Sendable {
    /// 250,000 bodies of Apple's size.
    package static let bytesLimit = 1 << 30

    package let bytes: [UInt8]
    /// Of each request, head and body.
    package let requests: [Range<Int>]

    package init(target: LoadTarget, bodies: some Sequence<ArraySlice<UInt8>>) {
        var bytes: [UInt8] = []
        var requests: [Range<Int>] = []
        let head =
            "POST \(target.path) HTTP/1.1\r\nHost: 127.0.0.1:\(target.port)\r\n"
            + "Content-Type: application/json\r\nContent-Length: "
        for body in bodies {
            let start = bytes.count
            bytes += head.utf8
            bytes += "\(body.count)\r\n\r\n".utf8
            bytes += body
            requests.append(start..<bytes.count)
        }
        self.bytes = bytes
        self.requests = requests
    }

    /// One request of each in turn, as far as the shortest goes.
    package init(takingTurns parts: [RequestCorpus]) {
        var bytes: [UInt8] = []
        var requests: [Range<Int>] = []
        for number in 0..<(parts.map(\.requests.count).min() ?? 0) {
            for part in parts {
                let start = bytes.count
                bytes += part.bytes[part.requests[number]]
                requests.append(start..<bytes.count)
            }
        }
        self.bytes = bytes
        self.requests = requests
    }

    /// Reads a file of `app-store-simulator corpus`: a body a line.
    package init(target: LoadTarget, file: String) throws {
        let bytes = try FileBytes.readAll(file, bytesLimit: Self.bytesLimit)
        self.init(target: target, bodies: bytes.split(separator: UInt8(ascii: "\n")))
        guard !requests.isEmpty else {
            throw UsageError("\(file) holds no bodies; write them with app-store-simulator corpus")
        }
    }
}
