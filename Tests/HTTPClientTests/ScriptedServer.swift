import Foundation
import Glibc
import Synchronization

/// A server that answers each request with exactly the bytes it is told to, however wrong.
final class ScriptedServer: Sendable {
    struct Seen: Sendable {
        /// Which connection it came on, from 0.
        let connection: Int
        let text: String
    }

    enum Step: Sendable {
        case answer(String)
        case answerAndClose(String)
        /// Answers nothing until the other end closes.
        case silence
    }

    let port: UInt16
    private let listener: Int32
    private let seen = Mutex<[Seen]>([])
    private let script: @Sendable (Seen) -> Step

    var requests: [Seen] { seen.withLock { $0 } }

    init(_ script: @escaping @Sendable (Seen) -> Step) throws {
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
    func stop() { _ = shutdown(listener, Int32(SHUT_RDWR)) }

    private func serve(_ descriptor: Int32, _ connection: Int) {
        defer { close(descriptor) }
        while let text = readRequest(descriptor) {
            let request = Seen(connection: connection, text: text)
            seen.withLock { $0.append(request) }
            switch script(request) {
            case .answer(let bytes): write(bytes, descriptor)
            case .answerAndClose(let bytes):
                write(bytes, descriptor)
                return
            case .silence: _ = readRequest(descriptor)
            }
        }
    }

    private func readRequest(_ descriptor: Int32) -> String? {
        var text = ""
        while true {
            if let end = text.range(of: "\r\n\r\n") {
                let length = text.utf8Value(after: "Content-Length: ") ?? 0
                if text.utf8.count - end >= length { return text }
            }
            var buffer = [UInt8](repeating: 0, count: 64 * 1024)
            let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
            if count <= 0 { return nil }
            text += String(decoding: buffer.prefix(count), as: UTF8.self)
        }
    }

    private func write(_ text: String, _ descriptor: Int32) {
        let bytes = Array(text.utf8)
        _ = unsafe send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
}

/// A socket bound to a free port of the loopback address, not listening.
func boundSocket() throws -> (descriptor: Int32, port: UInt16) {
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

extension String {
    /// The offset just after the first occurrence of `mark`.
    fileprivate func range(of mark: String) -> Int? {
        let bytes = Array(utf8)
        let wanted = Array(mark.utf8)
        return bytes.indices.first { bytes[$0...].starts(with: wanted) }.map { $0 + wanted.count }
    }

    fileprivate func utf8Value(after mark: String) -> Int? {
        guard let start = range(of: mark) else { return nil }
        let digits = utf8.dropFirst(start).prefix { (0x30...0x39).contains($0) }
        return Int(String(decoding: Array(digits), as: UTF8.self))
    }
}
