import Synchronization

/// A running HTTP/1.1 server. Handlers are synchronous and run on the server's threads, several at
/// a time.
///
/// - `refused` is told of every request or connection that no handler saw; it is called on the
///   server's threads and must be quick.
/// - Whoever starts a server stops it: letting go of one that still runs stops it without a drain.
package final class Server: Sendable {
    private struct Running: ~Copyable {
        let listener: Listener
        let daemon: Daemon
    }

    /// The port listened on, also where the settings said 0.
    package let port: UInt16
    private let front: Front
    private let running: Mutex<Running?>

    package init(
        _ settings: ServerSettings,
        refused: @escaping @Sendable (Refusal) -> Void = { _ in },
        handler: @escaping @Sendable (Request) -> Response
    ) throws(ServerError) {
        var settings = settings
        if case .perConnection(let maximum) = settings.threads {
            settings.limits.connections = min(settings.limits.connections, max(1, maximum))
        }
        let listener = try Listener(host: settings.host, port: settings.port)
        port = listener.port
        let front = Front(
            limits: settings.limits,
            meter: settings.measuresLoad ? LoadMeter(listener: listener.socket) : nil,
            count: refused, handler: handler)
        let daemon = try Daemon(listener: listener, settings: settings, front: front)
        do {
            try front.reaper.start()
        } catch {
            daemon.stop()
            throw error
        }
        self.front = front
        running = Mutex(Running(listener: listener, daemon: daemon))
    }

    deinit { stop(drain: .zero) }

    /// Refuses new connections, lets requests under way finish for at most `drain`, then closes all
    /// connections and returns when the threads have ended. A handler that is still running then is
    /// waited for: handlers bound their own waits. Calling it again does nothing.
    package func stop(drain: Duration) {
        let taken = running.withLock { $0.take() }
        guard let taken else { return }
        taken.daemon.quiesce()
        taken.listener.refuseConnections()
        _ = front.drain(within: drain)
        taken.daemon.stop()
        front.reaper.end()
    }
}
