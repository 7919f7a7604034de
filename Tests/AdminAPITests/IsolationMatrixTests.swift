import AdminAPI
import Foundation
import Postgres
import Retention
import RetentionStore
import TestSupport
import Testing

/// Every operation of the API document, with another agency's and another client's identifiers in
/// every place that takes one, by every kind of key that must not get through.
@Suite(.database) struct IsolationMatrixTests {
    /// Who asks, and what they must get where they name what is not theirs.
    private struct Party {
        let name: String
        let agency: TestAgency
        /// The estate they have themselves.
        let own: Estate
        let isLimited: Bool
    }

    @Test func nothingForeignIsReadWrittenOrTold() throws {
        let matrix = try Matrix()
        var tried = 0
        for party in matrix.parties {
            for operation in matrix.operations {
                for ids in matrix.combinations(of: operation, asked: party.own) {
                    try matrix.try(operation, ids, by: party)
                    tried += 1
                }
            }
        }
        #expect(tried > 300)
        matrix.checkLog()
        #expect(try matrix.digest() == matrix.digestBefore, "something foreign was changed")
        try Promise.kept(
            "isolation-matrix",
            "\(tried) calls, \(matrix.parties.count) parties, \(matrix.operations.count) operations"
        )
    }

    /// The asker's own things in the path, and another's in the body or the query.
    @Test func whatIsForeignInABodyOrAQueryIsUnknown() throws {
        let matrix = try Matrix()
        let stranger = matrix.parties[0]
        var tried: [String] = []
        for operation in matrix.operations where operation.method != "DELETE" {
            guard let body = try matrix.body(of: operation), body.namesForeign else { continue }
            // What exists already is not replaced blindly: 412 would say nothing of the body.
            let answer = try matrix.send(
                operation, stranger.own.ids, by: stranger.agency,
                ifMatch: operation.ifMatch == "onExisting" ? nil : "*")
            let isRefused = [404, 409, 422, 428].contains(answer.status)
            #expect(isRefused, "\(operation.id) \(answer.status) \(answer.text)")
            if answer.status == 422 {
                let strange = answer.errors.filter {
                    !$0.hasSuffix("unknownReference") && !$0.hasSuffix("duplicate")
                }
                #expect(strange.isEmpty, "\(operation.id) \(answer.text)")
            }
            let told = matrix.victim.secrets.filter {
                answer.text.contains($0) && !body.text.contains($0)
            }
            #expect(told.isEmpty, "\(operation.id) tells \(told)")
            tried.append(operation.id)
        }
        #expect(tried.count >= 8, "\(tried)")
        for target in ["/v1/apps?clientId=", "/v1/audit-events?appId="] {
            let kind = target.contains("clientId") ? "client" : "app"
            let rows = try stranger.agency.all(target + (matrix.victim.ids[kind] ?? ""))
            #expect(rows.isEmpty, "\(target)")
        }
        #expect(try matrix.digest() == matrix.digestBefore)
    }

    @Test func aReadOnlyKeyChangesNothing() throws {
        let matrix = try Matrix()
        let scopes = ResourceGroup.allCases.map(AccessScope.read)
        let reader = try matrix.stage.makeKey(of: matrix.victim.agency, scopes: scopes)
        for operation in matrix.operations where operation.method != "GET" {
            let answer = try matrix.send(operation, matrix.victim.ids, by: reader)
            #expect(answer.status == 403, "\(operation.id) \(answer.text)")
            #expect(answer.code == "scopeMissing")
            #expect(!matrix.victim.secrets.contains { answer.text.contains($0) })
        }
        for operation in matrix.operations where operation.method == "GET" {
            let answer = try matrix.send(operation, matrix.victim.ids, by: reader)
            #expect(answer.status == 200, "\(operation.id) \(answer.text)")
        }
        #expect(try matrix.digest() == matrix.digestBefore)
        try Promise.kept("read-only", "\(matrix.operations.count) operations")
    }

    @Test func aKeyOfEachSingleScopeDoesThatGroupsWorkAlone() throws {
        let matrix = try Matrix()
        for scope in AccessScope.all where scope.access == .read {
            let key = try matrix.stage.makeKey(of: matrix.victim.agency, scopes: [scope])
            for operation in matrix.operations where operation.method == "GET" {
                let answer = try matrix.send(operation, matrix.victim.ids, by: key)
                let isAllowed = operation.scope == scope.description
                #expect(answer.status == (isAllowed ? 200 : 403), "\(scope) \(operation.id)")
            }
        }
    }

    @Test func aKeyThatIsRevokedExpiredOrNoneGetsNothing() throws {
        let matrix = try Matrix()
        let revoked = try matrix.stage.makeKey(of: matrix.victim.agency)
        let id = try #require(APIKeyToken(Array(revoked.token.utf8))?.id)
        try matrix.stage.store.transaction(
            .operatorCommand(tenant: revoked.tenant), at: matrix.stage.now
        ) { _ = try $0.revokeAPIKey(id) }
        let expired = try matrix.stage.makeKey(
            of: matrix.victim.agency, expiresAt: matrix.stage.now)
        let none = TestAgency(tenant: revoked.tenant, token: "", stage: matrix.stage)
        for operation in matrix.operations {
            for party in [revoked, expired, none] {
                let answer = try matrix.send(operation, matrix.victim.ids, by: party)
                #expect(answer.status == 401, "\(operation.id)")
                #expect(!matrix.victim.secrets.contains { answer.text.contains($0) })
            }
        }
        #expect(try matrix.digest() == matrix.digestBefore)
        try Promise.kept("revocation", "\(matrix.operations.count) operations, 3 keys each")
    }

    // MARK: - The matrix

    private struct Matrix {
        let stage: GatewayStage
        let victim: Estate
        let parties: [Party]
        let operations: [OpenAPI.Operation]
        private(set) var digestBefore = ""

        init() throws {
            stage = try GatewayStage()
            victim = try Estate(try stage.makeAgency(), canary: "canaryvictim")
            let stranger = try Estate(try stage.makeAgency(), canary: "canarystranger")
            let client = try #require(ClientID(victim.otherClient))
            let app = try #require(AppID(victim.otherApp))
            let byClient = try stage.makeKey(of: victim.agency, clients: [client])
            let byApp = try stage.makeKey(of: victim.agency, apps: [app])
            let byNothing = try stage.makeKey(of: victim.agency, clients: [], apps: [])
            parties = [
                Party(
                    name: "other tenant", agency: stranger.agency, own: stranger, isLimited: false),
                Party(name: "other client", agency: byClient, own: victim, isLimited: true),
                Party(name: "other app", agency: byApp, own: victim, isLimited: true),
                Party(name: "nothing", agency: byNothing, own: victim, isLimited: true),
            ]
            operations = try OpenAPI().operations.filter { $0.scope != "none" }
            digestBefore = try digest()
        }

        /// The victim's identifiers in every place; then each one alone among the asker's own.
        func combinations(
            of operation: OpenAPI.Operation, asked own: Estate
        ) -> [[String: String]] {
            let kinds = operation.pathParameters.map(\.kind)
            let all = Dictionary(
                kinds.map { ($0, victim.ids[$0] ?? "") }, uniquingKeysWith: { first, _ in first })
            guard own.canary != victim.canary else { return [all] }
            // A name of Apple's may be chosen by anybody: it is foreign under a foreign app only.
            let single = kinds.filter { !Self.shared.contains($0) }.map { foreign in
                Dictionary(
                    kinds.map { ($0, ($0 == foreign ? victim : own).ids[$0] ?? "") },
                    uniquingKeysWith: { first, _ in first })
            }
            return [all] + single
        }

        /// Names that are not secret: the asker may have the same themselves.
        private static let shared = [
            "locale", "ruleSetVersion", "snapshot", "product", "offer", "environment",
        ]

        func `try`(
            _ operation: OpenAPI.Operation, _ ids: [String: String], by party: Party
        ) throws {
            let isForeign = ids.contains { kind, id in
                !Self.shared.contains(kind) && victim.ids[kind] == id
            }
            let answer = try send(operation, ids, by: party.agency)
            let place = "\(party.name) \(operation.id) \(ids)"
            let shown = answer.text + answer.headers.map { "\($0.name): \($0.value)" }.joined()
            let asked = Set(ids.values)
            for secret in secrets(from: party) where !asked.contains(secret) {
                #expect(!shown.contains(secret), "\(place) tells \(secret)")
            }
            guard isForeign else { return }
            let isKeys = operation.scope.hasPrefix("keys:") && party.isLimited
            #expect(answer.status == (isKeys ? 403 : 404), "\(place) \(answer.text)")
            // And it is the answer to what does not exist at all.
            let random = try send(operation, Self.random(ids), by: party.agency)
            #expect(random.status == answer.status, "\(place)")
            #expect(random.json["detail"] == answer.json["detail"], "\(place)")
            #expect(random.json["errors"] == answer.json["errors"], "\(place)")
        }

        /// What this party must not see. A limited key may see what its own client has.
        private func secrets(from party: Party) -> [String] {
            guard party.isLimited else { return victim.secrets }
            let own = [victim.canary, victim.otherClient, victim.otherApp, victim.agency.token]
            return victim.secrets.filter { !own.contains($0) }
                + ["\(victim.canary) client", "\(victim.canary) app 1", victim.productId]
        }

        private static func random(_ ids: [String: String]) -> [String: String] {
            ids.mapValues { id in
                let parts = id.split(separator: "_")
                guard parts.count == 2, parts[1].count == 26 else { return id }
                return "\(parts[0])_\(parts[1].prefix(10))0000000000000000"
            }
        }

        func send(
            _ operation: OpenAPI.Operation, _ ids: [String: String], by agency: TestAgency,
            ifMatch: String? = "*"
        ) throws -> TestAnswer {
            var target = operation.path
            for (name, kind) in operation.pathParameters {
                target = target.replacing("{\(name)}", with: ids[kind] ?? victim.ids[kind] ?? "x")
            }
            var headers = ifMatch.map { [("If-Match", $0)] } ?? []
            if operation.method == "POST" {
                headers.append(("Idempotency-Key", UUID().uuidString))
            }
            var body: [UInt8] = []
            if let first = operation.bodies.first(where: { $0.type != "text/csv" }) {
                headers.append(("Content-Type", first.type))
                body = try self.body(first)
            }
            return try stage.send(
                operation.method, target,
                token: agency.token.isEmpty ? nil : agency.token, headers: headers, body: body)
        }

        /// What is sent to the operation, and whether it names something of the victim's; `nil`
        /// without a JSON body.
        func body(
            of operation: OpenAPI.Operation
        ) throws -> (text: String, namesForeign: Bool)? {
            guard let first = operation.bodies.first(where: { $0.type.hasSuffix("json") }) else {
                return nil
            }
            let text = String(decoding: try body(first), as: UTF8.self)
            return (text, victim.ids.values.contains { $0.contains("_") && text.contains($0) })
        }

        /// The document's example, with the victim's identifiers for its own.
        private func body(_ content: (type: String, example: Any?)) throws -> [UInt8] {
            if content.type == "image/png" {
                return try PackageRoot.bytes(of: "Sources/Operator/Sample/full-size.png")
            }
            let example = try JSONSerialization.data(
                withJSONObject: content.example ?? [String: Any]())
            var text = String(decoding: example, as: UTF8.self)
            let kinds = ["cli": "client", "app": "app", "msg": "message", "img": "image"]
            for (prefix, kind) in kinds {
                let pattern = try Regex("\(prefix)_[0-9A-HJKMNP-TV-Z]{26}")
                text = text.replacing(pattern, with: victim.ids[kind] ?? "")
            }
            return Array(text.utf8)
        }

        /// No line of the log holds a text of the victim's.
        func checkLog() {
            #expect(!stage.log.text.contains(victim.canary))
        }

        /// Every row of the victim's but those that note the requests themselves.
        func digest() throws -> String {
            try stage.database.superuser.withConnection { connection in
                let tables = try connection.query(
                    """
                    select c.relname as name from pg_class c
                    where c.relnamespace = 'holdfast'::regnamespace and c.relkind in ('r', 'p')
                      and not c.relispartition
                      and c.relname not in ('api_key', 'api_key_client', 'api_key_app',
                        'idempotency_record', 'audit_event')
                    order by 1
                    """)
                return try tables.map { table in
                    let name: String = try table.decode("name")
                    let rows = try connection.query(
                        Query(
                            unsafeSQL: """
                                select coalesce(md5(string_agg(t::text, '|' order by t::text)), '-')
                                from holdfast.\(name) t
                                where tenant_id = '\(victim.agency.tenant.uuid)'
                                """))
                    return "\(name) " + (try #require(rows.first).decode(String.self, at: 0))
                }.joined(separator: "\n")
            }
        }
    }
}
