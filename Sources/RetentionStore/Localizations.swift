// Tables: localization, bullet. What became of them at Apple is read here too.
package import FoundationEssentials
internal import Postgres
package import Retention

package struct StoredLocalization: Sendable {
    package let text: Localization
    package let placements: [LocalizationPlacement]
}

/// A localization as a message at Apple.
package struct LocalizationPlacement: Sendable {
    package let environment: StoreEnvironment
    package let appleId: UUID
    package let state: ReviewState
    package let stateAt: Instant
    /// Whether what is at Apple is the text as it is now: false from an edit until it is placed
    /// anew.
    package let isCurrent: Bool
}

extension TenantTransaction {
    /// Adds the text of one locale.
    ///
    /// - Throws: `StoreError`: `invalid` naming each field that Apple would refuse, `notFound` for
    ///   an unknown message or image.
    package func createLocalization(
        _ localization: Localization, of message: MessageID, app: AppID
    ) throws {
        try check(localization, of: message, app: app)
        _ = try connection.query(
            """
            insert into holdfast.localization (tenant_id, app_id, message_id, locale, header, body,
              header_position, image_id, alt_text)
            values (\(tenant.uuid), \(app.uuid), \(message.uuid), \(localization.locale),
              \(localization.header), \(localization.body),
              \(localization.headerPosition?.rawValue), \(localization.image?.image.uuid),
              \(localization.image?.altText))
            """)
        try insertBullets(of: localization, message, app)
        // No answer changes by it before it is placed, but it is wanted at Apple from now on.
        for environment in StoreEnvironment.allCases {
            try wakeSync(AppEnvironment(app: app, environment: environment))
        }
    }

    /// Replaces the text of one locale. What is placed at Apple stays: it serves the text that
    /// was approved until the new one is placed.
    ///
    /// - Throws: as `createLocalization`.
    package func updateLocalization(
        _ localization: Localization, of message: MessageID, app: AppID
    ) throws {
        try check(localization, of: message, app: app)
        let rows = try connection.query(
            """
            update holdfast.localization
            set header = \(localization.header), body = \(localization.body),
              header_position = \(localization.headerPosition?.rawValue),
              image_id = \(localization.image?.image.uuid),
              alt_text = \(localization.image?.altText)
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and message_id = \(message.uuid) and locale = \(localization.locale)
            """)
        guard rows.affected == 1 else {
            throw StoreError.noLocalization(localization.locale, of: message)
        }
        _ = try connection.query(
            """
            delete from holdfast.bullet
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and message_id = \(message.uuid) and locale = \(localization.locale)
            """)
        try insertBullets(of: localization, message, app)
        // A picture that is not approved takes the text out of what is served.
        touchBoth(app)
    }

    /// - Throws: a foreign key's `PostgresError` while a default names it.
    package func deleteLocalization(
        _ locale: String, of message: MessageID, app: AppID
    ) throws {
        _ = try connection.query(
            """
            delete from holdfast.localization
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and message_id = \(message.uuid) and locale = \(locale)
            """)
        touchBoth(app)
    }

    /// By locale; `after` is the last one of the page before.
    package func listLocalizations(
        of message: MessageID, app: AppID, after: String?, limit: Int32
    ) throws -> [StoredLocalization] {
        let rows = try connection.query(
            """
            select locale, header, body, header_position, image_id, alt_text
            from holdfast.localization
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and message_id = \(message.uuid)
              and (\(after)::text is null or locale > \(after))
            order by locale
            limit \(limit)
            """)
        return try stored(rows, of: message, app: app)
    }

    package func findLocalization(
        _ locale: String, of message: MessageID, app: AppID
    ) throws -> StoredLocalization? {
        let rows = try connection.query(
            """
            select locale, header, body, header_position, image_id, alt_text
            from holdfast.localization
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and message_id = \(message.uuid) and locale = \(locale)
            """)
        return try stored(rows, of: message, app: app).first
    }

    func localization(
        _ locale: String, of message: MessageID, app: AppID
    ) throws -> Localization {
        let rows = try connection.query(
            """
            select locale, header, body, header_position, image_id, alt_text
            from holdfast.localization
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and message_id = \(message.uuid) and locale = \(locale)
            """)
        guard let text = try texts(rows, of: message, app: app).first else {
            throw StoreError.noLocalization(locale, of: message)
        }
        return text
    }

    // MARK: - Writing

    private func check(_ localization: Localization, of message: MessageID, app: AppID) throws {
        let problems = localization.problems(for: try messageKind(message, of: app))
        guard problems.isEmpty else {
            let list = problems.map { "\($0.field): \($0.problem)" }.joined(separator: "; ")
            throw StoreError(code: .invalid, message: "\(localization.locale): \(list)")
        }
        try requireImages(of: localization, app: app)
    }

    /// Apple refuses a message whose picture was uploaded for the other use.
    private func requireImages(of localization: Localization, app: AppID) throws {
        let uses = localization.imageUses
        let sizes = try imageSizes(Set(uses.map(\.image)), of: app)
        for (image, size) in uses {
            guard let stored = sizes[image] else { throw StoreError.noImage(image) }
            guard stored == size else {
                throw StoreError(
                    code: .invalid,
                    message: "\(localization.locale): \(image) is not of size \(size.rawValue)")
            }
        }
    }

    private func insertBullets(
        of localization: Localization, _ message: MessageID, _ app: AppID
    ) throws {
        for (ordinal, bullet) in localization.bullets.enumerated() {
            _ = try connection.query(
                """
                insert into holdfast.bullet (tenant_id, app_id, message_id, locale, ordinal, text,
                  image_id, alt_text)
                values (\(tenant.uuid), \(app.uuid), \(message.uuid), \(localization.locale),
                  \(Int16(ordinal)), \(bullet.text), \(bullet.image.image.uuid),
                  \(bullet.image.altText))
                """)
        }
    }

    // MARK: - Reading

    private func texts(_ rows: Rows, of message: MessageID, app: AppID) throws -> [Localization] {
        let bullets = try bullets(of: [message.uuid], app)
        return try rows.map { try Localization(row: $0, of: message, bullets) }
    }

    private func stored(
        _ rows: Rows, of message: MessageID, app: AppID
    ) throws -> [StoredLocalization] {
        let placed = try placements(of: message, app: app)
        var identities: [StoreEnvironment: AppleIdentities] = [:]
        for environment in Set(placed.map(\.environment)) {
            identities[environment] = try AppleIdentities(
                self, AppEnvironment(app: app, environment: environment))
        }
        return try texts(rows, of: message, app: app).map { text in
            let own = placed.filter { $0.locale == text.locale }
            return StoredLocalization(
                text: text,
                placements: try own.map { placement in
                    let current = try identities[placement.environment]?.identity(of: text)?.id
                    return LocalizationPlacement(
                        environment: placement.environment, appleId: placement.appleId,
                        state: placement.state, stateAt: placement.stateAt,
                        isCurrent: current == placement.appleId)
                })
        }
    }

    private struct Placed {
        let locale: String
        let environment: StoreEnvironment
        let appleId: UUID
        let state: ReviewState
        let stateAt: Instant
    }

    private func placements(of message: MessageID, app: AppID) throws -> [Placed] {
        let rows = try connection.query(
            """
            select p.locale, p.environment, p.apple_id, o.state, o.state_at
            from holdfast.message_placement p
            join holdfast.apple_object o using (tenant_id, app_id, environment, apple_id)
            where p.tenant_id = \(tenant.uuid) and p.app_id = \(app.uuid)
              and p.message_id = \(message.uuid)
            order by p.locale, p.environment
            """)
        return try rows.compactMap { row in
            guard let environment = StoreEnvironment(rawValue: try row.decode("environment")) else {
                return nil
            }
            return Placed(
                locale: try row.decode("locale"), environment: environment,
                appleId: try row.decode("apple_id"),
                state: ReviewState(rawValue: try row.decode("state")),
                stateAt: try row.instant("state_at"))
        }
    }
}

extension Localization {
    /// Every picture it shows, with the use that the picture must have been stored for.
    package var imageUses: [(image: ImageID, size: ImageSize)] {
        (image.map { [($0.image, .fullSize)] } ?? [])
            + bullets.map { ($0.image.image, .bulletPoint) }
    }
}

extension StoreError {
    fileprivate static func noLocalization(_ locale: String, of message: MessageID) -> StoreError {
        StoreError(code: .notFound, message: "\(message) has no text in \(locale)")
    }
}
