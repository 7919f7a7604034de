package import Retention
package import Service
internal import Synchronization

/// How long ago the database was last asked which snapshots are the newest, and so how much of
/// them may still be said.
package final class ServingAge: Sendable {
    private static let unknown = Int64.min

    private let uptime: Clock
    /// On that clock.
    private let lookedAt = Atomic<Int64>(ServingAge.unknown)

    /// - Parameter uptime: milliseconds that only rise, also while the machine sleeps. Wall time
    ///   says how old the disk's knowledge is at a start, and nothing after it.
    package init(uptime: Clock = .uptime) {
        self.uptime = uptime
    }

    /// Now, for `looked(at:)`: a look is as old as its beginning.
    var moment: Int64 { uptime.now() }

    /// A look that began then has succeeded.
    func looked(at moment: Int64) { lookedAt.store(moment, ordering: .relaxed) }

    /// What is served comes from the disk, of that age.
    func restored(age: Duration?) {
        guard let age else { return lookedAt.store(Self.unknown, ordering: .relaxed) }
        let milliseconds = Int64(min(max(age / .milliseconds(1), 0), 1e15))
        lookedAt.store(uptime.now() - milliseconds, ordering: .relaxed)
    }

    /// `nil` where it was never asked, as far as anybody knows.
    package var age: Duration? {
        let lookedAt = lookedAt.load(ordering: .relaxed)
        return lookedAt == Self.unknown ? nil : .milliseconds(max(0, uptime.now() - lookedAt))
    }

    package var mode: ServingMode { ServingMode(age: age) }
}
