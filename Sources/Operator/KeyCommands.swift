// holdfast key create, key list, key revoke: the keys of an agency, above all its first one, which
// no API call can make.
internal import Retention
internal import RetentionStore
internal import Service

extension Command {
    private static let tenantOption = ArgumentGrammar.Option(
        "--tenant", value: "ID", "the agency, ten_…", .required)

    static let createKey = Command(
        name: "key create",
        meaning: "Make a key for the admin API; its secret is the last line, shown this once.",
        grammar: ArgumentGrammar(options: [
            tenantOption,
            .init("--name", value: "NAME", "what it is for, 1 to 200 characters", .required),
            .init(
                "--scopes", value: "LIST",
                "all, or a comma between: apps:read,content:write; write includes read", .required),
            .init("--client", value: "ID", "limit it to this client, cli_…", .repeatable),
            .init("--app", value: "ID", "limit it to this app, app_…", .repeatable),
            .init("--expires-in", value: "TIME", "such as 90d or 12h; without, it does not"),
            CommandOutput.option,
        ]),
        table: OperatorStore.table
    ) { arguments, reader in
        let order = try KeyOrder(arguments)
        let output = try CommandOutput(arguments)
        return try OperatorStore.run(&reader) { database in
            let (key, token) = try database.createKey(order)
            switch output {
            case .table:
                try output.write(KeyForm.table([key], at: database.now), json: KeyForm(key))
                StandardStream.output.write("\n\(token.text)\n")
            case .json:
                try output.write(TextTable(head: [], rows: []), json: KeyForm(key, token))
            }
            return ExitCode.success
        }
    }

    static let listKeys = Command(
        name: "key list", meaning: "Show an agency's keys, revoked ones too, never their secrets.",
        grammar: ArgumentGrammar(options: [tenantOption, CommandOutput.option]),
        table: OperatorStore.table
    ) { arguments, reader in
        let tenant: TenantID = try arguments.identifier("--tenant")
        let output = try CommandOutput(arguments)
        return try OperatorStore.run(&reader) { database in
            let keys = try database.transaction(of: tenant) { try $0.listEveryAPIKey() }
            try output.write(
                KeyForm.table(keys, at: database.now),
                json: DataForm(data: keys.map { KeyForm($0) }))
            return ExitCode.success
        }
    }

    static let revokeKey = Command(
        name: "key revoke", meaning: "End a key: the next request with it is refused.",
        grammar: ArgumentGrammar(options: [
            tenantOption, .init("--key", value: "ID", "the key, key_…", .required),
        ]),
        table: OperatorStore.table
    ) { arguments, reader in
        let tenant: TenantID = try arguments.identifier("--tenant")
        let id: APIKeyID = try arguments.identifier("--key")
        return try OperatorStore.run(&reader) { database in
            let isNew = try database.transaction(of: tenant) { try $0.revokeByOperator(id) }
            StandardStream.output.write("\(id) \(isNew ? "is" : "was already") revoked\n")
            return ExitCode.success
        }
    }
}

private struct KeyForm: Encodable {
    let id: String
    let name: String
    let scopes: [String]
    let clientIds: [String]?
    let appIds: [String]?
    let createdAt: String
    let expiresAt: String?
    let revokedAt: String?
    let lastUsedAt: String?
    /// Only of a key just made.
    let secret: String?

    init(_ key: StoredAPIKey, _ token: APIKeyToken? = nil) {
        id = key.id.description
        name = key.name
        scopes = key.scopes
        clientIds = key.isLimited ? key.clients.map(\.description) : nil
        appIds = key.isLimited ? key.apps.map(\.description) : nil
        createdAt = key.createdAt.rfc3339
        expiresAt = key.expiresAt?.rfc3339
        revokedAt = key.revokedAt?.rfc3339
        lastUsedAt = key.lastUsedAt?.rfc3339
        secret = token?.text
    }

    static func table(_ keys: [StoredAPIKey], at now: Instant) -> TextTable {
        TextTable(
            head: ["KEY", "NAME", "STATE", "SCOPES", "LIMITED TO", "EXPIRES", "LAST USED"],
            rows: keys.map { key in
                let limits = key.clients.map(\.description) + key.apps.map(\.description)
                return [
                    key.id.description, key.name, state(key, at: now),
                    key.scopes.joined(separator: ","),
                    key.isLimited ? limits.joined(separator: ",") : "-",
                    key.expiresAt?.rfc3339 ?? "-", key.lastUsedAt?.rfc3339 ?? "-",
                ]
            })
    }

    private static func state(_ key: StoredAPIKey, at now: Instant) -> String {
        if key.revokedAt != nil { return "revoked" }
        guard let end = key.expiresAt, end <= now else { return "live" }
        return "expired"
    }
}

extension TenantTransaction {
    /// `false` where it was revoked before.
    fileprivate func revokeByOperator(_ id: APIKeyID) throws -> Bool {
        guard try findAPIKey(id) != nil else {
            throw NotThere(description: "the tenant has no key \(id); see holdfast key list")
        }
        guard try revokeAPIKey(id) else { return false }
        try recordAudit(
            AuditEvent(
                action: "apiKey.revoke", resourceType: "apiKey", resourceId: id.description,
                changed: ["revokedAt": RecordedChange(to: .text(now.rfc3339))]))
        return true
    }

    fileprivate func listEveryAPIKey() throws -> [StoredAPIKey] {
        let pageRows: Int32 = 200
        var keys: [StoredAPIKey] = []
        while true {
            let page = try listAPIKeys(after: keys.last?.id, limit: pageRows)
            keys += page
            if page.count < pageRows { return keys }
        }
    }
}
