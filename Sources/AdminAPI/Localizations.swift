// /v1/apps/{appId}/messages/{messageId}/localizations: a message in each of Apple's locales.
internal import FoundationEssentials
internal import HTTPServer
internal import Retention
internal import RetentionStore

enum Localizations {
    private static let path = "/v1/apps/{appId}/messages/{messageId}/localizations"

    static let operations: [Operation] = [
        .list("listLocalizations", path, .content, list),
        .get("getLocalization", "\(path)/{locale}", .content, get),
        .put("putLocalization", "\(path)/{locale}", .content, put),
        .patch("updateLocalization", "\(path)/{locale}", .content, update),
        .delete("deleteLocalization", "\(path)/{locale}", .content, delete),
    ]

    // MARK: - Shapes

    static func form(_ localization: StoredLocalization) -> JSONTree {
        LocalizationContent.form(localization.text).merging([
            "locale": .string(localization.text.locale),
            "placements": .array(localization.placements.map(form)),
        ])
    }

    private static func form(_ placement: LocalizationPlacement) -> JSONTree {
        [
            "environment": .string(placement.environment.rawValue),
            "identifier": .string(placement.appleId.uuidString.lowercased()),
            "state": .string(placement.state.rawValue), "stateAt": .instant(placement.stateAt),
            "isCurrent": .boolean(placement.isCurrent),
        ]
    }

    /// The message in the path, and the locale there.
    private struct Place {
        let app: AppID
        let message: StoredMessage
        let locale: String

        /// - Parameter forUpdate: as for all changes of a message's localizations.
        init(_ call: Call, forUpdate: Bool = false) throws {
            app = try call.app()
            message = try call.transaction.getMessage(
                try call.identifier("messageId"), of: app, forUpdate: forUpdate)
            locale = try call.name("locale")
        }

        var auditId: String { "\(message.id)/\(locale)" }

        /// What is stored is found, whatever Apple's list says today.
        func find(_ call: Call) throws -> StoredLocalization? {
            if let found = try call.transaction.findLocalization(
                locale, of: message.id, app: app)
            {
                return found
            }
            if let problem = LocaleCheck.problem(with: locale, at: .parameter("locale")) {
                throw Problem.validation([problem])
            }
            return nil
        }

        func get(_ call: Call) throws -> StoredLocalization {
            guard let found = try find(call) else { throw Problem.notFound }
            return found
        }

        func content(_ tree: JSONTree, _ call: Call) throws -> Localization {
            try LocalizationContent(
                tree, locale: locale, kind: message.kind, of: app, call.transaction
            ).text
        }
    }

    // MARK: - Handlers

    private static func list(_ call: Call) throws -> Answer {
        let app = try call.app()
        let message = try call.transaction.getMessage(
            try call.identifier("messageId"), of: app)
        let page = try call.page()
        let rows = try call.transaction.listLocalizations(
            of: message.id, app: app, after: page.after.last, limit: page.rowsWanted)
        return call.list(rows, page, keys: { [$0.text.locale] }, form: form)
    }

    private static func get(_ call: Call) throws -> Answer {
        .resource(form(try Place(call).get(call)))
    }

    private static func put(_ call: Call) throws -> Answer {
        let place = try Place(call, forUpdate: true)
        let old = try place.find(call)
        try call.requireMatch(ifThere: old.map(form))
        let text = try place.content(try call.body(), call)
        guard let old else {
            try call.transaction.createLocalization(
                text, of: place.message.id, app: place.app)
            let new = form(try place.get(call))
            try call.audit(
                "localization.create", "localization", place.auditId, app: place.app, after: new)
            return .created(new, at: call.request.path)
        }
        return try replace(old, with: text, place, call)
    }

    private static func update(_ call: Call) throws -> Answer {
        let place = try Place(call, forUpdate: true)
        let old = try place.get(call)
        try call.requireMatch(form(old))
        let merged = LocalizationContent.form(old.text).merged(with: try call.body())
        return try replace(old, with: try place.content(merged, call), place, call)
    }

    private static func replace(
        _ old: StoredLocalization, with text: Localization, _ place: Place, _ call: Call
    ) throws -> Answer {
        try call.transaction.updateLocalization(text, of: place.message.id, app: place.app)
        let new = form(try place.get(call))
        try call.audit(
            "localization.update", "localization", place.auditId, app: place.app,
            before: form(old), after: new)
        return .resource(new)
    }

    private static func delete(_ call: Call) throws -> Answer {
        let place = try Place(call, forUpdate: true)
        let old = form(try place.get(call))
        try call.requireMatch(old)
        try call.transaction.deleteLocalization(
            place.locale, of: place.message.id, app: place.app)
        try call.audit(
            "localization.delete", "localization", place.auditId, app: place.app, before: old)
        return .noContent
    }
}
