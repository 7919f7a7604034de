internal import Signing
internal import Synchronization

/// Lets one chain at a time through to its costly verification, and only so many unknown ones a
/// second: a flood of bogus chains may not keep the processor from requests whose chain is known.
///
/// Whoever makes a key, a leaf over it and an intermediate gets here with our root's bytes behind
/// them, since only the costly check tells them from Apple's. Two things keep such a flood from the
/// genuine: a chain that was verified before is verified anew without asking the budget, and one
/// URL, whose token a stranger would have to know, gets a part of the budget only. A new chain of
/// Apple's comes to all URLs at once, and one of them is enough.
///
/// Who waits here waits for checks within the budget only; beyond the budget the answer is
/// immediate.
final class ChainGate: Sendable {
    /// On whose account an unknown chain is checked.
    struct Source: Hashable, Sendable {
        let appAppleId: Int64
        let environment: String
    }

    private static let window = Duration.seconds(1)

    private struct Spent {
        var start: ContinuousClock.Instant
        var count = 0
        /// Never more entries than the budget has chains.
        var bySource: [Source: Int] = [:]
    }

    private struct State {
        var spent: Spent
        var checks = 0
    }

    private let perSecond: Int
    private let perSecondOfSource: Int
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state: Mutex<State>

    init(
        perSecond: Int, perSecondOfSource: Int,
        now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.perSecond = perSecond
        self.perSecondOfSource = perSecondOfSource
        self.now = now
        state = Mutex(State(spent: Spent(start: now())))
    }

    /// Paths checked since the start.
    var checks: Int { state.withLock { $0.checks } }

    /// Verifies the path of `candidate`, unless `isKnown` says that another thread just did.
    ///
    /// - Parameters:
    ///   - source: nil for what comes from no single URL: it takes of the whole budget.
    ///   - isRenewal: whether it was verified before; then it takes nothing of the budget.
    ///   - remember: called for a path that holds, before the next thread is let through:
    ///     it would otherwise not find it known and spend the budget once more.
    func verifyPath(
        of candidate: TrustAnchors.Candidate, for source: Source?, unless isKnown: () -> Bool,
        isRenewal: () -> Bool, remember: () -> Void
    ) throws(VerificationError) {
        try state.withLock { state throws(VerificationError) in
            if isKnown() { return }
            if !isRenewal() { try take(from: &state.spent, for: source) }
            state.checks += 1
            do throws(ChainError) { try candidate.verifyPath() } catch {
                throw VerificationError(error)
            }
            remember()
        }
    }

    private func take(
        from spent: inout Spent, for source: Source?
    ) throws(VerificationError) {
        let now = now()
        if now - spent.start >= Self.window { spent = Spent(start: now) }
        guard spent.count < perSecond else {
            throw VerificationError(
                .chainBudgetSpent,
                "More than \(perSecond) unknown certificate chains came within a second.")
        }
        if let source {
            let count = spent.bySource[source, default: 0]
            guard count < perSecondOfSource else {
                throw VerificationError(
                    .chainBudgetSpent,
                    "More than \(perSecondOfSource) unknown certificate chains came to one URL "
                        + "within a second.")
            }
            spent.bySource[source] = count + 1
        }
        spent.count += 1
    }
}
