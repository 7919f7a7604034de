import Dispatch
import Synchronization

/// Bounds of a `Transport`.
package struct TransportSettings: Sendable {
    /// Name look-up, TCP and TLS together.
    package var connectTimeout: Duration = .seconds(5)
    /// From `send` to the last byte, the wait for a free connection included.
    package var totalTimeout: Duration = .seconds(30)
    /// Largest body of an answer.
    package var responseBytesLimit = 1_000_000
    /// Largest head of an answer, interim answers included.
    package var responseHeaderBytesLimit = 32 * 1024
    /// Requests under way at one time; further ones wait their turn.
    package var connections = 8
    /// Certificate authorities in PEM form to trust instead of the system's.
    package var certificateAuthoritiesFile: String?

    package init() {}
}

/// Sends requests, from any number of threads, and keeps connections open between them.
package final class Transport: Sendable {
    private let settings: TransportSettings
    /// Counts handles not in use, made or not.
    private let turns: DispatchSemaphore
    /// The handles made so far and not in use; the last one used is used next, so that few
    /// connections stay warm rather than all of them lukewarm.
    private let idle = Mutex<[EasyHandle]>([])

    package init(_ settings: TransportSettings = TransportSettings()) {
        self.settings = settings
        turns = DispatchSemaphore(value: max(1, settings.connections))
    }

    /// Sends and waits. Blocks the calling thread for the total timeout at most.
    package func send(_ request: ClientRequest) throws(TransportError) -> ClientResponse {
        let allowed = min(settings.totalTimeout, request.deadline ?? settings.totalTimeout)
        let start = DispatchTime.now()
        guard turns.wait(timeout: start + .milliseconds(allowed.milliseconds)) == .success else {
            throw TransportError(
                code: .timedOut, message: "all connections stayed busy; allow more of them")
        }
        defer { turns.signal() }
        guard let handle = idle.withLock({ $0.popLast() }) ?? EasyHandle() else {
            throw TransportError(code: .connectFailed, message: "libcurl has no memory left")
        }
        defer { idle.withLock { $0.append(handle) } }
        let waited = (DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds) / 1_000_000
        return try handle.perform(
            request, settings, timeoutMilliseconds: allowed.milliseconds - Int(clamping: waited))
    }
}

extension Duration {
    /// Whole milliseconds, rounded up, at most a day: no wait here is meant to be longer.
    var milliseconds: Int {
        let (seconds, attoseconds) = components
        guard seconds < 86_400 else { return 86_400_000 }
        return Int(max(0, seconds)) * 1000
            + Int((max(0, attoseconds) + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
