/// What a subscriber has had of offers: counted when taken, never when asked for, since Apple asks
/// at every view and its performance test asks very often for one transaction.
package struct GovernorCounters: Equatable, Sendable {
    package let offersTaken: Int32
    package let lastOfferAt: Instant?
    /// How many steps of an escalation did not keep the subscriber.
    package let escalationLevel: Int32

    package static let zero = GovernorCounters(
        offersTaken: 0, lastOfferAt: nil, escalationLevel: 0)

    package init(offersTaken: Int32, lastOfferAt: Instant?, escalationLevel: Int32) {
        self.offersTaken = offersTaken
        self.lastOfferAt = lastOfferAt
        self.escalationLevel = escalationLevel
    }
}
