// /v1/apps/{appId}/defaults: the message of each product and locale where no real-time answer
// comes.
internal import HTTPServer
internal import Retention
internal import RetentionStore

enum Defaults {
    private static let path = "/v1/apps/{appId}/defaults"
    private static let one = "\(path)/{productId}/{locale}"
    private static let environment = ["environment"]

    static let operations: [Operation] = [
        .list("listDefaults", path, .content, query: environment, list),
        .post("createDefaults", path, .content, query: environment, create),
        .get("getDefault", one, .content, query: environment, get),
        .put("putDefault", one, .content, query: environment, put),
        .delete("deleteDefault", one, .content, query: environment, delete),
    ]

    /// In one request; times the locales, so many rows are written.
    private static let productsLimit = 200
    private static let localesLimit = 50
    private static let productIdUnits = 1...255
    private static let localeUnits = 1...35

    // MARK: - Shapes

    private static func form(_ row: StoredDefault, _ key: AppEnvironment) -> JSONTree {
        [
            "productId": .string(row.productId), "locale": .string(row.locale),
            "messageId": .id(row.message), "environment": .string(key.environment.rawValue),
        ]
    }

    /// One message for several products in several locales.
    private struct Content {
        let message: StoredMessage
        let products: [String]
        let locales: [String]

        init(_ call: Call, _ app: AppID) throws {
            var reader = BodyReader(try call.body())
            let message = try Defaults.message(&reader, call, app)
            products = try Self.products(&reader, call, app)
            locales = Self.locales(&reader, of: message)
            try reader.finish()
            guard let message else { throw Problem.notFound }
            self.message = message
        }

        private static func products(
            _ reader: inout BodyReader, _ call: Call, _ app: AppID
        ) throws -> [String] {
            let named = names(
                &reader, "productIds", limit: productsLimit, productIdUnits, isRequired: true)
            let there = Set(
                try call.transaction.existingProducts(named ?? [], of: app).map { Array($0.utf8) })
            for (index, product) in (named ?? []).enumerated()
            where !there.contains(Array(product.utf8)) {
                reader.note(
                    "productIds/\(index)", .unknownReference, "The app has no such product.")
            }
            return named ?? []
        }

        /// All of the message's where none are named.
        private static func locales(
            _ reader: inout BodyReader, of message: StoredMessage?
        ) -> [String] {
            let named = names(
                &reader, "locales", limit: localesLimit, localeUnits, isRequired: false)
            guard let message else { return [] }
            guard let named else {
                if message.locales.isEmpty {
                    reader.note(
                        "messageId", .notAllowed, "The message has no localization yet; add one.")
                }
                return message.locales
            }
            for (index, locale) in named.enumerated() {
                if let problem = problem(with: locale, of: message, at: "/locales/\(index)") {
                    reader.note(problem)
                }
            }
            return named
        }

        /// `nil` where the list is absent. Where an element has no form, none is given: what more
        /// is wrong could not be told at its place.
        private static func names(
            _ reader: inout BodyReader, _ name: String, limit: Int, _ units: ClosedRange<Int>,
            isRequired: Bool
        ) -> [String]? {
            let before = reader.problems.count
            guard reader.take(name) != nil else {
                if isRequired { reader.note(name, .required, "\(name) is required.") }
                return nil
            }
            let named = reader.texts(name, limit: limit, units)
            guard reader.problems.count == before else { return [] }
            if named.isEmpty {
                reader.note(
                    FieldProblem(
                        .pointer(reader.path(name)), .tooShort, "\(name) names at least one.",
                        limit: 1, measured: 0))
            }
            reader.noteDuplicates(named) { "\(name)/\($0)" }
            return named
        }
    }

    /// `nil` where something is wrong with it, which is noted.
    private static func message(
        _ reader: inout BodyReader, _ call: Call, _ app: AppID
    ) throws -> StoredMessage? {
        guard let id: MessageID = reader.identifier("messageId") else { return nil }
        guard let message = try call.transaction.findMessage(id, of: app) else {
            reader.note("messageId", .unknownReference, "The app has no such message.")
            return nil
        }
        guard message.kind == .text else {
            reader.note(
                "messageId", .notAllowed,
                "A \(message.kind.rawValue) message cannot be a default; Apple allows text only.")
            return nil
        }
        return message
    }

    private static func problem(
        with locale: String, of message: StoredMessage, at pointer: String
    ) -> FieldProblem? {
        if message.locales.contains(where: { $0.utf8.elementsEqual(locale.utf8) }) { return nil }
        return LocaleCheck.problem(with: locale, at: .pointer(pointer))
            ?? FieldProblem(
                .pointer(pointer), .unknownReference,
                "The message has no localization in \(locale).")
    }

    /// The default in the path.
    private struct Place {
        let key: AppEnvironment
        let product: String
        let locale: String

        init(_ call: Call) throws {
            key = AppEnvironment(app: try call.app(), environment: try call.environment())
            product = try call.name("productId")
            locale = try call.name("locale")
        }

        var auditId: String { "\(product)/\(locale)" }

        func find(_ call: Call, forUpdate: Bool = false) throws -> StoredDefault? {
            if let found = try call.transaction.findDefault(
                product: product, locale: locale, at: key, forUpdate: forUpdate)
            {
                return found
            }
            guard try !call.transaction.existingProducts([product], of: key.app).isEmpty else {
                throw Problem.notFound
            }
            if let problem = LocaleCheck.problem(with: locale, at: .parameter("locale")) {
                throw Problem.validation([problem])
            }
            return nil
        }

        func get(_ call: Call, forUpdate: Bool = false) throws -> StoredDefault {
            guard let found = try find(call, forUpdate: forUpdate) else { throw Problem.notFound }
            return found
        }
    }

    // MARK: - Handlers

    private static func list(_ call: Call) throws -> Answer {
        let key = AppEnvironment(app: try call.app(), environment: try call.environment())
        let page = try call.page(keys: 2)
        let after = page.after.count == 2 ? (page.after[0], page.after[1]) : nil
        let rows = try call.transaction.listDefaults(
            at: key, after: after, limit: page.rowsWanted)
        return call.list(
            rows, page, keys: { [$0.productId, $0.locale] }, form: { form($0, key) })
    }

    private static func create(_ call: Call) throws -> Answer {
        let key = AppEnvironment(app: try call.app(), environment: try call.environment())
        let content = try Content(call, key.app)
        let former = try call.transaction.setDefaultMessages(
            content.message.id, products: content.products, locales: content.locales, at: key)
        let rows = content.products.flatMap { product in
            content.locales.map {
                StoredDefault(productId: product, locale: $0, message: content.message.id)
            }
        }
        try call.audit(
            "default.set", "default", content.message.id.description, app: key.app,
            before: noted(former, key), after: noted(rows, key))
        return .data(rows.map { form($0, key) })
    }

    /// One member for each, so that the audit tells which changed.
    private static func noted(_ rows: [StoredDefault], _ key: AppEnvironment) -> JSONTree {
        var members: [String: JSONTree] = [:]
        for row in rows {
            members["\(key.environment.rawValue)/\(row.productId)/\(row.locale)"] = .id(row.message)
        }
        return .object(members)
    }

    private static func get(_ call: Call) throws -> Answer {
        let place = try Place(call)
        return .resource(form(try place.get(call), place.key))
    }

    private static func put(_ call: Call) throws -> Answer {
        let place = try Place(call)
        let old = try place.find(call, forUpdate: true).map { form($0, place.key) }
        try call.requireMatch(ifThere: old)
        var reader = BodyReader(try call.body())
        let message = try message(&reader, call, place.key.app)
        if let message, let problem = problem(with: place.locale, of: message, at: "/messageId") {
            reader.note(problem)
        }
        try reader.finish()
        guard let message else { throw Problem.notFound }
        try call.transaction.setDefaultMessage(
            message.id, product: place.product, locale: place.locale, at: place.key)
        let new = form(try place.get(call), place.key)
        try call.audit(
            old == nil ? "default.create" : "default.update", "default", place.auditId,
            app: place.key.app, before: old, after: new)
        let environment = place.key.environment.rawValue
        return old == nil
            ? .created(new, at: "\(call.request.path)?environment=\(environment)")
            : .resource(new)
    }

    private static func delete(_ call: Call) throws -> Answer {
        let place = try Place(call)
        let old = form(try place.get(call, forUpdate: true), place.key)
        try call.requireMatch(old)
        try call.transaction.deleteDefault(
            product: place.product, locale: place.locale, at: place.key)
        try call.audit(
            "default.delete", "default", place.auditId, app: place.key.app, before: old)
        return .noContent
    }
}
