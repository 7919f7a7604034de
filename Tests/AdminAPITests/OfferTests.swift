import AdminAPI
import Retention
import RetentionStore
import TestSupport
import Testing

@Suite(.database) struct OfferTests {
    static let half: JSONTree = [
        "offerIdentifier": "stay-half", "kind": "promotional", "offerMode": "PAY_AS_YOU_GO",
        "period": "P1M", "periodCount": 3, "customerEligibilities": ["EXISTING", "EXPIRED"],
        "prices": [["storefront": "DEU", "amountMilliunits": 4_990, "currency": "EUR"]],
    ]
    /// What an offer is of which only its kind was said.
    static let bare: JSONTree = [
        "kind": "winBack", "offerMode": .null, "period": .null, "periodCount": .null,
        "customerEligibilities": [], "prices": [],
    ]

    private static func makeProduct(_ agency: TestAgency, number: Int64 = 1) throws -> String {
        let path = try agency.makeApp(number: number) + "/products/p"
        try #require(try agency.send("PUT", path, ProductTests.content).status == 201)
        return path
    }

    @Test func `an offer is made, read, listed, changed and removed`() throws {
        let agency = try GatewayStage().makeAgency()
        let offers = try Self.makeProduct(agency) + "/offers"
        let made = try agency.post(offers, Self.half)
        #expect(made.status == 201, "\(made.text)")
        let path = try #require(made.header("Location"))
        #expect(path == "\(offers)/stay-half")
        #expect(made.json.without("createdAt") == Self.half)
        #expect(try agency.get(path).json == made.json)
        #expect(try agency.get(path).header("ETag") == made.header("ETag"))

        let changed = try agency.patch(path, ["periodCount": 6, "period": .null, "prices": []])
        #expect(changed.status == 200, "\(changed.text)")
        #expect(
            changed.json
                == made.json.with("periodCount", 6).with("period", .null).with("prices", []))
        #expect(try agency.all(offers) == [changed.json])
        #expect(try agency.post(offers, Self.half).errors == ["/offerIdentifier duplicate"])

        #expect(try agency.delete(path).status == 204)
        #expect(try agency.get(path).code == "notFound")
        #expect(
            try agency.audit().filter { $0.hasPrefix("offer") } == [
                "offer.create p/stay-half", "offer.delete p/stay-half", "offer.update p/stay-half",
            ])
    }

    @Test func `PUT makes an offer, and replaces one that was read`() throws {
        let agency = try GatewayStage().makeAgency()
        let path = try Self.makeProduct(agency) + "/offers/o%20%2E"
        let made = try agency.send("PUT", path, ["kind": "winBack"])
        #expect(made.status == 201, "\(made.text)")
        #expect(made.json.without("createdAt") == Self.bare.with("offerIdentifier", "o ."))
        #expect(made.header("Location")?.hasSuffix("/offers/o%20.") ?? false)
        #expect(try agency.send("PUT", path, ["kind": "winBack"]).status == 428)
        let nulls = Self.bare.with("customerEligibilities", .null).with("prices", .null)
        let tag = try #require(made.header("ETag"))
        let same = try agency.send("PUT", path, nulls, headers: [("If-Match", tag)])
        #expect(same.status == 200, "\(same.text)")
        #expect(same.json == made.json)
        let full = Self.half.without("offerIdentifier")
        let replaced = try agency.send("PUT", path, full, headers: [("If-Match", tag)])
        #expect(replaced.json["periodCount"] == 3)
        #expect(
            try agency.send("PUT", path, full, headers: [("If-Match", tag)]).status == 412)
    }

    @Test func `everything that is wrong is named at once`() throws {
        let agency = try GatewayStage().makeAgency()
        let offers = try Self.makeProduct(agency) + "/offers"
        let many = (0..<17).map { JSONTree.string("E\($0)") }
        let answer = try agency.post(
            offers,
            [
                "offerIdentifier": "..", "kind": "introductory", "offerMode": "",
                "period": "P1M2D", "periodCount": 61, "customerEligibilities": ["NEW", "NEW", ""],
                "prices": [["storefront": "DEU", "amountMilliunits": 1.wrong, "currency": 1]],
                "nmae": 1,
            ])
        #expect(answer.status == 422)
        #expect(
            Set(answer.errors) == [
                "/offerIdentifier notAllowed", "/kind unknownValue", "/offerMode tooShort",
                "/period badFormat", "/periodCount outOfRange",
                "/customerEligibilities/1 duplicate", "/customerEligibilities/2 tooShort",
                "/prices/0/amountMilliunits wrongType", "/prices/0/currency wrongType",
                "/nmae unknown",
            ])
        #expect(
            Set(try agency.post(offers, [:]).errors)
                == ["/offerIdentifier required", "/kind required"])
        let over = try agency.post(
            offers, Self.half.with("customerEligibilities", .array(many)).with("periodCount", 0))
        #expect(
            Set(over.errors)
                == ["/customerEligibilities tooMany", "/periodCount outOfRange"])
        let last = Self.half.with("customerEligibilities", .array(Array(many.prefix(16))))
            .with("periodCount", 60).with("offerMode", .string(String(repeating: "m", count: 64)))
        #expect(try agency.post(offers, last).json.without("createdAt") == last)
    }

    /// API-04.
    @Test func `null clears what may be unknown, and nothing else`() throws {
        let agency = try GatewayStage().makeAgency()
        let path = try Self.makeProduct(agency) + "/offers/o"
        let made = try agency.send("PUT", path, Self.half.without("offerIdentifier"))
        #expect(try agency.patch(path, [:]).json == made.json)
        for member in ["kind", "customerEligibilities", "prices"] {
            let answer = try agency.patch(path, .object([member: .null]))
            #expect(answer.errors == ["/\(member) required"], "\(answer.text)")
        }
        var wanted = made.json
        for member in ["offerMode", "period", "periodCount"] {
            wanted = wanted.with(member, .null)
            #expect(try agency.patch(path, .object([member: .null])).json == wanted)
        }
        #expect(try agency.patch(path, ["offerIdentifier": "x"]).status == 422)
        #expect(try agency.send("PATCH", path, [:]).status == 428)
        #expect(try agency.send("DELETE", path).status == 428)
        #expect(
            try agency.patch(path, ["offerMode": "a\u{0}"]).errors == ["/offerMode notAllowed"])
    }

    @Test func `an offer that a rule names stays, and its product with it`() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        let product = try Self.makeProduct(agency)
        let app = try #require(AppID(String(product.split(separator: "/")[2])))
        for offer in ["named", "free"] {
            _ = try agency.send("PUT", "\(product)/offers/\(offer)", ["kind": "promotional"])
        }
        let treatment = Treatment.promotionalOffer(
            .make(at: stage.now), productId: "p", offerIdentifier: "named")
        try stage.store.transaction(.operatorCommand(tenant: agency.tenant), at: stage.now) {
            let rules = RuleSet(rules: [.named("half", .always, treatment)])
            let version = try $0.createRuleSet(rules, of: app)
            let key = AppEnvironment(app: app, environment: .production)
            try $0.publishRuleSet(version: version, at: key)
        }
        let refused = try agency.delete("\(product)/offers/named")
        #expect(refused.code == "inUse")
        #expect(refused.text.contains("version 1"), "\(refused.text)")
        #expect(try agency.delete(product).code == "inUse")
        #expect(try agency.delete("\(product)/offers/free").status == 204)
    }

    /// PG-03.
    @Test func `another's offer, and one of no product, is as absent as none`() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        let product = try Self.makeProduct(agency)
        let other = try Self.makeProduct(agency, number: 2)
        _ = try agency.send("PUT", "\(product)/offers/o", ["kind": "promotional"])
        let rival = try stage.makeAgency()
        let own = try #require(AppID(String(other.split(separator: "/")[2])))
        let limited = try stage.makeKey(of: agency, apps: [own])
        let absent = "\(product.dropLast())q"
        for (key, place) in [(rival, product), (limited, product), (agency, absent)] {
            #expect(try key.get("\(place)/offers").status == 404)
            #expect(try key.post("\(place)/offers", Self.half).status == 404)
            for (method, body) in [
                ("GET", nil), ("PUT", ["kind": "winBack"]), ("PATCH", [:] as JSONTree),
                ("DELETE", nil),
            ] {
                let answer = try key.send(
                    method, "\(place)/offers/o", body, headers: [("If-Match", "*")])
                #expect(answer.status == 404, "\(method)")
            }
        }
        #expect(try agency.get("\(product)/offers/o").json["kind"] == "promotional")
    }

    @Test func `a list goes page by page, in the order of bytes`() throws {
        let agency = try GatewayStage().makeAgency()
        let offers = try Self.makeProduct(agency) + "/offers"
        for name in ["b", "B", "a", "\u{e9}"] {
            let made = try agency.post(
                offers, ["kind": "retention", "offerIdentifier": .string(name)])
            #expect(made.status == 201)
        }
        for limit in [1, 2, 100] {
            let names = try agency.all(offers, limit: limit).map { $0["offerIdentifier"]?.text }
            #expect(names == ["B", "a", "b", "\u{e9}"])
        }
        let products = String(offers.prefix { $0 != "?" }.dropLast("/p/offers".count))
        let foreign = try #require(
            try agency.get("\(offers)?limit=1").json["nextCursor"]?.text)
        #expect(
            try agency.get("\(products)?cursor=\(foreign)").code == "invalidCursor")
    }
}

extension Int {
    /// The same number where a text is expected to be refused.
    fileprivate var wrong: JSONTree { .string("\(self)") }
}
