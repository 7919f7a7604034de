import AdminAPI
import Foundation
import Postgres
import Retention
import RetentionStore
import Service
import TestSupport
import Testing

@Suite(.database) struct CoverageTests {
    private static func cells(_ answer: TestAnswer) -> [String] {
        (answer.json["products"]?.elements ?? []).flatMap { product in
            (product["cells"]?.elements ?? []).map { cell in
                let parts = [
                    product["productId"], cell["locale"], cell["default"], cell["realTime"],
                ]
                return parts.map { $0?.text ?? "-" }.joined(separator: " ")
            }
        }
    }

    @Test func `each product is told in each locale, with its holes`() throws {
        let stage = try GatewayStage()
        let app = try ContentApp(try stage.makeAgency())
        let (monthly, yearly) = (ContentApp.product, ContentApp.otherProduct)
        let path = "\(app.path)/coverage?environment=Sandbox"
        let empty = try app.agency.get(path)
        #expect(empty.json["locales"] == ["en-US"], "\(empty.text)")
        #expect(
            Self.cells(empty)
                == ["\(monthly) en-US missing notUsed", "\(yearly) en-US missing notUsed"])
        let message = try app.message()
        _ = try app.localization(message)
        // Texts that say the same are one at Apple.
        _ = try app.localization(message, "ja", ["header": "x", "body": "y"])
        let id = try #require(MessageID(message.lastSegment))
        let key = AppEnvironment(app: app.id, environment: .sandbox)
        let shown = try app.change { transaction in
            try transaction.setDefaultMessage(id, product: monthly, locale: "en-US", at: key)
            let shown = try transaction.placeMessage(
                id, locale: "en-US", at: key, state: .approved)
            try transaction.placeMessage(id, locale: "ja", at: key, state: .rejected)
            let rules = RuleSet(
                rules: [
                    Rule(
                        id: RuleID(UUID()), name: "r", when: Condition.of(productIds: [yearly]),
                        treatment: .message(id))
                ])
            try transaction.publishRuleSet(
                version: try transaction.createRuleSet(rules, of: app.id), at: key)
            return shown
        }
        try stage.database.superuser.withConnection { connection in
            _ = try connection.query(
                """
                insert into holdfast.apple_default (tenant_id, app_id, environment, product_id,
                  locale, apple_id, is_uncertain)
                values (\(app.agency.tenant.uuid), \(app.id.uuid), 'Sandbox', \(monthly), 'en-US',
                  \(shown), false)
                """)
        }
        let answer = try app.agency.get(path)
        #expect(
            Self.cells(answer) == [
                "\(monthly) en-US inForce notUsed", "\(monthly) ja missing notUsed",
                "\(yearly) en-US missing approved", "\(yearly) ja missing rejected",
            ], "\(answer.text)")
        #expect(answer.json["holes"]?.elements.count == 3)
        #expect(answer.json["holesMean"]?.text?.contains("is not verified") == true)
        #expect(answer.json["groupsWithoutSwitch"] == [])
        let one = try app.agency.get("\(path)&locale=ja")
        #expect(Self.cells(one).count == 2)
        let strange = try app.agency.get("\(path)&locale=fr-FR")
        #expect(Self.cells(strange).first == "\(monthly) fr-FR missing notUsed")
        #expect(try app.agency.get("\(path)&locale=FR-fr").errors == ["locale nearMiss"])
        // Production has none of it.
        let production = try app.agency.get("\(app.path)/coverage")
        #expect(production.json["locales"] == ["en-US"])
        #expect(
            Self.cells(production).allSatisfy { $0.hasSuffix("missing notUsed") })
    }

    @Test func `what is stale or to be looked at is named where it is wanted`() throws {
        let app = try ContentApp(try GatewayStage().makeAgency())
        let (old, fresh) = (try app.message("old"), try app.message("fresh"))
        #expect(
            try app.agency.patch(old, ["showUntil": "2020-01-01", "reviewBy": "2999-01-01"])
                .status == 200)
        #expect(try app.agency.patch(fresh, ["showUntil": "2999-01-01"]).status == 200)
        let answer = try app.agency.get("\(app.path)/coverage?environment=Sandbox")
        let rows = answer.json["messagesToReview"]?.elements ?? []
        #expect(rows.map { $0["name"] } == ["old"], "\(answer.text)")
        #expect(rows.first?["isStale"] == true && rows.first?["needsReview"] == false)
        #expect(try app.agency.get("\(app.path)/coverage").json["messagesToReview"] == [])
    }

    @Test func `more than one answer holds is asked for by locale`() throws {
        let app = try ContentApp(try GatewayStage().makeAgency())
        let message = try app.message()
        for locale in ["en-US", "ja", "fr-FR", "de-DE"] {
            _ = try app.localization(message, locale)
        }
        try app.agency.stage.database.superuser.withConnection { connection in
            _ = try connection.query(
                """
                insert into holdfast.product (tenant_id, app_id, product_id, subscription_group,
                  period, created_at)
                select tenant_id, app_id, 'p' || n, 'g', 'P1M', now()
                from holdfast.app, generate_series(1, 1300) as n where app_id = \(app.id.uuid)
                """)
        }
        let path = "\(app.path)/coverage?environment=Sandbox"
        let all = try app.agency.get(path)
        #expect(all.code == "invalidParameter")
        #expect(all.errors == ["locale tooMany"])
        let one = try app.agency.get("\(path)&locale=ja")
        #expect(Self.cells(one).count == 1302)
    }
}
