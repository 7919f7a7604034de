/// The offer that a transaction or a renewal speaks of, in Apple's members `offerType`,
/// `offerIdentifier`, `offerDiscountType` and `offerPeriod`.
package struct OfferMark: Equatable, Sendable {
    package let type: OfferType?
    /// All types but the introductory one have it.
    package let identifier: String?
    package let discountType: OfferDiscountType?
    /// ISO 8601: periods times their length, `P3M`.
    package let period: String?

    package init(
        type: OfferType?, identifier: String?, discountType: OfferDiscountType?, period: String?
    ) {
        self.type = type
        self.identifier = identifier
        self.discountType = discountType
        self.period = period
    }

    /// Of the same type and identifier. Two marks without a type are of no offer.
    package func isSameOffer(as other: OfferMark?) -> Bool {
        guard let other, let type, type == other.type else { return false }
        return isSame(identifier, other.identifier)
    }
}
