internal import HTTPServer

/// Ports on loopback that nobody listens on. They are held together until all are found, so that
/// they differ, and then let go for those who will listen there.
package enum FreePort {
    package static func find(_ count: Int) throws -> [UInt16] {
        let servers = try (0..<count).map { _ in
            try Server(ServerSettings(port: 0, threads: .pool(1)), handler: { _ in .empty(404) })
        }
        defer { for server in servers { server.stop(drain: .zero) } }
        return servers.map(\.port)
    }
}
