import FoundationEssentials
import Retention

extension Checker {
    private static let hour: Int64 = 3_600_000
    /// As long as the longest wait of the sync, the one after a refusal, and an hour.
    private static let quiet: Int64 = 7 * hour
    /// Two looks for drift, in which nothing may be written.
    private static let watch: Int64 = 13 * hour

    /// In calm: the other end of a refusal, of a look for drift, and of both retirements (of a
    /// message, then of its pictures), and what Apple's least limit makes of the calls between.
    private func deadline(_ run: SyncSimulation) -> Int64 {
        max(calmFrom, run.apple.settlesAt) + 26 * Self.hour
            + 2 * profile.limits.retirementMilliseconds
    }

    /// When to look at the latest.
    func nextLook(_ now: Int64) -> Int64 {
        if let convergedAt {
            let end = convergedAt + Self.watch
            return end > now ? end : .max
        }
        return max(now, calmFrom) + Self.hour
    }

    /// Where nobody else has changed anything and no review turned, nothing waits for a look for
    /// drift: what is wanted is there soon after calm and the last review.
    private func isLate(_ run: SyncSimulation) -> Bool {
        let others = profile.foreignActs + profile.foreignObjects + profile.flipped
        guard others == 0, !profile.isTight else {
            return false
        }
        return run.now > max(calmFrom, run.apple.settlesAt) + 3 * Self.hour
    }

    mutating func judge(_ run: SyncSimulation) {
        guard run.workers.allSatisfy({ if case .idle = $0.step { true } else { false } }) else {
            return
        }
        if !wasPrompt, isLate(run) {
            wasPrompt = true
            if let difference = wantedDifference(run) { complain(.late, difference) }
        }
        if let convergedAt {
            guard run.now >= convergedAt + Self.watch else { return }
            if let difference = difference(run) { complain(.notConverged, "again: \(difference)") }
            countCalls(run)
            isDone = true
        } else if run.now > max(lastWriteAt, calmFrom, run.apple.settlesAt) + Self.quiet {
            if let difference = difference(run) {
                if run.now > deadline(run) { complain(.notConverged, difference) }
            } else {
                convergedAt = run.now
            }
        } else if run.now > deadline(run) + Self.quiet {
            complain(.notConverged, "still writing")
        }
    }

    /// What Apple and the responders have, against what the agency wants.
    private func difference(_ run: SyncSimulation) -> String? {
        let desired = run.store.desired()
        return contentDifference(desired, run) ?? defaultDifference(desired, run)
            ?? urlDifference(desired, run) ?? servedDifference(desired, run)
            ?? (run.store.nextAcknowledgement == .max ? nil : "a responder is behind")
    }

    /// The same without what is to go.
    private func wantedDifference(_ run: SyncSimulation) -> String? {
        let desired = run.store.desired()
        return missing(desired, run) ?? defaultDifference(desired, run)
            ?? urlDifference(desired, run) ?? servedDifference(desired, run)
    }

    private func isApproved(_ id: UUID, _ run: SyncSimulation) -> Bool {
        guard let message = run.apple.stored[id], message.state == .approved else { return false }
        return message.images.allSatisfy { run.apple.stored[$0]?.state == .approved }
    }

    private func missing(_ desired: DesiredState, _ run: SyncSimulation) -> String? {
        let stored = run.apple.stored
        for id in desired.images.sorted() where stored[id] == nil { return "no image \(id)" }
        for text in desired.texts where stored[text.appleId] == nil {
            // No message goes up with a picture that Apple has rejected.
            if text.images.contains(where: { stored[$0]?.state == .rejected }) { continue }
            return "no message \(text.appleId)"
        }
        return nil
    }

    /// Exactly one object for each wanted content, and of ours only what something names.
    private func contentDifference(_ desired: DesiredState, _ run: SyncSimulation) -> String? {
        if let missing = missing(desired, run) { return missing }
        let stored = run.apple.stored
        var named = desired.images.union(desired.texts.map(\.appleId))
        named.formUnion(run.store.served.values)
        named.formUnion(run.apple.defaults.values)
        for object in stored.values { named.formUnion(object.images) }
        let left = stored.filter { $0.value.label != nil && !named.contains($0.key) }
        return left.isEmpty ? nil : "\(left.count) left over: \(left.keys.sorted())"
    }

    private func defaultDifference(_ desired: DesiredState, _ run: SyncSimulation) -> String? {
        for text in desired.texts where isApproved(text.appleId, run) {
            for (slot, place) in desired.defaults
            where place == text.place && run.apple.defaults[slot] != text.appleId {
                return "\(slot) is not \(text.appleId)"
            }
        }
        let surplus = run.apple.defaults.keys.filter { desired.defaults[$0] == nil }
        return surplus.isEmpty ? nil : "defaults not wanted: \(surplus)"
    }

    private func urlDifference(_ desired: DesiredState, _ run: SyncSimulation) -> String? {
        let url = run.apple.url
        guard let endpoint = desired.endpoint else {
            if case .own = url { return "the URL of a retired endpoint" }
            return nil
        }
        let hasConsent = url != .foreign || desired.mayReplaceForeignURL
        let hasPass = profile.environment == .sandbox || run.apple.hasPass
        let hasDefault =
            desired.defaults.isEmpty
            || desired.defaults.keys.contains { run.apple.defaults[$0] != nil }
        guard hasConsent, hasPass, hasDefault, url != .own(endpoint) else { return nil }
        return "the URL is \(url)"
    }

    private func servedDifference(_ desired: DesiredState, _ run: SyncSimulation) -> String? {
        var served = run.store.served
        for text in desired.texts {
            let id = served.removeValue(forKey: text.place)
            if isApproved(text.appleId, run) ? id != text.appleId : false {
                return "\(text.appleId) is not served"
            }
            if let id, !isApproved(id, run) { return "\(id) is served" }
        }
        return served.isEmpty ? nil : "served and not wanted: \(served.count)"
    }
}

// MARK: - Counting calls

extension Checker {
    /// The least a planner that knew all could do is one upload for each content and generation
    /// ever wanted, one deletion for each object deleted, one change for each default and each URL
    /// that the agency wanted to be another. A fifth more is allowed, and for each fault one more,
    /// with a default's four slots where a review or an object is undone.
    ///
    /// Reads: the first looks; each look for drift (both lists, the URL, each default); while a
    /// review lasts a look every fifteen minutes, and a dozen before that becomes the pause; one
    /// for each write, and two for each fault.
    private mutating func countCalls(_ run: SyncSimulation) {
        let wants = run.store.wants
        let least =
            run.store.leastUploads + wants.leastDefaults + wants.leastURLs
            + run.apple.deletedByUs.count
        let happenings = run.allHappenings
        let faults = Self.faults.reduce(0) { $0 + happenings.count($1) }
        let undone = Self.undone.reduce(0) { $0 + happenings.count($1) }
        let allowed = least * 6 / 5 + 2 + faults + 5 * undone
        if writes > allowed {
            complain(.tooManyWrites, "\(writes) of at most \(allowed), \(faults) faults")
        }
        let hours = Int((run.now - start) / Self.hour)
        let mostReads =
            10 + (hours / 6 + 1) * 7 + (12 + hours) * 8 + writes + 2 * faults + 4 * undone
        if reads > mostReads { complain(.tooManyReads, "\(reads) of at most \(mostReads)") }
    }

    private static let faults: [Happening] = [
        .notSent, .cutBefore, .appliedThenCut, .serverError, .appliedThenServerError, .timedOut,
        .appliedAfterTimeout, .outage, .keyRefused, .noAccess, .throttled, .retryAfterInSeconds,
        .retryAfterMissing, .retryAfterPast, .listBehind, .foreignURL, .crashBeforePlan,
        .crashBeforeBegin, .crashBeforeCall, .crashBeforeConclude, .froze, .staleCall,
        .abandonedCall, .full, .refusedForContent, .consentGiven, .resubmitted,
    ]
    private static let undone: [Happening] = [
        .foreignDefault, .vanished, .flippedToRejected, .flippedToApproved,
    ]
}
