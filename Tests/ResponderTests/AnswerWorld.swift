import Foundation
import Retention

/// The ground truth of `Tests/Conformance/decisions.py`, as far as it is loaded.
struct AnswerWorld: Decodable {
    struct Tenant: Decodable {
        let id: TenantID
        let client: ClientID
        let name: String
    }

    struct Chain: Decodable {
        let rootPEM: String
    }

    struct Key: Decodable {
        let id: CredentialID
        let keyId: String
        let issuerId: String
        let privateKeyPEM: String
    }

    struct Message: Decodable {
        let id: MessageID
        let name: String
        let kind: MessageKind
        let locales: [String]
    }

    struct ConnectMessage: Decodable {
        let messageIdentifier: UUID
        let name: String
        let isConfirmed: Bool
    }

    struct Default: Decodable {
        let productId: String
        let locale: String
        let messageId: MessageID
    }

    struct Spent: Decodable {
        let month: String
        let currency: String
        let spentMilliunits: Int64
    }

    struct Placement: Codable {
        let messageId: MessageID
        let locale: String
        let messageIdentifier: UUID
    }

    /// A message or an image as Apple has it.
    struct AppleObject: Codable {
        let messageIdentifier: UUID
        let kind: String
        let state: String
        let presence: String
        let images: [UUID]
        let isSuperseded: Bool
    }

    struct Place: Decodable {
        let ruleSet: Int32
        let objects: [AppleObject]
        let placements: [Placement]
        /// What was served before, and is no more.
        let former: [Placement]
        let defaults: [Default]
        let spent: [Spent]
        let subscribers: [WorldSubscriber]
    }

    struct App: Decodable {
        let tenant: TenantID
        let client: ClientID
        let id: AppID
        let name: String
        let bundleId: String
        let appAppleId: Int64
        let defaultLocale: String
        let timeZone: String
        let isStopped: Bool
        let key: Key?
        let products: [Product]
        let offers: [Offer]
        let messages: [Message]
        let connectMessages: [ConnectMessage]
        let ruleSets: [RuleSet]
        /// Of which the first arm never got its buckets.
        let withoutBuckets: [ExperimentID]
        let environments: [String: Place]
    }

    let instants: [Instant]
    let chain: Chain
    let tenants: [Tenant]
    let apps: [App]
}

/// What is known of somebody, in the words of the ground truth.
struct WorldSubscriber: Decodable {
    struct Money: Decodable {
        let amountMilliunits: Int64
        let currency: String
    }

    struct Counters: Decodable {
        let offersTaken: Int32
        let lastOfferAt: Instant?
        let escalationLevel: Int32
    }

    struct ClientFact: Decodable {
        let name: String
        let value: FactValue
        let toldAt: Instant

        private enum CodingKeys: String, CodingKey {
            case name, value, toldAt
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            name = try container.decode(String.self, forKey: .name)
            toldAt = try container.decode(Instant.self, forKey: .toldAt)
            if let flag = try? container.decode(Bool.self, forKey: .value) {
                value = .flag(flag)
            } else if let number = try? container.decode(Int64.self, forKey: .value) {
                value = .number(number)
            } else {
                value = .text(try container.decode(String.self, forKey: .value))
            }
        }
    }

    struct Profile: Decodable {
        let subscribedAt: Instant?
        let renewsAt: Instant?
        let lastActiveAt: Instant?
        let paidPeriods: Int64?
        let lifetimeSpend: Money?
        let storefront: String?
        let billingPlan: String?
        let inTrial: Bool?
        let inIntroOffer: Bool?
        let inOffer: Bool?
        let billingIssue: Bool?
        let pageViews: Int64?
        let refunds: Int64?
        let openRefundRequests: Int64?
        let cancelReason: String?
        let clientFacts: [ClientFact]
    }

    let originalTransactionId: String
    let profile: Profile?
    let asOf: Instant?
    let counters: Counters?
}

extension SubscriberProfile {
    init(_ known: WorldSubscriber.Profile) {
        self.init()
        subscribedAt = known.subscribedAt
        renewsAt = known.renewsAt
        lastActiveAt = known.lastActiveAt
        paidPeriods = known.paidPeriods
        lifetimeSpend = known.lifetimeSpend.map {
            Money(amountMilliunits: $0.amountMilliunits, currency: $0.currency)
        }
        storefront = known.storefront
        billingPlan = known.billingPlan
        inTrial = known.inTrial
        inIntroOffer = known.inIntroOffer
        inOffer = known.inOffer
        billingIssue = known.billingIssue
        pageViews = known.pageViews
        refunds = known.refunds
        openRefundRequests = known.openRefundRequests
        cancelReason = known.cancelReason
        clientFacts = known.clientFacts.map {
            ClientFact(name: $0.name, value: $0.value, toldAt: $0.toldAt)
        }
    }
}
