import FoundationEssentials
import Retention

/// A mistake somebody could make, as another value of a part of the sync.
struct PlantedSyncBug: Sendable {
    let name: String
    let complaints: Set<Complaint.Kind>
    let workings: Workings

    init(
        _ name: String, _ complaints: Set<Complaint.Kind>,
        _ plant: (inout Workings) -> Void
    ) {
        self.name = name
        self.complaints = complaints
        var workings = Workings()
        plant(&workings)
        self.workings = workings
    }

    static let all = answers + orders + deletions + machinery
}

// MARK: - What answers mean

extension PlantedSyncBug {
    /// The sound reading of an answer, but for what `other` says.
    private static func reading(
        _ other: @escaping @Sendable (AppleEndpoint, AppleReply, Instant) -> AppleOutcome?
    ) -> Workings.Classify {
        let sound = Workings().classify
        return { other($0, $1, $2) ?? sound($0, $1, $2) }
    }

    /// The sound conclusion, from another outcome.
    private static func concluding(
        _ other: @escaping @Sendable (SyncOperation, AppleOutcome) -> AppleOutcome
    ) -> @Sendable (ObservedState, ConcludedCall, SyncLimits, Instant) -> [Observation] {
        let sound = Workings().conclude
        return { state, call, limits, now in
            let changed = ConcludedCall(
                operation: call.operation, outcome: other(call.operation, call.outcome),
                content: call.content, startedAt: call.startedAt)
            return sound(state, changed, limits, now)
        }
    }

    private static let answers = [
        // Lists would mend the refusal alone, as they show what is there.
        PlantedSyncBug("a conflict is taken as a refusal for good", [.late, .notConverged]) {
            $0.classify = reading { _, reply, _ in
                reply.status == 409 ? .terminal(code: reply.code) : nil
            }
            $0.conclude = { state, call, limits, now in
                state.conclude(call, limits: limits, now: now).filter { observation in
                    guard case .object(let object) = observation, !call.operation.isWrite else {
                        return true
                    }
                    return state.objects[object.id]?.presence != .refused
                }
            }
        },
        PlantedSyncBug("Retry-After is read as seconds", [.late, .notConverged]) {
            $0.classify = reading { _, reply, now in
                guard reply.status == 429, let text = reply.retryAfter, let seconds = Int64(text)
                else { return nil }
                return .wait(until: now + seconds * 1_000)
            }
        },
        PlantedSyncBug("Retry-After is not read", [.beforeRetryAfter]) {
            $0.classify = reading { _, reply, now in
                reply.status == 429 ? .wait(until: now + 1_000) : nil
            }
        },
        PlantedSyncBug(
            "an unknown end is taken as success",
            [.messageBeforeImage, .late, .notConverged, .urlBeforeContent, .deletedDefaultsMessage]
        ) {
            $0.conclude = concluding { operation, outcome in
                guard case .unknown = outcome, operation.isWrite else { return outcome }
                return .ok
            }
        },
        PlantedSyncBug(
            "an unknown end is taken as failure for good", [.late, .notConverged, .tooManyWrites]
        ) {
            $0.conclude = concluding { operation, outcome in
                guard case .unknown = outcome, operation.isWrite else { return outcome }
                return .terminal(code: nil)
            }
        },
        PlantedSyncBug("a refused key is taken as an outage", [.tooManyProbes, .tooManyReads]) {
            $0.classify = reading { _, reply, _ in
                reply.status == 401 ? .unknown(.unexpectedStatus) : nil
            }
        },
    ]
}

// MARK: - What comes before what

extension PlantedSyncBug {
    private static let orders = [
        PlantedSyncBug("a message goes up before its picture", [.messageBeforeImage]) {
            $0.policy.mayUploadMessage = { _, _ in true }
        },
        PlantedSyncBug(
            "a message is shown before its approval",
            [.defaultBeforeApproval, .servedBeforeApproval]
        ) {
            $0.policy.mayName = { id, facts in facts.observed.objects[id]?.isPresent ?? false }
        },
        PlantedSyncBug(
            "a message is shown before its picture's approval",
            [.defaultBeforeApproval, .servedBeforeApproval]
        ) {
            $0.policy.mayName = { id, facts in facts.observed.objects[id]?.isApproved ?? false }
        },
        PlantedSyncBug("production's URL is set without a pass", [.urlBeforePass]) {
            $0.policy.maySetURL = { isAllElseDone, _ in isAllElseDone }
        },
        PlantedSyncBug("the URL is set before what it leads to", [.urlBeforeContent]) {
            $0.policy.maySetURL = { _, facts in SyncPolicy.sound.maySetURL(true, facts) }
        },
        PlantedSyncBug("an upload is repeated without a look", [.repeatedBlindly]) {
            $0.policy.mayRepeatUpload = { _, _ in true }
        },
    ]
}

// MARK: - What is deleted

extension PlantedSyncBug {
    private static let deletions = [
        PlantedSyncBug("deleted before any acknowledgement", [.deletedWhileServed]) {
            $0.isAcknowledged = { _, _ in true }
        },
        PlantedSyncBug("deleted once one responder has acknowledged", [.deletedWhileServed]) {
            $0.isAcknowledged = { acknowledged, newest in
                acknowledged.isEmpty || acknowledged.contains(newest)
            }
        },
        PlantedSyncBug(
            "what a default names is deleted", [.deletedDefaultsMessage, .deletedWhileServed]
        ) {
            let isNamed: @Sendable (UUID, SyncFacts) -> Bool = { id, facts in
                facts.desired.texts.contains { $0.appleId == id }
                    || facts.desired.served.values.contains(id)
            }
            $0.policy.isNamed = { object, facts in
                object.kind == .image
                    ? facts.namedImages.contains(object.id) : isNamed(object.id, facts)
            }
            $0.policy.mayDeleteMessage = { object, facts in
                !isNamed(object.id, facts) && facts.desired.isSnapshotAcknowledged
            }
        },
        PlantedSyncBug(
            "what an answer names is deleted", [.deletedWhileServed, .deletedDefaultsMessage]
        ) {
            $0.policy.isNamed = { object, facts in
                object.kind == .image
                    ? facts.namedImages.contains(object.id)
                    : facts.desired.texts.contains { $0.appleId == object.id }
            }
            $0.policy.mayDeleteMessage = { _, facts in facts.desired.isSnapshotAcknowledged }
        },
        PlantedSyncBug("a picture is deleted under a message", [.deletedImageInUse]) {
            $0.policy.isNamed = { object, facts in
                object.kind == .image
                    ? facts.desired.images.contains(object.id)
                    : facts.namedMessages.contains(object.id)
            }
            $0.policy.mayDeleteImage = { _, _ in true }
        },
        PlantedSyncBug("what another tool made is deleted", [.deletedForeign]) {
            $0.policy.mayTouch = { _ in true }
        },
    ]
}

// MARK: - Leases, budgets and identifiers

extension PlantedSyncBug {
    private static let machinery = [
        PlantedSyncBug("commits are not fenced", [.staleCommit]) {
            $0.leaseHolds = { _, _ in true }
        },
        PlantedSyncBug("each worker has a budget of its own", [.overLimit]) {
            $0.budgetRow = { $0 }
        },
        PlantedSyncBug("the budget is twice Apple's", [.overLimit]) {
            $0.budget = { CallBudget(callsPerHour: 2 * $0) }
        },
        PlantedSyncBug("each attempt has a fresh identifier", Set(Complaint.Kind.allCases)) {
            $0.identify = { key, generation, attempt in
                key.identifier(generation: generation &+ Int32(truncatingIfNeeded: attempt) &* 64)
            }
        },
        PlantedSyncBug(
            "a deleted identifier is used again", [.deletedIdUsedAgain, .late, .notConverged]
        ) {
            $0.generation = { _ in 0 }
        },
        PlantedSyncBug("nothing is kept before a call", Set(Complaint.Kind.allCases)) {
            $0.begin = { _, _, _ in [] }
        },
    ]
}
