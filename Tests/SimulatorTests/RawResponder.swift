import Dispatch
import Foundation
import Glibc

/// Takes one connection after the other, reads a little, writes the given bytes whatever was
/// asked, and closes: what no HTTP server would do.
final class RawResponder: Sendable {
    private let listener: Int32
    private let ended = DispatchSemaphore(value: 0)
    let port: UInt16

    init(_ bytes: [UInt8]) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(listener, pointer, length) == 0 && listen(listener, 8) == 0
                    && getsockname(listener, pointer, &length) == 0
            }
        }
        guard isListening else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        self.listener = listener
        port = UInt16(bigEndian: address.sin_port)
        let ended = ended
        Thread.detachNewThread {
            RawResponder.serve(listener, bytes)
            ended.signal()
        }
    }

    private static func serve(_ listener: Int32, _ bytes: [UInt8]) {
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { return }
            var buffer = [UInt8](repeating: 0, count: 65_536)
            _ = unsafe read(connection, &buffer, buffer.count)
            _ = unsafe write(connection, bytes, bytes.count)
            // An orderly end, not a reset: what was written arrives first.
            shutdown(connection, Int32(SHUT_WR))
            _ = unsafe read(connection, &buffer, buffer.count)
            close(connection)
        }
    }

    var origin: String { "http://127.0.0.1:\(port)" }

    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        ended.wait()
        close(listener)
    }
}
