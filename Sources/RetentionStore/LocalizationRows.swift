// Tables: localization, bullet, message. Every text of an app, or those of some names: for files.
internal import FoundationEssentials
internal import Postgres
package import Retention

/// A text with the message that it belongs to.
package struct NamedText: Sendable {
    package let message: MessageID
    package let name: String
    package let kind: MessageKind
    package let text: Localization
}

/// The two names that pick a text.
package struct TextName: Sendable {
    package let message: String
    package let locale: String

    package init(message: String, locale: String) {
        self.message = message
        self.locale = locale
    }
}

extension TenantTransaction {
    /// In the order in which the messages were made, then by locale; `after` is the last one of the
    /// page before.
    package func listTexts(
        of app: AppID, after: (message: MessageID, locale: String)?, limit: Int32
    ) throws -> [NamedText] {
        let rows = try connection.query(
            """
            select m.message_id, m.name, m.kind, l.locale, l.header, l.body, l.header_position,
              l.image_id, l.alt_text
            from holdfast.localization l
            join holdfast.message m using (tenant_id, app_id, message_id)
            where l.tenant_id = \(tenant.uuid) and l.app_id = \(app.uuid)
              and (\(after?.message.uuid)::uuid is null
                or (l.message_id, l.locale) > (\(after?.message.uuid), \(after?.locale)))
            order by l.message_id, l.locale
            limit \(limit)
            """)
        return try namedTexts(rows, of: app)
    }

    /// Those of these texts that are there.
    package func findTexts(_ names: [TextName], of app: AppID) throws -> [NamedText] {
        let rows = try connection.query(
            """
            select m.message_id, m.name, m.kind, l.locale, l.header, l.body, l.header_position,
              l.image_id, l.alt_text
            from unnest(\(names.map(\.message)), \(names.map(\.locale))) as n (name, locale)
            join holdfast.message m on m.name = n.name
            join holdfast.localization l
              on (l.tenant_id, l.app_id, l.message_id, l.locale)
                = (m.tenant_id, m.app_id, m.message_id, n.locale)
            where m.tenant_id = \(tenant.uuid) and m.app_id = \(app.uuid)
            order by l.message_id, l.locale
            """)
        return try namedTexts(rows, of: app)
    }

    /// The app's messages of these names. Nobody else changes them or their texts until the commit.
    package func lockMessages(
        named names: [String], of app: AppID
    ) throws -> [(name: String, id: MessageID, kind: MessageKind)] {
        let rows = try connection.query(
            """
            select message_id, name, kind from holdfast.message
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid) and name = any(\(names))
            order by message_id for update
            """)
        return try rows.map { row in
            let id = MessageID(try row.decode(UUID.self, "message_id"))
            return (try row.decode("name"), id, try messageKind(of: row, id))
        }
    }

    private func namedTexts(_ rows: Rows, of app: AppID) throws -> [NamedText] {
        let ids = Set(try rows.map { try $0.decode(UUID.self, "message_id") })
        let bullets = try bullets(of: Array(ids), app)
        return try rows.map { row in
            let id = MessageID(try row.decode(UUID.self, "message_id"))
            return NamedText(
                message: id, name: try row.decode("name"), kind: try messageKind(of: row, id),
                text: try Localization(row: row, of: id, bullets))
        }
    }

    private func messageKind(of row: Row, _ id: MessageID) throws -> MessageKind {
        let word: String = try row.decode("kind")
        guard let kind = MessageKind(rawValue: word) else {
            throw StoreError(code: .invalid, message: "the kind of \(id) is not known here")
        }
        return kind
    }
}
