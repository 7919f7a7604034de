internal import FoundationEssentials
internal import Postgres
internal import Retention

/// Records turned into columns: one array a column, for `unnest`.
struct DecisionColumns {
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
    let experiment: [UUID?]
    let arm: [String?]
    let isHoldout: [Bool]
    let profileSource: [String?]
    let inputs: [[UInt8]?]
    let signatureVersion: [Int16?]
    let degraded: [String?]
    let verify: [Int64?]
    let lookup: [Int64?]
    let decide: [Int64?]
    let sign: [Int64?]

    init(_ records: [DecisionRecord]) {
        let parts = records.map { AnswerParts($0.decision.answer) }
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
        messageIdentifier = parts.map(\.messageIdentifier)
        alternateProductId = parts.map(\.productId)
        billingPlanType = parts.map { $0.billingPlanType?.rawValue }
        offerIdentifier = parts.map(\.offerIdentifier)
        snapshotNumber = records.map(\.snapshotNumber)
        durationMicroseconds = records.map(\.durationMicroseconds)
        experiment = records.map(\.decision.assignment?.experiment.uuid)
        arm = records.map(\.decision.assignment?.arm)
        isHoldout = records.map(\.decision.isHoldout)
        profileSource = records.map(\.basis?.source.rawValue)
        inputs = records.map { Self.inputs($0) }
        signatureVersion = parts.map { $0.signature.map { Int16($0.rawValue) } }
        degraded = records.map { $0.basis.flatMap { Self.degraded($0.inputs.mode) } }
        verify = records.map(\.basis?.timings.verify)
        lookup = records.map(\.basis?.timings.lookup)
        decide = records.map(\.basis?.timings.decide)
        sign = records.map(\.basis?.timings.sign)
    }

    /// What is too long for the table is left out: the decision is worth more than its explanation.
    private static func inputs(_ record: DecisionRecord) -> [UInt8]? {
        let bytes = record.basis?.inputs.encoded()
        return bytes.flatMap { $0.count <= RecordedInputs.bytesLimit ? $0 : nil }
    }

    private static func degraded(_ mode: ServingMode) -> String? {
        mode == .full ? nil : mode.rawValue
    }
}
