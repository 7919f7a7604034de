// The C importer gives socket constants to whichever module included them first.
import CMicroHTTPD
import Glibc
import Synchronization

/// How much stood before one request when its handler was called.
package struct RequestLoad: Sendable, Equatable {
    /// Requests in handlers, this one included, and connections that wait to be accepted: behind a
    /// proxy, which opens one for each request, those are requests too.
    package var inFlight: Int
    /// Since its last byte arrived at this machine. The kernel counts in steps of a few
    /// milliseconds.
    package var waited: Duration

    package static let none = RequestLoad(inFlight: 0, waited: .zero)

    package init(inFlight: Int, waited: Duration) {
        self.inFlight = inFlight
        self.waited = waited
    }
}

/// Measures it, at the cost of two system calls for each request.
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
        let waiting = LoadMeter.information(of: listener)?.tcpi_unacked ?? 0
        let silent = LoadMeter.information(of: socket)?.tcpi_last_data_recv ?? 0
        return RequestLoad(
            inFlight: handled + Int(waiting), waited: .milliseconds(Int64(silent)))
    }

    func end() { handled.subtract(1, ordering: .relaxed) }

    /// Of a listening socket `tcpi_unacked` is how many connections wait to be accepted.
    private static func information(of socket: Int32) -> tcp_info? {
        var information = tcp_info()
        var size = socklen_t(MemoryLayout<tcp_info>.size)
        let result = unsafe getsockopt(
            socket, Int32(IPPROTO_TCP), TCP_INFO, &information, &size)
        return result == 0 ? information : nil
    }
}
