package import Retention

/// What a call of Apple's API shows to be let in: a JWT of one app. Whoever has it may act for the
/// app until its end, so it is never printed.
package struct BearerToken: Hashable, Sendable {
    /// The compact JWT.
    package let secretText: String
    package let expiry: Instant

    package init(secretText: String, expiry: Instant) {
        self.secretText = secretText
        self.expiry = expiry
    }

    /// The value of the field `Authorization`.
    package var authorization: String { "Bearer \(secretText)" }
}

extension BearerToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "BearerToken(expiry: \(expiry.milliseconds))" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: ["expiry": expiry]) }
}
