import Foundation
import HTTPClient
import Operator
import TestSupport
import Testing

/// What a supervisor and a proxy see while a service ends.
@Suite(.database) struct DrainTests {
    private func get(_ port: UInt16, _ path: String) -> Int? {
        let request = ClientRequest(method: "GET", url: "http://127.0.0.1:\(port)\(path)")
        return try? Transport().send(request).status
    }

    private func responder(_ folder: TemporaryFolder) throws -> Running {
        _ = try Programs.run("holdfast", ["platform-key", folder.path])
        return try Running(
            "realtime-responder", [],
            environment: [
                "HOLDFAST_DATABASE_URL": Database.current().url(role: "holdfast_responder"),
                "HOLDFAST_RESPONDER_PORT": "0", "HOLDFAST_RESPONDER_ADMIN_PORT": "0",
                "HOLDFAST_SPOOL_DIRECTORY": folder.path + "/spool",
                "HOLDFAST_PLATFORM_PRIVATE_KEY_FILE": folder.path + "/platform-private.pem",
            ])
    }

    private func gateway(_ folder: TemporaryFolder) throws -> Running {
        _ = try Programs.run("holdfast", ["platform-key", folder.path])
        return try Running(
            "api-gateway", [],
            environment: [
                "HOLDFAST_DATABASE_URL": Database.current().url(role: "holdfast_gateway"),
                "HOLDFAST_GATEWAY_PORT": "0", "HOLDFAST_GATEWAY_ADMIN_PORT": "0",
                "HOLDFAST_PLATFORM_PUBLIC_KEY_FILE": folder.path + "/platform-public.pem",
            ])
    }

    @Test func `told to end, it is not ready any more and yet answers what is under way`() throws {
        let folder = try TemporaryFolder()
        let responder = try responder(folder)
        try responder.awaitReady()
        let admin = try responder.port("adminPort")
        // It listens first; the profiles are read in a moment later.
        #expect(becomesTrue { get(admin, "/readyz") == 200 })
        let client = try SlowClient(
            "/realtime/nobody", port: responder.port("port"), folder: folder)
        #expect(becomesTrue { client.received.contains("100 Continue") })
        responder.process.send(.terminate)
        #expect(becomesTrue(within: .seconds(2)) { get(admin, "/readyz") == 503 })
        #expect(get(admin, "/livez") == 200)
        client.sendBody()
        #expect(becomesTrue { client.received.contains("HTTP/1.1 404") })
        #expect(responder.process.wait(for: .seconds(30)) == .exited(0))
    }

    @Test func `a gateway told to end is not ready any more and yet answers what is under way`()
        throws
    {
        let folder = try TemporaryFolder()
        let gateway = try gateway(folder)
        try gateway.awaitReady()
        let admin = try gateway.port("adminPort")
        #expect(becomesTrue { get(admin, "/readyz") == 200 })
        let client = try SlowClient(
            "/v1/clients", port: gateway.port("port"), folder: folder)
        #expect(becomesTrue { client.received.contains("100 Continue") })
        gateway.process.send(.terminate)
        #expect(becomesTrue(within: .seconds(2)) { get(admin, "/readyz") == 503 })
        #expect(get(admin, "/livez") == 200)
        client.sendBody()
        #expect(becomesTrue { client.received.contains("HTTP/1.1 401") })
        #expect(gateway.process.wait(for: .seconds(30)) == .exited(0))
    }

    @Test func `a gateway told to end waits for a silent caller, but no five seconds`() throws {
        let folder = try TemporaryFolder()
        let gateway = try gateway(folder)
        try gateway.awaitReady()
        let client = try SlowClient(
            "/v1/clients", port: gateway.port("port"), folder: folder)
        #expect(becomesTrue { client.received.contains("100 Continue") })
        gateway.process.send(.terminate)
        #expect(gateway.process.wait(for: .seconds(5)) == .exited(0))
        withExtendedLifetime(client) {}
    }
}

/// A request in nobody's name, whose body comes only when asked for.
private final class SlowClient {
    private let process: ChildProcess
    private let body: String
    private let output: String

    init(_ path: String, port: UInt16, folder: TemporaryFolder) throws {
        body = folder.path + "/body"
        output = folder.path + "/answer"
        // The body is waited for by the shell itself: a program it started would outlive it.
        let script = """
            mkfifo \(body)
            exec 3<>/dev/tcp/127.0.0.1/\(port)
            printf 'POST \(path) HTTP/1.1\\r\\nHost: a\\r\\nContent-Length: 2\\r\\n' >&3
            printf 'Content-Type: application/json\\r\\nExpect: 100-continue\\r\\n\\r\\n' >&3
            cat <&3 &
            IFS= read -r -d '' text <\(body)
            printf '%s' "$text" >&3
            wait
            """
        var plan = ChildProcess.Plan("/bin/bash", ["-c", script])
        plan.output = .file(output)
        process = try ChildProcess.start(plan)
    }

    deinit { process.terminate(.kill, within: .seconds(10)) }

    var received: String {
        String(decoding: FileManager.default.contents(atPath: output) ?? Data(), as: UTF8.self)
    }

    func sendBody() {
        let pipe = FileHandle(forWritingAtPath: body)
        pipe?.write(Data("{}".utf8))
        try? pipe?.close()
    }
}
