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
    ]

    // MARK: - Shapes

    private struct Content {
        /// A `.p8` has about 250 characters.
        private static let textLimit = 8_192

        let key: InAppPurchaseKey

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

    private static func form(_ credential: StoredCredential) -> JSONTree {
        [
            "id": .id(credential.id), "keyId": .string(credential.keyId),
            "issuerId": .string(credential.issuerId),
            "fingerprint": .string(HexadecimalText.of(credential.fingerprint)),
            "createdAt": .instant(credential.createdAt),
            "retiredAt": .optional(credential.retiredAt, JSONTree.instant),
        ]
    }

    // MARK: - Handlers

    private static func list(_ call: Call) throws -> Answer {
        let app = try call.app()
        let page = try call.page()
        let rows = try call.transaction.listCredentials(
            of: app, after: try page.identifier(), limit: page.rowsWanted)
        return call.list(rows, page, keys: { [$0.id.description] }, form: form)
    }

    private static func create(_ call: Call) throws -> Answer {
        // Alone: one key is live, and of two that come at once the later one.
        let app = try call.app(alone: true)
        let content = try Content(try call.body())
        let former = try call.transaction.findLiveCredential(of: app)
        let id = CredentialID.make(at: call.now)
        try call.transaction.storeCredential(
            content.key, id: id, of: app, sealedTo: call.gateway.platformKey)
        if let former { try auditRetired(former, app, call) }
        let new = form(try find(id, app, call))
        try call.audit("credential.create", "credential", id.description, app: app, after: new)
        return .created(new, at: "/v1/apps/\(app)/credentials/\(id)")
    }

    private static func get(_ call: Call) throws -> Answer {
        let app = try call.app()
        return .resource(form(try find(try call.identifier("credentialId"), app, call)))
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
