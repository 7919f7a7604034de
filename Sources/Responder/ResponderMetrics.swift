internal import HTTPServer
internal import Retention
package import Service

/// Everything the responder counts; `docs/operating.md` says what each means.
package struct ResponderMetrics: Sendable {
    package let decided: Counter
    package let refused: Counter
    package let httpRefused: Counter
    private let decidedByKind: [AnswerKind: Counter.Series]
    package let answerSeconds: Histogram
    private let answerSeries: Histogram.Series
    package let snapshotsServed: Gauge
    package let snapshotRefused: Counter
    package let shed: Counter
    package let keyRefused: Counter
    package let offerNotSigned: Counter
    package let spoolLost: Counter
    package let spoolDamaged: Counter
    package let spoolKept: Counter
    package let shipped: Counter
    package let shipRejected: Counter
    package let shipRejectedLost: Counter
    package let shipHeld: Gauge
    package let shipWaiting: Gauge
    package let profileHits: Counter
    package let profileMisses: Counter
    package let profileUnavailable: Counter
    package let profileSeconds: Histogram
    package let profileEntries: Gauge
    package let profileBytes: Gauge
    package let profileEvictions: Counter
    package let profileChanges: Counter
    package let revocationChecks: Counter
    package let revocationUnknown: Gauge
    package let certificatesRefused: Gauge

    package init(_ metrics: Metrics) {
        decided = metrics.counter(
            "holdfast_decisions", "Real-time requests decided, by kind of answer.",
            labels: ["kind"])
        let kinds = AnswerKind.allCases.map { [decided] kind in
            (kind, decided.series([kind.rawValue]))
        }
        decidedByKind = Dictionary(uniqueKeysWithValues: kinds)
        refused = metrics.counter(
            "holdfast_realtime_refused", "Real-time requests not decided, by reason.",
            labels: ["reason"])
        httpRefused = metrics.counter(
            "holdfast_http_refused", "Requests that were no proper HTTP, by reason.",
            labels: ["reason"])
        answerSeconds = metrics.histogram(
            "holdfast_answer_seconds", "From the whole request to the whole answer.")
        answerSeries = answerSeconds.series([])
        snapshotsServed = metrics.gauge(
            "holdfast_snapshots_served", "Apps and environments served.")
        snapshotRefused = metrics.counter(
            "holdfast_snapshot_refused", "Snapshots not taken in, by reason.", labels: ["reason"])
        shed = metrics.counter(
            "holdfast_realtime_shed", "Requests refused under load, by reason.",
            labels: ["reason"])
        keyRefused = metrics.counter(
            "holdfast_signing_key_refused", "Signing keys that did not open.")
        offerNotSigned = metrics.counter(
            "holdfast_offer_not_signed", "Offers that could not be signed and were not answered.")
        spoolLost = metrics.counter(
            "holdfast_spool_lost", "Decisions answered but not recorded.")
        spoolDamaged = metrics.counter(
            "holdfast_spool_damaged_bytes", "Bytes of the spool that were no whole record.")
        spoolKept = metrics.counter(
            "holdfast_spool_kept", "Decisions of another build's form, kept with their file.")
        shipped = metrics.counter("holdfast_shipped", "Decisions added to PostgreSQL.")
        shipRejected = metrics.counter(
            "holdfast_ship_rejected", "Decisions that PostgreSQL refused for what they are.")
        shipRejectedLost = metrics.counter(
            "holdfast_ship_rejected_lost", "Of those refused, the ones that no file took any more.")
        shipHeld = metrics.gauge(
            "holdfast_ship_held_tenants", "Tenants whose decisions wait for a mend.")
        shipWaiting = metrics.gauge(
            "holdfast_spool_waiting_bytes", "Bytes of the spool not yet in PostgreSQL.")
        profileHits = metrics.counter(
            "holdfast_profile_hits", "Look-ups of a subscriber answered from memory.")
        profileMisses = metrics.counter(
            "holdfast_profile_misses", "Look-ups of a subscriber that memory could not answer.")
        profileUnavailable = metrics.counter(
            "holdfast_profile_unavailable", "Of those missed, the ones nobody answered in time.",
            labels: ["reason"])
        profileSeconds = metrics.histogram(
            "holdfast_profile_lookup_seconds", "Of each look-up that went to PostgreSQL.")
        profileEntries = metrics.gauge(
            "holdfast_profile_table_entries", "Subscribers in memory.")
        profileBytes = metrics.gauge(
            "holdfast_profile_table_bytes", "Bytes in use for subscribers in memory.")
        profileEvictions = metrics.counter(
            "holdfast_profile_table_evictions", "Entries that made room for others.")
        profileChanges = metrics.counter(
            "holdfast_profile_changes", "Changes told by the database.")
        revocationChecks = metrics.counter(
            "holdfast_revocation_checks", "Looks at a certificate's revocation, by verdict.",
            labels: ["verdict"])
        revocationUnknown = metrics.gauge(
            "holdfast_revocation_unknown", "Certificates whose last look brought no verdict.")
        certificatesRefused = metrics.gauge(
            "holdfast_certificates_refused", "Certificates refused because they were revoked.")
    }

    // For each answer, so without a look-up of the series.
    func decided(_ kind: AnswerKind) { decidedByKind[kind]?.add() }
    func answer(tookNanoseconds: Int64) { answerSeries.observe(nanoseconds: tookNanoseconds) }

    func count(refusal: Refusal) {
        httpRefused.add(1, refusal.rawValue)
    }
}
