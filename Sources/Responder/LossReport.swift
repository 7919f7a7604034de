internal import Service
internal import Synchronization

/// Tells the log, at most once per call, how much went wrong since the last call.
final class LossReport: Sendable {
    private struct Told {
        var spoolLost: UInt64 = 0
        var offerNotSigned: UInt64 = 0
    }

    private let metrics: ResponderMetrics
    private let log: Log
    private let told = Mutex(Told())

    init(metrics: ResponderMetrics, log: Log) {
        self.metrics = metrics
        self.log = log
    }

    func report() {
        let now = Told(
            spoolLost: metrics.spoolLost.value(), offerNotSigned: metrics.offerNotSigned.value())
        let before = told.withLock { told in
            defer { told = now }
            return told
        }
        tell("decisions_lost", now.spoolLost - before.spoolLost)
        tell("offers_not_signed", now.offerNotSigned - before.offerNotSigned)
    }

    private func tell(_ event: String, _ count: UInt64) {
        if count > 0 { log.error(event, [("count", LogValue(count))]) }
    }
}
