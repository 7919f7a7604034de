/// What Apple's refusals mean and what to do, a sentence each: for people, who know neither Apple's
/// numbers nor its names.
package enum AppleErrorWords {
    /// Of an answer: Apple's code says most, else the status does.
    package static func sentence(status: Int, errorCode: Int?) -> String {
        if let known = errorCode.flatMap(AppleErrorCode.init) { return known.sentence }
        guard let errorCode, (400..<500).contains(status), status != 401, status != 429 else {
            return sentence(status: status)
        }
        return "Apple refused the call with status \(status) and the code \(errorCode), which is "
            + "not known here; look it up in Apple's list of error codes."
    }

    /// Of an answer without a code of Apple's.
    private static func sentence(status: Int) -> String {
        switch status {
        case 200..<300: "Apple took the call; nothing is to be done."
        case 300..<400:
            "Apple's host answered with a redirect, which is not followed, so that the token goes "
                + "nowhere else; check the host that is configured."
        case 401:
            "Apple refused the key: check key id, issuer id and bundle id, and that the In-App "
                + "Purchase key was not revoked in App Store Connect."
        case 404:
            "This account or app has no access to the Retention Messaging API; ask Apple for it, "
                + "and check the bundle id."
        case 429:
            "Apple's hourly limit of calls is reached; the call is made again at the time that "
                + "Apple names."
        case 500..<600:
            "Apple is out of order for the moment; the call is tried again."
        default:
            "Apple refused the call with status \(status) and without a code; read its text."
        }
    }

    /// Of an outcome for which no answer came or could be read; nil for the others.
    package static func sentence(_ outcome: AppleOutcome) -> String? {
        switch outcome {
        case .unknown(let doubt): sentence(doubt)
        case .notSent(let obstacle): sentence(obstacle)
        default: nil
        }
    }

    private static func sentence(_ doubt: AppleOutcome.Doubt) -> String {
        switch doubt {
        case .serverError: "Apple is out of order for the moment; the call is tried again."
        case .timedOut:
            "Apple gave no answer in time; whether the call was done is looked up before it is "
                + "made again."
        case .interrupted:
            "The connection to Apple ended before the answer did; whether the call was done is "
                + "looked up before it is made again."
        case .responseTooLarge:
            "Apple's answer is larger than is read here; if this stays so, report it."
        case .unreadableAnswer:
            "Apple's answer could not be read; the call is tried again, and if this stays so, "
                + "report it."
        case .unexpectedStatus:
            "Apple's host gave an answer that means nothing here; the call is tried again."
        }
    }

    private static func sentence(_ obstacle: AppleOutcome.Obstacle) -> String {
        switch obstacle {
        case .connectFailed:
            "Apple's host could not be reached; check the network and the host's name."
        case .tls:
            "Apple's host did not prove its name; check the clock, the certificate authorities, "
                + "and what stands between here and Apple."
        case .badURL: "The host that is configured makes no URL; correct it."
        case .badRequest:
            "An identifier of this call cannot be sent: it is empty, a path of dots, or has a "
                + "control character; correct it."
        case .sandboxOnly: "A performance test runs in the sandbox alone; run it there."
        }
    }
}
