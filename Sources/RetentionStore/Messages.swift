// Tables: message, localization, bullet.
internal import FoundationEssentials
internal import Postgres
package import Retention

extension TenantTransaction {
    package func createMessage(
        _ id: MessageID, name: String, kind: MessageKind, of app: AppID
    ) throws {
        _ = try connection.query(
            """
            insert into holdfast.message (tenant_id, app_id, message_id, name, kind, created_at)
            values (\(tenant.uuid), \(app.uuid), \(id.uuid), \(name), \(kind.rawValue),
              \(timestamp))
            """)
    }

    /// Adds the text of one locale.
    ///
    /// - Throws: `StoreError`: `invalid` naming each field that Apple would refuse, `notFound` for
    ///   an unknown message or image.
    package func createLocalization(
        _ localization: Localization, of message: MessageID, app: AppID
    ) throws {
        let problems = localization.problems(for: try messageKind(message, of: app))
        guard problems.isEmpty else {
            let list = problems.map { "\($0.field): \($0.problem)" }.joined(separator: "; ")
            throw StoreError(code: .invalid, message: "\(localization.locale): \(list)")
        }
        try requireImages(of: localization, app: app)
        _ = try connection.query(
            """
            insert into holdfast.localization (tenant_id, app_id, message_id, locale, header, body,
              header_position, image_id, alt_text)
            values (\(tenant.uuid), \(app.uuid), \(message.uuid), \(localization.locale),
              \(localization.header), \(localization.body),
              \(localization.headerPosition?.rawValue), \(localization.image?.image.uuid),
              \(localization.image?.altText))
            """)
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

    /// Apple refuses a message whose picture was uploaded for the other use.
    private func requireImages(of localization: Localization, app: AppID) throws {
        let uses =
            (localization.image.map { [($0.image, ImageSize.fullSize)] } ?? [])
            + localization.bullets.map { ($0.image.image, ImageSize.bulletPoint) }
        for (image, size) in uses where try imageSize(image, of: app) != size {
            throw StoreError(
                code: .invalid,
                message: "\(localization.locale): \(image) is not of size \(size.rawValue)")
        }
    }

    func messageKind(_ message: MessageID, of app: AppID) throws -> MessageKind {
        let rows = try connection.query(
            """
            select kind from holdfast.message
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and message_id = \(message.uuid)
            """)
        guard let row = rows.first,
            let kind = MessageKind(rawValue: try row.decode(String.self, "kind"))
        else { throw StoreError(code: .notFound, message: "there is no message \(message)") }
        return kind
    }

    func localization(
        _ locale: String, of message: MessageID, app: AppID
    ) throws -> Localization {
        let rows = try connection.query(
            """
            select header, body, header_position, image_id, alt_text from holdfast.localization
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and message_id = \(message.uuid) and locale = \(locale)
            """)
        guard let row = rows.first else {
            throw StoreError(code: .notFound, message: "\(message) has no text in \(locale)")
        }
        let position: String? = try row.decode("header_position")
        return Localization(
            locale: locale, header: try row.decode("header"), body: try row.decode("body"),
            headerPosition: position.flatMap(HeaderPosition.init(rawValue:)),
            image: try placedImage(row), bullets: try bullets(locale, of: message, app: app))
    }

    private func bullets(_ locale: String, of message: MessageID, app: AppID) throws -> [Bullet] {
        let rows = try connection.query(
            """
            select text, image_id, alt_text from holdfast.bullet
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and message_id = \(message.uuid) and locale = \(locale)
            order by ordinal
            """)
        return try rows.compactMap { row in
            guard let image = try placedImage(row) else { return nil }
            return Bullet(text: try row.decode("text"), image: image)
        }
    }

    private func placedImage(_ row: Row) throws -> PlacedImage? {
        guard let image: UUID = try row.decode(UUID?.self, "image_id"),
            let altText: String = try row.decode(String?.self, "alt_text")
        else { return nil }
        return PlacedImage(image: ImageID(image), altText: altText)
    }
}
