// /v1/apps/{appId}/decisions, /v1/decisions/{decisionId}: what was answered, and why.
internal import AppStore
internal import Foundation
internal import HTTPServer
internal import Locales
internal import Retention
internal import RetentionStore

enum Decisions {
    static let operations: [Operation] = [
        .list(
            "listDecisions", "/v1/apps/{appId}/decisions", .decisions,
            query: ["environment", "from", "to"], list),
        .get("getDecision", "/v1/decisions/{decisionId}", .decisions, get),
    ]

    // MARK: - Shapes

    private static func form(_ decision: StoredDecision, at key: AppEnvironment) -> JSONTree {
        let place = DecisionPlace(
            signedDate: decision.signedDate, requestIdentifier: decision.requestIdentifier)
        let members: [String: JSONTree] = [
            "id": .string(DecisionReference(key, place).text), "appId": .id(key.app),
            "environment": .string(key.environment.rawValue),
            "requestIdentifier": .appleId(decision.requestIdentifier),
            "originalTransactionId": .string(decision.originalTransactionId),
            "signedDate": .instant(decision.signedDate),
            "decidedAt": .instant(decision.decidedAt),
            "productId": .string(decision.productId),
            "localeAsked": .string(decision.localeAsked),
            "profileSource": .text(decision.profileSource),
            "degraded": .text(decision.degraded),
            "snapshotNumber": .integer(decision.snapshotNumber),
            "durationMicroseconds": .integer(decision.durationMicroseconds),
            "timings": .optional(decision.timings) { timings in
                [
                    "verifyMicroseconds": .integer(timings.verify),
                    "lookupMicroseconds": .integer(timings.lookup),
                    "decideMicroseconds": .integer(timings.decide),
                    "signMicroseconds": .integer(timings.sign),
                ]
            },
        ]
        return JSONTree.object(members).merging(DecidedAnswer(decision).members)
    }

    // MARK: - Handlers

    /// Newest first by Apple's signature, and by request where two are of one millisecond.
    private static func list(_ call: Call) throws -> Answer {
        let key = AppEnvironment(app: try call.app(), environment: try call.environment())
        let page = try call.page(keys: 2)
        let span = DecisionSpan(
            from: try call.query.instant("from"), to: try call.query.instant("to"))
        let rows = try call.transaction.listDecisions(
            at: key, span, after: try place(page), limit: page.rowsWanted)
        return call.list(
            rows, page,
            keys: { [String($0.signedDate.milliseconds), $0.requestIdentifier.uuidString] },
            form: { form($0, at: key) })
    }

    private static func place(_ page: Page) throws(Problem) -> DecisionPlace? {
        guard !page.after.isEmpty else { return nil }
        guard let milliseconds = Int64(page.after[0]),
            DecisionPlace.instants.contains(milliseconds),
            let request = UUID(uuidString: page.after[1])
        else { throw Problem(.invalidCursor, "The cursor is not one of this list.") }
        return DecisionPlace(
            signedDate: Instant(milliseconds: milliseconds), requestIdentifier: request)
    }

    private static func get(_ call: Call) throws -> Answer {
        guard let reference = DecisionReference(try call.name("decisionId")),
            try call.transaction.hasApp(reference.key.app),
            let decision = try call.transaction.findDecision(
                reference.place, at: reference.key)
        else { throw Problem.notFound }
        let (explanation, missing) = try explain(decision, at: reference.key, call)
        return .report(
            form(decision, at: reference.key).merging([
                "explanation": explanation ?? .null,
                "explanationMissing": .text(missing?.rawValue),
            ]))
    }

    // MARK: - Explaining

    private enum Missing: String {
        /// The decision's snapshot was forgotten: so many are kept, and all that is served.
        case snapshotForgotten
        /// A release that did not keep them took the decision, or they were too long.
        case inputsNotKept
        /// They are of a form that this release does not read.
        case inputsUnreadable
    }

    /// By the code that took the decision, from what it was taken from.
    private static func explain(
        _ decision: StoredDecision, at key: AppEnvironment, _ call: Call
    ) throws -> (JSONTree?, Missing?) {
        guard let bytes = decision.inputs else { return (nil, .inputsNotKept) }
        guard let recorded = RecordedInputs(bytes) else { return (nil, .inputsUnreadable) }
        let number = decision.snapshotNumber
        guard let stored = try call.transaction.findSnapshot(number: number, at: key),
            let snapshot = try call.transaction.findServedSnapshot(number: number, at: key)
        else { return (nil, .snapshotForgotten) }
        let serving = ServingSnapshot(snapshot)
        let asked = AskedDecision(
            productId: decision.productId, userLocale: decision.localeAsked,
            originalTransactionId: decision.originalTransactionId, environment: key.environment)
        let (again, trace) = serving.explain(
            asked.inputs(
                recorded, LocaleMatcher(supported: serving.locales), at: decision.decidedAt))
        let explanation: JSONTree = [
            "snapshot": [
                "number": .integer(number), "builtAt": .instant(stored.builtAt),
                "isCurrent": .boolean(stored.isCurrent),
                "ruleSetVersion": .optional(
                    try call.transaction.findRuleSetVersion(ofSnapshot: number, at: key)
                ) { .integer(Int64($0)) },
            ],
            "isReproduced": .boolean(DecidedAnswer(again) == DecidedAnswer(decision)),
            "canSignOffers": .boolean(recorded.canSignOffers),
            "walk": DecisionWalk.form(trace),
        ]
        return (explanation, nil)
    }
}
