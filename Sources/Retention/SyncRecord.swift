internal import FoundationEssentials

// From calls to knowledge. `begin` is committed before a call is sent, so that a crash at any point
// after it leaves "uncertain" behind and never "nothing happened"; `conclude` is what its answer
// proved.

extension ObservedState {
    /// What has to be known before `operation` is sent.
    package func begin(_ operation: SyncOperation, at now: Instant) -> [Observation] {
        switch operation {
        case .uploadImage(let id): [.object(beginUpload(.image, id, images: [], now))]
        case .uploadMessage(let id, let images):
            [.object(beginUpload(.message, id, images: images, now))]
        case .deleteImage(let id), .deleteMessage(let id): beginDeletion(id, now)
        case .setDefault(let slot, let id): [.default(slot, beginChange(slot, to: id))]
        case .deleteDefault(let slot): [.default(slot, beginChange(slot, to: nil))]
        case .setRealtimeURL, .deleteRealtimeURL:
            [.url(url, isUncertain: true, readAt: urlReadAt, refusal: urlRefusal)]
        case .listImages, .listMessages, .getDefault, .getRealtimeURL: []
        }
    }

    private func beginUpload(
        _ kind: AppleObjectKind, _ id: UUID, images: [UUID], _ now: Instant
    ) -> AppleObject {
        var object =
            objects[id] ?? AppleObject(kind: kind, id: id, isOurs: true, presence: .uncertain)
        object.presence = .uncertain
        object.images = images
        object.attemptedAt = now
        object.uncertainSince = object.uncertainSince ?? now
        object.refusal = nil
        return object
    }

    private func beginDeletion(_ id: UUID, _ now: Instant) -> [Observation] {
        guard var object = objects[id] else { return [] }
        object.presence = .withdrawing
        object.attemptedAt = now
        return [.object(object)]
    }

    private func beginChange(_ slot: DefaultSlot, to id: UUID?) -> ObservedDefault {
        let known = defaults[slot]
        var possible = known?.formerIds ?? []
        if let shown = known?.appleId, shown != id, !possible.contains(shown) {
            possible.append(shown)
        }
        return ObservedDefault(
            appleId: id, isUncertain: true, formerIds: possible, readAt: known?.readAt,
            refusal: known?.refusal, refusedId: known?.refusedId)
    }
}

/// How one call ended.
package struct ConcludedCall: Sendable {
    package let operation: SyncOperation
    package let outcome: AppleOutcome
    /// What a read brought; `nil` for writes and where it could not be read.
    package let content: AppleContentRead?
    /// When it was begun: a list shows what was there at some moment after it.
    package let startedAt: Instant

    package init(
        operation: SyncOperation, outcome: AppleOutcome, content: AppleContentRead? = nil,
        startedAt: Instant
    ) {
        self.operation = operation
        self.outcome = outcome
        self.content = content
        self.startedAt = startedAt
    }
}

extension ObservedState {
    /// What the end of a call proved, given that its beginning was applied.
    package func conclude(
        _ call: ConcludedCall, limits: SyncLimits, now: Instant
    ) -> [Observation] {
        general(call, limits, now) + particular(call, limits, now)
    }

    /// What an outcome says whatever was asked: about the key, the limits, and whether Apple is
    /// there at all.
    private func general(
        _ call: ConcludedCall, _ limits: SyncLimits, _ now: Instant
    ) -> [Observation] {
        let lifted: [Observation] = pause == nil ? [] : [.pause(nil, until: nil)]
        switch call.outcome {
        case .unknown, .notSent: return failed(limits, now)
        case .wait(let until): return healed + [.notBefore(call.operation.endpoint, until)]
        case .keyRefused: return healed + pausing(.keyRefused, limits, now)
        case .noAccess: return healed + pausing(.noAccess, limits, now)
        case .ok, .same, .absent, .full, .notYet, .terminal:
            return (isFruitless(call) ? failed(limits, now) : healed) + lifted
        }
    }

    private func failed(_ limits: SyncLimits, _ now: Instant) -> [Observation] {
        let count = failures < Int32.max ? failures + 1 : failures
        return [.failures(count, retryAt: now + limits.retryDelay(failures: count))]
    }

    /// A read that says nothing would be due again at once.
    private func isFruitless(_ call: ConcludedCall) -> Bool {
        guard !call.operation.isWrite else { return false }
        switch (call.operation, call.outcome) {
        case (_, .ok): return call.content == nil
        case (.getDefault, .absent), (.getRealtimeURL, .absent): return false
        default: return true
        }
    }

    private var healed: [Observation] {
        failures == 0 && retryAt == nil ? [] : [.failures(0, retryAt: nil)]
    }

    private func pausing(
        _ pause: SyncPause, _ limits: SyncLimits, _ now: Instant
    ) -> [Observation] {
        [.pause(pause, until: now + limits.pauseMilliseconds)]
    }

    private func particular(
        _ call: ConcludedCall, _ limits: SyncLimits, _ now: Instant
    ) -> [Observation] {
        switch call.operation {
        case .uploadImage(let id): concludeUpload(.image, id, call.outcome, now)
        case .uploadMessage(let id, _): concludeUpload(.message, id, call.outcome, now)
        case .deleteImage(let id): concludeDeletion(.image, id, call.outcome, now)
        case .deleteMessage(let id): concludeDeletion(.message, id, call.outcome, now)
        case .listImages: concludeList(.image, call, limits, now)
        case .listMessages: concludeList(.message, call, limits, now)
        case .setDefault(let slot, let id): concludeDefault(slot, id, call.outcome, now)
        case .deleteDefault(let slot): concludeDefaultDeletion(slot, call.outcome, now)
        case .getDefault(let slot): concludeDefaultRead(slot, call, now)
        case .getRealtimeURL: concludeURLRead(call, now)
        case .setRealtimeURL(let endpoint): concludeURL(.own(endpoint), call.outcome, now)
        case .deleteRealtimeURL: concludeURL(ObservedURL.none, call.outcome, now)
        }
    }
}

// MARK: - Uploads and deletions

extension ObservedState {
    private func concludeUpload(
        _ kind: AppleObjectKind, _ id: UUID, _ outcome: AppleOutcome, _ now: Instant
    ) -> [Observation] {
        guard var object = objects[id] else { return [] }
        switch outcome {
        // A conflict on an identifier that only this content has: it is there.
        case .ok, .same:
            object.presence = .uploaded
            object.uploadedAt = now
            object.uncertainSince = nil
            object.absentSince = nil
            return [.object(object)]
        case .unknown, .absent: return []
        case .full: return [.full(kind, at: now)] + notUploaded(object)
        case .wait, .notSent, .keyRefused, .noAccess: return notUploaded(object)
        case .terminal(AppleErrorCode.imageNotFound.rawValue):
            // A picture that we believed to be there is not; if the list goes on showing it, this
            // is not tried over and over.
            object.presence = .refused
            object.uncertainSince = nil
            object.refusal = AppleRefusal(code: AppleErrorCode.imageNotFound.rawValue, at: now)
            return [.doubted(at: now), .object(object)]
        case .terminal(let code), .notYet(code: let code as Int?):
            object.presence = .refused
            object.uncertainSince = nil
            object.refusal = AppleRefusal(code: code, at: now)
            return [.object(object)]
        }
    }

    /// This attempt left nothing at Apple. Of an earlier one that is not certain.
    private func notUploaded(_ object: AppleObject) -> [Observation] {
        object.uncertainSince == object.attemptedAt ? [.forgotten(object.id)] : []
    }

    private func concludeDeletion(
        _ kind: AppleObjectKind, _ id: UUID, _ outcome: AppleOutcome, _ now: Instant
    ) -> [Observation] {
        guard var object = objects[id] else { return [] }
        switch outcome {
        case .ok, .same, .absent:
            object.presence = .gone
            object.refusal = nil
            let room: [Observation] = fullAt[kind] == nil ? [] : [.full(kind, at: nil)]
            return [.object(object)] + room
        case .terminal(let code), .notYet(code: let code as Int?):
            object.refusal = AppleRefusal(code: code, at: now)
            return [.object(object)]
        case .full, .wait, .notSent, .unknown, .keyRefused, .noAccess: return []
        }
    }
}

// MARK: - Lists

extension ObservedState {
    private func concludeList(
        _ kind: AppleObjectKind, _ call: ConcludedCall, _ limits: SyncLimits, _ now: Instant
    ) -> [Observation] {
        guard case .ok = call.outcome, case .objects(let list, let isWhole) = call.content else {
            return []
        }
        var listed: [UUID: ReviewState] = [:]
        for object in list { listed[object.id] = object.state }
        let shown = listed.sorted { $0.key < $1.key }.compactMap { id, state in
            let object = seen(kind, id, state, startedAt: call.startedAt, limits, now)
            return object == objects[id] ? nil : Observation.object(object)
        }
        // A line that could not be read may be any of those that are missing.
        let missing = objects.values.filter { isWhole && $0.kind == kind && listed[$0.id] == nil }
            .compactMap { unseen($0, startedAt: call.startedAt, limits, now) }
        // Written down by a faster clock than ours: one more list, not one after the other until
        // ours is there too.
        let isAhead = doubtedAt.map { $0 > now } ?? false
        let doubted: [Observation] = isAhead ? [.doubted(at: now)] : []
        return shown + missing + doubted + [.listed(kind, at: call.startedAt)]
    }

    private func seen(
        _ kind: AppleObjectKind, _ id: UUID, _ state: ReviewState, startedAt: Instant,
        _ limits: SyncLimits, _ now: Instant
    ) -> AppleObject {
        var object =
            objects[id] ?? AppleObject(kind: kind, id: id, isOurs: false, presence: .listed)
        object.state = state
        object.listedAt = object.listedAt ?? now
        object.absentSince = nil
        switch object.presence {
        case .uncertain, .uploaded, .listed, .refused:
            object.presence = .listed
            object.uncertainSince = nil
            object.uploadedAt = object.uploadedAt ?? object.attemptedAt
        case .withdrawing: break
        case .gone:
            // Long after its end: it is there after all, and takes room.
            let end = object.attemptedAt ?? startedAt
            if startedAt > end + limits.listLagMilliseconds { object.presence = .withdrawing }
        }
        return object
    }

    /// What a list that does not show an object says of it.
    private func unseen(
        _ object: AppleObject, startedAt: Instant, _ limits: SyncLimits, _ now: Instant
    ) -> Observation? {
        guard object.isOurs else { return .forgotten(object.id) }
        switch object.presence {
        case .uncertain:
            guard let attempted = object.attemptedAt else { return nil }
            if attempted > now { return self.attempted(object, at: now) }
            guard startedAt > attempted + limits.listLagMilliseconds else { return nil }
            return .forgotten(object.id)
        case .uploaded, .listed:
            if let uploaded = object.uploadedAt, uploaded >= startedAt { return nil }
            return absent(object, startedAt: startedAt, limits, now)
        case .withdrawing, .gone, .refused: return nil
        }
    }

    /// Its last attempt was written down by a faster clock than ours.
    private func attempted(_ object: AppleObject, at now: Instant) -> Observation {
        var object = object
        object.attemptedAt = now
        object.uncertainSince = object.uncertainSince.map { min($0, now + -1) }
        return .object(object)
    }

    /// One list may be wrong, or older than the one before. What lists have not shown for so long
    /// has vanished, and its identifier with it.
    private func absent(
        _ object: AppleObject, startedAt: Instant, _ limits: SyncLimits, _ now: Instant
    ) -> Observation {
        var object = object
        if let since = object.absentSince, startedAt > since + limits.listLagMilliseconds {
            object.presence = .gone
            object.attemptedAt = now
        } else {
            object.absentSince = object.absentSince ?? now
        }
        return .object(object)
    }
}

// MARK: - Defaults and the URL

extension ObservedState {
    private func concludeDefault(
        _ slot: DefaultSlot, _ id: UUID, _ outcome: AppleOutcome, _ now: Instant
    ) -> [Observation] {
        guard var observed = defaults[slot] else { return [] }
        switch outcome {
        case .ok, .same:
            return [.default(slot, ObservedDefault(appleId: id, readAt: now))]
        case .terminal(let code), .notYet(code: let code as Int?):
            observed.refusal = AppleRefusal(code: code, at: now)
            observed.refusedId = id
            let isAboutContent = AppleErrorCode.contradictsApproval(code)
            return [.default(slot, observed)] + (isAboutContent ? [.doubted(at: now)] : [])
        case .absent, .full, .wait, .notSent, .unknown, .keyRefused, .noAccess: return []
        }
    }

    private func concludeDefaultDeletion(
        _ slot: DefaultSlot, _ outcome: AppleOutcome, _ now: Instant
    ) -> [Observation] {
        guard var observed = defaults[slot] else { return [] }
        switch outcome {
        case .ok, .same, .absent: return [.forgottenDefault(slot)]
        case .terminal(let code), .notYet(code: let code as Int?):
            observed.refusal = AppleRefusal(code: code, at: now)
            observed.refusedId = nil
            return [.default(slot, observed)]
        case .full, .wait, .notSent, .unknown, .keyRefused, .noAccess: return []
        }
    }

    private func concludeDefaultRead(
        _ slot: DefaultSlot, _ call: ConcludedCall, _ now: Instant
    ) -> [Observation] {
        let known = defaults[slot]
        // What was refused stays so: a look at what is shown instead is no reason to try again.
        func read(_ id: UUID?) -> [Observation] {
            let observed = ObservedDefault(
                appleId: id, readAt: now, refusal: known?.refusal, refusedId: known?.refusedId)
            return [.default(slot, observed)]
        }
        switch (call.outcome, call.content) {
        case (.ok, .defaultMessage(let id)): return read(id)
        case (.absent, _): return read(nil)
        // Apple knows no such place, so that nothing is shown there.
        case (.terminal(AppleErrorCode.invalidProductId.rawValue), _),
            (.terminal(AppleErrorCode.invalidLocale.rawValue), _):
            return read(nil)
        default: return []
        }
    }

    private func concludeURLRead(_ call: ConcludedCall, _ now: Instant) -> [Observation] {
        switch (call.outcome, call.content) {
        case (.ok, .realtimeURL(let found)):
            [.url(found, isUncertain: false, readAt: now, refusal: urlRefusal)]
        case (.absent, _):
            [.url(ObservedURL.none, isUncertain: false, readAt: now, refusal: urlRefusal)]
        default: []
        }
    }

    private func concludeURL(
        _ wanted: ObservedURL, _ outcome: AppleOutcome, _ now: Instant
    ) -> [Observation] {
        switch outcome {
        case .ok, .same, .absent: [.url(wanted, isUncertain: false, readAt: now, refusal: nil)]
        case .terminal(let code), .notYet(code: let code as Int?):
            [
                .url(
                    url, isUncertain: isURLUncertain, readAt: urlReadAt,
                    refusal: AppleRefusal(code: code, at: now))
            ]
        case .full, .wait, .notSent, .unknown, .keyRefused, .noAccess: []
        }
    }
}

extension AppleErrorCode {
    /// A default was refused for what we believed to be approved.
    static func contradictsApproval(_ code: Int?) -> Bool {
        switch code.flatMap(AppleErrorCode.init) {
        case .messageNotApproved, .imageNotApproved, .messageNotFound: true
        default: false
        }
    }
}
