/// How load is put on.
package enum LoadPace: Sendable {
    /// So many requests a second, each at its own time, however slow the answers are. Latency
    /// counts from that time, so that a stall is charged to every request it keeps waiting.
    case open(perSecond: Double)
    /// Each connection sends its next request when its last was answered: what is reached is what
    /// the server can do. Latency counts from sending.
    case closed
}

/// What came of one phase of load.
package struct LoadResult: Sendable {
    /// By Apple's key (`message`, `promotionalOffer`, …), of answers that were 200 and well-formed.
    package internal(set) var answers: [String: Int] = [:]
    /// Answers of another status, by status.
    package internal(set) var refusals: [Int: Int] = [:]
    /// 200 without exactly one of Apple's keys.
    package internal(set) var malformed = 0
    /// Sent, and the connection ended before the whole answer.
    package internal(set) var broken = 0
    /// Due, and not answered by the end of the phase.
    package internal(set) var unanswered = 0
    package internal(set) var seconds = 0.0
    package internal(set) var latency = LatencyHistogram()

    mutating func take(answers: [String: Int], refusals: [Int: Int], malformed: Int) {
        self.answers = answers
        self.refusals = refusals
        self.malformed = malformed
    }

    package var good: Int { answers.values.reduce(0, +) }
    package var wrong: Int { refusals.values.reduce(0, +) + malformed + broken + unanswered }
    package var perSecond: Double { seconds > 0 ? Double(good) / seconds : 0 }
}
