// The row form of a profile: a version, then the parts that are known, each behind its number.
// A part that this build does not know is skipped by its length, so that a newer writer does not
// blind an older reader.

extension SubscriberProfile {
    package static let version: UInt8 = 1
    /// As the table has it; the first is the version.
    package static let bodyBytes = 1...1_024

    private enum Part: UInt8 {
        case subscribedAt = 1
        case renewsAt, lastActiveAt, paidPeriods, lifetimeSpend, storefront, billingPlan, inTrial
        case inIntroOffer, inOffer, billingIssue, pageViews, refunds, openRefundRequests
        case cancelReason, clientFact
    }

    /// At most 1,024 bytes: client facts that do not fit any more are left out, the last ones
    /// first. Texts over 64 bytes are left out too.
    package func encoded() -> [UInt8] {
        var body = fixedParts
        for fact in clientFacts.prefix(Self.clientFactsLimit) {
            var writer = CompactWriter()
            writer.append(fact)
            let part = Self.part(.clientFact, writer.bytes)
            guard body.count + part.count <= Self.bodyBytes.upperBound else { break }
            body += part
        }
        return body
    }

    private var fixedParts: [UInt8] {
        let numbers: [(Part, Int64?)] = [
            (.subscribedAt, subscribedAt?.milliseconds), (.renewsAt, renewsAt?.milliseconds),
            (.lastActiveAt, lastActiveAt?.milliseconds), (.paidPeriods, paidPeriods),
            (.pageViews, pageViews), (.refunds, refunds),
            (.openRefundRequests, openRefundRequests),
        ]
        let flags: [(Part, Bool?)] = [
            (.inTrial, inTrial), (.inIntroOffer, inIntroOffer), (.inOffer, inOffer),
            (.billingIssue, billingIssue),
        ]
        let texts: [(Part, String?)] = [
            (.storefront, storefront), (.billingPlan, billingPlan), (.cancelReason, cancelReason),
        ]
        var body = [Self.version]
        for case (let part, let number?) in numbers { body += Self.part(part, number.octets) }
        for case (let part, let flag?) in flags { body += Self.part(part, [flag ? 1 : 0]) }
        for case (let part, let text?) in texts where text.utf8.count <= Self.textBytesLimit {
            body += Self.part(part, Array(text.utf8))
        }
        if let spend = lifetimeSpend, spend.currency.utf8.count <= Self.textBytesLimit {
            body += Self.part(
                .lifetimeSpend, spend.amountMilliunits.octets + Array(spend.currency.utf8))
        }
        return body
    }

    private static func part(_ part: Part, _ value: [UInt8]) -> [UInt8] {
        var writer = CompactWriter()
        writer.append(part.rawValue)
        writer.append(bytes: value)
        return writer.bytes
    }

    /// `nil` for what no build of this version wrote: such a profile is as good as none.
    package init?(body: [UInt8]) {
        self.init()
        guard Self.bodyBytes.contains(body.count) else { return nil }
        var reader = CompactReader(body)
        guard reader.byte() == Self.version else { return nil }
        while !reader.isAtEnd {
            guard let number = reader.byte(), let value = reader.block() else { return nil }
            guard let part = Part(rawValue: number) else { continue }
            guard take(part, value) else { return nil }
        }
    }

    private mutating func take(_ part: Part, _ value: ArraySlice<UInt8>) -> Bool {
        switch part {
        case .subscribedAt: return Self.set(&subscribedAt, value.instant)
        case .renewsAt: return Self.set(&renewsAt, value.instant)
        case .lastActiveAt: return Self.set(&lastActiveAt, value.instant)
        case .paidPeriods: return Self.set(&paidPeriods, value.number)
        case .pageViews: return Self.set(&pageViews, value.number)
        case .refunds: return Self.set(&refunds, value.number)
        case .openRefundRequests: return Self.set(&openRefundRequests, value.number)
        case .inTrial: return Self.set(&inTrial, value.flag)
        case .inIntroOffer: return Self.set(&inIntroOffer, value.flag)
        case .inOffer: return Self.set(&inOffer, value.flag)
        case .billingIssue: return Self.set(&billingIssue, value.flag)
        case .storefront: return Self.set(&storefront, value.text)
        case .billingPlan: return Self.set(&billingPlan, value.text)
        case .cancelReason: return Self.set(&cancelReason, value.text)
        case .lifetimeSpend:
            guard value.count > 8, let amount = value.prefix(8).number,
                let currency = value.dropFirst(8).text
            else { return false }
            lifetimeSpend = Money(amountMilliunits: amount, currency: currency)
            return true
        case .clientFact:
            var reader = CompactReader(value)
            guard clientFacts.count < Self.clientFactsLimit, let fact = reader.clientFact(),
                reader.isAtEnd
            else { return false }
            clientFacts.append(fact)
            return true
        }
    }

    private static func set<Value>(_ place: inout Value?, _ value: Value?) -> Bool {
        guard let value else { return false }
        place = value
        return true
    }
}

extension Int64 {
    /// In network order.
    fileprivate var octets: [UInt8] {
        var writer = CompactWriter()
        writer.append(self)
        return writer.bytes
    }
}

extension ArraySlice<UInt8> {
    fileprivate var number: Int64? {
        var reader = CompactReader(self)
        return count == 8 ? reader.integer() : nil
    }

    fileprivate var instant: Instant? { number.map(Instant.init(milliseconds:)) }

    fileprivate var flag: Bool? {
        var reader = CompactReader(self)
        return count == 1 ? reader.flag() : nil
    }

    fileprivate var text: String? {
        count <= SubscriberProfile.textBytesLimit ? String(validating: self, as: UTF8.self) : nil
    }
}

extension CompactWriter {
    fileprivate mutating func append(_ fact: SubscriberProfile.ClientFact) {
        append(fact.toldAt.milliseconds)
        append(fact.name)
        switch fact.value {
        case .text(let text):
            append(UInt8(0))
            append(text)
        case .number(let number):
            append(UInt8(1))
            append(number)
        case .flag(let flag):
            append(UInt8(2))
            append(flag)
        case .texts, .money:
            // No client can tell these; the reader then drops the fact.
            append(UInt8(3))
        }
    }
}

extension CompactReader {
    fileprivate mutating func clientFact() -> SubscriberProfile.ClientFact? {
        guard let toldAt = instant(), let name = text(), Fact.isClientName(name),
            let form = byte()
        else { return nil }
        let value: FactValue?
        switch form {
        case 0:
            value = text().flatMap {
                $0.utf8.count <= SubscriberProfile.textBytesLimit ? .text($0) : nil
            }
        case 1: value = integer().map { .number($0) }
        case 2: value = flag().map { .flag($0) }
        default: value = nil
        }
        return value.map { SubscriberProfile.ClientFact(name: name, value: $0, toldAt: toldAt) }
    }
}
