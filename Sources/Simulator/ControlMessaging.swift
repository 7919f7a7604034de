import HTTPServer

/// The calls of the control API that drive Apple's side of the Retention Messaging API.
extension ControlAPI {
    private static let apiCallsDefault = 1000

    func addMessagingRoutes(to router: inout Router) {
        let app = "/control/apps/{appAppleId}/{environment}"
        router.on(.get, "\(app)/review") { _, path in
            respond { try json(memory.review(try place(path))) }
        }
        router.on(.put, "\(app)/review") { request, path in
            respond {
                let script = try ControlBody.decode(ReviewScript.self, request.body)
                try memory.set(script, at: try place(path))
                return .empty(204)
            }
        }
        router.on(.put, "\(app)/review/{identifier}") { request, path in
            respond { try putDecision(request, path) }
        }
        router.on(.get, "\(app)/performance-tests") { _, path in
            respond { try json(memory.performanceTests(try place(path))) }
        }
        router.on(.put, "\(app)/performance-tests") { request, path in
            respond {
                let script = try ControlBody.decode(PerformanceTestScript.self, request.body)
                try memory.set(script, at: try place(path))
                return .empty(204)
            }
        }
        router.on(.get, "/control/faults") { _, _ in respond { try json(memory.faults) } }
        router.on(.put, "/control/faults") { request, _ in
            respond {
                let script = try ControlBody.decode(FaultScript.self, request.body)
                try memory.setChecked(script)
                return .empty(204)
            }
        }
        router.on(.get, "/control/limits") { _, _ in respond { try json(memory.limits) } }
        router.on(.put, "/control/limits") { request, _ in
            respond {
                let limits = try ControlBody.decode(RateLimits.self, request.body)
                try memory.setChecked(limits)
                return .empty(204)
            }
        }
        router.on(.get, "/control/api-calls") { request, _ in respond { try apiCalls(request) } }
        router.on(.delete, "/control/api-calls") { _, _ in
            memory.forgetAPICalls()
            return .empty(204)
        }
        router.on(.post, "/control/reset") { _, _ in
            memory.forgetAll()
            subscriptions.forgetAll()
            bases.forget()
            return .empty(204)
        }
    }

    private func putDecision(_ request: Request, _ path: PathParameters) throws -> Response {
        let decision = try ControlBody.decode(ReviewDecision.self, request.body)
        try memory.decide(path["identifier"] ?? "", decision.state, at: try place(path))
        return .empty(204)
    }

    private func apiCalls(_ request: Request) throws -> Response {
        var limit = ControlAPI.apiCallsDefault
        if let text = ControlQuery(request.query)["limit"] {
            guard let value = ControlQuery.whole(text),
                (1...APICallLog.callsLimit).contains(Int(value))
            else { throw ControlError(.invalidQuery, "limit is 1 to \(APICallLog.callsLimit).") }
            limit = Int(value)
        }
        let (calls, counts) = memory.apiCalls(last: limit)
        return try json(APICallReport(counts: counts, calls: calls))
    }
}

/// What review says of one image or message, by hand.
package struct ReviewDecision: Codable, Sendable {
    package var state: AppState.ReviewState

    package init(state: AppState.ReviewState) {
        self.state = state
    }
}

package struct APICallReport: Codable, Sendable {
    /// Over all calls since the last clearing, also those no longer listed.
    package var counts: APICallCounts
    /// The last ones, oldest first.
    package var calls: [APICall]
}

extension AppStoreMemory {
    /// - Throws: `unknownApp`, and what is wrong with the script.
    func set(_ script: ReviewScript, at place: Place) throws(ControlError) {
        try script.check()
        try known(change(place) { $0.desk.set(script) })
    }

    func review(_ place: Place) throws(ControlError) -> ReviewScript {
        try known(change(place) { $0.desk.script })
    }

    func set(_ script: PerformanceTestScript, at place: Place) throws(ControlError) {
        try script.check()
        try known(change(place) { $0.desk.performance.script = script })
    }

    func performanceTests(_ place: Place) throws(ControlError) -> PerformanceTestScript {
        try known(change(place) { $0.desk.performance.script })
    }

    func decide(
        _ identifier: String, _ state: AppState.ReviewState, at place: Place
    ) throws(ControlError) {
        guard let identifier = uuid(identifier) else {
            throw ControlError(.invalidQuery, "The identifier of an image or message is a UUID.")
        }
        let isKnown = try known(
            change(place) { record in
                record.desk.endReview(identifier)
                return record.catalog.decide(identifier, state)
            })
        guard isKnown else {
            throw ControlError(.invalidState, "The app has no image or message of this identifier.")
        }
    }

    /// Everything that is pending, at once.
    func decidePending(_ state: AppState.ReviewState, at place: Place) throws(ControlError) {
        try known(
            change(place) { record in
                let app = record.catalog.state
                let images = app.images.filter { $0.imageState == .pending }
                let messages = app.messages.filter { $0.messageState == .pending }
                let identifiers =
                    images.map(\.imageIdentifier) + messages.map(\.messageIdentifier)
                for identifier in identifiers.compactMap({ uuid($0) }) {
                    record.desk.endReview(identifier)
                    record.catalog.decide(identifier, state)
                }
            })
    }

    func setChecked(_ faults: FaultScript) throws(ControlError) {
        try faults.check()
        set(faults)
    }

    func setChecked(_ limits: RateLimits) throws(ControlError) {
        try limits.check()
        set(limits)
    }

    @discardableResult
    private func known<Value>(_ value: Value?) throws(ControlError) -> Value {
        guard let value else {
            throw ControlError(.unknownApp, "The simulator knows no such app; PUT its state first.")
        }
        return value
    }
}
