import Foundation
import Glibc
import Synchronization

/// Stands between a client and PostgreSQL's socket, passes everything on, and counts how often the
/// client speaks after the server has: once for each round trip.
final class TurnCounter: Sendable {
    struct Failed: Error {}

    let folder: String
    private let listener: Int32
    private let server: String
    private let counted = Mutex((turns: 0, serverSpoke: true))

    /// - Parameter server: the folder of its socket; the port is 5432.
    init(server: String) throws {
        self.server = server + "/.s.PGSQL.5432"
        folder = "/var/tmp/holdfast-turns-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false)
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let isBound = unsafe Self.withAddress(folder + "/.s.PGSQL.5432") { address, length in
            unsafe bind(listener, address, length)
        }
        guard isBound == 0, listen(listener, 8) == 0 else { throw Failed() }
        Thread.detachNewThread { [self, listener] in
            while true {
                let client = accept(listener, nil, nil)
                if client < 0 { return }
                serve(client)
            }
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func stop() { _ = shutdown(listener, Int32(SHUT_RDWR)) }

    /// How many round trips `body` takes.
    func turns(_ body: () throws -> Void) rethrows -> Int {
        counted.withLock { $0 = (turns: 0, serverSpoke: true) }
        try body()
        return counted.withLock { $0.turns }
    }

    private func serve(_ client: Int32) {
        let upstream = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let isConnected = unsafe Self.withAddress(server) { address, length in
            unsafe connect(upstream, address, length)
        }
        guard isConnected == 0 else {
            close(client)
            return
        }
        Thread.detachNewThread { [self] in
            pass(from: client, to: upstream) { counted in
                if counted.serverSpoke { counted.turns += 1 }
                counted.serverSpoke = false
            }
        }
        Thread.detachNewThread { [self] in
            pass(from: upstream, to: client) { $0.serverSpoke = true }
        }
    }

    private func pass(
        from source: Int32, to target: Int32,
        _ note: (inout (turns: Int, serverSpoke: Bool)) -> Void
    ) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe read(source, &buffer, buffer.count)
            guard count > 0 else { break }
            // Before it is passed on: the other side may answer at once.
            counted.withLock { note(&$0) }
            var sent = 0
            while sent < count {
                let part = Array(buffer[sent..<count])
                // A side that is gone must not end the process by SIGPIPE.
                let taken = unsafe send(target, part, part.count, Int32(MSG_NOSIGNAL))
                guard taken > 0 else { break }
                sent += taken
            }
        }
        _ = shutdown(target, Int32(SHUT_RDWR))
    }

    private static func withAddress(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { place in
            unsafe place.copyBytes(from: path.utf8)
        }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        return unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, length) }
        }
    }
}
