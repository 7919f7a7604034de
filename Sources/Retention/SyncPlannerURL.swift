extension Planner {
    mutating func configureURL() {
        guard let url = observed.url else {
            plan.steps.append(SyncStep(.getRealtimeURL, .firstLook))
            return
        }
        if let endpoint = desired.endpoint {
            guard url != .own(endpoint) || observed.isURLUncertain else { return readURLForDrift() }
            changeURL(.setRealtimeURL(endpoint), .urlDiffers, wait: urlWait(url))
        } else if case .own = url {
            changeURL(
                .deleteRealtimeURL, .urlNotWanted,
                wait: refusalWait(observed.urlRefusal, after: limits.refusalMilliseconds))
        } else if observed.isURLUncertain {
            plan.steps.append(SyncStep(.getRealtimeURL, .doubt))
        } else {
            readURLForDrift()
        }
    }

    /// Another tool may have set its URL since: what is replaced or deleted is read just before.
    private mutating func changeURL(
        _ operation: SyncOperation, _ reason: SyncReason, wait: SyncWait?
    ) {
        let isFresh = observed.urlReadAt.map { $0 + limits.urlAgeMilliseconds > now } ?? false
        let isLimited = observed.notBefore[operation.endpoint].map { $0 > now } ?? false
        let isUnresolved = wait == .consent && observed.isURLUncertain
        guard (wait == nil && !isLimited && !isFresh) || isUnresolved else {
            plan.steps.append(SyncStep(operation, reason, wait: wait))
            return
        }
        plan.steps.append(SyncStep(.getRealtimeURL, .doubt))
        plan.steps.append(SyncStep(operation, reason, wait: wait ?? .list))
    }

    private mutating func readURLForDrift() {
        guard let readAt = observed.urlReadAt, readAt + limits.driftMilliseconds > now else {
            plan.steps.append(SyncStep(.getRealtimeURL, .drift))
            return
        }
        look(at: readAt + limits.driftMilliseconds)
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

    /// Nothing that could be done now comes before the URL. Reviews may take days, a refused
    /// picture for ever and a call that keeps failing hours: they are not waited for.
    private var isAllElseDone: Bool {
        !plan.steps.contains { step in
            guard step.operation.isWrite, !isRetirement(step.operation) else { return false }
            switch step.wait {
            case .list: return true
            case nil: return !(isRepeat(step.operation) && isFailing)
            default: return false
            }
        }
    }

    private var isFailing: Bool { observed.failures >= limits.retryMilliseconds.count }

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
