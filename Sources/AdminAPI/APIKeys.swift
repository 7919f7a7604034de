// /v1/api-keys: who may use this API. Keys that are limited to clients or apps manage none: the
// gateway refuses them for the whole group, and so does row security.
internal import HTTPServer
internal import Retention
internal import RetentionStore
internal import Service

enum APIKeys {
    static let operations: [Operation] = [
        .list("listApiKeys", "/v1/api-keys", .keys, list),
        .post("createApiKey", "/v1/api-keys", .keys, idempotency: .required, create),
        .get("getApiKey", "/v1/api-keys/{apiKeyId}", .keys, get),
        .patch("updateApiKey", "/v1/api-keys/{apiKeyId}", .keys, update),
        .delete("deleteApiKey", "/v1/api-keys/{apiKeyId}", .keys, revoke),
    ]

    /// Scopes in a request; there are no more to name.
    private static let scopesLimit = 20
    /// Clients, and likewise apps, that one key can be limited to.
    private static let limitsLimit = 200

    // MARK: - Shapes

    /// What can be changed later.
    private struct Content {
        let name: String
        let expiresAt: Instant?

        init(_ reader: inout BodyReader) {
            name = reader.text("name")
            expiresAt = reader.optionalInstant("expiresAt")
        }

        /// A time that has passed would make a key that never worked.
        func requireFuture(_ reader: inout BodyReader, _ call: Call) {
            guard let expiresAt, expiresAt <= call.now else { return }
            reader.note("expiresAt", .outOfRange, "expiresAt is in the future; or revoke the key.")
        }

        /// A key gives nobody more time than it has itself.
        func requireWithin(_ giver: Principal, _ reader: inout BodyReader) {
            guard let end = giver.expiresAt else { return }
            if let expiresAt, expiresAt <= end { return }
            reader.note(
                "expiresAt", .notAllowed,
                "The calling key ends at \(InstantText.rfc3339(milliseconds: end.milliseconds)); "
                    + "what it gives ends no later.")
        }
    }

    private struct NewContent {
        let content: Content
        let scopes: [AccessScope]
        let clients: [ClientID]?
        let apps: [AppID]?

        init(_ call: Call) throws {
            var reader = BodyReader(try call.body())
            content = Content(&reader)
            content.requireFuture(&reader, call)
            content.requireWithin(call.principal, &reader)
            scopes = Self.scopes(&reader, call.principal)
            clients = Self.limits(&reader, "clientIds")
            apps = Self.limits(&reader, "appIds")
            // Looked up even where something else is wrong: one answer names it all.
            for index in try call.transaction.missing(clients: clients ?? []) {
                reader.noteUnknown("clientIds/\(index)")
            }
            for index in try call.transaction.missing(apps: apps ?? []) {
                reader.noteUnknown("appIds/\(index)")
            }
            try reader.finish()
        }

        private static func scopes(
            _ reader: inout BodyReader, _ giver: Principal
        ) -> [AccessScope] {
            let isGiven = reader.take("scopes") != nil
            let words = reader.texts("scopes", limit: APIKeys.scopesLimit, 1...64)
            if words.isEmpty, !isGiven || reader.problems.isEmpty {
                reader.note("scopes", isGiven ? .tooShort : .required, "Name at least one scope.")
            }
            var scopes: [AccessScope] = []
            for (index, word) in words.enumerated() {
                let place = "scopes/\(index)"
                guard let scope = AccessScope(word) else {
                    let list = AccessScope.all.map(\.description).joined(separator: ", ")
                    reader.note(place, .unknownValue, "A scope is one of: \(list).")
                    continue
                }
                if scopes.contains(scope) {
                    reader.note(place, .duplicate, "\(scope) is named twice.")
                } else if !giver.may(scope) {
                    reader.note(
                        place, .notAllowed, "The calling key has not \(scope), and cannot give it.")
                }
                scopes.append(scope)
            }
            return scopes
        }

        private static func limits<Kind>(
            _ reader: inout BodyReader, _ name: String
        ) -> [Identifier<Kind>]? {
            guard
                let list: [Identifier<Kind>] = reader.identifiers(
                    name, limit: APIKeys.limitsLimit)
            else { return nil }
            if reader.take(name) == .array([]) {
                reader.note(name, .tooShort, "Name at least one, or leave \(name) out: no limit.")
            }
            for (index, id) in list.enumerated() where list.prefix(index).contains(id) {
                reader.note("\(name)/\(index)", .duplicate, "\(id) is named twice.")
            }
            return list
        }
    }

    /// A limited key shows both lists: an empty one lets it see none of its kind.
    private static func form(_ key: StoredAPIKey) -> JSONTree {
        [
            "id": .id(key.id), "name": .string(key.name), "scopes": .texts(key.scopes),
            "clientIds": key.isLimited ? .array(key.clients.map(JSONTree.id)) : .null,
            "appIds": key.isLimited ? .array(key.apps.map(JSONTree.id)) : .null,
            "createdAt": .instant(key.createdAt), "createdBy": .actor(key.createdBy),
            "expiresAt": .optional(key.expiresAt, JSONTree.instant),
            "revokedAt": .optional(key.revokedAt, JSONTree.instant),
            "lastUsedAt": .optional(key.lastUsedAt, JSONTree.instant),
        ]
    }

    /// What the `ETag` is of: nobody's edit is stale because the key was used meanwhile.
    private static func tagged(_ key: StoredAPIKey) -> JSONTree {
        form(key).merging(["lastUsedAt": .null])
    }

    /// What `PATCH` is merged onto.
    private static func content(_ key: StoredAPIKey) -> JSONTree {
        var members: [String: JSONTree] = ["name": .string(key.name)]
        members["expiresAt"] = key.expiresAt.map(JSONTree.instant)
        return .object(members)
    }

    // MARK: - Handlers

    private static func list(_ call: Call) throws -> Answer {
        let page = try call.page()
        let rows = try call.transaction.listAPIKeys(
            after: try page.identifier(), limit: page.rowsWanted)
        return call.list(rows, page, keys: { [$0.id.description] }, form: form)
    }

    private static func create(_ call: Call) throws -> Answer {
        let new = try NewContent(call)
        let quota = try call.transaction.tenantQuota()
        guard try call.transaction.lockUsage().apiKeys < quota.apiKeys else {
            throw Problem(
                .quotaExceeded,
                "The tenant may have \(quota.apiKeys) API keys; revoke some, or ask for more.")
        }
        let id = APIKeyID.make(at: call.now)
        let token = try call.transaction.createAPIKey(
            NewAPIKey(
                id: id, name: new.content.name, scopes: new.scopes, clients: new.clients,
                apps: new.apps, expiresAt: new.content.expiresAt))
        let key = try found(id, call)
        try call.audit("apiKey.create", "apiKey", id.description, after: form(key))
        return .created(
            form(key), withSecrets: ["secret": .string(token.text)], at: "/v1/api-keys/\(id)")
    }

    private static func get(_ call: Call) throws -> Answer {
        let key = try found(try call.identifier("apiKeyId"), call)
        return .resource(form(key), taggedAs: tagged(key))
    }

    private static func update(_ call: Call) throws -> Answer {
        let id: APIKeyID = try call.identifier("apiKeyId")
        let old = try found(id, call, forUpdate: true)
        try call.requireMatch(tagged(old))
        var reader = BodyReader(content(old).merged(with: try call.body()))
        let content = Content(&reader)
        if content.expiresAt != old.expiresAt {
            requireGivable(old, call, &reader)
            content.requireFuture(&reader, call)
            content.requireWithin(call.principal, &reader)
        }
        try reader.finish()
        guard old.revokedAt == nil else {
            throw Problem.validation([
                FieldProblem(
                    .pointer(""), .notAllowed, "The key is revoked for good; make a new one.")
            ])
        }
        try call.transaction.updateAPIKey(id, name: content.name, expiresAt: content.expiresAt)
        let new = try found(id, call)
        try call.audit(
            "apiKey.update", "apiKey", id.description, before: tagged(old), after: tagged(new))
        return .resource(form(new), taggedAs: tagged(new))
    }

    /// More time is for keys that live, and that the caller could have made.
    private static func requireGivable(
        _ key: StoredAPIKey, _ call: Call, _ reader: inout BodyReader
    ) {
        if let end = key.expiresAt, end <= call.now {
            reader.note("expiresAt", .notAllowed, "The key has expired for good; make a new one.")
        }
        let lacked = key.scopes.compactMap { AccessScope($0) }.filter { !call.principal.may($0) }
        if !lacked.isEmpty {
            let list = lacked.map(\.description).joined(separator: ", ")
            reader.note("expiresAt", .notAllowed, "The calling key has not \(list) of this key.")
        }
    }

    /// The key is refused from the next request on. It stays listed, for the audit names it.
    private static func revoke(_ call: Call) throws -> Answer {
        let id: APIKeyID = try call.identifier("apiKeyId")
        let old = try found(id, call, forUpdate: true)
        try call.requireMatch(tagged(old))
        guard try call.transaction.revokeAPIKey(id) else { return .noContent }
        try call.audit(
            "apiKey.revoke", "apiKey", id.description, before: tagged(old),
            after: tagged(try found(id, call)))
        return .noContent
    }

    private static func found(
        _ id: APIKeyID, _ call: Call, forUpdate: Bool = false
    ) throws -> StoredAPIKey {
        if forUpdate { try call.transaction.lockAPIKey(id) }
        guard let key = try call.transaction.findAPIKey(id) else { throw Problem.notFound }
        return key
    }
}
