internal import Retention

/// A subscriber as a body describes one: what a profile would know, and what the governor counted.
enum SubscriberBody {
    private static let counts: ClosedRange<Int64> = 0...1_000_000
    private static let textBytes = 1...SubscriberProfile.textBytesLimit
    private static let nameBytes = 1...Fact.clientNameBytesLimit

    /// - Parameter now: when all of it was known, where the body does not say.
    static func read(_ reader: inout BodyReader, now: Instant) -> KnownSubscriber {
        let asOf = reader.optionalInstant("asOf") ?? now
        var profile = SubscriberProfile()
        profile.subscribedAt = reader.optionalInstant("subscribedAt")
        profile.renewsAt = reader.optionalInstant("renewsAt")
        profile.lastActiveAt = reader.optionalInstant("lastActiveAt")
        profile.paidPeriods = reader.optionalInteger("paidPeriods", in: counts)
        profile.lifetimeSpend = reader.optionalObject("lifetimeSpend") { reader in
            SubscriberProfile.Money(
                amountMilliunits: reader.integer("amountMilliunits", in: 0...Int64.max),
                currency: reader.capitals("currency", such: "EUR"))
        }
        profile.storefront = optionalText("storefront", &reader)
        profile.billingPlan = optionalText("billingPlan", &reader)
        profile.cancelReason = optionalText("cancelReason", &reader)
        profile.inTrial = optionalFlag("inTrial", &reader)
        profile.inIntroOffer = optionalFlag("inIntroOffer", &reader)
        profile.inOffer = optionalFlag("inOffer", &reader)
        profile.billingIssue = optionalFlag("billingIssue", &reader)
        profile.pageViews = reader.optionalInteger("pageViews", in: counts)
        profile.refunds = reader.optionalInteger("refunds", in: counts)
        profile.openRefundRequests = reader.optionalInteger("openRefundRequests", in: counts)
        profile.clientFacts = clientFacts(&reader, toldAt: asOf)
        return .known(KeptProfile(profile), asOf: asOf, counters(&reader))
    }

    private static func counters(_ reader: inout BodyReader) -> GovernorCounters {
        let taken = reader.optionalInteger("offersTaken", in: counts) ?? 0
        let level = reader.optionalInteger("escalationLevel", in: counts) ?? 0
        return GovernorCounters(
            offersTaken: Int32(clamping: taken),
            lastOfferAt: reader.optionalInstant("lastOfferAt"),
            escalationLevel: Int32(clamping: level))
    }

    private static func optionalText(_ name: String, _ reader: inout BodyReader) -> String? {
        reader.take(name) == nil ? nil : reader.text(name, bytes: textBytes)
    }

    private static func optionalFlag(_ name: String, _ reader: inout BodyReader) -> Bool? {
        reader.take(name) == nil ? nil : reader.boolean(name, otherwise: false)
    }

    private static func clientFacts(
        _ reader: inout BodyReader, toldAt: Instant
    ) -> [SubscriberProfile.ClientFact] {
        let facts = reader.objects("clientFacts", limit: SubscriberProfile.clientFactsLimit) {
            reader -> SubscriberProfile.ClientFact? in
            let name = reader.text("name", bytes: nameBytes)
            if !name.isEmpty, !Fact.isClientName(name) {
                reader.note(
                    "name", .badFormat, "A name is a letter, then letters, digits, _ and -.")
            }
            guard let value = value(&reader) else { return nil }
            return SubscriberProfile.ClientFact(name: name, value: value, toldAt: toldAt)
        }
        reader.noteDuplicates(facts.map { $0?.name ?? "" }) { "clientFacts/\($0)/name" }
        return facts.compactMap(\.self)
    }

    private static func value(_ reader: inout BodyReader) -> FactValue? {
        switch reader.take("value") {
        case .boolean(let flag): return .flag(flag)
        case .integer(let number): return .number(number)
        case .string: return .text(reader.text("value", bytes: textBytes))
        case nil: reader.note("value", .required, "value is required.")
        default:
            reader.note("value", .wrongType, "value is a text, a whole number, true or false.")
        }
        return nil
    }
}
