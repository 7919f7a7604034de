import FoundationEssentials
import Migrations
import Operator
import Postgres
import Retention
import RetentionStore
import TestSupport
import Testing

/// What goes into messages and rule sets, and what is refused before Apple would refuse it.
@Suite(.database) struct ContentTests {
    private static let png: [UInt8] = [1, 2, 3]

    private func image(_ agencies: Agencies, _ size: ImageSize) throws -> ImageID {
        try agencies.change(agencies.first) {
            try $0.storeImage(picture(size), of: agencies.first.keys[0].app)
        }
    }

    private func picture(_ size: ImageSize) -> NewImage {
        NewImage(id: ImageID(UUID()), size: size, png: Self.png, width: 3, height: 1)
    }

    private func message(_ agencies: Agencies) throws -> MessageID {
        let id = MessageID(UUID())
        try agencies.change(agencies.first) {
            try $0.createMessage(id, name: "\(id)", kind: .text, of: agencies.first.keys[0].app)
        }
        return id
    }

    private func place(
        _ agencies: Agencies, _ message: MessageID, _ text: Localization
    ) throws -> UUID {
        let key = agencies.first.keys[0]
        return try agencies.change(agencies.first) { transaction in
            try transaction.createLocalization(text, of: message, app: key.app)
            return try transaction.placeMessage(
                message, locale: text.locale, at: key, state: .approved)
        }
    }

    /// Why a text is not taken; nil where it is.
    private func refusal(
        _ agencies: Agencies, _ image: PlacedImage?, _ bullets: [PlacedImage]
    ) throws -> StoreError.Code? {
        let text = Localization(
            locale: "ja", header: "h", body: "b", image: image,
            bullets: bullets.map { Bullet(text: "t", image: $0) })
        let id = try message(agencies)
        do {
            try agencies.change(agencies.first) {
                try $0.createLocalization(text, of: id, app: agencies.first.keys[0].app)
            }
            return nil
        } catch let error as StoreError {
            return error.code
        }
    }

    @Test func `a picture serves only the use it was stored for`() throws {
        let agencies = try Agencies()
        let large = PlacedImage(image: try image(agencies, .fullSize), altText: "a")
        let small = PlacedImage(image: try image(agencies, .bulletPoint), altText: "a")
        let unknown = PlacedImage(image: ImageID(UUID()), altText: "a")
        #expect(try refusal(agencies, large, [small, small]) == nil)
        #expect(try refusal(agencies, small, []) == .invalid)
        #expect(try refusal(agencies, large, [small, large]) == .invalid)
        #expect(try refusal(agencies, unknown, []) == .notFound)
        #expect(try refusal(agencies, nil, [unknown]) == .notFound)
    }

    @Test func `the same picture is stored once for each use, and placed so`() throws {
        let agencies = try Agencies()
        let first = try image(agencies, .fullSize)
        let point = try image(agencies, .bulletPoint)
        #expect(try image(agencies, .fullSize) == first)
        #expect(point != first)
        let other = try agencies.change(agencies.second) {
            try $0.storeImage(picture(.fullSize), of: agencies.second.keys[0].app)
        }
        #expect(other != first)
        let key = agencies.first.keys[0]
        let objects = try agencies.change(agencies.first) { transaction in
            try [first, point, first].map {
                try transaction.placeImage($0, at: key, state: .pending)
            }
        }
        #expect(objects[0] != objects[1] && objects[0] == objects[2])
    }

    @Test func `a text that Apple would refuse is refused with its fields`() throws {
        let agencies = try Agencies()
        let id = try message(agencies)
        let text = Localization(
            locale: "ja", header: String(repeating: "h", count: 67), body: "")
        let error = #expect(throws: StoreError.self) { _ = try place(agencies, id, text) }
        #expect(error?.code == .invalid)
        #expect(error?.message.contains("header") == true)
        #expect(error?.message.contains("body") == true)
        let stored: Int64 = try agencies.value(
            "select count(*) from holdfast.localization where message_id = \(id.uuid)")
        #expect(stored == 0)
    }

    @Test func `equal content is one object at Apple, an edit or another place another`() throws {
        let agencies = try Agencies()
        let (first, second) = (try message(agencies), try message(agencies))
        let text = Localization(locale: "ja", header: "h", body: "b")
        let object = try place(agencies, first, text)
        #expect(try place(agencies, second, text) == object)
        let edited = Localization(locale: "en-US", header: "h", body: "b.")
        #expect(try place(agencies, first, edited) != object)
        let key = agencies.first.keys[0]
        let elsewhere = AppEnvironment(
            app: key.app, environment: key.environment == .sandbox ? .production : .sandbox)
        let moved = try agencies.change(agencies.first) {
            try $0.placeMessage(first, locale: "ja", at: elsewhere, state: .approved)
        }
        #expect(moved != object)
        try agencies.database.superuser.withConnection {
            try $0.execute(
                script: "update holdfast.app set apple_id_salt = sha256('another salt'::bytea)")
        }
        let salted = try agencies.change(agencies.first) {
            try $0.placeMessage(first, locale: "ja", at: key, state: .approved)
        }
        #expect(salted != object)
        #expect([object, moved, salted].allSatisfy { $0.bytes[6] >> 4 == 8 })
    }

    @Test func `a text whose picture is not at Apple cannot be placed`() throws {
        let agencies = try Agencies()
        let key = agencies.first.keys[0]
        let shown = PlacedImage(image: try image(agencies, .fullSize), altText: "a")
        let text = Localization(locale: "ja", header: "h", body: "b", image: shown)
        let id = try message(agencies)
        let error = #expect(throws: StoreError.self) { _ = try place(agencies, id, text) }
        #expect(error?.code == .invalid)
        _ = try agencies.change(agencies.first) {
            try $0.placeImage(shown.image, at: key, state: .pending)
        }
        _ = try place(agencies, id, text)
        let served = try agencies.snapshot(agencies.first, key).messages
        #expect(!served.contains { $0.id == id })
    }

    @Test func `more rules than a reader takes are refused when they are stored`() throws {
        let agencies = try Agencies()
        let key = agencies.first.keys[0]
        func rules(_ count: Int) -> RuleSet {
            RuleSet(
                rules: (0..<count).map { _ in
                    Rule(id: RuleID(UUID()), name: "r", when: .always, treatment: .fallback)
                })
        }
        let error = #expect(throws: StoreError.self) {
            _ = try agencies.change(agencies.first) {
                try $0.createRuleSet(rules(RuleSet.rulesLimit + 1), of: key.app)
            }
        }
        #expect(error?.code == .invalid)
        try agencies.change(agencies.first) { transaction in
            let version = try transaction.createRuleSet(rules(RuleSet.rulesLimit), of: key.app)
            try transaction.publishRuleSet(version: version, at: key)
        }
        let served = try agencies.snapshot(agencies.first, key).ruleSet
        #expect(served.rules.count == RuleSet.rulesLimit)
    }

    @Test func `an older version of the rules comes back in a newer snapshot`() throws {
        let agencies = try Agencies()
        let key = agencies.first.keys[0]
        let before = try agencies.snapshot(agencies.first, key)
        try agencies.change(agencies.first) { transaction in
            let version = try transaction.createRuleSet(RuleSet(rules: []), of: key.app)
            try transaction.publishRuleSet(version: version, at: key)
        }
        #expect(try agencies.snapshot(agencies.first, key).ruleSet.rules.isEmpty)
        try agencies.change(agencies.first) { try $0.publishRuleSet(version: 1, at: key) }
        let after = try agencies.snapshot(agencies.first, key)
        #expect(after.ruleSet == before.ruleSet)
        #expect(after.number == before.number + 2)
    }

    /// With a stronger lock the second writer would wait for the first, and end at its time limit.
    @Test func `rules are stored while somebody else adds a product`() throws {
        let agencies = try Agencies()
        let app = agencies.first.keys[0].app
        let product = Product(
            productId: "x", subscriptionGroup: "g", period: "P1M", billingPlans: [])
        try agencies.change(agencies.first) { transaction in
            try transaction.createProduct(product, of: app)
            let writer = ParallelWork {
                try agencies.change(agencies.first) {
                    try $0.createRuleSet(RuleSet(rules: []), of: app)
                }
            }
            #expect(try writer.value() > 1)
        }
    }
}
