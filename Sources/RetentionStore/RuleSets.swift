// Tables: rule_set, rule_set_draft, rule_set_publication, publication.
internal import FoundationEssentials
internal import Postgres
package import Retention

/// A version of an app's rules as lists show it.
package struct RuleSetSummary: Sendable {
    package let version: Int32
    package let ruleCount: Int32
    package let createdAt: Instant
    package let createdBy: RecordedActor
}

package struct StoredRuleSet: Sendable {
    package let version: Int32
    package let ruleSet: RuleSet
    package let createdAt: Instant
    package let createdBy: RecordedActor
}

/// A version put in force.
package struct StoredPublication: Sendable {
    package let id: PublicationID
    package let version: Int32
    package let environment: StoreEnvironment
    package let publishedAt: Instant
    package let publishedBy: RecordedActor
    /// The first snapshot that holds these rules.
    package let snapshotNumber: Int64
    /// What was in force there before; `nil` for the first.
    package let replacedVersion: Int32?

    /// An older version was put back.
    package var isRollback: Bool { replacedVersion.map { version < $0 } ?? false }
}

/// A version put in force in a transaction that has not built its snapshot yet.
struct UnnumberedPublication {
    let id: PublicationID
    let version: Int32
    let key: AppEnvironment
}

extension TenantTransaction {
    // MARK: - The draft

    /// - Parameter forUpdate: nobody else changes it until the commit.
    package func findRuleSetDraft(of app: AppID, forUpdate: Bool = false) throws -> RuleSet? {
        if forUpdate {
            _ = try connection.query(
                """
                select from holdfast.rule_set_draft
                where tenant_id = \(tenant.uuid) and app_id = \(app.uuid) for update
                """)
        }
        let rows = try connection.query(
            """
            select body from holdfast.rule_set_draft
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
            """)
        return try rows.first.map { try $0.decodeRuleSet() }
    }

    /// - Throws: a unique constraint's `PostgresError` where there is one already.
    package func createRuleSetDraft(_ ruleSet: RuleSet, of app: AppID) throws {
        _ = try connection.query(
            """
            insert into holdfast.rule_set_draft (tenant_id, app_id, body, updated_at)
            values (\(tenant.uuid), \(app.uuid), \(try Self.body(of: ruleSet)), \(timestamp))
            """)
    }

    package func updateRuleSetDraft(_ ruleSet: RuleSet, of app: AppID) throws {
        _ = try connection.query(
            """
            update holdfast.rule_set_draft
            set body = \(try Self.body(of: ruleSet)), updated_at = \(timestamp)
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
            """)
    }

    package func deleteRuleSetDraft(of app: AppID) throws {
        _ = try connection.query(
            """
            delete from holdfast.rule_set_draft
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
            """)
    }

    // MARK: - Versions

    /// Stores the rules as the app's next version. Nothing serves it until it is published. Each
    /// experiment gets its buckets here, as near as can be to those it had in its last version.
    ///
    /// - Returns: the version, from 1.
    /// - Throws: `StoreError.invalid` for more rules than a reader takes.
    package func createRuleSet(_ ruleSet: RuleSet, of app: AppID) throws -> Int32 {
        guard ruleSet.rules.count <= RuleSet.rulesLimit else {
            throw StoreError(
                code: .invalid,
                message: "\(ruleSet.rules.count) rules, \(RuleSet.rulesLimit) are allowed")
        }
        // The lock makes the next number ours: two writers would otherwise both take it. It is no
        // stronger, so that nobody waits who adds a product or a message to the app meanwhile.
        let locked = try connection.query(
            """
            select app_id from holdfast.app
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid) for no key update
            """)
        guard locked.first != nil else { throw StoreError.noApp(app) }
        let allocated = try allocated(ruleSet, of: app)
        let rows = try connection.query(
            """
            insert into holdfast.rule_set (tenant_id, app_id, version, body, created_at, created_by)
            select \(tenant.uuid), \(app.uuid), coalesce(max(version), 0) + 1,
              \(try Self.body(of: allocated)), \(timestamp), \(scope.actor.record)
            from holdfast.rule_set
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
            returning version
            """)
        guard let row = rows.first else { throw StoreError.noApp(app) }
        return try row.decode("version")
    }

    /// The rules with the buckets that they would get if they were stored now.
    package func allocated(_ ruleSet: RuleSet, of app: AppID) throws -> RuleSet {
        ruleSet.allocated(
            after: try newestExperiments(ruleSet.experiments.map(\.id), of: app))
    }

    /// Each of these experiments as subscribers have it: as it stands in the version that is in
    /// force in production; else, or where that has it not, in the newest that does.
    private func newestExperiments(_ ids: [ExperimentID], of app: AppID) throws -> [Experiment] {
        guard !ids.isEmpty else { return [] }
        let rows = try connection.query(
            """
            select distinct on (e ->> 'id') e as experiment
            from holdfast.rule_set r
            left join holdfast.rule_set_publication p
              on p.tenant_id = r.tenant_id and p.app_id = r.app_id and p.version = r.version
                and p.environment = 'Production',
              lateral jsonb_array_elements(r.body -> 'rules') as rule,
              lateral (select rule -> 'experiment' as e) as of_rule
            where r.tenant_id = \(tenant.uuid) and r.app_id = \(app.uuid)
              and e ->> 'id' = any(\(ids.map(\.description)))
            order by e ->> 'id', p.version is null, r.version desc
            """)
        return try rows.map { row in
            let body: JSON = try row.decode("experiment")
            return try JSONDecoder().decode(Experiment.self, from: Data(body.bytes))
        }
    }

    package func findRuleSet(version: Int32, of app: AppID) throws -> StoredRuleSet? {
        let rows = try connection.query(
            """
            select version, body, created_at, created_by from holdfast.rule_set
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid) and version = \(version)
            """)
        return try rows.first.map { row in
            StoredRuleSet(
                version: try row.decode("version"), ruleSet: try row.decodeRuleSet(),
                createdAt: try row.instant("created_at"),
                createdBy: try row.decodeActor("created_by"))
        }
    }

    /// Newest first; `before` is the last one of the page before.
    package func listRuleSets(
        of app: AppID, before: Int32?, limit: Int32
    ) throws -> [RuleSetSummary] {
        let rows = try connection.query(
            """
            select version, jsonb_array_length(body -> 'rules') as rule_count, created_at,
              created_by
            from holdfast.rule_set
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and (\(before)::integer is null or version < \(before))
            order by version desc
            limit \(limit)
            """)
        return try rows.map { row in
            RuleSetSummary(
                version: try row.decode("version"), ruleCount: try row.decode("rule_count"),
                createdAt: try row.instant("created_at"),
                createdBy: try row.decodeActor("created_by"))
        }
    }

    // MARK: - Publications

    /// Serves a version in one environment from the next snapshot on; an older version rolls back.
    @discardableResult
    package func publishRuleSet(version: Int32, at key: AppEnvironment) throws -> PublicationID {
        _ = try connection.query(
            """
            insert into holdfast.rule_set_publication (tenant_id, app_id, environment, version,
              published_at)
            values (\(tenant.uuid), \(key.app.uuid), \(key.environment.rawValue), \(version),
              \(timestamp))
            on conflict (tenant_id, app_id, environment)
              do update set version = excluded.version, published_at = excluded.published_at
            """)
        let id = PublicationID.make(at: now)
        unnumberedPublications.append(UnnumberedPublication(id: id, version: version, key: key))
        touch(key)
        return id
    }

    /// The history of this transaction's publications, once their snapshots have numbers.
    func recordPublications() throws {
        for publication in unnumberedPublications {
            _ = try connection.query(
                """
                insert into holdfast.publication (tenant_id, app_id, publication_id, environment,
                  version, published_at, published_by, snapshot_number)
                select e.tenant_id, e.app_id, \(publication.id.uuid), e.environment,
                  \(publication.version), \(timestamp), \(scope.actor.record), e.snapshot_number
                from holdfast.app_environment e
                where e.tenant_id = \(tenant.uuid) and e.app_id = \(publication.key.app.uuid)
                  and e.environment = \(publication.key.environment.rawValue)
                """)
        }
        unnumberedPublications = []
    }

    /// Builds the snapshots that this transaction has made stale, where it is one of its own.
    package func findPublication(
        _ id: PublicationID, of app: AppID
    ) throws -> StoredPublication? {
        try buildTouchedSnapshots()
        return try publications(of: app, in: nil, one: id, before: nil, limit: 1).first
    }

    /// Newest first; `before` is the last one of the page before.
    package func listPublications(
        at key: AppEnvironment, before: PublicationID?, limit: Int32
    ) throws -> [StoredPublication] {
        try publications(
            of: key.app, in: key.environment, one: nil, before: before, limit: limit)
    }

    private func publications(
        of app: AppID, in environment: StoreEnvironment?, one: PublicationID?,
        before: PublicationID?, limit: Int32
    ) throws -> [StoredPublication] {
        let rows = try connection.query(
            """
            select p.publication_id, p.environment, p.version, p.published_at, p.published_by,
              p.snapshot_number,
              (select f.version from holdfast.publication f
                where (f.tenant_id, f.app_id, f.environment)
                  = (p.tenant_id, p.app_id, p.environment) and f.publication_id < p.publication_id
                order by f.publication_id desc limit 1) as replaced_version
            from holdfast.publication p
            where p.tenant_id = \(tenant.uuid) and p.app_id = \(app.uuid)
              and (\(environment?.rawValue)::text is null
                or p.environment = \(environment?.rawValue))
              and (\(one?.uuid)::uuid is null or p.publication_id = \(one?.uuid))
              and (\(before?.uuid)::uuid is null or p.publication_id < \(before?.uuid))
            order by p.publication_id desc
            limit \(limit)
            """)
        return try rows.map(StoredPublication.init(row:))
    }

    /// Whether the version was in force there at some time.
    package func wasPublished(version: Int32, at key: AppEnvironment) throws -> Bool {
        let rows = try connection.query(
            """
            select exists (select from holdfast.publication
              where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
                and environment = \(key.environment.rawValue) and version = \(version)) as found
            """)
        return try rows.first?.decode("found") ?? false
    }

    /// The version in force; `nil` where none was ever published there.
    package func findPublishedVersion(at key: AppEnvironment) throws -> Int32? {
        let rows = try connection.query(
            """
            select version from holdfast.rule_set_publication
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue)
            """)
        return try rows.first?.decode("version")
    }

    func publishedRuleSet(at key: AppEnvironment) throws -> RuleSet {
        let rows = try connection.query(
            """
            select r.body
            from holdfast.rule_set_publication p
            join holdfast.rule_set r using (tenant_id, app_id, version)
            where p.tenant_id = \(tenant.uuid) and p.app_id = \(key.app.uuid)
              and p.environment = \(key.environment.rawValue)
            """)
        return try rows.first?.decodeRuleSet() ?? RuleSet(rules: [])
    }

    private static func body(of ruleSet: RuleSet) throws -> JSON {
        JSON(Array(try JSONEncoder().encode(ruleSet)))
    }
}

extension Row {
    fileprivate func decodeRuleSet() throws -> RuleSet {
        let body: JSON = try decode("body")
        return try JSONDecoder().decode(RuleSet.self, from: Data(body.bytes))
    }
}

extension StoredPublication {
    fileprivate init(row: Row) throws {
        let word: String = try row.decode("environment")
        guard let environment = StoreEnvironment(rawValue: word) else {
            throw StoreError(code: .invalid, message: "environment \(word) is not known here")
        }
        self.environment = environment
        id = PublicationID(try row.decode("publication_id"))
        version = try row.decode("version")
        publishedAt = try row.instant("published_at")
        publishedBy = try row.decodeActor("published_by")
        snapshotNumber = try row.decode("snapshot_number")
        replacedVersion = try row.decode("replaced_version")
    }
}
