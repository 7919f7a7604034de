internal import Signing
internal import Synchronization

/// Lets one chain at a time through to its costly verification, and only so many a second: a flood
/// of bogus chains may not keep the processor from requests whose chain is known.
///
/// Who waits here waits for checks within the budget only; beyond the budget the answer is
/// immediate.
final class ChainGate: Sendable {
    private static let window = Duration.seconds(1)

    private struct Spent {
        var start: ContinuousClock.Instant
        var count = 0
    }

    private let perSecond: Int
    private let now: @Sendable () -> ContinuousClock.Instant
    private let spent: Mutex<Spent>

    init(perSecond: Int, now: @escaping @Sendable () -> ContinuousClock.Instant) {
        self.perSecond = perSecond
        self.now = now
        spent = Mutex(Spent(start: now()))
    }

    /// Verifies the path of `candidate`, unless `isKnown` says that another thread just did.
    ///
    /// - Parameter remember: called for a path that holds, before the next thread is let through:
    ///   it would otherwise not find it known and spend the budget once more.
    func verifyPath(
        of candidate: TrustAnchors.Candidate, unless isKnown: () -> Bool, remember: () -> Void
    ) throws(VerificationError) {
        try spent.withLock { spent throws(VerificationError) in
            if isKnown() { return }
            let now = now()
            if now - spent.start >= Self.window { spent = Spent(start: now) }
            guard spent.count < perSecond else {
                throw VerificationError(
                    .chainBudgetSpent,
                    "More than \(perSecond) unknown certificate chains came within a second.")
            }
            spent.count += 1
            do throws(ChainError) { try candidate.verifyPath() } catch {
                throw VerificationError(error)
            }
            remember()
        }
    }
}
