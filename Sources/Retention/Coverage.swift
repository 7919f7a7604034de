internal import FoundationEssentials

/// How far a text is at Apple, with the pictures it shows.
package enum TextStatus: String, Hashable, Sendable, CaseIterable, Comparable {
    case notUploaded, rejected, pending, approved

    package static func < (a: TextStatus, b: TextStatus) -> Bool {
        a.order < b.order
    }

    private var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// What can be shown of a text: the newest wording, or the one that was approved before it.
package struct TextStanding: Hashable, Sendable {
    package let status: TextStatus

    package init(_ text: WantedText, _ facts: SyncFacts, policy: SyncPolicy = .sound) {
        let newest = facts.status(of: text)
        let served = facts.desired.served[text.place]
        let isFormerShown = served.map { policy.mayName($0, facts) } ?? false
        status = isFormerShown ? max(newest, .approved) : newest
    }
}

extension SyncFacts {
    fileprivate func status(of text: WantedText) -> TextStatus {
        guard let object = observed.objects[text.appleId] else { return .notUploaded }
        if object.presence == .refused { return .rejected }
        guard object.isPresent, !object.isSpent else { return .notUploaded }
        let pictures = text.images.map { observed.objects[$0] }
        let states = [object.state] + pictures.compactMap { $0?.state }
        if states.contains(.rejected) { return .rejected }
        let isWhole = pictures.allSatisfy { $0?.isApproved ?? false }
        return object.isApproved && isWhole ? .approved : .pending
    }
}

/// A product in a locale, layer by layer.
package struct CoverageCell: Equatable, Sendable {
    package enum DefaultStatus: String, Sendable, CaseIterable {
        /// Apple shows one.
        case inForce
        /// Its text is approved; Apple does not show it yet.
        case approved
        case pending, rejected, notUploaded
        /// None is wanted here, and Apple has none.
        case missing

        init(_ status: TextStatus) {
            switch status {
            case .approved: self = .approved
            case .pending: self = .pending
            case .rejected: self = .rejected
            case .notUploaded: self = .notUploaded
            }
        }
    }

    package enum RealTimeStatus: String, Sendable, CaseIterable {
        case approved, pending, rejected, notUploaded
        /// Rules choose messages for the product, and none has a text in this locale.
        case missing
        /// No published rule chooses a message for the product.
        case notUsed

        init(_ status: TextStatus) {
            switch status {
            case .approved: self = .approved
            case .pending: self = .pending
            case .rejected: self = .rejected
            case .notUploaded: self = .notUploaded
            }
        }
    }

    package let productId: String
    package let locale: String
    package let defaultStatus: DefaultStatus
    /// Whether what Apple shows is what is wanted here; `nil` where it shows none.
    package let isDefaultNewest: Bool?
    /// The farthest text among the messages that published rules may choose for the product.
    package let realTimeStatus: RealTimeStatus

    /// Nothing is shown in real time here, as far as is known.
    package var isHole: Bool { defaultStatus != .inForce }
}

/// What subscribers can be shown: every product in every locale of one environment.
package struct CoverageReport: Equatable, Sendable {
    /// Apple's gate, and what is not known of it.
    package static let defaultRule =
        "Apple shows no real-time message for a product in a locale that has no default message. "
        + "Whether a message in App Store Connect lifts that is not verified."

    package struct Group: Equatable, Sendable {
        package let name: String
        package let productIds: [String]
    }

    package let cells: [CoverageCell]
    /// With one product there is none to switch to.
    package let groupsWithoutSwitch: [Group]

    package var holes: [CoverageCell] { cells.filter(\.isHole) }

    /// - Parameters:
    ///   - locales: those that are wanted, in order.
    ///   - rules: as published there.
    package init(
        _ facts: SyncFacts, products: [Product], locales: [String], rules: RuleSet
    ) {
        let standings = Dictionary(
            facts.desired.texts.map { ($0.place, TextStanding($0, facts)) },
            uniquingKeysWith: { first, _ in first })
        let identifiers = Dictionary(
            facts.desired.texts.map { ($0.place, $0.appleId) },
            uniquingKeysWith: { first, _ in first })
        let environment = facts.desired.environment
        let reach = RuleReach(rules.rules, products: products, environments: [environment])
        cells = products.enumerated().flatMap { index, product in
            let messages = rules.rules.enumerated().filter {
                reach.mayMatch(rule: $0.offset, product: index, in: environment)
            }.flatMap(\.element.messageIds)
            return locales.map { locale in
                let slot = DefaultSlot(productId: product.productId, locale: locale)
                let wanted = facts.desired.defaults[slot].flatMap { identifiers[$0] }
                return Self.cell(slot, wanted, messages, facts, standings)
            }
        }
        let groups = Dictionary(grouping: products) { ExactText($0.subscriptionGroup) }
        groupsWithoutSwitch = groups.values.filter { $0.count == 1 }.compactMap(\.first)
            .sorted { $0.productId < $1.productId }
            .map { Group(name: $0.subscriptionGroup, productIds: [$0.productId]) }
    }

    private static func cell(
        _ slot: DefaultSlot, _ wanted: UUID?, _ messages: [MessageID], _ facts: SyncFacts,
        _ standings: [TextPlace: TextStanding]
    ) -> CoverageCell {
        let known = facts.observed.defaults[slot]
        let place = facts.desired.defaults[slot]
        let shown = known.flatMap { $0.isUncertain ? nil : $0.appleId }
        let status: CoverageCell.DefaultStatus =
            shown != nil
            ? .inForce
            : place.map { CoverageCell.DefaultStatus(standings[$0]?.status ?? .notUploaded) }
                ?? .missing
        return CoverageCell(
            productId: slot.productId, locale: slot.locale, defaultStatus: status,
            isDefaultNewest: shown.map { $0 == wanted },
            realTimeStatus: realTime(messages, slot.locale, standings))
    }

    private static func realTime(
        _ messages: [MessageID], _ locale: String, _ standings: [TextPlace: TextStanding]
    ) -> CoverageCell.RealTimeStatus {
        if messages.isEmpty { return .notUsed }
        let farthest = messages.compactMap {
            standings[TextPlace(message: $0, locale: locale)]?.status
        }.max()
        return farthest.map(CoverageCell.RealTimeStatus.init) ?? .missing
    }
}
