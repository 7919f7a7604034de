import HTTPServer

/// The history of notifications, and the test notification.
extension ServerAPI {
    /// How long the history is kept.
    static func historyDays(_ environment: Environment) -> Int64 {
        environment == .production ? 180 : 30
    }

    /// How long a page's token holds. Apple says only that it ends.
    static let tokenMilliseconds: Int64 = 86_400_000
    private static let dayMilliseconds: Int64 = 86_400_000

    fileprivate struct Question {
        var start: Int64
        var end: Int64
        var type: NotificationType?
        var subtype: NotificationSubtype?
        var transactionId: String?
        var onlyFailures: Bool
        /// What a token is good for.
        var text: String
    }

    private func question(_ call: Call) throws(AppleError) -> Question {
        let body = try CallBody(call.request)
        try body.onlyHas([
            "startDate", "endDate", "notificationType", "notificationSubtype", "transactionId",
            "onlyFailures",
        ])
        let start = try body.whole("startDate", else: .invalidStartDate)
        let end = try body.whole("endDate", else: .invalidEndDate)
        guard start <= end else { throw .startDateAfterEndDate }
        let oldest =
            call.nowMilliseconds
            - ServerAPI.historyDays(call.place.environment) * ServerAPI.dayMilliseconds
        guard start >= oldest else { throw .startDateTooFarInPast }
        let typeName = try body.optionalText("notificationType")
        let subtypeName = try body.optionalText("notificationSubtype")
        let transactionId = try body.optionalText("transactionId")
        guard transactionId == nil || (typeName == nil && subtypeName == nil) else {
            throw .multipleFiltersSupplied
        }
        let type = typeName.flatMap { NotificationType(rawValue: $0) }
        let subtype = subtypeName.flatMap { NotificationSubtype(rawValue: $0) }
        guard (typeName == nil) == (type == nil), (subtypeName == nil) == (subtype == nil),
            subtype.map({ type?.subtypes.contains($0) ?? false }) ?? true
        else { throw .invalidNotificationType }
        if let transactionId, !LedgerNumbers.isNumber(transactionId) {
            throw .invalidTransactionId
        }
        let onlyFailures = try body.flag("onlyFailures")
        let parts = [
            String(start), String(end), typeName ?? "", subtypeName ?? "", transactionId ?? "",
            String(onlyFailures),
        ]
        return Question(
            start: start, end: min(end, call.nowMilliseconds), type: type, subtype: subtype,
            transactionId: transactionId, onlyFailures: onlyFailures,
            text: "notifications \(parts.joined(separator: " "))")
    }

    private func position(_ question: Question, _ call: Call) throws(AppleError) -> Int {
        let query = try CallQuery(call.request)
        try query.onlyHas(["paginationToken"])
        guard let text = try query.one("paginationToken", else: .invalidPaginationToken),
            !text.isEmpty
        else { return 0 }
        guard let token = PageToken(text, for: question.text) else {
            throw .invalidPaginationToken
        }
        guard call.nowMilliseconds - token.issued <= ServerAPI.tokenMilliseconds else {
            throw .paginationTokenExpired
        }
        return Int(token.position)
    }

    /// In the order they were made, by their `signedDate`.
    func getNotificationHistory(_ call: Call) throws(AppleError) -> Response {
        let question = try question(call)
        let first = try position(question, call)
        let (records, next) = try page(question, from: first, call)
        var entries: [JSONValue] = []
        for record in records {
            var entry = DocumentMembers()
            entry.add("signedPayload", text: subscriptions.signer.compact(record.signed))
            entry.add("sendAttempts", ServerAPI.attempts(record))
            entries.append(entry.object)
        }
        var body = DocumentMembers()
        if let next {
            let token = PageToken(position: Int64(next), issued: call.nowMilliseconds)
            body.add("paginationToken", text: token.text(for: question.text))
        }
        body.add("hasMore", flag: next != nil)
        body.add("notificationHistory", .array(entries))
        return .json(200, body.object.bytes)
    }

    /// Twenty that fit, and the number of the one that follows; nil where none does.
    private func page(
        _ question: Question, from first: Int, _ call: Call
    ) throws(AppleError) -> ([NotificationRecord], Int?) {
        let found = subscriptions.read(call.place) { ledger -> ([NotificationRecord], Int?)? in
            var customer: String?
            if let identifier = question.transactionId {
                guard let known = ledger.customer(of: identifier) else { return nil }
                customer = known.appTransactionId
            }
            var page: [NotificationRecord] = []
            var number = max(first, ledger.book.first)
            for record in ledger.book.records(from: number) {
                if question.takes(record, customer: customer) {
                    if page.count == ServerAPI.pageLimit { return (page, number) }
                    page.append(record)
                }
                number += 1
            }
            return (page, nil)
        }
        guard let found else { throw .transactionIdNotFound }
        return found
    }

    private static func attempts(_ record: NotificationRecord) -> JSONValue {
        .array(
            record.attempts.map { attempt in
                .object([
                    .init(name: "attemptDate", value: .whole(attempt.attemptDate)),
                    .init(name: "sendAttemptResult", value: .string(attempt.sendAttemptResult)),
                ])
            })
    }

    func requestTestNotification(_ call: Call) throws(AppleError) -> Response {
        guard call.request.body.isEmpty else { throw .generalBadRequest }
        guard subscriptions.read(call.place, { $0.settings.url }) != nil else {
            throw .serverNotificationURLNotFound
        }
        do {
            let view = try subscriptions.announce(
                AppNotice(type: NotificationType.test.rawValue), at: call.place)
            let token = "\(view.notificationUUID)_\(view.signedDate)"
            return MessagingAPI.object([("testNotificationToken", .string(token))])
        } catch {
            throw .generalInternal
        }
    }

    func getTestNotificationStatus(_ call: Call) throws(AppleError) -> Response {
        guard let token = call.path["identifier"],
            uuid(String(token.prefix { $0 != "_" })) != nil, token.contains("_")
        else { throw .invalidTestNotificationToken }
        let record = subscriptions.read(call.place) { ledger in
            ledger.book.number(ofTest: token).flatMap { ledger.book.record($0) }
        }
        guard let record else { throw .testNotificationNotFound }
        return MessagingAPI.object([
            ("signedPayload", .string(subscriptions.signer.compact(record.signed))),
            ("sendAttempts", ServerAPI.attempts(record)),
        ])
    }
}

extension ServerAPI.Question {
    fileprivate func takes(_ record: NotificationRecord, customer: String?) -> Bool {
        guard record.isSent, (start...max(start, end)).contains(record.signedDate) else {
            return false
        }
        if let type, record.type != type.rawValue { return false }
        if let subtype, record.subtype != subtype.rawValue { return false }
        if let customer, record.appTransactionId != customer { return false }
        return !onlyFailures || (!record.isDelivered && !record.attempts.isEmpty)
    }
}
