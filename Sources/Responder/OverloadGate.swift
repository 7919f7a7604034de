package import HTTPServer
package import Retention
internal import Synchronization

/// Lets through what can still be answered in time, and refuses the rest at once.
///
/// A thread of the server answers one request at a time, so the line forms before it: in the
/// kernel's queue of connections that nobody has accepted. Its length and the requests in the
/// threads together are the requests in flight; how long a request lay there, its own socket
/// knows.
///
///     in flight   0 ─────── skippingLookUps ─────── sheddingSandbox ─────── refusing ──>
///                 all        no profile from         and no sandbox          503
///                            the database
package final class OverloadGate: Sendable {
    package struct Limits: Sendable, Equatable {
        /// One thread answers some thousands a second, so that this is a line of some 50 ms.
        package static let inFlightPerThread = 128
        /// Below the kernel's queue of 511 connections, whose end is silence.
        package static let inFlightLimit = 384

        /// Beyond so many in flight nothing is read from the database any more.
        package var skippingLookUps: Int
        /// Beyond so many the sandbox is refused: there no customer waits.
        package var sheddingSandbox: Int
        /// Beyond so many requests are refused.
        package var refusing: Int
        /// So many are refused in a row, then one is answered though the line is long: refusing
        /// costs a thread too, and must not take all of its time.
        package var refusalsInARow = 3
        /// From the arrival of the whole request, while others wait too: who lay longer has 550 ms
        /// left at Apple, which its next layer needs more. Where nobody else waits it was the
        /// machine that stood still, and a late answer takes nobody's time.
        package var deadline: Duration = .milliseconds(150)

        package init(requestsInFlight: Int) {
            refusing = max(1, requestsInFlight)
            sheddingSandbox = max(1, requestsInFlight / 2)
            skippingLookUps = max(1, requestsInFlight / 8)
        }

        package init(threads: Int) {
            self.init(requestsInFlight: min(Self.inFlightPerThread * threads, Self.inFlightLimit))
        }
    }

    /// Why a request was refused; the raw value is the label of a metric.
    package enum Refusal: String, Sendable, CaseIterable {
        case deadline, sandbox, inFlight
    }

    package enum Admission: Sendable, Equatable {
        case answered(skipsLookUps: Bool)
        case refused(Refusal)
    }

    private let limits: Limits
    private let inARow = Atomic<Int>(0)
    private let seenInFlight = Atomic<Int>(0)

    package init(_ limits: Limits) {
        self.limits = limits
    }

    /// Called once for each request, before anything costly is done for it.
    package func admit(_ load: RequestLoad, to environment: StoreEnvironment) -> Admission {
        seenInFlight.store(load.inFlight, ordering: .relaxed)
        let isCrowded = load.inFlight > limits.skippingLookUps
        if isCrowded, load.waited > limits.deadline { return .refused(.deadline) }
        if load.inFlight > limits.refusing {
            let before = inARow.wrappingAdd(1, ordering: .relaxed).oldValue
            if before < limits.refusalsInARow { return .refused(.inFlight) }
            inARow.store(0, ordering: .relaxed)
        }
        if environment == .sandbox, load.inFlight > limits.sheddingSandbox {
            return .refused(.sandbox)
        }
        return .answered(skipsLookUps: isCrowded)
    }

    /// As the last request met it.
    package var inFlight: Int { seenInFlight.load(ordering: .relaxed) }

    /// 0 for none, else 1 to 3: what the last request met.
    package var level: Int {
        let inFlight = inFlight
        if inFlight > limits.refusing { return 3 }
        if inFlight > limits.sheddingSandbox { return 2 }
        return inFlight > limits.skippingLookUps ? 1 : 0
    }
}
