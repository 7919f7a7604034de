package import Retention

/// What came of one call of the Retention Messaging API. Nothing in it holds the token.
package struct AppleAnswer: Sendable {
    package let outcome: AppleOutcome
    /// Nil where no answer came.
    package let status: Int?
    /// Apple's `errorCode`.
    package let appleCode: Int?
    /// Apple's `errorMessage`, else the beginning of a refusal's text, else why there was no
    /// answer: printable, bounded, for people.
    package let appleMessage: String?
    /// There whenever the outcome is `ok` and the endpoint tells something.
    package let content: RetentionMessagingContent?
    /// From the call to its end.
    package let duration: Duration

    package init(
        outcome: AppleOutcome, status: Int?, appleCode: Int? = nil, appleMessage: String? = nil,
        content: RetentionMessagingContent? = nil, duration: Duration
    ) {
        self.outcome = outcome
        self.status = status
        self.appleCode = appleCode
        self.appleMessage = appleMessage
        self.content = content
        self.duration = duration
    }

    /// What it means and what to do.
    package var sentence: String {
        AppleErrorWords.sentence(outcome)
            ?? AppleErrorWords.sentence(status: status ?? 0, errorCode: appleCode)
    }
}

/// Without the content: a real-time URL in it is a secret.
extension AppleAnswer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String {
        let told = [status.map { "\($0)" }, appleCode.map { "\($0)" }, appleMessage]
        return (["\(outcome)"] + told.compactMap(\.self)).joined(separator: " ")
    }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
