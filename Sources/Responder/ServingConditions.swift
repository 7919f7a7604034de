internal import Retention
package import Service
internal import Synchronization

/// What a responder knows of its own state, and what of it an answer has to heed.
package struct ServingConditions: Sendable {
    package let age: ServingAge
    package let overload: OverloadGate
    package let skew: SkewWatch

    package init(age: ServingAge, overload: OverloadGate, skew: SkewWatch = SkewWatch()) {
        self.age = age
        self.overload = overload
        self.skew = skew
    }

    /// All is well: for an endpoint whose state nobody watches.
    package static func good() -> ServingConditions {
        let age = ServingAge()
        age.looked(at: age.moment)
        return ServingConditions(
            age: age, overload: OverloadGate(OverloadGate.Limits(threads: 2)))
    }

    func register(in metrics: Metrics) {
        let (age, overload, skew) = (age, overload, skew)
        metrics.gauge("holdfast_serving_mode", "0 for everything, up to 4 for nothing.") {
            Double(age.mode.rank)
        }
        metrics.gauge(
            "holdfast_snapshot_age_seconds", "Since the newest snapshots were last asked for."
        ) {
            age.age.map { $0 / .seconds(1) } ?? -1
        }
        metrics.gauge(
            "holdfast_requests_in_flight", "As the last request met them, those waiting included."
        ) {
            Double(overload.inFlight)
        }
        metrics.gauge("holdfast_overload_level", "0 for none, up to 3.") {
            Double(overload.level)
        }
        metrics.gauge(
            "holdfast_signed_date_skew_seconds", "From Apple's date to arrival, in the median."
        ) {
            (skew.median ?? .zero) / .seconds(1)
        }
    }

    /// What somebody should see though answers go on.
    var warnings: [String] {
        var warnings: [String] = []
        let mode = age.mode
        if mode != .full {
            let age = age.age.map { "\(Int64($0 / .seconds(60))) min old" } ?? "of unknown age"
            warnings.append("what is known of the apps is \(age); answered is \(mode.rawValue)")
        }
        if skew.isAlarming, let median = skew.median {
            warnings.append(
                "requests arrive \(median / .seconds(1)) s after Apple's date; check the clock")
        }
        return warnings
    }
}

/// Tells the log, once each, what has changed since it was last called.
package final class ConditionReport: Sendable {
    private struct Told {
        var mode = ServingMode.full
        var refused: UInt64 = 0
        var isSkewed = false
    }

    private let conditions: ServingConditions
    private let metrics: ResponderMetrics
    private let log: Log
    private let told = Mutex(Told())

    package init(_ conditions: ServingConditions, metrics: ResponderMetrics, log: Log) {
        self.conditions = conditions
        self.metrics = metrics
        self.log = log
    }

    package func report() {
        let refused = OverloadGate.Refusal.allCases.reduce(UInt64(0)) {
            $0 + metrics.shed.value($1.rawValue)
        }
        let now = Told(
            mode: conditions.age.mode, refused: refused, isSkewed: conditions.skew.isAlarming)
        let before = told.withLock { told in
            defer { told = now }
            return told
        }
        if now.mode != before.mode { tell(now.mode, before.mode) }
        if now.refused > before.refused {
            log.warning("requests_shed", [("count", LogValue(now.refused - before.refused))])
        }
        if now.isSkewed && !before.isSkewed, let median = conditions.skew.median {
            log.warning("clock_skewed", [("seconds", .double(median / .seconds(1)))])
        }
    }

    private func tell(_ mode: ServingMode, _ before: ServingMode) {
        let age = conditions.age.age.map { LogValue.double($0 / .seconds(1)) } ?? .null
        log.warning(
            "serving_mode",
            [("mode", .string(mode.rawValue)), ("before", .string(before.rawValue)), ("age", age)])
    }
}
