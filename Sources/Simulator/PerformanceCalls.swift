import FoundationEssentials
import HTTPServer

/// The two calls of the performance test.
extension MessagingAPI {
    func initiatePerformanceTest(_ call: Call) throws(AppleError) -> Response {
        let transactionId = try MessagingAPI.transactionId(call.request)
        let requestId = UUID().lowerCase
        let sold = subscriptions.read(call.place) { $0.sold(transactionId) }
        let (run, subject) = try change(call) { record throws(AppleError) in
            var state = record.catalog.state
            state.transactions += sold
            let transaction = try MessagingAPI.transaction(transactionId, in: state)
            guard let target = state.realtimeURL,
                let productId = transaction.productId ?? state.products.first?.productId
            else { throw .invalidPerformanceTestRequest }
            guard !record.desk.performance.isRunning else { throw .existingPerformanceTestRun }
            let run = record.desk.performance.begin(requestId: requestId, target: target)
            if PerformanceReport(run).result == .pass { record.catalog.state.hasPassingTest = true }
            let subject = PerformanceRunner.Subject(
                place: call.place, originalTransactionId: transactionId, productId: productId)
            return (run, subject)
        }
        if run.outcome == nil { runner.start(run, subject) }
        return MessagingAPI.object([
            ("config", run.config.json), ("requestId", .string(requestId)),
        ])
    }

    func getPerformanceTestResults(_ call: Call) throws(AppleError) -> Response {
        let (_, requestId) = try MessagingAPI.identifier(call, else: .invalidRequestId)
        return try change(call) { record throws(AppleError) in
            guard let report = record.desk.performance.poll(requestId) else {
                throw .performanceTestRunNotFound
            }
            if report.result == .pass { record.catalog.state.hasPassingTest = true }
            return .json(200, report.json.bytes)
        }
    }

    private static func transactionId(_ request: Request) throws(AppleError) -> String {
        do {
            let body = try CallBody(request)
            try body.onlyHas(["originalTransactionId"])
            return try body.text("originalTransactionId")
        } catch {
            throw .invalidPerformanceTestRequest
        }
    }

    /// An active subscription of the sandbox, by its original transaction id and no other, bought
    /// by the customer and not shared with them.
    private static func transaction(
        _ identifier: String, in state: AppState
    ) throws(AppleError) -> AppState.Transaction {
        func names(_ other: String) -> Bool { sameBytes(other, identifier) }
        let known = state.transactions.first { names($0.originalTransactionId) }
        guard let known else {
            if state.transactions.contains(where: { $0.appTransactionId.map(names) ?? false }) {
                throw .appTransactionIdNotSupported
            }
            let isRenewal = state.transactions.contains {
                ($0.transactionIds ?? []).contains(where: names)
            }
            throw isRenewal ? .notOriginalTransactionId : .invalidTransactionId
        }
        guard known.isFamilyShared != true else { throw .familySharedTransaction }
        guard known.isActive != false else { throw .invalidTransactionId }
        return known
    }
}
