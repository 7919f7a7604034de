import Foundation
import Operator
import Postgres
import Retention
import RetentionStore
import Signing
import TestSupport
import Testing

/// A key that stands by, checked by a worker in its own role and with its lease.
@Suite(.database) struct StandbyKeyTests {
    /// An app with a live key and one that stands by.
    private struct Stage {
        let agencies: Agencies
        let app: AppID
        let former: CredentialID
        let standby = CredentialID(UUID())
        private let worker: RetentionStore

        init() throws {
            agencies = try Agencies()
            app = agencies.first.keys[0].app
            worker = RetentionStore(pool: agencies.database.sync)
            former = try agencies.change(agencies.first) { [app] in
                try #require(try $0.findLiveCredential(of: app)).id
            }
            try store(standby, .afterCheck)
        }

        func store(_ id: CredentialID, _ activation: KeyActivation) throws {
            let key = InAppPurchaseKey(keyId: "K", issuerId: "I", key: try PrivateKey.generate())
            try agencies.change(agencies.first) {
                try $0.storeCredential(
                    key, id: id, of: app, sealedTo: agencies.platformKey.publicKey,
                    activation: activation)
            }
        }

        /// One transaction of a worker that has the lease of an app's environment.
        func work<R>(
            _ environment: StoreEnvironment, at now: Instant = Agencies.now,
            _ body: (TenantTransaction, AppEnvironment) throws -> R
        ) throws -> R {
            let key = AppEnvironment(app: app, environment: environment)
            let token: Int64 = try agencies.value(
                """
                update holdfast.sync_state set lease_token = lease_token + 1,
                  leased_until = clock_timestamp() + interval '1 minute'
                where tenant_id = \(agencies.first.scope.tenant.uuid) and app_id = \(app.uuid)
                  and environment = \(environment.rawValue)
                returning lease_token
                """)
            let lease = SyncLease(tenant: agencies.first.scope.tenant, key: key, token: token)
            return try worker.transaction(holding: lease, for: .seconds(60), at: now) {
                transaction, _ in try body(transaction, key)
            }
        }

        /// The worker's part: a list call with each key that is to be checked, and what it proved.
        @discardableResult
        func check(
            _ environment: StoreEnvironment, _ outcome: AppleOutcome, of one: CredentialID? = nil
        ) throws -> [CredentialID: Bool] {
            try work(environment) { transaction, key in
                var done: [CredentialID: Bool] = [:]
                for sealed in try transaction.credentialsToCheck(at: key)
                where one == nil || sealed.credential == one {
                    try transaction.finishAppleCall(
                        .make(at: Agencies.now),
                        AppleCallEnd(
                            outcome: outcome, status: 200, appleCode: nil, appleMessage: nil,
                            credential: sealed.credential), at: key)
                    done[sealed.credential] = try transaction.activateCredential(
                        sealed.credential, of: app)
                }
                return done
            }
        }

        func states() throws -> [CredentialID: StoredCredential.State] {
            try agencies.change(agencies.first) { transaction in
                let all = try transaction.listCredentials(of: app, after: nil, limit: 100)
                return Dictionary(
                    all.map { ($0.id, $0.state) }, uniquingKeysWith: { first, _ in first })
            }
        }

        func signers() throws -> [CredentialID?] {
            try StoreEnvironment.allCases.map {
                try agencies.snapshot(
                    agencies.first, AppEnvironment(app: app, environment: $0)
                ).signingKey?.credential
            }
        }
    }

    @Test func `a key stands by until both environments took a call made with it`() throws {
        let stage = try Stage()
        #expect(try stage.states() == [stage.former: .live, stage.standby: .standby])
        #expect(try stage.signers() == [stage.former, stage.former])
        let standing = try stage.work(.sandbox) { transaction, _ in
            try transaction.standbyCredentials(of: stage.app).map(\.credential)
        }
        #expect(standing == [stage.standby])
        #expect(try stage.check(.sandbox, .ok)[stage.standby] == false)
        #expect(try stage.signers() == [stage.former, stage.former])
        // Answered: not asked again.
        #expect(try stage.check(.sandbox, .ok) == [:])
        #expect(try stage.check(.production, .ok)[stage.standby] == true)
        #expect(try stage.states() == [stage.former: .retired, stage.standby: .live])
        #expect(try stage.signers() == [stage.standby, stage.standby])
        let events = try stage.agencies.change(stage.agencies.first) {
            try $0.listAuditEvents(AuditFilter(), before: nil, limit: 9)
        }.filter { $0.actor.kind == "sync" }.map { "\($0.event.action) \($0.event.resourceId)" }
        #expect(
            Set(events) == [
                "credential.retire \(stage.former)", "credential.activate \(stage.standby)",
            ])
    }

    @Test func `a key that is refused, or proves nothing, stays where it is`() throws {
        for outcome in [AppleOutcome.keyRefused, .noAccess, .unknown(.timedOut)] {
            let stage = try Stage()
            try stage.check(.sandbox, outcome, of: stage.standby)
            try stage.check(.production, outcome, of: stage.standby)
            #expect(try stage.states() == [stage.former: .live, stage.standby: .standby])
            // What a key that stands by may do says nothing of the app's access.
            let access: Int64 = try stage.agencies.value(
                "select count(*) from holdfast.sync_state where access = 'none'")
            #expect(access == 0)
        }
    }

    @Test func `a newer key takes the place of one that stands by`() throws {
        let stage = try Stage()
        let (second, third) = (CredentialID(UUID()), CredentialID(UUID()))
        try stage.store(second, .afterCheck)
        #expect(
            try stage.states()
                == [stage.former: .live, stage.standby: .retired, second: .standby])
        try stage.store(third, .immediately)
        #expect(
            try stage.states() == [
                stage.former: .retired, stage.standby: .retired, second: .retired, third: .live,
            ])
        #expect(try stage.signers() == [third, third])
    }

    /// The database holds it, whoever writes.
    @Test func `two keys never stand by, and two are never live`() throws {
        let stage = try Stage()
        for state in ["null", "now()"] {
            let error = #expect(throws: PostgresError.self) {
                try stage.agencies.database.superuser.withConnection {
                    try $0.execute(
                        script: """
                            insert into holdfast.credential (tenant_id, app_id, credential_id,
                              key_id, issuer_id, public_key, sealed, created_at, activated_at)
                            select tenant_id, app_id, gen_random_uuid(), 'K', 'I', 'x', 'x',
                              now(), \(state)
                            from holdfast.credential where app_id = '\(stage.app.uuid)' limit 1
                            """)
                }
            }
            #expect(error?.sqlState == "23505")
        }
    }

    @Test func `a worker changes nothing else of a key`() throws {
        let stage = try Stage()
        for change in ["sealed = 'x'", "key_id = 'x'", "check_wanted_at = null"] {
            let error = #expect(throws: PostgresError.self) {
                try stage.agencies.database.sync.withConnection {
                    try $0.execute(script: "update holdfast.credential set \(change)")
                }
            }
            #expect(error?.sqlState == "42501", "\(change)")
        }
    }

    @Test func `a check that is wanted wakes both environments out of any pause`() throws {
        let stage = try Stage()
        let tenant = stage.agencies.first.scope.tenant.uuid
        try stage.check(.sandbox, .ok)
        try stage.agencies.database.superuser.withConnection { connection in
            _ = try connection.query(
                """
                update holdfast.sync_state set pause_reason = 'keyRefused',
                  paused_until = now() + interval '1 day',
                  next_run_at = now() + interval '1 day', leased_until = null
                where tenant_id = \(tenant) and app_id = \(stage.app.uuid)
                """)
        }
        let isWanted = try stage.agencies.store.transaction(
            stage.agencies.first.scope, at: Agencies.now + 1
        ) { try $0.wantCredentialCheck(stage.former, of: stage.app) }
        #expect(isWanted)
        let due: Int64 = try stage.agencies.value(
            """
            select count(*) from holdfast.sync_state
            where tenant_id = \(tenant) and app_id = \(stage.app.uuid)
              and pause_reason is null and next_run_at <= clock_timestamp()
            """)
        #expect(due == 2)
        for environment in StoreEnvironment.allCases {
            let wanted = try stage.work(environment) { transaction, key in
                try transaction.credentialsToCheck(at: key).map(\.credential)
            }
            #expect(wanted.contains(stage.former))
        }
    }

    @Test func `a former key is served until every live responder has moved on`() throws {
        let stage = try Stage()
        try stage.check(.sandbox, .ok)
        try stage.check(.production, .ok)
        let first = stage.agencies.first
        func served() throws -> Set<CredentialID>? {
            try stage.agencies.change(first) { try $0.servedCredentials(of: stage.app) }
        }
        #expect(try served() == nil)
        let keys = StoreEnvironment.allCases.map {
            AppEnvironment(app: stage.app, environment: $0)
        }
        let responders = RetentionStore(pool: stage.agencies.database.responder)
        let now = Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
        func acknowledge(_ name: String, _ number: Int64?) throws {
            let heads = try keys.map { key in
                let newest = try stage.agencies.head(first, key).number
                return SnapshotHead(
                    tenant: first.scope.tenant, key: key, number: number ?? newest)
            }
            try responders.acknowledge(.routing, heads, by: name, at: now)
        }
        try acknowledge("one", nil)
        #expect(try served() == [stage.standby])
        try acknowledge("two", 1)
        #expect(try served()?.contains(stage.former) == true)
        try acknowledge("two", nil)
        #expect(try served() == [stage.standby])
    }
}
