/// What one client may take, in bytes, pieces and time. Every number is a refusal, never a
/// slow-down.
package struct Limits: Sendable {
    /// Longest request target (path and query); longer is 414. The library's own buffer refuses
    /// lines over about 8 KB with the same status.
    package var requestLineBytes = 8_000
    /// Most parameters in a query; more is 414. The library keeps a note of each in the
    /// connection's memory and hangs when that is full.
    package var queryParameterCount = 64
    /// Names and values of all header fields together; more is 431.
    package var headerBytes = 12_000
    /// Most header fields; more is 431.
    package var headerCount = 64
    /// Largest body, announced or chunked; more is 413.
    package var bodyBytes = 64 * 1024
    /// Other limits for the paths of some patterns, such as `/apps/{id}/images`.
    package var bodyBytesByPath: [(pattern: String, bytes: Int)] = []
    /// Connections at one time; further ones are accepted and closed at once.
    package var connections = 2_000
    /// From the first sign of a request to its last byte, and again for sending the answer.
    /// The handler's own time does not count.
    package var requestDeadline: Duration = .seconds(10)
    /// How long a connection may stay open between an answer and the next request's first line.
    package var idleTimeout: Duration = .seconds(75)

    package init() {}

    /// The limit for a target as it came on the wire.
    func bodyBytes(of target: [UInt8]) -> Int {
        guard !bodyBytesByPath.isEmpty,
            let segments = PathPattern.segments(of: target.prefix { $0 != UInt8(ascii: "?") })
        else { return bodyBytes }
        let own = bodyBytesByPath.first { PathPattern($0.pattern).match(segments) != nil }
        return own?.bytes ?? bodyBytes
    }
}

/// Where a server listens and on how many threads.
package struct ServerSettings: Sendable {
    /// How connections share threads.
    package enum Threads: Sendable {
        /// A fixed pool: for handlers that answer within milliseconds.
        case pool(Int)
        /// A thread for each connection up to `maximum`: a slow handler holds up nobody else.
        case perConnection(maximum: Int)
    }

    /// Connections that the kernel holds until a thread accepts them; those beyond are dropped, and
    /// nobody here sees them.
    package static let waitingConnectionsLimit = 511

    /// A numeric IPv4 or IPv6 address. Services stand behind a proxy, hence loopback.
    package var host: String
    /// 0 takes any free port; `Server.port` tells which.
    package var port: UInt16
    package var threads: Threads
    package var limits: Limits
    /// Whether handlers are told how much stands before a request; see `RequestLoad`.
    package var measuresLoad = false

    package init(
        host: String = "127.0.0.1", port: UInt16, threads: Threads = .pool(2),
        limits: Limits = Limits()
    ) {
        self.host = host
        self.port = port
        self.threads = threads
        self.limits = limits
    }
}
