/// How far `signedDate` of a real-time request may lie from our clock. Apple sets no such window;
/// ours ends the use of recorded bodies.
package struct FreshnessWindow: Sendable {
    package static let ageMillisecondsLimit: Int64 = 5 * 60 * 1_000
    package static let leadMillisecondsLimit: Int64 = 60 * 1_000

    package var ageMilliseconds: Int64
    package var leadMilliseconds: Int64

    package init(
        ageMilliseconds: Int64 = FreshnessWindow.ageMillisecondsLimit,
        leadMilliseconds: Int64 = FreshnessWindow.leadMillisecondsLimit
    ) {
        self.ageMilliseconds = ageMilliseconds
        self.leadMilliseconds = leadMilliseconds
    }

    /// nil when `signedDate` lies inside, both ends included.
    func refusal(
        signedDate: Int64, nowMilliseconds: Int64
    ) -> VerificationError? {
        let (age, overflow) = nowMilliseconds.subtractingReportingOverflow(signedDate)
        if overflow || age > ageMilliseconds {
            return VerificationError(
                .stale, "The request was signed more than \(ageMilliseconds) ms ago.")
        }
        if age < -leadMilliseconds {
            return VerificationError(
                .signedInFuture,
                "The request was signed more than \(leadMilliseconds) ms ahead of our clock.")
        }
        return nil
    }
}
