import Foundation
import Glibc
import Synchronization

/// A server that answers each request with exactly the bytes it is told to, however wrong.
package final class ScriptedServer: Sendable {
    package struct Seen: Sendable {
        /// Which connection it came on, from 0.
        package let connection: Int
        /// Head and body.
        package let bytes: [UInt8]

        package var text: String { String(decoding: bytes, as: UTF8.self) }
    }

    package enum Step: Sendable {
        case answer(String)
        case answerAndClose(String)
        /// As `answer`, where the body is no text.
        case bytes([UInt8])
        /// Answers nothing until the other end closes.
        case silence
    }

    package let port: UInt16
    private let listener: Int32
    private let seen = Mutex<[Seen]>([])
    private let script: @Sendable (Seen) -> Step

    package var requests: [Seen] { seen.withLock { $0 } }

    package init(_ script: @escaping @Sendable (Seen) -> Step) throws {
        self.script = script
        (listener, port) = try boundSocket()
        listen(listener, 64)
        Thread.detachNewThread { [listener] in
            var connection = 0
            while true {
                let descriptor = accept(listener, nil, nil)
                if descriptor < 0 { return }
                let number = connection
                Thread.detachNewThread { self.serve(descriptor, number) }
                connection += 1
            }
        }
    }

    /// Ends the accepting thread; connections end with their clients.
    package func stop() { _ = shutdown(listener, Int32(SHUT_RDWR)) }

    private func serve(_ descriptor: Int32, _ connection: Int) {
        defer { close(descriptor) }
        while let bytes = readRequest(descriptor) {
            let request = Seen(connection: connection, bytes: bytes)
            seen.withLock { $0.append(request) }
            switch script(request) {
            case .answer(let text): write(Array(text.utf8), descriptor)
            case .bytes(let bytes): write(bytes, descriptor)
            case .answerAndClose(let text):
                write(Array(text.utf8), descriptor)
                return
            case .silence: _ = readRequest(descriptor)
            }
        }
    }

    private func readRequest(_ descriptor: Int32) -> [UInt8]? {
        var bytes: [UInt8] = []
        while true {
            if let end = bytes.end(of: "\r\n\r\n") {
                let length = bytes.prefix(end).number(after: "Content-Length: ") ?? 0
                if bytes.count - end >= length { return bytes }
            }
            var buffer = [UInt8](repeating: 0, count: 64 * 1024)
            let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
            if count <= 0 { return nil }
            bytes += buffer.prefix(count)
        }
    }

    private func write(_ bytes: [UInt8], _ descriptor: Int32) {
        var sent = 0
        while sent < bytes.count {
            let rest = Array(bytes[sent...])
            let count = unsafe send(descriptor, rest, rest.count, Int32(MSG_NOSIGNAL))
            if count <= 0 { return }
            sent += count
        }
    }
}

/// A socket bound to a free port of the loopback address, not listening.
package func boundSocket() throws -> (descriptor: Int32, port: UInt16) {
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
    struct NoPort: Error {}
    if result != 0 { throw NoPort() }
    return (descriptor, UInt16(bigEndian: address.sin_port))
}

extension RandomAccessCollection<UInt8> where Index == Int {
    /// The offset just after the first occurrence of `mark`.
    fileprivate func end(of mark: String) -> Int? {
        let wanted = Array(mark.utf8)
        return indices.first { self[$0...].starts(with: wanted) }.map { $0 + wanted.count }
    }

    fileprivate func number(after mark: String) -> Int? {
        guard let start = end(of: mark) else { return nil }
        let digits = self[start...].prefix { (0x30...0x39).contains($0) }
        return Int(String(decoding: digits, as: UTF8.self))
    }
}
