internal import Retention
internal import RetentionStore
internal import Service

/// The key that was ordered, before it is made.
struct KeyOrder {
    /// Ten years: longer than any agency's contract, shorter than a mistyped number.
    private static let lifetimeHoursLimit: Int64 = 10 * 366 * 24

    /// To write includes to read.
    private static let everyScope = AccessScope.all.filter { $0.access == .write }

    let tenant: TenantID
    private let name: String
    private let scopes: [AccessScope]
    private let clients: [ClientID]
    private let apps: [AppID]
    private let lifetimeHours: Int64?

    /// A key of the whole tenant that may do everything.
    init(tenant: TenantID, name: String) {
        self.tenant = tenant
        self.name = name
        scopes = Self.everyScope
        clients = []
        apps = []
        lifetimeHours = nil
    }

    init(_ arguments: Arguments) throws(UsageError) {
        tenant = try arguments.identifier("--tenant")
        name = try arguments.name()
        scopes = try Self.scopes(arguments.value("--scopes") ?? "")
        clients = try arguments.identifiers("--client")
        apps = try arguments.identifiers("--app")
        lifetimeHours = try arguments.value("--expires-in").map(Self.hours)
    }

    func create(
        _ transaction: TenantTransaction
    ) throws -> (key: StoredAPIKey, token: APIKeyToken) {
        for client in clients { _ = try transaction.getClient(client) }
        for app in apps where try !transaction.hasApp(app) {
            throw NotThere(description: "the tenant has no app \(app)")
        }
        let isLimited = !clients.isEmpty || !apps.isEmpty
        let hour: Int64 = 3_600_000
        let expiresAt = lifetimeHours.map {
            Instant(milliseconds: transaction.now.milliseconds + $0 * hour)
        }
        let new = NewAPIKey(
            id: .make(at: transaction.now), name: name, scopes: scopes,
            clients: isLimited ? clients : nil, apps: isLimited ? apps : nil,
            expiresAt: expiresAt)
        let token = try transaction.createAPIKey(new)
        try transaction.recordAudit(
            AuditEvent(
                action: "apiKey.create", resourceType: "apiKey", resourceId: new.id.description,
                changed: [
                    "name": .init(to: .text(name)),
                    "scopes": .init(to: .list(scopes.map(\.description))),
                    "clientIds": .init(to: .list(clients.map(\.description))),
                    "appIds": .init(to: .list(apps.map(\.description))),
                    "expiresAt": .init(to: expiresAt.map { .text($0.rfc3339) } ?? .none),
                ]))
        guard let key = try transaction.findAPIKey(new.id) else {
            throw NotThere(description: "the key is gone again; make it anew")
        }
        return (key, token)
    }

    private static func scopes(_ text: String) throws(UsageError) -> [AccessScope] {
        if text.utf8.elementsEqual("all".utf8) { return everyScope }
        var scopes: [AccessScope] = []
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let scope = AccessScope(String(word)) else {
                let known = AccessScope.all.map(\.description).joined(separator: ", ")
                throw UsageError("--scopes has '\(word)'; it is all, or some of \(known)")
            }
            if !scopes.contains(scope) { scopes.append(scope) }
        }
        return scopes
    }

    private static func hours(_ text: String) throws(UsageError) -> Int64 {
        let digits = text.utf8.dropLast()
        let factor: Int64? =
            switch text.utf8.last {
            case UInt8(ascii: "d"): 24
            case UInt8(ascii: "h"): 1
            default: nil
            }
        guard let factor, digits.count <= 6, digits.allSatisfy({ (0x30...0x39).contains($0) }),
            let count = Int64(text.dropLast()), (1...lifetimeHoursLimit).contains(count * factor)
        else {
            throw UsageError(
                "--expires-in is a number and d or h, such as 90d, at most ten years; "
                    + "not '\(text)'")
        }
        return count * factor
    }
}
