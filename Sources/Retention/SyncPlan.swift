package import FoundationEssentials

/// Why a call is made; `plan` says it in words.
package enum SyncReason: String, Hashable, Sendable, CaseIterable {
    /// Nothing is known of Apple's side yet.
    case firstLook
    /// A call's end is not known, or an answer contradicted what was known.
    case doubt
    case review
    case drift
    case paused
    /// The text or picture is wanted and not there.
    case wanted
    /// A call's end is not known; the list did not show the object.
    case repeated
    /// The default shows another message, or none.
    case defaultDiffers
    case defaultNotWanted
    /// Nothing names it any more.
    case retired
    case urlDiffers
    case urlNotWanted
}

/// What a call waits for.
package enum SyncWait: Hashable, Sendable {
    /// The key works again, or access is granted.
    case pause(SyncPause, until: Instant)
    /// Apple answers again.
    case outage(until: Instant)
    /// Apple asked to wait with 429.
    case limit(until: Instant)
    case list
    case images
    case review
    /// Apple rejected it: somebody changes it, or submits it anew.
    case rejected
    case refusal(code: Int?, until: Instant)
    case room
    case retirement(until: Instant)
    case acknowledgement
    case inUse
    case otherSteps
    case performanceTest
    case someDefault
    case consent
}

package struct SyncStep: Hashable, Sendable {
    package let operation: SyncOperation
    package let reason: SyncReason
    /// `nil` where it can be sent now.
    package var wait: SyncWait?

    package init(_ operation: SyncOperation, _ reason: SyncReason, wait: SyncWait? = nil) {
        self.operation = operation
        self.reason = reason
        self.wait = wait
    }

    package var isReady: Bool { wait == nil }
}

/// What keeps Apple's side from being what is wanted, until a person or Apple acts.
package enum SyncProblem: Hashable, Sendable {
    case keyRefused
    case noAccess
    case rejected(AppleObjectKind, UUID)
    case refused(SyncOperation, code: Int?)
    case full(AppleObjectKind, most: Int)
    /// Another tool's URL is set; taking it over needs the agency's word.
    case foreignURL
    case noPassingTest
}

/// What an answer names from now on, decided here so that it follows the same rules as defaults.
package enum PlacementChange: Hashable, Sendable {
    case serve(TextPlace, UUID)
    case stop(TextPlace)
}

/// What is to be done, in order: anything that is ready may be sent, the first one first.
package struct SyncPlan: Equatable, Sendable {
    /// To be recorded before anything is sent.
    package var marks: [Observation] = []
    package var placements: [PlacementChange] = []
    package var steps: [SyncStep] = []
    package var problems: [SyncProblem] = []
    /// Identifiers that Apple is reviewing.
    package var pending: [UUID] = []
    /// Identifiers of which we do not know whether Apple has them.
    package var uncertain: [UUID] = []
    /// When to look again if nothing changes before.
    package var nextLookAt: Instant

    package init(nextLookAt: Instant) {
        self.nextLookAt = nextLookAt
    }

    /// The first call that is ready and may be made.
    package func next(mayCall: (AppleEndpoint) -> Bool) -> SyncStep? {
        steps.first { $0.isReady && mayCall($0.operation.endpoint) }
    }

    /// Whether Apple has all that is wanted, and nothing is left to do but to look now and then.
    package var isConverged: Bool {
        placements.isEmpty && problems.isEmpty && pending.isEmpty && uncertain.isEmpty
            && !steps.contains {
                $0.operation.isWrite || $0.reason == .firstLook || $0.reason == .doubt
            }
    }

    /// Calls still to be made to each endpoint, ready or not.
    package var callCounts: [AppleEndpoint: Int] {
        steps.reduce(into: [:]) { $0[$1.operation.endpoint, default: 0] += 1 }
    }
}

/// The calls that make Apple's side what is wanted. Pure: the service, the simulation and the API
/// ask the same question.
///
/// Order (a later line waits for the ones before it where they concern the same thing): lists ·
/// images · messages · defaults of approved messages · messages nothing names · images nothing
/// shows · the real-time URL · what was tried before with an unknown end · looks for drift. So one
/// call that fails over and over holds up nothing else.
package func plan(
    desired: DesiredState, observed: ObservedState, limits: SyncLimits,
    policy: SyncPolicy = .sound, now: Instant
) -> SyncPlan {
    var known = observed
    let adopted = observed.adopt(desired)
    known.apply(adopted)
    var planner = Planner(
        facts: SyncFacts(desired: desired, observed: known), limits: limits, policy: policy,
        now: now)
    return planner.run(adopted)
}
