import FoundationEssentials
import Service
import Signing
import Synchronization

/// The App Store's books of all apps: events change them and make notifications, which go to the
/// sender.
///
/// ```
/// event ─► ledger (refused, or changed) ─► documents signed ─► book ─► NotificationSender ─► app
/// ```
final class Subscriptions: Sendable {
    private let memory: AppStoreMemory
    let signer: DocumentSigner
    let sender: NotificationSender
    private let clock: Clock
    private let ledgers: LedgerShelf

    init(
        memory: AppStoreMemory, ledgers: LedgerShelf, signer: DocumentSigner,
        sender: NotificationSender, clock: Clock
    ) {
        self.memory = memory
        self.ledgers = ledgers
        self.signer = signer
        self.sender = sender
        self.clock = clock
    }

    /// What an event has made.
    struct Outcome: Sendable {
        var view: SubscriptionView
        var notification: NotificationView
    }

    /// - Parameter isTold: false changes the books and tells the developer nothing.
    func begin(
        _ order: SubscriberOrder, at place: AppStoreMemory.Place, isTold: Bool = true
    ) throws(ControlError) -> Outcome {
        let catalog = try catalog(place)
        let at = try time(order.buy.at)
        return try record(place, isTold) { ledger throws(ControlError) in
            let (index, notice) = try ledger.begin(order, catalog, at: at)
            return try self.write(notice, of: index, &ledger, catalog, at, isTold)
        }
    }

    func apply(
        _ event: SubscriptionEvent, to transactionId: String, at place: AppStoreMemory.Place,
        isTold: Bool = true
    ) throws(ControlError) -> Outcome {
        let catalog = try catalog(place)
        let at = try time(event.at)
        return try record(place, isTold) { ledger throws(ControlError) in
            guard case .subscription(let index) = ledger.holder(of: transactionId) else {
                throw ControlError(.unknownSubscriber, "There is no such subscription.")
            }
            let notice = try ledger.apply(event, to: index, catalog, at: at)
            return try self.write(notice, of: index, &ledger, catalog, at, isTold)
        }
    }

    func announce(
        _ notice: AppNotice, at place: AppStoreMemory.Place
    ) throws(ControlError) -> NotificationView {
        let catalog = try catalog(place)
        let at = try time(notice.at)
        let documents = NotificationDocuments(signer: signer, catalog: catalog, at: at)
        let (number, view) = try ledgers.change(place) { ledger throws(ControlError) in
            let record = try documents.record(notice, &ledger)
            let number = ledger.book.append(record)
            return (record.isSent ? number : nil, NotificationView(record, signer: nil))
        }
        if let number { send(number, place) }
        return view
    }

    func view(
        _ transactionId: String, at place: AppStoreMemory.Place
    ) throws(ControlError) -> SubscriptionView {
        guard
            let view = ledgers.read(place, { $0.subscription(transactionId) })
                .map({ SubscriptionView($0) })
        else { throw ControlError(.unknownSubscriber, "There is no such subscription.") }
        return view
    }

    func read<Value: Sendable>(
        _ place: AppStoreMemory.Place, _ body: (Ledger) -> Value
    ) -> Value {
        ledgers.read(place, body)
    }

    func set(
        _ settings: NotificationSettings, at place: AppStoreMemory.Place
    ) throws(ControlError) {
        _ = try catalog(place)
        try settings.check()
        ledgers.change(place) { $0.settings = settings }
        sender.set(settings, at: place)
    }

    func forgetAll() {
        sender.forgetAll()
        ledgers.forgetAll()
    }

    // MARK: Inside

    private func catalog(_ place: AppStoreMemory.Place) throws(ControlError) -> AppCatalog {
        guard let catalog = memory.catalog(place) else {
            throw ControlError(.unknownApp, "The simulator knows no such app; PUT its state first.")
        }
        return catalog
    }

    private func time(_ wanted: Int64?) throws(ControlError) -> Int64 {
        let now = clock.now()
        guard let wanted else { return now }
        guard wanted > 0, wanted <= now else {
            throw .impossible("at is in milliseconds since 1970, and not after the clock's now.")
        }
        return wanted
    }

    private func record(
        _ place: AppStoreMemory.Place, _ isTold: Bool,
        _ body: (inout Ledger) throws(ControlError) -> (Int, Outcome)
    ) throws(ControlError) -> Outcome {
        let (number, outcome) = try ledgers.change(place, body)
        if isTold, outcome.notification.isSent { send(number, place) }
        return outcome
    }

    private func write(
        _ notice: EventNotice, of index: Int, _ ledger: inout Ledger, _ catalog: AppCatalog,
        _ at: Int64, _ isTold: Bool
    ) throws(ControlError) -> (Int, Outcome) {
        let documents = NotificationDocuments(signer: signer, catalog: catalog, at: at)
        guard isTold else {
            let view = NotificationView(untold: notice, at: at)
            return (
                -1,
                Outcome(
                    view: SubscriptionView(ledger.subscriptions[index]),
                    notification: view)
            )
        }
        let record = try documents.record(notice, of: index, &ledger)
        let number = ledger.book.append(record)
        return (
            number,
            Outcome(
                view: SubscriptionView(ledger.subscriptions[index]),
                notification: NotificationView(record, signer: nil))
        )
    }

    private func send(_ number: Int, _ place: AppStoreMemory.Place) {
        guard sender.add(number, at: place) else {
            ledgers.change(place) { $0.book.countDropped() }
            return
        }
    }
}

/// The ledgers of all apps behind one lock.
final class LedgerShelf: Sendable {
    private let ledgers = Mutex<[AppStoreMemory.Place: Ledger]>([:])

    func change<Value: Sendable, Failure: Error>(
        _ place: AppStoreMemory.Place, _ body: (inout Ledger) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try ledgers.withLock { ledgers throws(Failure) in
            try body(&ledgers[place, default: Ledger(place)])
        }
    }

    func read<Value: Sendable>(
        _ place: AppStoreMemory.Place, _ body: (Ledger) -> Value
    ) -> Value {
        ledgers.withLock { body($0[place] ?? Ledger(place)) }
    }

    /// As the books have it; nil where the subscription is not in them.
    func isActive(_ view: PageView) -> Bool? {
        let place = AppStoreMemory.Place(
            appAppleId: view.appAppleId, environment: view.environment)
        return read(place) { $0.subscription(view.originalTransactionId)?.isActive }
    }

    func forgetAll() {
        ledgers.withLock { $0 = [:] }
    }
}

/// What a driver of the control API sees of a notification.
package struct NotificationView: Codable, Sendable, Equatable {
    package var notificationUUID: String
    package var notificationType: String
    package var subtype: String?
    package var originalTransactionId: String?
    /// Milliseconds since 1970.
    package var signedDate: Int64
    /// Whether there was a URL to send it to.
    package var isSent: Bool
    /// Oldest first; copies and broken ones are not counted.
    package var attempts: [SendAttempt]
    package var signedPayload: String?

    init(_ record: NotificationRecord, signer: DocumentSigner?) {
        notificationUUID = record.uuid
        notificationType = record.type
        subtype = record.subtype
        originalTransactionId = record.originalTransactionId
        signedDate = record.signedDate
        isSent = record.isSent
        attempts = record.attempts
        signedPayload = signer.map { $0.compact(record.signed) }
    }

    fileprivate init(untold notice: EventNotice, at: Int64) {
        notificationUUID = ""
        notificationType = notice.type.rawValue
        subtype = notice.subtype?.rawValue
        signedDate = at
        isSent = false
        attempts = []
    }
}
