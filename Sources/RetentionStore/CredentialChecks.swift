// Tables: credential, credential_check, snapshot. How a key is found to work, and takes the place
// of the one before it.
internal import FoundationEssentials
internal import Postgres
package import Retention

extension TenantTransaction {
    /// Says that the agency wants to know what a key may do: the sync makes a harmless call with it
    /// in both environments, whatever it was pausing for.
    ///
    /// - Returns: `false` for a key that is retired.
    package func wantCredentialCheck(_ id: CredentialID, of app: AppID) throws -> Bool {
        try wakeSyncs(of: app)
        let isWanted =
            try connection.query(
                """
                update holdfast.credential set check_wanted_at = \(timestamp)
                where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
                  and credential_id = \(id.uuid) and retired_at is null
                """
            ).affected == 1
        guard isWanted else { return false }
        _ = try connection.query(
            """
            update holdfast.sync_state
            set pause_reason = null, paused_until = null, pause_credential_id = null
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
            """)
        return true
    }

    /// Counts a change in both environments at once rather than at the commit: their rows are
    /// locked before any other of the app's, as a worker locks them.
    func wakeSyncs(of app: AppID) throws {
        let keys = StoreEnvironment.allCases.map { AppEnvironment(app: app, environment: $0) }
        for key in keys.sorted() { try noteChange(key) }
    }

    // MARK: - By the worker

    /// The key that stands by, if any.
    package func standbyCredentials(of app: AppID) throws -> [SealedSigningKey] {
        let rows = try connection.query(
            """
            select credential_id, key_id, issuer_id, sealed from holdfast.credential
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid) and retired_at is null
              and activated_at is null
            """)
        return try rows.map(SealedSigningKey.init(row:))
    }

    /// Keys of which somebody wants to know what they may do there, live or standing by: one list
    /// call with each answers it, once its end is recorded.
    package func credentialsToCheck(at key: AppEnvironment) throws -> [SealedSigningKey] {
        let rows = try connection.query(
            """
            select c.credential_id, c.key_id, c.issuer_id, c.sealed from holdfast.credential c
            where c.tenant_id = \(tenant.uuid) and c.app_id = \(key.app.uuid)
              and c.retired_at is null and c.check_wanted_at is not null
              and not exists (select from holdfast.credential_check k
                where k.tenant_id = c.tenant_id and k.app_id = c.app_id
                  and k.credential_id = c.credential_id
                  and k.environment = \(key.environment.rawValue)
                  and k.checked_at >= c.check_wanted_at)
            order by c.credential_id
            """)
        return try rows.map(SealedSigningKey.init(row:))
    }

    /// Makes a key that stands by the live one and retires the former, where both environments'
    /// checks show that it works. The former stays valid at Apple until it is revoked there.
    ///
    /// - Returns: whether it was done.
    package func activateCredential(_ id: CredentialID, of app: AppID) throws -> Bool {
        let locked = try connection.query(
            """
            select from holdfast.credential
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid) and retired_at is null
            order by credential_id for update
            """)
        guard locked.count > 0, let key = try findCredential(id, of: app), key.state == .standby,
            CredentialCheck.showKeyWorks(key.checks, since: key.createdAt)
        else { return false }
        let former = try findLiveCredential(of: app)
        if let former {
            _ = try connection.query(
                """
                update holdfast.credential set retired_at = \(timestamp)
                where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
                  and credential_id = \(former.id.uuid)
                """)
            try recordChange("credential.retire", former, to: .retired, of: app)
        }
        _ = try connection.query(
            """
            update holdfast.credential set activated_at = \(timestamp)
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and credential_id = \(id.uuid)
            """)
        try recordChange("credential.activate", key, to: .live, of: app)
        touchBoth(app)
        return true
    }

    private func recordChange(
        _ action: String, _ key: StoredCredential, to state: StoredCredential.State, of app: AppID
    ) throws {
        let change = ["state": ["from": key.state.rawValue, "to": state.rawValue]]
        try recordAudit(
            AuditEvent(
                action: action, resourceType: "credential", resourceId: key.id.description,
                app: app, changes: Array(try JSONEncoder().encode(change))))
    }
}

// MARK: - When the former may go

extension TenantTransaction {
    /// Keys of the app with which some live responder may sign still, in either environment; `nil`
    /// where that is not known: no responder is live, or one has not said what it serves.
    package func servedCredentials(of app: AppID) throws -> Set<CredentialID>? {
        let live = try listLiveResponders()
        let rows = try connection.query(
            """
            select e.environment, r.responder, a.number
            from holdfast.app_environment e
            cross join unnest(\(live)) as r (responder)
            left join holdfast.snapshot_acknowledgement a on a.tenant_id = e.tenant_id
              and a.app_id = e.app_id and a.environment = e.environment
              and a.responder = r.responder
            where e.tenant_id = \(tenant.uuid) and e.app_id = \(app.uuid)
            """)
        guard rows.count > 0 else { return nil }
        var served: Set<CredentialID> = []
        var numbers: [StoreEnvironment: Set<Int64>] = [:]
        for row in rows {
            guard let environment = StoreEnvironment(rawValue: try row.decode("environment")),
                let number: Int64 = try row.decode("number")
            else { return nil }
            numbers[environment, default: []].insert(number)
        }
        for (environment, all) in numbers {
            let found = try snapshotCredentials(
                Array(all), at: AppEnvironment(app: app, environment: environment))
            // One that is gone held who knows what.
            guard found.count == all.count else { return nil }
            served.formUnion(found.compactMap(\.self))
        }
        return served
    }

    private func snapshotCredentials(
        _ numbers: [Int64], at key: AppEnvironment
    ) throws -> [CredentialID?] {
        let rows = try connection.query(
            """
            select convert_from(body, 'UTF8')::jsonb #>> '{signingKey,credential}' as credential
            from holdfast.snapshot
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue) and number = any(\(numbers))
            """)
        return try rows.map { row in
            try row.decode(String?.self, "credential").flatMap { CredentialID($0) }
        }
    }
}
