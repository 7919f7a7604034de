// Tables: apple_object, apple_default, sync_state, call_budget. What we know Apple has.
package import FoundationEssentials
internal import Postgres
package import Retention

extension TenantTransaction {
    package func observedState(at key: AppEnvironment) throws -> ObservedState {
        var state = ObservedState()
        for object in try appleObjects(at: key) { state.objects[object.id] = object }
        try readDefaults(into: &state, at: key)
        try readSyncState(into: &state, at: key)
        let waits = try connection.query(
            """
            select endpoint, not_before from holdfast.call_budget
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue) and not_before is not null
            """)
        for row in waits {
            guard let endpoint = AppleEndpoint(rawValue: try row.decode("endpoint")) else {
                continue
            }
            state.notBefore[endpoint] = try row.instant("not_before")
        }
        return state
    }

    private func appleObjects(at key: AppEnvironment) throws -> [AppleObject] {
        let rows = try connection.query(
            """
            select apple_id, kind, is_ours, presence, state, images, attempted_at, uncertain_since,
              uploaded_at, listed_at, absent_since, unnamed_since,
              superseded_at is not null as is_superseded, refused_at, refusal_code
            from holdfast.apple_object
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue)
            """)
        return try rows.map(AppleObject.init(row:))
    }

    private func readDefaults(into state: inout ObservedState, at key: AppEnvironment) throws {
        let rows = try connection.query(
            """
            select product_id, locale, apple_id, is_uncertain, former_ids, read_at, refused_id,
              refused_at, refusal_code
            from holdfast.apple_default
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue)
            """)
        for row in rows {
            let slot = DefaultSlot(
                productId: try row.decode("product_id"), locale: try row.decode("locale"))
            state.defaults[slot] = ObservedDefault(
                appleId: try row.decode("apple_id"),
                isUncertain: try row.decode("is_uncertain"),
                formerIds: try row.decode("former_ids"),
                readAt: try row.optionalInstant("read_at"), refusal: try row.refusal(),
                refusedId: try row.decode("refused_id"))
        }
    }

    private func readSyncState(into state: inout ObservedState, at key: AppEnvironment) throws {
        // A pause is about the key that was refused: another one is tried at once.
        let rows = try connection.query(
            """
            select s.images_listed_at, s.messages_listed_at, s.doubted_at, s.images_full_at,
              s.messages_full_at, s.url_kind, s.url_endpoint_id, s.url_is_uncertain, s.url_read_at,
              s.url_refused_at as refused_at, s.url_refusal_code as refusal_code,
              case when s.pause_credential_id is not distinct from c.credential_id
                then s.pause_reason end as pause_reason,
              s.paused_until, s.failures, s.retry_at
            from holdfast.sync_state s
            left join holdfast.credential c on c.tenant_id = s.tenant_id and c.app_id = s.app_id
              and c.retired_at is null and c.activated_at is not null
            where s.tenant_id = \(tenant.uuid) and s.app_id = \(key.app.uuid)
              and s.environment = \(key.environment.rawValue)
            """)
        guard let row = rows.first else { throw StoreError.noApp(key.app) }
        state.imagesListedAt = try row.optionalInstant("images_listed_at")
        state.messagesListedAt = try row.optionalInstant("messages_listed_at")
        state.doubtedAt = try row.optionalInstant("doubted_at")
        state.fullAt[.image] = try row.optionalInstant("images_full_at")
        state.fullAt[.message] = try row.optionalInstant("messages_full_at")
        state.url = try ObservedURL(row: row)
        state.isURLUncertain = try row.decode("url_is_uncertain")
        state.urlReadAt = try row.optionalInstant("url_read_at")
        state.urlRefusal = try row.refusal()
        state.pause = try row.decode(String?.self, "pause_reason").flatMap(
            SyncPause.init(rawValue:))
        state.pausedUntil = state.pause == nil ? nil : try row.optionalInstant("paused_until")
        state.failures = try row.decode("failures")
        state.retryAt = try row.optionalInstant("retry_at")
    }
}

extension AppleObject {
    /// Of the columns that `appleObjects` and `storedAppleObjects` read.
    init(row: Row) throws {
        let id: UUID = try row.decode("apple_id")
        guard let kind = AppleObjectKind(rawValue: try row.decode("kind")),
            let presence = Presence(rawValue: try row.decode("presence"))
        else {
            throw StoreError(code: .invalid, message: "object \(id) at Apple is of no known kind")
        }
        self.init(
            kind: kind, id: id, isOurs: try row.decode("is_ours"), presence: presence,
            state: ReviewState(rawValue: try row.decode("state")),
            images: try row.decode("images"), attemptedAt: try row.optionalInstant("attempted_at"),
            uncertainSince: try row.optionalInstant("uncertain_since"),
            uploadedAt: try row.optionalInstant("uploaded_at"),
            listedAt: try row.optionalInstant("listed_at"),
            absentSince: try row.optionalInstant("absent_since"),
            unnamedSince: try row.optionalInstant("unnamed_since"),
            isSuperseded: try row.decode("is_superseded"), refusal: try row.refusal())
    }
}

extension ObservedURL {
    /// `nil` until Apple was asked.
    fileprivate init?(row: Row) throws {
        let endpoint: UUID? = try row.decode("url_endpoint_id")
        switch try row.decode(String?.self, "url_kind") {
        case "none": self = .none
        case "foreign": self = .foreign
        case "own":
            guard let endpoint else { return nil }
            self = .own(EndpointID(endpoint))
        default: return nil
        }
    }

    fileprivate var kind: String {
        switch self {
        case .none: "none"
        case .own: "own"
        case .foreign: "foreign"
        }
    }

    fileprivate var endpoint: EndpointID? {
        guard case .own(let endpoint) = self else { return nil }
        return endpoint
    }
}

extension Row {
    fileprivate func refusal() throws -> AppleRefusal? {
        guard let at = try optionalInstant("refused_at") else { return nil }
        let code: Int32? = try decode("refusal_code")
        return AppleRefusal(code: code.map(Int.init), at: at)
    }
}

// MARK: - Writing

extension TenantTransaction {
    /// Writes what became known, each observation its row.
    ///
    /// - Parameters:
    ///   - contents: what is behind identifiers that are wanted now.
    ///   - former: what was known before: answers are built anew where an approval came or went.
    package func record(
        _ observations: [Observation], at key: AppEnvironment,
        contents: [UUID: AppleObjectContent], former: ObservedState
    ) throws {
        for observation in observations {
            switch observation {
            case .object(let object):
                try recordObject(object, contents[object.id], at: key)
                if servable(former.objects[object.id]) != servable(object) { touch(key) }
            case .forgotten(let id):
                try forgetObject(id, at: key)
                if former.objects[id]?.isApproved == true { touch(key) }
            case .default(let slot, let observed): try recordDefault(slot, observed, at: key)
            case .forgottenDefault(let slot): try forgetDefault(slot, at: key)
            default: try recordState(observation, at: key)
            }
        }
    }

    /// What answers depend on: whether it may be shown, and with which pictures.
    private func servable(_ object: AppleObject?) -> [UUID]? {
        object.flatMap { $0.isApproved ? $0.images : nil }
    }

    private func recordObject(
        _ object: AppleObject, _ content: AppleObjectContent?, at key: AppEnvironment
    ) throws {
        _ = try connection.query(
            """
            insert into holdfast.apple_object as o (tenant_id, app_id, environment, apple_id, kind,
              state, state_at, is_ours, presence, content_digest, generation, content, images,
              attempted_at, uncertain_since, uploaded_at, listed_at, absent_since, unnamed_since,
              superseded_at, refused_at, refusal_code, decided_at)
            values (\(tenant.uuid), \(key.app.uuid), \(key.environment.rawValue), \(object.id),
              \(object.kind.rawValue), \(object.state.rawValue), \(timestamp), \(object.isOurs),
              \(object.presence.rawValue), \(content?.digest), \(content?.generation ?? 0),
              \(try content?.shown()), \(object.images), \(time(object.attemptedAt)),
              \(time(object.uncertainSince)), \(time(object.uploadedAt)),
              \(time(object.listedAt)), \(time(object.absentSince)), \(time(object.unnamedSince)),
              \(object.isSuperseded ? timestamp : nil), \(time(object.refusal?.at)),
              \(object.refusal?.code.map(Int32.init(clamping:))),
              case when \(object.state.rawValue) <> 'PENDING' then \(timestamp) end)
            on conflict (tenant_id, app_id, environment, apple_id) do update set
              state = excluded.state,
              state_at = case when o.state = excluded.state then o.state_at
                else excluded.state_at end,
              decided_at = coalesce(o.decided_at, excluded.decided_at),
              is_ours = excluded.is_ours, presence = excluded.presence,
              content_digest = coalesce(o.content_digest, excluded.content_digest),
              generation = case when o.content_digest is null then excluded.generation
                else o.generation end,
              content = coalesce(o.content, excluded.content), images = excluded.images,
              attempted_at = excluded.attempted_at, uncertain_since = excluded.uncertain_since,
              uploaded_at = excluded.uploaded_at, listed_at = excluded.listed_at,
              absent_since = excluded.absent_since, unnamed_since = excluded.unnamed_since,
              -- The agency's word, which may have come meanwhile.
              superseded_at = coalesce(o.superseded_at, excluded.superseded_at),
              refused_at = excluded.refused_at, refusal_code = excluded.refusal_code
            """)
        if case .image(let image, _) = content?.source, object.isOurs, !object.isSpent {
            try setImagePlacement(image, object.id, at: key)
        }
    }

    private func forgetObject(_ id: UUID, at key: AppEnvironment) throws {
        _ = try connection.query(
            """
            delete from holdfast.apple_object
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue) and apple_id = \(id)
            """)
    }

    private func recordDefault(
        _ slot: DefaultSlot, _ observed: ObservedDefault, at key: AppEnvironment
    ) throws {
        _ = try connection.query(
            """
            insert into holdfast.apple_default (tenant_id, app_id, environment, product_id, locale,
              apple_id, is_uncertain, former_ids, read_at, refused_id, refused_at, refusal_code)
            values (\(tenant.uuid), \(key.app.uuid), \(key.environment.rawValue),
              \(slot.productId), \(slot.locale), \(observed.appleId), \(observed.isUncertain),
              \(observed.formerIds), \(time(observed.readAt)), \(observed.refusedId),
              \(time(observed.refusal?.at)), \(observed.refusal?.code.map(Int32.init(clamping:))))
            on conflict (tenant_id, app_id, environment, product_id, locale) do update set
              apple_id = excluded.apple_id, is_uncertain = excluded.is_uncertain,
              former_ids = excluded.former_ids, read_at = excluded.read_at,
              refused_id = excluded.refused_id, refused_at = excluded.refused_at,
              refusal_code = excluded.refusal_code
            """)
    }

    private func forgetDefault(_ slot: DefaultSlot, at key: AppEnvironment) throws {
        _ = try connection.query(
            """
            delete from holdfast.apple_default
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue) and product_id = \(slot.productId)
              and locale = \(slot.locale)
            """)
    }

    private func recordState(_ observation: Observation, at key: AppEnvironment) throws {
        switch observation {
        case .object, .forgotten, .default, .forgottenDefault: return
        case .notBefore(let endpoint, let instant):
            try recordWait(endpoint, until: instant, at: key)
        case .listed(.image, let at): try recordLooks(imagesListed: at, at: key)
        case .listed(.message, let at): try recordLooks(messagesListed: at, at: key)
        case .doubted(let at): try recordLooks(doubted: at, at: key)
        case .url(let url, let isUncertain, let readAt, let refusal):
            try recordURL(url, isUncertain, readAt, refusal, at: key)
        case .pause(let pause, let until): try recordPause(pause, until: until, at: key)
        case .failures(let count, let retryAt):
            try recordFailures(count, retryAt: retryAt, at: key)
        case .full(let kind, let at): try recordFull(kind, since: at, at: key)
        }
    }

    private func recordLooks(
        imagesListed: Instant? = nil, messagesListed: Instant? = nil, doubted: Instant? = nil,
        at key: AppEnvironment
    ) throws {
        _ = try connection.query(
            """
            update holdfast.sync_state
            set images_listed_at = coalesce(\(time(imagesListed)), images_listed_at),
              messages_listed_at = coalesce(\(time(messagesListed)), messages_listed_at),
              doubted_at = coalesce(\(time(doubted)), doubted_at)
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue)
            """)
    }

    private func recordFailures(
        _ count: Int32, retryAt: Instant?, at key: AppEnvironment
    ) throws {
        _ = try connection.query(
            """
            update holdfast.sync_state set failures = \(count), retry_at = \(time(retryAt))
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue)
            """)
    }

    private func recordFull(
        _ kind: AppleObjectKind, since: Instant?, at key: AppEnvironment
    ) throws {
        _ = try connection.query(
            """
            update holdfast.sync_state
            set images_full_at = case when \(kind == .image) then \(time(since))
                else images_full_at end,
              messages_full_at = case when \(kind == .message) then \(time(since))
                else messages_full_at end
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue)
            """)
    }

    private func recordURL(
        _ url: ObservedURL?, _ isUncertain: Bool, _ readAt: Instant?, _ refusal: AppleRefusal?,
        at key: AppEnvironment
    ) throws {
        _ = try connection.query(
            """
            update holdfast.sync_state set url_kind = \(url?.kind),
              url_endpoint_id = \(url?.endpoint?.uuid), url_is_uncertain = \(isUncertain),
              url_read_at = \(time(readAt)), url_refused_at = \(time(refusal?.at)),
              url_refusal_code = \(refusal?.code.map(Int32.init(clamping:))),
              -- The agency's word was for the URL that it replaced.
              may_replace_url = may_replace_url and \(url?.endpoint == nil)
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue)
            """)
    }

    private func recordPause(_ pause: SyncPause?, until: Instant?, at key: AppEnvironment) throws {
        _ = try connection.query(
            """
            update holdfast.sync_state set pause_reason = \(pause?.rawValue),
              paused_until = \(time(until)),
              pause_credential_id = (select c.credential_id from holdfast.credential c
                where c.tenant_id = \(tenant.uuid) and c.app_id = \(key.app.uuid)
                  and c.retired_at is null and c.activated_at is not null)
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue)
            """)
    }

    private func recordWait(
        _ endpoint: AppleEndpoint, until: Instant, at key: AppEnvironment
    ) throws {
        _ = try connection.query(
            """
            insert into holdfast.call_budget (tenant_id, app_id, environment, endpoint, not_before)
            values (\(tenant.uuid), \(key.app.uuid), \(key.environment.rawValue),
              \(endpoint.rawValue), \(time(until)))
            on conflict (tenant_id, app_id, environment, endpoint)
              do update set not_before = excluded.not_before
            """)
    }

    private func time(_ instant: Instant?) -> Timestamp? {
        instant.map { Timestamp(milliseconds: $0.milliseconds) }
    }
}

extension AppleObjectContent {
    /// As people see it later; the identifiers of pictures are in `images`.
    fileprivate func shown() throws -> JSON {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return switch source {
        case .image(let image, let size):
            JSON(Array(try encoder.encode(["image": "\(image)", "imageSize": size.rawValue])))
        case .text(let text, _): JSON(Array(try encoder.encode(text)))
        }
    }
}
