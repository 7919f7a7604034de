internal import Retention

/// How far the sync is with one app in one environment, as the admin API tells it.
struct SyncView {
    let app: BuiltApp
    let environment: StoreEnvironment
    let api: AdminClient

    private struct Told: Decodable {
        let detail: String
    }

    private struct Plan: Decodable {
        struct Counts: Decodable {
            let placements: Int
        }

        struct Step: Decodable {
            let operation: String
            let waitsFor: Told?
        }

        struct NeedsReview: Decodable {
            let underReviewCount: Int
        }

        let counts: Counts
        let steps: [Step]
        let needsReview: NeedsReview
        let missing: [Told]
        let problems: [Told]
    }

    private struct Snapshot: Decodable {
        let number: Int64
        let isCurrent: Bool
        let servedByAll: Bool
    }

    private struct Snapshots: Decodable {
        let data: [Snapshot]
    }

    private var query: String { "?environment=\(environment.rawValue)" }

    private func plan() throws -> Plan { try api.get("\(app.path)/plan\(query)") }

    /// What is not so yet until every answer names what Apple approved.
    ///
    /// - Parameter held: texts that review leaves open.
    func missing(held: Int) throws -> [String] {
        let plan = try plan()
        let open = plan.needsReview.underReviewCount
        let wants = [
            (open == held, "the sync knows of \(open) open reviews, not of \(held)"),
            (plan.counts.placements == 0, "answers name something else than what is approved"),
            (plan.problems.isEmpty, words(plan.problems)),
            (try isServed(), "the responder does not serve the newest snapshot"),
        ]
        return wants.filter { !$0.0 }.map(\.1)
    }

    private func isServed() throws -> Bool {
        let page: Snapshots = try api.get("\(app.path)/snapshots\(query)&limit=1")
        return page.data.first.map { $0.isCurrent && $0.servedByAll } ?? false
    }

    /// What the sync itself says it waits for, each once.
    func waits() throws -> String {
        let plan = try plan()
        return words(plan.problems + plan.missing + plan.steps.compactMap(\.waitsFor))
    }

    private func words(_ told: [Told]) -> String {
        Set(told.map(\.detail)).sorted().joined(separator: " ")
    }
}
