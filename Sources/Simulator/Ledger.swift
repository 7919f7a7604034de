import FoundationEssentials
import Signing

/// What the App Store has sold of one app in one environment, and what it has told the developer.
struct Ledger: Sendable {
    /// Something bought once.
    struct Purchase: Sendable {
        var purchaser: Purchaser
        var transaction: StoreTransaction
    }

    enum Holder: Hashable, Sendable {
        case subscription(Int)
        case purchase(Int)
    }

    /// Subscriptions and purchases of one app.
    static let purchasesLimit = 2_000_000

    let place: AppStoreMemory.Place
    private(set) var subscriptions: [Subscription] = []
    private(set) var purchases: [Purchase] = []
    /// By any number of theirs, each customer's own included.
    private var holders: [String: Holder] = [:]
    private var customers: [String: [Holder]] = [:]
    private var numbers = 0
    /// Rises with each change of a transaction; what a revision token counts by.
    private(set) var changes: Int64 = 0
    var settings = NotificationSettings()
    var book = NotificationBook()

    init(_ place: AppStoreMemory.Place) {
        self.place = place
    }

    func holder(of transactionId: String) -> Holder? { holders[transactionId] }

    func isCustomer(_ appTransactionId: String) -> Bool { customers[appTransactionId] != nil }

    /// Everything that one customer has bought, oldest first; nil where the number is unknown.
    func customer(of anyTransactionId: String) -> (appTransactionId: String, [Holder])? {
        if let own = customers[anyTransactionId] { return (anyTransactionId, own) }
        guard let holder = holders[anyTransactionId] else { return nil }
        let appTransactionId = purchaser(holder).appTransactionId
        return (appTransactionId, customers[appTransactionId] ?? [])
    }

    func purchaser(_ holder: Holder) -> Purchaser {
        switch holder {
        case .subscription(let index): subscriptions[index].purchaser
        case .purchase(let index): purchases[index].purchaser
        }
    }

    func transactions(_ holder: Holder) -> [StoreTransaction] {
        switch holder {
        case .subscription(let index): subscriptions[index].transactions
        case .purchase(let index): [purchases[index].transaction]
        }
    }

    func subscription(_ anyTransactionId: String) -> Subscription? {
        guard case .subscription(let index) = holders[anyTransactionId] else { return nil }
        return subscriptions[index]
    }
}

extension Ledger {
    /// The subscriptions of the customer who has that number, as a state would list them.
    func sold(_ anyTransactionId: String) -> [AppState.Transaction] {
        (customer(of: anyTransactionId)?.1 ?? []).compactMap { holder in
            guard case .subscription(let index) = holder else { return nil }
            let subscription = subscriptions[index]
            return AppState.Transaction(
                originalTransactionId: subscription.purchaser.originalTransactionId,
                productId: subscription.current.productId, isActive: subscription.isActive,
                isFamilyShared: subscription.purchaser.isFamilyShared,
                transactionIds: subscription.transactions.map(\.transactionId),
                appTransactionId: subscription.purchaser.appTransactionId)
        }
    }
}

// MARK: What is bought

extension Ledger {
    /// - Returns: the subscription's place, and what Apple tells of it.
    mutating func begin(
        _ order: SubscriberOrder, _ catalog: AppCatalog, at: Int64
    ) throws(ControlError) -> (Int, EventNotice) {
        try requireRoom()
        guard order.buy.kind == .buy else {
            throw .impossible("A subscription begins with an event of the kind buy.")
        }
        guard let product = order.buy.productId.flatMap({ catalog.product($0) }) else {
            throw .impossible("buy needs productId, a product of the app.")
        }
        let number = numbers
        let original = order.originalTransactionId ?? LedgerNumbers.transactionId(number, 0)
        try check(original, order)
        let storefront = order.storefront ?? "USA"
        let purchaser = Purchaser(
            originalTransactionId: original,
            appTransactionId: order.appTransactionId ?? LedgerNumbers.appTransactionId(number),
            appAccountToken: order.appAccountToken, storefront: storefront,
            currency: ProductTerms(product).price(in: storefront).currency,
            isFamilyShared: order.isFamilyShared ?? false, originalPurchaseDate: at,
            subscriptionGroup: product.subscriptionGroup)
        var change = SubscriptionChange(
            catalog: catalog, event: order.buy, at: at,
            subscription: Subscription(
                number: number, purchaser: purchaser, transactions: [], phase: .active,
                renewalProductId: product.productId, recentStartDate: at, lastEventAt: at))
        var offer: StoreTransaction.Offer?
        if let type = order.buy.offerType {
            try change.require(
                [1, 3].contains(type), "A first purchase takes offer type 1 or 3.")
            offer = try change.offer(ofType: type, on: product.productId)
        }
        try change.append(
            product.productId, from: at, .purchase, offer: offer,
            planType: try change.planType(for: product.productId))
        change.subscription.transactions[0].transactionId = original
        numbers += 1
        changes += 1
        change.subscription.transactions[0].modified = changes
        subscriptions.append(change.subscription)
        let index = subscriptions.count - 1
        learn(.subscription(index), purchaser, original)
        return (index, change.notice(.subscribed, .initialBuy))
    }

    private func requireRoom() throws(ControlError) {
        guard numbers < Ledger.purchasesLimit else {
            throw ControlError(.tooMany, "An app has at most \(Ledger.purchasesLimit) purchases.")
        }
    }

    private func check(_ original: String, _ order: SubscriberOrder) throws(ControlError) {
        guard LedgerNumbers.isNumber(original), holders[original] == nil,
            customers[original] == nil
        else {
            throw .impossible("originalTransactionId is a new number of at most 19 digits.")
        }
        if let customer = order.appTransactionId {
            guard LedgerNumbers.isNumber(customer), holders[customer] == nil else {
                throw .impossible("appTransactionId is a number of at most 19 digits.")
            }
        }
        if let token = order.appAccountToken, uuid(token) == nil {
            throw .impossible("appAccountToken is a UUID.")
        }
        if let storefront = order.storefront, storefront.utf8.count != 3 {
            throw .impossible("storefront is an ISO 3166-1 alpha-3 code.")
        }
    }

    private mutating func learn(_ holder: Holder, _ purchaser: Purchaser, _ identifier: String) {
        holders[identifier] = holder
        if customers[purchaser.appTransactionId]?.contains(holder) != true {
            customers[purchaser.appTransactionId, default: []].append(holder)
        }
    }

    /// - Returns: what Apple tells of it; nothing has changed where it throws.
    mutating func apply(
        _ event: SubscriptionEvent, to index: Int, _ catalog: AppCatalog, at: Int64
    ) throws(ControlError) -> EventNotice {
        let old = subscriptions[index]
        guard at >= old.lastEventAt else {
            throw .impossible("The subscription's last event is later than that.")
        }
        var change = SubscriptionChange(catalog: catalog, event: event, at: at, subscription: old)
        let notice = try change.apply()
        changes += 1
        var touched = Set(old.transactions.count..<change.subscription.transactions.count)
        touched.insert(notice.transaction)
        if touched.contains(old.transactions.count) { touched.insert(old.transactions.count - 1) }
        for place in touched where change.subscription.hasChanged(at: place, since: old) {
            change.subscription.transactions[place].modified = changes
        }
        change.subscription.lastEventAt = at
        subscriptions[index] = change.subscription
        for place in old.transactions.count..<change.subscription.transactions.count {
            let identifier = change.subscription.transactions[place].transactionId
            learn(.subscription(index), change.subscription.purchaser, identifier)
        }
        return notice
    }

    /// Something bought once, by a known customer or a new one.
    mutating func charge(
        _ notice: AppNotice, _ catalog: AppCatalog, at: Int64
    ) throws(ControlError) -> Int {
        try requireRoom()
        let type = StoreTransaction.ProductType(rawValue: notice.productType ?? "Consumable")
        guard let productId = notice.productId, !productId.isEmpty, let type,
            type != .autoRenewable
        else {
            throw .impossible("Name productId, and a productType that does not renew.")
        }
        let number = numbers
        let customer = notice.appTransactionId ?? LedgerNumbers.appTransactionId(number)
        guard LedgerNumbers.isNumber(customer), holders[customer] == nil else {
            throw .impossible("appTransactionId is a number of at most 19 digits.")
        }
        numbers += 1
        changes += 1
        let identifier = LedgerNumbers.transactionId(number, 0)
        var transaction = StoreTransaction(
            transactionId: identifier, productId: productId, purchaseDate: at, expiresDate: nil,
            reason: .purchase, price: notice.price ?? 990)
        transaction.type = type
        transaction.modified = changes
        let purchaser = Purchaser(
            originalTransactionId: identifier, appTransactionId: customer, storefront: "USA",
            currency: "USD", isFamilyShared: false, originalPurchaseDate: at)
        purchases.append(Purchase(purchaser: purchaser, transaction: transaction))
        learn(.purchase(purchases.count - 1), purchaser, identifier)
        return purchases.count - 1
    }

    /// The number of the next notification about a subscription.
    mutating func countNotice(of index: Int) -> Int {
        subscriptions[index].notices += 1
        return subscriptions[index].notices
    }
}

extension Subscription {
    fileprivate func hasChanged(at place: Int, since old: Subscription) -> Bool {
        guard place < old.transactions.count else { return true }
        let (new, old) = (transactions[place], old.transactions[place])
        return new.expiresDate != old.expiresDate || new.isUpgraded != old.isUpgraded
            || new.revocation?.at != old.revocation?.at
    }
}

/// A new subscription, and who has it.
package struct SubscriberOrder: Codable, Sendable, Equatable {
    /// ISO 3166-1 alpha-3; USA where nothing is said.
    package var storefront: String?
    /// The next number of the simulator's own where nothing is said.
    package var originalTransactionId: String?
    /// Of a customer who has bought before; a new one where nothing is said.
    package var appTransactionId: String?
    package var appAccountToken: String?
    /// The customer has it through Family Sharing.
    package var isFamilyShared: Bool?
    package var buy: SubscriptionEvent

    package init(
        storefront: String? = nil, originalTransactionId: String? = nil,
        appTransactionId: String? = nil, appAccountToken: String? = nil,
        isFamilyShared: Bool? = nil, buy: SubscriptionEvent
    ) {
        self.storefront = storefront
        self.originalTransactionId = originalTransactionId
        self.appTransactionId = appTransactionId
        self.appAccountToken = appAccountToken
        self.isFamilyShared = isFamilyShared
        self.buy = buy
    }
}
