/// What a subscriber was given so far: what the limits on offers are held against.
package struct GovernorCounters: Equatable, Sendable {
    package let offersTaken: Int32
    package let lastOfferAt: Instant?
    package let escalationLevel: Int32

    package static let zero = GovernorCounters(
        offersTaken: 0, lastOfferAt: nil, escalationLevel: 0)

    package init(offersTaken: Int32, lastOfferAt: Instant?, escalationLevel: Int32) {
        self.offersTaken = offersTaken
        self.lastOfferAt = lastOfferAt
        self.escalationLevel = escalationLevel
    }
}
