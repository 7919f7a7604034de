package import Retention
internal import Synchronization

extension Identifier {
    /// A new identifier. Within this process those of one millisecond follow one another too, so
    /// that lists show things as they were made.
    package static func make(at now: Instant) -> Identifier {
        Identifier(
            at: now, count: IdentifierCount.next(), random: UInt64.random(in: 0...UInt64.max))
    }
}

/// Counts on and on, whatever the time is: requests whose clocks were read in another order than
/// they come here, and tests with clocks of their own, disturb nobody's order.
private enum IdentifierCount {
    /// It begins anywhere in the lower half of its range: two processes do not meet, and this one
    /// does not come to the end.
    private static let count = Atomic<UInt64>(
        UInt64.random(in: 0..<1 << (identifierCountBits - 1)))

    static func next() -> UInt64 { count.wrappingAdd(1, ordering: .relaxed).newValue }
}
