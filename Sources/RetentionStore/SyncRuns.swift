// Tables: sync_run, apple_call, credential_check. What the sync did, and what Apple said.
package import FoundationEssentials
internal import Postgres
package import Retention

package enum SyncTrigger: String, Sendable, CaseIterable { case request, schedule }

package enum SyncRunState: String, Sendable, CaseIterable { case queued, running, finished }

package struct StoredSyncRun: Sendable {
    package let id: SyncRunID
    package let key: AppEnvironment
    package let trigger: SyncTrigger
    package let requestedBy: RecordedActor
    package let state: SyncRunState
    package let createdAt: Instant
    package let startedAt: Instant?
    package let finishedAt: Instant?
    package let reads: Int32
    package let writes: Int32
    /// JSON: how it ended; `nil` until then.
    package let result: [UInt8]?
}

extension TenantTransaction {
    /// Asks for a run. One that waits already serves who asks again.
    ///
    /// - Returns: the run that will answer the request.
    package func requestSyncRun(_ id: SyncRunID, at key: AppEnvironment) throws -> SyncRunID {
        _ = try connection.query(
            """
            insert into holdfast.sync_run (tenant_id, app_id, environment, run_id, trigger,
              requested_by, state, created_at)
            values (\(tenant.uuid), \(key.app.uuid), \(key.environment.rawValue), \(id.uuid),
              'request', \(scope.actor.record), 'queued', \(timestamp))
            on conflict do nothing
            """)
        let rows = try connection.query(
            """
            select run_id from holdfast.sync_run
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue) and state = 'queued'
            """)
        guard let row = rows.first else {
            throw StoreError(code: .notFound, message: "the run began meanwhile; ask again")
        }
        try wakeSync(key)
        return SyncRunID(try row.decode("run_id"))
    }

    /// Lets the sync take over a real-time URL at Apple that is not ours, once.
    package func allowURLReplacement(at key: AppEnvironment) throws {
        _ = try connection.query(
            """
            update holdfast.sync_state set may_replace_url = true
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue)
            """)
        try wakeSync(key)
    }

    /// Newest first; `before` is the last one of the page before.
    package func listSyncRuns(
        at key: AppEnvironment, before: SyncRunID?, limit: Int32
    ) throws -> [StoredSyncRun] {
        try syncRuns(of: key.app, at: key.environment, one: nil, before: before, limit: limit)
    }

    /// In whichever environment it is.
    package func findSyncRun(_ id: SyncRunID, of app: AppID) throws -> StoredSyncRun? {
        try syncRuns(of: app, at: nil, one: id, before: nil, limit: 1).first
    }

    private func syncRuns(
        of app: AppID, at environment: StoreEnvironment?, one: SyncRunID?, before: SyncRunID?,
        limit: Int32
    ) throws -> [StoredSyncRun] {
        let rows = try connection.query(
            """
            select run_id, environment, trigger, requested_by, state, created_at, started_at,
              finished_at, reads, writes, result
            from holdfast.sync_run
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and (\(environment?.rawValue)::text is null
                or environment = \(environment?.rawValue))
              and (\(one?.uuid)::uuid is null or run_id = \(one?.uuid))
              and (\(before?.uuid)::uuid is null or run_id < \(before?.uuid))
            order by run_id desc
            limit \(limit)
            """)
        return try rows.map { try StoredSyncRun(row: $0, app: app) }
    }
}

extension StoredSyncRun {
    fileprivate init(row: Row, app: AppID) throws {
        id = SyncRunID(try row.decode("run_id"))
        guard let environment = StoreEnvironment(rawValue: try row.decode("environment")),
            let trigger = SyncTrigger(rawValue: try row.decode("trigger")),
            let state = SyncRunState(rawValue: try row.decode("state"))
        else { throw StoreError(code: .invalid, message: "\(id) is of no known kind") }
        key = AppEnvironment(app: app, environment: environment)
        self.trigger = trigger
        self.state = state
        requestedBy = try row.decodeActor("requested_by")
        createdAt = try row.instant("created_at")
        startedAt = try row.optionalInstant("started_at")
        finishedAt = try row.optionalInstant("finished_at")
        reads = try row.decode("reads")
        writes = try row.decode("writes")
        result = try row.decode(JSON?.self, "result")?.bytes
    }
}

// MARK: - By the worker

extension TenantTransaction {
    /// The run under way; else the one that waits, which begins now; else `nil`.
    package func continueSyncRun(
        at key: AppEnvironment
    ) throws -> (id: SyncRunID, isNew: Bool)? {
        if let running = try openRun("running", at: key) { return (running, false) }
        guard let queued = try openRun("queued", at: key) else { return nil }
        _ = try connection.query(
            """
            update holdfast.sync_run set state = 'running', started_at = \(timestamp)
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue) and run_id = \(queued.uuid)
            """)
        return (queued, true)
    }

    private func openRun(_ state: String, at key: AppEnvironment) throws -> SyncRunID? {
        let rows = try connection.query(
            """
            select run_id from holdfast.sync_run
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue) and state = \(state)
            """)
        return try rows.first.map { SyncRunID(try $0.decode("run_id")) }
    }

    /// A run that nobody asked for: something changed, or the time for a look has come.
    package func beginSyncRun(_ id: SyncRunID, at key: AppEnvironment) throws {
        _ = try connection.query(
            """
            insert into holdfast.sync_run (tenant_id, app_id, environment, run_id, trigger,
              requested_by, state, created_at, started_at)
            values (\(tenant.uuid), \(key.app.uuid), \(key.environment.rawValue), \(id.uuid),
              'schedule', \(scope.actor.record), 'running', \(timestamp), \(timestamp))
            """)
    }

    /// - Parameter result: a JSON object.
    package func finishSyncRun(_ id: SyncRunID, at key: AppEnvironment, result: [UInt8]) throws {
        _ = try connection.query(
            """
            update holdfast.sync_run
            set state = 'finished', finished_at = \(timestamp), result = \(JSON(result))
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue) and run_id = \(id.uuid)
              and state = 'running'
            """)
    }

    /// Before it is sent: what is never finished was lost with its worker.
    package func beginAppleCall(_ call: NewAppleCall, under lease: SyncLease) throws {
        _ = try connection.query(
            """
            insert into holdfast.apple_call (tenant_id, app_id, environment, call_id, run_id,
              endpoint, apple_id, product_id, locale, body_sha256, lease_token, started_at)
            values (\(tenant.uuid), \(lease.key.app.uuid), \(lease.key.environment.rawValue),
              \(call.id.uuid), \(call.run?.uuid), \(call.endpoint.rawValue), \(call.appleId),
              \(call.slot?.productId), \(call.slot?.locale), \(call.bodyDigest), \(lease.token),
              \(timestamp))
            """)
        guard let run = call.run else { return }
        let writes: Int32 = call.endpoint.isWrite ? 1 : 0
        _ = try connection.query(
            """
            update holdfast.sync_run
            set reads = reads + \(1 - writes), writes = writes + \(writes)
            where tenant_id = \(tenant.uuid) and app_id = \(lease.key.app.uuid)
              and environment = \(lease.key.environment.rawValue) and run_id = \(run.uuid)
            """)
    }

    package func finishAppleCall(_ id: AppleCallID, _ end: AppleCallEnd, at key: AppEnvironment)
        throws
    {
        // Text in PostgreSQL holds no NUL; Apple's sentence is for people.
        let message = end.appleMessage.map { String($0.unicodeScalars.filter { $0.value != 0 }) }
        _ = try connection.query(
            """
            update holdfast.apple_call
            set finished_at = \(timestamp), status = \(end.status.map(Int32.init(clamping:))),
              apple_code = \(end.appleCode.map(Int32.init(clamping:))),
              apple_message = left(\(message), 500), outcome = \(end.outcome.name)
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue) and call_id = \(id.uuid)
            """)
        try recordAccess(end, at: key)
    }

    /// What the answer says of the key and of the account, whatever was asked.
    private func recordAccess(_ end: AppleCallEnd, at key: AppEnvironment) throws {
        let verdict: String
        switch end.outcome {
        case .keyRefused: verdict = "keyRefused"
        case .noAccess: verdict = "noAccess"
        case .ok, .same, .absent, .full, .notYet, .terminal(.some): verdict = "works"
        // Without Apple's code it may be anybody's answer, such as a proxy's.
        case .unknown, .notSent, .wait, .terminal(nil): return
        }
        if verdict != "keyRefused" {
            _ = try connection.query(
                """
                update holdfast.sync_state
                set access = \(verdict == "works" ? "granted" : "none"), access_at = \(timestamp)
                where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
                  and environment = \(key.environment.rawValue)
                  -- A key that stands by may be anybody's.
                  and not exists (select from holdfast.credential k
                    where k.tenant_id = \(tenant.uuid) and k.app_id = \(key.app.uuid)
                      and k.credential_id = \(end.credential?.uuid) and k.activated_at is null)
                """)
        }
        guard let credential = end.credential else { return }
        _ = try connection.query(
            """
            insert into holdfast.credential_check as c (tenant_id, app_id, credential_id,
              environment, verdict, status, apple_code, checked_at)
            select \(tenant.uuid), \(key.app.uuid), \(credential.uuid),
              \(key.environment.rawValue), \(verdict), \(end.status.map(Int32.init(clamping:))),
              \(end.appleCode.map(Int32.init(clamping:))), \(timestamp)
            where exists (select from holdfast.credential k
              where k.tenant_id = \(tenant.uuid) and k.app_id = \(key.app.uuid)
                and k.credential_id = \(credential.uuid))
            on conflict (tenant_id, app_id, credential_id, environment) do update set
              verdict = excluded.verdict, status = excluded.status,
              apple_code = excluded.apple_code, checked_at = excluded.checked_at
            """)
    }
}

/// A call as it is written down before it is sent.
package struct NewAppleCall: Sendable {
    package let id: AppleCallID
    package let run: SyncRunID?
    package let endpoint: AppleEndpoint
    package let appleId: UUID?
    package let slot: DefaultSlot?
    /// SHA-256 of what is sent; `nil` where nothing is.
    package let bodyDigest: [UInt8]?

    package init(
        id: AppleCallID, run: SyncRunID?, endpoint: AppleEndpoint, appleId: UUID? = nil,
        slot: DefaultSlot? = nil, bodyDigest: [UInt8]? = nil
    ) {
        self.id = id
        self.run = run
        self.endpoint = endpoint
        self.appleId = appleId
        self.slot = slot
        self.bodyDigest = bodyDigest
    }
}

package struct AppleCallEnd: Sendable {
    package let outcome: AppleOutcome
    package let status: Int?
    package let appleCode: Int?
    package let appleMessage: String?
    /// The key that the call was made with.
    package let credential: CredentialID?

    package init(
        outcome: AppleOutcome, status: Int?, appleCode: Int?, appleMessage: String?,
        credential: CredentialID?
    ) {
        self.outcome = outcome
        self.status = status
        self.appleCode = appleCode
        self.appleMessage = appleMessage
        self.credential = credential
    }
}

package struct StoredAppleCall: Sendable {
    package let id: AppleCallID
    package let run: SyncRunID?
    package let endpoint: String
    package let appleId: UUID?
    package let productId: String?
    package let locale: String?
    package let startedAt: Instant
    /// `nil` while it is under way, and for ever where its worker was lost.
    package let finishedAt: Instant?
    package let status: Int32?
    package let appleCode: Int32?
    package let appleMessage: String?
    package let outcome: String?
}

extension TenantTransaction {
    /// Newest first; `before` is the last one of the page before.
    package func listAppleCalls(
        at key: AppEnvironment, run: SyncRunID?, before: AppleCallID?, limit: Int32
    ) throws -> [StoredAppleCall] {
        let rows = try connection.query(
            """
            select call_id, run_id, endpoint, apple_id, product_id, locale, started_at,
              finished_at, status, apple_code, apple_message, outcome
            from holdfast.apple_call
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue)
              and (\(run?.uuid)::uuid is null or run_id = \(run?.uuid))
              and (\(before?.uuid)::uuid is null or call_id < \(before?.uuid))
            order by call_id desc
            limit \(limit)
            """)
        return try rows.map(StoredAppleCall.init(row:))
    }
}

extension StoredAppleCall {
    fileprivate init(row: Row) throws {
        id = AppleCallID(try row.decode("call_id"))
        run = try row.decode(UUID?.self, "run_id").map { SyncRunID($0) }
        endpoint = try row.decode("endpoint")
        appleId = try row.decode("apple_id")
        productId = try row.decode("product_id")
        locale = try row.decode("locale")
        startedAt = try row.instant("started_at")
        finishedAt = try row.optionalInstant("finished_at")
        status = try row.decode("status")
        appleCode = try row.decode("apple_code")
        appleMessage = try row.decode("apple_message")
        outcome = try row.decode("outcome")
    }
}
