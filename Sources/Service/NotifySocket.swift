private import Glibc

/// Tells the process's supervisor what it waits for (`Type=notify` of systemd): one datagram per
/// message, as sd_notify(3) describes. Whatever goes wrong, the service runs on.
struct NotifySocket: Sendable {
    /// What follows the family in the system's address.
    private static let pathBytesLimit =
        MemoryLayout<sockaddr_un>.size - MemoryLayout<sa_family_t>.size
    private let path: [UInt8]

    /// Nil where nobody listens, or the address is no path and no abstract name.
    init?(environment: [String: String]) {
        guard let path = environment["NOTIFY_SOCKET"].map({ Array($0.utf8) }),
            let first = path.first, first == UInt8(ascii: "/") || first == UInt8(ascii: "@"),
            path.count < Self.pathBytesLimit
        else { return nil }
        self.path = path
    }

    func send(_ message: String) {
        let kind = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let bytes = Array(message.utf8)
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        unsafe withAddress { address, length in
            _ = unsafe sendto(descriptor, bytes, bytes.count, flags, address, length)
        }
    }

    private func withAddress(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Void) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { place in
            unsafe place.copyBytes(from: path)
            // An abstract name begins with NUL, which "@" stands for.
            if path.first == UInt8(ascii: "@") { unsafe place[0] = 0 }
        }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + path.count)
        unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, length) }
        }
    }
}
