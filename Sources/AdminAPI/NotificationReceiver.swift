package import AppStore
package import HTTPServer
internal import Postgres
internal import Retention
package import RetentionStore
package import Service
internal import Synchronization

/// `POST /notifications/{token}`: takes what the App Store tells of subscriptions.
///
///     token ── whose? ── verified: outer, inner, app, environment ── one insert, committed ── 200
///        └ nobody's: 404      └ forged, or not for this URL: 401       └ our own fault: 503
///
/// Nothing is done with it here: whoever folds notifications finds it in the inbox. So an answer
/// waits for one look-up and one insert, and Apple, which asks again for anything but a 2xx, never
/// has to ask twice for what is kept: a repeat finds its row.
package final class NotificationReceiver: Sendable {
    package static let path = "/notifications/{token}"
    package static let bodyBytesLimit = SignedDataVerifier.notificationBytesLimit

    private let store: RetentionStore
    private let verifier: SignedDataVerifier
    private let clock: Clock
    private let log: Log
    private let metrics: NotificationMetrics
    private let routes: RouteTable<Void>
    /// Whether some were not taken since Apple's history was last to be looked into.
    private let hasMissed: Atomic<Bool>

    /// - Parameters:
    ///   - store: over a pool of its own, so that a busy admin API holds up no notification, and
    ///     Apple's crowds no admin API.
    ///   - hasMissed: whether some may have been missed before: at a start, yes.
    package init(
        store: RetentionStore, verifier: SignedDataVerifier, clock: Clock, log: Log,
        metrics: NotificationMetrics, hasMissed: Bool = true
    ) {
        self.store = store
        self.verifier = verifier
        self.clock = clock
        self.log = log
        self.metrics = metrics
        self.hasMissed = Atomic(hasMissed)
        var routes = RouteTable<Void>()
        routes.add(.post, Self.path, ())
        self.routes = routes
    }

    /// Answers notifications, and has all else answered by `other`.
    package func handler(
        otherwise other: @escaping @Sendable (Request) -> Response
    ) -> @Sendable (Request) -> Response {
        { request in
            switch self.routes.match(request) {
            case .found(_, let parameters): self.respond(to: request, parameters)
            case .methodNotAllowed(let methods): .methodNotAllowed(methods)
            case .notFound: other(request)
            }
        }
    }

    private func respond(to request: Request, _ parameters: PathParameters) -> Response {
        let start = ContinuousClock.now
        defer { metrics.seconds.observe(.now - start) }
        guard let token = parameters.bytes("token"), let hash = EndpointToken.hash(of: token) else {
            return refuse(404, "unknownToken")
        }
        do {
            guard let target = try store.findNotificationTarget(.receiving, tokenHash: hash) else {
                return refuse(404, "unknownToken")
            }
            let notification = try verifier.notification(body: request.body, for: target.app)
            return try keep(notification, presenting: hash)
        } catch let error as VerificationError {
            // Beyond what may be checked in a second nothing is known of it: Apple shall ask again.
            return refuse(error.code == .chainBudgetSpent ? 503 : 401, error.code.rawValue)
        } catch let error as StoreError where error.code == .notFound {
            return refuse(404, "unknownToken")
        } catch {
            hasMissed.store(true, ordering: .relaxed)
            metrics.failed.add(1, (error as? PostgresError)?.code.rawValue ?? "failed")
            // A database error holds no value that was bound.
            log.error("notification_failed", [("error", .string("\(error)"))])
            return .empty(503)
        }
    }

    /// Answered only once it is committed. Whoever retires the endpoint in between is heard.
    private func keep(
        _ notification: VerifiedNotification, presenting hash: [UInt8]
    ) throws -> Response {
        let now = Instant(milliseconds: clock.now())
        let (added, environment) = try store.transaction(presentingEndpoint: hash, at: now) {
            transaction, target in
            let added = try transaction.recordNotifications(
                [NewNotification(notification)], from: .pushed, at: target.key)
            return (added, target.key.environment)
        }
        metrics.received.add(1, environment.rawValue, added > 0 ? "stored" : "repeated")
        return .empty(200)
    }

    private func refuse(_ status: Int, _ reason: String) -> Response {
        metrics.refused.add(1, reason)
        return .empty(status)
    }

    /// Has Apple's history looked into at once where some may have been missed: after a start, and
    /// once the database is back. Asked every second by a loop of the gateway.
    package func hurryHistoriesIfMissed() throws {
        guard hasMissed.exchange(false, ordering: .relaxed) else { return }
        do {
            try store.hurryNotificationHistories(.gatewayUpkeep)
        } catch {
            hasMissed.store(true, ordering: .relaxed)
            throw error
        }
    }
}

/// What the receiver counts; `docs/operating.md` says what each means.
package struct NotificationMetrics: Sendable {
    package let received: Counter
    package let refused: Counter
    package let failed: Counter
    package let seconds: Histogram

    package init(_ metrics: Metrics) {
        received = metrics.counter(
            "holdfast_notifications_received",
            "Notifications answered with 200, by environment and whether they were new.",
            labels: ["environment", "result"])
        refused = metrics.counter(
            "holdfast_notifications_refused", "Notifications not taken, by reason.",
            labels: ["reason"])
        failed = metrics.counter(
            "holdfast_notifications_failed",
            "Notifications answered with 503 by a fault of ours, by reason.", labels: ["reason"])
        seconds = metrics.histogram(
            "holdfast_notification_answer_seconds", "From the whole call to the whole answer.")
    }
}

extension NotificationTarget {
    fileprivate var app: NotifiedApp {
        NotifiedApp(
            bundleId: bundleId, appAppleId: appAppleId, environment: key.environment)
    }
}

extension NewNotification {
    /// As it was verified.
    package init(_ verified: VerifiedNotification) {
        let head = verified.head
        self.init(
            notificationUUID: head.notificationUUID, notificationType: head.notificationType,
            subtype: head.subtype, signedDate: Instant(milliseconds: head.signedDate),
            originalTransactionId: head.originalTransactionId,
            appTransactionId: head.appTransactionId, signedPayload: verified.signedPayload)
    }
}
