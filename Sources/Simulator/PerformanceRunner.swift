import Dispatch
import FoundationEssentials
import Service
import Synchronization

/// Runs performance tests in the background: real signed requests at the sandbox URL, each answer
/// judged as a customer's would be.
final class PerformanceRunner: Sendable {
    private let memory: AppStoreMemory
    private let post: RealtimePost
    private let clock: Clock
    private let isCeasing = Atomic(false)
    private let underWay = DispatchGroup()

    init(memory: AppStoreMemory, post: RealtimePost, clock: Clock) {
        self.memory = memory
        self.post = post
        self.clock = clock
    }

    /// What a test asks about.
    struct Subject: Sendable {
        var place: AppStoreMemory.Place
        var originalTransactionId: String
        var productId: String
    }

    func start(_ run: PerformanceDesk.Run, _ subject: Subject) {
        underWay.enter()
        let isStarted = NativeThread.start("performance") { [self] in
            perform(run, subject)
            underWay.leave()
        }
        guard !isStarted else { return }
        underWay.leave()
        for _ in 0..<run.config.totalRequests {
            record(PerformanceSample(failure: .other), run, subject)
        }
    }

    /// From now on requests are not sent: the process is about to end.
    func cease() {
        isCeasing.store(true, ordering: .relaxed)
    }

    /// For the requests under way.
    func wait(within limit: Duration) {
        let nanoseconds = max(0, min(limit / .nanoseconds(1), 6e10))
        _ = underWay.wait(timeout: .now() + .nanoseconds(Int(nanoseconds)))
    }

    private func perform(_ run: PerformanceDesk.Run, _ subject: Subject) {
        let end = ContinuousClock.now + .milliseconds(run.config.totalDuration)
        let team = ThreadTeam(threads: run.config.maxConcurrentRequests)
        _ = team.map(Array(0..<run.config.totalRequests)) { _ in
            let isLate = ContinuousClock.now >= end || self.isCeasing.load(ordering: .relaxed)
            let sample =
                isLate ? PerformanceSample(failure: .other) : self.sample(run, subject)
            self.record(sample, run, subject)
        }
    }

    private func record(
        _ sample: PerformanceSample, _ run: PerformanceDesk.Run, _ subject: Subject
    ) {
        memory.record(sample, requestId: run.requestId, at: subject.place)
    }

    private func sample(_ run: PerformanceDesk.Run, _ subject: Subject) -> PerformanceSample {
        guard let catalog = memory.catalog(subject.place) else {
            return PerformanceSample(failure: .other)
        }
        let request = RealtimeRequest(
            originalTransactionId: subject.originalTransactionId,
            appAppleId: subject.place.appAppleId, productId: subject.productId,
            userLocale: "en-US", requestIdentifier: UUID().lowerCase, environment: .sandbox,
            signedDate: clock.now())
        let (delivery, elapsed) = post.deliver(request, to: run.target)
        let verdict = AnswerJudge(
            catalog: catalog, request: request, url: run.target, nowMilliseconds: clock.now(),
            deadline: .milliseconds(run.config.responseTimeThreshold),
            isNewNonce: { self.memory.isNew($0, at: subject.place) }
        ).judge(delivery, elapsed: elapsed)
        var sample = PerformanceSample(milliseconds: Int64(elapsed / .milliseconds(1)))
        if case .fallback(let reason, _) = verdict.outcome { sample.failure = reason }
        return sample
    }
}
