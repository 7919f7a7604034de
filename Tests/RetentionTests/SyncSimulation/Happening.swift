/// What a run went through. Over all seeds each must have occurred, else the runs prove less than
/// they say.
enum Happening: Int, CaseIterable {
    // Faults of a call; each gives the calls of a run some allowance.
    case notSent, cutBefore, appliedThenCut, serverError, appliedThenServerError, timedOut
    case appliedAfterTimeout, outage, keyRefused, noAccess
    case throttled, retryAfterInSeconds, retryAfterMissing, retryAfterPast
    case listBehind, unreadableLine
    // What others do to the app.
    case foreignObject, foreignObjectGone, foreignDefault, foreignURL, vanished
    // Reviews.
    case rejected, keptPending, flippedToRejected, flippedToApproved
    // Processes.
    case crashBeforePlan, crashBeforeBegin, crashBeforeCall, crashBeforeConclude
    case froze, staleCommitRefused, staleCall, abandonedCall, responderLeft
    // Apple's rules met.
    case full, refusedForContent, conflict, deletedBefore
    // What the agency does.
    case edited, editTakenBack, messageAdded, messageRemoved, imageChanged, defaultChanged
    case defaultRemoved, endpointRetired, endpointChanged, resubmitted, consentGiven, testPassed
    // Paths through the plan.
    case messageDeleted, imageDeleted, defaultDeleted, urlSet, urlDeleted, foreignURLReplaced
    case contentCameBack, acknowledgementAwaited, roomAwaited, permitAwaited, servingStopped
}

struct Happenings {
    private(set) var counts = [Int](repeating: 0, count: Happening.allCases.count)

    mutating func note(_ happening: Happening) { counts[happening.rawValue] += 1 }

    func count(_ happening: Happening) -> Int { counts[happening.rawValue] }

    mutating func add(_ others: Happenings) {
        for index in counts.indices { counts[index] += others.counts[index] }
    }

    var missing: [Happening] { Happening.allCases.filter { count($0) == 0 } }
}
