internal import Signing
internal import Synchronization

/// The leaf keys of chains that were verified, by the exact encoded header that brought them: a
/// chain costs 3 ms, a look-up far below a microsecond. A header gets here only after a signature
/// of its leaf was valid, so nobody but the App Store can push another's entry out.
///
/// The lock is held for a few comparisons of headers.
final class VerifiedLeaves: Sendable {
    private struct Entry: Sendable {
        let header: ArraySlice<UInt8>
        let key: PublicKey
        let validity: ClosedRange<Int64>
        let end: ContinuousClock.Instant
    }

    private let countLimit: Int
    private let lifetime: Duration
    private let now: @Sendable () -> ContinuousClock.Instant
    private let entries = Mutex<[Entry]>([])

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
        return entries.withLock { entries in
            guard let entry = entries.first(where: { sameBytes($0.header, header) }),
                now < entry.end,
                entry.validity.lowerBound <= unixSeconds, unixSeconds < entry.validity.upperBound
            else { return nil }
            return entry.key
        }
    }

    func insert(
        _ key: PublicKey, validity: ClosedRange<Int64>, for header: ArraySlice<UInt8>
    ) {
        let now = now()
        // A copy: the slice would keep the whole request body alive.
        let entry = Entry(
            header: Array(header)[...], key: key, validity: validity, end: now + lifetime)
        entries.withLock { entries in
            entries.removeAll { $0.end <= now || sameBytes($0.header, entry.header) }
            if entries.count >= countLimit { entries.removeFirst() }
            entries.append(entry)
        }
    }

    var count: Int { entries.withLock { $0.count } }
}
