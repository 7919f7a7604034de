package import Service

/// Where load is put: the real-time URL of a responder on this machine. Load on anybody else's
/// would be an attack, so nothing but loopback is accepted.
package struct LoadTarget: Sendable, Equatable {
    package let port: UInt16
    package let path: String

    /// - Parameter url: `http://127.0.0.1:8081/realtime/…`; `localhost` means the same address.
    package init(url: String) throws(UsageError) {
        let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == "http:", parts[1].isEmpty else {
            throw UsageError("a target is like http://127.0.0.1:8081/realtime/TOKEN")
        }
        let authority = parts[2].split(separator: ":", omittingEmptySubsequences: false)
        guard ["127.0.0.1", "localhost"].contains(authority.first.map(String.init) ?? "") else {
            throw UsageError("load goes to 127.0.0.1 alone, never to '\(parts[2])'")
        }
        guard authority.count == 2, let port = UInt16(authority[1]), port > 0 else {
            throw UsageError("the target names no port: http://127.0.0.1:PORT/…")
        }
        guard parts[3].utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw UsageError("the target's path has other than visible ASCII characters")
        }
        self.port = port
        path = "/" + String(parts[3])
    }

    package init(port: UInt16, path: String) {
        self.port = port
        self.path = path
    }
}
