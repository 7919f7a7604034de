internal import FoundationEssentials

/// What `openssl speed ecdsap256` reaches on one core: the bound that no responder passes, since
/// each answer needs one check of a signature, and with an offer one signature besides.
package struct OpenSSLSpeed: Sendable, Equatable {
    package let signaturesPerSecond: Double
    package let verificationsPerSecond: Double

    package init(signaturesPerSecond: Double, verificationsPerSecond: Double) {
        self.signaturesPerSecond = signaturesPerSecond
        self.verificationsPerSecond = verificationsPerSecond
    }

    /// Answers with a freshly signed offer that one core could give if it did nothing else.
    package var offersPerSecond: Double {
        1 / (1 / verificationsPerSecond + 1 / signaturesPerSecond)
    }

    /// Of the table that the program prints; its last two columns are signatures and verifications
    /// a second.
    package init?(output: String) {
        let line = output.split(separator: "\n").last { $0.contains("ecdsa (nistp256)") }
        let columns = line?.split(separator: " ") ?? []
        guard columns.count >= 2, let sign = Double(columns[columns.count - 2]),
            let verify = Double(columns[columns.count - 1]), sign > 0, verify > 0
        else { return nil }
        self.init(signaturesPerSecond: sign, verificationsPerSecond: verify)
    }

    static func mean(_ one: OpenSSLSpeed, _ other: OpenSSLSpeed) -> OpenSSLSpeed {
        OpenSSLSpeed(
            signaturesPerSecond: (one.signaturesPerSecond + other.signaturesPerSecond) / 2,
            verificationsPerSecond: (one.verificationsPerSecond + other.verificationsPerSecond) / 2)
    }
}
