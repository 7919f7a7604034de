internal import FoundationEssentials
internal import Retention

/// Numbers in network order, texts with their lengths before them.
struct SpoolWriter {
    private(set) var bytes: [UInt8] = []

    mutating func append(_ byte: UInt8) {
        bytes.append(byte)
    }

    mutating func append(_ number: some FixedWidthInteger) {
        let width = type(of: number).bitWidth
        for shift in stride(from: width - 8, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    mutating func append(_ uuid: UUID) {
        bytes += uuid.bytes
    }

    mutating func append(_ text: String) {
        let utf8 = Array(text.utf8.prefix(Int(UInt16.max)))
        append(UInt16(utf8.count))
        bytes += utf8
    }

    mutating func append(_ text: String?) {
        append(UInt8(text == nil ? 0 : 1))
        if let text { append(text) }
    }

    mutating func append(_ uuid: UUID?) {
        append(UInt8(uuid == nil ? 0 : 1))
        if let uuid { append(uuid) }
    }

    mutating func append(_ decision: Decision) {
        append(decision.rule?.uuid)
        append(decision.localeServed)
        append(decision.answer.kind.rawValue)
        switch decision.answer {
        case .message(let id), .defaultMessage(let id):
            append(id)
        case .alternateProduct(let id, let productId, let plan):
            append(id)
            append(productId)
            append(plan?.rawValue)
        case .promotionalOffer(let id, let productId, let offerIdentifier):
            append(id)
            append(productId)
            append(offerIdentifier)
        case .fallback(let reason):
            append(reason.rawValue)
        }
    }
}

/// Reads what `SpoolWriter` wrote; `nil` at the first byte that does not fit.
struct SpoolReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { position == bytes.count }

    private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= bytes.count - position else { return nil }
        defer { position += count }
        return bytes[position..<position + count]
    }

    mutating func byte() -> UInt8? {
        take(1)?.first
    }

    mutating func integer() -> Int64? {
        take(8).map { Int64(bitPattern: $0.reduce(0) { $0 << 8 | UInt64($1) }) }
    }

    mutating func uuid() -> UUID? {
        take(16).flatMap { UUID(bytes: $0) }
    }

    mutating func text() -> String? {
        guard let length = take(2)?.reduce(0, { $0 << 8 | Int($1) }) else { return nil }
        return take(length).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// The outer `nil` is a fault, the inner one an absent value.
    private mutating func optional<Value>(
        _ read: (inout SpoolReader) -> Value?
    ) -> Value?? {
        switch byte() {
        case 0: .some(nil)
        case 1: read(&self).map(Optional.some)
        default: nil
        }
    }

    mutating func decision() -> Decision? {
        guard let rule = optional({ $0.uuid() }), let locale = optional({ $0.text() }),
            let kind = text().flatMap(AnswerKind.init(rawValue:)), let answer = answer(kind)
        else { return nil }
        return Decision(answer: answer, rule: rule.map { RuleID($0) }, localeServed: locale)
    }

    private mutating func answer(_ kind: AnswerKind) -> Answer? {
        if kind == .fallback {
            return text().flatMap(FallbackReason.init(rawValue:)).map(Answer.fallback)
        }
        guard let id = uuid() else { return nil }
        switch kind {
        case .message: return .message(id)
        case .defaultMessage: return .defaultMessage(id)
        case .switchPlan:
            guard let productId = text(), let plan = optional({ $0.text() }) else { return nil }
            return .alternateProduct(
                id, productId: productId, billingPlanType: plan.map(BillingPlanType.init(rawValue:))
            )
        case .promotionalOffer:
            guard let productId = text(), let offer = text() else { return nil }
            return .promotionalOffer(id, productId: productId, offerIdentifier: offer)
        case .fallback: return nil
        }
    }
}
