import Foundation
import Retention
import Testing

@Suite struct CoverageTests {
    private static let now = Instant(milliseconds: 1_800_000_000_000)
    private static let message = MessageID(UUID())
    private static let newest = UUID()
    private static let former = UUID()
    private static let picture = UUID()
    private static let slot = DefaultSlot(productId: "monthly", locale: "en-US")
    private static let place = TextPlace(message: message, locale: "en-US")

    private static let products = [
        Product(productId: "monthly", subscriptionGroup: "main", period: "P1M", billingPlans: []),
        Product(productId: "yearly", subscriptionGroup: "main", period: "P1Y", billingPlans: []),
        Product(productId: "extra", subscriptionGroup: "side", period: "P1M", billingPlans: []),
    ]

    /// One text with a picture is wanted, and is the default of one product.
    private struct Sync {
        var desired = DesiredState(
            environment: .production, images: [picture],
            texts: [
                WantedText(
                    message: message, locale: "en-US", kind: .text, appleId: newest,
                    images: [picture])
            ], defaults: [slot: place])
        var observed = ObservedState()

        mutating func set(
            _ id: UUID, _ state: ReviewState, _ presence: AppleObject.Presence = .listed,
            kind: AppleObjectKind = .message
        ) {
            observed.objects[id] = AppleObject(
                kind: kind, id: id, isOurs: true, presence: presence, state: state)
        }

        func report(rules: [Rule] = [], locales: [String] = ["en-US", "ja"]) -> CoverageReport {
            CoverageReport(
                SyncFacts(desired: desired, observed: observed), products: products,
                locales: locales, rules: RuleSet(rules: rules))
        }

        func cell(rules: [Rule] = []) -> CoverageCell? { report(rules: rules).cells.first }
    }

    private static func rule(_ conditions: Condition = .always) -> Rule {
        Rule(id: RuleID(UUID()), name: "r", when: conditions, treatment: .message(message))
    }

    @Test func `a default goes from missing to in force`() {
        var sync = Sync()
        #expect(sync.cell()?.defaultStatus == .notUploaded)
        sync.set(Self.newest, .pending, .uploaded)
        sync.set(Self.picture, .pending, kind: .image)
        #expect(sync.cell()?.defaultStatus == .pending)
        sync.set(Self.newest, .approved)
        #expect(sync.cell()?.defaultStatus == .pending)
        sync.set(Self.picture, .rejected, kind: .image)
        #expect(sync.cell()?.defaultStatus == .rejected)
        sync.set(Self.picture, .approved, kind: .image)
        #expect(sync.cell()?.defaultStatus == .approved)
        #expect(sync.cell()?.isDefaultNewest == nil)
        sync.observed.defaults[Self.slot] = ObservedDefault(
            appleId: Self.newest, isUncertain: true)
        #expect(sync.cell()?.defaultStatus == .approved)
        sync.observed.defaults[Self.slot] = ObservedDefault(appleId: Self.newest)
        #expect(sync.cell()?.defaultStatus == .inForce)
        #expect(sync.cell()?.isDefaultNewest == true)
        sync.observed.defaults[Self.slot] = ObservedDefault(appleId: Self.former)
        #expect(sync.cell()?.defaultStatus == .inForce)
        #expect(sync.cell()?.isDefaultNewest == false)
        sync.desired.defaults = [:]
        sync.observed.defaults = [:]
        #expect(sync.cell()?.defaultStatus == .missing)
    }

    @Test func `what Apple refused counts as rejected, what is going as not there`() {
        var sync = Sync()
        sync.set(Self.newest, .pending, .refused)
        #expect(sync.cell()?.defaultStatus == .rejected)
        sync.set(Self.newest, .approved, .withdrawing)
        #expect(sync.cell()?.defaultStatus == .notUploaded)
    }

    @Test func `a new wording in review leaves the one before it approved`() {
        var sync = Sync()
        sync.set(Self.newest, .pending)
        sync.set(Self.former, .approved)
        sync.desired.served = [Self.place: Self.former]
        let facts = SyncFacts(desired: sync.desired, observed: sync.observed)
        let standing = TextStanding(sync.desired.texts[0], facts)
        #expect(standing.status == .approved)
        #expect(sync.cell(rules: [Self.rule()])?.realTimeStatus == .approved)
        sync.set(Self.former, .rejected)
        #expect(sync.cell(rules: [Self.rule()])?.realTimeStatus == .pending)
    }

    @Test func `real-time text is what rules may choose for the product`() {
        let sync = Sync()
        let rules = [
            Self.rule(Condition.of(productIds: ["monthly"])),
            Self.rule(Condition.of(productIds: ["yearly"], environments: [.sandbox])),
        ]
        let cells = sync.report(rules: rules).cells.map {
            "\($0.productId) \($0.locale) \($0.realTimeStatus.rawValue)"
        }
        #expect(
            cells == [
                "monthly en-US notUploaded", "monthly ja missing", "yearly en-US notUsed",
                "yearly ja notUsed", "extra en-US notUsed", "extra ja notUsed",
            ])
    }

    @Test func `holes are where Apple shows no default`() {
        var sync = Sync()
        sync.observed.defaults[Self.slot] = ObservedDefault(appleId: Self.newest)
        let report = sync.report()
        #expect(report.holes.count == 5)
        #expect(!report.holes.contains { $0.productId == "monthly" && $0.locale == "en-US" })
        #expect(CoverageReport.defaultRule.contains("is not verified"))
    }

    @Test func `a group of one product has none to switch to`() {
        let groups = Sync().report().groupsWithoutSwitch
        #expect(groups.map(\.name) == ["side"])
        #expect(groups.map(\.productIds) == [["extra"]])
    }
}
