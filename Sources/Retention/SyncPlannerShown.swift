internal import FoundationEssentials

extension Planner {
    /// A text shows its own identifier once it is approved, until then the one before it; and none
    /// where Apple has neither, or approves of neither, any more.
    mutating func servePlacements() {
        let surplus = desired.served.keys.filter { textsByPlace[$0] == nil }
        plan.placements += surplus.sorted().map { .stop($0) }
        for text in texts {
            let served = desired.served[text.place]
            if policy.mayName(text.appleId, facts) {
                if served != text.appleId {
                    plan.placements.append(.serve(text.place, text.appleId))
                }
            } else if let served, observed.messagesListedAt != nil,
                !policy.mayName(served, facts)
            {
                plan.placements.append(.stop(text.place))
            }
        }
    }

    /// A default whose text is gone, or of a kind that Apple takes for no default, is not wanted.
    mutating func configureDefaults() {
        let wanted = desired.defaults.compactMapValues { place in
            textsByPlace[place].flatMap { $0.kind == .text ? $0 : nil }
        }
        for (slot, text) in wanted.sorted(by: { $0.key < $1.key }) { configure(slot, text) }
        for slot in observed.defaults.keys.sorted() where wanted[slot] == nil {
            guard let known = observed.defaults[slot] else { continue }
            guard known.appleId != nil || known.isUncertain else {
                plan.marks.append(.forgottenDefault(slot))
                continue
            }
            // Another message may have been refused here; that is no refusal of this.
            let refusal = known.refusedId == nil ? known.refusal : nil
            let wait = refusalWait(refusal, after: limits.refusalMilliseconds)
            plan.steps.append(SyncStep(.deleteDefault(slot), .defaultNotWanted, wait: wait))
        }
    }

    private mutating func configure(_ slot: DefaultSlot, _ text: WantedText) {
        let known = observed.defaults[slot]
        let id = nameable(text)
        if let known, !known.isUncertain, known.appleId == id ?? text.appleId {
            return readForDrift(slot, known)
        }
        let wait: SyncWait? =
            id.map { refused(known, $0, slot) } ?? (isTurnedDown(text) ? .rejected : .review)
        plan.steps.append(
            SyncStep(.setDefault(slot, id ?? text.appleId), .defaultDiffers, wait: wait))
        guard let known, wait != nil else { return }
        if known.isUncertain {
            // What it may show is kept until it is known.
            plan.steps.append(SyncStep(.getDefault(slot), .doubt))
        } else {
            readForDrift(slot, known)
        }
    }

    private mutating func readForDrift(_ slot: DefaultSlot, _ known: ObservedDefault) {
        guard let readAt = known.readAt, readAt + limits.driftMilliseconds > now else {
            plan.steps.append(SyncStep(.getDefault(slot), .drift))
            return
        }
        look(at: readAt + limits.driftMilliseconds)
    }

    /// Whether nobody reviews it any more, and it was not approved.
    private func isTurnedDown(_ text: WantedText) -> Bool {
        ([text.appleId] + text.images).contains { id in
            guard let object = observed.objects[id] else { return false }
            return object.presence == .refused || (object.isPresent && object.state == .rejected)
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
