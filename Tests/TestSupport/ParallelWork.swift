internal import Dispatch
internal import Foundation
internal import Synchronization

/// Work on a thread of its own. Tests share two cooperative threads, which a test that blocks on
/// another must not hold.
package final class ParallelWork<R: Sendable>: Sendable {
    package struct TookTooLong: Error {}

    private let result = Mutex<Result<R, any Error>?>(nil)
    private let done = DispatchGroup()

    package init(_ body: @escaping @Sendable () throws -> R) {
        done.enter()
        Thread.detachNewThread { [self] in
            let outcome = Result { try body() }
            result.withLock { $0 = outcome }
            done.leave()
        }
    }

    /// What the work returned or threw.
    package func value(within limit: Duration = .seconds(120)) throws -> R {
        let seconds = Int(limit.components.seconds)
        guard done.wait(timeout: .now() + .seconds(seconds)) == .success,
            let result = result.withLock({ $0 })
        else { throw TookTooLong() }
        return try result.get()
    }
}

/// For states of the outside world that send no signal: asks until true, at most so long.
package func becomesTrue(
    within limit: Duration = .seconds(60), _ condition: () throws -> Bool
) rethrows -> Bool {
    let deadline = ContinuousClock.now.advanced(by: limit)
    let pause = DispatchSemaphore(value: 0)
    while ContinuousClock.now < deadline {
        if try condition() { return true }
        _ = pause.wait(timeout: .now() + .milliseconds(10))
    }
    return try condition()
}
