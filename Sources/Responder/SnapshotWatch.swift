package import Postgres
package import Service

/// Keeps what is served up to date: a poll at every interval, which is the truth, and one at once
/// when the database says that a snapshot was built.
///
///     poll, acknowledge ──(interval)──> poll, acknowledge …
///            ^
///            └── wake: on each connect, and on each notification
package struct SnapshotWatch: Sendable {
    private static let channel = "holdfast_snapshots"
    /// How long one wait lasts, and so how long a stop may go unnoticed.
    private static let waitLimit: Duration = .milliseconds(500)
    /// Between two wakes, so that a flood of changes is not a flood of polls.
    private static let wakePause: Duration = .milliseconds(100)
    private static let reconnectPause: Duration = .seconds(2)

    package let loops: [BackgroundLoop]

    package init(
        feed: SnapshotFeed, acknowledger: SnapshotAcknowledger, every interval: Duration,
        listening settings: PoolSettings, stop: StopSignal, log: Log
    ) {
        let polls = BackgroundLoop("snapshots", every: interval, log: log) {
            try feed.poll()
            try acknowledger.acknowledge()
        }
        let signsOfLife = BackgroundLoop(
            "acknowledgements", every: SnapshotAcknowledger.heartbeat / 2, log: log
        ) {
            try acknowledger.acknowledge()
        }
        let wakes = BackgroundLoop("snapshot news", every: Self.reconnectPause, log: log) {
            guard !stop.isRequested else { return }
            let listener = try Listener(settings, channels: [Self.channel])
            defer { listener.close() }
            // What was said before this connection listened is found by a poll.
            polls.poke()
            while !stop.wait(for: Self.wakePause) {
                if try listener.wait(within: Self.waitLimit) { polls.poke() }
            }
        }
        loops = [polls, signsOfLife, wakes]
    }
}
