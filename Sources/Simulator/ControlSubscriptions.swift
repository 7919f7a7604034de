import HTTPServer
import Service
import Signing

/// The calls of the control API that make customers and what happens to them.
extension ControlAPI {
    private static let notificationsDefault = 100
    private static let notificationsLimit = 1000

    func addSubscriptionRoutes(to router: inout Router) {
        let app = "/control/apps/{appAppleId}/{environment}"
        router.on(.post, "\(app)/subscribers") { request, path in
            respond {
                let order = try ControlBody.decode(SubscriberOrder.self, request.body)
                return try json(EventReport(try subscriptions.begin(order, at: try place(path))))
            }
        }
        router.on(.get, "\(app)/subscribers/{transactionId}") { _, path in
            respond {
                try json(
                    try subscriptions.view(path["transactionId"] ?? "", at: try place(path)))
            }
        }
        router.on(.post, "\(app)/subscribers/{transactionId}/events") { request, path in
            respond {
                let event = try ControlBody.decode(SubscriptionEvent.self, request.body)
                let outcome = try subscriptions.apply(
                    event, to: path["transactionId"] ?? "", at: try place(path))
                return try json(EventReport(outcome))
            }
        }
        router.on(.post, "\(app)/notices") { request, path in
            respond {
                let notice = try ControlBody.decode(AppNotice.self, request.body)
                return try json(try subscriptions.announce(notice, at: try place(path)))
            }
        }
        router.on(.put, "\(app)/notifications") { request, path in
            respond {
                let settings = try ControlBody.decode(NotificationSettings.self, request.body)
                try subscriptions.set(settings, at: try place(path))
                return .empty(204)
            }
        }
        router.on(.get, "\(app)/notifications") { _, path in
            respond { try json(subscriptions.read(try place(path)) { $0.settings }) }
        }
        router.on(.get, "\(app)/notifications/sent") { request, path in
            respond { try sentNotifications(request, try place(path)) }
        }
        router.on(.post, "/control/sign") { request, _ in respond { try sign(request) } }
        router.on(.post, "/control/notifications/release") { _, _ in
            subscriptions.sender.releaseHeld()
            return .empty(204)
        }
    }

    func addBaseRoutes(to router: inout Router) {
        router.on(.put, "/control/base") { request, _ in
            respond {
                try bases.set(try ControlBody.decode(SubscriberBasePlan.self, request.body))
                return .empty(204)
            }
        }
        router.on(.get, "/control/base") { _, _ in
            respond { try json(try bases.get().report) }
        }
        router.on(.post, "/control/base/play") { request, _ in
            respond {
                let order = try ControlBody.decode(PlayOrder.self, request.body)
                return try json(try bases.get().play(until: order.until))
            }
        }
        router.on(.get, "/control/clock") { _, _ in
            respond { try json(ClockView(now: bases.clock.now())) }
        }
        router.on(.put, "/control/clock") { request, _ in
            respond {
                let wanted = try ControlBody.decode(ClockView.self, request.body).now
                guard MovableClock.times.contains(wanted) else {
                    throw ControlError(.invalidState, "now is in milliseconds since 1970.")
                }
                bases.setClock(wanted)
                return .empty(204)
            }
        }
    }

    /// Whatever JSON comes, signed as the App Store signs: what it never sends can be sent too.
    private func sign(_ request: Request) throws -> Response {
        let document: JSONValue
        do {
            document = try JSONValue(request.body)
        } catch {
            throw ControlError(.malformedBody, "Send one JSON text: \(error.message)")
        }
        do {
            let signed = try subscriptions.signer.sign(document)
            return try json(SignedText(signedPayload: subscriptions.signer.compact(signed)))
        } catch let error as SigningError {
            throw ControlError(.signingFailed, "Signing failed: \(error)")
        }
    }

    private func sentNotifications(
        _ request: Request, _ place: AppStoreMemory.Place
    ) throws -> Response {
        let query = ControlQuery(request.query)
        var limit = ControlAPI.notificationsDefault
        if let text = query["limit"] {
            guard let value = ControlQuery.whole(text),
                value <= Int64(ControlAPI.notificationsLimit)
            else {
                throw ControlError(
                    .invalidQuery, "limit is 1 to \(ControlAPI.notificationsLimit).")
            }
            limit = Int(value)
        }
        let signer = query["signedPayload"] == "true" ? subscriptions.signer : nil
        let report = subscriptions.read(place) { ledger in
            NotificationReport(
                count: ledger.book.end, dropped: ledger.book.dropped,
                notifications: ledger.book.records(from: ledger.book.end - limit)
                    .map { NotificationView($0, signer: signer) })
        }
        return try json(report)
    }
}

/// What an event has made.
package struct EventReport: Codable, Sendable, Equatable {
    package var subscription: SubscriptionView
    package var notification: NotificationView

    init(_ outcome: Subscriptions.Outcome) {
        subscription = outcome.view
        notification = outcome.notification
    }
}

package struct NotificationReport: Codable, Sendable, Equatable {
    /// All that were made, also those no longer kept.
    package var count: Int
    /// Those that the queue had no room for.
    package var dropped: Int
    /// The last ones, oldest first.
    package var notifications: [NotificationView]
}

/// What was signed on order.
package struct SignedText: Codable, Sendable, Equatable {
    /// A compact JWS.
    package var signedPayload: String
}

/// How far a subscriber base is to be played.
package struct PlayOrder: Codable, Sendable, Equatable {
    /// Milliseconds since 1970; the simulator's clock is moved where it is behind.
    package var until: Int64

    package init(until: Int64) {
        self.until = until
    }
}

/// The simulator's clock.
package struct ClockView: Codable, Sendable, Equatable {
    /// Milliseconds since 1970.
    package var now: Int64

    package init(now: Int64) {
        self.now = now
    }
}
