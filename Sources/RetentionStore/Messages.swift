// Table: message.
internal import FoundationEssentials
internal import Postgres
package import Retention

package struct StoredMessage: Sendable {
    package let id: MessageID
    package let name: String
    package let kind: MessageKind
    package let createdAt: Instant
    /// Those it has a text in, sorted.
    package let locales: [String]
    package let dates: ContentDates
    /// In the app's time zone.
    package let today: CalendarDay?

    package var isStale: Bool { today.map(dates.isStale(on:)) ?? false }
    package var needsReview: Bool { today.map(dates.needsReview(on:)) ?? false }
}

extension TenantTransaction {
    package func createMessage(
        _ id: MessageID, name: String, kind: MessageKind, dates: ContentDates = .none,
        of app: AppID
    ) throws {
        _ = try connection.query(
            """
            insert into holdfast.message (tenant_id, app_id, message_id, name, kind, created_at,
              show_until, review_by)
            values (\(tenant.uuid), \(app.uuid), \(id.uuid), \(name), \(kind.rawValue),
              \(timestamp), \(dates.showUntil?.description)::text::date,
              \(dates.reviewBy?.description)::text::date)
            """)
        try addMessageTargets([id], at: AppEnvironment(app: app, environment: .sandbox))
    }

    /// In the order they were made; `after` is the last one of the page before.
    package func listMessages(
        of app: AppID, after: MessageID?, limit: Int32
    ) throws -> [StoredMessage] {
        try messages(of: app, among: nil, after: after, limit: limit)
    }

    /// - Parameter among: only these; all where `nil`.
    private func messages(
        of app: AppID, among: [UUID]?, isDated: Bool = false, after: MessageID?, limit: Int32
    ) throws -> [StoredMessage] {
        let rows = try connection.query(
            """
            select m.message_id, m.name, m.kind, m.created_at,
              to_char(m.show_until, 'YYYY-MM-DD') as show_until,
              to_char(m.review_by, 'YYYY-MM-DD') as review_by,
              to_char(\(timestamp) at time zone a.time_zone, 'YYYY-MM-DD') as today,
              array(select l.locale from holdfast.localization l
                where l.tenant_id = m.tenant_id and l.app_id = m.app_id
                  and l.message_id = m.message_id
                order by l.locale) as locales
            from holdfast.message m
            join holdfast.app a on a.tenant_id = m.tenant_id and a.app_id = m.app_id
            where m.tenant_id = \(tenant.uuid) and m.app_id = \(app.uuid)
              and (\(among == nil) or m.message_id = any(\(among ?? [])))
              and (not \(isDated) or m.show_until is not null or m.review_by is not null)
              and (\(after?.uuid)::uuid is null or m.message_id > \(after?.uuid))
            order by m.message_id
            limit \(limit)
            """)
        return try rows.map(StoredMessage.init(row:))
    }

    /// - Parameter forUpdate: nobody else changes it or its localizations until the commit.
    /// - Throws: `StoreError.notFound`, also where this scope may not see it.
    package func getMessage(
        _ id: MessageID, of app: AppID, forUpdate: Bool = false
    ) throws -> StoredMessage {
        if forUpdate {
            _ = try connection.query(
                """
                select from holdfast.message
                where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
                  and message_id = \(id.uuid) for update
                """)
        }
        guard let message = try findMessage(id, of: app) else { throw StoreError.noMessage(id) }
        return message
    }

    package func findMessage(_ id: MessageID, of app: AppID) throws -> StoredMessage? {
        try messages(of: app, among: [id.uuid], after: nil, limit: 1).first
    }

    /// Those that are wanted at Apple there and hold until a day, or are to be looked at by one.
    func listDatedMessages(at key: AppEnvironment) throws -> [StoredMessage] {
        try messages(
            of: key.app, among: try wantedMessages(at: key).keys.map(\.uuid), isDated: true,
            after: nil, limit: Int32(MessageLimit.messagesOfApp))
    }

    /// `nil` where the app has none of this name; compared by bytes.
    package func findMessage(named name: String, of app: AppID) throws -> StoredMessage? {
        let rows = try connection.query(
            """
            select message_id from holdfast.message
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and name = \(name)
            """)
        guard let row = rows.first else { return nil }
        return try findMessage(MessageID(try row.decode("message_id")), of: app)
    }

    package func countMessages(of app: AppID) throws -> Int64 {
        let rows = try connection.query(
            """
            select count(*) as count from holdfast.message
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
            """)
        return try rows.first?.decode("count") ?? 0
    }

    package func updateMessage(
        _ id: MessageID, name: String, dates: ContentDates, of app: AppID
    ) throws {
        _ = try connection.query(
            """
            update holdfast.message set name = \(name),
              show_until = \(dates.showUntil?.description)::text::date,
              review_by = \(dates.reviewBy?.description)::text::date
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and message_id = \(id.uuid)
            """)
    }

    /// Its localizations go with it.
    ///
    /// - Throws: a foreign key's `PostgresError` while a default names it. Rules hold no key: see
    ///   `listRulesInUse`.
    package func deleteMessage(_ id: MessageID, of app: AppID) throws {
        _ = try connection.query(
            """
            delete from holdfast.message
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and message_id = \(id.uuid)
            """)
        touchBoth(app)
    }

    /// Makes the message anew in another app of the tenant, or in its own under another name, with
    /// its localizations and the images that they show. What became of it at Apple stays behind.
    package func copyMessage(
        _ id: MessageID, from app: AppID, to target: AppID, as copy: MessageID, name: String
    ) throws {
        let message = try getMessage(id, of: app, forUpdate: true)
        try createMessage(
            copy, name: name, kind: message.kind, dates: message.dates, of: target)
        for locale in message.locales {
            let text = try localization(locale, of: id, app: app)
            let image = try text.image.map { try copied($0, from: app, to: target) }
            let bullets = try text.bullets.map {
                Bullet(text: $0.text, image: try copied($0.image, from: app, to: target))
            }
            try createLocalization(
                Localization(
                    locale: locale, header: text.header, body: text.body,
                    headerPosition: text.headerPosition, image: image, bullets: bullets),
                of: copy, app: target)
        }
    }

    private func copied(
        _ placed: PlacedImage, from app: AppID, to target: AppID
    ) throws -> PlacedImage {
        PlacedImage(
            image: try copyImage(placed.image, from: app, to: target), altText: placed.altText)
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
        else { throw StoreError.noMessage(message) }
        return kind
    }
}

extension StoredMessage {
    fileprivate init(row: Row) throws {
        id = MessageID(try row.decode("message_id"))
        name = try row.decode("name")
        let kind: String = try row.decode("kind")
        guard let known = MessageKind(rawValue: kind) else {
            throw StoreError(code: .invalid, message: "message kind \(kind) is not known here")
        }
        self.kind = known
        createdAt = try row.instant("created_at")
        locales = try row.decode("locales")
        let showUntil: String? = try row.decode("show_until")
        let reviewBy: String? = try row.decode("review_by")
        dates = ContentDates(
            showUntil: showUntil.flatMap(CalendarDay.init),
            reviewBy: reviewBy.flatMap(CalendarDay.init))
        today = CalendarDay(try row.decode("today"))
    }
}

extension StoreError {
    static func noMessage(_ message: MessageID) -> StoreError {
        StoreError(code: .notFound, message: "there is no message \(message)")
    }
}
