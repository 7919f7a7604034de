/// Why an attempt of Apple's performance test failed, in Apple's words. Open, like every enum of
/// Apple's. `SUCCESS` is counted among them.
///
/// Source: developer.apple.com/documentation/retentionmessaging/sendattemptresult
package struct SendAttemptResult: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    package static let success = SendAttemptResult(rawValue: "SUCCESS")

    /// Those that Apple's pages name.
    package static let known = sentences.keys.map(SendAttemptResult.init).sorted {
        $0.rawValue < $1.rawValue
    }

    /// What it means and what to do.
    package var sentence: String {
        Self.sentences[rawValue]
            ?? "Apple names a reason that is not known here; look it up in its list of results."
    }

    private static let sentences = [
        "SUCCESS": "The answer came in time and was one that Apple takes.",
        "TIMED_OUT":
            "The answer came too late; look at the way from Apple to the responder, and at its "
            + "times of answering.",
        "TLS_ISSUE":
            "No TLS connection was made; check the certificate of the real-time URL, its chain "
            + "and its end.",
        "CIRCULAR_REDIRECT":
            "The real-time URL redirects in a circle; set the URL that answers by itself.",
        "NO_RESPONSE":
            "A connection was made and nothing came back; check that the proxy reaches the "
            + "responder.",
        "SOCKET_ISSUE":
            "No connection was made, or it broke; check the host's name, its port and the limit of "
            + "connections at the proxy.",
        "UNSUPPORTED_CHARSET":
            "The answer names a charset that Apple does not read; it is JSON in UTF-8, so see what "
            + "the proxy changes.",
        "INVALID_RESPONSE":
            "The answer is not one that Apple takes; see that the sandbox URL leads to this app "
            + "and that what it names is approved.",
        "PREMATURE_CLOSE":
            "The connection was closed before the answer was whole; check the proxy's timeouts.",
        "UNSUCCESSFUL_HTTP_RESPONSE_CODE":
            "The answer had another status than 200: a fallback is 503, so let a rule or a default "
            + "message answer the tested product, and see that real-time answers are not stopped.",
        "OTHER": "Apple gives no reason; run the test again.",
    ]
}
