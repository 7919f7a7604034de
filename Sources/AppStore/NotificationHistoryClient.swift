package import HTTPClient
package import Retention

/// Asks Apple for the notifications it sent, or tried to send, to an app: one page, one exchange.
/// It repeats nothing and waits for nobody's permission; whoever reads page after page keeps to
/// Apple's limits.
///
/// What it hands out is signed and not verified: see `SignedDataVerifier.notification`.
///
/// Apple's page: appstoreserverapi/get-notification-history
package final class NotificationHistoryClient: Sendable {
    /// Twenty notifications, each far larger than Apple's are.
    package static let responseBytesLimit = 8_000_000
    private static let path = "/inApps/v1/notifications/history"

    private let hosts: AppleHosts
    private let transport: Transport
    private let now: @Sendable () -> Instant

    package static var settings: TransportSettings {
        .apple(responseBytesLimit: responseBytesLimit)
    }

    package init(
        hosts: AppleHosts = .apple,
        settings: TransportSettings = NotificationHistoryClient.settings,
        now: @escaping @Sendable () -> Instant
    ) {
        self.hosts = hosts
        transport = Transport(settings)
        self.now = now
    }

    /// Blocks the calling thread for the total timeout at most.
    ///
    /// - Parameter paginationToken: Apple's, of the page before; the question is the same for each.
    package func page(
        _ question: NotificationHistoryQuestion, after paginationToken: String? = nil,
        in environment: StoreEnvironment, with token: BearerToken
    ) -> NotificationHistoryAnswer {
        var url = hosts.base(environment) + Self.path
        if let paginationToken {
            guard let encoded = PathSegment.encode(paginationToken) else {
                return NotificationHistoryAnswer(.beginAnew)
            }
            url += "?paginationToken=" + encoded
        }
        let request = ClientRequest(
            method: "POST", url: url,
            headers: [
                ("Authorization", token.authorization), ("Accept", "application/json"),
                ("Content-Type", "application/json"),
            ], body: question.json, isRepeatable: true)
        do {
            return answer(try transport.send(request), token)
        } catch {
            return NotificationHistoryAnswer(
                .failed(AppleOutcome(error)), appleMessage: error.message)
        }
    }

    private func answer(
        _ response: ClientResponse, _ token: BearerToken
    ) -> NotificationHistoryAnswer {
        guard !(200..<300).contains(response.status) else {
            let page = NotificationHistoryPage(body: response.body)
            return NotificationHistoryAnswer(
                page.map(NotificationHistoryAnswer.Result.page)
                    ?? .failed(.unknown(.unreadableAnswer)), status: response.status)
        }
        let refusal = AppleRefusal(response.body)
        return NotificationHistoryAnswer(
            result(response.status, refusal?.code, retryAfter: response.header("Retry-After")),
            status: response.status, appleCode: refusal?.code,
            appleMessage: AppleExcerpt.make(
                refusal?.message ?? response.body[...], hiding: [token.secretText]))
    }

    private func result(
        _ status: Int, _ code: Int?, retryAfter: String?
    ) -> NotificationHistoryAnswer.Result {
        switch (status, code) {
        case (401, _): .failed(.keyRefused)
        case (429, _): .failed(.wait(until: RetryAfter.instant(retryAfter, now: now())))
        case (400, Self.invalidPaginationToken), (400, Self.paginationTokenExpired): .beginAnew
        case (404, nil), (404, AppleErrorCode.accountNotFound.rawValue),
            (404, AppleErrorCode.appNotFound.rawValue):
            .failed(.noAccess)
        case (404, AppleErrorCode.accountNotFoundRetryable.rawValue),
            (404, AppleErrorCode.appNotFoundRetryable.rawValue), (500..<600, _):
            .failed(.unknown(.serverError))
        case (408, _), (421, _), (425, _): .failed(.unknown(.unexpectedStatus))
        case (300..<400, _): .failed(.terminal(code: nil))
        case (400..<500, _): .failed(.terminal(code: code))
        default: .failed(.unknown(.unexpectedStatus))
        }
    }

    /// Apple's page: appstoreserverapi/error-codes
    private static let invalidPaginationToken = 4_000_014
    private static let paginationTokenExpired = 4_000_017
}

/// Which notifications are asked for: those signed from `from` on and before `to`.
package struct NotificationHistoryQuestion: Hashable, Sendable {
    /// At most one of them may be given to Apple.
    package enum Filter: Hashable, Sendable {
        case none
        /// Any transaction of the subscriber.
        case transaction(String)
        case type(String, subtype: String?)
    }

    package let from: Instant
    package let to: Instant
    package var filter = Filter.none
    /// Those that never got a 2xx.
    package var onlyFailures = false

    package init(from: Instant, to: Instant) {
        self.from = from
        self.to = to
    }

    /// How far back Apple's history reaches.
    package static func reach(in environment: StoreEnvironment) -> Duration {
        switch environment {
        case .production: .seconds(180 * 86_400)
        case .sandbox: .seconds(30 * 86_400)
        }
    }

    var json: [UInt8] {
        var text = JSONText()
        text.add("startDate", from.milliseconds)
        text.add("endDate", to.milliseconds)
        switch filter {
        case .none: break
        case .transaction(let id): text.add("transactionId", id)
        case .type(let type, let subtype):
            text.add("notificationType", type)
            if let subtype { text.add("notificationSubtype", subtype) }
        }
        if onlyFailures { text.add("onlyFailures", true) }
        return text.closed()
    }
}

/// What became of asking for one page. Nothing in it holds the token.
package struct NotificationHistoryAnswer: Sendable {
    package enum Result: Sendable {
        case page(NotificationHistoryPage)
        /// Apple does not know the pagination token any more: the question is asked from its first
        /// page.
        case beginAnew
        case failed(AppleOutcome)
    }

    package let result: Result
    /// Nil where no answer came.
    package let status: Int?
    package let appleCode: Int?
    /// For people: Apple's `errorMessage`, or why there was no answer.
    package let appleMessage: String?

    init(
        _ result: Result, status: Int? = nil, appleCode: Int? = nil, appleMessage: String? = nil
    ) {
        self.result = result
        self.status = status
        self.appleCode = appleCode
        self.appleMessage = appleMessage
    }
}

/// Up to twenty notifications.
package struct NotificationHistoryPage: Sendable {
    package struct Entry: Hashable, Sendable {
        /// As it was when it was sent first; a compact JWS, not verified.
        package let signedPayload: [UInt8]
        /// Six at most.
        package let sendAttempts: [SendAttempt]

        /// Whether Apple got a 2xx for it.
        package var wasTaken: Bool { sendAttempts.contains { $0.result == .success } }
    }

    package struct SendAttempt: Hashable, Sendable {
        package let date: Instant
        package let result: SendAttemptResult
    }

    package let entries: [Entry]
    /// Entries that cannot be read.
    package let skipped: Int
    /// Of the next page; nil behind the last one.
    package let paginationToken: String?

    /// Nil for what is no page. One odd entry costs itself alone.
    init?(body: [UInt8]) {
        guard let object = try? JSONObject(body), object["errorCode"] == nil else { return nil }
        let values: [JSONValue]
        switch object.present("notificationHistory") {
        case .array(let listed)?: values = listed
        case nil: values = []
        default: return nil
        }
        entries = values.compactMap { JSONObject($0).flatMap(Self.entry) }
        skipped = values.count - entries.count
        guard case .boolean(true)? = object["hasMore"] else {
            paginationToken = nil
            return
        }
        // Without one the rest could never be read: better asked again than believed complete.
        guard let token = object.string("paginationToken"), !token.isEmpty else { return nil }
        paginationToken = String(decoding: token, as: UTF8.self)
    }

    private static func entry(_ object: JSONObject) -> Entry? {
        guard let payload = object.string("signedPayload") else { return nil }
        var attempts: [SendAttempt] = []
        if case .array(let values)? = object["sendAttempts"] {
            attempts = values.compactMap { JSONObject($0).flatMap(attempt) }
        }
        return Entry(signedPayload: Array(payload), sendAttempts: attempts)
    }

    private static func attempt(_ object: JSONObject) -> SendAttempt? {
        guard let date = object.integer("attemptDate"),
            let result = object.string("sendAttemptResult")
        else { return nil }
        return SendAttempt(
            date: Instant(milliseconds: date),
            result: SendAttemptResult(rawValue: String(decoding: result, as: UTF8.self)))
    }
}
