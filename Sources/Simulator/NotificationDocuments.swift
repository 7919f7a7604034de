import FoundationEssentials
import Signing

/// Writes and signs notifications (`responseBodyV2DecodedPayload`), each with exactly one of
/// `data`, `summary`, `externalPurchaseToken` and `appData`.
struct NotificationDocuments {
    let signer: DocumentSigner
    let catalog: AppCatalog
    /// The `signedDate` of everything.
    let at: Int64

    private var app: AppState { catalog.state }
    private var documents: StoreDocuments { StoreDocuments(app: catalog.state) }

    func record(
        _ notice: EventNotice, of index: Int, _ ledger: inout Ledger
    ) throws(ControlError) -> NotificationRecord {
        let count = ledger.countNotice(of: index)
        let subscription = ledger.subscriptions[index]
        let transaction = documents.transaction(
            subscription.transactions[notice.transaction], subscription.purchaser, signedDate: at)
        var data = DocumentMembers()
        data.add("appAppleId", whole: app.appAppleId)
        data.add("bundleId", text: app.bundleId)
        data.add("bundleVersion", text: StoreDocuments.version)
        data.add("environment", text: app.environment.rawValue)
        data.add("status", whole: subscription.status)
        data.add("consumptionRequestReason", text: notice.consumptionRequestReason)
        let seed = "\(subscription.purchaser.originalTransactionId) \(count)"
        return try record(
            Head(
                type: notice.type.rawValue, subtype: notice.subtype?.rawValue, seed: seed,
                appTransactionId: subscription.purchaser.appTransactionId,
                originalTransactionId: subscription.purchaser.originalTransactionId,
                isSent: ledger.settings.url != nil),
            "data", data,
            [("signedTransactionInfo", transaction), ("signedRenewalInfo", renewal(subscription))])
    }

    func renewal(_ subscription: Subscription) -> JSONValue {
        let change = SubscriptionChange(
            catalog: catalog, event: SubscriptionEvent(.renew), at: at, subscription: subscription)
        var winBacks: [String] = []
        if case .expired = subscription.phase,
            let product = catalog.product(subscription.current.productId)
        {
            winBacks = ProductTerms(product).offers(ofType: 4).compactMap(\.offerIdentifier)
        }
        return documents.renewalInfo(
            subscription, renewalPrice: change.renewalPrice, winBackOfferIds: winBacks,
            signedDate: at)
    }

    private struct Head {
        var type: String
        var subtype: String?
        /// What the identifier is made from, with app and environment.
        var seed: String
        var appTransactionId: String?
        var originalTransactionId: String?
        var isSent: Bool
    }

    private func record(
        _ head: Head, _ name: String, _ body: DocumentMembers,
        _ inner: [(name: String, document: JSONValue)]
    ) throws(ControlError) -> NotificationRecord {
        let identifier = Self.identifier(
            "\(app.appAppleId) \(app.environment.rawValue) \(head.seed) \(at)")
        var outline = DocumentMembers()
        outline.add("notificationType", text: head.type)
        outline.add("subtype", text: head.subtype)
        outline.add("notificationUUID", text: identifier)
        outline.add("version", text: "2.0")
        outline.add("signedDate", whole: at)
        outline.add(name, body.object)
        do {
            var signed: [SignedNotification.Inner] = []
            for entry in inner {
                signed.append(.init(name: entry.name, document: try signer.sign(entry.document)))
            }
            return NotificationRecord(
                uuid: identifier, type: head.type, subtype: head.subtype, signedDate: at,
                appTransactionId: head.appTransactionId,
                originalTransactionId: head.originalTransactionId,
                signed: try signer.sign(outline.object, with: signed), isSent: head.isSent)
        } catch {
            throw ControlError(.signingFailed, "Signing failed: \(error)")
        }
    }

    /// A UUID of version 8 that the same seed always gives.
    static func identifier(_ seed: String) -> String {
        var bytes = Array(SHA256.digest(Array(seed.utf8)).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        let text = Array(HexadecimalText.of(bytes))
        return [text[0..<8], text[8..<12], text[12..<16], text[16..<20], text[20..<32]]
            .map { String($0) }.joined(separator: "-")
    }
}

// MARK: Notifications about no subscription

extension NotificationDocuments {
    func record(
        _ notice: AppNotice, _ ledger: inout Ledger
    ) throws(ControlError) -> NotificationRecord {
        let type = NotificationType(rawValue: notice.type)
        var head = Head(
            type: notice.type, subtype: notice.subtype, seed: "app \(ledger.book.end)",
            appTransactionId: notice.appTransactionId, isSent: ledger.settings.url != nil)
        try check(notice, type)
        switch type {
        case .oneTimeCharge:
            let index = try ledger.charge(notice, catalog, at: at)
            let purchase = ledger.purchases[index]
            head.appTransactionId = purchase.purchaser.appTransactionId
            head.originalTransactionId = purchase.purchaser.originalTransactionId
            let transaction = documents.transaction(
                purchase.transaction, purchase.purchaser, signedDate: at)
            return try record(head, "data", data, [("signedTransactionInfo", transaction)])
        case .renewalExtension: return try record(head, "summary", summary(notice), [])
        case .externalPurchaseToken:
            return try record(head, "externalPurchaseToken", token(notice, ledger), [])
        case .rescindConsent:
            let customer = notice.appTransactionId ?? LedgerNumbers.appTransactionId(0)
            let document = documents.appTransaction(
                appTransactionId: customer, purchasedAt: at, signedDate: at)
            return try record(
                head, "appData", identity, [("signedAppTransactionInfo", document)])
        default: return try record(head, "data", data, [])
        }
    }

    private func check(_ notice: AppNotice, _ type: NotificationType?) throws(ControlError) {
        guard !notice.type.isEmpty, notice.type.utf8.count <= 64 else {
            throw .impossible("Name a type of 1 to 64 bytes.")
        }
        guard let type else { return }
        let ofApps: [NotificationType] = [
            .test, .oneTimeCharge, .renewalExtension, .externalPurchaseToken, .rescindConsent,
        ]
        guard ofApps.contains(type) else {
            throw .impossible("\(notice.type) is about a subscription; apply an event to one.")
        }
        guard type != .renewalExtension || notice.subtype == NotificationSubtype.summary.rawValue
        else { throw .impossible("The failure of an extension is an event of a subscription.") }
    }

    private var identity: DocumentMembers {
        var members = DocumentMembers()
        members.add("appAppleId", whole: app.appAppleId)
        members.add("bundleId", text: app.bundleId)
        members.add("environment", text: app.environment.rawValue)
        return members
    }

    private var data: DocumentMembers {
        var members = identity
        members.add("bundleVersion", text: StoreDocuments.version)
        return members
    }

    private func summary(_ notice: AppNotice) -> DocumentMembers {
        var members = identity
        members.add("requestIdentifier", text: notice.requestIdentifier ?? UUID().lowerCase)
        members.add("productId", text: notice.productId ?? app.products.first?.productId)
        let countries = notice.storefrontCountryCodes ?? ["USA"]
        members.add("storefrontCountryCodes", .array(countries.map { .string($0) }))
        members.add("succeededCount", whole: notice.succeededCount ?? 0)
        members.add("failedCount", whole: notice.failedCount ?? 0)
        return members
    }

    /// The environment shows in the identifier alone.
    private func token(_ notice: AppNotice, _ ledger: Ledger) -> DocumentMembers {
        let identifier = Self.identifier("token \(app.appAppleId) \(ledger.book.end)")
        var members = DocumentMembers()
        members.add(
            "externalPurchaseId",
            text: app.environment == .sandbox ? "SANDBOX_\(identifier)" : identifier)
        members.add("tokenCreationDate", whole: at)
        members.add("appAppleId", whole: app.appAppleId)
        members.add("bundleId", text: app.bundleId)
        if notice.subtype != NotificationSubtype.unreported.rawValue {
            members.add("tokenType", text: "SERVICES")
            members.add("tokenExpirationDate", whole: at + 30 * 86_400_000)
        }
        return members
    }
}
