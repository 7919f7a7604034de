import FoundationEssentials
import Retention

/// One app whose Apple side is known, and calls to it one by one.
struct SyncFixture {
    var now = Instant(milliseconds: 1_764_000_000_000)
    var limits = SyncLimits()
    var observed = ObservedState()
    var desired = DesiredState(environment: .sandbox)

    static let place = TextPlace(message: MessageID(UUID(number: 1)), locale: "en-US")
    static let other = TextPlace(message: MessageID(UUID(number: 3)), locale: "en-US")
    static let slot = DefaultSlot(productId: "monthly", locale: "en-US")
    static let endpoint = EndpointID(UUID(number: 2))

    /// Both lists and the URL were read just now, and showed nothing.
    init() {
        observed.imagesListedAt = now
        observed.messagesListedAt = now
        observed.url = ObservedURL.none
        observed.urlReadAt = now
    }

    var plan: SyncPlan { plan(desired: desired, observed: observed, limits: limits, now: now) }

    private func plan(
        desired: DesiredState, observed: ObservedState, limits: SyncLimits, now: Instant
    ) -> SyncPlan {
        Retention.plan(desired: desired, observed: observed, limits: limits, now: now)
    }

    var ready: [SyncOperation] { plan.steps.filter(\.isReady).map(\.operation) }

    func wait(of operation: SyncOperation) -> SyncWait? {
        plan.steps.first { $0.operation == operation }?.wait
    }

    mutating func want(
        _ id: UUID, images: [UUID] = [], at place: TextPlace = place, kind: MessageKind = .text
    ) {
        desired.images.formUnion(images)
        desired.texts.removeAll { $0.place == place }
        desired.texts.append(
            WantedText(
                message: place.message, locale: place.locale, kind: kind, appleId: id,
                images: images))
    }

    /// What Apple has and a list has shown.
    mutating func hold(
        _ kind: AppleObjectKind, _ id: UUID, _ state: ReviewState, images: [UUID] = [],
        isOurs: Bool = true
    ) {
        observed.objects[id] = AppleObject(
            kind: kind, id: id, isOurs: isOurs, presence: .listed, state: state, images: images,
            uploadedAt: now, listedAt: now)
    }

    mutating func pass(_ milliseconds: Int64) { now = now + milliseconds }

    /// Begins and ends a call.
    mutating func call(
        _ operation: SyncOperation, _ outcome: AppleOutcome, _ content: AppleContentRead? = nil
    ) {
        observed.apply(observed.begin(operation, at: now))
        let startedAt = now
        pass(100)
        observed.apply(
            observed.conclude(
                ConcludedCall(
                    operation: operation, outcome: outcome, content: content, startedAt: startedAt),
                limits: limits, now: now))
    }

    /// Both lists, with these lines.
    mutating func list(_ lines: [UUID: ReviewState], isWhole: Bool = true) {
        for (kind, operation) in [
            (AppleObjectKind.image, SyncOperation.listImages), (.message, .listMessages),
        ] {
            pass(1)
            let known = lines.filter { (observed.objects[$0.key]?.kind ?? .message) == kind }
            call(
                operation, .ok,
                .objects(
                    known.map { ListedObject(id: $0.key, state: $0.value) }, isWhole: isWhole))
        }
    }

    mutating func apply(_ plan: SyncPlan) {
        observed.apply(plan.marks)
        for change in plan.placements {
            switch change {
            case .serve(let place, let id): desired.served[place] = id
            case .stop(let place): desired.served[place] = nil
            }
        }
    }
}
