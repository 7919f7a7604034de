import HTTPServer

/// Histories of transactions and refunds, twenty a page.
extension ServerAPI {
    private static let historyParameters = [
        "revision", "startDate", "endDate", "productId", "productType",
        "subscriptionGroupIdentifier", "inAppOwnershipType", "revoked", "sort",
    ]

    /// What a history is to hold; different filters are all to hold, values of one are choices.
    private struct Filter {
        var start: Int64?
        var end: Int64?
        var productIds: [String]
        var types: [String]
        var groups: [String]
        var ownership: String?
        var isRevoked: Bool?
        var isDescending: Bool

        init(_ query: CallQuery) throws(AppleError) {
            start = try Filter.time(query.one("startDate", else: .invalidStartDate))
            if start == nil, !query.all("startDate").isEmpty { throw .invalidStartDate }
            end = try Filter.time(query.one("endDate", else: .invalidEndDate))
            if end == nil, !query.all("endDate").isEmpty { throw .invalidEndDate }
            if let start, let end, start > end { throw .startDateAfterEndDate }
            productIds = query.all("productId")
            guard productIds.allSatisfy({ !$0.isEmpty }) else { throw .invalidProductId }
            types = query.all("productType")
            let known = StoreTransaction.ProductType.allCases.map(\.filterName)
            guard types.allSatisfy({ known.contains($0) }) else { throw .invalidProductType }
            groups = query.all("subscriptionGroupIdentifier")
            guard groups.allSatisfy({ !$0.isEmpty }) else {
                throw .invalidSubscriptionGroupIdentifier
            }
            ownership = try query.one("inAppOwnershipType", else: .invalidInAppOwnershipType)
            guard ["PURCHASED", "FAMILY_SHARED", nil].contains(ownership) else {
                throw .invalidInAppOwnershipType
            }
            // Apple's own Python client writes True.
            let revoked = try query.one("revoked", else: .invalidRevoked)?.lowercased()
            guard ["true", "false", nil].contains(revoked) else { throw .invalidRevoked }
            isRevoked = revoked.map { $0 == "true" }
            let sort = try query.one("sort", else: .invalidSort)
            guard ["ASCENDING", "DESCENDING", nil].contains(sort) else { throw .invalidSort }
            isDescending = sort == "DESCENDING"
        }

        private static func time(_ text: String?) -> Int64? {
            text.flatMap { ControlQuery.whole($0) }
        }

        func takes(_ purchaser: Purchaser, _ transaction: StoreTransaction) -> Bool {
            if let start, transaction.purchaseDate < start { return false }
            if let end, transaction.purchaseDate >= end { return false }
            func fits(_ values: [String], _ value: String?) -> Bool {
                guard !values.isEmpty else { return true }
                return value.map { own in values.contains { sameBytes($0, own) } } ?? false
            }
            guard fits(productIds, transaction.productId),
                fits(types, transaction.type.filterName), fits(groups, purchaser.subscriptionGroup)
            else { return false }
            if let ownership, ownership != purchaser.ownership { return false }
            if let isRevoked, isRevoked != (transaction.revocation != nil) { return false }
            return true
        }
    }

    /// The revision counts changes, so that one that was kept finds what has changed since.
    func getTransactionHistory(_ call: Call) throws(AppleError) -> Response {
        let identifier = try ServerAPI.transactionId(call)
        let query = try CallQuery(call.request)
        try query.onlyHas(ServerAPI.historyParameters)
        let filter = try Filter(query)
        let question = "history \(identifier) \(query.fingerprint(without: "revision"))"
        let after = try revision(query, question, call)
        let all = try purchases(ofCustomer: identifier, call)
            .filter { filter.takes($0.0, $0.1) }
            .sorted { filter.isDescending != ($0.1.modified < $1.1.modified) }
        let rest = all.filter { entry in
            guard let after else { return true }
            return filter.isDescending ? entry.1.modified < after : entry.1.modified > after
        }
        let page = rest.prefix(ServerAPI.pageLimit)
        let position = page.last?.1.modified ?? after ?? 0
        let token = PageToken(position: position, issued: call.nowMilliseconds)
        let catalog = try catalog(call)
        var body = DocumentMembers()
        body.add("revision", text: token.text(for: question))
        body.add("hasMore", flag: rest.count > page.count)
        body.add("bundleId", text: catalog.state.bundleId)
        body.add("appAppleId", whole: catalog.state.appAppleId)
        body.add("environment", text: catalog.state.environment.rawValue)
        body.add("signedTransactions", try signed(page, catalog, call))
        return .json(200, body.object.bytes)
    }

    private func revision(
        _ query: CallQuery, _ question: String, _ call: Call
    ) throws(AppleError) -> Int64? {
        guard let text = try query.one("revision", else: .invalidRequestRevision) else {
            return nil
        }
        guard let token = PageToken(text, for: question) else { throw .invalidRequestRevision }
        return token.position
    }

    private func signed(
        _ page: some Sequence<(Purchaser, StoreTransaction)>, _ catalog: AppCatalog, _ call: Call
    ) throws(AppleError) -> JSONValue {
        let documents = StoreDocuments(app: catalog.state)
        var signed: [JSONValue] = []
        for (purchaser, transaction) in page {
            signed.append(
                try sign(
                    documents.transaction(
                        transaction, purchaser, signedDate: call.nowMilliseconds)))
        }
        return .array(signed)
    }

    /// What was refunded and still is, the earliest first; a refund that a driver dates back counts
    /// as the last, so that no reader of pages misses it.
    func getRefundHistory(_ call: Call) throws(AppleError) -> Response {
        let identifier = try ServerAPI.transactionId(call)
        let query = try CallQuery(call.request)
        try query.onlyHas(["revision"])
        let question = "refunds \(identifier)"
        let after = try revision(query, question, call)
        let all = try purchases(ofCustomer: identifier, call)
            .filter { $0.1.revocation.map { $0.kind != .family } ?? false }
            .sorted { $0.1.modified < $1.1.modified }
        let rest = all.filter { entry in after.map { entry.1.modified > $0 } ?? true }
        let page = rest.prefix(ServerAPI.pageLimit)
        let position = page.last?.1.modified ?? after ?? 0
        let token = PageToken(position: position, issued: call.nowMilliseconds)
        var body = DocumentMembers()
        body.add("signedTransactions", try signed(page, try catalog(call), call))
        body.add("revision", text: token.text(for: question))
        body.add("hasMore", flag: rest.count > page.count)
        return .json(200, body.object.bytes)
    }
}
