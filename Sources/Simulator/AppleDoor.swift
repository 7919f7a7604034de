import FoundationEssentials
import HTTPServer
import Service

/// One of Apple's two hosts: who calls is found out, faults are played, limits are counted, and
/// every call is written down.
///
/// ```
/// request ─► which call ─► whose token ─► faults drawn ─► token right? ─► access? ─► hour's calls?
///                                             │            401             404         429
///                                             ▼                                         │
///            answer ◄─ fault on the answer ◄─ not applied, or ◄─ MessagingAPI, ServerAPI ◄─┘
/// ```
struct AppleDoor: Sendable {
    let environment: Environment
    let memory: AppStoreMemory
    let messaging: MessagingAPI
    let server: ServerAPI
    let clock: Clock

    func respond(to request: Request) -> Response {
        var call = APICall(at: clock.now(), environment: environment, request: request)
        guard
            case .found(let endpoint, let path) = AppleEndpoint.routes.match(request),
            endpoint.isServed(in: environment)
        else { return finish(&call, misdirected(request)) }
        call.endpoint = endpoint
        call.identifier = path["identifier"]
        if let productId = path["productId"], let locale = path["locale"] {
            call.identifier = "\(productId)/\(locale)"
        }
        let caller = Caller(request, environment, memory)
        call.appAppleId = caller.place?.appAppleId
        let faults = memory.drawFaults(endpoint, environment, call.appAppleId)
        let fault = faults.first { !$0.isBackground }
        let offset = faults.first { $0.kind == .clockOffset }?.milliseconds ?? 0
        call.fault = fault?.kind ?? faults.first?.kind
        let now = clock.now() + offset
        var response = Response.empty(200)
        if fault?.doesApply ?? true {
            response = answer(
                request, path, caller, &call, now, lag: faults.first { $0.kind == .listLag })
        }
        if let fault { response = played(fault, on: response, caller, &call, now) }
        response.headers.append(("Date", HTTPDate.text(now)))
        return finish(&call, response)
    }

    private func misdirected(_ request: Request) -> Response {
        if case .methodNotAllowed(let methods) = AppleEndpoint.routes.match(request) {
            return .methodNotAllowed(methods)
        }
        return .empty(404)
    }

    /// Writes the call down, before anything of the answer is seen.
    private func finish(_ call: inout APICall, _ response: Response) -> Response {
        switch response.departure {
        case .cut, .reset, .silent: break
        case .whole, .cutInBody, .drip, .late: call.status = response.status
        }
        memory.record(call)
        return response
    }
}

/// Who calls, as far as the token says; nothing of it is believed yet.
private struct Caller {
    var token: Result<BearerToken, BearerToken.Refusal>
    var place: AppStoreMemory.Place?

    init(_ request: Request, _ environment: Environment, _ memory: AppStoreMemory) {
        token = Result { () throws(BearerToken.Refusal) in
            try BearerToken(authorization: request.header("Authorization"))
        }
        place = (try? token.get()).flatMap { memory.place(bundleId: $0.bundleId, environment) }
    }
}

extension AppleDoor {
    /// What Apple does and says where nothing goes wrong on the way.
    private func answer(
        _ request: Request, _ path: PathParameters, _ caller: Caller, _ call: inout APICall,
        _ now: Int64, lag: Fault?
    ) -> Response {
        let app = caller.place.flatMap { memory.catalog($0) }
        do {
            try caller.token.get().verify(for: app, nowSeconds: now / 1000)
        } catch {
            call.explanation = error.explanation
            return AppleDoor.unauthenticated
        }
        guard let place = caller.place, let endpoint = call.endpoint,
            endpoint.api == .server || app?.state.hasRetentionMessagingAccess == true
        else { return .empty(404) }
        let counted = RateLimiter.Place(app: place, endpoint: endpoint)
        call.beforeRetryAfter = memory.isPromised(counted, nowMilliseconds: now)
        if case .refused(let retryAfter) = memory.take(counted, nowMilliseconds: now) {
            call.overLimit = true
            return refuse(.rateLimitExceeded, &call, [("Retry-After", String(retryAfter))])
        }
        do {
            let response =
                switch endpoint.api {
                case .messaging:
                    try messaging.answer(
                        MessagingAPI.Call(
                            endpoint: endpoint, place: place, request: request, path: path,
                            nowMilliseconds: call.at, lag: lag))
                case .server:
                    try server.answer(
                        ServerAPI.Call(
                            endpoint: endpoint, place: place, request: request, path: path,
                            nowMilliseconds: call.at))
                }
            call.isApplied = true
            return response
        } catch {
            return refuse(error, &call)
        }
    }

    private func refuse(
        _ error: AppleError, _ call: inout APICall, _ headers: [(String, String)] = []
    ) -> Response {
        call.errorCode = error.rawValue
        var response = error.response
        response.headers += headers.map { (name: $0.0, value: $0.1) }
        return response
    }

    /// No JSON: Apple's front answers this, not the API.
    private static let unauthenticated = Response(
        status: 401, headers: [("Content-Type", "text/plain")], body: Array("Unauthenticated".utf8))
}

// MARK: Faults

extension AppleDoor {
    /// How often a dripping answer gives a piece, where nothing is said.
    private static let dripMilliseconds: Int64 = 20

    /// The answer that is sent in place of the right one.
    private func played(
        _ fault: Fault, on response: Response, _ caller: Caller, _ call: inout APICall, _ now: Int64
    ) -> Response {
        var played = response
        switch fault.kind {
        case .cut: played.departure = .cut
        case .reset: played.departure = .reset
        case .cutInBody: played.departure = .cutInBody(afterBytes: response.body.count / 2)
        case .hang:
            let silence = Duration.milliseconds(fault.milliseconds ?? 0)
            played.departure = fault.doesApply ? .late(after: silence) : .silent(for: silence)
        case .drip:
            let pause = fault.milliseconds ?? AppleDoor.dripMilliseconds
            played.departure = .drip(pieceBytes: 16, pause: .milliseconds(pause))
        case .internalError: played = refuse(.generalInternal, &call)
        case .unavailable: played = .empty(503)
        case .html: played = AppleDoor.page(fault.status ?? 502)
        case .emptyBody: played.body = []
        case .truncatedJSON: played.body = Array(response.body.prefix(response.body.count / 2))
        case .redirect:
            let location = fault.location ?? "https://elsewhere.example\(call.path)"
            played = Response(status: 301, headers: [("Location", location)])
        case .tooManyRequests:
            played = tooMany(fault, caller, &call, now)
        case .listLag, .clockOffset: break
        }
        return played
    }

    private static func page(_ status: Int) -> Response {
        let text =
            "<!DOCTYPE html><html><head><title>Error</title></head>"
            + "<body><h1>The service is not available</h1></body></html>"
        return Response(
            status: status, headers: [("Content-Type", "text/html;charset=utf-8")],
            body: Array(text.utf8))
    }

    /// Refuses with a Retry-After of the form asked for, `milliseconds` from now. Only Apple's own
    /// form is held against those who come early: nobody can keep to the others.
    private func tooMany(
        _ fault: Fault, _ caller: Caller, _ call: inout APICall, _ now: Int64
    ) -> Response {
        let wait = fault.milliseconds ?? 1000
        let form = fault.retryAfter ?? .epochMilliseconds
        if form == .epochMilliseconds, let place = caller.place, let endpoint = call.endpoint {
            let counted = RateLimiter.Place(app: place, endpoint: endpoint)
            call.beforeRetryAfter = memory.isPromised(counted, nowMilliseconds: now)
            memory.promise(counted, until: now + wait)
        }
        let value: String? =
            switch form {
            case .epochMilliseconds: String(now + wait)
            case .epochSeconds: String((now + wait) / 1000)
            case .seconds: String(wait / 1000)
            case .missing: nil
            case .past: String(now - 3_600_000)
            case .farFuture: String(now + 100 * 366 * 86_400_000)
            case .garbage: "soon, 4 o'clock"
            }
        return refuse(.rateLimitExceeded, &call, value.map { [("Retry-After", $0)] } ?? [])
    }
}

extension APICall {
    fileprivate init(at: Int64, environment: Environment, request: Request) {
        self.init(
            at: at, appAppleId: nil, environment: environment, endpoint: nil,
            method: request.method.rawValue, path: request.path, identifier: nil, status: nil,
            errorCode: nil, fault: nil, isApplied: false, overLimit: false,
            beforeRetryAfter: false, explanation: nil)
    }
}

/// `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7).
enum HTTPDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    static func text(_ milliseconds: Int64) -> String {
        let seconds = max(0, milliseconds / 1000)
        let day = Int(seconds / 86_400)
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = calendar.dateComponents(
            [.year, .month, .day], from: Date(timeIntervalSince1970: Double(seconds)))
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
        let clock = [seconds % 86_400 / 3600, seconds % 3600 / 60, seconds % 60]
            .map { two(Int($0)) }.joined(separator: ":")
        return "\(days[day % 7]), \(two(parts.day ?? 1)) \(months[(parts.month ?? 1) - 1]) "
            + "\(parts.year ?? 1970) \(clock) GMT"
    }
}
