/// Waits and sizes of the sync. Values handed in, so that a simulation can shorten them.
package struct SyncLimits: Equatable, Sendable {
    /// How old what we know of Apple may be before it is read again to find drift.
    package var driftMilliseconds: Int64 = 6 * 3_600_000
    /// Between two looks at a review: a part of how long it has taken, within these bounds.
    package var reviewPollLeastMilliseconds: Int64 = 5_000
    package var reviewPollMostMilliseconds: Int64 = 15 * 60_000
    package var reviewPollDivisor: Int64 = 2
    /// While more goes up, as the next upload would only ask for another look.
    package var reviewPollWhileUploadingMilliseconds: Int64 = 60_000
    /// Apple's list may be behind its uploads for so long; what is missing longer has vanished.
    package var listLagMilliseconds: Int64 = 10 * 60_000
    /// What nothing names is kept for so long: to take an edit back then needs no new review.
    package var retirementMilliseconds: Int64 = 24 * 3_600_000
    /// What Apple refused for what it is, is tried again after it: a product may exist by then.
    package var refusalMilliseconds: Int64 = 6 * 3_600_000
    /// An app whose key is refused, or that has no access, is asked again after it.
    package var pauseMilliseconds: Int64 = 15 * 60_000
    /// After the first, the second and each further failure in a row. An app is not asked more
    /// often than the last while Apple is away, and found again within twice that.
    package var retryMilliseconds: [Int64] = [1_000, 5_000, 30_000]
    /// How old what we read of the real-time URL may be when it is replaced or deleted.
    package var urlAgeMilliseconds: Int64 = 60_000
    /// Apple's limits of an app in one environment; what other tools uploaded counts too.
    package var images = ImageLimit.imagesOfApp
    package var messages = MessageLimit.messagesOfApp

    package init() {}

    package func most(_ kind: AppleObjectKind) -> Int { kind == .image ? images : messages }

    /// How long to wait after so many failures in a row.
    package func retryDelay(failures: Int32) -> Int64 {
        guard let last = retryMilliseconds.last else { return 0 }
        let index = Int(max(1, failures)) - 1
        return index < retryMilliseconds.count ? retryMilliseconds[index] : last
    }

    /// How long after the last list the next look at a review is due.
    package func reviewPoll(pendingSince: Instant, listedAt: Instant) -> Int64 {
        let waited = max(0, listedAt.milliseconds - pendingSince.milliseconds)
        return min(
            reviewPollMostMilliseconds, max(reviewPollLeastMilliseconds, waited / reviewPollDivisor)
        )
    }
}

extension Instant {
    package static func + (a: Instant, milliseconds: Int64) -> Instant {
        let (sum, isOver) = a.milliseconds.addingReportingOverflow(milliseconds)
        return Instant(milliseconds: isOver ? (milliseconds < 0 ? .min : .max) : sum)
    }
}
