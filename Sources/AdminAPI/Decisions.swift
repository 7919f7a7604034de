// /v1/apps/{appId}/decisions: what was answered.
internal import Foundation
internal import HTTPServer
internal import Retention
internal import RetentionStore

enum Decisions {
    static let operations: [Operation] = [
        .list(
            "listDecisions", "/v1/apps/{appId}/decisions", .decisions,
            query: ["environment", "from", "to"], list)
    ]

    // MARK: - Shapes

    private static func form(_ decision: StoredDecision) -> JSONTree {
        [
            "requestIdentifier": .appleId(decision.requestIdentifier),
            "originalTransactionId": .string(decision.originalTransactionId),
            "signedDate": .instant(decision.signedDate),
            "decidedAt": .instant(decision.decidedAt),
            "productId": .string(decision.productId),
            "localeAsked": .string(decision.localeAsked),
            "localeServed": .text(decision.localeServed),
            "kind": .string(decision.kind.rawValue),
            "fallbackReason": .text(decision.fallbackReason),
            "ruleId": .optional(decision.rule, JSONTree.id),
            "messageIdentifier": .optional(decision.messageIdentifier, JSONTree.appleId),
            "alternateProductId": .text(decision.alternateProductId),
            "billingPlanType": .text(decision.billingPlanType),
            "offerIdentifier": .text(decision.offerIdentifier),
            "snapshotNumber": .integer(decision.snapshotNumber),
            "durationMicroseconds": .integer(decision.durationMicroseconds),
        ]
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
            form: form)
    }

    private static func place(_ page: Page) throws(Problem) -> DecisionPlace? {
        guard !page.after.isEmpty else { return nil }
        // As far as RFC 3339 goes: a later time is in no row, and in no timestamptz.
        let instants: ClosedRange<Int64> = 0...253_402_300_799_999
        guard let milliseconds = Int64(page.after[0]), instants.contains(milliseconds),
            let request = UUID(uuidString: page.after[1])
        else { throw Problem(.invalidCursor, "The cursor is not one of this list.") }
        return DecisionPlace(
            signedDate: Instant(milliseconds: milliseconds), requestIdentifier: request)
    }
}
