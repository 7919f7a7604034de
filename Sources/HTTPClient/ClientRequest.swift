/// A request to send.
package struct ClientRequest: Sendable {
    /// Sent as it is.
    package var method: String
    /// `http` or `https`. Dots in the path are left as they are.
    package var url: String
    /// Replace those libcurl would set, `Host` included. No `Content-Type` unless given here.
    package var headers: [(String, String)]
    package var body: [UInt8]
    /// For everything from waiting for a connection to the last byte; the transport's total timeout
    /// applies where it is shorter or where this is nil.
    package var deadline: Duration?
    /// Whether it may be sent again on a fresh connection when a kept one ended before any answer.
    /// Nil: `GET`, `HEAD`, `PUT` and `DELETE` may, all others never. False where the answer is to
    /// say what became of this one request, since the first may have been acted on.
    package var isRepeatable: Bool?

    package init(
        method: String, url: String, headers: [(String, String)] = [], body: [UInt8] = [],
        deadline: Duration? = nil, isRepeatable: Bool? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.deadline = deadline
        self.isRepeatable = isRepeatable
    }
}

/// A complete answer, of whatever status.
package struct ClientResponse: Sendable {
    package let status: Int
    /// In the order they came; trailers are left out.
    package let headers: [(name: String, value: String)]
    package let body: [UInt8]

    /// The value of the first field of this name, whatever the case of its ASCII letters.
    package func header(_ name: String) -> String? {
        headers.first { equalIgnoringASCIICase($0.name, name) }?.value
    }
}

/// Equal as bytes but for the case of the letters A to Z.
func equalIgnoringASCIICase(_ left: String, _ right: String) -> Bool {
    func lowercased(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
    }
    return left.utf8.count == right.utf8.count
        && zip(left.utf8, right.utf8).allSatisfy { lowercased($0) == lowercased($1) }
}
