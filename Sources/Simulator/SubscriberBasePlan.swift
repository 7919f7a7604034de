/// Customers by the thousand, and how they behave: told, so that what a message really changes is
/// known.
package struct SubscriberBasePlan: Codable, Sendable, Equatable {
    package static let subscribersLimit = 200_000

    package var appAppleId: Int64
    package var environment: Environment
    /// The same plan and answers give the same lives.
    package var seed: UInt64
    package var subscribers: Int
    /// When pages begin to be opened, in milliseconds since 1970. What is older is history.
    package var start: Int64
    package var products: [ProductShare]
    package var places: [PlaceShare]
    /// How long before `start` they bought, evenly; less than nothing is after it.
    package var ageDays: ClosedDays
    /// Of the buyers, where the product has an introductory offer.
    package var trialShare: Double
    /// Whether the developer is told of what was before `start` as well.
    package var tellsHistory: Bool
    /// How likely each is within a month, for each customer.
    package var monthly: Hazards
    /// Of those who open the page: they mean to cancel, and tap. The others only look.
    package var intentShare: Double
    /// Whether one who means to cancel stays, by what is shown.
    package var keep: KeepChances
    /// The same by message identifier, before the kind.
    package var keepByMessage: [String: Double]
    /// Of those who stay at an offer or a switch: they take it. The others stay as they are.
    package var takeShare: Double
    /// Of renewals that failed: they are paid after all.
    package var recoveryShare: Double
    /// What happens within so many minutes is played together.
    package var stepMinutes: Int

    package struct ProductShare: Codable, Sendable, Equatable {
        package var productId: String
        package var billingPlanType: String?
        /// In relation to the others'.
        package var share: Double

        package init(_ productId: String, billingPlanType: String? = nil, share: Double = 1) {
            self.productId = productId
            self.billingPlanType = billingPlanType
            self.share = share
        }
    }

    package struct PlaceShare: Codable, Sendable, Equatable {
        package var storefront: String
        package var locale: String
        package var share: Double

        package init(_ storefront: String, _ locale: String, share: Double = 1) {
            self.storefront = storefront
            self.locale = locale
            self.share = share
        }
    }

    package struct ClosedDays: Codable, Sendable, Equatable {
        package var from: Double
        package var to: Double

        package init(from: Double, to: Double) {
            self.from = from
            self.to = to
        }
    }

    package struct Hazards: Codable, Sendable, Equatable {
        package var view: Double
        package var refund: Double
        package var billingFailure: Double
        /// Of those who have left.
        package var comeBack: Double

        package init(
            view: Double = 0.1, refund: Double = 0, billingFailure: Double = 0,
            comeBack: Double = 0
        ) {
            self.view = view
            self.refund = refund
            self.billingFailure = billingFailure
            self.comeBack = comeBack
        }
    }

    package struct KeepChances: Codable, Sendable, Equatable {
        package var nothing: Double
        /// The default message and the one of App Store Connect; a real-time answer that names the
        /// default message shows the same and counts as one.
        package var fallback: Double
        package var message: Double
        package var switchPlan: Double
        package var promotionalOffer: Double
        package var retentionOffer: Double

        package init(
            nothing: Double = 0, fallback: Double = 0.1, message: Double = 0.15,
            switchPlan: Double = 0.2, promotionalOffer: Double = 0.35,
            retentionOffer: Double = 0.3
        ) {
            self.nothing = nothing
            self.fallback = fallback
            self.message = message
            self.switchPlan = switchPlan
            self.promotionalOffer = promotionalOffer
            self.retentionOffer = retentionOffer
        }

        func chance(_ shown: Shown) -> Double {
            switch shown {
            case .nothing: nothing
            case .fallback: fallback
            case .message: message
            case .switchPlan: switchPlan
            case .promotionalOffer: promotionalOffer
            case .retentionOffer: retentionOffer
            }
        }
    }

    /// What a customer saw, as far as it changes what the customer does.
    package enum Shown: String, Codable, Sendable, CaseIterable {
        case nothing, fallback, message, switchPlan, promotionalOffer, retentionOffer
    }

    package init(
        appAppleId: Int64, environment: Environment, seed: UInt64, subscribers: Int, start: Int64,
        products: [ProductShare], places: [PlaceShare] = [PlaceShare("USA", "en-US")],
        ageDays: ClosedDays = ClosedDays(from: 0, to: 365), trialShare: Double = 0,
        tellsHistory: Bool = false, monthly: Hazards = Hazards(), intentShare: Double = 0.5,
        keep: KeepChances = KeepChances(), keepByMessage: [String: Double] = [:],
        takeShare: Double = 1, recoveryShare: Double = 0.5, stepMinutes: Int = 60
    ) {
        self.appAppleId = appAppleId
        self.environment = environment
        self.seed = seed
        self.subscribers = subscribers
        self.start = start
        self.products = products
        self.places = places
        self.ageDays = ageDays
        self.trialShare = trialShare
        self.tellsHistory = tellsHistory
        self.monthly = monthly
        self.intentShare = intentShare
        self.keep = keep
        self.keepByMessage = keepByMessage
        self.takeShare = takeShare
        self.recoveryShare = recoveryShare
        self.stepMinutes = stepMinutes
    }

    func chance(_ shown: Shown, _ messageIdentifier: String?) -> Double {
        let own = messageIdentifier.flatMap { keepByMessage[$0.lowercased()] }
        return own ?? keep.chance(shown)
    }

    func check(_ catalog: AppCatalog) throws(ControlError) {
        let shares = [trialShare, intentShare, takeShare, recoveryShare, monthly.view]
        let hazards = [monthly.refund, monthly.billingFailure, monthly.comeBack]
        let chances = Shown.allCases.map { keep.chance($0) } + keepByMessage.values
        guard (shares + hazards + chances).allSatisfy({ (0...1).contains($0) }) else {
            throw ControlError(.invalidState, "Shares, hazards and chances are 0 to 1.")
        }
        guard (1...SubscriberBasePlan.subscribersLimit).contains(subscribers),
            (1...1440).contains(stepMinutes), MovableClock.times.contains(start)
        else {
            throw ControlError(
                .invalidState,
                "subscribers is 1 to \(SubscriberBasePlan.subscribersLimit), stepMinutes 1 to "
                    + "1440, start in milliseconds since 1970.")
        }
        guard !products.isEmpty, !places.isEmpty,
            (products.map(\.share) + places.map(\.share)).allSatisfy({ $0 > 0 && $0 < 1e9 }),
            products.allSatisfy({ catalog.product($0.productId) != nil })
        else {
            throw ControlError(
                .invalidState, "Name products of the app and places, with shares above 0.")
        }
        guard ageDays.from <= ageDays.to, (-3650...3650).contains(ageDays.from),
            (-3650...3650).contains(ageDays.to), keepByMessage.keys.allSatisfy({ uuid($0) != nil })
        else {
            throw ControlError(
                .invalidState,
                "ageDays is within ten years, from before to; keepByMessage has UUIDs as keys.")
        }
    }
}

extension SubscriberBasePlan {
    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        func read<Value: Decodable>(_ key: CodingKeys, _ own: Value) throws -> Value {
            try fields.decodeIfPresent(Value.self, forKey: key) ?? own
        }
        let own = SubscriberBasePlan(
            appAppleId: try fields.decode(Int64.self, forKey: .appAppleId),
            environment: try fields.decode(Environment.self, forKey: .environment),
            seed: try fields.decode(UInt64.self, forKey: .seed),
            subscribers: try fields.decode(Int.self, forKey: .subscribers),
            start: try fields.decode(Int64.self, forKey: .start),
            products: try fields.decode([ProductShare].self, forKey: .products))
        self = own
        places = try read(.places, own.places)
        ageDays = try read(.ageDays, own.ageDays)
        trialShare = try read(.trialShare, own.trialShare)
        tellsHistory = try read(.tellsHistory, own.tellsHistory)
        monthly = try read(.monthly, own.monthly)
        intentShare = try read(.intentShare, own.intentShare)
        keep = try read(.keep, own.keep)
        keepByMessage = try read(.keepByMessage, own.keepByMessage)
        takeShare = try read(.takeShare, own.takeShare)
        recoveryShare = try read(.recoveryShare, own.recoveryShare)
        stepMinutes = try read(.stepMinutes, own.stepMinutes)
    }
}
