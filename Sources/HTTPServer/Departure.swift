import CMicroHTTPD
import Glibc

/// How an answer goes onto the wire. Whatever is not `whole` is for a server that plays a bad one:
/// clients must be shown what they have to bear. It ends the connection.
package enum Departure: Sendable, Equatable {
    case whole
    /// Nothing of the answer is sent; the connection is closed in order.
    case cut
    /// Nothing of the answer is sent; the other end sees a reset.
    case reset
    /// The head announces the whole body; after so many bytes of it the connection is closed.
    case cutInBody(afterBytes: Int)
    /// Whole, in pieces of so many bytes with a pause before each. The request deadline bounds it.
    case drip(pieceBytes: Int, pause: Duration)
    /// Whole after so long a silence, or never. Only the other end's patience and the end of the
    /// server cut it short.
    case late(after: Duration)
    case silent(for: Duration)

    var isSilence: Bool {
        switch self {
        case .late, .silent: true
        case .whole, .cut, .reset, .cutInBody, .drip: false
        }
    }
}

/// Writes an answer that the library would not send, on the thread that would send it. Nothing was
/// sent on this connection since the last answer.
struct BadAnswer {
    /// A pause is looked up from so often, to see whether it is still wanted.
    private static let lookMilliseconds: Int32 = 50
    /// POLLRDHUP: the other end has closed. The C header shows it to GNU programs alone.
    private static let hasClosed: Int16 = 0x2000

    let socket: Int32
    /// False once the server drains or the deadline has passed.
    let isWanted: () -> Bool

    func send(_ response: Response) {
        switch response.departure {
        case .whole: write(BadAnswer.head(of: response) + response.body)
        case .cut: break
        case .reset: reset()
        case .cutInBody(let bytes):
            write(BadAnswer.head(of: response) + response.body.prefix(max(0, bytes)))
        case .drip(let pieceBytes, let pause):
            drip(BadAnswer.head(of: response) + response.body, max(1, pieceBytes), pause)
        case .late(let silence):
            if wait(silence) { write(BadAnswer.head(of: response) + response.body) }
        case .silent(let silence): _ = wait(silence)
        }
    }

    private static func head(of response: Response) -> [UInt8] {
        var head = "HTTP/1.1 \(response.status) Status\r\n"
        for (name, value) in response.headers
        where !"\(name)\(value)".utf8.contains(where: { $0 < 0x20 }) {
            head += "\(name): \(value)\r\n"
        }
        head += "Content-Length: \(response.body.count)\r\nConnection: close\r\n\r\n"
        return Array(head.utf8)
    }

    private func drip(_ bytes: [UInt8], _ pieceBytes: Int, _ pause: Duration) {
        var rest = bytes[...]
        while !rest.isEmpty, wait(pause) {
            guard write(Array(rest.prefix(pieceBytes))) else { return }
            rest = rest.dropFirst(pieceBytes)
        }
    }

    /// False where the time is no longer wanted, or the other end has gone.
    private func wait(_ pause: Duration) -> Bool {
        let due = Deadline.now() &+ pause.nanoseconds
        while isWanted() {
            let now = Deadline.now()
            guard now < due else { return true }
            let left = Int32(clamping: (due - now) / 1_000_000 + 1)
            var entry = pollfd(fd: socket, events: BadAnswer.hasClosed, revents: 0)
            guard unsafe poll(&entry, 1, min(left, BadAnswer.lookMilliseconds)) == 0 else {
                return false
            }
        }
        return false
    }

    /// False where the other end takes no more.
    @discardableResult
    private func write(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            var entry = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
            let ready = unsafe poll(&entry, 1, BadAnswer.lookMilliseconds)
            guard isWanted() else { return false }
            if ready == 0 { continue }
            let count = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.send(
                    socket, $0.baseAddress?.advanced(by: sent), $0.count - sent,
                    Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if count > 0 {
                sent += count
            } else if errno != EAGAIN {
                return false
            }
        }
        return true
    }

    /// Connecting a TCP socket to nothing gives the connection up with a reset, at once; closing
    /// with a linger time of zero would let the library say an orderly end first.
    private func reset() {
        var nothing = sockaddr()
        nothing.sa_family = sa_family_t(AF_UNSPEC)
        _ = unsafe connect(socket, &nothing, socklen_t(MemoryLayout<sockaddr>.size))
    }
}
