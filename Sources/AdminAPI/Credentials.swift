// /v1/apps/{appId}/credentials: In-App Purchase keys.
internal import HTTPServer
internal import Retention
internal import RetentionStore
internal import Signing

enum Credentials {
    private static let all = "/v1/apps/{appId}/credentials"
    private static let one = "/v1/apps/{appId}/credentials/{credentialId}"

    static let operations: [Operation] = [
        .list("listCredentials", all, .credentials, list),
        .post("createCredential", all, .credentials, idempotency: .required, create),
        .get("getCredential", one, .credentials, get),
        .delete("deleteCredential", one, .credentials, retire),
        .post(
            "checkCredential", "\(one)/checks", .credentials, body: .optionalJSON,
            idempotency: .required, check),
    ]

    // MARK: - Shapes

    private struct Content {
        /// A `.p8` has about 250 characters.
        private static let textLimit = 8_192

        let key: InAppPurchaseKey
        let activation: KeyActivation

        init(_ tree: JSONTree) throws(Problem) {
            var reader = BodyReader(tree)
            let keyId = reader.text("keyId", 1...64)
            if !keyId.utf8.allSatisfy(Self.isOfKeyId) {
                reader.note(
                    "keyId", .badFormat,
                    "keyId has capital letters and digits, as App Store Connect shows it.")
            }
            let issuerId = reader.text("issuerId", 1...64)
            if !issuerId.utf8.allSatisfy(Self.isOfIssuerId) {
                reader.note(
                    "issuerId", .badFormat,
                    "issuerId has hexadecimal digits and hyphens, as App Store Connect shows it.")
            }
            let key = reader.privateKey("privateKey", limit: Self.textLimit)
            activation = reader.optionalChoice("activate", KeyActivation.self) ?? .immediately
            try reader.finish()
            guard let key else { throw .validation(reader.problems) }
            self.key = InAppPurchaseKey(keyId: keyId, issuerId: issuerId, key: key)
        }

        private static func isOfKeyId(_ byte: UInt8) -> Bool {
            (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte)
        }

        private static func isOfIssuerId(_ byte: UInt8) -> Bool {
            (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
                || byte == UInt8(ascii: "-")
        }
    }

    /// - Parameter served: keys that live responders may sign with still; `nil` where that is not
    ///   known, and then no key may be revoked.
    private static func form(
        _ credential: StoredCredential, served: Set<CredentialID>? = nil
    ) -> JSONTree {
        let isUnserved = served.map { !$0.contains(credential.id) } ?? false
        return [
            "id": .id(credential.id), "keyId": .string(credential.keyId),
            "issuerId": .string(credential.issuerId),
            "fingerprint": .string(HexadecimalText.of(credential.fingerprint)),
            "createdAt": .instant(credential.createdAt),
            "retiredAt": .optional(credential.retiredAt, JSONTree.instant),
            "state": .string(credential.state.rawValue),
            "activatedAt": .optional(credential.activatedAt, JSONTree.instant),
            "checkWantedAt": .optional(credential.checkWantedAt, JSONTree.instant),
            "checks": .array(credential.checks.map(form)),
            "mayBeRevokedAtApple": credential.state == .retired ? .boolean(isUnserved) : .null,
        ]
    }

    private static func form(_ check: CredentialCheck) -> JSONTree {
        [
            "environment": .string(check.environment.rawValue),
            "verdict": .string(check.verdict.rawValue), "checkedAt": .instant(check.checkedAt),
            "status": .optional(check.status) { .integer(Int64($0)) },
            "appleCode": .optional(check.appleCode) { .integer(Int64($0)) },
            "detail": .string(check.sentence),
        ]
    }

    /// As the API shows it, with what responders serve.
    private static func shown(_ credential: StoredCredential, _ call: Call) throws -> JSONTree {
        guard credential.state == .retired else { return form(credential) }
        return form(
            credential, served: try call.transaction.servedCredentials(of: try call.appId()))
    }

    // MARK: - Handlers

    private static func list(_ call: Call) throws -> Answer {
        let app = try call.app()
        let page = try call.page()
        let rows = try call.transaction.listCredentials(
            of: app, after: try page.identifier(), limit: page.rowsWanted)
        let served =
            rows.contains { $0.state == .retired }
            ? try call.transaction.servedCredentials(of: app) : nil
        return call.list(
            rows, page, keys: { [$0.id.description] }, form: { form($0, served: served) })
    }

    private static func create(_ call: Call) throws -> Answer {
        // Alone: one key is live, and of two that come at once the later one.
        let app = try call.app(alone: true)
        let content = try Content(try call.body())
        let open = try call.transaction.listOpenCredentials(of: app)
        let id = CredentialID.make(at: call.now)
        try call.transaction.storeCredential(
            content.key, id: id, of: app, sealedTo: call.gateway.platformKey,
            activation: content.activation)
        for former in open where content.activation == .immediately || former.state == .standby {
            try auditRetired(former, app, call)
        }
        let new = form(try find(id, app, call))
        try call.audit("credential.create", "credential", id.description, app: app, after: new)
        return .created(new, at: "/v1/apps/\(app)/credentials/\(id)")
    }

    private static func get(_ call: Call) throws -> Answer {
        let app = try call.app()
        let credential = try find(try call.identifier("credentialId"), app, call)
        return .resource(try shown(credential, call))
    }

    /// The worker makes a harmless call with it in both environments.
    private static func check(_ call: Call) throws -> Answer {
        let app = try call.app(alone: true)
        let old = try find(try call.identifier("credentialId"), app, call)
        var reader = BodyReader(try call.body())
        try reader.finish()
        guard try call.transaction.wantCredentialCheck(old.id, of: app) else {
            throw Problem(.conflict, "The key is retired; no call is made with it any more.")
        }
        let new = form(try find(old.id, app, call))
        try call.audit(
            "credential.check", "credential", old.id.description, app: app, before: form(old),
            after: new)
        return .accepted(new, at: "/v1/apps/\(app)/credentials/\(old.id)")
    }

    private static func retire(_ call: Call) throws -> Answer {
        let app = try call.app(alone: true)
        let old = try find(try call.identifier("credentialId"), app, call)
        if try call.transaction.retireCredential(old.id, of: app) {
            try auditRetired(old, app, call)
        }
        return .noContent
    }

    private static func auditRetired(
        _ old: StoredCredential, _ app: AppID, _ call: Call
    ) throws {
        try call.audit(
            "credential.retire", "credential", old.id.description, app: app, before: form(old),
            after: form(try find(old.id, app, call)))
    }

    private static func find(
        _ id: CredentialID, _ app: AppID, _ call: Call
    ) throws -> StoredCredential {
        guard let found = try call.transaction.findCredential(id, of: app) else {
            throw Problem.notFound
        }
        return found
    }
}

extension BodyReader {
    /// The text of a `.p8` file. What is noted never holds a part of it.
    fileprivate mutating func privateKey(_ name: String, limit: Int) -> PrivateKey? {
        let text = text(name, 1...limit)
        if text.isEmpty { return nil }
        do {
            return try PrivateKey(pem: Array(text.utf8))
        } catch {
            note(name, error.code == .keyMalformed ? .badFormat : .notAllowed, error.message)
            return nil
        }
    }
}
