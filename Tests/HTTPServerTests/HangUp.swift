import Dispatch
import Glibc
import Synchronization

/// A service that takes each request and hangs up without an answer.
final class HangUp: Sendable {
    let port: UInt16
    private let listener: Int32
    private let count = Atomic<Int>(0)

    var requestCount: Int { count.load(ordering: .sequentiallyConsistent) }

    init() throws {
        (listener, port) = try boundSocket()
        listen(listener, 16)
        DispatchQueue(label: "hang-up").async { [self, listener] in
            while true {
                let connection = accept(listener, nil, nil)
                if connection < 0 { return }
                var buffer = [UInt8](repeating: 0, count: 4096)
                if unsafe recv(connection, &buffer, buffer.count, 0) > 0 {
                    count.add(1, ordering: .sequentiallyConsistent)
                }
                close(connection)
            }
        }
    }

    func stop() { _ = shutdown(listener, Int32(SHUT_RDWR)) }
}

/// A socket bound to a free port of the loopback address, not listening yet.
func boundSocket() throws -> (descriptor: Int32, port: UInt16) {
    struct NoPort: Error {}
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = unsafe withUnsafeMutablePointer(to: &address) {
        unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            unsafe bind(descriptor, $0, size) + getsockname(descriptor, $0, &size)
        }
    }
    if result != 0 { throw NoPort() }
    return (descriptor, UInt16(bigEndian: address.sin_port))
}
