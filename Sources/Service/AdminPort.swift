private import HTTPServer

/// The port for those who run a service; never reachable from outside the machine.
///
/// - `GET /livez`: 200 while the process answers at all.
/// - `GET /readyz`: 200 or 503, with `Readiness` as JSON.
/// - `GET /metrics`: `Metrics` as OpenMetrics text.
package final class AdminPort: Sendable {
    /// Probes and one or two scrapers.
    private static let connectionsLimit = 64
    private static let requestDeadline = Duration.seconds(5)
    /// Admin requests have no body.
    private static let bodyBytesLimit = 1_024

    package var port: UInt16 { server.port }
    private let server: Server

    /// - Parameters:
    ///   - host: a numeric address; loopback unless the operator says otherwise.
    ///   - port: 0 takes any free port, see `port`.
    ///   - readiness: asked at each `/readyz`, on this port's threads; it must not wait.
    package init(
        host: String = "127.0.0.1", port: UInt16, metrics: Metrics,
        readiness: @escaping @Sendable () -> Readiness
    ) throws {
        var limits = Limits()
        limits.connections = Self.connectionsLimit
        limits.requestDeadline = Self.requestDeadline
        limits.bodyBytes = Self.bodyBytesLimit
        let router = Self.routes(metrics: metrics, readiness: readiness)
        server = try Server(
            ServerSettings(host: host, port: port, threads: .pool(1), limits: limits),
            handler: { router.respond(to: $0) })
    }

    package func stop() { server.stop(drain: .seconds(1)) }

    private static func routes(
        metrics: Metrics, readiness: @escaping @Sendable () -> Readiness
    ) -> Router {
        var router = Router()
        router.on(.get, "/livez") { _, _ in .json(200, Array("{\"live\":true}\n".utf8)) }
        router.on(.get, "/readyz") { _, _ in
            let state = readiness()
            return .json(state.ready ? 200 : 503, state.json())
        }
        router.on(.get, "/metrics") { _, _ in
            Response(
                status: 200, headers: [("Content-Type", Metrics.contentType)],
                body: metrics.openMetrics())
        }
        return router
    }
}
