internal import FoundationEssentials

extension Planner {
    mutating func uploadImages() {
        let absent = desired.images.filter { !(observed.objects[$0]?.isPresent ?? false) }
        for id in absent.sorted() {
            upload(.image, id, .uploadImage(id), wait: nil)
        }
    }

    mutating func uploadMessages() {
        var seen: Set<UUID> = []
        for text in texts where seen.insert(text.appleId).inserted {
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
            let room: SyncWait? = isFull(kind) ? .room : nil
            plan.steps.append(SyncStep(operation, .wanted, wait: wait ?? room))
            return
        }
        switch object.presence {
        case .uploaded, .listed: break
        case .withdrawing, .gone:
            // The content has another identifier by now.
            plan.steps.append(SyncStep(operation, .wanted, wait: .list))
        case .uncertain:
            let isKnown = policy.mayRepeatUpload(object, observed)
            plan.steps.append(
                SyncStep(
                    operation, .repeated, wait: isKnown ? wait ?? repeatWait(object) : .list))
        case .refused:
            plan.problems.append(.refused(operation, code: object.refusal?.code))
            plan.steps.append(
                SyncStep(
                    operation, .wanted,
                    wait: wait ?? refusedWait(operation, object.refusal)
                        ?? (isFull(kind) ? .room : nil)))
        }
    }

    /// A message whose picture was missing may be tried once the picture is there again; if the
    /// list showed it all the time, after a while.
    private func refusedWait(_ operation: SyncOperation, _ refusal: AppleRefusal?) -> SyncWait? {
        guard let refusal, refusal.code == AppleErrorCode.imageNotFound.rawValue,
            case .uploadMessage(_, let images) = operation
        else { return refusalWait(refusal, after: limits.refusalMilliseconds) }
        let isPictureNew = images.contains { image in
            observed.objects[image]?.uploadedAt.map { $0 > refusal.at } ?? false
        }
        return isPictureNew
            ? nil : refusalWait(refusal, after: limits.reviewPollMostMilliseconds)
    }

    /// The first repetition follows at once, each further one after twice the time.
    private func repeatWait(_ object: AppleObject) -> SyncWait? {
        // It may itself be what fills Apple's limit, so that only Apple's word counts.
        if hasSaidFull(object.kind) { return .room }
        guard let attempted = object.attemptedAt, let since = object.uncertainSince else {
            return nil
        }
        let pause = min(
            limits.reviewPollMostMilliseconds, attempted.milliseconds - since.milliseconds)
        let until = attempted + pause
        return until > now ? .outage(until: until) : nil
    }

    func refusalWait(_ refusal: AppleRefusal?, after milliseconds: Int64) -> SyncWait? {
        guard let refusal, !isOver(refusal, after: milliseconds) else { return nil }
        return .refusal(code: refusal.code, until: refusal.at + milliseconds)
    }
}
