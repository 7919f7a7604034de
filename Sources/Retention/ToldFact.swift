/// What the app's own server told of a subscriber, until it expires.
package struct ToldFact: Equatable, Sendable {
    /// Built in, and a part of the profile of its own.
    package static let cancelReasonName = "cancelReason"
    /// Built in; it decides on replies to Apple and is nothing that a rule asks.
    package static let consentName = "consent"

    package let name: String
    package let value: FactValue
    package let observedAt: Instant
    /// From then on it is as if it had not been told.
    package let expiresAt: Instant?

    package init(name: String, value: FactValue, observedAt: Instant, expiresAt: Instant?) {
        self.name = name
        self.value = value
        self.observedAt = observedAt
        self.expiresAt = expiresAt
    }

    func holds(at now: Instant) -> Bool { expiresAt.map { now < $0 } ?? true }
}
