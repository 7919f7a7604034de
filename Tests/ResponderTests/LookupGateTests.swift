import Foundation
import Responder
import Synchronization
import Testing

/// Who may ask the database: few at once, and nobody while it keeps failing.
@Suite struct LookupGateTests {
    private final class Time: Sendable {
        private let value = Mutex(Duration.zero)

        var now: Duration { value.withLock { $0 } }

        func pass(_ duration: Duration) { value.withLock { $0 += duration } }
    }

    private func fail(_ gate: LookupGate, _ times: Int) {
        for _ in 0..<times {
            #expect(gate.enter() == nil)
            gate.leave(failed: true)
        }
    }

    @Test func `no more than the limit ask at once`() {
        let gate = LookupGate(limit: 2, now: { .zero })
        #expect(gate.enter() == nil)
        #expect(gate.enter() == nil)
        #expect(gate.enter() == .inFlight)
        gate.leave(failed: false)
        #expect(gate.enter() == nil)
        #expect(gate.inFlight == 2)
    }

    @Test func `it opens after five failures in a row, a success between begins anew`() {
        let gate = LookupGate(limit: 2, now: { .zero })
        fail(gate, 4)
        #expect(gate.enter() == nil)
        gate.leave(failed: false)
        fail(gate, 4)
        #expect(!gate.isOpen)
        fail(gate, 1)
        #expect(gate.isOpen)
        #expect(gate.enter() == .breakerOpen)
    }

    @Test func `after the pause one probe is let through, and its success closes it`() {
        let time = Time()
        let gate = LookupGate(limit: 4, now: { time.now })
        fail(gate, 5)
        time.pass(.milliseconds(999))
        #expect(gate.enter() == .breakerOpen)
        time.pass(.milliseconds(1))
        #expect(gate.enter() == nil)
        #expect(gate.enter() == .breakerOpen)
        gate.leave(failed: false)
        #expect(!gate.isOpen)
        #expect(gate.enter() == nil)
    }

    @Test func `each failed probe doubles the pause, up to thirty seconds`() {
        let time = Time()
        let gate = LookupGate(limit: 4, now: { time.now })
        fail(gate, 5)
        for pause in [1, 2, 4, 8, 16, 30, 30] {
            time.pass(.seconds(pause) - .milliseconds(1))
            #expect(gate.enter() == .breakerOpen, "\(pause)")
            time.pass(.milliseconds(1))
            fail(gate, 1)
        }
        time.pass(.seconds(30))
        #expect(gate.enter() == nil)
        gate.leave(failed: false)
        fail(gate, 5)
        time.pass(.seconds(1))
        #expect(gate.enter() == nil)
    }

    /// Those that were under way when it opened are no probes, however they end.
    @Test func `a straggler neither closes nor prolongs what is open`() {
        let time = Time()
        let gate = LookupGate(limit: 8, now: { time.now })
        for _ in 0..<7 { #expect(gate.enter() == nil) }
        for _ in 0..<5 { gate.leave(failed: true) }
        #expect(gate.isOpen)
        gate.leave(failed: true)
        time.pass(.seconds(1))
        #expect(gate.enter() == nil)
        gate.leave(failed: true)
        #expect(gate.isOpen)
    }
}
