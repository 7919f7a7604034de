import HTTPServer
import Service
import Signing

/// The simulator's own HTTP interface, on loopback: whoever drives it plays the developer who
/// uploads, the reviewer who approves, and the customer who cancels.
///
/// ```
/// PUT  GET  /control/apps/{appAppleId}/{environment}             AppState
/// PUT  GET  /control/apps/{appAppleId}/{environment}/behaviour   Behaviour
/// PUT  GET  /control/origins                                     OriginMap
/// GET       /control/root-certificate                            DER
/// POST      /control/page-views        PageViewBatch        ->   PageViewReport
/// POST      /control/signed-requests   SignedRequestBatch   ->   SignedRequestReport
/// GET DELETE /control/statistics       [?appAppleId=…&environment=…]  Statistics.Report
/// GET       /control/calls             [?limit=…]                CallReport
///
/// PUT  GET  /control/apps/{appAppleId}/{environment}/review      ReviewScript
/// PUT       /control/apps/{appAppleId}/{environment}/review/{identifier}     ReviewDecision
/// PUT  GET  /control/apps/{appAppleId}/{environment}/performance-tests
///                                                                PerformanceTestScript
/// PUT  GET  /control/faults                                      FaultScript
/// PUT  GET  /control/limits                                      RateLimits
/// GET DELETE /control/api-calls        [?limit=…]                APICallReport
/// POST      /control/reset             forgets apps, scripts, calls and counts
///
/// POST      /control/apps/{appAppleId}/{environment}/subscribers  SubscriberOrder -> EventReport
/// GET       /control/apps/{appAppleId}/{environment}/subscribers/{transactionId}
///                                                                SubscriptionView
/// POST      …/subscribers/{transactionId}/events SubscriptionEvent -> EventReport
/// POST      /control/apps/{appAppleId}/{environment}/notices     AppNotice -> NotificationView
/// PUT  GET  /control/apps/{appAppleId}/{environment}/notifications NotificationSettings
/// GET       /control/apps/{appAppleId}/{environment}/notifications/sent
///                              [?limit=…&signedPayload=true]     NotificationReport
/// POST      /control/notifications/release   what is held out of order leaves now
/// POST      /control/sign                    any JSON           -> SignedText
/// PUT  GET  /control/base                    SubscriberBasePlan -> BaseReport
/// POST      /control/base/play               PlayOrder          -> BaseReport
/// PUT  GET  /control/clock                   ClockView
/// ```
/// PUT, DELETE and reset answer 204. A refusal is a `ControlError` as JSON.
package struct ControlAPI: Sendable {
    /// A state with 2,000 messages and 2,000 images has about 1.5 MB.
    package static let bodyBytesLimit = 4 * 1024 * 1024
    /// A thousand results have under 1 MB.
    package static let pageViewsLimit = 1_000
    package static let signedRequestsLimit = 500
    private static let callsDefault = 100

    let memory: AppStoreMemory
    private let pages: SubscriptionPages
    private let signer: RequestSigner
    private let clock: Clock
    let subscriptions: Subscriptions
    let bases: BaseShelf

    init(
        memory: AppStoreMemory, pages: SubscriptionPages, signer: RequestSigner, clock: Clock,
        subscriptions: Subscriptions, bases: BaseShelf
    ) {
        self.memory = memory
        self.pages = pages
        self.signer = signer
        self.clock = clock
        self.subscriptions = subscriptions
        self.bases = bases
    }
}

package struct PageViewBatch: Codable, Sendable {
    package var pageViews: [PageView]

    package init(pageViews: [PageView]) {
        self.pageViews = pageViews
    }
}

package struct PageViewReport: Codable, Sendable {
    /// In the order of the page views.
    package var results: [PageViewResult]
    /// Of this batch alone.
    package var statistics: Statistics.Report
}

package struct SignedRequestBatch: Codable, Sendable {
    package var signedRequests: [SignedRequest.Order]

    package init(signedRequests: [SignedRequest.Order]) {
        self.signedRequests = signedRequests
    }
}

package struct SignedRequestReport: Codable, Sendable {
    package var signedRequests: [SignedRequest.Product]
}

package struct CallReport: Codable, Sendable {
    /// Newest first.
    package var calls: [Call]
}

extension ControlAPI {
    /// Answers one call. A browser names the page a call comes from; such calls are refused, so
    /// that no web page that someone has open can drive the simulator.
    func respond(to request: Request, by router: Router) -> Response {
        guard request.header("Origin") == nil else {
            return respond {
                throw ControlError(.webPage, "Web pages may not call; send no Origin header.")
            }
        }
        return router.respond(to: request)
    }

    var router: Router {
        var router = Router()
        let app = "/control/apps/{appAppleId}/{environment}"
        router.on(.put, app) { request, path in respond { try putApp(request, path) } }
        router.on(.get, app) { _, path in respond { try json(catalog(at: place(path)).state) } }
        router.on(.put, "\(app)/behaviour") { request, path in
            respond { try putBehaviour(request, path) }
        }
        router.on(.get, "\(app)/behaviour") { _, path in
            respond {
                let place = try place(path)
                _ = try catalog(at: place)
                return try json(memory.behaviour(place))
            }
        }
        router.on(.put, "/control/origins") { request, _ in respond { try putOrigins(request) } }
        router.on(.get, "/control/origins") { _, _ in respond { try json(memory.origins) } }
        router.on(.get, "/control/root-certificate") { _, _ in rootCertificate() }
        router.on(.post, "/control/page-views") { request, _ in
            respond { try playPageViews(request) }
        }
        router.on(.post, "/control/signed-requests") { request, _ in
            respond { try makeSignedRequests(request) }
        }
        router.on(.get, "/control/statistics") { request, _ in
            respond { try statistics(request) }
        }
        router.on(.delete, "/control/statistics") { _, _ in
            memory.resetStatistics()
            return .empty(204)
        }
        router.on(.get, "/control/calls") { request, _ in respond { try calls(request) } }
        addMessagingRoutes(to: &router)
        addSubscriptionRoutes(to: &router)
        addBaseRoutes(to: &router)
        return router
    }

    private func putApp(_ request: Request, _ path: PathParameters) throws -> Response {
        let place = try place(path)
        let state = try ControlBody.decode(AppState.self, request.body)
        guard state.appAppleId == place.appAppleId, state.environment == place.environment else {
            throw ControlError(.invalidState, "The body names another app than the path.")
        }
        try memory.set(try AppCatalog(state), at: place)
        return .empty(204)
    }

    private func putBehaviour(_ request: Request, _ path: PathParameters) throws -> Response {
        let place = try place(path)
        _ = try catalog(at: place)
        let behaviour = try ControlBody.decode(Behaviour.self, request.body)
        guard (0...Behaviour.transitMillisecondsLimit).contains(behaviour.transitMilliseconds)
        else { throw ControlError(.invalidState, "transitMilliseconds is 0 to 10,000.") }
        memory.set(behaviour, at: place)
        return .empty(204)
    }

    private func putOrigins(_ request: Request) throws -> Response {
        let origins = try ControlBody.decode(OriginMap.self, request.body)
        try origins.check()
        memory.set(origins)
        return .empty(204)
    }

    private func rootCertificate() -> Response {
        Response(
            status: 200, headers: [("Content-Type", "application/pkix-cert")],
            body: signer.rootCertificate)
    }

    private func playPageViews(_ request: Request) throws -> Response {
        let batch = try ControlBody.decode(PageViewBatch.self, request.body)
        guard batch.pageViews.count <= ControlAPI.pageViewsLimit else {
            throw ControlError(.tooMany, "Send at most \(ControlAPI.pageViewsLimit) page views.")
        }
        let results = pages.play(batch.pageViews)
        return try json(
            PageViewReport(results: results, statistics: Statistics(results).report))
    }

    private func makeSignedRequests(_ request: Request) throws -> Response {
        let batch = try ControlBody.decode(SignedRequestBatch.self, request.body)
        guard batch.signedRequests.count <= ControlAPI.signedRequestsLimit else {
            throw ControlError(
                .tooMany, "Ask for at most \(ControlAPI.signedRequestsLimit) signed requests.")
        }
        let maker = SignedRequestMaker(signer: signer, nowMilliseconds: clock.now())
        let made = try batch.signedRequests.map { try maker.make($0) }
        return try json(SignedRequestReport(signedRequests: made))
    }

    private func statistics(_ request: Request) throws -> Response {
        let query = ControlQuery(request.query)
        var place: AppStoreMemory.Place?
        if query["appAppleId"] != nil || query["environment"] != nil {
            place = try self.place(query["appAppleId"], query["environment"])
        }
        return try json(memory.statistics(place).report)
    }

    private func calls(_ request: Request) throws -> Response {
        var limit = ControlAPI.callsDefault
        if let text = ControlQuery(request.query)["limit"] {
            guard let value = ControlQuery.whole(text), (1...1000).contains(value) else {
                throw ControlError(.invalidQuery, "limit is 1 to 1000.")
            }
            limit = Int(value)
        }
        return try json(CallReport(calls: memory.lastCalls(limit)))
    }
}

extension ControlAPI {
    func place(_ path: PathParameters) throws(ControlError) -> AppStoreMemory.Place {
        try place(path["appAppleId"], path["environment"])
    }

    private func place(
        _ appAppleId: String?, _ environment: String?
    ) throws(ControlError) -> AppStoreMemory.Place {
        guard let appAppleId = appAppleId.flatMap(ControlQuery.whole),
            let environment = environment.flatMap(Environment.init)
        else {
            throw ControlError(
                .invalidQuery, "Name appAppleId, a number, and environment, Production or Sandbox.")
        }
        return AppStoreMemory.Place(appAppleId: appAppleId, environment: environment)
    }

    private func catalog(at place: AppStoreMemory.Place) throws(ControlError) -> AppCatalog {
        guard let catalog = memory.catalog(place) else {
            throw ControlError(.unknownApp, "The simulator knows no such app; PUT its state first.")
        }
        return catalog
    }

    func json(_ body: some Encodable) throws -> Response {
        .json(200, try ControlBody.encode(body))
    }

    func respond(_ body: () throws -> Response) -> Response {
        do {
            return try body()
        } catch let error as ControlError {
            return .json(error.status, (try? ControlBody.encode(error)) ?? [])
        } catch {
            return .empty(500)
        }
    }
}
