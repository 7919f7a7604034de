package import Retention
internal import Synchronization

extension Identifier {
    /// A new identifier from the system's random numbers. Within this process those of one
    /// millisecond follow one another too, so that lists show things as they were made.
    package static func make(at now: Instant) -> Identifier {
        var random = SystemRandomNumberGenerator()
        return Identifier(turn: IdentifierTurns.shared.next(at: now), random: random.next())
    }
}

/// Milliseconds with a count behind them.
private final class IdentifierTurns: Sendable {
    static let shared = IdentifierTurns()
    private static let countBits: Int64 = 12

    private let last = Mutex<Int64>(0)

    /// A clock that goes back, as tests' do, begins anew.
    func next(at now: Instant) -> Int64 {
        let first = max(0, now.milliseconds) << Self.countBits
        return last.withLock { last in
            last = last >> Self.countBits == first >> Self.countBits ? last + 1 : first
            return last
        }
    }
}
