package import Signing
internal import Synchronization

/// A chain whose path was verified, under the header that brought it.
package struct VerifiedChain: Sendable {
    /// The JWS header as it came, encoded.
    package let header: [UInt8]
    package let leaf: Certificate
    package let intermediate: Certificate
    package let root: Certificate

    func holds(_ sha256: [UInt8]) -> Bool {
        [leaf, intermediate, root].contains { $0.sha256 == sha256 }
    }
}

/// The leaf keys of chains that were verified, by the exact encoded header that brought them: a
/// chain costs 3 ms, a look-up far below a microsecond. A header gets here only after a signature
/// of its leaf was valid, so nobody but the App Store can push another's entry out.
///
/// An entry whose time is over gives no key any more but stays until its place is wanted: that its
/// header was genuine once is what lets it be verified anew past the budget for unknown chains.
///
/// The lock is held for a few comparisons of headers.
final class VerifiedLeaves: Sendable {
    private struct Entry: Sendable {
        let header: ArraySlice<UInt8>
        let chain: VerifiedChain
        let key: PublicKey
        let validity: ClosedRange<Int64>
        let end: ContinuousClock.Instant
    }

    private struct State: Sendable {
        var entries: [Entry] = []
        var generation = 0
    }

    private let countLimit: Int
    private let lifetime: Duration
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    init(
        countLimit: Int, lifetime: Duration,
        now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.countLimit = countLimit
        self.lifetime = lifetime
        self.now = now
    }

    /// nil when the header is unknown, its entry has ended, or a certificate of its chain was not
    /// valid at `unixSeconds`: then the whole chain is to be verified and says what is wrong.
    func key(for header: ArraySlice<UInt8>, at unixSeconds: Int64) -> PublicKey? {
        let now = now()
        return state.withLock { state in
            guard let entry = state.entries.first(where: { sameBytes($0.header, header) }),
                now < entry.end,
                entry.validity.lowerBound <= unixSeconds, unixSeconds < entry.validity.upperBound
            else { return nil }
            return entry.key
        }
    }

    /// Whether a chain was verified under this header before, however long ago.
    func hasHeld(_ header: ArraySlice<UInt8>) -> Bool {
        state.withLock { $0.entries.contains { sameBytes($0.header, header) } }
    }

    func insert(_ candidate: TrustAnchors.Candidate, for header: ArraySlice<UInt8>) {
        let now = now()
        // A copy: the slice would keep the whole request body alive.
        let copy = Array(header)
        let chain = VerifiedChain(
            header: copy, leaf: candidate.leaf, intermediate: candidate.intermediate,
            root: candidate.root)
        let entry = Entry(
            header: copy[...], chain: chain, key: candidate.leafKey, validity: candidate.validity,
            end: now + lifetime)
        state.withLock { state in
            if let place = state.entries.firstIndex(where: { sameBytes($0.header, entry.header) }) {
                state.entries.remove(at: place)
            } else {
                state.generation += 1
                if state.entries.count >= countLimit {
                    state.entries.remove(at: state.entries.firstIndex { $0.end <= now } ?? 0)
                }
            }
            state.entries.append(entry)
        }
    }

    /// Forgets every chain with this certificate in it.
    func removeAll(holding sha256: [UInt8]) {
        state.withLock { state in
            let before = state.entries.count
            state.entries.removeAll { $0.chain.holds(sha256) }
            if state.entries.count < before { state.generation += 1 }
        }
    }

    var chains: [VerifiedChain] { state.withLock { $0.entries.map(\.chain) } }

    /// Rises whenever another set of headers is held.
    var generation: Int { state.withLock { $0.generation } }
}
