import FoundationEssentials
import HTTPServer
import Signing

/// Apple's side of the App Store Server API: what was sold, how it stands, and which notifications
/// were sent about it (`developer.apple.com/documentation/appstoreserverapi`).
struct ServerAPI: Sendable {
    static let pageLimit = 20

    let memory: AppStoreMemory
    let subscriptions: Subscriptions

    /// One call that may be acted on.
    struct Call: Sendable {
        var endpoint: AppleEndpoint
        var place: AppStoreMemory.Place
        var request: Request
        var path: PathParameters
        var nowMilliseconds: Int64
    }

    func answer(_ call: Call) throws(AppleError) -> Response {
        switch call.endpoint {
        case .getNotificationHistory: try getNotificationHistory(call)
        case .requestTestNotification: try requestTestNotification(call)
        case .getTestNotificationStatus: try getTestNotificationStatus(call)
        case .getTransactionHistory: try getTransactionHistory(call)
        case .getAllSubscriptionStatuses: try getAllSubscriptionStatuses(call)
        case .getTransactionInfo: try getTransactionInfo(call)
        case .getAppTransactionInfo: try getAppTransactionInfo(call)
        case .getRefundHistory: try getRefundHistory(call)
        default: throw .generalInternal
        }
    }

    // MARK: What all of them need

    func catalog(_ call: Call) throws(AppleError) -> AppCatalog {
        guard let catalog = memory.catalog(call.place) else { throw .appNotFound }
        return catalog
    }

    static func transactionId(_ call: Call) throws(AppleError) -> String {
        guard let text = call.path["identifier"], LedgerNumbers.isNumber(text) else {
            throw .invalidTransactionId
        }
        return text
    }

    func sign(_ document: JSONValue) throws(AppleError) -> JSONValue {
        do {
            return .string(subscriptions.signer.compact(try subscriptions.signer.sign(document)))
        } catch {
            throw .generalInternal
        }
    }

    /// A customer's purchases, each with who bought it.
    func purchases(
        ofCustomer anyTransactionId: String, _ call: Call
    ) throws(AppleError) -> [(Purchaser, StoreTransaction)] {
        let found = subscriptions.read(call.place) { ledger in
            ledger.customer(of: anyTransactionId).map { customer in
                customer.1.flatMap { holder in
                    ledger.transactions(holder).map { (ledger.purchaser(holder), $0) }
                }
            }
        }
        guard let found else { throw .transactionIdNotFound }
        return found
    }
}

// MARK: Statuses and single transactions

extension ServerAPI {
    private func getAllSubscriptionStatuses(_ call: Call) throws(AppleError) -> Response {
        let identifier = try ServerAPI.transactionId(call)
        let query = try CallQuery(call.request)
        try query.onlyHas(["status"])
        var wanted: Set<Int64> = []
        for text in query.all("status") {
            guard let status = ControlQuery.whole(text), (1...5).contains(status) else {
                throw .invalidStatus
            }
            wanted.insert(status)
        }
        let catalog = try catalog(call)
        let held = subscriptions.read(call.place) { ledger -> [Subscription]? in
            ledger.customer(of: identifier)?.1.compactMap { holder in
                guard case .subscription(let index) = holder else { return nil }
                return ledger.subscriptions[index]
            }
        }
        guard let held else { throw .transactionIdNotFound }
        let shown = held.filter { wanted.isEmpty || wanted.contains($0.status) }
        var groups: [(name: String, entries: [JSONValue])] = []
        for subscription in shown {
            let name = subscription.purchaser.subscriptionGroup ?? ""
            let entry = try status(subscription, catalog, call)
            if let place = groups.firstIndex(where: { sameBytes($0.name, name) }) {
                groups[place].entries.append(entry)
            } else {
                groups.append((name, [entry]))
            }
        }
        var body = ServerAPI.identity(catalog)
        body.add(
            "data",
            .array(
                groups.map { group in
                    .object([
                        .init(name: "subscriptionGroupIdentifier", value: .string(group.name)),
                        .init(name: "lastTransactions", value: .array(group.entries)),
                    ])
                }))
        return .json(200, body.object.bytes)
    }

    private func status(
        _ subscription: Subscription, _ catalog: AppCatalog, _ call: Call
    ) throws(AppleError) -> JSONValue {
        let writer = NotificationDocuments(
            signer: subscriptions.signer, catalog: catalog, at: call.nowMilliseconds)
        let transaction = StoreDocuments(app: catalog.state).transaction(
            subscription.current, subscription.purchaser, signedDate: call.nowMilliseconds)
        var entry = DocumentMembers()
        entry.add("originalTransactionId", text: subscription.purchaser.originalTransactionId)
        entry.add("status", whole: subscription.status)
        entry.add("signedTransactionInfo", try sign(transaction))
        entry.add("signedRenewalInfo", try sign(writer.renewal(subscription)))
        return entry.object
    }

    static func identity(_ catalog: AppCatalog) -> DocumentMembers {
        var members = DocumentMembers()
        members.add("environment", text: catalog.state.environment.rawValue)
        members.add("bundleId", text: catalog.state.bundleId)
        members.add("appAppleId", whole: catalog.state.appAppleId)
        return members
    }

    private func getTransactionInfo(_ call: Call) throws(AppleError) -> Response {
        let identifier = try ServerAPI.transactionId(call)
        let catalog = try catalog(call)
        enum Found { case customer, transaction(Purchaser, StoreTransaction) }
        let found = subscriptions.read(call.place) { ledger -> Found? in
            if ledger.isCustomer(identifier) { return .customer }
            guard let holder = ledger.holder(of: identifier) else { return nil }
            return ledger.transactions(holder).first { $0.transactionId == identifier }
                .map { .transaction(ledger.purchaser(holder), $0) }
        }
        switch found {
        case .customer: throw .appTransactionIdNotSupported
        case nil: throw .transactionIdNotFound
        case .transaction(let purchaser, let transaction):
            let document = StoreDocuments(app: catalog.state).transaction(
                transaction, purchaser, signedDate: call.nowMilliseconds)
            return MessagingAPI.object([("signedTransactionInfo", try sign(document))])
        }
    }

    private func getAppTransactionInfo(_ call: Call) throws(AppleError) -> Response {
        let identifier = try ServerAPI.transactionId(call)
        let catalog = try catalog(call)
        let found = subscriptions.read(call.place) { ledger -> (String, Int64)? in
            ledger.customer(of: identifier).map { customer in
                let dates = customer.1.map { ledger.purchaser($0).originalPurchaseDate }
                return (customer.appTransactionId, dates.min() ?? call.nowMilliseconds)
            }
        }
        guard let found else { throw .transactionIdNotFound }
        let document = StoreDocuments(app: catalog.state).appTransaction(
            appTransactionId: found.0, purchasedAt: found.1, signedDate: call.nowMilliseconds)
        return MessagingAPI.object([("signedAppTransactionInfo", try sign(document))])
    }
}
