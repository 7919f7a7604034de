internal import Service

/// Puts load on one server from one thread. Each request is sent once.
package struct LoadGenerator {
    package struct Bounds: Sendable {
        package var requests: Int
        package var time: Duration
        /// How long after the last request answers are still waited for.
        package var patience: Duration = .seconds(2)

        package init(requests: Int, time: Duration) {
            self.requests = requests
            self.time = time
        }
    }

    /// One answer's body is at most so long; ours have some 100 bytes, 900 with an offer.
    private static let answerBytesLimit = 64 * 1024
    /// More broken connections than this end the phase: nobody listens any more.
    private static let brokenLimit = 100

    private struct Lane {
        /// When the request under way was due; nil while there is none.
        var due: UInt64?
        var unsent = 0..<0
        var received: [UInt8] = []
    }

    private let corpus: RequestCorpus
    private let connections: LoopbackConnections
    private var lanes: [Lane]
    private var idle: [Int]
    private var next: Int
    private var checks = AnswerCheck()
    private var result = LoadResult()

    /// The place in the corpus of the first request not sent yet.
    package var position: Int { next }

    /// - Parameter position: where in the corpus to begin.
    package init(
        _ corpus: RequestCorpus, to target: LoadTarget, connections: Int, position: Int = 0
    ) throws {
        self.corpus = corpus
        self.connections = try LoopbackConnections(port: target.port, count: connections)
        lanes = [Lane](repeating: Lane(), count: connections)
        idle = Array((0..<connections).reversed())
        next = position
    }

    /// One phase. The generator can be used again afterwards; it goes on in the corpus.
    package mutating func run(_ pace: LoadPace, within bounds: Bounds) throws -> LoadResult {
        if case .open = pace { LoopbackConnections.sharpenThread(true) }
        defer { LoopbackConnections.sharpenThread(false) }
        result = LoadResult()
        checks = AnswerCheck()
        let first = next
        let last = min(corpus.requests.count, first + max(0, bounds.requests))
        let start = LoopbackConnections.now()
        let end = start + bounds.time.wholeNanoseconds
        let deadline = end + bounds.patience.wholeNanoseconds
        let isOpen = if case .open = pace { true } else { false }
        var now = start
        while now < deadline {
            let nextDue = due(next - first, start, pace)
            if next < last, max(nextDue, isOpen ? 0 : now) < end {
                if nextDue <= now, let lane = idle.popLast() {
                    try send(next, on: lane, due: now, pace, nextDue)
                    next += 1
                    now = LoopbackConnections.now()
                    continue
                }
            } else if idle.count == lanes.count {
                break
            }
            let mayBeDue = next < last && !idle.isEmpty
            let wake = sleeps(pace) ? (isOpen && mayBeDue ? nextDue : deadline) : now
            connections.wait(nanoseconds: wake > now ? min(wake, deadline) - now : 0)
            try receive()
            now = LoopbackConnections.now()
        }
        result.seconds = Double(min(now, deadline) - start) / 1e9
        try settle(from: first, last: last, start: start, end: end, now: now, pace)
        checks.count(into: &result)
        return result
    }

    /// As fast as many connections go, it looks again and again instead of sleeping: to wake it
    /// would be the server's work. With one connection there is no rate to spoil, and what the
    /// server asks meanwhile, its database say, needs this thread's core.
    private func sleeps(_ pace: LoadPace) -> Bool {
        if case .open = pace { return true }
        return lanes.count == 1
    }

    /// When the request of this number is to be sent.
    private func due(_ number: Int, _ start: UInt64, _ pace: LoadPace) -> UInt64 {
        switch pace {
        case .open(let perSecond): start + UInt64(Double(number) / max(perSecond, 0.001) * 1e9)
        case .closed: 0
        }
    }

    private mutating func send(
        _ request: Int, on lane: Int, due now: UInt64, _ pace: LoadPace, _ intended: UInt64
    ) throws {
        if case .open = pace { lanes[lane].due = intended } else { lanes[lane].due = now }
        lanes[lane].unsent = corpus.requests[request]
        lanes[lane].received.removeAll(keepingCapacity: true)
        try push(lane)
    }

    private mutating func push(_ lane: Int) throws {
        let rest = lanes[lane].unsent
        guard let count = connections.send(corpus.bytes, rest, on: lane) else {
            return try restart(lane)
        }
        lanes[lane].unsent = (rest.lowerBound + count)..<rest.upperBound
        connections.watchRoom(on: lane, !lanes[lane].unsent.isEmpty)
    }

    private mutating func receive() throws {
        for lane in lanes.indices where connections.isReady(lane) {
            if !lanes[lane].unsent.isEmpty { try push(lane) }
            switch connections.receive(on: lane, into: &lanes[lane].received) {
            case .nothing: break
            case .ended: try restart(lane)
            case .bytes: try take(lane)
            }
        }
    }

    /// Looks whether the answer is whole, and counts it.
    private mutating func take(_ lane: Int) throws {
        guard let head = AnswerHead(lanes[lane].received) else {
            if lanes[lane].received.count > Self.answerBytesLimit { try restart(lane) }
            return
        }
        let end = head.bodyStart + head.bodyBytes
        guard lanes[lane].received.count >= end else {
            if end > Self.answerBytesLimit { try restart(lane) }
            return
        }
        guard let due = lanes[lane].due else { return try restart(lane) }
        result.latency.record(nanoseconds: LoopbackConnections.now() &- due)
        checks.add(head.status, lanes[lane].received[head.bodyStart..<end])
        lanes[lane].due = nil
        if head.closes { try connections.reconnect(lane) }
        idle.append(lane)
    }

    /// The connection is of no more use; its request, if any, is lost.
    private mutating func restart(_ lane: Int) throws {
        if lanes[lane].due != nil {
            result.broken += 1
            lanes[lane].due = nil
            idle.append(lane)
        }
        guard result.broken <= Self.brokenLimit else {
            throw LoadError(description: "\(result.broken) connections broke; see the server's log")
        }
        lanes[lane].unsent = 0..<0
        connections.watchRoom(on: lane, false)
        try connections.reconnect(lane)
    }

    /// What was due and has no answer is charged with the time it has waited for one.
    private mutating func settle(
        from first: Int, last: Int, start: UInt64, end: UInt64, now: UInt64, _ pace: LoadPace
    ) throws {
        for lane in lanes.indices {
            guard let due = lanes[lane].due else { continue }
            result.unanswered += 1
            result.latency.record(nanoseconds: now &- due)
            lanes[lane].due = nil
            idle.append(lane)
            try connections.reconnect(lane)
        }
        guard case .open = pace else { return }
        while next < last {
            let due = due(next - first, start, pace)
            guard due < min(end, now) else { return }
            result.unanswered += 1
            result.latency.record(nanoseconds: now &- due)
            next += 1
        }
    }
}

/// Why a phase of load could not be finished, in a sentence.
struct LoadError: Error, CustomStringConvertible {
    let description: String
}

extension Duration {
    fileprivate var wholeNanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        return UInt64(max(0, min(seconds, 86_400))) * 1_000_000_000
            + UInt64(max(0, attoseconds) / 1_000_000_000)
    }
}
