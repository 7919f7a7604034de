/// What a call of the Retention Messaging API came to: all that whoever plans the next call needs
/// to know. The status decides first, Apple's code second; no text of the answer is looked at.
package enum AppleOutcome: Hashable, Sendable {
    /// Done, or read.
    case ok
    /// What was wanted is so already: uploaded before, or gone before. An upload's identifier is
    /// made from its content, so a conflict on it is our own content.
    case same
    /// Nothing is there to read: no default message, no URL, no such test.
    case absent
    /// No call of this app to this endpoint before then.
    case wait(until: Instant)
    /// This account or app is not admitted to the API.
    case noAccess
    /// The bearer token was refused: key, key id, issuer or bundle id is wrong, or was revoked.
    case keyRefused
    /// Apple's number of images or messages of the app is reached.
    case full
    /// Something must be so first: an approval, a deletion, a passed test.
    case notYet(code: Int)
    /// Refused for what it is; the same call would be refused again. `nil` where Apple gave no
    /// code, as for a redirect, which is never followed.
    case terminal(code: Int?)
    /// It may have been done or not.
    case unknown(Doubt)
    /// Certainly not done: nothing left this machine.
    case notSent(Obstacle)

    package enum Doubt: String, Codable, Hashable, Sendable, CaseIterable {
        /// 5xx.
        case serverError
        case timedOut
        /// The connection ended before the answer did.
        case interrupted
        case responseTooLarge
        /// A success that should say something, and could not be read.
        case unreadableAnswer
        /// Neither Apple's pages nor RFC 9110 say what this status would mean here.
        case unexpectedStatus
    }

    package enum Obstacle: String, Codable, Hashable, Sendable, CaseIterable {
        case connectFailed
        case tls
        case badURL
        /// An identifier that no path can carry, or a control byte in a field.
        case badRequest
        /// A performance test exists in the sandbox alone.
        case sandboxOnly
    }

    /// For counters and records.
    package var name: String {
        switch self {
        case .ok: "ok"
        case .same: "same"
        case .absent: "absent"
        case .wait: "wait"
        case .noAccess: "noAccess"
        case .keyRefused: "keyRefused"
        case .full: "full"
        case .notYet: "notYet"
        case .terminal: "terminal"
        case .unknown: "unknown"
        case .notSent: "notSent"
        }
    }
}

extension AppleOutcome {
    /// - Parameters:
    ///   - errorCode: of a body that is Apple's error object, else nil.
    ///   - retryAfter: the header's value as it came.
    package static func classify(
        endpoint: AppleEndpoint, status: Int, errorCode: Int?, retryAfter: String?, now: Instant
    ) -> AppleOutcome {
        switch status {
        case 200..<300: .ok
        case 300..<400: .terminal(code: nil)
        case 401: .keyRefused
        case 403: forbidden(endpoint, errorCode)
        case 404: notFound(endpoint, errorCode)
        // Said by what stands before Apple's service, about the connection rather than the call.
        case 408, 421, 425: .unknown(.unexpectedStatus)
        case 409:
            endpoint == .uploadImage || endpoint == .uploadMessage
                ? .same : .terminal(code: errorCode)
        case 429: .wait(until: RetryAfter.instant(retryAfter, now: now))
        case 400..<500: .terminal(code: errorCode)
        case 500..<600: .unknown(.serverError)
        default: .unknown(.unexpectedStatus)
        }
    }

    private static func forbidden(_ endpoint: AppleEndpoint, _ errorCode: Int?) -> AppleOutcome {
        switch errorCode.flatMap(AppleErrorCode.init) {
        // Apple's page of Upload Image names both numbers.
        case .maximumNumberOfImagesReached, .maximumNumberOfMessagesReached:
            endpoint == .uploadImage || endpoint == .uploadMessage
                ? .full : .terminal(code: errorCode)
        case .messageNotApproved, .imageNotApproved, .imageInUse, .noPassingTest:
            .notYet(code: errorCode ?? 0)
        default: .terminal(code: errorCode)
        }
    }

    /// Apple answers whoever has no access with a bare 404.
    private static func notFound(_ endpoint: AppleEndpoint, _ errorCode: Int?) -> AppleOutcome {
        guard let errorCode else { return .noAccess }
        switch AppleErrorCode(rawValue: errorCode) {
        case .accountNotFound, .appNotFound: return .noAccess
        case .accountNotFoundRetryable, .appNotFoundRetryable: return .unknown(.serverError)
        default: break
        }
        return switch endpoint {
        case .deleteImage, .deleteMessage, .deleteDefaultMessage, .deleteRealtimeURL: .same
        case .getDefaultMessage, .getRealtimeURL, .getPerformanceTestResults: .absent
        default: .terminal(code: errorCode)
        }
    }
}

/// Apple's `Retry-After` is an absolute UNIX time in milliseconds, RFC 9110's a number of seconds;
/// the size of the number says which it is.
package enum RetryAfter {
    /// Larger numbers are milliseconds since 1970: as seconds they would be past the year 5000.
    package static let leastEpochMilliseconds: Int64 = 100_000_000_000
    /// Larger numbers are seconds since 1970: as a wait they would be 31 years.
    package static let leastEpochSeconds: Int64 = 1_000_000_000
    package static let longestWaitMilliseconds: Int64 = 2 * 3_600_000
    /// Where the header is missing or says nothing.
    package static let usualWaitMilliseconds: Int64 = 60_000
    /// Where it names a time that is over.
    package static let shortestWaitMilliseconds: Int64 = 1_000

    package static func instant(_ header: String?, now: Instant) -> Instant {
        let wait = min(max(wait(header, now), shortestWaitMilliseconds), longestWaitMilliseconds)
        let (sum, isOver) = now.milliseconds.addingReportingOverflow(wait)
        return Instant(milliseconds: isOver ? .max : sum)
    }

    private static func wait(_ header: String?, _ now: Instant) -> Int64 {
        guard let header, !header.isEmpty,
            header.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(header)
        else { return usualWaitMilliseconds }
        if number < leastEpochSeconds { return number * 1_000 }
        let time = number < leastEpochMilliseconds ? number * 1_000 : number
        let (difference, isOver) = time.subtractingReportingOverflow(now.milliseconds)
        return isOver ? longestWaitMilliseconds : difference
    }
}
