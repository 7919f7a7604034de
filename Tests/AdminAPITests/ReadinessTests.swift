import AdminAPI
import Foundation
import Postgres
import Retention
import RetentionStore
import Service
import Signing
import TestSupport
import Testing

@Suite(.database) struct ReadinessTests {
    private static func next(_ json: JSONTree) -> String {
        let action = json["nextAction"]
        return ["step", "code", "actor"].map { action?[$0]?.text ?? "-" }.joined(separator: " ")
    }

    private static func step(_ name: String, _ json: JSONTree) -> JSONTree? {
        json["steps"]?.elements.first { $0["name"] == .string(name) }
    }

    /// As the sync notes it.
    fileprivate static func note(_ change: String, of app: ContentApp) throws {
        try app.agency.stage.database.superuser.withConnection {
            try $0.execute(script: change.replacing("APP", with: "'\(app.id.uuid)'"))
        }
    }

    /// An app on its way, with each step done as its actor does it.
    private struct Way {
        let app: ContentApp
        let message: MessageID
        private let sandbox: AppEnvironment
        private let production: AppEnvironment

        init(_ app: ContentApp, saying message: String) throws {
            self.app = app
            self.message = try #require(MessageID(message.lastSegment))
            sandbox = AppEnvironment(app: app.id, environment: .sandbox)
            production = AppEnvironment(app: app.id, environment: .production)
        }

        func place(_ state: ReviewState, in environment: StoreEnvironment) throws {
            let key = environment == .sandbox ? sandbox : production
            try app.change {
                if environment == .production { try $0.addMessageTargets([message], at: key) }
                let object = try $0.placeMessage(message, locale: "en-US", at: key, state: state)
                try $0.setReviewState(state, ofAppleObject: object, at: key)
            }
        }

        func makeEndpoints() throws {
            for environment in ["Sandbox", "Production"] {
                let made = try app.agency.post(
                    "\(app.path)/endpoints?environment=\(environment)", [:], key: environment)
                try #require(made.status == 201)
            }
        }

        func setURL(in environment: String) throws {
            try ReadinessTests.note(
                """
                update holdfast.sync_state s set url_kind = 'own', url_endpoint_id = e.endpoint_id
                from holdfast.endpoint e
                where s.app_id = APP and s.environment = '\(environment)'
                  and e.app_id = s.app_id and e.environment = s.environment
                """, of: app)
        }

        func setDefaults() throws {
            let body: JSONTree = [
                "messageId": .string("\(message)"),
                "productIds": [
                    .string(ContentApp.product), .string(ContentApp.otherProduct),
                ],
            ]
            try #require(try app.agency.post("\(app.path)/defaults", body).status == 200)
        }
    }

    @Test func `access, key and the sandbox come first`() throws {
        let stage = try GatewayStage()
        let app = try ContentApp(try stage.makeAgency())
        func next() throws -> String {
            Self.next(try app.agency.get("\(app.path)/readiness").json)
        }
        #expect(try next() == "access requestAccess agency")
        let asked = JSONTree.string(JSONTree.time(stage.now.milliseconds))
        #expect(try app.agency.patch(app.path, ["accessRequestedAt": asked]).status == 200)
        #expect(try next() == "access storeKey agency")
        let pem = String(decoding: try PrivateKey.generate().pem(), as: UTF8.self)
        let key: JSONTree = [
            "keyId": "K", "issuerId": "57246542-96fe-1a63-e053-0824d011072a",
            "privateKey": .string(pem),
        ]
        #expect(try app.agency.post("\(app.path)/credentials", key, key: "k").status == 201)
        #expect(try next() == "access checkKey holdfast")
        try Self.note(Self.keyWorks, of: app)
        #expect(try next() == "sandboxContent createContent agency")
        let message = try app.message()
        _ = try app.localization(message)
        let way = try Way(app, saying: message)
        #expect(try next() == "sandboxContent uploadContent holdfast")
        try way.place(.pending, in: .sandbox)
        #expect(try next() == "sandboxContent waitForReview apple")
        try way.place(.rejected, in: .sandbox)
        #expect(try next() == "sandboxContent reviseContent agency")
        try way.place(.approved, in: .sandbox)
        #expect(try next() == "sandboxURL createEndpoint agency")
        try way.makeEndpoints()
        #expect(try next() == "sandboxURL setURL holdfast")
        try way.setURL(in: "Sandbox")
        #expect(try next() == "performanceTest nameTestTransaction agency")
    }

    @Test func `production comes after a test that passed`() throws {
        let app = try ContentApp(try GatewayStage().makeAgency())
        func next() throws -> String {
            Self.next(try app.agency.get("\(app.path)/readiness").json)
        }
        let pem = String(decoding: try PrivateKey.generate().pem(), as: UTF8.self)
        let key: JSONTree = [
            "keyId": "K", "issuerId": "57246542-96fe-1a63-e053-0824d011072a",
            "privateKey": .string(pem),
        ]
        #expect(try app.agency.post("\(app.path)/credentials", key, key: "k").status == 201)
        try Self.note(Self.keyWorks, of: app)
        let message = try app.message()
        _ = try app.localization(message)
        let way = try Way(app, saying: message)
        try way.place(.approved, in: .sandbox)
        try way.makeEndpoints()
        try way.setURL(in: "Sandbox")
        let named = try app.agency.patch(app.path, ["performanceTestTransactionId": "1"])
        #expect(named.status == 200)
        #expect(try next() == "performanceTest startTest agency")
        try Self.note(Self.testPassed, of: app)
        #expect(try next() == "productionContent promoteContent agency")
        try way.place(.approved, in: .production)
        #expect(try next() == "defaults setDefaults agency")
        try way.setDefaults()
        #expect(try next() == "defaults configureDefaults holdfast")
        try Self.note(Self.defaultsSet, of: app)
        #expect(try next() == "productionURL setURL holdfast")
        try way.setURL(in: "Production")
        let almost = try app.agency.get("\(app.path)/readiness").json
        #expect(almost["isReady"] == true)
        #expect(Self.next(almost).hasPrefix("appStoreConnectLayer "))
        let said = try app.agency.patch(app.path, ["appStoreConnectLayer": "declared"])
        #expect(said.status == 200)
        let done = try app.agency.get("\(app.path)/readiness").json
        #expect(done["nextAction"] == .null, "\(done)")
        #expect(Self.step("defaults", done)?["environment"] == "Production")
        #expect(done["staticLayerSuffices"] == true)
    }

    private static let keyWorks = """
        update holdfast.sync_state set access = 'granted' where app_id = APP;
        insert into holdfast.credential_check (tenant_id, app_id, credential_id, environment,
          verdict, checked_at)
        select tenant_id, app_id, credential_id, e, 'works', now()
        from holdfast.credential, unnest(array['Sandbox', 'Production']) as e
        where app_id = APP
        """

    private static let testPassed = """
        insert into holdfast.performance_test (tenant_id, app_id, test_id, state,
          requested_by, transaction_id, created_at, finished_at)
        select tenant_id, app_id, gen_random_uuid(), 'passed', '{}', '1', now(), now()
        from holdfast.app where app_id = APP
        """

    private static let defaultsSet = """
        insert into holdfast.apple_default (tenant_id, app_id, environment, product_id, locale,
          apple_id, is_uncertain)
        select tenant_id, app_id, environment, product_id, locale, gen_random_uuid(), false
        from holdfast.default_message where app_id = APP
        """

    @Test func `published rules say whether the static layer would do`() throws {
        let app = try GatewayStage().makeAgency().makeTestApp()
        let path = "\(app.path)/readiness"
        #expect(try app.agency.get(path).json["staticLayerSuffices"] == true)
        let offer = Treatment.promotionalOffer(
            app.discount, productId: app.monthly, offerIdentifier: app.offer)
        let rules = RuleSet(
            rules: [Rule(id: RuleID(UUID()), name: "r", when: .always, treatment: offer)])
        for (environment, suffices) in [
            (StoreEnvironment.sandbox, true), (.production, false),
        ] {
            try app.change { transaction in
                let version = try transaction.createRuleSet(rules, of: app.id)
                try transaction.publishRuleSet(
                    version: version, at: AppEnvironment(app: app.id, environment: environment))
            }
            let answer = try app.agency.get(path).json
            #expect(answer["staticLayerSuffices"] == .boolean(suffices))
            #expect(answer["staticLayerReason"]?.text?.contains("1 with an offer") != suffices)
        }
    }

    @Test func `all apps are listed page by page, and by whose turn it is`() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        let client = try agency.makeClient()
        var paths: [String] = []
        for number in Int64(1)...7 {
            stage.clock.advance(milliseconds: 1)
            paths.append(try agency.makeApp(of: client, number: number))
        }
        let ids = paths.map(\.lastSegment)
        let rows = try agency.all("/v1/readiness", limit: 3)
        #expect(rows.map { $0["appId"]?.text } == ids)
        #expect(try agency.get("\(paths[2])/readiness").json == rows[2])
        try stage.database.superuser.withConnection { connection in
            for path in [paths[1], paths[4], paths[5]] {
                let id = try #require(AppID(path.lastSegment))
                _ = try connection.query(
                    """
                    update holdfast.sync_state
                    set access = 'none', access_requested_at = now() where app_id = \(id.uuid)
                    """)
            }
        }
        for limit in [1, 2, 3, 100] {
            let waiting = try agency.all("/v1/readiness?nextActor=apple", limit: limit)
            #expect(waiting.map { $0["appId"]?.text } == [ids[1], ids[4], ids[5]])
        }
        #expect(try agency.all("/v1/readiness?nextActor=agency", limit: 2).count == 4)
        #expect(try agency.all("/v1/readiness?nextActor=holdfast") == [])
        #expect(
            try agency.get("/v1/readiness?nextActor=nobody").errors == ["nextActor unknownValue"])
        let limited = try stage.makeKey(of: agency, apps: [try #require(AppID(ids[3]))])
        #expect(try limited.all("/v1/readiness").map { $0["appId"]?.text } == [ids[3]])
        #expect(try stage.makeAgency().all("/v1/readiness") == [])
    }

    @Test func `of a stranger's app nothing is told`() throws {
        let app = try ContentApp(try GatewayStage().makeAgency())
        try Strangers(to: app).expectNothing([
            ("GET", "\(app.path)/readiness", nil), ("GET", "\(app.path)/coverage", nil),
        ])
    }
}
