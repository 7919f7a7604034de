internal import FoundationEssentials
package import Retention
internal import Synchronization

extension Identifier {
    /// A new identifier. Within this process those of one millisecond follow one another, so that
    /// lists show things as they were made.
    package static func make(at now: Instant) -> Identifier {
        Identifier(at: now, count: IdentifierCount.next())
    }
}

/// Counts on and on, whatever the time is: requests whose clocks were read in another order than
/// they come here, and tests with clocks of their own, disturb nobody's order.
private enum IdentifierCount {
    /// It begins anywhere, so that two processes do not meet.
    private static let count = Atomic<UInt64>(UInt64.random(in: 0..<1 << (UUID.countBits - 1)))

    static func next() -> UInt64 { count.wrappingAdd(1, ordering: .relaxed).newValue }
}
