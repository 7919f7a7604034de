import FoundationEssentials
import Retention
import TestSupport
import Testing

@Suite struct ProfileCodingTests {
    private static var full: SubscriberProfile {
        var profile = SubscriberProfile()
        profile.subscribedAt = Instant(milliseconds: 1)
        profile.renewsAt = Instant(milliseconds: .max)
        profile.lastActiveAt = Instant(milliseconds: .min)
        profile.paidPeriods = 12
        profile.lifetimeSpend = .init(amountMilliunits: -5, currency: "EUR")
        (profile.storefront, profile.billingPlan) = ("DEU", "BILLED_UPFRONT")
        (profile.inTrial, profile.inIntroOffer) = (false, true)
        (profile.inOffer, profile.billingIssue) = (true, false)
        (profile.pageViews, profile.refunds, profile.openRefundRequests) = (0, 1, 2)
        profile.cancelReason = "zu teuer 💸"
        profile.clientFacts = [
            .init(name: "appVersion", value: .text("2.1"), toldAt: Instant(milliseconds: 7)),
            .init(name: "seats", value: .number(-9), toldAt: Instant(milliseconds: 8)),
            .init(name: "vip", value: .flag(true), toldAt: Instant(milliseconds: 9)),
        ]
        return profile
    }

    @Test func `a profile comes back as it was, part by part`() {
        for profile in [Self.full, SubscriberProfile()] {
            #expect(SubscriberProfile(body: profile.encoded()) == profile)
        }
        #expect(SubscriberProfile().encoded().count == 1)
        #expect(Self.full.encoded().count < 300)
    }

    @Test func `no bytes crash the reader, and a cut one is none`() {
        let body = Self.full.encoded()
        for end in body.indices.dropFirst() where end < body.count {
            // A cut at a part's end is a smaller profile; any other is none.
            if let part = SubscriberProfile(body: Array(body[..<end])) {
                #expect(part.encoded().count == end)
            }
        }
        var dice = SeededNumbers(seed: 20_261_130)
        for _ in 0..<20_000 {
            var bytes = body
            for _ in 0..<Int.random(in: 1...4, using: &dice) {
                bytes[Int.random(in: bytes.indices, using: &dice)] = .random(
                    in: 0...255, using: &dice)
            }
            _ = SubscriberProfile(body: bytes)
            _ = RecordedInputs(bytes)
        }
        #expect(SubscriberProfile(body: []) == nil)
        #expect(SubscriberProfile(body: [2]) == nil)
        #expect(SubscriberProfile(body: [UInt8](repeating: 1, count: 1_025)) == nil)
    }

    @Test func `a part of a newer writer is skipped, not a reason to know nothing`() {
        var writer = CompactWriter()
        writer.append(UInt8(200))
        writer.append(bytes: [1, 2, 3])
        #expect(SubscriberProfile(body: Self.full.encoded() + writer.bytes) == Self.full)
    }

    /// A build that reads the part explains by it later.
    @Test func `with a decision is kept what was read, parts of a newer writer too`() throws {
        var writer = CompactWriter()
        writer.append(UInt8(200))
        writer.append(bytes: [1, 2, 3])
        let body = Self.full.encoded() + writer.bytes
        let kept = try #require(KeptProfile(body: body))
        let inputs = RecordedInputs(
            subscriber: .known(kept, asOf: nil, .zero), budget: .unknown, mode: .full,
            canSignOffers: true)
        let read = try #require(RecordedInputs(inputs.encoded()))
        #expect(read == inputs)
        guard case .known(let again?, _, _) = read.subscriber else {
            Issue.record("no profile was kept")
            return
        }
        #expect(again.body == body)
        #expect(again.profile == Self.full)
    }

    @Test func `what is too long is left out, never cut`() {
        var profile = SubscriberProfile()
        profile.cancelReason = String(repeating: "x", count: 65)
        profile.storefront = "DEU"
        profile.clientFacts = (0..<40).map { number in
            .init(
                name: "fact\(number)", value: .text(String(repeating: "é", count: 32)),
                toldAt: Instant(milliseconds: 0))
        }
        let body = profile.encoded()
        #expect(SubscriberProfile.bodyBytes.contains(body.count))
        let read = SubscriberProfile(body: body)
        #expect(read?.cancelReason == nil)
        #expect(read?.storefront == "DEU")
        #expect(
            read?.clientFacts == Array(profile.clientFacts.prefix(read?.clientFacts.count ?? 0)))
        #expect((read?.clientFacts.count ?? 0) > 5)
    }

    @Test func `what a decision was taken from comes back as it was`() {
        let counters = GovernorCounters(
            offersTaken: 3, lastOfferAt: Instant(milliseconds: 5), escalationLevel: 1)
        let subscribers: [KnownSubscriber] = [
            .notNeeded, .unavailable, .absent, .known(nil, asOf: nil, .zero),
            .known(KeptProfile(Self.full), asOf: Instant(milliseconds: 4), counters),
        ]
        let budgets: [BudgetReading] = [
            .unknown, .nothing, .spent(milliunits: .max, currency: "JPY"),
        ]
        for subscriber in subscribers {
            for budget in budgets {
                for mode in ServingMode.allCases {
                    let inputs = RecordedInputs(
                        subscriber: subscriber, budget: budget, mode: mode, canSignOffers: true)
                    #expect(inputs.encoded().count <= RecordedInputs.bytesLimit)
                    #expect(RecordedInputs(inputs.encoded()) == inputs)
                    #expect(RecordedInputs(inputs.withoutOffers.encoded())?.canSignOffers == false)
                    #expect(RecordedInputs(inputs.encoded().dropLast()) == nil)
                }
            }
        }
    }
}
