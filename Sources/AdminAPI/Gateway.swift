internal import Dispatch
package import HTTPServer
internal import Postgres
internal import Retention
package import RetentionStore
package import Service
package import Signing

/// Takes each request through the same steps, whatever its operation:
///
///     route -> key -> limits -> transaction { key -> scope -> idempotency -> handler }
///
/// The key is looked up in the transaction that has the effect: what is revoked is refused at once,
/// and the database itself holds the tenant for all that the handler does.
package final class Gateway: Sendable {
    let store: RetentionStore
    let clock: Clock
    let log: Log
    let metrics: GatewayMetrics
    /// Signing keys and tokens are sealed to it; it opens nothing.
    let platformKey: PublicKey
    let limiter: RateLimiter
    fileprivate let keys = KeyMemory()
    /// Pictures decoded at once: each takes tens of megabytes and a whole core.
    let pictureGate = DispatchSemaphore(value: 2)
    /// Called after a job was committed, so that it need not wait for the next look.
    let jobAdded: @Sendable () -> Void
    private let routes: RouteTable<Target>

    fileprivate enum Target {
        case document(PublicDocument)
        case operation(Operation)
    }

    package init(
        store: RetentionStore, clock: Clock, log: Log, metrics: GatewayMetrics,
        platformKey: PublicKey, limiter: RateLimiter,
        jobAdded: @escaping @Sendable () -> Void = {}
    ) {
        self.store = store
        self.clock = clock
        self.log = log
        self.metrics = metrics
        self.platformKey = platformKey
        self.limiter = limiter
        self.jobAdded = jobAdded
        var routes = RouteTable<Target>()
        routes.add(.get, "/openapi.json", .document(.openAPI))
        routes.add(.get, "/v1/rule-set-schema", .document(.ruleSetSchema))
        for operation in Operations.all {
            routes.add(operation.method, operation.path, .operation(operation))
        }
        self.routes = routes
    }

    package func respond(to request: Request) -> Response {
        let exchange = Exchange(gateway: self, request: request)
        switch routes.match(request) {
        case .found(.document(let document), _):
            return exchange.finish(document.respond(to: request))
        case .found(.operation(let operation), let path):
            return exchange.finish(exchange.perform(operation, path))
        case .notFound: return exchange.finish(.notFound)
        case .methodNotAllowed(let methods):
            let allow = Response.methodNotAllowed(methods).headers
            return exchange.finish(
                Problem(
                    .methodNotAllowed, "Allow names the methods that exist here.", headers: allow))
        }
    }

    /// Writes down when keys were used.
    package func flushKeyUse() throws { try keys.flush(to: store) }

    var now: Instant { Instant(milliseconds: clock.now()) }
}

/// One request on its way.
private struct Exchange {
    private let gateway: Gateway
    private let request: Request
    private let requestId: String
    private let start = ContinuousClock.now

    init(gateway: Gateway, request: Request) {
        self.gateway = gateway
        self.request = request
        requestId = Self.requestId(request)
    }

    func finish(_ response: Response) -> Response {
        var response = response
        response.headers.append(("Request-Id", requestId))
        return response
    }

    func finish(_ problem: Problem) -> Response {
        finish(problem.response(requestId: requestId))
    }

    // MARK: - One operation

    func perform(_ operation: Operation, _ path: PathParameters) -> Response {
        var headers: [(name: String, value: String)] = []
        var principal: Principal?
        let response: Response
        do {
            let answer = try authorized(operation, path, &headers, &principal)
            response = conditional(answer)
        } catch {
            response = refusal(error, operation).response(requestId: requestId)
        }
        note(operation, response.status, principal)
        return Response(
            status: response.status, headers: response.headers + headers, body: response.body)
    }

    private func authorized(
        _ operation: Operation, _ path: PathParameters,
        _ headers: inout [(name: String, value: String)], _ principal: inout Principal?
    ) throws -> Answer {
        let token = try bearerToken()
        // What is expensive before the transaction is not done on a remembered key's word.
        let remembered = operation.prepare == nil ? gateway.keys.find(token) : nil
        let known = try remembered ?? lookUp(token)
        principal = known
        let standing = try gateway.limiter.begin(
            known.tenant, quota: Int(known.requestsPerMinute))
        defer { gateway.limiter.finish(known.tenant) }
        headers = standing.headers
        try requireScope(operation, known)
        try checkBody(operation)
        let query = try QueryReader(request.query, known: operation.query)
        let prepared = try operation.prepare.map { prepare in
            try prepare(
                Preparation(
                    body: request.body, contentType: request.header("Content-Type") ?? "",
                    query: query, gateway: gateway))
        }
        let (answer, current) = try inTransaction(token) { transaction, principal in
            try requireScope(operation, principal)
            let call = Call(
                operation: operation, request: request, path: path, query: query,
                principal: principal, transaction: transaction, requestId: requestId,
                address: address, prepared: prepared, gateway: gateway)
            return (try once(call), principal)
        }
        gateway.keys.note(token, current, at: gateway.now)
        if answer.status == 202 { gateway.jobAdded() }
        return answer
    }

    /// A key that this process has not seen, or must not take on trust.
    private func lookUp(_ token: [UInt8]) throws -> Principal {
        let principal = try inTransaction(token) { $1 }
        gateway.keys.note(token, principal, at: gateway.now)
        return principal
    }

    /// A key that is refused is forgotten at once; see also `KeyMemory.lifetime`.
    private func inTransaction<R>(
        _ token: [UInt8], _ body: (TenantTransaction, Principal) throws -> R
    ) throws -> R {
        do {
            return try gateway.store.transaction(presenting: token, at: gateway.now, body)
        } catch let error as StoreError where error.code == .unauthenticated {
            gateway.keys.forget(token)
            throw error
        }
    }

    private func bearerToken() throws(Problem) -> [UInt8] {
        let scheme = "bearer "
        guard let field = request.header("Authorization"),
            field.utf8.prefix(scheme.utf8.count).map({ $0 | 0x20 }).elementsEqual(scheme.utf8),
            let token = APIKeyToken(Array(field.utf8.dropFirst(scheme.utf8.count)))
        else { throw .unauthenticated }
        return token.hash
    }

    private func requireScope(_ operation: Operation, _ principal: Principal) throws(Problem) {
        guard principal.may(operation.scope) else {
            throw Problem(
                .scopeMissing, "This call needs the scope \(operation.scope); the key has not it.")
        }
        if operation.scope.group == .keys, principal.isLimited {
            throw Problem(
                .scopeMissing, "A key that is limited to clients or apps manages no keys.")
        }
    }

    private func checkBody(_ operation: Operation) throws(Problem) {
        if operation.body == .none || operation.body == .optionalJSON && request.body.isEmpty {
            return
        }
        let types = operation.body.mediaTypes
        let type = MediaType(request.header("Content-Type") ?? "")
        guard types.contains(where: type.matches) else {
            throw Problem(
                .unsupportedMediaType,
                "Send the body as Content-Type: \(types.joined(separator: " or ")).")
        }
        guard request.body.count <= operation.body.bytesLimit else {
            throw Problem(
                .payloadTooLarge,
                "The body has \(request.body.count) bytes, \(operation.body.bytesLimit) are taken.")
        }
    }

    // MARK: - Once

    /// Runs the handler, or replays what it answered to the same request before.
    private func once(_ call: Call) throws -> Answer {
        guard let key = try IdempotencyKey(call) else { return try call.operation.handle(call) }
        switch try claim(key, call) {
        case .otherRequest:
            throw Problem(
                .idempotencyKeyReused,
                "Another request was sent with this Idempotency-Key; use a new one.")
        case .replay(let recorded):
            gateway.metrics.replayed.add()
            return try key.replay(recorded)
        case .first:
            let answer = try call.operation.handle(call)
            try call.transaction.recordAnswer(
                key.record(answer), idempotencyKey: key.text, of: call.principal.key)
            return answer
        }
    }

    private func claim(_ key: IdempotencyKey, _ call: Call) throws -> IdempotencyClaim {
        do {
            return try call.transaction.claimIdempotencyKey(
                key.text, of: call.principal.key, fingerprint: key.fingerprint)
        } catch let error where DatabaseProblem.isLockTimeout(error) {
            throw Problem(
                .requestInFlight,
                "The first request with this Idempotency-Key is still running; ask again soon.",
                headers: [("Retry-After", "1")])
        }
    }

    // MARK: - Answers

    /// 304 where the caller has what it would get.
    private func conditional(_ answer: Answer) -> Response {
        guard request.method == .get || request.method == .head, answer.status == 200,
            let tag = answer.header("ETag"), let held = request.header("If-None-Match"),
            EntityTags(held).contain(tag)
        else {
            return Response(status: answer.status, headers: answer.headers, body: answer.body)
        }
        let kept = answer.headers.filter { ["ETag", "Cache-Control"].contains($0.name) }
        return Response(status: 304, headers: kept)
    }

    private func refusal(_ error: any Error, _ operation: Operation) -> Problem {
        switch error {
        case let problem as Problem: return problem
        case let error as StoreError: return DatabaseProblem.problem(error)
        case let error as PostgresError:
            if let problem = DatabaseProblem.problem(error, method: request.method) {
                if problem.code == .unavailable { report(error, operation) }
                return problem
            }
        default: break
        }
        report(error, operation)
        return Problem(
            .internalError,
            "Nothing was changed. Try again; if it stays, tell the operator the "
                + "request id.")
    }

    private func report(_ error: any Error, _ operation: Operation) {
        // A database error holds no value that was bound.
        gateway.log.error(
            "request_failed",
            [
                ("operation", .string(operation.id)), ("requestId", .string(requestId)),
                ("error", .string("\(error)")),
            ])
    }

    private func note(_ operation: Operation, _ status: Int, _ principal: Principal?) {
        let took = ContinuousClock.now - start
        gateway.metrics.answered.add(1, operation.id, String(status))
        gateway.metrics.seconds.observe(took)
        gateway.log.info(
            "request",
            [
                ("operation", .string(operation.id)), ("status", LogValue(status)),
                ("requestId", .string(requestId)),
                ("milliseconds", .double(took / .milliseconds(1))),
                ("tenant", principal.map { .string($0.tenant.description) } ?? .null),
                ("key", principal.map { .string($0.key.description) } ?? .null),
            ])
    }

    // MARK: - Who asks

    /// The caller's own, if it is harmless; else a new one.
    private static func requestId(_ request: Request) -> String {
        let lengthLimit = 64
        if let own = request.header("Request-Id"), (1...lengthLimit).contains(own.utf8.count),
            own.utf8.allSatisfy(isPlain)
        {
            return own
        }
        return HexadecimalText.of(randomBytes(16))
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }

    /// The proxy on this machine says whom it speaks for; nobody else is believed.
    private var address: String? {
        let addressLimit = 64
        guard let peer = request.peer, peer == "127.0.0.1" || peer == "::1",
            let field = request.header("X-Forwarded-For"),
            let last = field.split(separator: ",").last?.drop(while: { $0 == " " }),
            last.utf8.count <= addressLimit
        else { return request.peer }
        return String(last)
    }
}

/// `type/subtype` of a Content-Type, without its parameters.
struct MediaType {
    private let essence: [UInt8]

    init(_ field: String) {
        let bare = field.utf8.prefix { $0 != UInt8(ascii: ";") }.filter { $0 != 0x20 && $0 != 0x09 }
        essence = bare.map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }
    }

    func matches(_ type: String) -> Bool { essence.elementsEqual(type.utf8) }
}
