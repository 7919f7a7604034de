// The admin port over real HTTP.

import Foundation
import HTTPClient
import Service
import Synchronization
import Testing

@Suite struct `The admin port` {
    let transport = Transport()

    func get(_ path: String, _ admin: AdminPort, method: String = "GET") throws -> ClientResponse {
        let url = "http://127.0.0.1:\(admin.port)\(path)"
        return try transport.send(ClientRequest(method: method, url: url))
    }

    @Test func `shows life, numbers and readiness as it changes`() throws {
        let metrics = Metrics()
        metrics.counter("things", "Things.").add(3)
        let state = Mutex(Readiness(reasons: ["no snapshot yet"]))
        let admin = try AdminPort(port: 0, metrics: metrics) { state.withLock { $0 } }
        defer { admin.stop() }

        #expect(try get("/livez", admin).status == 200)
        let numbers = try get("/metrics", admin)
        #expect(numbers.status == 200)
        #expect(numbers.header("content-type") == Metrics.contentType)
        #expect(numbers.body == metrics.openMetrics())

        let notReady = try get("/readyz", admin)
        #expect(notReady.status == 503)
        let text = String(decoding: notReady.body, as: UTF8.self)
        #expect(text == #"{"ready":false,"reasons":["no snapshot yet"],"warnings":[]}"# + "\n")

        let warning = "a further trust root is configured: \"simulator\"\n"
        state.withLock { $0 = Readiness(reasons: [], warnings: [warning]) }
        let ready = try get("/readyz", admin)
        #expect(ready.status == 200)
        let shown = try JSONSerialization.jsonObject(with: Data(ready.body)) as? [String: Any]
        #expect(shown?["ready"] as? Bool == true)
        #expect(shown?["warnings"] as? [String] == [warning])
    }

    /// Who is told that it is ready sends requests at once.
    @Test func `is not ready before the service answers, whatever else is well`() throws {
        let state = Mutex(Readiness(reasons: [], warnings: ["a warning"]))
        let runtime = Runtime(log: Log(service: "test", sink: { _ in }))
        let admin = try runtime.adminPort(0) { state.withLock { $0 } }
        defer { admin.stop() }
        let early = try get("/readyz", admin)
        #expect(early.status == 503)
        let text = String(decoding: early.body, as: UTF8.self)
        #expect(text.contains("still starting") && text.contains("a warning"))
        #expect(try get("/livez", admin).status == 200)
        runtime.ready()
        #expect(try get("/readyz", admin).status == 200)
        state.withLock { $0 = Readiness(reasons: ["told to end"]) }
        #expect(try get("/readyz", admin).status == 503)
    }

    @Test func `knows nothing else`() throws {
        let admin = try AdminPort(port: 0, metrics: Metrics()) { Readiness(reasons: []) }
        #expect(try get("/", admin).status == 404)
        #expect(try get("/metrics", admin, method: "POST").status == 405)
        admin.stop()
        #expect(throws: TransportError.self) { try get("/livez", admin) }
    }

    @Test func `does not start on a port that is taken`() throws {
        let admin = try AdminPort(port: 0, metrics: Metrics()) { Readiness(reasons: []) }
        defer { admin.stop() }
        #expect(throws: (any Error).self) {
            _ = try AdminPort(port: admin.port, metrics: Metrics()) { Readiness(reasons: []) }
        }
    }
}
