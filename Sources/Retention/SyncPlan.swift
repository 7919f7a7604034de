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
        placements.isEmpty && problems.isEmpty && pending.isEmpty
            && !steps.contains { $0.operation.isWrite }
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
/// shows · the real-time URL.
package func plan(
    desired: DesiredState, observed: ObservedState, limits: SyncLimits,
    policy: SyncPolicy = .sound, now: Instant
) -> SyncPlan {
    var planner = Planner(
        facts: SyncFacts(desired: desired, observed: observed), limits: limits, policy: policy,
        now: now)
    return planner.run()
}

struct Planner {
    let facts: SyncFacts
    let limits: SyncLimits
    let policy: SyncPolicy
    let now: Instant
    var plan: SyncPlan

    var desired: DesiredState { facts.desired }
    var observed: ObservedState { facts.observed }

    init(facts: SyncFacts, limits: SyncLimits, policy: SyncPolicy, now: Instant) {
        self.facts = facts
        self.limits = limits
        self.policy = policy
        self.now = now
        plan = SyncPlan(nextLookAt: now + limits.driftMilliseconds)
    }

    mutating func run() -> SyncPlan {
        adopt()
        uploadImages()
        uploadMessages()
        servePlacements()
        configureDefaults()
        retire()
        let lists = listsDue()
        configureURL()
        // What they bring may change all the rest, and they have a budget of their own.
        plan.steps.insert(contentsOf: lists, at: 0)
        holdBack()
        noteReviews()
        lookAgain()
        return plan
    }

    /// What is wanted and listed is ours, whoever forgot it: its identifier could not be another's.
    private mutating func adopt() {
        let wanted = desired.images.union(desired.texts.map(\.appleId))
        for id in wanted {
            guard let object = observed.objects[id], !object.isOurs else { continue }
            let images = desired.texts.first { $0.appleId == id }?.images ?? []
            plan.marks.append(
                .object(
                    AppleObject(
                        kind: object.kind, id: id, isOurs: true, presence: object.presence,
                        state: object.state, images: images, uploadedAt: object.listedAt,
                        listedAt: object.listedAt)))
        }
    }

    /// While a key is refused, or Apple is away, one harmless call at a time finds out whether that
    /// is over.
    private mutating func holdBack() {
        if let pause = observed.pause {
            let until = observed.pausedUntil ?? now
            hold(.pause(pause, until: until)) { _ in true }
            if until <= now {
                plan.steps.insert(SyncStep(.listMessages, .paused), at: 0)
            } else {
                look(at: until)
            }
            plan.problems.append(pause == .keyRefused ? .keyRefused : .noAccess)
        } else if let retryAt = observed.retryAt, retryAt > now {
            hold(.outage(until: retryAt)) { _ in true }
            look(at: retryAt)
        }
        for (endpoint, until) in observed.notBefore where until > now {
            hold(.limit(until: until)) { $0.operation.endpoint == endpoint }
            if plan.steps.contains(where: { $0.operation.endpoint == endpoint }) {
                look(at: until)
            }
        }
    }

    private mutating func hold(_ wait: SyncWait, where isHeld: (SyncStep) -> Bool) {
        for index in plan.steps.indices where plan.steps[index].isReady {
            if isHeld(plan.steps[index]) { plan.steps[index].wait = wait }
        }
    }

    mutating func look(at instant: Instant) {
        if instant > now { plan.nextLookAt = min(plan.nextLookAt, instant) }
    }

    private mutating func noteReviews() {
        let reviewed = observed.objects.values.filter {
            $0.isOurs && $0.isPresent && !$0.isSpent && facts.isNamed($0)
        }
        plan.pending = reviewed.filter { $0.state == .pending }.map(\.id).sorted()
        plan.problems += reviewed.filter { $0.state == .rejected }
            .sorted { $0.id < $1.id }
            .map { .rejected($0.kind, $0.id) }
    }

    private mutating func lookAgain() {
        for step in plan.steps {
            switch step.wait {
            case .retirement(let until), .refusal(_, let until): look(at: until)
            case nil, .pause, .outage, .limit, .list, .images, .review, .room, .acknowledgement,
                .inUse, .otherSteps, .performanceTest, .someDefault, .consent:
                break
            }
        }
    }

    func isOver(_ refusal: AppleRefusal?, after milliseconds: Int64) -> Bool {
        guard let refusal else { return true }
        return refusal.at + milliseconds <= now
    }
}

// MARK: - Lists

extension Planner {
    mutating func listsDue() -> [SyncStep] {
        [AppleObjectKind.image, .message].compactMap { kind in
            listDue(kind).map {
                SyncStep(kind == .image ? .listImages : .listMessages, $0)
            }
        }
    }

    private mutating func listDue(_ kind: AppleObjectKind) -> SyncReason? {
        guard let listed = observed.listedAt(kind) else { return .firstLook }
        if let doubted = observed.doubtedAt, doubted >= listed { return .doubt }
        let objects = observed.objects.values.filter { $0.kind == kind && $0.isOurs }
        if objects.contains(where: { isUncertain($0, listed: listed) }) { return .doubt }
        if let at = nextReviewLook(objects, kind, listed: listed) {
            if at <= now { return .review }
            look(at: at)
        }
        let drift = listed + limits.driftMilliseconds
        if drift <= now { return .drift }
        look(at: drift)
        return nil
    }

    /// Whether only a list can say what became of it.
    private func isUncertain(_ object: AppleObject, listed: Instant) -> Bool {
        guard object.presence == .uncertain, let attempted = object.attemptedAt else {
            return false
        }
        return attempted >= listed
    }

    /// When the newest of what Apple is reviewing is to be looked at; `nil` where nothing is.
    private func nextReviewLook(
        _ objects: [AppleObject], _ kind: AppleObjectKind, listed: Instant
    ) -> Instant? {
        let waited = objects.compactMap { lookSince($0) }
        guard let newest = waited.max() else { return nil }
        let since = max(newest, listed)
        let isUploading = plan.steps.contains {
            $0.isReady && $0.operation.endpoint == (kind == .image ? .uploadImage : .uploadMessage)
        }
        let wait =
            isUploading
            ? limits.reviewPollWhileUploadingMilliseconds
            : limits.reviewPoll(pendingSince: newest, listedAt: since)
        return since + wait
    }

    /// Since when a list has been wanted for this object's sake.
    private func lookSince(_ object: AppleObject) -> Instant? {
        if object.isPresent, let absent = object.absentSince { return absent }
        switch object.presence {
        case .uploaded: return object.uploadedAt
        case .listed:
            guard object.state == .pending, !object.isSpent, facts.isNamed(object) else {
                return nil
            }
            return object.uploadedAt ?? object.listedAt
        case .uncertain:
            // Sent again where it is wanted; else it may yet show up, or is forgotten.
            guard !facts.isNamed(object), let attempted = object.attemptedAt else { return nil }
            return attempted
        case .withdrawing, .gone, .refused: return nil
        }
    }
}

// MARK: - Uploads

extension Planner {
    mutating func uploadImages() {
        for id in desired.images.sorted() {
            upload(.image, id, .uploadImage(id), wait: nil)
        }
    }

    mutating func uploadMessages() {
        var seen: Set<UUID> = []
        for text in desired.texts.sorted(by: { $0.place < $1.place })
        where seen.insert(text.appleId).inserted {
            let wait: SyncWait? =
                policy.mayUploadMessage(text.images, facts) ? nil : .images
            upload(
                .message, text.appleId, .uploadMessage(text.appleId, images: text.images),
                wait: wait)
        }
    }

    private mutating func upload(
        _ kind: AppleObjectKind, _ id: UUID, _ operation: SyncOperation, wait: SyncWait?
    ) {
        guard observed.listedAt(kind) != nil else {
            plan.steps.append(SyncStep(operation, .wanted, wait: .list))
            return
        }
        guard let object = observed.objects[id] else {
            plan.steps.append(SyncStep(operation, .wanted, wait: wait ?? roomWait(kind)))
            return
        }
        switch object.presence {
        case .uploaded, .listed: break
        case .withdrawing, .gone:
            // The content has another identifier by now.
            plan.steps.append(SyncStep(operation, .wanted, wait: .list))
        case .uncertain:
            let isKnown = policy.mayRepeatUpload(object, observed)
            plan.steps.append(SyncStep(operation, .repeated, wait: isKnown ? wait : .list))
        case .refused:
            let refusal = object.refusal
            plan.problems.append(.refused(operation, code: refusal?.code))
            plan.steps.append(
                SyncStep(
                    operation, .wanted,
                    wait: refusalWait(refusal, after: limits.refusalMilliseconds) ?? wait))
        }
    }

    func refusalWait(_ refusal: AppleRefusal?, after milliseconds: Int64) -> SyncWait? {
        guard let refusal, !isOver(refusal, after: milliseconds) else { return nil }
        return .refusal(code: refusal.code, until: refusal.at + milliseconds)
    }

    private func roomWait(_ kind: AppleObjectKind) -> SyncWait? { isFull(kind) ? .room : nil }

    func isFull(_ kind: AppleObjectKind) -> Bool {
        if let at = observed.fullAt[kind], at + limits.refusalMilliseconds > now { return true }
        let count = observed.objects.values.count { $0.kind == kind && $0.takesRoom }
        return count >= limits.most(kind)
    }
}

// MARK: - What is shown

extension Planner {
    mutating func servePlacements() {
        let wanted = Dictionary(
            desired.texts.map { ($0.place, $0) }, uniquingKeysWith: { first, _ in first })
        for place in desired.served.keys.sorted() where wanted[place] == nil {
            plan.placements.append(.stop(place))
        }
        for text in desired.texts.sorted(by: { $0.place < $1.place }) {
            guard policy.mayName(text.appleId, facts), desired.served[text.place] != text.appleId
            else { continue }
            plan.placements.append(.serve(text.place, text.appleId))
        }
    }

    mutating func configureDefaults() {
        let texts = Dictionary(
            desired.texts.map { ($0.place, $0) }, uniquingKeysWith: { first, _ in first })
        for (slot, place) in desired.defaults.sorted(by: { $0.key < $1.key }) {
            guard let text = texts[place] else { continue }
            configure(slot, text)
        }
        for slot in observed.defaults.keys.sorted() where desired.defaults[slot] == nil {
            guard let known = observed.defaults[slot] else { continue }
            let wait = refusalWait(known.refusal, after: limits.refusalMilliseconds)
            plan.steps.append(SyncStep(.deleteDefault(slot), .defaultNotWanted, wait: wait))
        }
    }

    private mutating func configure(_ slot: DefaultSlot, _ text: WantedText) {
        let known = observed.defaults[slot]
        guard let id = nameable(text) else {
            if known?.appleId != text.appleId || known?.isUncertain == true {
                plan.steps.append(
                    SyncStep(.setDefault(slot, text.appleId), .defaultDiffers, wait: .review))
            }
            return
        }
        guard let known, known.appleId == id, !known.isUncertain else {
            plan.steps.append(
                SyncStep(.setDefault(slot, id), .defaultDiffers, wait: refused(known, id, slot)))
            return
        }
        let drift = (known.readAt ?? now) + limits.driftMilliseconds
        if drift <= now {
            plan.steps.append(SyncStep(.getDefault(slot), .drift))
        } else {
            look(at: drift)
        }
    }

    /// The newest approved identifier of a text: its own, else the one that it is to replace.
    private func nameable(_ text: WantedText) -> UUID? {
        if policy.mayName(text.appleId, facts) { return text.appleId }
        guard let served = desired.served[text.place], policy.mayName(served, facts) else {
            return nil
        }
        return served
    }

    private mutating func refused(
        _ known: ObservedDefault?, _ id: UUID, _ slot: DefaultSlot
    ) -> SyncWait? {
        guard let known, known.refusedId == id, let refusal = known.refusal else { return nil }
        // A review may turn; what is wrong in itself stays so for longer.
        let isReview = AppleErrorCode.contradictsApproval(refusal.code)
        let wait = refusalWait(
            refusal,
            after: isReview ? limits.reviewPollMostMilliseconds : limits.refusalMilliseconds)
        if wait != nil {
            plan.problems.append(.refused(.setDefault(slot, id), code: refusal.code))
        }
        return wait
    }
}

// MARK: - What goes

extension Planner {
    mutating func retire() {
        let ours = observed.objects.values.filter(policy.mayTouch).sorted { $0.id < $1.id }
        let isCrowded = Dictionary(
            uniqueKeysWithValues: [AppleObjectKind.image, .message].map { ($0, isFull($0)) })
        for object in ours where object.kind == .message {
            retire(object, isCrowded: isCrowded[.message] ?? false)
        }
        for object in ours where object.kind == .image {
            retire(object, isCrowded: isCrowded[.image] ?? false)
        }
        for (kind, isFull) in isCrowded where isFull && lacksRoom(kind) {
            plan.problems.append(.full(kind, most: limits.most(kind)))
        }
    }

    /// Whether something waits for room that no deletion will make.
    private func lacksRoom(_ kind: AppleObjectKind) -> Bool {
        let endpoint: AppleEndpoint = kind == .image ? .deleteImage : .deleteMessage
        return plan.steps.contains { step in
            guard step.wait == .room else { return false }
            switch step.operation {
            case .uploadImage: return kind == .image
            case .uploadMessage: return kind == .message
            default: return false
            }
        } && !plan.steps.contains { $0.operation.endpoint == endpoint }
    }

    private mutating func retire(_ object: AppleObject, isCrowded: Bool) {
        let isNamed = facts.isNamed(object)
        guard object.presence != .withdrawing else {
            let wait = refusalWait(object.refusal, after: limits.reviewPollMostMilliseconds)
            plan.steps.append(deletion(object, wait: wait))
            return
        }
        guard object.isPresent else { return }
        if isNamed {
            if object.unnamedSince != nil { mark(object, unnamedSince: nil) }
            return
        }
        let since = object.unnamedSince ?? now
        if object.unnamedSince == nil { mark(object, unnamedSince: now) }
        let due = isCrowded ? since : since + limits.retirementMilliseconds
        plan.steps.append(deletion(object, wait: due > now ? .retirement(until: due) : held(object)))
    }

    private func held(_ object: AppleObject) -> SyncWait? {
        switch object.kind {
        case .message:
            guard !policy.mayDeleteMessage(object, facts) else { return nil }
            return facts.desired.isSnapshotAcknowledged ? .inUse : .acknowledgement
        case .image: return policy.mayDeleteImage(object, facts) ? nil : .inUse
        }
    }

    private func deletion(_ object: AppleObject, wait: SyncWait?) -> SyncStep {
        SyncStep(
            object.kind == .image ? .deleteImage(object.id) : .deleteMessage(object.id), .retired,
            wait: wait)
    }

    private mutating func mark(_ object: AppleObject, unnamedSince: Instant?) {
        var object = object
        object.unnamedSince = unnamedSince
        plan.marks.append(.object(object))
    }
}

// MARK: - The URL

extension Planner {
    mutating func configureURL() {
        guard let url = observed.url else {
            plan.steps.append(SyncStep(.getRealtimeURL, .firstLook))
            return
        }
        if let endpoint = desired.endpoint {
            guard url != .own(endpoint) || observed.isURLUncertain else { return readURLForDrift() }
            plan.steps.append(
                SyncStep(.setRealtimeURL(endpoint), .urlDiffers, wait: urlWait(url)))
        } else if case .own = url {
            plan.steps.append(SyncStep(.deleteRealtimeURL, .urlNotWanted))
        } else if observed.isURLUncertain {
            plan.steps.append(SyncStep(.getRealtimeURL, .doubt))
        } else {
            readURLForDrift()
        }
    }

    private mutating func readURLForDrift() {
        let drift = (observed.urlReadAt ?? now) + limits.driftMilliseconds
        if drift <= now {
            plan.steps.append(SyncStep(.getRealtimeURL, .drift))
        } else {
            look(at: drift)
        }
    }

    private mutating func urlWait(_ url: ObservedURL) -> SyncWait? {
        if url == .foreign, !desired.mayReplaceForeignURL {
            plan.problems.append(.foreignURL)
            return .consent
        }
        if desired.environment == .production, !desired.hasPassedPerformanceTest {
            plan.problems.append(.noPassingTest)
            guard policy.maySetURL(true, facts) else { return .performanceTest }
        }
        if !policy.maySetURL(isAllElseDone, facts) { return .otherSteps }
        if !desired.defaults.isEmpty, !hasSomeDefault { return .someDefault }
        if let refusal = observed.urlRefusal {
            let wait = refusalWait(refusal, after: limits.refusalMilliseconds)
            if wait != nil, let endpoint = desired.endpoint {
                plan.problems.append(.refused(.setRealtimeURL(endpoint), code: refusal.code))
            }
            return wait
        }
        return nil
    }

    /// Nothing that could be done now comes before the URL; reviews may take days and are not
    /// waited for.
    private var isAllElseDone: Bool {
        !plan.steps.contains { step in
            guard step.operation.isWrite else { return false }
            switch step.wait {
            case nil, .list, .images: return !isRetirement(step.operation)
            default: return false
            }
        }
    }

    private func isRetirement(_ operation: SyncOperation) -> Bool {
        switch operation {
        case .deleteMessage, .deleteImage: true
        default: false
        }
    }

    private var hasSomeDefault: Bool {
        desired.defaults.keys.contains { slot in
            guard let known = observed.defaults[slot] else { return false }
            return known.appleId != nil && !known.isUncertain
        }
    }
}
