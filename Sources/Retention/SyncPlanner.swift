internal import FoundationEssentials

struct Planner {
    let facts: SyncFacts
    let limits: SyncLimits
    let policy: SyncPolicy
    let now: Instant
    /// In the order of their places.
    let texts: [WantedText]
    let textsByPlace: [TextPlace: WantedText]
    let ours: [AppleObject]
    private let taken: [AppleObjectKind: Int]
    var plan: SyncPlan

    var desired: DesiredState { facts.desired }
    var observed: ObservedState { facts.observed }

    init(facts: SyncFacts, limits: SyncLimits, policy: SyncPolicy, now: Instant) {
        self.facts = facts
        self.limits = limits
        self.policy = policy
        self.now = now
        texts = facts.desired.texts.sorted { $0.place < $1.place }
        textsByPlace = Dictionary(
            texts.map { ($0.place, $0) }, uniquingKeysWith: { first, _ in first })
        ours = facts.observed.objects.values.filter(\.isOurs)
        taken = facts.observed.objects.values.reduce(into: [:]) { counts, object in
            if object.takesRoom { counts[object.kind, default: 0] += 1 }
        }
        plan = SyncPlan(nextLookAt: now + limits.driftMilliseconds)
    }

    mutating func run(_ adopted: [Observation]) -> SyncPlan {
        plan.marks = adopted
        uploadImages()
        uploadMessages()
        servePlacements()
        configureDefaults()
        retire()
        let lists = listsDue()
        configureURL()
        putRepeatsLast()
        // What they bring may change all the rest, and they have a budget of their own.
        plan.steps.insert(contentsOf: lists, at: 0)
        holdBack()
        noteReviews()
        lookAgain()
        return plan
    }

    /// What ended unknown before goes after what was not tried yet, and so do looks for drift; each
    /// failure lets another of them go first.
    private mutating func putRepeatsLast() {
        let late = plan.steps.filter(isLate)
        guard !late.isEmpty else { return }
        plan.steps.removeAll(where: isLate)
        let first = Int(max(0, observed.failures)) % late.count
        plan.steps += late[first...] + late[..<first]
    }

    private func isLate(_ step: SyncStep) -> Bool {
        step.isReady
            && (isRepeat(step.operation) || step.reason == .drift
                || step.operation.endpoint == .getDefaultMessage)
    }

    /// Whether the same, or another change of the same thing, was begun and its end is not known.
    /// Uploads have pauses of their own between attempts.
    func isRepeat(_ operation: SyncOperation) -> Bool {
        switch operation {
        case .setDefault(let slot, _), .deleteDefault(let slot):
            observed.defaults[slot]?.isUncertain ?? false
        case .deleteMessage(let id), .deleteImage(let id):
            observed.objects[id]?.presence == .withdrawing
        case .setRealtimeURL, .deleteRealtimeURL: observed.isURLUncertain
        case .listImages, .listMessages, .uploadImage, .uploadMessage, .getDefault,
            .getRealtimeURL:
            false
        }
    }

    /// While a key is refused, or Apple is away, one harmless call at a time finds out whether that
    /// is over.
    private mutating func holdBack() {
        if let pause = observed.pause {
            let until = max(observed.pausedUntil ?? now, observed.retryAt ?? now)
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
        let reviewed = ours.filter { $0.isPresent && !$0.isSpent && policy.isNamed($0, facts) }
        plan.pending = reviewed.filter { $0.state == .pending }.map(\.id).sorted()
        plan.uncertain = ours.filter { $0.presence == .uncertain }.map(\.id).sorted()
        plan.problems += reviewed.filter { $0.state == .rejected }
            .sorted { $0.id < $1.id }
            .map { .rejected($0.kind, $0.id) }
    }

    private mutating func lookAgain() {
        for step in plan.steps {
            switch step.wait {
            case .retirement(let until), .refusal(_, let until), .outage(let until):
                look(at: until)
            case nil, .pause, .limit, .list, .images, .review, .rejected, .room, .acknowledgement,
                .inUse,
                .otherSteps, .performanceTest, .someDefault, .consent:
                break
            }
        }
    }

    func isOver(_ refusal: AppleRefusal?, after milliseconds: Int64) -> Bool {
        guard let refusal else { return true }
        return refusal.at + milliseconds <= now
    }

    /// Whether Apple has as many as it takes, as far as we count or as it said.
    func isFull(_ kind: AppleObjectKind) -> Bool {
        hasSaidFull(kind) || (taken[kind] ?? 0) >= limits.most(kind)
    }

    func hasSaidFull(_ kind: AppleObjectKind) -> Bool {
        guard let at = observed.fullAt[kind] else { return false }
        return at + limits.refusalMilliseconds > now
    }
}

extension ObservedState {
    /// What is wanted and listed is ours, whoever forgot it: its identifier could not be another's.
    func adopt(_ desired: DesiredState) -> [Observation] {
        var images: [UUID: [UUID]] = [:]
        for id in desired.images { images[id] = [] }
        for text in desired.texts { images[text.appleId] = text.images }
        return images.compactMap { id, images in
            guard let object = objects[id], !object.isOurs else { return nil }
            return AppleObject(
                kind: object.kind, id: id, isOurs: true, presence: object.presence,
                state: object.state, images: images, uploadedAt: object.listedAt,
                listedAt: object.listedAt)
        }.sorted { $0.id < $1.id }.map { .object($0) }
    }
}
