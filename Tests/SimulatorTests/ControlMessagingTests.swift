import Foundation
import HTTPClient
import Service
import Simulator
import Testing

/// Apple's side, driven over the control API.
struct ControlMessagingTests {
    private let developer: Developer
    private let transport = Transport(TransportSettings())
    private let app = "/apps/\(SampleApp.appAppleId)/Production"

    init() throws {
        developer = try Developer()
    }

    private func send(_ method: String, _ path: String, _ body: String = "") throws
        -> ClientResponse
    {
        try transport.send(
            ClientRequest(
                method: method,
                url: "http://127.0.0.1:\(developer.simulator.controlPort)/control\(path)",
                body: Array(body.utf8)))
    }

    private func text(_ path: String) throws -> String {
        String(decoding: try send("GET", path).body, as: UTF8.self)
    }

    @Test func everyCallIsWrittenDown() throws {
        let identifier = UUID()
        _ = try developer.upload(message: #"{"header":"","body":"b"}"#, identifier)
        _ = try developer.get(Developer.defaultPath(), in: .production)
        _ = try developer.get("/inApps/v1/other")
        let report = try JSONDecoder().decode(
            APICallReport.self, from: Data(try send("GET", "/api-calls").body))
        #expect(report.calls.map(\.endpoint) == [.uploadMessage, .getDefaultMessage, nil])
        #expect(report.calls.map(\.status) == [400, 404, 404])
        #expect(report.calls.map(\.errorCode) == [4_000_000, 4_040_020, nil])
        #expect(report.calls[0].identifier == identifier.uuidString)
        #expect(report.calls[1].identifier == "\(SampleApp.monthly)/en-US")
        #expect(report.calls[0].method == "PUT")
        #expect(report.calls[0].path == "\(Developer.message)/\(identifier.uuidString)")
        #expect(report.calls[0].appAppleId == SampleApp.appAppleId)
        #expect(report.calls.map(\.environment) == [.sandbox, .production, .sandbox])
        #expect(report.calls[0].at == SampleApp.nowMilliseconds)
        #expect(report.counts.calls == 3)
        let one = try JSONDecoder().decode(
            APICallReport.self, from: Data(try send("GET", "/api-calls?limit=1").body))
        #expect(one.calls == [report.calls[2]])
        #expect(try send("GET", "/api-calls?limit=0").status == 400)
        #expect(try send("DELETE", "/api-calls").status == 204)
        #expect(developer.simulator.apiCalls() == [])
        #expect(developer.simulator.apiCallCounts == APICallCounts())
    }

    @Test func faultsAreSetAndRead() throws {
        let body = """
            {"faults":[{"kind":"html","endpoint":"getImageList","environment":"Sandbox",\
            "times":1,"status":503}],"seed":7}
            """
        #expect(try send("PUT", "/faults", body).status == 204)
        let script = try JSONDecoder().decode(
            FaultScript.self, from: Data(try send("GET", "/faults").body))
        #expect(script.seed == 7)
        #expect(
            script.faults
                == [
                    Fault(
                        .html, endpoint: .getImageList, environment: .sandbox, times: 1, status: 503
                    )
                ])
        #expect(try developer.get("\(Developer.image)/list").status == 503)
        #expect(try send("PUT", "/faults", #"{"faults":[{"kind":"x"}]}"#).status == 400)
        let stray = #"{"faults":[{"kind":"cut","when":1}]}"#
        #expect(try send("PUT", "/faults", stray).status == 400)
        let much = #"{"faults":[{"kind":"cut","probability":2}]}"#
        #expect(try send("PUT", "/faults", much).status == 422)
    }

    @Test func limitsAreSetAndRead() throws {
        #expect(try send("PUT", "/limits", #"{"callsPerHour":{"getImageList":0}}"#).status == 204)
        #expect(try developer.get("\(Developer.image)/list").status == 429)
        #expect(
            try text("/limits") == """
                {"callsPerHour":{"getImageList":0},"factor":1,"hourMilliseconds":3600000,\
                "imagesLimit":2000,"messagesLimit":2000}
                """)
        #expect(try send("PUT", "/limits", #"{"factor":-1}"#).status == 422)
    }

    @Test func reviewIsScriptedAndDecided() throws {
        let body = #"{"standard":[{"afterMilliseconds":0,"state":"REJECTED"}]}"#
        #expect(try send("PUT", "\(app)/review", body).status == 204)
        #expect(
            try text("\(app)/review") == """
                {"byIdentifier":{},"byUploadOrder":[],\
                "standard":[{"afterMilliseconds":0,"state":"REJECTED"}]}
                """)
        let identifier = UUID()
        _ = try developer.upload(
            message: #"{"header":"h","body":"b"}"#, identifier, in: .production)
        #expect(developer.state(.production)?.messages.first?.messageState == .rejected)
        let decision = #"{"state":"APPROVED"}"#
        #expect(try send("PUT", "\(app)/review/\(identifier)", decision).status == 204)
        #expect(developer.state(.production)?.messages.first?.messageState == .approved)
        #expect(try send("PUT", "\(app)/review/\(UUID())", decision).status == 422)
        #expect(try send("PUT", "\(app)/review/x", decision).status == 400)
        let wrong = #"{"byIdentifier":{"x":[]}}"#
        #expect(try send("PUT", "\(app)/review", wrong).status == 422)
        #expect(try send("GET", "/apps/5/Production/review").status == 404)
    }

    @Test func performanceTestsAreScripted() throws {
        let path = "/apps/\(SampleApp.appAppleId)/Sandbox/performance-tests"
        let body = #"{"outcomes":[{"result":"PASS","pendingPolls":1}]}"#
        #expect(try send("PUT", path, body).status == 204)
        let script = try JSONDecoder().decode(
            PerformanceTestScript.self, from: Data(try send("GET", path).body))
        #expect(script.outcomes == [.init(.pass, pendingPolls: 1)])
        #expect(script.config == PerformanceTestConfig())
        #expect(try send("PUT", path, #"{"outcomes":[{"result":"PENDING"}]}"#).status == 400)
    }

    @Test func whatWasUploadedIsShown() throws {
        _ = try developer.upload()
        let state = try JSONDecoder().decode(
            AppState.self,
            from: Data(try send("GET", "/apps/\(SampleApp.appAppleId)/Sandbox").body))
        #expect(state.messages.map(\.header) == ["Stay"])
        try developer.simulator.set(state)
        #expect(developer.state() == state)
    }

    @Test func aResetForgetsEverything() throws {
        try developer.simulator.setFaults([Fault(.unavailable)])
        _ = try developer.upload()
        #expect(try send("POST", "/reset").status == 204)
        #expect(developer.state() == nil)
        #expect(try developer.upload().status == 401)
        #expect(developer.simulator.apiCalls().count == 1)
    }
}
