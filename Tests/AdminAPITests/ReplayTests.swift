import AdminAPI
import Foundation
import Retention
import RetentionStore
import Service
import Signing
import TestSupport
import Testing

@Suite(.database) struct ReplayTests {
    @Test func pastRequestsAreDecidedOnceMoreByOtherRules() throws {
        let stage = try DecidingStage()
        let app = stage.app
        let number = try stage.publish(stage.rules())
        let old = Decision(
            answer: .alternateProduct(
                try stage.placed(app.plan, "de-DE"), productId: app.yearly,
                billingPlanType: nil), rule: try stage.rule(0), localeServed: "de-DE")
        for turn in 0..<5 {
            try stage.decide(
                stage.subscriber(days: 400), of: "\(turn)", snapshot: number,
                at: Int64(turn) * 1_000, as: old)
        }
        try stage.decide(nil, of: "6", snapshot: number, as: old)
        let japanese = Decision(
            answer: .fallback(.nothingToShow), rule: nil, localeServed: nil)
        try stage.decide(
            stage.subscriber(days: 1), of: "7", locale: "ja-JP", product: app.extra,
            snapshot: number, as: japanese)
        // The same rules: nothing changes.
        let same = try replay(stage, ["version": 1])
        #expect(same["counts"] == counts(7, skipped: 1, changed: 0))
        #expect(same["changes"] == [])
        #expect(same["localesWithoutText"] == [["locale": "ja-JP", "count": 1]])
        // A draft that says something else to them.
        let draft = TestApp.rules(app.says(app.text)).merging([
            "holdout": ["percent": 0, "confirmNoHoldout": true]
        ])
        _ = try app.agency.send("PUT", "\(app.path)/rule-set-draft", draft)
        let other = try replay(stage)
        #expect(other["rules"]?["source"] == "draft")
        #expect(other["counts"] == counts(7, skipped: 1, changed: 6))
        let changes = other["changes"]?.elements ?? []
        #expect(changes.map { $0["count"] } == [5, 1])
        #expect(changes.first?["from"]?["kind"] == "switchPlan")
        #expect(changes.first?["to"]?["kind"] == "message")
        #expect(changes.first?["toRuleName"] == "rule 0")
        #expect(other["before"]?["answers"]?["switchPlan"] == 5)
        #expect(other["after"]?["answers"]?["message"] == 6)
        // The newest ones, and only those in the span.
        #expect(try replay(stage, ["limit": 2])["counts"]?["decisions"] == 2)
        let from = JSONTree.time(app.agency.stage.now.milliseconds - 2_000)
        #expect(try replay(stage, ["from": .string(from)])["counts"]?["decisions"] == 4)
    }

    @Test func discountsAreReckonedWherePricesAreKnown() throws {
        let stage = try DecidingStage()
        let app = stage.app
        try app.change { transaction in
            try transaction.storeCredential(
                InAppPurchaseKey(
                    keyId: "KEY", issuerId: "57246542-96fe-1a63-e053-0824d011072a",
                    key: app.agency.stage.platformKey), id: .make(at: app.agency.stage.now),
                of: app.id, sealedTo: app.agency.stage.platformKey.publicKey)
            func price(_ amount: Int64) -> Price {
                Price(storefront: "DEU", amountMilliunits: amount, currency: "EUR")
            }
            try transaction.updateProduct(
                Product(
                    productId: app.monthly, subscriptionGroup: "main", period: "P1M",
                    billingPlans: [.monthly]),
                prices: [BillingPlanPrice(plan: .monthly, price: price(9_990))], of: app.id)
            try transaction.updateOffer(
                Offer(offerIdentifier: app.offer, productId: app.monthly, kind: .promotional),
                terms: OfferTerms(
                    offerMode: "PAY_AS_YOU_GO", period: "P1M", periodCount: 3,
                    customerEligibilities: [], prices: [price(4_990)]), of: app.id)
        }
        let number = try stage.publish(stage.rules())
        let nothing = Decision(answer: .fallback(.nothingToShow), rule: nil, localeServed: nil)
        for (turn, storefront) in ["DEU", "DEU", "USA"].enumerated() {
            try stage.decide(
                stage.subscriber(days: 1, storefront: storefront), of: "\(turn)",
                snapshot: number, as: nothing)
        }
        let report = try replay(
            stage,
            [
                "ruleSet": TestApp.rules(app.offers(app.offer, on: app.monthly)).merging([
                    "holdout": ["percent": 0, "confirmNoHoldout": true]
                ])
            ])
        #expect(report["before"]?["offers"] == 0)
        #expect(report["after"]?["offers"] == 3, "\(report)")
        #expect(
            report["after"]?["discount"] == [
                "byCurrency": [
                    ["currency": "EUR", "amountMilliunits": 30_000, "offers": 2]
                ], "unknownOffers": 1,
            ])
    }

    /// No snapshot holds it, and it is its text that is missing all the same.
    @Test func aMessageThatAppleHasNotApprovedAtAllIsWithoutText() throws {
        let stage = try DecidingStage()
        let app = stage.app
        let unseen = MessageID.make(at: app.agency.stage.now)
        try app.change { transaction in
            try transaction.createMessage(unseen, name: "unseen", kind: .text, of: app.id)
            try transaction.createLocalization(
                Localization(locale: "de-DE", header: "Bleib", body: "Ein Angebot."), of: unseen,
                app: app.id)
        }
        let number = try stage.publish(stage.rules())
        try stage.decide(
            stage.subscriber(days: 1), of: "1", snapshot: number,
            as: Decision(answer: .fallback(.nothingToShow), rule: nil, localeServed: nil))
        let rules = TestApp.rules(app.says(unseen), app.says(app.text)).merging([
            "holdout": ["percent": 0, "confirmNoHoldout": true]
        ])
        let report = try replay(stage, ["ruleSet": rules])
        #expect(report["after"]?["answers"]?["message"] == 1, "\(report)")
        #expect(report["localesWithoutText"] == [["locale": "de-AT", "count": 1]])
    }

    @Test func decisionsThatKnewLessThanTheRulesAskForAreCountedApart() throws {
        let stage = try DecidingStage()
        let app = stage.app
        let confirmed: JSONTree = ["percent": 0, "confirmNoHoldout": true]
        let number = try stage.publish(
            TestApp.rules(app.says(app.text)).merging(["holdout": confirmed]))
        let nothing = Decision(answer: .fallback(.nothingToShow), rule: nil, localeServed: nil)
        let known = stage.subscriber(days: 400)
        for (turn, (subscriber, budget)) in [
            (KnownSubscriber.notNeeded, BudgetReading.unknown), (.notNeeded, .nothing),
            (known, .unknown), (known, .nothing), (.absent, .spent(milliunits: 1, currency: "EUR")),
            (.unavailable, .spent(milliunits: 1, currency: "JPY")),
        ].enumerated() {
            try stage.decide(
                subscriber, of: "\(turn)", snapshot: number, at: Int64(turn), as: nothing,
                budget: budget)
        }
        func missing(_ rules: JSONTree) throws -> JSONTree? {
            let report = try replay(
                stage, ["ruleSet": rules.merging(["holdout": confirmed])])
            let counted = report["counts"]
            let replayed = (counted?["replayed"]?.number ?? 0)
            #expect(counted?["decisions"] == 6)
            #expect(counted?["inputsMissing"]?.number == 6 - replayed)
            let answers = report["before"]?["answers"]?["fallback"]
            #expect(answers == .integer(replayed), "\(report)")
            return counted?["inputsMissing"]
        }
        #expect(try missing(TestApp.rules(app.says(app.text))) == 0)
        let asking: JSONTree = ["fact": "tenureDays", "atLeast": 1]
        #expect(try missing(TestApp.rules(app.says(app.text), when: asking)) == 2)
        let budget: JSONTree = [
            "monthlyDiscountBudget": ["amountMilliunits": 9, "currency": "EUR"]
        ]
        let offers = TestApp.rules(app.offers(app.offer, on: app.monthly))
        #expect(try missing(offers) == 0)
        #expect(try missing(offers.merging(["governor": budget])) == 3)
        let both = TestApp.rules(app.offers(app.offer, on: app.monthly), when: asking)
        #expect(try missing(both.merging(["governor": budget])) == 4)
        // A budget that no offer asks for is none.
        #expect(
            try missing(TestApp.rules(app.says(app.text)).merging(["governor": budget])) == 0)
    }

    @Test func theHoldoutHasItsShareAndFaultsAreNamed() throws {
        let stage = try DecidingStage()
        let number = try stage.publish(stage.rules())
        let nothing = Decision(answer: .fallback(.nothingToShow), rule: nil, localeServed: nil)
        for turn in 0..<40 {
            try stage.decide(
                stage.subscriber(days: 1), of: "\(turn)", snapshot: number, at: Int64(turn),
                as: nothing)
        }
        let rules = stage.rules().merging(["holdout": ["percent": 20, "answer": "fallback"]])
        let report = try replay(stage, ["ruleSet": rules])
        let held = try #require(report["after"]?["holdout"]?.number)
        #expect((1...20).contains(held), "\(report)")
        #expect(report["before"]?["holdout"] == 0)
        let path = "\(stage.app.path)/replays"
        let faulty = try stage.app.agency.post(
            path,
            [
                "from": "2026-12-01T00:00:00Z", "to": "2026-12-01T00:00:00Z", "limit": 100_001,
                "version": 0,
            ])
        #expect(
            Set(faulty.errors) == [
                "/to outOfRange", "/limit outOfRange", "/version outOfRange",
            ])
    }

    private func counts(_ decisions: Int64, skipped: Int64, changed: Int64) -> JSONTree {
        [
            "decisions": .integer(decisions), "replayed": .integer(decisions - skipped),
            "skipped": .integer(skipped), "inputsMissing": 0, "changed": .integer(changed),
        ]
    }

    private func replay(
        _ stage: DecidingStage, _ body: [String: JSONTree] = [:]
    ) throws -> JSONTree {
        // What is of this very millisecond is before the end, too.
        stage.app.agency.stage.clock.advance(milliseconds: 1)
        let begun = try stage.app.agency.post("\(stage.app.path)/replays", .object(body))
        try #require(begun.status == 202, "\(begun.text)")
        try stage.app.agency.stage.jobs.runWaiting()
        let done = try stage.app.agency.get(try #require(begun.header("Location")))
        #expect(done.json["state"] == "succeeded", "\(done.text)")
        return done.json["report"] ?? .null
    }
}
