/// What an answer depended on beside the snapshot and the request: kept with the decision, so that
/// it can be explained, and replayed against other rules, by the code that took it.
package struct RecordedInputs: Equatable, Sendable {
    package static let version: UInt8 = 1
    /// As the table has it.
    package static let bytesLimit = 2_048
    /// Of a usual one, with a profile.
    private static let usualBytes = 320

    package let subscriber: KnownSubscriber
    package let budget: BudgetReading
    package let mode: ServingMode
    package let canSignOffers: Bool

    package init(
        subscriber: KnownSubscriber, budget: BudgetReading, mode: ServingMode,
        canSignOffers: Bool
    ) {
        self.subscriber = subscriber
        self.budget = budget
        self.mode = mode
        self.canSignOffers = canSignOffers
    }

    /// The same where signing turned out to fail.
    package var withoutOffers: RecordedInputs {
        RecordedInputs(subscriber: subscriber, budget: budget, mode: mode, canSignOffers: false)
    }

    package func encoded() -> [UInt8] {
        var writer = CompactWriter(reserving: Self.usualBytes)
        writer.append(Self.version)
        writer.append(mode.rawValue)
        writer.append(canSignOffers)
        switch budget {
        case .unknown: writer.append(UInt8(0))
        case .nothing: writer.append(UInt8(1))
        case .spent(let milliunits, let currency):
            writer.append(UInt8(2))
            writer.append(milliunits)
            writer.append(currency)
        }
        switch subscriber {
        case .notNeeded: writer.append(UInt8(0))
        case .unavailable: writer.append(UInt8(1))
        case .absent: writer.append(UInt8(2))
        case .known(let profile, let asOf, let counters):
            writer.append(UInt8(3))
            writer.append(profile) { $0.append(bytes: $1.body) }
            writer.append(asOf)
            writer.append(counters.offersTaken)
            writer.append(counters.lastOfferAt)
            writer.append(counters.escalationLevel)
        }
        return writer.bytes
    }

    /// `nil` for another form.
    package init?(_ bytes: [UInt8]) {
        var reader = CompactReader(bytes)
        guard bytes.count <= Self.bytesLimit, reader.byte() == Self.version,
            let mode = reader.text().flatMap(ServingMode.init(rawValue:)),
            let canSign = reader.flag(), let budget = reader.budget(),
            let subscriber = reader.subscriber(), reader.isAtEnd
        else { return nil }
        self.init(subscriber: subscriber, budget: budget, mode: mode, canSignOffers: canSign)
    }
}

extension CompactReader {
    fileprivate mutating func budget() -> BudgetReading? {
        switch byte() {
        case 0: return .unknown
        case 1: return .nothing
        case 2:
            guard let milliunits = integer(), let currency = text() else { return nil }
            return .spent(milliunits: milliunits, currency: currency)
        default: return nil
        }
    }

    fileprivate mutating func subscriber() -> KnownSubscriber? {
        switch byte() {
        case 0: return .notNeeded
        case 1: return .unavailable
        case 2: return .absent
        case 3: break
        default: return nil
        }
        let profile = optional { reader in reader.block().flatMap { KeptProfile(body: Array($0)) } }
        guard let profile, let asOf = optional({ $0.instant() }), let taken = integer32(),
            let lastOfferAt = optional({ $0.instant() }), let level = integer32()
        else { return nil }
        return .known(
            profile, asOf: asOf,
            GovernorCounters(
                offersTaken: taken, lastOfferAt: lastOfferAt, escalationLevel: level))
    }
}

extension DecisionInputs {
    /// What was recorded, with what the record of the decision and the snapshot say besides.
    package init(
        _ recorded: RecordedInputs, request: DecisionRequest, localeChain: [String], now: Instant,
        bucket: @escaping (_ salt: String) -> Int
    ) {
        self.init(
            request: request, localeChain: localeChain, subscriber: recorded.subscriber,
            budget: recorded.budget, mode: recorded.mode, canSignOffers: recorded.canSignOffers,
            now: now, bucket: bucket)
    }
}
