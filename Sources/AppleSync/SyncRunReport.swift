internal import FoundationEssentials
internal import Retention

/// How a run ended, as it is kept and shown.
struct SyncRunReport: Encodable {
    /// Of each list; the plan shows the rest.
    private static let entriesLimit = 100

    struct Problem: Encodable {
        let code: String
        let detail: String
        let appleCode: Int?
        let subject: String?
    }

    let state: String
    let problems: [Problem]
    /// Calls that wait, by what they wait for.
    let waiting: [String: Int]
    /// Identifiers that Apple is reviewing.
    let pending: [String]
    let pendingCount: Int

    init(plan: SyncPlan, end: SyncTurn.End) {
        var problems = plan.problems.map(Problem.init)
        var isBlocked = !problems.isEmpty
        switch end {
        case .idle: break
        case .blocked(.noKey):
            isBlocked = true
            problems.insert(
                Problem(
                    code: "noKey",
                    detail: SyncLack.credential.sentence,
                    appleCode: nil, subject: nil), at: 0)
        case .away:
            problems.insert(
                Problem(
                    code: "appleAway",
                    detail: "Apple does not answer; it is asked again by itself.",
                    appleCode: nil, subject: nil), at: 0)
        }
        let isConverged = plan.isConverged && problems.isEmpty
        state = isConverged ? "converged" : isBlocked ? "blocked" : "waiting"
        self.problems = Array(problems.prefix(Self.entriesLimit))
        waiting = plan.steps.reduce(into: [:]) { counts, step in
            if let wait = step.wait { counts[wait.code, default: 0] += 1 }
        }
        pending = plan.pending.prefix(Self.entriesLimit).map { $0.uuidString.lowercased() }
        pendingCount = plan.pending.count
    }
}

extension SyncRunReport.Problem {
    fileprivate init(_ problem: SyncProblem) {
        self.init(
            code: problem.code, detail: problem.sentence, appleCode: problem.appleCode,
            subject: Self.subject(of: problem))
    }

    private static func subject(of problem: SyncProblem) -> String? {
        switch problem {
        case .rejected(_, let id): id.uuidString.lowercased()
        case .refused(let operation, _):
            SyncTurn.Wanted.planned(operation).appleId?.uuidString.lowercased()
                ?? SyncTurn.Wanted.planned(operation).slot.map { "\($0.productId) \($0.locale)" }
        case .keyRefused, .noAccess, .full, .foreignURL, .noPassingTest: nil
        }
    }
}
