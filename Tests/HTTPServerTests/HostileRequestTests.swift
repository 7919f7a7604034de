import HTTPServer
import Testing

@Suite struct HostileRequestTests {
    private struct Played {
        let answer: RawConnection.Answer
        let requests: [Request]

        var isOneRequestAtMost: Bool { requests.count <= 1 }

        var outcome: HostileRequest.Outcome {
            guard let first = requests.first else { return .refused(answer.statuses.first) }
            return .served(body: first.body.count)
        }
    }

    @Test(arguments: HostileRequest.all)
    func `straight to the server`(_ hostile: HostileRequest) throws {
        let server = try TestServer()
        let played = try Self.play(
            hostile, mayStayOpen: hostile.direct.isServed, on: server, through: server.port)
        #expect(played.outcome == hostile.direct)
        #expect(played.answer.isClosed)
        #expect(played.isOneRequestAtMost)
    }

    @Test(arguments: HostileRequest.all)
    func `through the door`(_ hostile: HostileRequest) throws {
        let server = try TestServer()
        let door = try Door(to: server.port)
        let played = try Self.play(
            hostile, mayStayOpen: true, on: server, through: door.port)
        #expect(played.outcome == hostile.door)
        #expect(played.answer.isClosed)
        #expect(played.isOneRequestAtMost)
        withExtendedLifetime(door) {}
    }

    @Test(arguments: HostileRequest.all)
    func `through the door to the admin API`(_ hostile: HostileRequest) throws {
        let responder = try TestServer()
        let gateway = try TestServer()
        let door = try Door(to: responder.port, gateway: gateway.port)
        let played = try Self.play(
            hostile.toGateway, mayStayOpen: true, on: gateway, through: door.port)
        #expect(played.outcome == hostile.doorToGateway)
        #expect(played.answer.isClosed)
        #expect(played.isOneRequestAtMost)
        #expect(responder.requests.isEmpty)
        withExtendedLifetime(door) {}
    }

    /// Sends the bytes and reads to the end. Where the other end may rightly keep the connection,
    /// the end of our side follows the first answer; otherwise it must close by itself.
    private static func play(
        _ hostile: HostileRequest, mayStayOpen: Bool, on server: TestServer, through port: UInt16
    ) throws -> Played {
        let connection = try #require(RawConnection(port: port))
        connection.send(hostile.bytes)
        var bytes: [UInt8] = []
        if mayStayOpen {
            bytes = connection.receive(within: 20) { !$0.statuses.isEmpty }.bytes
            connection.finishSending()
        }
        var answer = connection.receive(within: 20)
        answer.bytes = bytes + answer.bytes
        return Played(answer: answer, requests: server.requests)
    }
}
