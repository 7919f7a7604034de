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
    /// `nil` for a decision of a release that did not keep it.
    package let basis: DecisionBasis?

    package init(
        key: AppEnvironment, signedDate: Instant, requestIdentifier: UUID, decidedAt: Instant,
        originalTransactionId: String, productId: String, localeAsked: String, decision: Decision,
        snapshotNumber: Int64, durationMicroseconds: Int64, basis: DecisionBasis? = nil
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
        self.basis = basis
    }
}

/// What a decision was taken from, and how long each step of it took.
package struct DecisionBasis: Equatable, Sendable {
    package let source: ProfileSource
    package let inputs: RecordedInputs
    package let timings: DecisionTimings

    package init(source: ProfileSource, inputs: RecordedInputs, timings: DecisionTimings) {
        self.source = source
        self.inputs = inputs
        self.timings = timings
    }
}

/// Parts of a decision's time, in microseconds.
package struct DecisionTimings: Equatable, Sendable {
    package let verify: Int64
    package let lookup: Int64
    package let decide: Int64
    package let sign: Int64

    package init(verify: Int64, lookup: Int64, decide: Int64, sign: Int64) {
        self.verify = verify
        self.lookup = lookup
        self.decide = decide
        self.sign = sign
    }
}

extension TenantTransaction {
    /// Adds decisions of this tenant; one that is there already stays as it is, so a batch may be
    /// sent again after a lost answer.
    ///
    /// - Returns: how many were not there yet.
    @discardableResult
    package func recordDecisions(_ records: [DecisionRecord]) throws -> Int {
        try recordDecisions(rows: records.map { DecisionRow($0) })
    }

    /// The same for decisions that were brought into the table's form before.
    @discardableResult
    package func recordDecisions(rows: [DecisionRow]) throws -> Int {
        let columns = try BinaryColumns(rows.map(\.values), types: DecisionRow.types)
        return try connection.query(
            """
            insert into holdfast.decision (tenant_id, app_id, environment, signed_date,
              request_identifier, decided_at, original_transaction_id, product_id, kind,
              fallback_reason, rule_id, locale_asked, locale_served, message_identifier,
              alternate_product_id, billing_plan_type, offer_identifier, snapshot_number,
              duration_microseconds, experiment_id, arm, is_holdout, profile_source, inputs,
              signature_version, degraded, verify_microseconds, lookup_microseconds,
              decide_microseconds, sign_microseconds)
            select \(tenant.uuid), * from unnest(\(columns))
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
        try decisions(at: key, span, one: nil, after: after, limit: limit)
    }

    /// How many decisions of the span there are; `limit` where there are more.
    package func countDecisions(
        at key: AppEnvironment, _ span: DecisionSpan, limit: Int32
    ) throws -> Int32 {
        let from = span.from.map { Timestamp(milliseconds: $0.milliseconds) }
        let to = span.to.map { Timestamp(milliseconds: $0.milliseconds) }
        let rows = try connection.query(
            """
            select count(*)::integer as counted from (
              select from holdfast.decision
              where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
                and environment = \(key.environment.rawValue)
                and (\(from)::timestamptz is null or signed_date >= \(from))
                and (\(to)::timestamptz is null or signed_date < \(to))
              limit \(limit)
            ) as taken
            """)
        return try rows.first?.decode("counted") ?? 0
    }

    package func findDecision(
        _ place: DecisionPlace, at key: AppEnvironment
    ) throws -> StoredDecision? {
        let end = Instant(milliseconds: place.signedDate.milliseconds + 1)
        return try decisions(
            at: key, DecisionSpan(from: place.signedDate, to: end), one: place.requestIdentifier,
            after: nil, limit: 1
        ).first
    }

    private func decisions(
        at key: AppEnvironment, _ span: DecisionSpan, one: UUID?, after: DecisionPlace?,
        limit: Int32
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
              duration_microseconds, experiment_id, arm, is_holdout, profile_source, inputs,
              signature_version, degraded, verify_microseconds, lookup_microseconds,
              decide_microseconds, sign_microseconds
            from holdfast.decision
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue)
              and (\(from)::timestamptz is null or signed_date >= \(from))
              and (\(to)::timestamptz is null or signed_date < \(to))
              and (\(one)::uuid is null or request_identifier = \(one))
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
    package let assignment: Assignment?
    package let isHoldout: Bool
    /// Open, as are the next ones: a newer responder may have other words.
    package let profileSource: String?
    package let degraded: String?
    package let signatureVersion: Int16?
    /// `RecordedInputs`, as they were written.
    package let inputs: [UInt8]?
    /// `nil` for a decision of a release that did not measure them.
    package let timings: DecisionTimings?

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
        let experiment = try row.decode(UUID?.self, "experiment_id").map { ExperimentID($0) }
        let arm: String? = try row.decode("arm")
        assignment = experiment.flatMap { id in arm.map { Assignment(experiment: id, arm: $0) } }
        isHoldout = try row.decode("is_holdout")
        profileSource = try row.decode("profile_source")
        degraded = try row.decode("degraded")
        signatureVersion = try row.decode("signature_version")
        inputs = try row.decode("inputs")
        timings = try DecisionTimings(row: row)
    }
}

extension DecisionTimings {
    /// `nil` where one was not measured.
    fileprivate init?(row: Row) throws {
        let verify: Int64? = try row.decode("verify_microseconds")
        let lookup: Int64? = try row.decode("lookup_microseconds")
        let decide: Int64? = try row.decode("decide_microseconds")
        let sign: Int64? = try row.decode("sign_microseconds")
        guard let verify, let lookup, let decide, let sign else { return nil }
        self.init(verify: verify, lookup: lookup, decide: decide, sign: sign)
    }
}
