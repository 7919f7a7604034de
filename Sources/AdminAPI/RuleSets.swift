// /v1/apps/{appId}/rule-set-draft, rule-sets, publications: which answer for whom.
//
//     draft ── POST rule-sets ──> version n ── POST …/publications ──> in force, next snapshot
//
// A version never changes; an older one that is published again is a rollback.
internal import HTTPServer
internal import Retention
internal import RetentionStore

enum RuleSets {
    private static let draft = "/v1/apps/{appId}/rule-set-draft"
    private static let versions = "/v1/apps/{appId}/rule-sets"

    static let operations: [Operation] = [
        .get("getRuleSetDraft", draft, .rules, getDraft),
        .put("putRuleSetDraft", draft, .rules, putDraft),
        .delete("deleteRuleSetDraft", draft, .rules, deleteDraft),
        .list("listRuleSets", versions, .rules, list),
        .post("createRuleSet", versions, .rules, freeze),
        .get("getRuleSet", "\(versions)/{version}", .rules, get),
        .post(
            "createPublication", "\(versions)/{version}/publications", .rules,
            query: ["environment"], idempotency: .required, publish),
        .post("copyRuleSet", "\(versions)/{version}/copies", .rules, copy),
        .list(
            "listPublications", "/v1/apps/{appId}/publications", .rules, query: ["environment"],
            listPublications),
    ]

    // MARK: - Shapes

    private static func form(_ row: RuleSetSummary) -> JSONTree {
        [
            "version": .integer(Int64(row.version)), "ruleCount": .integer(Int64(row.ruleCount)),
            "createdAt": .instant(row.createdAt), "createdBy": .actor(row.createdBy),
        ]
    }

    private static func form(_ stored: StoredRuleSet) -> JSONTree {
        [
            "version": .integer(Int64(stored.version)),
            "ruleSet": RuleSetBody.form(stored.ruleSet),
            "createdAt": .instant(stored.createdAt), "createdBy": .actor(stored.createdBy),
        ]
    }

    private static func form(_ publication: StoredPublication) -> JSONTree {
        [
            "id": .id(publication.id), "version": .integer(Int64(publication.version)),
            "environment": .string(publication.environment.rawValue),
            "publishedAt": .instant(publication.publishedAt),
            "publishedBy": .actor(publication.publishedBy),
            "snapshotNumber": .integer(publication.snapshotNumber),
        ]
    }

    /// Rule by rule, so that the audit shows those that differ and not all of them twice.
    static func auditForm(_ ruleSet: RuleSet) -> JSONTree {
        let rules = ruleSet.rules.map { ($0.id.description, RuleSetBody.form($0)) }
        var members = Dictionary(rules, uniquingKeysWith: { first, _ in first })
        members["order"] = .texts(ruleSet.rules.map(\.id.description))
        return .object(members)
    }

    private static func draftPath(_ app: AppID) -> String { "/v1/apps/\(app)/rule-set-draft" }

    // MARK: - The draft

    private static func getDraft(_ call: Call) throws -> Answer {
        guard let draft = try call.transaction.findRuleSetDraft(of: try call.app()) else {
            throw Problem.notFound
        }
        return .resource(RuleSetBody.form(draft))
    }

    /// Only its form is judged: what it names may still have to be made.
    private static func putDraft(_ call: Call) throws -> Answer {
        let app = try call.app()
        let old = try call.transaction.findRuleSetDraft(of: app, forUpdate: true)
        try call.requireMatch(ifThere: old.map(RuleSetBody.form))
        var reader = BodyReader(try call.body())
        let new = RuleSetBody.read(&reader)
        try reader.finish()
        if let old {
            try call.transaction.updateRuleSetDraft(new, of: app)
            try audit("ruleSetDraft.update", app, call, before: old, after: new)
            return .resource(RuleSetBody.form(new))
        }
        try call.transaction.createRuleSetDraft(new, of: app)
        try audit("ruleSetDraft.create", app, call, after: new)
        return .created(RuleSetBody.form(new), at: draftPath(app))
    }

    private static func deleteDraft(_ call: Call) throws -> Answer {
        let app = try call.app()
        guard let old = try call.transaction.findRuleSetDraft(of: app, forUpdate: true) else {
            throw Problem.notFound
        }
        try call.requireMatch(RuleSetBody.form(old))
        try call.transaction.deleteRuleSetDraft(of: app)
        try audit("ruleSetDraft.delete", app, call, before: old)
        return .noContent
    }

    private static func audit(
        _ action: String, _ app: AppID, _ call: Call, before: RuleSet? = nil,
        after: RuleSet? = nil
    ) throws {
        try call.audit(
            action, "ruleSetDraft", app.description, app: app, before: before.map(auditForm),
            after: after.map(auditForm))
    }

    // MARK: - Versions

    private static func list(_ call: Call) throws -> Answer {
        let app = try call.app()
        let page = try call.page()
        let rows = try call.transaction.listRuleSets(
            of: app, before: try page.number(), limit: page.rowsWanted)
        return call.list(rows, page, keys: { [String($0.version)] }, form: form)
    }

    private static func get(_ call: Call) throws -> Answer {
        .resource(form(try found(try call.number("version"), of: try call.app(), call)))
    }

    /// Freezes the draft, which is no draft any more then, or the rule set in the body.
    private static func freeze(_ call: Call) throws -> Answer {
        let app = try call.app()
        var reader = BodyReader(try call.body())
        let given = reader.optionalObject("ruleSet", RuleSetBody.read)
        try reader.finish()
        let draft =
            given == nil ? try call.transaction.findRuleSetDraft(of: app, forUpdate: true) : nil
        guard let ruleSet = given ?? draft else {
            throw Problem(
                .conflict, "There is no draft to freeze; put one, or send the ruleSet itself.")
        }
        try requireReferences(of: ruleSet, in: app, at: given == nil ? "" : "/ruleSet", call)
        let version = try call.transaction.createRuleSet(ruleSet, of: app)
        if let draft {
            try call.transaction.deleteRuleSetDraft(of: app)
            try audit("ruleSetDraft.freeze", app, call, before: draft)
        }
        try call.audit(
            "ruleSet.create", "ruleSet", String(version), app: app, after: auditForm(ruleSet))
        return .created(
            form(try found(version, of: app, call)), at: "/v1/apps/\(app)/rule-sets/\(version)")
    }

    /// - Parameter pointer: where the rules stand in the body, "" for those that are stored.
    private static func requireReferences(
        of ruleSet: RuleSet, in app: AppID, at pointer: String, _ call: Call
    ) throws {
        let references = try call.transaction.ruleReferences(of: ruleSet, in: app)
        let problems = RuleReferenceCheck(ruleSet, references, at: pointer).problems
        if !problems.isEmpty { throw Problem.validation(problems) }
    }

    private static func found(
        _ version: Int32, of app: AppID, _ call: Call
    ) throws -> StoredRuleSet {
        guard let found = try call.transaction.findRuleSet(version: version, of: app) else {
            throw Problem.notFound
        }
        return found
    }

    // MARK: - Publications

    /// Looks again at what the rules name: it may be gone since they were frozen.
    private static func publish(_ call: Call) throws -> Answer {
        let app = try call.app()
        let key = AppEnvironment(app: app, environment: try call.environment())
        var reader = BodyReader(try call.body())
        try reader.finish()
        let ruleSet = try found(try call.number("version"), of: app, call)
        try requireReferences(of: ruleSet.ruleSet, in: app, at: "", call)
        let former = try call.transaction.findPublishedVersion(at: key)
        let id = try call.transaction.publishRuleSet(version: ruleSet.version, at: key)
        guard let publication = try call.transaction.findPublication(id, at: key) else {
            throw Problem.notFound
        }
        let after = form(publication)
        try call.audit(
            "publication.create", "publication", id.description, app: app,
            before: former.map { ["version": .integer(Int64($0))] }, after: after)
        let number = publication.snapshotNumber
        return .created(
            after,
            at: "/v1/apps/\(app)/snapshots/\(number)?environment=\(key.environment.rawValue)")
    }

    private static func listPublications(_ call: Call) throws -> Answer {
        let key = AppEnvironment(
            app: try call.app(), environment: try call.environment())
        let page = try call.page()
        let rows = try call.transaction.listPublications(
            at: key, before: try page.identifier(), limit: page.rowsWanted)
        return call.list(rows, page, keys: { [$0.id.description] }, form: form)
    }

    // MARK: - Copies

    /// Makes a draft of the rules in another app, whose messages have the same names.
    private static func copy(_ call: Call) throws -> Answer {
        let app = try call.app()
        let stored = try found(try call.number("version"), of: app, call)
        var reader = BodyReader(try call.body())
        let target: AppID? = reader.identifier("appId")
        if let target, try !call.transaction.hasApp(target) { reader.noteUnknown("appId") }
        try reader.finish()
        guard let target else { throw Problem.notFound }
        guard try call.transaction.findRuleSetDraft(of: target, forUpdate: true) == nil else {
            throw Problem(
                .conflict, "That app has a draft; freeze or delete it first, so that it stays.")
        }
        let (copied, problems) = try RuleSetTranslation(call.transaction, from: app, to: target)
            .translated(stored.ruleSet)
        if !problems.isEmpty { throw Problem.validation(problems) }
        try call.transaction.createRuleSetDraft(copied, of: target)
        try audit("ruleSetDraft.create", target, call, after: copied)
        return .created(RuleSetBody.form(copied), at: draftPath(target))
    }
}

/// Rules of one app in the words of another: its messages have the same names and other
/// identifiers. Products and offers are Apple's names and stay; freezing looks whether they exist.
struct RuleSetTranslation {
    private let transaction: TenantTransaction
    private let source: AppID
    private let target: AppID

    init(_ transaction: TenantTransaction, from source: AppID, to target: AppID) {
        self.transaction = transaction
        self.source = source
        self.target = target
    }

    /// - Returns: the rules whose messages are there, and a problem for each one whose is not.
    func translated(_ ruleSet: RuleSet) throws -> (RuleSet, [FieldProblem]) {
        let ids = Array(Set(ruleSet.rules.flatMap(\.messageIds)))
        let names = try transaction.messageNames(ids, of: source)
        let named = ids.filter { names[$0] != nil }
        let others = try transaction.messageIds(named: named.compactMap { names[$0] }, of: target)
        let pairs = zip(named, others).compactMap { old, new in new.map { (old, $0) } }
        let translation = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
        var problems: [FieldProblem] = []
        var rules: [Rule] = []
        for (index, rule) in ruleSet.rules.enumerated() {
            guard let old = rule.treatment.messageId else {
                rules.append(rule)
                continue
            }
            guard let new = translation[old] else {
                let name = names[old].map { "“\($0)”" } ?? "of the name that \(old) had"
                problems.append(
                    FieldProblem(
                        .pointer("/rules/\(index)/treatment/messageId"), .unknownReference,
                        "That app has no message \(name); copy it there first."))
                continue
            }
            rules.append(
                Rule(
                    id: rule.id, name: rule.name, when: rule.when,
                    treatment: rule.treatment.saying(new)))
        }
        return (RuleSet(rules: rules), problems)
    }
}

extension Treatment {
    /// The same with another message.
    fileprivate func saying(_ message: MessageID) -> Treatment {
        switch self {
        case .message: .message(message)
        case .switchPlan(_, let productId, let plan):
            .switchPlan(message, productId: productId, billingPlanType: plan)
        case .promotionalOffer(_, let productId, let offer):
            .promotionalOffer(message, productId: productId, offerIdentifier: offer)
        case .fallback: .fallback
        }
    }
}
