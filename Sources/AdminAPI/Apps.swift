// /v1/apps: what the agency looks after.
internal import Foundation
internal import HTTPServer
internal import Retention
internal import RetentionStore

enum Apps {
    static let operations: [Operation] = [
        .list("listApps", "/v1/apps", .apps, query: ["clientId"], list),
        .post("createApp", "/v1/apps", .apps, create),
        .get("getApp", "/v1/apps/{appId}", .apps, get),
        .patch("updateApp", "/v1/apps/{appId}", .apps, update),
        .delete("deleteApp", "/v1/apps/{appId}", .apps, delete),
    ]

    // MARK: - Shapes

    private enum RealTimeAnswers: String, CaseIterable { case running, stopped }

    private struct Content {
        let app: App
        let isStopped: Bool
        let accessRequestedAt: Instant?

        /// A new app.
        init(_ tree: JSONTree, id: AppID, _ call: Call) throws {
            var reader = BodyReader(tree)
            let client = try reader.client(call, kept: nil)
            app = App(
                id: id, client: client ?? ClientID(id.uuid), name: reader.text("name"),
                bundleId: reader.text("bundleId", 1...155),
                appAppleId: reader.integer("appAppleId", in: 1...Int64.max),
                defaultLocale: reader.locale("defaultLocale"),
                timeZone: reader.timeZone(kept: nil, otherwise: "UTC"),
                performanceTestTransactionId: reader.transactionId(),
                appStoreConnectLayer: reader.appStoreConnectLayer(kept: nil))
            accessRequestedAt = reader.accessRequestedAt(kept: nil, now: call.now)
            let answers = reader.optionalChoice("realTimeAnswers", RealTimeAnswers.self)
            isStopped = answers == .stopped
            try reader.finish()
        }

        /// What a patch makes of `old`.
        init(_ old: StoredApp, patch: JSONTree, _ call: Call) throws {
            var reader = BodyReader(Apps.content(old).merged(with: patch))
            for name in ["bundleId", "appAppleId"] where patch[name] != nil {
                _ = reader.take(name)
                reader.note(
                    name, .notAllowed,
                    "\(name) is Apple's and never changes; leave it out, or make another app.")
            }
            let client = try reader.client(call, kept: old.app.client)
            app = App(
                id: old.app.id, client: client ?? old.app.client, name: reader.text("name"),
                bundleId: old.app.bundleId, appAppleId: old.app.appAppleId,
                defaultLocale: reader.locale("defaultLocale", kept: old.app.defaultLocale),
                timeZone: reader.timeZone(kept: old.app.timeZone, otherwise: nil),
                performanceTestTransactionId: reader.transactionId(),
                appStoreConnectLayer: reader.appStoreConnectLayer(
                    kept: old.app.appStoreConnectLayer))
            accessRequestedAt = reader.accessRequestedAt(
                kept: old.accessRequestedAt, now: call.now)
            isStopped = reader.choice("realTimeAnswers", RealTimeAnswers.self) == .stopped
            try reader.finish()
        }
    }

    private static func form(_ stored: StoredApp) -> JSONTree {
        content(stored).merging([
            "id": .id(stored.app.id), "bundleId": .string(stored.app.bundleId),
            "appAppleId": .integer(stored.app.appAppleId),
            "createdAt": .instant(stored.createdAt),
        ])
    }

    /// What `PATCH` is merged onto.
    private static func content(_ stored: StoredApp) -> JSONTree {
        let answers: RealTimeAnswers = stored.isStopped ? .stopped : .running
        return [
            "clientId": .id(stored.app.client), "name": .string(stored.app.name),
            "defaultLocale": .string(stored.app.defaultLocale),
            "timeZone": .string(stored.app.timeZone), "realTimeAnswers": .string(answers.rawValue),
            "performanceTestTransactionId": .text(stored.app.performanceTestTransactionId),
            "appStoreConnectLayer": .string(stored.app.appStoreConnectLayer.rawValue),
            "accessRequestedAt": .optional(stored.accessRequestedAt, JSONTree.instant),
        ]
    }

    // MARK: - Handlers

    private static func list(_ call: Call) throws -> Answer {
        let page = try call.page()
        let rows = try call.transaction.listApps(
            of: try call.query.identifier("clientId"), after: try page.identifier(),
            limit: page.rowsWanted)
        return call.list(rows, page, keys: { [$0.app.id.description] }, form: form)
    }

    private static func create(_ call: Call) throws -> Answer {
        let content = try Content(try call.body(), id: .make(at: call.now), call)
        let quota = try call.transaction.tenantQuota()
        guard try call.transaction.lockUsage().apps < quota.apps else {
            throw Problem(
                .quotaExceeded, "The tenant may have \(quota.apps) apps; ask for more.")
        }
        let id = content.app.id
        try call.transaction.createApp(content.app, isStopped: content.isStopped)
        if let at = content.accessRequestedAt {
            try call.transaction.setAccessRequested(at, of: id)
        }
        let new = form(try call.transaction.getApp(id))
        try call.audit("app.create", "app", id.description, app: id, after: new)
        return .created(new, at: "/v1/apps/\(id)")
    }

    private static func get(_ call: Call) throws -> Answer {
        .resource(form(try call.transaction.getApp(try call.appId())))
    }

    private static func update(_ call: Call) throws -> Answer {
        let id = try call.appId()
        let old = try call.transaction.getApp(id, forUpdate: true)
        try call.requireMatch(form(old))
        let content = try Content(old, patch: try call.body(), call)
        if content.accessRequestedAt != old.accessRequestedAt {
            try call.transaction.setAccessRequested(content.accessRequestedAt, of: id)
        }
        try call.transaction.updateApp(content.app, isStopped: content.isStopped)
        let new = form(try call.transaction.getApp(id))
        try call.audit("app.update", "app", id.description, app: id, before: form(old), after: new)
        return .resource(new)
    }

    private static func delete(_ call: Call) throws -> Answer {
        let id = try call.app(alone: true)
        let old = form(try call.transaction.getApp(id))
        try call.requireMatch(old)
        try call.transaction.deleteApp(id)
        try call.audit("app.delete", "app", id.description, app: id, before: old)
        return .noContent
    }
}

extension BodyReader {
    /// `clientId`: one that is there and that the key may see. Another tenant's is as unknown as
    /// one that does not exist.
    ///
    /// - Parameter kept: whose the app is already: a key for the app alone does not see its client.
    fileprivate mutating func client(_ call: Call, kept: ClientID?) throws -> ClientID? {
        guard let client: ClientID = identifier("clientId"), client != kept else { return kept }
        if try call.transaction.hasClient(client) { return client }
        noteUnknown("clientId")
        return nil
    }

    /// `timeZone`: a name of the IANA time zone database.
    ///
    /// - Parameters:
    ///   - kept: what is stored already; it stays as it is.
    ///   - otherwise: where the member is absent; `nil` where it must be there.
    fileprivate mutating func timeZone(kept: String?, otherwise: String?) -> String {
        let name = "timeZone"
        let length = 1...64
        let given = otherwise == nil ? text(name, length) : optionalText(name, length)
        guard let given, !given.isEmpty else { return given ?? otherwise ?? "" }
        if let kept, kept.utf8.elementsEqual(given.utf8) { return kept }
        if TimeZoneName.isKnown(given) { return given }
        if let meant = TimeZoneName.spelling(of: given) {
            note(name, .nearMiss, "The time zone is spelled \(meant); write that.")
        } else {
            note(name, .unknownValue, "\(name) is an IANA name such as Europe/Berlin, or UTC.")
        }
        return given
    }

    /// `performanceTestTransactionId`: Apple's identifiers of transactions are digits.
    fileprivate mutating func transactionId() -> String? {
        let name = "performanceTestTransactionId"
        guard let given = optionalText(name, 1...64) else { return nil }
        if !given.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            note(name, .badFormat, "\(name) has digits only, as Apple's transaction ids do.")
        }
        return given
    }

    /// `appStoreConnectLayer`: what the agency may say of it. What was read from App Store Connect
    /// stays until the agency says otherwise.
    fileprivate mutating func appStoreConnectLayer(
        kept: AppStoreConnectLayer?
    ) -> AppStoreConnectLayer {
        let name = "appStoreConnectLayer"
        let given = optionalChoice(name, AppStoreConnectLayer.self) ?? .none
        if given == .imported, kept != .imported {
            note(name, .notAllowed, "imported is what an import says; say none or declared.")
        }
        return given
    }

    /// `accessRequestedAt`: not to come.
    fileprivate mutating func accessRequestedAt(kept: Instant?, now: Instant) -> Instant? {
        let name = "accessRequestedAt"
        guard let given = optionalInstant(name) else { return nil }
        if given > now, given != kept {
            note(name, .outOfRange, "\(name) is when Apple was asked, which has been by now.")
        }
        return given
    }
}

/// Names of the IANA time zone database as people write them: an area and a place, or UTC. Not what
/// else the system would read: abbreviations that mean several zones, offsets, copies of the
/// database with leap seconds.
private enum TimeZoneName {
    private static let utc = "UTC"
    private static let otherForms = ["posix", "right"]

    static func isKnown(_ name: String) -> Bool {
        if name.utf8.elementsEqual(utc.utf8) { return true }
        guard let area = name.split(separator: "/").first, area.utf8.count < name.utf8.count,
            !otherForms.contains(String(area))
        else { return false }
        return TimeZone(identifier: name)?.identifier.utf8.elementsEqual(name.utf8) ?? false
    }

    /// The known name that differs in case only, or has `_` where `name` has blanks.
    static func spelling(of name: String) -> String? {
        let wanted = folded(name)
        return ([utc] + TimeZone.knownTimeZoneIdentifiers).first { folded($0) == wanted }
    }

    private static func folded(_ name: String) -> [UInt8] {
        name.utf8.map { byte in
            switch byte {
            case 0x41...0x5a: byte | 0x20
            case UInt8(ascii: " "): UInt8(ascii: "_")
            default: byte
            }
        }
    }
}
