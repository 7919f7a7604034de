// Table: default_message. What the agency wants to be Apple's defaults; what Apple has is told by
// placements.
internal import Postgres
package import Retention

/// The message of one product and locale in one environment.
package struct StoredDefault: Sendable {
    package let productId: String
    package let locale: String
    package let message: MessageID

    package init(productId: String, locale: String, message: MessageID) {
        self.productId = productId
        self.locale = locale
        self.message = message
    }
}

extension TenantTransaction {
    /// Makes the message the product's default in one locale.
    package func setDefaultMessage(
        _ message: MessageID, product: String, locale: String, at key: AppEnvironment
    ) throws {
        _ = try setDefaultMessages(message, products: [product], locales: [locale], at: key)
    }

    /// Makes the message the default of each product in each locale, all or none. It must have a
    /// text in each.
    ///
    /// - Returns: what was there before.
    /// - Throws: `StoreError.invalid` for a message that is no plain text.
    package func setDefaultMessages(
        _ message: MessageID, products: [String], locales: [String], at key: AppEnvironment
    ) throws -> [StoredDefault] {
        guard try messageKind(message, of: key.app) == .text else {
            throw StoreError(
                code: .invalid, message: "\(message) cannot be a default: Apple allows text only")
        }
        try lockDefaults(of: products, app: key.app)
        let former = try connection.query(
            """
            select product_id, locale, message_id from holdfast.default_message
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue)
              and product_id = any(\(products)) and locale = any(\(locales))
            order by product_id, locale
            """
        ).map(StoredDefault.init(row:))
        _ = try connection.query(
            """
            insert into holdfast.default_message (tenant_id, app_id, environment, product_id,
              locale, message_id)
            select \(tenant.uuid), \(key.app.uuid), \(key.environment.rawValue), product, locale,
              \(message.uuid)
            from unnest(\(products)) as product, unnest(\(locales)) as locale
            on conflict (tenant_id, app_id, environment, product_id, locale)
              do update set message_id = excluded.message_id
            """)
        touch(key)
        return former
    }

    /// By product and locale; `after` is the last one of the page before.
    package func listDefaults(
        at key: AppEnvironment, after: (productId: String, locale: String)?, limit: Int32
    ) throws -> [StoredDefault] {
        let rows = try connection.query(
            """
            select product_id, locale, message_id from holdfast.default_message
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue)
              and (\(after?.productId)::text is null
                or (product_id, locale) > (\(after?.productId), \(after?.locale)))
            order by product_id, locale
            limit \(limit)
            """)
        return try rows.map(StoredDefault.init(row:))
    }

    /// - Parameter forUpdate: nobody else changes a default of the product until the commit, nor
    ///   makes the one that is not there.
    package func findDefault(
        product: String, locale: String, at key: AppEnvironment, forUpdate: Bool = false
    ) throws -> StoredDefault? {
        if forUpdate { try lockDefaults(of: [product], app: key.app) }
        let rows = try connection.query(
            """
            select product_id, locale, message_id from holdfast.default_message
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue) and product_id = \(product)
              and locale = \(locale)
            """)
        return try rows.first.map(StoredDefault.init(row:))
    }

    package func deleteDefault(
        product: String, locale: String, at key: AppEnvironment
    ) throws {
        _ = try connection.query(
            """
            delete from holdfast.default_message
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue) and product_id = \(product)
              and locale = \(locale)
            """)
        touch(key)
    }

    /// Those of the named products that the app has.
    package func existingProducts(_ products: [String], of app: AppID) throws -> [String] {
        let rows = try connection.query(
            """
            select product_id from holdfast.product
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and product_id = any(\(products))
            """)
        return try rows.map { try $0.decode("product_id") }
    }

    /// In one order, so that two writers cannot wait for each other.
    func lockDefaults(of products: [String], app: AppID) throws {
        _ = try connection.query(
            """
            select from holdfast.product
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and product_id = any(\(products))
            order by product_id for no key update
            """)
    }

    func servedDefaults(at key: AppEnvironment) throws -> [ServedDefault] {
        let rows = try connection.query(
            """
            select d.product_id, d.locale, a.apple_id
            from holdfast.default_message d
            join holdfast.approved_placement a
              using (tenant_id, app_id, environment, message_id, locale)
            where d.tenant_id = \(tenant.uuid) and d.app_id = \(key.app.uuid)
              and d.environment = \(key.environment.rawValue)
            order by d.product_id, d.locale
            """)
        return try rows.map { row in
            ServedDefault(
                productId: try row.decode("product_id"), locale: try row.decode("locale"),
                messageIdentifier: try row.decode("apple_id"))
        }
    }
}

extension StoredDefault {
    fileprivate init(row: Row) throws {
        productId = try row.decode("product_id")
        locale = try row.decode("locale")
        message = MessageID(try row.decode("message_id"))
    }
}
