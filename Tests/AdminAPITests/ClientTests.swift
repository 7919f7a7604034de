import AdminAPI
import TestSupport
import Testing

@Suite(.database) struct ClientTests {
    @Test func aClientIsMadeReadChangedAndRemoved() throws {
        let agency = try GatewayStage().makeAgency()
        let made = try agency.post("/v1/clients", ["name": "Acme"])
        #expect(made.status == 201, "\(made.text)")
        let id = try #require(made.json["id"]?.text)
        #expect(made.header("Location") == "/v1/clients/\(id)")
        let read = try agency.get("/v1/clients/\(id)")
        #expect(read.status == 200)
        #expect(read.json == made.json)
        #expect(read.header("ETag") == made.header("ETag"))

        let changed = try agency.patch("/v1/clients/\(id)", ["name": "Acme & Sons"])
        #expect(changed.status == 200, "\(changed.text)")
        #expect(changed.json["name"] == "Acme & Sons")
        #expect(try agency.all("/v1/clients") == [changed.json])

        #expect(try agency.delete("/v1/clients/\(id)").status == 204)
        let gone = try agency.get("/v1/clients/\(id)")
        #expect(gone.status == 404)
        #expect(gone.code == "notFound")
        let events = try agency.all("/v1/clients")
        #expect(events.isEmpty)
    }

    @Test func whatIsWrongIsNamed() throws {
        let agency = try GatewayStage().makeAgency()
        let long = String(repeating: "x", count: 201)
        let answer = try agency.post("/v1/clients", ["name": .string(long), "nmae": 1])
        #expect(answer.status == 422)
        #expect(answer.header("Content-Type") == "application/problem+json")
        #expect(answer.errors == ["/name tooLong", "/nmae unknown"])
        #expect(answer.json["errors"]?.elements.first?["measured"] == 201)
        #expect(answer.json["errors"]?.elements.first?["limit"] == 200)
    }
}
