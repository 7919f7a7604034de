import FoundationEssentials
import Retention

extension SyncSimulation {
    /// Takes a call to Apple and brings back what the caller sees, and how long that took.
    func call(_ operation: SyncOperation, label: Int?) -> (Delivery, Int64) {
        let duration = 20 + Int64(random.below(200))
        guard now < calmFrom else { return (.answered(answer(operation, label)), duration) }
        if outages.away.contains(now) {
            happenings.note(.outage)
            return random.happens(500) ? (.notSent, 5) : (.unknown(.timedOut), Self.callDeadline)
        }
        if outages.keyRefused.contains(now) {
            happenings.note(.keyRefused)
            return (.answered(AppleReply(status: 401)), duration)
        }
        if outages.noAccess.contains(now) {
            happenings.note(.noAccess)
            return (.answered(AppleReply(status: 404)), duration)
        }
        if random.happens(profile.throttled) { return (.answered(throttle(operation)), duration) }
        if random.happens(profile.callFaults) {
            return fail(operation, label, duration)
        }
        return (.answered(answer(operation, label)), duration)
    }

    private func answer(_ operation: SyncOperation, _ label: Int?) -> AppleReply {
        if let refusal = apple.limit(operation.endpoint, now: now) { return refusal }
        return apple.apply(operation, label: label, now: now)
    }

    /// Apple has lowered its limits for a while.
    private func throttle(_ operation: SyncOperation) -> AppleReply {
        let wait = random.milliseconds(1...3_000)
        switch random.below(5) {
        case 0:
            happenings.note(.retryAfterInSeconds)
            return apple.throttled(until: "\(wait)")
        case 1:
            happenings.note(.retryAfterMissing)
            return apple.throttled(until: nil)
        case 2:
            happenings.note(.retryAfterPast)
            return apple.throttled(until: "\(now - wait * 1_000)")
        default:
            happenings.note(.throttled)
            return apple.throttled(until: "\(now + wait * 1_000)")
        }
    }

    private func fail(
        _ operation: SyncOperation, _ label: Int?, _ duration: Int64
    ) -> (Delivery, Int64) {
        switch random.below(7) {
        case 0:
            happenings.note(.notSent)
            return (.notSent, 5)
        case 1:
            happenings.note(.cutBefore)
            return (.unknown(.interrupted), duration)
        case 2:
            happenings.note(.appliedThenCut)
            _ = answer(operation, label)
            return (.unknown(.interrupted), duration)
        case 3:
            happenings.note(.serverError)
            return (.answered(AppleReply(status: 500, code: 5_000_000)), duration)
        case 4:
            happenings.note(.appliedThenServerError)
            _ = answer(operation, label)
            return (.answered(AppleReply(status: 503)), duration)
        case 5 where isHarmlessLate(operation):
            happenings.note(.appliedAfterTimeout)
            apple.schedule(
                operation, label: label,
                at: now + random.milliseconds(1_000...Self.callDeadline + 20_000))
            return (.unknown(.timedOut), Self.callDeadline)
        default:
            happenings.note(.timedOut)
            return (.unknown(.timedOut), Self.callDeadline)
        }
    }

    /// Uploads are create-only and a deletion's identifier is used up, so that neither does harm
    /// when it comes late. A default or URL that comes late is found by the looks for drift, as
    /// another tool's change is.
    private func isHarmlessLate(_ operation: SyncOperation) -> Bool {
        switch operation.endpoint {
        case .uploadImage, .uploadMessage, .deleteImage, .deleteMessage: true
        default: false
        }
    }
}
