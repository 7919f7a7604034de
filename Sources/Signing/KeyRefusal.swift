/// Says in a sentence why a key that OpenSSL could read is not the kind we use.
enum KeyRefusal {
    static let p256 = "prime256v1"

    /// nil for a P-256 key.
    static func wrongKind(_ key: KeyHandle) -> SigningError? {
        guard key.isEllipticCurve else {
            return SigningError(
                .keyWrongType, "The key is not an elliptic-curve key; Apple's keys are P-256.")
        }
        let curve = key.curve ?? "an unnamed curve"
        if curve == p256 { return nil }
        return SigningError(
            .keyWrongCurve, "The key lies on \(curve); Apple's keys are P-256 (prime256v1).")
    }
}
