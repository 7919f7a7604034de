import AppleSync
import Testing

/// One of Apple's hosts that gives no answers is asked by probes alone, until it answers one.
@Suite struct HostBreakerTests {
    private let start = ContinuousClock.now

    private func breaker() -> HostBreaker {
        HostBreaker(limits: HostBreakerLimits(), now: start)
    }

    private func fail(_ breaker: HostBreaker, _ calls: Int, of all: Int, at: Duration = .zero) {
        for call in 0..<all { breaker.record(isAnswered: call >= calls, now: start + at) }
    }

    @Test func `half of ten calls without an answer open it, fewer do not`() {
        let calm = breaker()
        fail(calm, 4, of: 10)
        #expect(!calm.isOpen && calm.wait(now: start) == nil)
        let few = breaker()
        fail(few, 9, of: 9)
        #expect(!few.isOpen)
        let away = breaker()
        fail(away, 5, of: 10)
        #expect(away.isOpen)
        #expect(away.wait(now: start) == .seconds(30))
    }

    @Test func `calls of another while do not count`() {
        let breaker = breaker()
        fail(breaker, 9, of: 9)
        fail(breaker, 5, of: 5, at: .seconds(31))
        #expect(!breaker.isOpen)
    }

    @Test func `one probe each while is let through, and one answer ends it`() {
        let breaker = breaker()
        fail(breaker, 10, of: 10)
        #expect(breaker.wait(now: start + .seconds(29)) == .seconds(1))
        #expect(breaker.wait(now: start + .seconds(30)) == nil)
        #expect(breaker.wait(now: start + .seconds(30)) == .seconds(30))
        breaker.record(isAnswered: false, now: start + .seconds(31))
        #expect(breaker.isOpen)
        #expect(breaker.wait(now: start + .seconds(60)) == nil)
        breaker.record(isAnswered: true, now: start + .seconds(61))
        #expect(!breaker.isOpen && breaker.wait(now: start + .seconds(61)) == nil)
    }
}
