// Table: audit_event. Append-only: the database refuses every change, also to its owner.
internal import FoundationEssentials
internal import Postgres
package import Retention

/// One thing that was done. Who did it is the scope's actor.
package struct AuditEvent: Sendable {
    /// `message.update`, `apiKey.revoke`.
    package let action: String
    package let resourceType: String
    package let resourceId: String
    package let app: AppID?
    /// A JSON object: member -> {"from": …, "to": …}. Never a secret.
    package let changes: [UInt8]
    /// Where the request came from; `nil` for commands and jobs.
    package let address: String?
    package let requestId: String?

    package init(
        action: String, resourceType: String, resourceId: String, app: AppID?, changes: [UInt8],
        address: String? = nil, requestId: String? = nil
    ) {
        self.action = action
        self.resourceType = resourceType
        self.resourceId = resourceId
        self.app = app
        self.changes = changes
        self.address = address
        self.requestId = requestId
    }
}

package struct StoredAuditEvent: Sendable {
    package let id: AuditEventID
    package let at: Instant
    package let actor: RecordedActor
    package let event: AuditEvent
}

/// Which events are wanted; absent members want all.
package struct AuditFilter: Sendable {
    package var app: AppID?
    package var action: String?
    package var from: Instant?
    package var to: Instant?

    package init(
        app: AppID? = nil, action: String? = nil, from: Instant? = nil, to: Instant? = nil
    ) {
        self.app = app
        self.action = action
        self.from = from
        self.to = to
    }
}

extension TenantTransaction {
    /// Adds an event in the transaction that has the effect: neither is there without the other.
    package func recordAudit(_ event: AuditEvent) throws {
        let actor = scope.actor.recorded
        _ = try connection.query(
            """
            insert into holdfast.audit_event (tenant_id, audit_event_id, at, actor_kind, actor_id,
              actor_name, api_key_id, address, request_id, action, resource_type, resource_id,
              app_id, changes)
            values (\(tenant.uuid), \(AuditEventID.make(at: now).uuid), \(timestamp),
              \(actor.kind), \(actor.id), \(actor.name), \(scope.actor.principal?.key.uuid),
              \(event.address), \(event.requestId), \(event.action), \(event.resourceType),
              \(event.resourceId), \(event.app?.uuid), \(JSON(event.changes)))
            """)
    }

    /// Newest first; `before` is the last one of the page before.
    package func listAuditEvents(
        _ filter: AuditFilter, before: AuditEventID?, limit: Int32
    ) throws -> [StoredAuditEvent] {
        let from = filter.from.map { Timestamp(milliseconds: $0.milliseconds) }
        let to = filter.to.map { Timestamp(milliseconds: $0.milliseconds) }
        let rows = try connection.query(
            """
            select audit_event_id, at, actor_kind, actor_id, actor_name, address, request_id,
              action, resource_type, resource_id, app_id, changes
            from holdfast.audit_event
            where tenant_id = \(tenant.uuid)
              and (\(filter.app?.uuid)::uuid is null or app_id = \(filter.app?.uuid))
              and (\(filter.action)::text is null or action = \(filter.action))
              and (\(from)::timestamptz is null or at >= \(from))
              and (\(to)::timestamptz is null or at < \(to))
              and (\(before?.uuid)::uuid is null or audit_event_id < \(before?.uuid))
            order by audit_event_id desc
            limit \(limit)
            """)
        return try rows.map(StoredAuditEvent.init(row:))
    }
}

extension StoredAuditEvent {
    fileprivate init(row: Row) throws {
        id = AuditEventID(try row.decode("audit_event_id"))
        at = try row.instant("at")
        actor = RecordedActor(
            kind: try row.decode("actor_kind"), id: try row.decode("actor_id"),
            name: try row.decode("actor_name"))
        let changes: JSON = try row.decode("changes")
        event = AuditEvent(
            action: try row.decode("action"), resourceType: try row.decode("resource_type"),
            resourceId: try row.decode("resource_id"),
            app: try row.decode(UUID?.self, "app_id").map { AppID($0) }, changes: changes.bytes,
            address: try row.decode("address"), requestId: try row.decode("request_id"))
    }
}

/// Who did something, as it is kept beside what was done.
package struct RecordedActor: Codable, Equatable, Sendable {
    /// `apiKey`, `operator`, `job`, `responder`, `sync` or `worker`.
    package let kind: String
    package let id: String
    package let name: String?
}

extension Actor {
    package var recorded: RecordedActor {
        switch self {
        case .operator: RecordedActor(kind: "operator", id: "holdfast", name: nil)
        case .responder: RecordedActor(kind: "responder", id: "realtime-responder", name: nil)
        case .sync: RecordedActor(kind: "sync", id: "apple-sync", name: nil)
        // Adds signed data, which needs no audit: the table takes no event of this kind.
        case .receiver: RecordedActor(kind: "receiver", id: "api-gateway", name: nil)
        case .worker: RecordedActor(kind: "worker", id: "profile-worker", name: nil)
        case .apiKey(let key):
            RecordedActor(kind: "apiKey", id: key.key.description, name: key.name)
        case .job(let job, let key):
            RecordedActor(kind: "job", id: job.description, name: key.name)
        }
    }

    /// As a column holds it.
    var record: JSON {
        // Three texts always encode.
        JSON((try? JSONEncoder().encode(recorded)).map { Array($0) } ?? Array("{}".utf8))
    }
}

extension Row {
    func decodeActor(_ column: String) throws -> RecordedActor {
        let json: JSON = try decode(column)
        return try JSONDecoder().decode(RecordedActor.self, from: Data(json.bytes))
    }
}
