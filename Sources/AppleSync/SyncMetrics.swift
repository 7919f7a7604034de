internal import Retention
package import Service

/// Everything `apple-sync` counts; `docs/operating.md` says what each means.
package struct SyncMetrics: Sendable {
    let calls: Counter
    let callSeconds: Histogram
    let turns: Counter
    let leasesLost: Counter
    let permitsDenied: Counter
    let keyRefused: Counter
    let due: Gauge
    let oldestDueSeconds: Gauge
    let hostsAway: Gauge

    package init(_ metrics: Metrics) {
        calls = metrics.counter(
            "holdfast_sync_apple_calls", "Calls to Apple, by endpoint, environment and outcome.",
            labels: ["endpoint", "environment", "outcome"])
        callSeconds = metrics.histogram(
            "holdfast_sync_apple_call_seconds", "From a call to Apple to its whole answer.")
        turns = metrics.counter(
            "holdfast_sync_turns", "Times an app was worked on, by how that ended.",
            labels: ["end"])
        leasesLost = metrics.counter(
            "holdfast_sync_leases_lost", "Leases that were another's before the work was done.")
        permitsDenied = metrics.counter(
            "holdfast_sync_permits_denied", "Calls put off for Apple's limits, by endpoint.",
            labels: ["endpoint"])
        keyRefused = metrics.counter(
            "holdfast_sync_keys_unreadable", "Sealed keys that the platform's key does not open.")
        due = metrics.gauge("holdfast_sync_due", "Apps that are due and wait.")
        oldestDueSeconds = metrics.gauge(
            "holdfast_sync_oldest_due_seconds", "How long the one due longest has waited.")
        hostsAway = metrics.gauge(
            "holdfast_sync_host_away", "1 while a host of Apple's is asked by probes alone.",
            labels: ["environment"])
    }
}
