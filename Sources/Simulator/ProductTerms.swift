extension AppState {
    /// What a product costs in one storefront.
    package struct Price: Codable, Sendable, Equatable {
        /// ISO 3166-1 alpha-3.
        package var storefront: String
        /// ISO 4217.
        package var currency: String
        /// Thousandths of the currency, as everywhere at Apple.
        package var milliunits: Int64

        package init(storefront: String, currency: String, milliunits: Int64) {
            self.storefront = storefront
            self.currency = currency
            self.milliunits = milliunits
        }
    }

    /// An offer on a product, of any of Apple's types.
    package struct ProductOffer: Codable, Sendable, Equatable {
        /// 1 introductory, 2 promotional, 3 offer code, 4 win-back, 5 retention.
        package var offerType: Int
        /// An introductory offer has none, the others need it.
        package var offerIdentifier: String?
        /// `FREE_TRIAL`, `PAY_AS_YOU_GO` or `PAY_UP_FRONT`; a free trial where nothing is said.
        package var discountType: String?
        /// How many of the product's periods it lasts; 1 where nothing is said.
        package var periods: Int?
        /// Of the regular price, for each period paid; 50 where nothing is said.
        package var pricePercent: Int?

        package init(
            offerType: Int, offerIdentifier: String? = nil, discountType: String? = nil,
            periods: Int? = nil, pricePercent: Int? = nil
        ) {
            self.offerType = offerType
            self.offerIdentifier = offerIdentifier
            self.discountType = discountType
            self.periods = periods
            self.pricePercent = pricePercent
        }
    }
}

/// What a product costs and how long it lasts, with Apple's defaults of this simulator where the
/// state is silent: a month at 9.99 dollars.
struct ProductTerms: Sendable {
    private static let standardPrice = AppState.Price(
        storefront: "USA", currency: "USD", milliunits: 9_990)
    /// Apple's numbers of the storefronts; one that is not here is left out of documents.
    private static let storefrontIds = [
        "AUS": "143460", "AUT": "143445", "BEL": "143446", "BRA": "143503", "CAN": "143455",
        "CHE": "143459", "CHN": "143465", "DEU": "143443", "ESP": "143454", "FRA": "143442",
        "GBR": "143444", "ITA": "143450", "JPN": "143462", "KOR": "143466", "MEX": "143468",
        "NLD": "143452", "SWE": "143456", "USA": "143441",
    ]

    let product: AppState.Product

    init(_ product: AppState.Product) {
        self.product = product
    }

    var period: SubscriptionPeriod {
        product.period.flatMap { SubscriptionPeriod($0) } ?? .month
    }

    /// 1 is the highest.
    var level: Int { product.level ?? 1 }

    /// Of the storefront, or the first listed where it has none of its own.
    func price(in storefront: String) -> AppState.Price {
        let prices = product.prices ?? []
        return prices.first { $0.storefront == storefront } ?? prices.first
            ?? ProductTerms.standardPrice
    }

    static func storefrontId(_ storefront: String) -> String? { storefrontIds[storefront] }

    func offers(ofType type: Int) -> [AppState.ProductOffer] {
        (product.offers ?? []).filter { $0.offerType == type }
    }

    static let discountTypes = ["FREE_TRIAL", "PAY_AS_YOU_GO", "PAY_UP_FRONT"]

    static func problems(
        of product: AppState.Product, at place: String
    ) -> [ControlError.Problem] {
        var problems: [ControlError.Problem] = []
        if let period = product.period, SubscriptionPeriod(period) == nil {
            problems.append(.init("\(place)/period", "A period is like P1W, P1M or P1Y."))
        }
        if let level = product.level, !(1...100).contains(level) {
            problems.append(.init("\(place)/level", "A level is 1, the highest, to 100."))
        }
        for (index, price) in (product.prices ?? []).enumerated()
        where price.storefront.utf8.count != 3 || price.currency.utf8.count != 3
            || !(0...1_000_000_000_000).contains(price.milliunits)
        {
            problems.append(
                .init(
                    "\(place)/prices/\(index)",
                    "A price has a storefront and a currency of three letters and milliunits."))
        }
        for (index, offer) in (product.offers ?? []).enumerated() where !isWhole(offer) {
            problems.append(
                .init(
                    "\(place)/offers/\(index)",
                    "An offer has type 1 to 5, an identifier unless it is introductory, "
                        + "1 to 36 periods, 0 to 100 percent, and a discount type of Apple's."))
        }
        return problems
    }

    private static func isWhole(_ offer: AppState.ProductOffer) -> Bool {
        (1...5).contains(offer.offerType)
            && (offer.offerIdentifier?.isEmpty ?? true) == (offer.offerType == 1)
            && (1...36).contains(offer.periods ?? 1) && (0...100).contains(offer.pricePercent ?? 0)
            && discountTypes.contains(offer.discountType ?? "FREE_TRIAL")
    }
}
