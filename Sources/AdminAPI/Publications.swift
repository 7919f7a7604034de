// /v1/apps/{appId}/publications: which rules were put in force where, by whom, and what changed.
internal import HTTPServer
internal import Retention
internal import RetentionStore

enum Publications {
    private static let path = "/v1/apps/{appId}/publications"

    static let operations: [Operation] = [
        .post(
            "createPublication", "/v1/apps/{appId}/rule-sets/{version}/publications", .rules,
            query: ["environment"], idempotency: .required, create),
        .list("listPublications", path, .rules, query: ["environment"], list),
        .get("getPublication", "\(path)/{publicationId}", .rules, get),
    ]

    // MARK: - Shapes

    private static func form(_ publication: StoredPublication) -> JSONTree {
        [
            "id": .id(publication.id), "version": .integer(Int64(publication.version)),
            "environment": .string(publication.environment.rawValue),
            "publishedAt": .instant(publication.publishedAt),
            "publishedBy": .actor(publication.publishedBy),
            "snapshotNumber": .integer(publication.snapshotNumber),
            "replacedVersion": .optional(publication.replacedVersion) { .integer(Int64($0)) },
            "isRollback": .boolean(publication.isRollback),
        ]
    }

    /// `null` where another release wrote one of the two.
    private static func changes(
        of publication: StoredPublication, in app: AppID, _ call: Call
    ) throws -> JSONTree {
        do {
            let after = try call.transaction.findRuleSet(version: publication.version, of: app)
            let before = try publication.replacedVersion.flatMap {
                try call.transaction.findRuleSet(version: $0, of: app)
            }
            guard let after else { return .null }
            return RuleSetChanges(
                from: before?.ruleSet ?? RuleSet(rules: []), to: after.ruleSet
            ).form
        } catch is DecodingError {
            return .null
        }
    }

    // MARK: - Handlers

    /// Looks again at what the rules name, which may be gone since they were frozen, and at what
    /// Apple has approved there.
    private static func create(_ call: Call) throws -> Answer {
        let app = try call.app()
        let key = AppEnvironment(app: app, environment: try call.environment())
        var reader = BodyReader(try call.body())
        try reader.finish()
        let stored = try RuleSets.found(try call.number("version"), of: app, call)
        let warnings = try requirePublishable(stored, at: key, call)
        let former = try call.transaction.findPublishedVersion(at: key)
        let id = try call.transaction.publishRuleSet(version: stored.version, at: key)
        guard let publication = try call.transaction.findPublication(id, of: app) else {
            throw Problem.notFound
        }
        let after = form(publication)
        try call.audit(
            "publication.create", "publication", id.description, app: app,
            before: former.map { ["version": .integer(Int64($0))] }, after: after)
        return .created(
            after.merging(["warnings": .array(warnings.map(\.form))]),
            taggedAs: after.merging(["changes": try changes(of: publication, in: app, call)]),
            at: "/v1/apps/\(app)/publications/\(id)")
    }

    private static func requirePublishable(
        _ stored: StoredRuleSet, at key: AppEnvironment, _ call: Call
    ) throws -> [PublicationCheck.Warning] {
        let (ruleSet, transaction) = (stored.ruleSet, call.transaction)
        let wasInForce = try transaction.wasPublished(version: stored.version, at: key)
        if !wasInForce { try RuleSets.requireChosenHoldout(of: ruleSet) }
        try RuleSets.requireReferences(of: ruleSet, in: key.app, [key.environment], at: "", call)
        let check = PublicationCheck(
            try transaction.prospectiveSnapshot(at: key, ruleSet, withStop: false),
            locales: try transaction.messageLocales(
                ruleSet.rules.flatMap(\.messageIds), of: key.app),
            wasInForce: wasInForce, now: call.now)
        if !check.problems.isEmpty { throw Problem.validation(check.problems) }
        return check.warnings
    }

    private static func list(_ call: Call) throws -> Answer {
        let key = AppEnvironment(
            app: try call.app(), environment: try call.environment())
        let page = try call.page()
        let rows = try call.transaction.listPublications(
            at: key, before: try page.identifier(), limit: page.rowsWanted)
        return call.list(rows, page, keys: { [$0.id.description] }, form: form)
    }

    private static func get(_ call: Call) throws -> Answer {
        let app = try call.app()
        let found = try call.transaction.findPublication(
            try call.identifier("publicationId"), of: app)
        guard let found else { throw Problem.notFound }
        return .resource(
            form(found).merging(["changes": try changes(of: found, in: app, call)]))
    }
}
