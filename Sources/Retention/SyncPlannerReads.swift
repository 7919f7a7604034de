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
        let objects = ours.filter { $0.kind == kind }
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
        guard isUploading else {
            return since + limits.reviewPoll(pendingSince: newest, listedAt: since)
        }
        let firstUnseen = waited.filter { $0 > listed }.min() ?? listed
        return firstUnseen + limits.reviewPollWhileUploadingMilliseconds
    }

    /// Since when a list has been wanted for this object's sake.
    private func lookSince(_ object: AppleObject) -> Instant? {
        if object.isPresent, let absent = object.absentSince { return absent }
        switch object.presence {
        case .uploaded: return object.uploadedAt
        case .listed:
            guard object.state == .pending, !object.isSpent, policy.isNamed(object, facts) else {
                return nil
            }
            return object.uploadedAt ?? object.listedAt
        case .uncertain:
            // Sent again where it is wanted; else it may yet show up, or is forgotten.
            guard !policy.isNamed(object, facts), let attempted = object.attemptedAt else {
                return nil
            }
            return attempted
        case .withdrawing, .gone, .refused: return nil
        }
    }
}
