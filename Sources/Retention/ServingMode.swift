/// How much of the rules may be answered, by the age of what is known.
package enum ServingMode: String, Sendable, CaseIterable {
    case full, noBudgetedOffers, noOffers, defaultOnly, silent
}
