import AdminAPI
import Retention
import RetentionStore
import TestSupport
import Testing

@Suite(.database) struct ProductTests {
    static let monthly: JSONTree = [
        "productId": "com.example.mira.monthly", "subscriptionGroup": "premium", "period": "P1M",
        "billingPlans": [
            [
                "billingPlanType": "MONTHLY",
                "prices": [
                    ["storefront": "DEU", "amountMilliunits": 9_990, "currency": "EUR"],
                    ["storefront": "VNM", "amountMilliunits": 4_999_000_000, "currency": "VND"],
                ],
            ]
        ],
    ]

    /// The body of `PUT`: the path has the identifier.
    static let content = monthly.without("productId")

    @Test func `a product is made, read, listed, changed and removed`() throws {
        let agency = try GatewayStage().makeAgency()
        let app = try agency.makeApp()
        let made = try agency.post("\(app)/products", Self.monthly)
        #expect(made.status == 201, "\(made.text)")
        let path = try #require(made.header("Location"))
        #expect(path == "\(app)/products/com.example.mira.monthly")
        #expect(made.json.without("createdAt") == Self.monthly)
        let read = try agency.get(path)
        #expect(read.json == made.json)
        #expect(read.header("ETag") == made.header("ETag"))

        let changed = try agency.patch(path, ["period": "P1Y", "billingPlans": []])
        #expect(changed.status == 200, "\(changed.text)")
        #expect(changed.json["period"] == "P1Y")
        #expect(changed.json["billingPlans"] == [])
        #expect(changed.json["subscriptionGroup"] == "premium")
        #expect(try agency.all("\(app)/products") == [changed.json])
        let again = try agency.post("\(app)/products", Self.monthly)
        #expect(again.status == 409)
        #expect(again.errors == ["/productId duplicate"])

        #expect(try agency.delete(path).status == 204)
        #expect(try agency.get(path).code == "notFound")
        #expect(
            try agency.audit().filter { $0.hasPrefix("product") } == [
                "product.create com.example.mira.monthly",
                "product.delete com.example.mira.monthly",
                "product.update com.example.mira.monthly",
            ])
    }

    @Test func `PUT makes a product, and replaces one that was read`() throws {
        let agency = try GatewayStage().makeAgency()
        let path = try agency.makeApp() + "/products/p"
        let made = try agency.send("PUT", path, Self.content)
        #expect(made.status == 201, "\(made.text)")
        #expect(made.header("Location") == path)
        #expect(made.json["productId"] == "p")
        #expect(try agency.send("PUT", path, Self.content).status == 428)
        let stale = try agency.send(
            "PUT", path, Self.content, headers: [("If-Match", "\"0\"")])
        #expect(stale.status == 412)
        let tag = try #require(made.header("ETag"))
        let yearly = Self.content.with("period", "P1Y")
        let replaced = try agency.send("PUT", path, yearly, headers: [("If-Match", tag)])
        #expect(replaced.status == 200, "\(replaced.text)")
        #expect(replaced.json["period"] == "P1Y")
        #expect(try agency.get(path).json == replaced.json)
        let withId = try agency.send(
            "PUT", path, Self.monthly, headers: [("If-Match", "*")])
        #expect(withId.errors == ["/productId unknown"])
    }

    @Test func `of many that make one product at once, one does`() throws {
        let agency = try GatewayStage().makeAgency()
        let app = try agency.makeApp()
        let path = "\(app)/products/p"
        let works = (0..<8).map { number in
            ParallelWork {
                if number.isMultiple(of: 2) {
                    return try agency.send("PUT", path, Self.content).status
                }
                return try agency.post("\(app)/products", Self.monthly.with("productId", "p"))
                    .status
            }
        }
        let statuses = try works.map { try $0.value() }
        #expect(statuses.filter { $0 == 201 }.count == 1, "\(statuses)")
        #expect(Set(statuses).isSubset(of: [201, 409, 428]), "\(statuses)")
    }

    @Test func `everything that is wrong is named at once`() throws {
        let agency = try GatewayStage().makeAgency()
        let app = try agency.makeApp()
        let price: JSONTree = ["storefront": "DEU", "amountMilliunits": 1, "currency": "EUR"]
        let answer = try agency.post(
            "\(app)/products",
            [
                "productId": "a/b", "subscriptionGroup": "", "period": "P0M", "nmae": 1,
                "billingPlans": [
                    ["billingPlanType": "MONTHLY", "prices": [price, price]],
                    [
                        "billingPlanType": "MONTHLY",
                        "prices": [
                            [
                                "storefront": "de", "amountMilliunits": -1, "currency": "eur",
                                "x": 1,
                            ],
                            [:],
                        ],
                    ],
                    ["billingPlanType": ""],
                ],
            ])
        #expect(answer.status == 422)
        #expect(
            Set(answer.errors) == [
                "/productId notAllowed", "/subscriptionGroup tooShort", "/period badFormat",
                "/billingPlans/0/prices/1/storefront duplicate",
                "/billingPlans/1/billingPlanType duplicate",
                "/billingPlans/1/prices/0/storefront badFormat",
                "/billingPlans/1/prices/0/amountMilliunits outOfRange",
                "/billingPlans/1/prices/0/currency badFormat", "/billingPlans/1/prices/0/x unknown",
                "/billingPlans/1/prices/1/storefront required",
                "/billingPlans/1/prices/1/amountMilliunits required",
                "/billingPlans/1/prices/1/currency required",
                "/billingPlans/2/billingPlanType tooShort", "/billingPlans/2/prices required",
                "/nmae unknown",
            ])
        #expect(
            Set(try agency.post("\(app)/products", [:]).errors) == [
                "/productId required", "/subscriptionGroup required", "/period required",
                "/billingPlans required",
            ])
    }

    @Test func `limits hold to the last, and say limit and measure`() throws {
        let agency = try GatewayStage().makeAgency()
        let app = try agency.makeApp()
        let storefronts = Self.letters.flatMap { a in Self.letters.map { b in "A\(a)\(b)" } }
        func plan(_ name: String, _ count: Int) -> JSONTree {
            let prices = storefronts.prefix(count).map { storefront -> JSONTree in
                [
                    "storefront": .string(storefront), "amountMilliunits": .integer(Int64.max),
                    "currency": "EUR",
                ]
            }
            return ["billingPlanType": .string(name), "prices": .array(prices)]
        }
        let full = Self.monthly.with("billingPlans", .array((0..<8).map { plan("P\($0)", 200) }))
            .with("productId", .string(String(repeating: "p", count: 255)))
            .with("subscriptionGroup", .string(String(repeating: "g", count: 255)))
            .with("period", "P99D")
        let made = try agency.post("\(app)/products", full)
        #expect(made.status == 201, "\(made.text.prefix(500))")
        #expect(made.json.without("createdAt") == full)
        let over = try agency.post(
            "\(app)/products",
            Self.monthly.with("billingPlans", [plan("x", 201)])
                .with("productId", .string(String(repeating: "p", count: 256))))
        #expect(
            over.errors.sorted() == ["/billingPlans/0/prices tooMany", "/productId tooLong"])
        for error in over.json["errors"]?.elements ?? [] {
            let limit = try #require(error["limit"]?.number)
            #expect(error["measured"] == .integer(limit + 1))
        }
        let plans = JSONTree.array((0..<9).map { plan("P\($0)", 0) })
        let many = try agency.post("\(app)/products", Self.monthly.with("billingPlans", plans))
        #expect(many.errors == ["/billingPlans tooMany"])
    }

    private static let letters = (UInt8(ascii: "A")...UInt8(ascii: "Z")).map {
        String(UnicodeScalar($0))
    }

    /// API-03: exact to 64 bits, or refused; a whole number may be written in any way.
    @Test(arguments: [
        ("4999000000", 4_999_000_000), ("9223372036854775807", Int64.max), ("39990.0", 39_990),
        ("4.999e9", 4_999_000_000), ("0", 0), ("9223372036854775808", nil), ("39990.5", nil),
        ("\"39990\"", nil), ("1e400", nil), ("-1", nil), ("null", nil), ("true", nil),
    ])
    func `an amount is exact or refused`(text: String, amount: Int64?) throws {
        let agency = try GatewayStage().makeAgency()
        let path = try agency.makeApp() + "/products/p"
        let body = """
            {"subscriptionGroup":"g","period":"P1M","billingPlans":[{"billingPlanType":"MONTHLY",
            "prices":[{"storefront":"VNM","currency":"VND","amountMilliunits":\(text)}]}]}
            """
        let answer = try agency.stage.send(
            "PUT", path, token: agency.token, headers: [("Content-Type", "application/json")],
            body: Array(body.utf8))
        guard let amount else {
            #expect([400, 422].contains(answer.status), "\(answer.text)")
            return
        }
        #expect(answer.status == 201, "\(answer.text)")
        #expect(try agency.get(path).text.contains("\"amountMilliunits\":\(amount),"))
    }

    @Test func `names of Apple's are kept byte by byte, in paths, lists and cursors`() throws {
        let agency = try GatewayStage().makeAgency()
        let app = try agency.makeApp()
        // One letter in two spellings, the Kelvin sign and a K: four products.
        let names = [
            "a b", "a%2Fb", "e\u{301}", "K", "q?x=1&y#z", "\u{212A}", "\u{e9}", "\u{1F600}",
        ]
        for name in names {
            let made = try agency.post(
                "\(app)/products", Self.monthly.with("productId", .string(name)))
            #expect(made.status == 201, "\(made.text)")
            let read = try agency.get(try #require(made.header("Location")))
            #expect(read.json["productId"]?.text.map { Array($0.utf8) } == Array(name.utf8))
        }
        let sorted = names.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
        for limit in [1, 3, 100] {
            let listed = try agency.all("\(app)/products", limit: limit)
            #expect(listed.compactMap { $0["productId"]?.text.map { Array($0.utf8) } } == sorted)
        }
        for name in [".", "..", "a/b", "a\nb", "\u{7f}", "a\u{0}"] {
            let refused = try agency.post(
                "\(app)/products", Self.monthly.with("productId", .string(name)))
            #expect(refused.errors == ["/productId notAllowed"])
        }
        for segment in ["%0A", "%7F", "%2F", "%00", ".", "%FF"] {
            let refused = try agency.send("PUT", "\(app)/products/\(segment)", Self.content)
            #expect(refused.status == 404, "\(segment): \(refused.text)")
        }
    }

    /// API-04.
    @Test func `a patch leaves what it does not name, and clears nothing that must be there`()
        throws
    {
        let agency = try GatewayStage().makeAgency()
        let path = try agency.makeApp() + "/products/p"
        #expect(try agency.send("PUT", path, Self.content).status == 201)
        let before = try agency.get(path).json
        #expect(try agency.patch(path, [:]).json == before)
        for member in ["subscriptionGroup", "period", "billingPlans"] {
            let answer = try agency.patch(path, .object([member: .null]))
            #expect(answer.errors == ["/\(member) required"])
        }
        #expect(try agency.patch(path, ["productId": "q"]).errors == ["/productId unknown"])
        #expect(try agency.patch(path, ["period": ""]).errors == ["/period tooShort"])
        #expect(try agency.send("PATCH", path, [:]).status == 428)
        #expect(try agency.send("DELETE", path).status == 428)
        #expect(try agency.get(path).json == before)
        let group = try agency.patch(path, ["subscriptionGroup": "a\u{0}b"])
        #expect(group.errors == ["/subscriptionGroup notAllowed"])
    }

    @Test func `a product that a default or a rule names stays`() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        let app = try agency.makeApp()
        let id = try #require(AppID(app.lastSegment))
        for product in ["asked", "target", "offered", "free", "default", "drafted"] {
            let made = try agency.send("PUT", "\(app)/products/\(product)", Self.content)
            #expect(made.status == 201)
        }
        let message = MessageID.make(at: stage.now)
        let rules = [
            Rule.named("one", Condition.of(productIds: ["asked"]), .fallback),
            Rule.named(
                "two", .always, .switchPlan(message, productId: "target", billingPlanType: nil)),
            Rule.named(
                "three", .always,
                .promotionalOffer(message, productId: "offered", offerIdentifier: "o")),
        ]
        let key = AppEnvironment(app: id, environment: .sandbox)
        try stage.store.transaction(.operatorCommand(tenant: agency.tenant), at: stage.now) {
            let drafted = Rule.named("four", Condition.of(productIds: ["drafted"]), .fallback)
            try $0.createRuleSetDraft(RuleSet(rules: [drafted]), of: id)
            let version = try $0.createRuleSet(RuleSet(rules: rules), of: id)
            try $0.publishRuleSet(version: version, at: key)
            try $0.createMessage(message, name: "m", kind: .text, of: id)
            try $0.createLocalization(
                Localization(locale: "en-US", header: "h", body: "b"), of: message, app: id)
            try $0.placeMessage(message, locale: "en-US", at: key, state: .approved)
            try $0.setDefaultMessage(message, product: "default", locale: "en-US", at: key)
        }
        for (product, word) in [
            ("asked", "one"), ("target", "two"), ("offered", "three"), ("default", "default"),
            ("drafted", "of the draft"),
        ] {
            let refused = try agency.delete("\(app)/products/\(product)")
            #expect(refused.status == 409)
            #expect(refused.code == "inUse")
            #expect(refused.text.contains(word), "\(refused.text)")
            #expect(try agency.get("\(app)/products/\(product)").status == 200)
        }
        #expect(try agency.delete("\(app)/products/free").status == 204)
    }

    /// PG-03.
    @Test func `another's product is as absent as none`() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        let client = try agency.makeClient()
        let app = try agency.makeApp(of: client, number: 1)
        let other = try agency.makeApp(of: client, number: 2)
        for path in [app, other] {
            #expect(try agency.send("PUT", "\(path)/products/p", Self.content).status == 201)
        }
        let rival = try stage.makeAgency()
        let limited = try stage.makeKey(of: agency, apps: [try #require(AppID(other.lastSegment))])
        for stranger in [rival, limited] {
            let any = [("If-Match", "*")]
            #expect(try stranger.get("\(app)/products").status == 404)
            #expect(try stranger.post("\(app)/products", Self.monthly).status == 404)
            for (method, body) in [
                ("GET", nil), ("PUT", Self.content), ("PATCH", [:] as JSONTree), ("DELETE", nil),
            ] {
                let answer = try stranger.send(method, "\(app)/products/p", body, headers: any)
                #expect(answer.status == 404, "\(method)")
                #expect(answer.code == "notFound")
            }
        }
        #expect(try limited.get("\(other)/products/p").status == 200)
        #expect(try limited.all("\(other)/products").count == 1)
        let reader = try stage.makeKey(of: agency, scopes: [.read(.apps)])
        #expect(try reader.get("\(app)/products/p").status == 200)
        #expect(try reader.post("\(app)/products", Self.monthly).code == "scopeMissing")
    }

    @Test func `a repeated request makes one product`() throws {
        let agency = try GatewayStage().makeAgency()
        let app = try agency.makeApp()
        let first = try agency.post("\(app)/products", Self.monthly, key: "k")
        let again = try agency.post("\(app)/products", Self.monthly, key: "k")
        #expect(again.status == 201)
        #expect(again.header("Idempotency-Replayed") == "true")
        #expect(again.json == first.json)
    }
}

extension JSONTree {
    /// The same object without one member.
    func without(_ name: String) -> JSONTree {
        guard case .object(var members) = self else { return self }
        members[name] = nil
        return .object(members)
    }
}

extension Rule {
    static func named(_ name: String, _ when: Condition, _ treatment: Treatment) -> Rule {
        Rule(
            id: .make(at: Instant(milliseconds: 0)), name: name, when: when, treatment: treatment)
    }
}
