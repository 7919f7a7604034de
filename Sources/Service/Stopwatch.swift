/// How long something took, and the steps of it.
package struct Stopwatch: Sendable {
    private let start: Int64
    private var last: Int64

    package init() {
        start = Clock.risingNanoseconds
        last = start
    }

    /// Since the last step, in microseconds.
    package mutating func step() -> Int64 {
        let now = Clock.risingNanoseconds
        defer { last = now }
        return (now - last) / 1_000
    }

    /// Since it was made.
    package var nanoseconds: Int64 { Clock.risingNanoseconds - start }
}
