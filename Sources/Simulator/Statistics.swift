/// Counts over page views. Each view is in exactly one place of each of these sums:
///
/// ```
/// pageViews     = cancellations + notCalled
/// cancellations = answered + unanswered
/// tapped        = shownRealtime + shownFallback + shownNothing
/// ```
package struct Statistics: Sendable {
    /// Durations kept for the percentiles; past it the oldest give way.
    private static let durationsLimit = 1_000_000

    package private(set) var pageViews = 0
    package private(set) var cancellations = 0
    package private(set) var answered = 0
    package private(set) var tapped = 0
    package private(set) var shownRealtime = 0
    package private(set) var shownFallback = 0
    package private(set) var shownNothing = 0
    package private(set) var wrong = 0
    private var fallbackReasons: [FallbackReason: Int] = [:]
    private var notCalledReasons: [NotCalledReason: Int] = [:]
    private var brokenRules: [RuleBreach.Rule: Int] = [:]
    private var durations: [Double] = []
    private var oldestDuration = 0

    package init() {}

    package init(_ results: [PageViewResult]) {
        for result in results { record(result) }
    }

    package mutating func record(_ result: PageViewResult) {
        pageViews += 1
        if let reason = result.notCalledReason { notCalledReasons[reason, default: 0] += 1 }
        if let reason = result.fallbackReason { fallbackReasons[reason, default: 0] += 1 }
        for breach in result.broken { brokenRules[breach.rule, default: 0] += 1 }
        if !result.broken.isEmpty { wrong += 1 }
        if result.called { cancellations += 1 }
        if result.isAnswered {
            answered += 1
            keep(result.milliseconds ?? 0)
        }
        if result.taps { recordTap(result.display.layer) }
    }

    private mutating func recordTap(_ layer: Display.Layer) {
        tapped += 1
        switch layer {
        case .realtime: shownRealtime += 1
        case .appStoreConnect, .apiDefault: shownFallback += 1
        case .nothing: shownNothing += 1
        }
    }

    private mutating func keep(_ duration: Double) {
        guard durations.count == Statistics.durationsLimit else {
            durations.append(duration)
            return
        }
        durations[oldestDuration] = duration
        oldestDuration = (oldestDuration + 1) % Statistics.durationsLimit
    }

    package var report: Report {
        let sorted = durations.sorted()
        return Report(
            pageViews: pageViews, notCalled: pageViews - cancellations,
            cancellations: cancellations, answered: answered, unanswered: cancellations - answered,
            tapped: tapped, shownRealtime: shownRealtime, shownFallback: shownFallback,
            shownNothing: shownNothing, wrong: wrong,
            p50Milliseconds: Statistics.percentile(50, of: sorted),
            p99Milliseconds: Statistics.percentile(99, of: sorted),
            fallbackReasons: Statistics.named(fallbackReasons),
            notCalledReasons: Statistics.named(notCalledReasons),
            brokenRules: Statistics.named(brokenRules))
    }

    /// Nearest rank; nil where there is none.
    static func percentile(_ percent: Int, of sorted: [Double]) -> Double? {
        guard !sorted.isEmpty else { return nil }
        let rank = (percent * sorted.count + 99) / 100
        return sorted[min(max(rank, 1), sorted.count) - 1]
    }

    private static func named<Reason: RawRepresentable<String>>(
        _ counts: [Reason: Int]
    ) -> [String: Int] {
        Dictionary(counts.map { ($0.key.rawValue, $0.value) }, uniquingKeysWith: { $1 })
    }
}

extension Statistics {
    /// The counts as the control API gives them.
    package struct Report: Codable, Sendable, Equatable {
        package var pageViews: Int
        package var notCalled: Int
        /// Page views for which the real-time URL was called.
        package var cancellations: Int
        /// Complete HTTP responses of any status, late ones included.
        package var answered: Int
        package var unanswered: Int
        /// Views on which the customer tapped Cancel Subscription; the three that follow are
        /// of these alone.
        package var tapped: Int
        package var shownRealtime: Int
        package var shownFallback: Int
        package var shownNothing: Int
        /// Timely, complete 200 answers that broke a rule, tapped or not.
        package var wrong: Int
        /// Over all that is answered; absent where nothing is.
        package var p50Milliseconds: Double?
        package var p99Milliseconds: Double?
        package var fallbackReasons: [String: Int]
        package var notCalledReasons: [String: Int]
        /// Rules broken; one wrong answer may break several.
        package var brokenRules: [String: Int]
    }
}
