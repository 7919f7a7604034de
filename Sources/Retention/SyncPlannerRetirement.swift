extension Planner {
    mutating func retire() {
        let kinds = [AppleObjectKind.message, .image]
        let objects = observed.objects.values.filter { isConcerned($0) && policy.mayTouch($0) }
            .sorted { (leaving($0), $0.id) < (leaving($1), $1.id) }
        for kind in kinds {
            let isCrowded = isFull(kind) && isRoomWanted(kind)
            for object in objects where object.kind == kind {
                retire(object, isCrowded: isCrowded)
            }
            if isCrowded, !isRoomMade(kind) {
                plan.problems.append(.full(kind, most: limits.most(kind)))
            }
        }
    }

    /// All but those that stay as they are.
    private func isConcerned(_ object: AppleObject) -> Bool {
        if object.presence == .withdrawing { return true }
        guard object.isPresent else { return false }
        return object.unnamedSince != nil || !policy.isNamed(object, facts)
    }

    private func leaving(_ object: AppleObject) -> Instant { object.unnamedSince ?? now }

    private func isRoomWanted(_ kind: AppleObjectKind) -> Bool {
        plan.steps.contains { step in
            guard step.wait == .room else { return false }
            switch step.operation {
            case .uploadImage: return kind == .image
            case .uploadMessage: return kind == .message
            default: return false
            }
        }
    }

    private func isRoomMade(_ kind: AppleObjectKind) -> Bool {
        let endpoint: AppleEndpoint = kind == .image ? .deleteImage : .deleteMessage
        return plan.steps.contains { $0.operation.endpoint == endpoint }
    }

    private mutating func retire(_ object: AppleObject, isCrowded: Bool) {
        let isNamed = policy.isNamed(object, facts)
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
        plan.steps.append(
            deletion(object, wait: due > now ? .retirement(until: due) : held(object)))
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
