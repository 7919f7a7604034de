package import AppStore
package import Service
package import Signing
internal import Synchronization

/// Asks, apart from requests, whether the certificates of the chains we believe were revoked.
///
///     remembered chain ── new ──> asked within a second
///        │                          ├─ good ──────> again in 12 h
///        │                          ├─ revoked ───> chain forgotten and refused from then on
///        │                          └─ no verdict > the last stands; again in 1, 2, 4 … 60 min
///        └─ names nobody to ask: nothing to do (the simulator's)
///
/// A responder of Apple's that is away costs nothing but this look: no request waits for it, and
/// none is refused for it.
package final class RevocationWatch: Sendable {
    package typealias Check =
        @Sendable (
            _ certificate: Certificate, _ issuer: Certificate, _ root: Certificate,
            _ unixSeconds: Int64
        ) -> RevocationVerdict

    package static let interval: Duration = .seconds(12 * 3_600)
    package static let firstPause: Duration = .seconds(60)
    package static let pauseLimit: Duration = .seconds(3_600)
    /// Two of each chain that is remembered, and as many of chains that were.
    private static let subjectsLimit = 128

    /// What is known of one certificate.
    private struct Subject {
        var due: ContinuousClock.Instant
        var pause = RevocationWatch.firstPause
        /// Its last look brought no verdict.
        var isUnknown = false
    }

    private struct Question {
        let certificate: Certificate
        let issuer: Certificate
        let root: Certificate
    }

    private let verifier: SignedDataVerifier
    private let check: Check
    private let clock: Clock
    private let now: @Sendable () -> ContinuousClock.Instant
    private let log: Log
    private let metrics: ResponderMetrics
    private let subjects = Mutex<[[UInt8]: Subject]>([:])

    /// - Parameters:
    ///   - clock: business time, by which answers are judged.
    ///   - now: real time, for pauses.
    package init(
        verifier: SignedDataVerifier, check: @escaping Check, clock: Clock,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }, log: Log,
        metrics: ResponderMetrics
    ) {
        self.verifier = verifier
        self.check = check
        self.clock = clock
        self.now = now
        self.log = log
        self.metrics = metrics
    }

    package convenience init(
        verifier: SignedDataVerifier, client: RevocationClient, clock: Clock, log: Log,
        metrics: ResponderMetrics
    ) {
        self.init(
            verifier: verifier,
            check: { client.verdict(on: $0, issuer: $1, root: $2, at: $3) }, clock: clock,
            log: log, metrics: metrics)
    }

    /// Asks for each certificate that is due. Blocks for as long as the network does.
    /// - Parameter isStopping: looked at between two certificates.
    package func run(unless isStopping: () -> Bool = { false }) {
        let questions = open()
        for question in questions {
            if isStopping() { return }
            let verdict = check(
                question.certificate, question.issuer, question.root, clock.now() / 1_000)
            take(verdict, on: question.certificate)
        }
        if !questions.isEmpty { showCounts() }
    }

    /// Those due, each certificate once, the leaf of a chain before its intermediate.
    private func open() -> [Question] {
        let now = now()
        let refused = Set(verifier.refusedCertificates)
        let all = verifier.rememberedChains.flatMap { chain in
            [
                Question(
                    certificate: chain.leaf, issuer: chain.intermediate, root: chain.root),
                Question(
                    certificate: chain.intermediate, issuer: chain.root, root: chain.root),
            ]
        }
        return subjects.withLock { subjects in
            var seen = refused
            return all.filter { question in
                let id = question.certificate.sha256
                guard seen.insert(id).inserted else { return false }
                if let subject = subjects[id] { return subject.due <= now }
                if subjects.count >= Self.subjectsLimit, let last = Self.farthest(subjects) {
                    subjects[last] = nil
                }
                subjects[id] = Subject(due: now)
                return true
            }
        }
    }

    private static func farthest(_ subjects: [[UInt8]: Subject]) -> [UInt8]? {
        subjects.max { $0.value.due < $1.value.due }?.key
    }

    private func take(_ verdict: RevocationVerdict, on certificate: Certificate) {
        let id = certificate.sha256
        let name: [(String, LogValue)] = [
            ("certificate", .string(HexadecimalText.of(id))),
            ("subject", .string(certificate.subjectCommonName)),
        ]
        metrics.revocationChecks.add(1, verdict.label)
        switch verdict {
        case .revoked:
            verifier.refuse(certificate: id)
            subjects.withLock { $0[id] = nil }
            log.error("certificate_revoked", name)
        case .good, .notOffered:
            let wasUnknown = settle(id) { subject, now in
                subject.due = now + Self.interval
                subject.pause = Self.firstPause
                subject.isUnknown = false
            }
            if wasUnknown { log.info("revocation_known", name) }
        case .unknown(let reason):
            let wasUnknown = settle(id) { subject, now in
                subject.due = now + subject.pause
                subject.pause = min(subject.pause * 2, Self.pauseLimit)
                subject.isUnknown = true
            }
            if !wasUnknown {
                log.warning("revocation_unknown", name + [("error", .string(reason))])
            }
        }
    }

    /// Changes what is known of a certificate; whether its last look had brought no verdict.
    private func settle(
        _ id: [UInt8], _ change: (inout Subject, ContinuousClock.Instant) -> Void
    ) -> Bool {
        let now = now()
        return subjects.withLock { subjects in
            var subject = subjects[id] ?? Subject(due: now)
            let wasUnknown = subject.isUnknown
            change(&subject, now)
            subjects[id] = subject
            return wasUnknown
        }
    }

    private func showCounts() {
        let unknown = subjects.withLock { $0.values.filter(\.isUnknown).count }
        metrics.revocationUnknown.set(Double(unknown))
        metrics.certificatesRefused.set(Double(verifier.refusedCertificates.count))
    }
}

extension RevocationVerdict {
    fileprivate var label: String {
        switch self {
        case .notOffered: "notOffered"
        case .good: "good"
        case .revoked: "revoked"
        case .unknown: "unknown"
        }
    }
}
