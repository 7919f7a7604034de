import Foundation
import Retention
import Testing

@Suite struct ReadinessTests {
    private static let now = Instant(milliseconds: 1_800_000_000_000)
    private static let day: Int64 = 86_400_000

    private static func check(
        _ verdict: KeyVerdict, _ environment: StoreEnvironment = .sandbox
    ) -> CredentialCheck {
        CredentialCheck(
            environment: environment, verdict: verdict, status: verdict == .works ? 200 : 401,
            appleCode: nil, checkedAt: now)
    }

    private static func next(_ facts: ReadinessFacts) -> String {
        let step = AppReadiness(facts, now: now).nextStep
        let action = step?.nextAction
        return step.map {
            "\($0.name.rawValue) \(action?.code.rawValue ?? "?") \(action?.actor.rawValue ?? "?")"
        } ?? "nothing"
    }

    /// An app whose every step is done.
    private static var complete: ReadinessFacts {
        var facts = ReadinessFacts()
        facts.hasKey = true
        var side = ReadinessFacts.Side()
        side.access = .granted
        side.check = check(.works)
        side.content.wanted = 3
        side.content.approved = 3
        side.hasEndpoint = true
        side.url = .current
        (facts.sandbox, facts.production) = (side, side)
        facts.test = .passed
        facts.passedAt = now + -40 * day
        facts.productCount = 2
        (facts.defaultPlaces, facts.defaultsSet, facts.defaultsInForce) = (2, 2, 2)
        facts.appStoreConnectLayer = .declared
        return facts
    }

    @Test func `an app is led from nothing to its messages, step by step`() {
        var facts = ReadinessFacts()
        #expect(Self.next(facts) == "access requestAccess agency")
        facts.accessRequestedAt = Self.now + -3 * Self.day
        #expect(Self.next(facts) == "access storeKey agency")
        facts.hasKey = true
        #expect(Self.next(facts) == "access checkKey holdfast")
        facts.sandbox.access = .none
        facts.sandbox.check = Self.check(.noAccess)
        #expect(Self.next(facts) == "access waitForAccess apple")
        facts.sandbox.access = .granted
        facts.sandbox.check = Self.check(.works)
        #expect(Self.next(facts) == "sandboxContent createContent agency")
        facts.sandbox.content.wanted = 2
        #expect(Self.next(facts) == "sandboxContent uploadContent holdfast")
        facts.sandbox.content.pending = 2
        #expect(Self.next(facts) == "sandboxContent waitForReview apple")
        facts.sandbox.content.rejected = 1
        #expect(Self.next(facts) == "sandboxContent reviseContent agency")
        facts.sandbox.content.approved = 2
        #expect(Self.next(facts) == "sandboxURL createEndpoint agency")
        facts.sandbox.hasEndpoint = true
        #expect(Self.next(facts) == "sandboxURL setURL holdfast")
        facts.sandbox.url = .foreign
        #expect(Self.next(facts) == "sandboxURL takeOverURL agency")
        facts.sandbox.url = .current
        #expect(Self.next(facts) == "performanceTest nameTestTransaction agency")
        facts.testTransactionId = "1"
        #expect(Self.next(facts) == "performanceTest startTest agency")
        facts.test = .waiting
        #expect(Self.next(facts) == "performanceTest runTest holdfast")
        facts.test = .atApple
        #expect(Self.next(facts) == "performanceTest waitForTest apple")
        facts.test = .failed
        #expect(Self.next(facts) == "performanceTest repeatTest agency")
        facts.passedAt = Self.now + -2 * Self.day
        #expect(Self.next(facts) == "productionContent promoteContent agency")
        facts.production.content.wanted = 1
        facts.production.content.approved = 1
        #expect(Self.next(facts) == "defaults addProducts agency")
        facts.productCount = 1
        (facts.defaultPlaces, facts.defaultsSet) = (4, 3)
        #expect(Self.next(facts) == "defaults setDefaults agency")
        facts.defaultsSet = 4
        #expect(Self.next(facts) == "defaults configureDefaults holdfast")
        facts.defaultsInForce = 4
        #expect(Self.next(facts) == "productionURL createEndpoint agency")
        facts.production.hasEndpoint = true
        facts.production.urlRefusal = AppleRefusal(code: 4_000_215, at: Self.now)
        #expect(Self.next(facts) == "productionURL mendURL agency")
        facts.production.urlRefusal = nil
        #expect(Self.next(facts) == "productionURL setURL holdfast")
        #expect(!AppReadiness(facts, now: Self.now).isReady)
        facts.production.url = .current
        #expect(AppReadiness(facts, now: Self.now).isReady)
        #expect(Self.next(facts) == "appStoreConnectLayer declareAppStoreConnectLayer agency")
        facts.appStoreConnectLayer = .declared
        #expect(Self.next(facts) == "nothing")
    }

    @Test func `a key that Apple refuses is the agency's to replace`() {
        var facts = Self.complete
        facts.production.check = Self.check(.keyRefused, .production)
        #expect(Self.next(facts) == "key replaceKey agency")
        facts.sandbox.access = .unknown
        facts.production.access = .unknown
        #expect(Self.next(facts) == "access replaceKey agency")
        facts = Self.complete
        facts.sandbox.check = Self.check(.noAccess)
        facts.production.check = nil
        #expect(Self.next(facts) == "key replaceKey agency")
        facts = Self.complete
        facts.hasKey = false
        facts.hasStandbyKey = true
        #expect(Self.next(facts) == "key checkKey holdfast")
        facts.sandbox.standbyCheck = Self.check(.keyRefused)
        #expect(Self.next(facts) == "key replaceKey agency")
    }

    @Test func `where access is half there, the missing half is named`() throws {
        var facts = Self.complete
        facts.production.access = .none
        let readiness = AppReadiness(facts, now: Self.now)
        let step = try #require(readiness.nextStep)
        #expect(step.detail.contains("Production, though"))
        #expect(!step.detail.contains("Sandbox"))
        #expect(step.nextAction?.sentence.contains("request/retention-messaging-api/") == true)
        // Apple is not called there, so nothing can be done that it is called for.
        facts.production.content.approved = 0
        let blocked = try #require(
            AppReadiness(facts, now: Self.now).steps.first { $0.name == .productionContent })
        #expect(blocked.state == .blocked && blocked.blockedBy == .access)
    }

    @Test func `the production URL waits for a test that passed`() throws {
        var facts = Self.complete
        facts.passedAt = nil
        facts.test = nil
        facts.production.url = .former
        let step = try #require(
            AppReadiness(facts, now: Self.now).steps.first { $0.name == .productionURL })
        #expect(step.blockedBy == .performanceTest)
    }

    @Test func `a test that passed says how long ago, and that a newer one failed`() throws {
        var facts = Self.complete
        facts.test = .failed
        let step = try #require(
            AppReadiness(facts, now: Self.now).steps.first { $0.name == .performanceTest })
        #expect(step.state == .done)
        #expect(step.detail.contains("40 days ago") && step.detail.contains("newest test failed"))
    }

    /// Whatever is known: somebody's turn it is, and only what comes later is blocked.
    @Test func `there is always a next step, with who takes it`() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let facts = Self.anything(&random)
            let readiness = AppReadiness(facts, now: Self.now)
            #expect(readiness.steps.map(\.name) == AppReadiness.StepName.allCases)
            if let next = readiness.nextStep { #expect(next.nextAction != nil, "\(facts)") }
            var open: Set<AppReadiness.StepName> = []
            for step in readiness.steps {
                #expect((step.state == .blocked) == (step.blockedBy != nil))
                #expect(
                    (step.nextAction == nil) == (step.state == .done || step.state == .blocked))
                if let first = step.blockedBy { #expect(open.contains(first), "\(facts)") }
                if step.state != .done { open.insert(step.name) }
            }
        }
    }

    private static func anything(_ random: inout some RandomNumberGenerator) -> ReadinessFacts {
        func flip() -> Bool { Bool.random(using: &random) }
        func count() -> Int { Int.random(in: 0...2, using: &random) }
        func side(_ environment: StoreEnvironment) -> ReadinessFacts.Side {
            var side = ReadinessFacts.Side()
            let access: [ReadinessFacts.Access] = [.unknown, .none, .granted, .granted, .granted]
            side.access = access.randomElement(using: &random) ?? .unknown
            let verdicts: [KeyVerdict?] = [nil, .works, .works, .keyRefused, .noAccess]
            side.check = (verdicts.randomElement(using: &random) ?? nil).map {
                check($0, environment)
            }
            side.standbyCheck = (verdicts.randomElement(using: &random) ?? nil).map {
                check($0, environment)
            }
            (side.content.wanted, side.content.approved) = (count(), count())
            (side.content.pending, side.content.rejected) = (count(), count())
            side.hasEndpoint = flip()
            let urls: [ReadinessFacts.URL] = [.unknown, .none, .current, .former, .foreign]
            side.url = urls.randomElement(using: &random) ?? .none
            side.urlRefusal = flip() ? AppleRefusal(code: nil, at: now) : nil
            return side
        }
        var facts = ReadinessFacts()
        facts.accessRequestedAt = flip() ? now : nil
        (facts.hasKey, facts.hasStandbyKey) = (flip(), flip())
        (facts.sandbox, facts.production) = (side(.sandbox), side(.production))
        facts.testTransactionId = flip() ? "1" : nil
        let tests: [ReadinessFacts.TestProgress?] = [
            nil, .waiting, .atApple, .passed, .failed, .notRun,
        ]
        facts.test = tests.randomElement(using: &random) ?? nil
        facts.passedAt = flip() ? now : nil
        facts.productCount = count()
        (facts.defaultPlaces, facts.defaultsSet, facts.defaultsInForce) = (2, count(), count())
        facts.appStoreConnectLayer =
            AppStoreConnectLayer.allCases.randomElement(using: &random) ?? .none
        return facts
    }

    @Test func `the static layer would do where rules choose nothing per subscriber`() {
        func rules(_ treatments: Treatment...) -> RuleSet {
            RuleSet(
                rules: treatments.map {
                    Rule(id: RuleID(UUID()), name: "r", when: .always, treatment: $0)
                })
        }
        let message = MessageID(UUID())
        #expect(StaticLayer(rules()).suffices)
        #expect(StaticLayer(rules(.fallback)).suffices)
        let offer = Treatment.promotionalOffer(message, productId: "p", offerIdentifier: "o")
        let plan = Treatment.switchPlan(message, productId: "p", billingPlanType: nil)
        for treatment in [.message(message), plan, offer] as [Treatment] {
            #expect(!StaticLayer(rules(.fallback, treatment)).suffices)
        }
        let reason = StaticLayer(rules(offer, plan, plan)).reason
        #expect(reason.contains("2 with a plan switch, 1 with an offer"))
        #expect(!reason.contains("message of their own"))
    }
}
