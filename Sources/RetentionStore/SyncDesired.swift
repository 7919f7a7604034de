// What the agency wants Apple to have, read from the tables that hold it: message_target, message,
// localization, bullet, image, default_message, rule_set_publication, endpoint.
package import FoundationEssentials
internal import Postgres
package import Retention
internal import Signing

/// The content behind an identifier at Apple: what is uploaded, and by what it is known again.
package struct AppleObjectContent: Sendable {
    package enum Source: Sendable {
        /// Its bytes are read when they are sent.
        case image(ImageID, ImageSize)
        /// With the identifiers of its pictures at Apple.
        case text(Localization, [ImageID: UUID])
    }

    package let source: Source
    /// Of the content without its generation.
    package let digest: [UInt8]
    package let generation: Int32
}

/// What is wanted in one environment of one app, with all that is needed to bring it there.
package struct SyncDesire: Sendable {
    package let state: DesiredState
    package let contents: [UUID: AppleObjectContent]
    package let bundleId: String
    package let credential: SealedSigningKey?
    /// The number of `sync_state` when this was read.
    package let changeNumber: Int64
}

extension SyncDesire {
    /// Before anything was read.
    package init(_ environment: StoreEnvironment) {
        self.init(
            state: DesiredState(environment: environment), contents: [:], bundleId: "",
            credential: nil, changeNumber: -1)
    }
}

extension TenantTransaction {
    package func syncDesire(at key: AppEnvironment, changeNumber: Int64) throws -> SyncDesire {
        let identities = try AppleIdentities(self, key)
        let wanted = try wantedMessages(at: key)
        let texts = try wantedTexts(of: wanted, app: key.app)
        var contents: [UUID: AppleObjectContent] = [:]
        let state = try desiredState(
            at: key, texts: texts, kinds: wanted, identities: identities, contents: &contents)
        let rows = try connection.query(
            """
            select bundle_id from holdfast.app
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
            """)
        guard let app = rows.first else { throw StoreError.noApp(key.app) }
        return SyncDesire(
            state: state, contents: contents, bundleId: try app.decode("bundle_id"),
            credential: try sealedSigningKey(of: key.app), changeNumber: changeNumber)
    }

    private func desiredState(
        at key: AppEnvironment, texts: [(MessageID, Localization)],
        kinds: [MessageID: MessageKind], identities: AppleIdentities,
        contents: inout [UUID: AppleObjectContent]
    ) throws -> DesiredState {
        var state = DesiredState(environment: key.environment)
        for (message, text) in texts {
            guard let kind = kinds[message], let identity = try identities.identity(of: text)
            else { continue }
            let pictures = text.imageUses.compactMap { use in
                identities.images[use.image].map { (use.image, use.size, $0) }
            }
            for (image, size, picture) in pictures {
                state.images.insert(picture.id)
                contents[picture.id] = AppleObjectContent(
                    source: .image(image, size), digest: picture.digest,
                    generation: picture.generation)
            }
            let shown = Dictionary(
                pictures.map { ($0.0, $0.2.id) }, uniquingKeysWith: { first, _ in first })
            contents[identity.id] = AppleObjectContent(
                source: .text(text, shown), digest: identity.digest,
                generation: identity.generation)
            state.texts.append(
                WantedText(
                    message: message, locale: text.locale, kind: kind, appleId: identity.id,
                    images: Set(shown.values).sorted()))
        }
        state.defaults = try wantedDefaults(at: key)
        state.served = try servedPlaces(at: key)
        state.endpoint = try newestLiveEndpoint(at: key)
        state.mayReplaceForeignURL = try mayReplaceForeignURL(at: key)
        state.hasPassedPerformanceTest = try hasPassedPerformanceTest(of: key.app)
        state.isSnapshotAcknowledged = try isNewestSnapshotAcknowledged(at: key)
        return state
    }

    /// Messages that are to be there: told so, or named by a default or the published rules.
    func wantedMessages(at key: AppEnvironment) throws -> [MessageID: MessageKind] {
        let named = try publishedRuleSet(at: key).rules.flatMap(\.messageIds)
        let rows = try connection.query(
            """
            select m.message_id, m.kind from holdfast.message m
            where m.tenant_id = \(tenant.uuid) and m.app_id = \(key.app.uuid)
              and (m.message_id = any(\(named.map(\.uuid)))
                or exists (select from holdfast.message_target t
                  where t.tenant_id = m.tenant_id and t.app_id = m.app_id
                    and t.environment = \(key.environment.rawValue)
                    and t.message_id = m.message_id)
                or exists (select from holdfast.default_message d
                  where d.tenant_id = m.tenant_id and d.app_id = m.app_id
                    and d.environment = \(key.environment.rawValue)
                    and d.message_id = m.message_id))
            """)
        var kinds: [MessageID: MessageKind] = [:]
        for row in rows {
            kinds[MessageID(try row.decode(UUID.self, "message_id"))] = MessageKind(
                rawValue: try row.decode("kind"))
        }
        return kinds
    }

    private func wantedTexts(
        of messages: [MessageID: MessageKind], app: AppID
    ) throws -> [(MessageID, Localization)] {
        let ids = messages.keys.map(\.uuid)
        let bullets = try bullets(of: ids, app)
        let rows = try connection.query(
            """
            select message_id, locale, header, body, header_position, image_id, alt_text
            from holdfast.localization
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and message_id = any(\(ids))
            order by message_id, locale
            """)
        return try rows.map { row in
            let message = MessageID(try row.decode(UUID.self, "message_id"))
            return (message, try Localization(row: row, of: message, bullets))
        }
    }

    private func wantedDefaults(at key: AppEnvironment) throws -> [DefaultSlot: TextPlace] {
        let rows = try connection.query(
            """
            select product_id, locale, message_id from holdfast.default_message
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue)
            """)
        var defaults: [DefaultSlot: TextPlace] = [:]
        for row in rows {
            let locale: String = try row.decode("locale")
            let slot = DefaultSlot(productId: try row.decode("product_id"), locale: locale)
            defaults[slot] = TextPlace(
                message: MessageID(try row.decode("message_id")), locale: locale)
        }
        return defaults
    }

    private func servedPlaces(at key: AppEnvironment) throws -> [TextPlace: UUID] {
        let rows = try connection.query(
            """
            select message_id, locale, apple_id from holdfast.message_placement
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue)
            """)
        var served: [TextPlace: UUID] = [:]
        for row in rows {
            let place = TextPlace(
                message: MessageID(try row.decode("message_id")), locale: try row.decode("locale"))
            served[place] = try row.decode("apple_id")
        }
        return served
    }

    private func newestLiveEndpoint(at key: AppEnvironment) throws -> EndpointID? {
        let rows = try connection.query(
            """
            select endpoint_id from holdfast.endpoint
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue) and retired_at is null
            order by created_at desc, endpoint_id desc
            limit 1
            """)
        return try rows.first.map { EndpointID(try $0.decode(UUID.self, "endpoint_id")) }
    }

    private func mayReplaceForeignURL(at key: AppEnvironment) throws -> Bool {
        let rows = try connection.query(
            """
            select may_replace_url from holdfast.sync_state
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue)
            """)
        return try rows.first?.decode("may_replace_url") ?? false
    }

    /// Whether all responders that are alive serve the newest snapshot. Without any there is nobody
    /// who could answer with an older one.
    func isNewestSnapshotAcknowledged(at key: AppEnvironment) throws -> Bool {
        let live = try listLiveResponders()
        let rows = try connection.query(
            """
            select count(*) as behind
            from holdfast.app_environment e, unnest(\(live)) as r (responder)
            where e.tenant_id = \(tenant.uuid) and e.app_id = \(key.app.uuid)
              and e.environment = \(key.environment.rawValue) and e.snapshot_number > 0
              and not exists (
                select from holdfast.snapshot_acknowledgement a
                where (a.tenant_id, a.app_id, a.environment)
                  = (e.tenant_id, e.app_id, e.environment)
                  and a.responder = r.responder and a.number >= e.snapshot_number)
            """)
        let behind: Int64 = try rows.first?.decode("behind") ?? 1
        return behind == 0
    }
}
