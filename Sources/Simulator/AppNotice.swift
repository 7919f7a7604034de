/// A notification that is about no subscription, on order.
package struct AppNotice: Codable, Sendable, Equatable {
    /// `TEST`, `ONE_TIME_CHARGE`, `EXTERNAL_PURCHASE_TOKEN`, `RESCIND_CONSENT`,
    /// `RENEWAL_EXTENSION` as summary, or one that Apple has not invented yet.
    package var type: String
    package var subtype: String?
    /// Milliseconds since 1970; now where nothing is said.
    package var at: Int64?
    /// Of a charge, and of the summary.
    package var productId: String?
    /// `Consumable` where nothing is said.
    package var productType: String?
    /// The customer, where there is one.
    package var appTransactionId: String?
    /// In milliunits.
    package var price: Int64?
    package var requestIdentifier: String?
    package var storefrontCountryCodes: [String]?
    package var succeededCount: Int64?
    package var failedCount: Int64?

    package init(
        type: String, subtype: String? = nil, at: Int64? = nil, productId: String? = nil,
        productType: String? = nil, appTransactionId: String? = nil, price: Int64? = nil,
        requestIdentifier: String? = nil, storefrontCountryCodes: [String]? = nil,
        succeededCount: Int64? = nil, failedCount: Int64? = nil
    ) {
        self.type = type
        self.subtype = subtype
        self.at = at
        self.productId = productId
        self.productType = productType
        self.appTransactionId = appTransactionId
        self.price = price
        self.requestIdentifier = requestIdentifier
        self.storefrontCountryCodes = storefrontCountryCodes
        self.succeededCount = succeededCount
        self.failedCount = failedCount
    }
}
