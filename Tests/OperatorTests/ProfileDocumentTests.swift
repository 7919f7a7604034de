import Retention
import TestSupport
import Testing

/// `docs/profiles.md` tells the numbers that the code writes.
@Suite struct ProfileDocumentTests {
    private static let instant = Instant(milliseconds: 1)

    /// Each part alone in a profile.
    private static var profiles: [String: SubscriberProfile] {
        func with(_ set: (inout SubscriberProfile) -> Void) -> SubscriberProfile {
            var profile = SubscriberProfile()
            set(&profile)
            return profile
        }
        return [
            "subscribedAt": with { $0.subscribedAt = instant },
            "renewsAt": with { $0.renewsAt = instant },
            "lastActiveAt": with { $0.lastActiveAt = instant },
            "paidPeriods": with { $0.paidPeriods = 1 },
            "lifetimeSpend": with {
                $0.lifetimeSpend = .init(amountMilliunits: 1, currency: "USD")
            },
            "storefront": with { $0.storefront = "USA" },
            "billingPlan": with { $0.billingPlan = "MONTHLY" },
            "inTrial": with { $0.inTrial = true },
            "inIntroOffer": with { $0.inIntroOffer = true },
            "inOffer": with { $0.inOffer = true },
            "billingIssue": with { $0.billingIssue = true },
            "pageViews": with { $0.pageViews = 1 }, "refunds": with { $0.refunds = 1 },
            "openRefundRequests": with { $0.openRefundRequests = 1 },
            "cancelReason": with { $0.cancelReason = "price" },
            "clientFact": with {
                $0.clientFacts = [.init(name: "a", value: .flag(true), toldAt: instant)]
            },
        ]
    }

    @Test func `the table of parts is what is written`() throws {
        let text = String(decoding: try PackageRoot.bytes(of: "docs/profiles.md"), as: UTF8.self)
        let rows = text.matches(of: /(?m)^\| ([0-9]+) \| `([A-Za-z]+)` \|/).map {
            (name: String($0.output.2), number: UInt8($0.output.1))
        }
        let told = Dictionary(rows.map { ($0.name, $0.number) }) { first, _ in first }
        #expect(told.count == rows.count)
        #expect(Set(told.keys) == Set(Self.profiles.keys))
        for (name, profile) in Self.profiles {
            let body = profile.encoded()
            #expect(body.count > 4 && body[1] == told[name], "\(name)")
        }
    }
}
