// /v1/apps/{appId}/rule-set-draft, rule-sets: which answer for whom.
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
        .post("copyRuleSet", "\(versions)/{version}/copies", .rules, copy),
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

    /// Rule by rule, so that the audit shows those that differ and not all of them twice.
    static func auditForm(_ ruleSet: RuleSet) -> JSONTree {
        let rules = ruleSet.rules.map { ($0.id.description, RuleSetBody.form($0)) }
        var members = Dictionary(rules, uniquingKeysWith: { first, _ in first })
        members["order"] = .texts(ruleSet.rules.map(\.id.description))
        members["holdout"] = RuleSetBody.form(ruleSet.holdout)
        members["governor"] = RuleSetBody.form(ruleSet.governor)
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
        try requireChosenHoldout(of: ruleSet)
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

    /// - Throws: 409 for rules of version 1 that are to be served anew: they would hold nobody out,
    ///   and nobody has confirmed that.
    static func requireChosenHoldout(of ruleSet: RuleSet) throws {
        guard ruleSet.hasChosenHoldout else { throw Problem(.conflict, noHoldoutChosen) }
    }

    static let noHoldoutChosen =
        "These rules were written as version 1, which has no holdout; send them again as version "
        + "\(RuleSet.schemaVersion), with a holdout."

    /// - Parameter pointer: where the rules stand in the body, "" for those that are stored.
    static func requireReferences(
        of ruleSet: RuleSet, in app: AppID,
        _ environments: [StoreEnvironment] = StoreEnvironment.allCases, at pointer: String,
        _ call: Call
    ) throws {
        let references = try call.transaction.ruleReferences(of: ruleSet, in: app)
        let problems = RuleReferenceCheck(
            ruleSet, references, in: environments, at: pointer
        ).problems
        if !problems.isEmpty { throw Problem.validation(problems) }
    }

    /// - Throws: 404, and 409 for a form that this release does not read: what it cannot judge must
    ///   not be served, shown in part or copied.
    static func found(_ version: Int32, of app: AppID, _ call: Call) throws -> StoredRuleSet {
        do {
            guard let found = try call.transaction.findRuleSet(version: version, of: app) else {
                throw Problem.notFound
            }
            return found
        } catch is DecodingError {
            throw Problem(
                .conflict,
                "Another release wrote this version in a form that this one does not read.")
        }
    }

    // MARK: - Copies

    /// Makes a draft of the rules in another app, whose messages have the same names.
    private static func copy(_ call: Call) throws -> Answer {
        let app = try call.app()
        let stored = try found(try call.number("version"), of: app, call)
        try requireChosenHoldout(of: stored.ruleSet)
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
