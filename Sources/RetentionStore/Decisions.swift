// Table: decision. Written by the responder's shipper, many rows at a time.
package import FoundationEssentials
internal import Postgres
package import Retention

/// One decision as it is kept: what was asked, what was answered, from which snapshot, how fast.
package struct DecisionRecord: Equatable, Sendable {
    package let key: AppEnvironment
    package let signedDate: Instant
    package let requestIdentifier: UUID
    package let decidedAt: Instant
    package let originalTransactionId: String
    package let productId: String
    package let localeAsked: String
    package let decision: Decision
    package let snapshotNumber: Int64
    package let durationMicroseconds: Int64

    package init(
        key: AppEnvironment, signedDate: Instant, requestIdentifier: UUID, decidedAt: Instant,
        originalTransactionId: String, productId: String, localeAsked: String, decision: Decision,
        snapshotNumber: Int64, durationMicroseconds: Int64
    ) {
        self.key = key
        self.signedDate = signedDate
        self.requestIdentifier = requestIdentifier
        self.decidedAt = decidedAt
        self.originalTransactionId = originalTransactionId
        self.productId = productId
        self.localeAsked = localeAsked
        self.decision = decision
        self.snapshotNumber = snapshotNumber
        self.durationMicroseconds = durationMicroseconds
    }
}

extension TenantTransaction {
    /// Adds decisions of this tenant; one that is there already stays as it is, so a batch may be
    /// sent again after a lost answer.
    ///
    /// - Returns: how many were not there yet.
    @discardableResult
    package func recordDecisions(_ records: [DecisionRecord]) throws -> Int {
        let columns = DecisionColumns(records)
        return try connection.query(
            """
            insert into holdfast.decision (tenant_id, app_id, environment, signed_date,
              request_identifier, decided_at, original_transaction_id, product_id, kind,
              fallback_reason, rule_id, locale_asked, locale_served, message_identifier,
              alternate_product_id, billing_plan_type, offer_identifier, snapshot_number,
              duration_microseconds)
            select \(tenant.uuid), * from unnest(\(columns.app), \(columns.environment),
              \(columns.signedDate), \(columns.requestIdentifier), \(columns.decidedAt),
              \(columns.originalTransactionId), \(columns.productId), \(columns.kind),
              \(columns.fallbackReason), \(columns.rule), \(columns.localeAsked),
              \(columns.localeServed), \(columns.messageIdentifier),
              \(columns.alternateProductId), \(columns.billingPlanType),
              \(columns.offerIdentifier), \(columns.snapshotNumber),
              \(columns.durationMicroseconds))
            on conflict do nothing
            """
        ).affected
    }

    /// The newest decisions in one environment of an app; `after` is the last one of the page
    /// before.
    package func listDecisions(
        at key: AppEnvironment, _ span: DecisionSpan = DecisionSpan(),
        after: DecisionPlace? = nil, limit: Int32
    ) throws -> [StoredDecision] {
        let from = span.from.map { Timestamp(milliseconds: $0.milliseconds) }
        let to = span.to.map { Timestamp(milliseconds: $0.milliseconds) }
        let last = after.map { Timestamp(milliseconds: $0.signedDate.milliseconds) }
        let request = after?.requestIdentifier
        // `signed_date <=` says no more than the line after it; by it alone partitions are passed
        // over.
        let rows = try connection.query(
            """
            select request_identifier, original_transaction_id, signed_date, decided_at, product_id,
              kind, fallback_reason, rule_id, locale_asked, locale_served, message_identifier,
              alternate_product_id, billing_plan_type, offer_identifier, snapshot_number,
              duration_microseconds
            from holdfast.decision
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue)
              and (\(from)::timestamptz is null or signed_date >= \(from))
              and (\(to)::timestamptz is null or signed_date < \(to))
              and (\(last)::timestamptz is null or signed_date <= \(last))
              and (\(last)::timestamptz is null or signed_date < \(last)
                or request_identifier > \(request))
            order by signed_date desc, request_identifier
            limit \(limit)
            """)
        return try rows.map(StoredDecision.init(row:))
    }
}

/// When the decisions' requests were signed: at or after `from`, before `to`.
package struct DecisionSpan: Sendable {
    package let from: Instant?
    package let to: Instant?

    package init(from: Instant? = nil, to: Instant? = nil) {
        self.from = from
        self.to = to
    }
}

/// Where a list of decisions goes on.
package struct DecisionPlace: Sendable {
    package let signedDate: Instant
    package let requestIdentifier: UUID

    package init(signedDate: Instant, requestIdentifier: UUID) {
        self.signedDate = signedDate
        self.requestIdentifier = requestIdentifier
    }
}

/// A decision as it is read back.
package struct StoredDecision: Sendable {
    package let requestIdentifier: UUID
    package let originalTransactionId: String
    package let signedDate: Instant
    package let decidedAt: Instant
    package let productId: String
    package let kind: AnswerKind
    /// Open: a newer responder may have other reasons.
    package let fallbackReason: String?
    package let rule: RuleID?
    package let localeAsked: String
    package let localeServed: String?
    package let messageIdentifier: UUID?
    package let alternateProductId: String?
    package let billingPlanType: String?
    package let offerIdentifier: String?
    package let snapshotNumber: Int64
    package let durationMicroseconds: Int64

    fileprivate init(row: Row) throws {
        let word: String = try row.decode("kind")
        // The table's constraint names the same words.
        guard let kind = AnswerKind(rawValue: word) else {
            throw StoreError(code: .invalid, message: "answers of kind \(word) are not known here")
        }
        self.kind = kind
        requestIdentifier = try row.decode("request_identifier")
        originalTransactionId = try row.decode("original_transaction_id")
        signedDate = try row.instant("signed_date")
        decidedAt = try row.instant("decided_at")
        productId = try row.decode("product_id")
        fallbackReason = try row.decode("fallback_reason")
        rule = try row.decode(UUID?.self, "rule_id").map { RuleID($0) }
        localeAsked = try row.decode("locale_asked")
        localeServed = try row.decode("locale_served")
        messageIdentifier = try row.decode("message_identifier")
        alternateProductId = try row.decode("alternate_product_id")
        billingPlanType = try row.decode("billing_plan_type")
        offerIdentifier = try row.decode("offer_identifier")
        snapshotNumber = try row.decode("snapshot_number")
        durationMicroseconds = try row.decode("duration_microseconds")
    }
}

/// Records turned into columns: one array a column, for `unnest`.
private struct DecisionColumns {
    let app: [UUID]
    let environment: [String]
    let signedDate: [Timestamp]
    let requestIdentifier: [UUID]
    let decidedAt: [Timestamp]
    let originalTransactionId: [String]
    let productId: [String]
    let kind: [String]
    let fallbackReason: [String?]
    let rule: [UUID?]
    let localeAsked: [String]
    let localeServed: [String?]
    let messageIdentifier: [UUID?]
    let alternateProductId: [String?]
    let billingPlanType: [String?]
    let offerIdentifier: [String?]
    let snapshotNumber: [Int64]
    let durationMicroseconds: [Int64]

    init(_ records: [DecisionRecord]) {
        let parts = records.map { AnswerColumns($0.decision.answer) }
        app = records.map(\.key.app.uuid)
        environment = records.map(\.key.environment.rawValue)
        signedDate = records.map { Timestamp(milliseconds: $0.signedDate.milliseconds) }
        requestIdentifier = records.map(\.requestIdentifier)
        decidedAt = records.map { Timestamp(milliseconds: $0.decidedAt.milliseconds) }
        originalTransactionId = records.map(\.originalTransactionId)
        productId = records.map(\.productId)
        kind = records.map(\.decision.answer.kind.rawValue)
        fallbackReason = parts.map { $0.fallbackReason?.rawValue }
        rule = records.map(\.decision.rule?.uuid)
        localeAsked = records.map(\.localeAsked)
        localeServed = records.map(\.decision.localeServed)
        messageIdentifier = parts.map(\.message)
        alternateProductId = parts.map(\.productId)
        billingPlanType = parts.map(\.plan)
        offerIdentifier = parts.map(\.offer)
        snapshotNumber = records.map(\.snapshotNumber)
        durationMicroseconds = records.map(\.durationMicroseconds)
    }
}

/// The columns in which one answer differs from another.
private struct AnswerColumns {
    var message: UUID?
    var productId: String?
    var plan: String?
    var offer: String?
    var fallbackReason: FallbackReason?

    init(_ answer: Answer) {
        switch answer {
        case .message(let id), .defaultMessage(let id):
            message = id
        case .alternateProduct(let id, let product, let plan):
            message = id
            productId = product
            self.plan = plan?.rawValue
        case .promotionalOffer(let id, let product, let offerIdentifier):
            message = id
            productId = product
            offer = offerIdentifier
        case .fallback(let reason):
            fallbackReason = reason
        }
    }
}
