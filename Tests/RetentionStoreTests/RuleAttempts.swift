import Foundation
import Operator
import Postgres
import Retention
import RetentionStore

/// What the isolation tests try on another agency's rules, snapshots and names.
extension IsolationTests {
    private static let rules = RuleSet(rules: [])

    /// Refused.
    func ruleAttempts(_ agencies: Agencies) -> [Attempt] {
        let key = agencies.first.keys[0]
        return [
            ("createRuleSet", { _ = try $0.createRuleSet(Self.rules, of: key.app) }),
            ("createRuleSetDraft", { try $0.createRuleSetDraft(Self.rules, of: key.app) }),
            ("publishRuleSet", { _ = try $0.publishRuleSet(version: 1, at: key) }),
        ]
    }

    /// Does nothing to the first agency, and finds nothing of it.
    func ruleAdditions(_ agencies: Agencies) throws -> [Attempt] {
        let key = agencies.first.keys[0]
        let tenant = agencies.first.scope.tenant.uuid
        let message: UUID = try agencies.value(
            "select message_id from holdfast.message where tenant_id = \(tenant)")
        let name: String = try agencies.value(
            "select name from holdfast.message where tenant_id = \(tenant)")
        let client: UUID = try agencies.value(
            "select client_id from holdfast.client where tenant_id = \(tenant)")
        try agencies.change(agencies.first) { transaction in
            if try transaction.findRuleSetDraft(of: key.app) == nil {
                try transaction.createRuleSetDraft(Self.rules, of: key.app)
            }
        }
        return draftAdditions(key) + readAdditions(key) + decisionAdditions(key)
            + nameAdditions(
                key, message: MessageID(message), name: name, client: ClientID(client))
    }

    private func draftAdditions(_ key: AppEnvironment) -> [Attempt] {
        [
            (
                "findRuleSetDraft",
                { try expectNothing(try $0.findRuleSetDraft(of: key.app, forUpdate: true)) }
            ),
            (
                "updateRuleSetDraft",
                {
                    let rule = Rule(
                        id: RuleID(UUID()), name: "x", when: .always, treatment: .fallback)
                    try $0.updateRuleSetDraft(RuleSet(rules: [rule]), of: key.app)
                }
            ),
            ("deleteRuleSetDraft", { try $0.deleteRuleSetDraft(of: key.app) }),
        ]
    }

    private func readAdditions(_ key: AppEnvironment) -> [Attempt] {
        [
            (
                "findRuleSet", { try expectNothing(try $0.findRuleSet(version: 1, of: key.app)) }
            ),
            (
                "listRuleSets",
                {
                    try expectNothing(try $0.listRuleSets(of: key.app, before: nil, limit: 9).first)
                }
            ),
            (
                "listPublications",
                {
                    try expectNothing(
                        try $0.listPublications(at: key, before: nil, limit: 9).first)
                }
            ),
            (
                "findPublication",
                { try expectNothing(try $0.findPublication(PublicationID(UUID()), of: key.app)) }
            ),
            (
                "findPublishedVersion", { try expectNothing(try $0.findPublishedVersion(at: key)) }
            ),
            (
                "listSnapshots",
                { try expectNothing(try $0.listSnapshots(at: key, before: nil, limit: 9).first) }
            ),
            (
                "wasPublished",
                {
                    guard try !$0.wasPublished(version: 1, at: key) else { throw FoundForeign() }
                }
            ),
        ]
    }

    private func decisionAdditions(_ key: AppEnvironment) -> [Attempt] {
        [
            (
                "findServedSnapshot",
                { try expectNothing(try $0.findServedSnapshot(number: 1, at: key)) }
            ),
            (
                "prospectiveSnapshot",
                {
                    // Of an app that is not there, it is refused.
                    let foreign = try? $0.prospectiveSnapshot(at: key, RuleSet(rules: []))
                    try expectNothing(foreign)
                }
            ),
            (
                "budgetReading",
                {
                    let budget = Governor.Budget(amountMilliunits: 1, currency: "EUR")
                    let governor = Governor(
                        offersPerSubscriber: nil, coolDownDays: nil, monthlyDiscountBudget: budget)
                    let snapshot = Snapshot(
                        tenant: TenantID(UUID()), app: key.app, environment: key.environment,
                        number: 1, bundleId: "x", appAppleId: 1, defaultLocale: "en-US",
                        endpointTokenHashes: [], products: [], offers: [], messages: [],
                        defaults: [], ruleSet: RuleSet(rules: [], governor: governor),
                        signingKey: nil)
                    guard try $0.budgetReading(of: snapshot, at: $0.now) == .nothing else {
                        throw FoundForeign()
                    }
                }
            ),
            (
                "findSubscriber",
                {
                    guard try $0.findSubscriber("1", at: key) == .absent else {
                        throw FoundForeign()
                    }
                }
            ),
            (
                "findDecision",
                {
                    let place = DecisionPlace(
                        signedDate: Instant(milliseconds: 0), requestIdentifier: UUID())
                    try expectNothing(try $0.findDecision(place, at: key))
                }
            ),
            // What it finds is held by "what reads finds nothing of another agency".
            ("countDecisions", { _ = try $0.countDecisions(at: key, DecisionSpan(), limit: 9) }),
            (
                "findRuleSetVersion",
                { try expectNothing(try $0.findRuleSetVersion(ofSnapshot: 9, at: key)) }
            ),
            ("findSnapshot", { try expectNothing(try $0.findSnapshot(number: 1, at: key)) }),
            ("listLiveResponders", { _ = try $0.listLiveResponders() }),
        ]
    }

    private func nameAdditions(
        _ key: AppEnvironment, message: MessageID, name: String, client: ClientID
    ) -> [Attempt] {
        let rule = Rule(
            id: RuleID(UUID()), name: "x", when: .always, treatment: .message(message))
        return [
            (
                "ruleReferences",
                {
                    let found = try $0.ruleReferences(of: RuleSet(rules: [rule]), in: key.app)
                    try expectNothing(found.messageKinds.first)
                    try expectNothing(found.product("com.example.tideline.plus.annual"))
                }
            ),
            (
                "messageLocales",
                { try expectNothing(try $0.messageLocales([message], of: key.app).first) }
            ),
            (
                "allocated",
                { _ = try $0.allocated(RuleSet(rules: []), of: key.app) }
            ),
            (
                "messageNames",
                { try expectNothing(try $0.messageNames([message], of: key.app).first) }
            ),
            (
                "messageIds",
                {
                    let names = try $0.messageIds(named: [name], of: key.app)
                    try expectNothing(names.compactMap(\.self).first)
                }
            ),
            (
                "missing",
                {
                    guard try $0.missing(clients: [client]) == [0],
                        try $0.missing(apps: [key.app]) == [0]
                    else { throw FoundForeign() }
                }
            ),
            (
                "listTexts",
                { try expectNothing(try $0.listTexts(of: key.app, after: nil, limit: 9).first) }
            ),
            (
                "findTexts",
                {
                    let place = TextName(message: name, locale: "en-US")
                    try expectNothing(try $0.findTexts([place], of: key.app).first)
                }
            ),
            (
                "lockMessages",
                { try expectNothing(try $0.lockMessages(named: [name], of: key.app).first) }
            ),
            (
                "copyImages",
                {
                    try expectNothing(
                        try $0.copyImages(from: key.app, to: key.app, limit: 9).first)
                }
            ),
            ("lockAPIKey", { try $0.lockAPIKey(APIKeyID(UUID())) }),
        ]
    }
}
