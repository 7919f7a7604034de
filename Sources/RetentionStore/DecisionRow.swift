package import FoundationEssentials
package import Postgres
internal import Retention

/// A decision in the form in which its table takes it: the value of each column but the tenant's,
/// in the order of `types` and of the statement in `Decisions.swift`. Made once, where it is taken;
/// what carries it on reads none of it.
package struct DecisionRow: Equatable, Sendable {
    package static let types: [SQLType] = [
        .uuidArray, .textArray, .timestamptzArray, .uuidArray, .timestamptzArray,
        // The subscriber, the product, and what was answered by which rule.
        .textArray, .textArray, .textArray, .textArray, .uuidArray,
        // Locales, and the parts of the answer.
        .textArray, .textArray, .uuidArray, .textArray, .textArray, .textArray,
        // Snapshot, duration, experiment, holdout.
        .int8Array, .int8Array, .uuidArray, .textArray, .boolArray,
        // What it was taken from.
        .textArray, .byteaArray, .int2Array, .textArray,
        .int8Array, .int8Array, .int8Array, .int8Array,
    ]
    /// Of a usual one, with its inputs.
    private static let usualBytes = 768

    /// A `BinaryRow`.
    package let values: ArraySlice<UInt8>

    package init(_ record: DecisionRecord) {
        var row = BinaryRow(reserving: Self.usualBytes)
        row.append(record.key.app.uuid)
        row.append(record.key.environment.rawValue)
        row.append(Timestamp(milliseconds: record.signedDate.milliseconds))
        row.append(record.requestIdentifier)
        row.append(Timestamp(milliseconds: record.decidedAt.milliseconds))
        row.append(record.originalTransactionId)
        row.append(record.productId)
        row.append(record.decision, localeAsked: record.localeAsked)
        row.append(record.snapshotNumber)
        row.append(record.durationMicroseconds)
        row.append(record.decision.assignment?.experiment.uuid)
        row.append(record.decision.assignment?.arm)
        row.append(record.decision.isHoldout)
        row.append(record.basis, AnswerParts(record.decision.answer).signature)
        values = row.bytes[...]
    }

    /// What an earlier process made; `nil` for what is no such row.
    package init?(values: ArraySlice<UInt8>) {
        guard BinaryColumns.isRow(values, of: Self.types) else { return nil }
        self.values = values
    }

    /// For a log; `nil` where there is none in its place.
    package var requestIdentifier: UUID? {
        // Behind app, environment and date, each with its length before it.
        var rest = values.dropFirst(4 + 16)
        guard let text = rest.dropFirst(3).first else { return nil }
        rest = rest.dropFirst(4 + Int(text) + 4 + 8 + 4)
        return UUID(bytes: rest.prefix(16))
    }
}

extension BinaryRow {
    fileprivate mutating func append(_ decision: Decision, localeAsked: String) {
        let parts = AnswerParts(decision.answer)
        append(decision.answer.kind.rawValue)
        append(parts.fallbackReason?.rawValue)
        append(decision.rule?.uuid)
        append(localeAsked)
        append(decision.localeServed)
        append(parts.messageIdentifier)
        append(parts.productId)
        append(parts.billingPlanType?.rawValue)
        append(parts.offerIdentifier)
    }

    fileprivate mutating func append(
        _ basis: DecisionBasis?, _ signature: OfferSignatureVersion?
    ) {
        append(basis?.source.rawValue)
        append(Self.inputs(basis))
        append(signature.map { Int16($0.rawValue) })
        append(basis.flatMap { Self.degraded($0.inputs.mode) })
        append(basis?.timings.verify)
        append(basis?.timings.lookup)
        append(basis?.timings.decide)
        append(basis?.timings.sign)
    }

    /// What is too long for the table is left out: the decision is worth more than its explanation.
    private static func inputs(_ basis: DecisionBasis?) -> [UInt8]? {
        let bytes = basis?.inputs.encoded()
        return bytes.flatMap { $0.count <= RecordedInputs.bytesLimit ? $0 : nil }
    }

    private static func degraded(_ mode: ServingMode) -> String? {
        mode == .full ? nil : mode.rawValue
    }
}
