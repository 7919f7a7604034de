// Tables: apple_object, message_placement. What answers name.
package import FoundationEssentials
internal import Postgres
package import Retention
internal import Signing

extension TenantTransaction {
    /// Records one localization as a message at Apple, with Apple's review state. Its images must
    /// be placed there first, as at Apple itself.
    @discardableResult
    package func placeMessage(
        _ message: MessageID, locale: String, at key: AppEnvironment, state: ReviewState
    ) throws -> UUID {
        let text = try localization(locale, of: message, app: key.app)
        let placed = try appleImages(at: key)
        let shown = text.imageUses.compactMap { placed[$0.image] }
        guard let identity = try AppleIdentities(self, key).identity(of: text),
            shown.count == text.imageUses.count
        else {
            throw StoreError(
                code: .invalid,
                message:
                    "\(message) in \(locale) shows an image that is not at Apple; place it first")
        }
        try recordAppleObject(
            identity, .message, images: Set(shown).sorted(), at: key, state: state)
        let appleId = identity.id
        _ = try connection.query(
            """
            insert into holdfast.message_placement (tenant_id, app_id, environment, message_id,
              locale, apple_id)
            values (\(tenant.uuid), \(key.app.uuid), \(key.environment.rawValue),
              \(message.uuid), \(locale), \(appleId))
            on conflict (tenant_id, app_id, environment, message_id, locale)
              do update set apple_id = excluded.apple_id
            """)
        touch(key)
        return appleId
    }

    /// Takes over a review state from Apple, whatever word Apple uses.
    package func setReviewState(
        _ state: ReviewState, ofAppleObject appleId: UUID, at key: AppEnvironment
    ) throws {
        let rows = try connection.query(
            """
            update holdfast.apple_object set state = \(state.rawValue), state_at = \(timestamp)
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue) and apple_id = \(appleId)
            """)
        guard rows.affected == 1 else {
            throw StoreError(code: .notFound, message: "there is no object \(appleId) at Apple")
        }
        touch(key)
    }

    /// Equal content is one object: one that is known keeps the state Apple gave it, which only
    /// `setReviewState` changes.
    func recordAppleObject(
        _ identity: AppleIdentity, _ kind: AppleContent.Kind, images: [UUID],
        at key: AppEnvironment, state: ReviewState
    ) throws {
        _ = try connection.query(
            """
            insert into holdfast.apple_object (tenant_id, app_id, environment, apple_id, kind,
              state, state_at, content_digest, generation, images)
            values (\(tenant.uuid), \(key.app.uuid), \(key.environment.rawValue),
              \(identity.id), \(kind.rawValue), \(state.rawValue), \(timestamp),
              \(identity.digest), \(identity.generation), \(images))
            on conflict (tenant_id, app_id, environment, apple_id) do nothing
            """)
    }

    /// Makes answers and snapshots name other identifiers.
    package func change(_ placements: [PlacementChange], at key: AppEnvironment) throws {
        for placement in placements {
            switch placement {
            case .serve(let place, let id):
                _ = try connection.query(
                    """
                    insert into holdfast.message_placement (tenant_id, app_id, environment,
                      message_id, locale, apple_id)
                    select \(tenant.uuid), \(key.app.uuid), \(key.environment.rawValue),
                      l.message_id, l.locale, \(id)
                    -- A text that was removed meanwhile is served no more.
                    from holdfast.localization l
                    where l.tenant_id = \(tenant.uuid) and l.app_id = \(key.app.uuid)
                      and l.message_id = \(place.message.uuid) and l.locale = \(place.locale)
                    on conflict (tenant_id, app_id, environment, message_id, locale)
                      do update set apple_id = excluded.apple_id
                    """)
            case .stop(let place):
                _ = try connection.query(
                    """
                    delete from holdfast.message_placement
                    where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
                      and environment = \(key.environment.rawValue)
                      and message_id = \(place.message.uuid) and locale = \(place.locale)
                    """)
            }
        }
        if !placements.isEmpty { touch(key) }
    }

    /// Every message with its approved texts; nothing else may be named in an answer.
    func servedMessages(at key: AppEnvironment) throws -> [ServedMessage] {
        let rows = try connection.query(
            """
            select m.message_id, m.kind, array_agg(a.locale order by a.locale) as locales,
              array_agg(a.apple_id order by a.locale) as apple_ids
            from holdfast.message m
            join holdfast.approved_placement a using (tenant_id, app_id, message_id)
            where m.tenant_id = \(tenant.uuid) and m.app_id = \(key.app.uuid)
              and a.environment = \(key.environment.rawValue)
            group by m.message_id, m.kind
            order by m.message_id
            """)
        return try rows.map { row in
            let id = MessageID(try row.decode(UUID.self, "message_id"))
            guard let kind = MessageKind(rawValue: try row.decode("kind")) else {
                throw StoreError(code: .invalid, message: "the kind of \(id) is not known here")
            }
            let locales: [String] = try row.decode("locales")
            let appleIds: [UUID] = try row.decode("apple_ids")
            return ServedMessage(
                id: id, kind: kind,
                placements: Dictionary(
                    zip(locales, appleIds), uniquingKeysWith: { first, _ in first }))
        }
    }
}
