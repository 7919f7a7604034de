internal import Retention
internal import RetentionStore

/// What an app's offers cost against the regular price, as far as catalogue and profile say.
struct OfferPrices {
    /// Rows read from the database at once.
    private static let pageRows: Int32 = 500

    private struct Name: Hashable {
        let productId: [UInt8]
        let offerIdentifier: [UInt8]

        init(_ productId: String, _ offerIdentifier: String) {
            self.productId = Array(productId.utf8)
            self.offerIdentifier = Array(offerIdentifier.utf8)
        }
    }

    private var products: [[UInt8]: StoredProduct] = [:]
    private var offers: [Name: OfferTerms] = [:]

    init(_ transaction: TenantTransaction, of app: AppID) throws {
        var last: StoredProduct?
        while true {
            let page = try transaction.listProducts(
                of: app, after: last?.product.productId, limit: Self.pageRows)
            for product in page {
                products[Array(product.product.productId.utf8)] = product
                try readOffers(of: product.product.productId, transaction, app)
            }
            guard page.count == Int(Self.pageRows), let end = page.last else { return }
            last = end
        }
    }

    private mutating func readOffers(
        of product: String, _ transaction: TenantTransaction, _ app: AppID
    ) throws {
        var last: StoredOffer?
        while true {
            let page = try transaction.listOffers(
                ofProduct: product, app: app, after: last?.offer.offerIdentifier,
                limit: Self.pageRows)
            for stored in page {
                offers[Name(product, stored.offer.offerIdentifier)] = stored.terms
            }
            guard page.count == Int(Self.pageRows), let end = page.last else { return }
            last = end
        }
    }

    /// The regular price of all periods of the offer less what the offer asks, in thousandths of
    /// the currency; `nil` where any of it is not known.
    func discount(
        productId: String, offerIdentifier: String, storefront: String?, billingPlan: String?
    ) -> (amountMilliunits: Int64, currency: String)? {
        guard let storefront, let stored = products[Array(productId.utf8)],
            let terms = offers[Name(productId, offerIdentifier)],
            let regular = Self.regularPrice(of: stored, storefront, billingPlan),
            let offered = OfferedSpan(terms),
            let periods = offered.periods(of: regular.period)
        else { return nil }
        let (full, overflow) = regular.price.amountMilliunits.multipliedReportingOverflow(
            by: periods)
        guard !overflow,
            let asked = Self.asked(terms, storefront, currency: regular.price.currency)
        else { return nil }
        return (max(0, full - asked), regular.price.currency)
    }

    private static func regularPrice(
        of stored: StoredProduct, _ storefront: String, _ billingPlan: String?
    ) -> (price: Price, period: String)? {
        let ofStorefront = stored.prices.filter {
            $0.price.storefront.utf8.elementsEqual(storefront.utf8)
        }
        let fitting =
            billingPlan.map { plan in
                ofStorefront.filter { $0.plan.rawValue.utf8.elementsEqual(plan.utf8) }
            } ?? ofStorefront
        // Of several plans it is not known which one the subscriber has.
        guard fitting.count == 1, let found = fitting.first else { return nil }
        let isMonthly = found.plan == .monthly
        return (found.price, isMonthly ? "P1M" : stored.product.period)
    }

    /// What the subscriber pays during the offer.
    private static func asked(
        _ terms: OfferTerms, _ storefront: String, currency: String
    ) -> Int64? {
        if terms.offerMode == "FREE_TRIAL" { return 0 }
        let price = terms.prices.first {
            $0.storefront.utf8.elementsEqual(storefront.utf8)
                && $0.currency.utf8.elementsEqual(currency.utf8)
        }
        guard let price else { return nil }
        switch terms.offerMode {
        case "PAY_UP_FRONT": return price.amountMilliunits
        case "PAY_AS_YOU_GO":
            let (whole, overflow) = price.amountMilliunits.multipliedReportingOverflow(
                by: Int64(terms.periodCount ?? 1))
            return overflow ? nil : whole
        default: return nil
        }
    }
}

/// How long an offer lasts, in days or in months.
private struct OfferedSpan {
    private let units: Int64
    private let isMonths: Bool

    init?(_ terms: OfferTerms) {
        guard let period = terms.period, let span = Self.span(period) else { return nil }
        let (units, overflow) = span.units.multipliedReportingOverflow(
            by: Int64(terms.periodCount ?? 1))
        guard !overflow else { return nil }
        self.units = units
        isMonths = span.isMonths
    }

    /// How many whole periods of the product it covers; `nil` for a part of one.
    func periods(of period: String) -> Int64? {
        guard let one = Self.span(period), one.isMonths == isMonths, units >= one.units,
            units % one.units == 0
        else { return nil }
        return units / one.units
    }

    /// An ISO 8601 duration of one number. Months have no number of days.
    private static func span(_ period: String) -> (units: Int64, isMonths: Bool)? {
        guard period.utf8.first == UInt8(ascii: "P"),
            let number = Int64(period.dropFirst().dropLast()), (1...99).contains(number)
        else { return nil }
        switch period.utf8.last {
        case UInt8(ascii: "D"): return (number, false)
        case UInt8(ascii: "W"): return (number * 7, false)
        case UInt8(ascii: "M"): return (number, true)
        case UInt8(ascii: "Y"): return (number * 12, true)
        default: return nil
        }
    }
}

/// What discounts would cost, by currency.
struct DiscountCost {
    private var sums: [String: (amount: Int64, count: Int64)] = [:]
    private var unknown: Int64 = 0

    /// - Parameter discount: `nil` for one that cannot be reckoned.
    mutating func add(_ discount: (amountMilliunits: Int64, currency: String)?) {
        guard let discount else {
            unknown += 1
            return
        }
        let former = sums[discount.currency] ?? (0, 0)
        let (sum, overflow) = former.amount.addingReportingOverflow(discount.amountMilliunits)
        guard !overflow else {
            unknown += 1
            return
        }
        sums[discount.currency] = (sum, former.count + 1)
    }

    var form: JSONTree {
        [
            "byCurrency": .array(
                sums.sorted { $0.key < $1.key }.map { currency, sum in
                    [
                        "currency": .string(currency), "amountMilliunits": .integer(sum.amount),
                        "offers": .integer(sum.count),
                    ]
                }),
            "unknownOffers": .integer(unknown),
        ]
    }
}
