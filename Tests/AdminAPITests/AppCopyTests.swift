import AdminAPI
import Retention
import RetentionStore
import TestSupport
import Testing

@Suite(.database) struct AppCopyTests {
    @Test func aSetUpIsCopiedAndEachThingReported() throws {
        let agency = try GatewayStage().makeAgency()
        let (app, target) = (try agency.makeTestApp(), try agency.makeTestApp())
        let hello = MessageID.make(at: agency.stage.now)
        let image = ImageID.make(at: agency.stage.now)
        try app.change { transaction in
            _ = try transaction.storeImage(
                NewImage(id: image, size: .fullSize, png: [1, 2, 3], width: 1, height: 1),
                of: app.id)
            try transaction.createMessage(hello, name: "hello", kind: .text, of: app.id)
            for locale in ["en-US", "ja"] {
                try transaction.createLocalization(
                    Localization(
                        locale: locale, header: "h", body: "b",
                        image: PlacedImage(image: image, altText: "alt")), of: hello, app: app.id)
            }
            try transaction.createProduct(
                Product(
                    productId: "com.example.alone", subscriptionGroup: "main", period: "P1M",
                    billingPlans: []), of: app.id)
            for product in [app.monthly, "com.example.alone"] {
                _ = try transaction.setDefaultMessages(
                    hello, products: [product], locales: ["en-US", "ja"],
                    at: AppEnvironment(app: app.id, environment: .production))
            }
            let rules = RuleSet(rules: [
                Rule(
                    id: .make(at: agency.stage.now), name: "r", when: .always,
                    treatment: .message(hello))
            ])
            let version = try transaction.createRuleSet(rules, of: app.id)
            try transaction.publishRuleSet(
                version: version, at: AppEnvironment(app: app.id, environment: .production))
        }
        let report = try copied(app, to: target)
        #expect(
            things(report)
                == [
                    "image \(image) created", "message text exists", "message switchPlan exists",
                    "message promotionalOffer exists", "message hello created",
                    "ruleSetDraft version 1 created",
                    "default Production com.example.alone en-US refused",
                    "default Production com.example.alone ja refused",
                    "default Production com.example.monthly en-US created",
                    "default Production com.example.monthly ja created",
                ].sorted())
        #expect(report["counts"] == ["created": 5, "exists": 3, "refused": 2])

        let made = try #require(
            try agency.all("\(target.path)/messages").first { $0["name"] == "hello" })
        let id = try #require(made["id"])
        #expect(id != .string(hello.description) && made["locales"] == ["en-US", "ja"])
        let draft = try agency.get("\(target.path)/rule-set-draft")
        #expect(draft.json["rules"]?.elements.first?["treatment"]?["messageId"] == id)
        #expect(try agency.all("\(target.path)/defaults").map { $0["messageId"] } == [id, id])

        let again = try copied(app, to: target)
        #expect(again["counts"] == ["created": 0, "exists": 8, "refused": 2])
    }

    @Test func anAppWithNothingIsCopiedAsNothing() throws {
        let agency = try GatewayStage().makeAgency()
        let (app, target) = (try agency.makeTestApp(), try agency.makeTestApp())
        let report = try copied(app, to: target)
        #expect(report["counts"] == ["created": 0, "exists": 3, "refused": 0])
        #expect(try agency.get("\(target.path)/rule-set-draft").status == 404)
    }

    @Test func onlyOwnAppsAreCopied() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        let (app, target) = (try agency.makeTestApp(), try agency.makeTestApp())
        let foreign = try stage.makeAgency().makeTestApp()
        let limited = try stage.makeKey(of: agency, apps: [app.id])
        for (key, other) in [(agency, foreign), (limited, target)] {
            let answer = try key.post(
                "\(app.path)/copies", ["targetAppId": .string(other.id.description)])
            #expect(answer.errors == ["/targetAppId unknownReference"])
        }
        let itself = try agency.post(
            "\(app.path)/copies", ["targetAppId": .string(app.id.description)])
        #expect(itself.errors == ["/targetAppId notAllowed"])
        let typo = try agency.post("\(app.path)/copies", ["target": "x"])
        #expect(Set(typo.errors) == ["/targetAppId required", "/target unknown"])
        let stranger = try foreign.agency.post(
            "\(app.path)/copies", ["targetAppId": .string(foreign.id.description)])
        #expect(stranger.code == "notFound")
        #expect(try agency.all("/v1/jobs").isEmpty)
    }

    private func copied(_ app: TestApp, to target: TestApp) throws -> JSONTree {
        let started = try app.agency.post(
            "\(app.path)/copies", ["targetAppId": .string(target.id.description)])
        try #require(started.status == 202, "\(started.text)")
        try app.agency.stage.jobs.runWaiting()
        let job = try app.agency.get(try #require(started.header("Location")))
        try #require(job.json["state"] == "succeeded", "\(job.text)")
        #expect(job.json["kind"] == "appCopy")
        return try #require(job.json["report"])
    }

    private func things(_ report: JSONTree) -> [String] {
        let things = report["things"]?.elements ?? []
        return things.map { thing in
            ["kind", "name", "outcome"].compactMap { thing[$0]?.text }.joined(separator: " ")
        }.sorted()
    }
}
