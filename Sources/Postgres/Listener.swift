/// Hears `NOTIFY` on a connection of its own. Not for two threads at once.
///
/// A notification is a hint and no message: those sent while nobody listened are gone. So whoever
/// makes a new listener looks at the thing itself once, and again now and then.
///
/// ```
/// init: connect, LISTEN ─▶ wait ─▶ true: something was said since
///                           ├────▶ false: nothing, for as long as asked
///                           └────▶ throws: the connection is gone; make a new listener
/// ```
package final class Listener {
    /// After so much silence the server is asked for a sign of life, so that a connection that died
    /// without a word is noticed within this and the query timeout.
    package static let silenceLimit: Duration = .seconds(10)

    private let wire: ConnectionWire
    private let timeout: Duration
    private let silenceLimit: Duration
    private var lastSign: ContinuousClock.Instant

    /// Connects and listens. The pool's limits do not count this connection.
    ///
    /// - Parameter channels: plain names, of lower-case letters, `_` and `.`.
    package init(
        _ settings: PoolSettings, channels: [String],
        silenceLimit: Duration = Listener.silenceLimit
    ) throws(PostgresError) {
        for channel in channels where !SessionCheck.isPlainName(channel) {
            throw PostgresError(.encoding, "\(channel) is no name of a channel; write a_name")
        }
        wire = try ConnectionWire.connect(
            url: settings.url, applicationName: settings.applicationName,
            timeout: settings.connectTimeout)
        timeout = settings.queryTimeout
        self.silenceLimit = silenceLimit
        lastSign = .now
        for channel in channels { try ask("listen \"\(channel)\"") }
    }

    /// The server process of this session, as in `pg_stat_activity`.
    package var backendPID: Int32 { wire.handle.backendPID }

    /// Waits until something is said on one of the channels, or `limit` is over.
    ///
    /// - Returns: whether anything was said since the last call; however much, it is one `true`.
    package func wait(within limit: Duration) throws(PostgresError) -> Bool {
        let deadline = Deadline(after: limit)
        while true {
            if wire.handle.takeNotifications() > 0 { return true }
            let silence = lastSign.duration(to: .now)
            guard silence < silenceLimit else {
                try ask("select")
                continue
            }
            let pause = min(deadline.remaining, silenceLimit - silence)
            if try wire.receive(until: Deadline(after: pause)) {
                lastSign = .now
            } else if deadline.remaining == .zero {
                return false
            }
        }
    }

    package func close() {
        wire.close(because: PostgresError(.closed, "the listener was closed"))
    }

    private func ask(_ script: String) throws(PostgresError) {
        let bytes = [UInt8](script.utf8)
        for result in try wire.exchange(within: timeout, { $0.sendScript(bytes) }) {
            try ServerError.check(result)
        }
        lastSign = .now
    }
}
