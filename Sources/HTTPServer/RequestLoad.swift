// The C importer gives socket constants to whichever module included them first.
import CMicroHTTPD
import Glibc
import Synchronization

/// How much stood before one request when its handler was called.
package struct RequestLoad: Sendable, Equatable {
    /// Requests in handlers, this one included, and connections that wait to be accepted: behind a
    /// proxy, which opens one for each request, those are requests too.
    package var inFlight: Int
    private let wait: Wait

    private enum Wait: Sendable, Equatable {
        case known(Duration)
        /// The kernel is asked when somebody wants to know: few do.
        case of(socket: Int32)
    }

    package static let none = RequestLoad(inFlight: 0, waited: .zero)

    package init(inFlight: Int, waited: Duration) {
        self.inFlight = inFlight
        wait = .known(waited)
    }

    /// - Parameter socket: of the connection, open until the handler returns.
    init(inFlight: Int, socket: Int32) {
        self.inFlight = inFlight
        wait = .of(socket: socket)
    }

    /// Since its last byte arrived at this machine, up to now: to be asked in the handler. The
    /// kernel counts in steps of a few milliseconds.
    package var waited: Duration {
        switch wait {
        case .known(let duration): duration
        case .of(let socket):
            .milliseconds(Int64(tcpInformation(of: socket)?.tcpi_last_data_recv ?? 0))
        }
    }
}

/// Measures it, at the cost of one system call for each request.
///
/// A thread answers one request at a time, so requests wait where no counter of ours sees them: in
/// the kernel, before they are accepted or before they are read. The kernel is asked.
final class LoadMeter: Sendable {
    private let listener: Int32
    private let handled = Atomic<Int>(0)

    /// - Parameter listener: open for as long as handlers are called.
    init(listener: Int32) { self.listener = listener }

    /// To be called before a handler, and `end` after it.
    func begin(on socket: Int32) -> RequestLoad {
        let handled = handled.add(1, ordering: .relaxed).newValue
        // Of a listening socket `tcpi_unacked` is how many connections wait to be accepted.
        let waiting = tcpInformation(of: listener)?.tcpi_unacked ?? 0
        return RequestLoad(inFlight: handled + Int(waiting), socket: socket)
    }

    func end() { handled.subtract(1, ordering: .relaxed) }
}

private func tcpInformation(of socket: Int32) -> tcp_info? {
    var information = tcp_info()
    var size = socklen_t(MemoryLayout<tcp_info>.size)
    let result = unsafe getsockopt(
        socket, Int32(IPPROTO_TCP), TCP_INFO, &information, &size)
    return result == 0 ? information : nil
}
