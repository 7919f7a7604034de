// Tables: app, sync_state, credential, credential_check, endpoint, message_target, default_message,
// localization, apple_object, apple_default, performance_test, product. How far apps are.
internal import FoundationEssentials
internal import Postgres
package import Retention

extension TenantTransaction {
    /// What is known of each app's way to its messages; of those that this scope may see.
    package func readinessFacts(of apps: [AppID]) throws -> [AppID: ReadinessFacts] {
        let ids = apps.map(\.uuid)
        var facts = try appFacts(ids)
        try readSides(ids, into: &facts)
        try readChecks(ids, into: &facts)
        let named = try readRules(ids, into: &facts)
        try readContent(ids, named, into: &facts)
        try readReviews(ids, into: &facts)
        try readTests(ids, into: &facts)
        try readDefaults(ids, named, into: &facts)
        return facts
    }

    private func appFacts(_ ids: [UUID]) throws -> [AppID: ReadinessFacts] {
        let rows = try connection.query(
            """
            select a.app_id, a.performance_test_transaction_id, a.app_store_connect_layer,
              (select count(*) from holdfast.product p
                where p.tenant_id = a.tenant_id and p.app_id = a.app_id) as products,
              exists (select from holdfast.credential c
                where c.tenant_id = a.tenant_id and c.app_id = a.app_id
                  and c.retired_at is null and c.activated_at is not null) as has_key,
              exists (select from holdfast.credential c
                where c.tenant_id = a.tenant_id and c.app_id = a.app_id
                  and c.retired_at is null and c.activated_at is null) as has_standby
            from holdfast.app a
            where a.tenant_id = \(tenant.uuid) and a.app_id = any(\(ids))
            """)
        var facts: [AppID: ReadinessFacts] = [:]
        for row in rows {
            var one = ReadinessFacts()
            one.testTransactionId = try row.decode("performance_test_transaction_id")
            one.appStoreConnectLayer =
                AppStoreConnectLayer(rawValue: try row.decode("app_store_connect_layer")) ?? .none
            one.productCount = try row.count("products")
            one.hasKey = try row.decode("has_key")
            one.hasStandbyKey = try row.decode("has_standby")
            facts[AppID(try row.decode(UUID.self, "app_id"))] = one
        }
        return facts
    }

    private func readSides(_ ids: [UUID], into facts: inout [AppID: ReadinessFacts]) throws {
        let rows = try connection.query(
            """
            select s.app_id, s.environment, s.access, s.access_requested_at, s.url_kind,
              s.url_endpoint_id, s.url_is_uncertain, s.url_refused_at, s.url_refusal_code,
              (select e.endpoint_id from holdfast.endpoint e
                where e.tenant_id = s.tenant_id and e.app_id = s.app_id
                  and e.environment = s.environment and e.retired_at is null
                order by e.created_at desc, e.endpoint_id desc limit 1) as endpoint_id
            from holdfast.sync_state s
            where s.tenant_id = \(tenant.uuid) and s.app_id = any(\(ids))
            """)
        for row in rows {
            try row.change(&facts) { side, whole in
                side.access =
                    ReadinessFacts.Access(rawValue: try row.decode("access")) ?? .unknown
                let endpoint: UUID? = try row.decode("endpoint_id")
                side.hasEndpoint = endpoint != nil
                side.url = try row.url(newest: endpoint)
                if let at = try row.optionalInstant("url_refused_at") {
                    let code: Int32? = try row.decode("url_refusal_code")
                    side.urlRefusal = AppleRefusal(code: code.map(Int.init), at: at)
                }
                whole.accessRequestedAt = try row.optionalInstant("access_requested_at")
            }
        }
    }

    private func readChecks(_ ids: [UUID], into facts: inout [AppID: ReadinessFacts]) throws {
        let rows = try connection.query(
            """
            select k.app_id, k.environment, k.verdict, k.status, k.apple_code, k.checked_at,
              c.activated_at is null as is_standby
            from holdfast.credential_check k
            join holdfast.credential c using (tenant_id, app_id, credential_id)
            where k.tenant_id = \(tenant.uuid) and k.app_id = any(\(ids))
              and c.retired_at is null
            """)
        for row in rows {
            let check = try CredentialCheck(row: row)
            let isStandby: Bool = try row.decode("is_standby")
            try row.change(&facts) { side, _ in
                if isStandby { side.standbyCheck = check } else { side.check = check }
            }
        }
    }

    /// A message that published rules name, with where they are published.
    private struct NamedMessages {
        var apps: [UUID] = []
        var environments: [String] = []
        var messages: [UUID] = []
    }

    private func readRules(
        _ ids: [UUID], into facts: inout [AppID: ReadinessFacts]
    ) throws -> NamedMessages {
        let rows = try connection.query(
            """
            select p.app_id, p.environment, r.body from holdfast.rule_set_publication p
            join holdfast.rule_set r using (tenant_id, app_id, version)
            where p.tenant_id = \(tenant.uuid) and p.app_id = any(\(ids))
            """)
        var named = NamedMessages()
        for row in rows {
            let app: UUID = try row.decode("app_id")
            let environment: String = try row.decode("environment")
            let body: JSON = try row.decode("body")
            let rules = try JSONDecoder().decode(RuleSet.self, from: Data(body.bytes))
            if environment == StoreEnvironment.production.rawValue {
                facts[AppID(app)]?.rules = rules
            }
            for message in Set(rules.rules.flatMap(\.messageIds)) {
                named.apps.append(app)
                named.environments.append(environment)
                named.messages.append(message.uuid)
            }
        }
        return named
    }

    private func readContent(
        _ ids: [UUID], _ named: NamedMessages, into facts: inout [AppID: ReadinessFacts]
    ) throws {
        let rows = try connection.query(
            """
            with wanted as (
              select app_id, environment, message_id from holdfast.message_target
                where tenant_id = \(tenant.uuid) and app_id = any(\(ids))
              union
              select app_id, environment, message_id from holdfast.default_message
                where tenant_id = \(tenant.uuid) and app_id = any(\(ids))
              union
              select * from unnest(\(named.apps), \(named.environments), \(named.messages))
            )
            select w.app_id, w.environment, count(*) as wanted, count(a.apple_id) as approved
            from wanted w
            join holdfast.localization l on l.tenant_id = \(tenant.uuid)
              and l.app_id = w.app_id and l.message_id = w.message_id
            left join holdfast.approved_placement a on a.tenant_id = l.tenant_id
              and a.app_id = l.app_id and a.environment = w.environment
              and a.message_id = l.message_id and a.locale = l.locale
            group by w.app_id, w.environment
            """)
        for row in rows {
            try row.change(&facts) { side, _ in
                side.content.wanted = try row.count("wanted")
                side.content.approved = try row.count("approved")
            }
        }
    }

    /// What nothing names any more was marked so by the sync.
    private func readReviews(_ ids: [UUID], into facts: inout [AppID: ReadinessFacts]) throws {
        let rows = try connection.query(
            """
            select app_id, environment,
              count(*) filter (where state not in ('APPROVED', 'REJECTED')) as pending,
              count(*) filter (where state = 'REJECTED') as rejected
            from holdfast.apple_object
            where tenant_id = \(tenant.uuid) and app_id = any(\(ids)) and is_ours
              and presence in ('uploaded', 'listed') and superseded_at is null
              and unnamed_since is null
            group by app_id, environment
            """)
        for row in rows {
            try row.change(&facts) { side, _ in
                side.content.pending = try row.count("pending")
                side.content.rejected = try row.count("rejected")
            }
        }
    }

    private func readTests(_ ids: [UUID], into facts: inout [AppID: ReadinessFacts]) throws {
        let rows = try connection.query(
            """
            select distinct on (t.app_id) t.app_id, t.state,
              (select max(p.finished_at) from holdfast.performance_test p
                where p.tenant_id = t.tenant_id and p.app_id = t.app_id
                  and p.state = 'passed') as passed_at
            from holdfast.performance_test t
            where t.tenant_id = \(tenant.uuid) and t.app_id = any(\(ids))
            order by t.app_id, t.test_id desc
            """)
        for row in rows {
            let app = AppID(try row.decode(UUID.self, "app_id"))
            facts[app]?.passedAt = try row.optionalInstant("passed_at")
            switch PerformanceTestState(rawValue: try row.decode("state")) {
            case .queued, .ownLoad: facts[app]?.test = .waiting
            case .running: facts[app]?.test = .atApple
            case .passed: facts[app]?.test = .passed
            case .failed: facts[app]?.test = .failed
            case .notRun, nil: facts[app]?.test = .notRun
            }
        }
    }

    /// In production: products in every locale that has a wanted text or a default, and the app's
    /// own.
    private func readDefaults(
        _ ids: [UUID], _ named: NamedMessages, into facts: inout [AppID: ReadinessFacts]
    ) throws {
        let rows = try connection.query(
            """
            with wanted as (
              select app_id, message_id from holdfast.message_target
                where tenant_id = \(tenant.uuid) and app_id = any(\(ids))
                  and environment = 'Production'
              union
              select n.app_id, n.message_id
                from unnest(\(named.apps), \(named.environments), \(named.messages))
                  as n (app_id, environment, message_id)
                where n.environment = 'Production'
            ), locales as (
              select app_id, default_locale as locale from holdfast.app
                where tenant_id = \(tenant.uuid) and app_id = any(\(ids))
              union
              select l.app_id, l.locale from wanted w
                join holdfast.localization l on l.tenant_id = \(tenant.uuid)
                  and l.app_id = w.app_id and l.message_id = w.message_id
              union
              select d.app_id, l.locale from holdfast.default_message d
                join holdfast.localization l using (tenant_id, app_id, message_id)
                where d.tenant_id = \(tenant.uuid) and d.app_id = any(\(ids))
                  and d.environment = 'Production'
            )
            select p.app_id, count(*) as places, count(d.message_id) as set_here,
              count(x.apple_id) as in_force
            from holdfast.product p
            join locales l on l.app_id = p.app_id
            left join holdfast.default_message d on d.tenant_id = p.tenant_id
              and d.app_id = p.app_id and d.environment = 'Production'
              and d.product_id = p.product_id and d.locale = l.locale
            left join holdfast.apple_default x on x.tenant_id = p.tenant_id
              and x.app_id = p.app_id and x.environment = 'Production'
              and x.product_id = p.product_id and x.locale = l.locale and not x.is_uncertain
            where p.tenant_id = \(tenant.uuid) and p.app_id = any(\(ids))
            group by p.app_id
            """)
        for row in rows {
            let app = AppID(try row.decode(UUID.self, "app_id"))
            facts[app]?.defaultPlaces = try row.count("places")
            facts[app]?.defaultsSet = try row.count("set_here")
            facts[app]?.defaultsInForce = try row.count("in_force")
        }
    }
}

extension Row {
    fileprivate func count(_ name: String) throws -> Int {
        Int(clamping: try decode(Int64.self, name))
    }

    /// Changes what the row is about: the app of `app_id`, and its side of `environment`.
    fileprivate func change(
        _ facts: inout [AppID: ReadinessFacts],
        _ change: (inout ReadinessFacts.Side, inout ReadinessFacts) throws -> Void
    ) throws {
        let app = AppID(try decode(UUID.self, "app_id"))
        guard var one = facts[app] else { return }
        switch StoreEnvironment(rawValue: try decode("environment")) {
        case .sandbox:
            var side = one.sandbox
            try change(&side, &one)
            one.sandbox = side
        case .production:
            var side = one.production
            try change(&side, &one)
            one.production = side
        case nil: return
        }
        facts[app] = one
    }

    fileprivate func url(newest: UUID?) throws -> ReadinessFacts.URL {
        if try decode(Bool.self, "url_is_uncertain") { return .unknown }
        let endpoint: UUID? = try decode("url_endpoint_id")
        switch try decode(String?.self, "url_kind") {
        case "none": return .none
        case "foreign": return .foreign
        case "own": return endpoint == newest ? .current : .former
        default: return .unknown
        }
    }
}
