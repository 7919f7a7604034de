private import CLinux
private import Glibc

/// A fixed number of TCP connections to one port of this machine, waited for together by one
/// thread. For programs that put load on a server of their own; it reaches no other machine.
package final class LoopbackConnections {
    /// How many may be open at one time: far below what a process may have of files.
    package static let countLimit = 512

    package enum Piece {
        /// So many bytes were appended.
        case bytes(Int)
        /// Nothing is there now.
        case nothing
        /// The other end closed or broke the connection.
        case ended
    }

    private let port: UInt16
    private var entries: [pollfd]
    private var buffer = [UInt8](repeating: 0, count: 64 * 1024)

    /// Connects all of them.
    package init(port: UInt16, count: Int) throws(LoopbackError) {
        guard (1...Self.countLimit).contains(count) else {
            throw LoopbackError(description: "open 1 to \(Self.countLimit) connections")
        }
        self.port = port
        entries = []
        do {
            for _ in 0..<count { entries.append(try Self.connected(to: port)) }
        } catch {
            closeAll()
            throw error
        }
    }

    deinit { closeAll() }

    package var count: Int { entries.count }

    /// Closes one and opens it anew.
    package func reconnect(_ index: Int) throws(LoopbackError) {
        let next = try Self.connected(to: port)
        close(entries[index].fd)
        entries[index] = next
    }

    /// Sends what the socket takes at once of `bytes[range]`; how many bytes that were, or nil
    /// where the connection is broken.
    package func send(_ bytes: [UInt8], _ range: Range<Int>, on index: Int) -> Int? {
        let count = unsafe bytes.withUnsafeBytes {
            unsafe Glibc.send(
                entries[index].fd, $0.baseAddress?.advanced(by: range.lowerBound), range.count,
                Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        }
        if count >= 0 { return count }
        return errno == EAGAIN || errno == EINTR ? 0 : nil
    }

    /// Appends what has come to `bytes`.
    package func receive(on index: Int, into bytes: inout [UInt8]) -> Piece {
        let count = unsafe recv(entries[index].fd, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        if count > 0 {
            bytes.append(contentsOf: buffer[..<count])
            return .bytes(count)
        }
        return count < 0 && (errno == EAGAIN || errno == EINTR) ? .nothing : .ended
    }

    /// Whether `wait` is to look for room to send on it, too.
    package func watchRoom(on index: Int, _ isWanted: Bool) {
        entries[index].events = Int16(isWanted ? POLLIN | POLLOUT : POLLIN)
    }

    /// Waits until one has something to read, or room where that was asked for, at most so long.
    package func wait(nanoseconds: UInt64) {
        for index in entries.indices { entries[index].revents = 0 }
        _ = unsafe linux_poll(
            &entries, UInt32(entries.count), Int64(clamping: min(nanoseconds, 1_000_000_000)))
    }

    /// What the last `wait` found; a broken connection is ready as well.
    package func isReady(_ index: Int) -> Bool { entries[index].revents != 0 }

    /// Makes the calling thread's waits exact and its turn come first, as far as the system
    /// allows: a load generator that is late itself would call the server slow.
    package static func sharpenThread(_ isWanted: Bool) {
        // 0 is the thread's usual slack again.
        _ = linux_set_timer_slack(isWanted ? 1 : 0)
        _ = setpriority(Int32(PRIO_PROCESS.rawValue), 0, isWanted ? -15 : 0)
    }

    /// Monotonic nanoseconds.
    package static func now() -> UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    private func closeAll() {
        for entry in entries { close(entry.fd) }
        entries = []
    }

    private static func connected(to port: UInt16) throws(LoopbackError) -> pollfd {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_INET, type, 0)
        guard descriptor >= 0 else { throw LoopbackError(number: errno, port: port) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, size)
            }
        }
        guard result == 0 else {
            let number = errno
            close(descriptor)
            throw LoopbackError(number: number, port: port)
        }
        var on: Int32 = 1
        _ = unsafe setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on,
            socklen_t(MemoryLayout<Int32>.size))
        return pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    }
}

/// Why there is no connection, in a sentence.
package struct LoopbackError: Error, Sendable, CustomStringConvertible {
    package let description: String

    init(description: String) { self.description = description }

    fileprivate init(number: Int32, port: UInt16) {
        description =
            "no connection to 127.0.0.1:\(port) (errno \(number)); is the server running there?"
    }
}
