import Dispatch
import Glibc

/// A TCP connection that says exactly the bytes it is told to, however wrong, and never waits
/// longer than its deadlines.
final class RawConnection {
    /// What came back until the other end closed, or until the deadline.
    struct Answer {
        var bytes: [UInt8] = []
        var isClosed = false
        /// Closed without an orderly end.
        var isReset = false

        var text: String { String(decoding: bytes, as: UTF8.self) }

        /// The status codes of all answers, in order; 100 Continue left out.
        var statuses: [Int] {
            text.components(between: "HTTP/1.1 ", and: 3).compactMap { Int($0) }.filter {
                $0 != 100
            }
        }
    }

    private let descriptor: Int32

    /// Nil where nobody listens.
    init?(port: UInt16) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = unsafe withUnsafePointer(to: address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        // `deinit` closes it, also after this: a second close would take another thread's
        // descriptor.
        if result != 0 { return nil }
    }

    deinit { close(descriptor) }

    /// Sends all of it; false once the other end takes no more.
    @discardableResult
    func send(_ bytes: [UInt8], within seconds: Double = 10) -> Bool {
        var sent = 0
        let due = Due(in: seconds)
        while sent < bytes.count {
            guard wait(POLLOUT, until: due) else { return false }
            let count = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.send(
                    descriptor, $0.baseAddress?.advanced(by: sent), $0.count - sent,
                    Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if count > 0 { sent += count } else if errno != EAGAIN { return false }
        }
        return true
    }

    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Says that nothing more will be sent.
    func finishSending() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    /// Reads until the other end closes, until `isEnough` says so, or until the deadline.
    func receive(within seconds: Double = 10, until isEnough: (Answer) -> Bool = { _ in false })
        -> Answer
    {
        var answer = Answer()
        let due = Due(in: seconds)
        while !isEnough(answer) {
            guard wait(POLLIN, until: due) else { return answer }
            var buffer = [UInt8](repeating: 0, count: 64 * 1024)
            let count = unsafe recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count > 0 {
                answer.bytes += buffer.prefix(count)
            } else if count == 0 || errno != EAGAIN {
                answer.isClosed = true
                answer.isReset = count < 0 && errno == ECONNRESET
                return answer
            }
        }
        return answer
    }

    /// True if the other end closes, or resets, within the time; what it still says is thrown away.
    func isClosed(within seconds: Double) -> Bool { receive(within: seconds).isClosed }

    private func wait(_ event: Int32, until due: Due) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        return unsafe poll(&entry, 1, due.millisecondsLeft) > 0
    }
}

/// A point in time after which a test stops waiting.
struct Due {
    private let end: DispatchTime

    init(in seconds: Double) { end = .now() + seconds }

    var millisecondsLeft: Int32 {
        let now = DispatchTime.now().uptimeNanoseconds
        return now >= end.uptimeNanoseconds
            ? 0 : Int32(clamping: (end.uptimeNanoseconds - now) / 1_000_000 + 1)
    }

    /// A moment, for conditions that no signal announces.
    func pause() { _ = poll(nil, 0, 10) }

    var isPassed: Bool { millisecondsLeft == 0 }
}

extension String {
    /// The `length` characters after each occurrence of `mark`.
    fileprivate func components(between mark: String, and length: Int) -> [String] {
        let bytes = Array(utf8)
        let wanted = Array(mark.utf8)
        return bytes.indices.compactMap { start in
            let end = start + wanted.count
            guard end + length <= bytes.count, Array(bytes[start..<end]) == wanted else {
                return nil
            }
            return String(decoding: bytes[end..<(end + length)], as: UTF8.self)
        }
    }
}
