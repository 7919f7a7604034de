// Stopping and repeating: nothing here polls, and every wait has an end.

import Dispatch
import Service
import Synchronization
import Testing

@Suite struct `A stop signal` {
    @Test func `wakes every waiter, early or late`() throws {
        let stop = StopSignal()
        #expect(!stop.wait(for: .milliseconds(1)))
        let woken = DispatchSemaphore(value: 0)
        for number in 0..<4 {
            let isStarted = NativeThread.start("waiter\(number)") {
                stop.wait()
                woken.signal()
            }
            try #require(isStarted)
        }
        stop.request()
        stop.request()
        for _ in 0..<4 { #expect(woken.wait(timeout: .now() + 10) == .success) }
        #expect(stop.isRequested)
        #expect(stop.wait(for: .zero))
        stop.wait()
    }

    @Test func `tells each observer once`() {
        let stop = StopSignal()
        let count = Mutex(0)
        stop.onRequest { count.withLock { $0 += 1 } }
        stop.request()
        stop.request()
        stop.onRequest { count.withLock { $0 += 10 } }
        #expect(count.withLock { $0 } == 11)
    }
}

@Suite struct `A background loop` {
    struct Trouble: Error {}

    @Test func `runs at the start, and again whenever poked`() throws {
        let ran = DispatchSemaphore(value: 0)
        let loop = BackgroundLoop("test", every: .seconds(3_600), onError: { _, _ in }) {
            ran.signal()
        }
        try loop.start()
        try loop.start()
        for _ in 0..<3 {
            #expect(ran.wait(timeout: .now() + 10) == .success)
            loop.poke()
        }
        #expect(loop.stop(within: .seconds(10)))
        #expect(loop.stop(within: .zero))
    }

    @Test func `stopped with one more run, it runs after whatever came before the stop`() throws {
        let inBody = DispatchSemaphore(value: 0)
        let leave = DispatchSemaphore(value: 0)
        let runs = Mutex(0)
        let loop = BackgroundLoop("test", every: .seconds(3_600), onError: { _, _ in }) {
            runs.withLock { $0 += 1 }
            inBody.signal()
            leave.wait()
        }
        try loop.start()
        #expect(inBody.wait(timeout: .now() + 10) == .success)
        // Still in its first run: whatever comes now would be missed without another.
        #expect(!loop.stop(within: .zero, runsOnceMore: true))
        leave.signal()
        leave.signal()
        #expect(loop.stop(within: .seconds(10), runsOnceMore: true))
        #expect(runs.withLock { $0 } == 2)
    }

    @Test func `runs by itself after its period`() throws {
        let ran = DispatchSemaphore(value: 0)
        let loop = BackgroundLoop("test", every: .milliseconds(1), onError: { _, _ in }) {
            ran.signal()
        }
        try loop.start()
        for _ in 0..<3 { #expect(ran.wait(timeout: .now() + 10) == .success) }
        #expect(loop.stop(within: .seconds(10)))
    }

    @Test func `goes on after an error, and tells it`() throws {
        let told = DispatchSemaphore(value: 0)
        let loop = BackgroundLoop(
            "test", every: .milliseconds(1),
            onError: { name, error in
                if name == "test" && error is Trouble { told.signal() }
            }, body: { throw Trouble() })
        try loop.start()
        for _ in 0..<2 { #expect(told.wait(timeout: .now() + 10) == .success) }
        #expect(loop.stop(within: .seconds(10)))
    }

    @Test func `says when its body outlives the deadline`() throws {
        let entered = DispatchSemaphore(value: 0)
        let leave = DispatchSemaphore(value: 0)
        let loop = BackgroundLoop("test", every: .seconds(1), onError: { _, _ in }) {
            entered.signal()
            leave.wait()
        }
        try loop.start()
        #expect(entered.wait(timeout: .now() + 10) == .success)
        #expect(!loop.stop(within: .milliseconds(1)))
        leave.signal()
        #expect(loop.stop(within: .seconds(10)))
    }

    @Test func `that never started is stopped at once, and ends when forgotten`() throws {
        let idle = BackgroundLoop("idle", every: .seconds(1), onError: { _, _ in }) {}
        #expect(idle.stop(within: .zero))
        let ran = DispatchSemaphore(value: 0)
        weak var kept: Kept?
        do {
            let body = Kept(ran)
            kept = body
            let loop = BackgroundLoop("lost", every: .seconds(3_600), onError: { _, _ in }) {
                body.ran.signal()
            }
            try loop.start()
            #expect(ran.wait(timeout: .now() + 10) == .success)
        }
        #expect(ended.wait(timeout: .now() + 10) == .success)
        #expect(kept == nil)
    }
}

private let ended = DispatchSemaphore(value: 0)

/// Tells when the loop has let go of its body.
private final class Kept: Sendable {
    let ran: DispatchSemaphore

    init(_ ran: DispatchSemaphore) { self.ran = ran }

    deinit { ended.signal() }
}
