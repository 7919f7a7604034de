// The C importer gives `sockaddr` to whichever module included it first.
import CMicroHTTPD
import Glibc

/// The listening socket. Ours rather than the library's, so that a failure has a name, port 0 can
/// be read back, and a draining server refuses new connections at once.
struct Listener: ~Copyable {
    let socket: Int32
    let port: UInt16

    init(host: String, port: UInt16) throws(ServerError) {
        let address = try SocketAddress(host: host, port: port)
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = Glibc.socket(address.family, type, 0)
        guard descriptor >= 0 else { throw Listener.failure("open a socket", host, port) }
        do {
            self.port = try Listener.bind(descriptor, address, host)
            self.socket = descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }

    deinit { close(socket) }

    /// From now on connecting is refused; the descriptor stays ours.
    borrowing func refuseConnections() { _ = shutdown(socket, Int32(SHUT_RDWR)) }

    private static func bind(
        _ descriptor: Int32, _ address: SocketAddress, _ host: String
    ) throws(ServerError) -> UInt16 {
        var on: Int32 = 1
        // A restart must not wait for the last connections' TIME_WAIT.
        let reuse = unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        guard reuse == 0, address.bind(descriptor) == 0,
            listen(descriptor, Int32(ServerSettings.waitingConnectionsLimit)) == 0
        else {
            throw failure("listen", host, address.port)
        }
        guard let port = SocketAddress(boundTo: descriptor)?.port else {
            throw failure("read the port", host, address.port)
        }
        return port
    }

    private static func failure(_ step: String, _ host: String, _ port: UInt16) -> ServerError {
        let number = errno
        let code: ServerError.Code =
            switch number {
            case EADDRINUSE: .addressInUse
            case EACCES: .notPermitted
            case EADDRNOTAVAIL: .badAddress
            default: .listenFailed
            }
        return ServerError(
            code: code,
            message: "could not \(step) on \(host) port \(port) (errno \(number)); choose another "
                + "address or port, or end the program that holds it")
    }
}

/// A numeric IPv4 or IPv6 address with a port.
struct SocketAddress {
    private var storage = sockaddr_storage()
    private let length: socklen_t
    let port: UInt16

    var family: Int32 { Int32(storage.ss_family) }

    init(host: String, port: UInt16) throws(ServerError) {
        self.port = port
        var four = sockaddr_in()
        var six = sockaddr_in6()
        if unsafe inet_pton(AF_INET, host, &four.sin_addr) == 1 {
            four.sin_family = sa_family_t(AF_INET)
            four.sin_port = port.bigEndian
            length = socklen_t(MemoryLayout<sockaddr_in>.size)
            unsafe withUnsafeMutableBytes(of: &storage) {
                unsafe $0.storeBytes(of: four, as: sockaddr_in.self)
            }
        } else if unsafe inet_pton(AF_INET6, host, &six.sin6_addr) == 1 {
            six.sin6_family = sa_family_t(AF_INET6)
            six.sin6_port = port.bigEndian
            length = socklen_t(MemoryLayout<sockaddr_in6>.size)
            unsafe withUnsafeMutableBytes(of: &storage) {
                unsafe $0.storeBytes(of: six, as: sockaddr_in6.self)
            }
        } else {
            throw ServerError(
                code: .badAddress,
                message: "\(host) is not a numeric address; write 127.0.0.1 or ::1")
        }
    }

    /// The address a socket is bound to; nil if the system does not say.
    init?(boundTo descriptor: Int32) {
        var filled = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = unsafe withUnsafeMutablePointer(to: &storage) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &filled)
            }
        }
        guard result == 0 else { return nil }
        length = filled
        // The port stands at the same place in both families.
        port = unsafe withUnsafeBytes(of: storage) {
            UInt16(bigEndian: unsafe $0.load(fromByteOffset: 2, as: UInt16.self))
        }
    }

    func bind(_ descriptor: Int32) -> Int32 {
        unsafe withUnsafePointer(to: storage) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.bind(descriptor, $0, length)
            }
        }
    }

    /// Numeric text of the address a connection came from.
    @safe static func text(of address: UnsafePointer<sockaddr>?) -> String? {
        guard let address = unsafe address else { return nil }
        let isFour = unsafe Int32(address.pointee.sa_family) == AF_INET
        let length = isFour ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
        var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let result = unsafe getnameinfo(
            address, socklen_t(length), &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST)
        guard result == 0 else { return nil }
        let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
