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

    private func fail(_ gate: LookupGate, _ times: Int) throws {
        for _ in 0..<times { gate.leave(try gate.enter(), failed: true) }
    }

    private func refusal(_ gate: LookupGate) -> LookupGate.Refusal? {
        do {
            gate.leave(try gate.enter(), failed: false)
            return nil
        } catch {
            return error
        }
    }

    @Test func `no more than the limit ask at once`() throws {
        let gate = LookupGate(limit: 2, now: { .zero })
        let first = try gate.enter()
        _ = try gate.enter()
        #expect(refusal(gate) == .inFlight)
        gate.leave(first, failed: false)
        _ = try gate.enter()
        #expect(gate.inFlight == 2)
    }

    @Test func `it opens after five failures in a row, a success between begins anew`() throws {
        let gate = LookupGate(limit: 2, now: { .zero })
        try fail(gate, 4)
        gate.leave(try gate.enter(), failed: false)
        try fail(gate, 4)
        #expect(!gate.isOpen)
        try fail(gate, 1)
        #expect(gate.isOpen)
        #expect(refusal(gate) == .breakerOpen)
    }

    @Test func `after the pause one probe is let through, and its success closes it`() throws {
        let time = Time()
        let gate = LookupGate(limit: 4, now: { time.now })
        try fail(gate, 5)
        time.pass(.milliseconds(999))
        #expect(refusal(gate) == .breakerOpen)
        time.pass(.milliseconds(1))
        let probe = try gate.enter()
        #expect(refusal(gate) == .breakerOpen)
        gate.leave(probe, failed: false)
        #expect(!gate.isOpen)
        #expect(refusal(gate) == nil)
    }

    @Test func `each failed probe doubles the pause, up to thirty seconds`() throws {
        let time = Time()
        let gate = LookupGate(limit: 4, now: { time.now })
        try fail(gate, 5)
        for pause in [1, 2, 4, 8, 16, 30, 30] {
            time.pass(.seconds(pause) - .milliseconds(1))
            #expect(refusal(gate) == .breakerOpen, "\(pause)")
            time.pass(.milliseconds(1))
            try fail(gate, 1)
        }
        time.pass(.seconds(30))
        gate.leave(try gate.enter(), failed: false)
        try fail(gate, 5)
        time.pass(.seconds(1))
        #expect(refusal(gate) == nil)
    }

    /// Those that were under way when it opened are no probes, however they end.
    @Test(arguments: [true, false])
    func `a straggler neither closes nor prolongs what is open`(failed: Bool) throws {
        let time = Time()
        let gate = LookupGate(limit: 8, now: { time.now })
        let stragglers = try [gate.enter(), gate.enter(), gate.enter()]
        try fail(gate, 5)
        gate.leave(stragglers[0], failed: failed)
        #expect(gate.isOpen)
        time.pass(.seconds(1) - .milliseconds(1))
        #expect(refusal(gate) == .breakerOpen)
        time.pass(.milliseconds(1))
        let probe = try gate.enter()
        // While the probe is under way it stays the only one.
        gate.leave(stragglers[1], failed: failed)
        #expect(gate.isOpen)
        #expect(refusal(gate) == .breakerOpen)
        gate.leave(probe, failed: true)
        gate.leave(stragglers[2], failed: failed)
        time.pass(.seconds(2) - .milliseconds(1))
        #expect(refusal(gate) == .breakerOpen)
        time.pass(.milliseconds(1))
        gate.leave(try gate.enter(), failed: false)
        #expect(!gate.isOpen)
        #expect(gate.inFlight == 0)
    }
}
