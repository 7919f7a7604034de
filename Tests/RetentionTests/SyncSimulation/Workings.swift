import FoundationEssentials
import Retention

/// The parts of the sync that a run puts together. A planted bug is another value here.
struct Workings: Sendable {
    typealias Classify =
        @Sendable (AppleEndpoint, AppleReply, Instant) -> AppleOutcome

    var policy = SyncPolicy.sound
    var classify: Classify = { endpoint, reply, now in
        AppleOutcome.classify(
            endpoint: endpoint, status: reply.status, errorCode: reply.code,
            retryAfter: reply.retryAfter, now: now)
    }
    /// Whether a commit under the token held may happen while the newest is another.
    var leaseHolds: @Sendable (_ held: Int, _ newest: Int) -> Bool = { $0 == $1 }
    var budget: @Sendable (_ callsPerHour: Int) -> CallBudget = { CallBudget(callsPerHour: $0) }
    /// Whose row counts a worker's calls.
    var budgetRow: @Sendable (_ worker: Int) -> Int = { _ in 0 }
    var identify: @Sendable (ContentKey, _ generation: Int32, _ attempt: Int) -> UUID = {
        key, generation, _ in key.identifier(generation: generation)
    }
    var generation: @Sendable (_ spent: [Int32]) -> Int32 = { ObservedState.generation(spent: $0) }
    /// What is known before a call is sent.
    var begin: @Sendable (ObservedState, SyncOperation, Instant) -> [Observation] = {
        $0.begin($1, at: $2)
    }
    var conclude: @Sendable (ObservedState, ConcludedCall, SyncLimits, Instant) -> [Observation] = {
        $0.conclude($1, limits: $2, now: $3)
    }
    /// Whether every live responder serves the newest snapshot.
    var isAcknowledged: @Sendable (_ acknowledged: [Int], _ newest: Int) -> Bool = {
        acknowledged, newest in acknowledged.allSatisfy { $0 == newest }
    }
}

/// A picture or a text: the same key is the same bytes.
struct ContentKey: Hashable, Sendable {
    let kind: AppleObjectKind
    /// Names the bytes, apart from the pictures' identifiers.
    let label: Int
    let images: [UUID]

    /// As the product derives it, with a digest that is fast rather than safe.
    func identifier(generation: Int32) -> UUID {
        var content = AppleContent(
            app: AppID(UUID(number: 1)), environment: .production, kind: kind,
            canonicalContent: [], generation: generation
        ).bytesToDigest(salt: [])
        content += withBytes(of: label)
        for image in images { content += image.bytes }
        let high = digest(content, from: 0xcbf2_9ce4_8422_2325)
        let low = digest(content, from: high)
        let bytes =
            withBytes(of: Int(truncatingIfNeeded: high))
            + withBytes(of: Int(truncatingIfNeeded: low))
        return UUID.version8(digest: bytes) ?? UUID(number: label)
    }

    private func withBytes(of number: Int) -> [UInt8] {
        (0..<8).map { (place: Int) in UInt8(truncatingIfNeeded: number >> (place * 8)) }
    }

    private func digest(_ bytes: [UInt8], from start: UInt64) -> UInt64 {
        var hash = start
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        return hash ^ (hash >> 29)
    }
}

extension UUID {
    init(number: Int) {
        let bytes = (0..<16).map { (place: Int) -> UInt8 in
            place < 8 ? 0x55 : UInt8(truncatingIfNeeded: number >> ((15 - place) * 8))
        }
        self = UUID(bytes: bytes) ?? UUID()
    }
}
