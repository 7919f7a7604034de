import FoundationEssentials

/// What Apple keeps of an app's dealings with the API beside its state: reviews under way, when
/// things were uploaded, performance tests.
struct MessagingDesk: Sendable {
    private struct Due: Sendable {
        var at: Int64
        var identifier: UUID
        var decision: AppState.ReviewState
    }

    /// When a thing was uploaded, and after how many lists of its kind.
    private struct Upload: Sendable {
        var at: Int64
        var lists: Int
    }

    enum Kind: Hashable, Sendable {
        case image, message
    }

    private(set) var script: ReviewScript
    private var order = 0
    private var due: [Due] = []
    private var uploads: [UUID: Upload] = [:]
    private var lists: [Kind: Int] = [:]
    var performance = PerformanceDesk()

    init(_ environment: Environment) {
        script = .apples(in: environment)
    }

    mutating func set(_ script: ReviewScript) {
        self.script = script
        order = 0
    }

    /// For a state that replaces the one before: scripts stay, what was under way does not.
    mutating func forgetUploads() {
        due = []
        uploads = [:]
        performance.forgetRuns()
    }

    /// The state that a new upload has now; what the script says of later is kept.
    mutating func review(
        _ identifier: UUID, _ kind: Kind, nowMilliseconds: Int64
    ) -> AppState.ReviewState {
        uploads[identifier] = Upload(at: nowMilliseconds, lists: lists[kind] ?? 0)
        var state = AppState.ReviewState.pending
        for step in script.steps(identifier: identifier.uuidString, order: order) {
            if step.afterMilliseconds == 0 {
                state = step.state
            } else {
                due.append(
                    Due(
                        at: nowMilliseconds + step.afterMilliseconds, identifier: identifier,
                        decision: step.state))
            }
        }
        order += 1
        return state
    }

    /// The decisions that have come due, in their order.
    mutating func takeDue(nowMilliseconds: Int64) -> [(UUID, AppState.ReviewState)] {
        guard due.contains(where: { $0.at <= nowMilliseconds }) else { return [] }
        let now = due.filter { $0.at <= nowMilliseconds }.sorted { $0.at < $1.at }
        due.removeAll { $0.at <= nowMilliseconds }
        return now.map { ($0.identifier, $0.decision) }
    }

    /// No further decision of the script: it was decided by hand, or deleted.
    mutating func endReview(_ identifier: UUID) {
        due.removeAll { $0.identifier == identifier }
    }

    mutating func forget(_ identifier: UUID) {
        endReview(identifier)
        uploads[identifier] = nil
    }

    mutating func countList(_ kind: Kind) {
        lists[kind, default: 0] += 1
    }

    /// Whether a list that lags by so much does not show the thing yet.
    func isHidden(_ identifier: UUID, _ kind: Kind, by lag: Fault, nowMilliseconds: Int64) -> Bool {
        guard let upload = uploads[identifier] else { return false }
        if let milliseconds = lag.milliseconds, nowMilliseconds - upload.at < milliseconds {
            return true
        }
        return (lists[kind] ?? 0) - upload.lists <= lag.lists ?? 0
    }
}
