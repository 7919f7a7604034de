import AdminAPI
import Retention
import RetentionStore
import Service
import TestSupport
import Testing

@Suite(.database) struct IdempotencyTests {
    @Test func aRepeatGetsTheFirstAnswerAndDoesNothing() throws {
        let agency = try GatewayStage().makeAgency()
        let first = try agency.post("/v1/clients", ["name": "once"], key: "key-1")
        let again = try agency.post("/v1/clients", ["name": "once"], key: "key-1")
        #expect(first.status == 201 && again.status == 201)
        #expect(again.body == first.body)
        for name in ["Location", "ETag", "Content-Type"] {
            #expect(again.header(name) == first.header(name))
        }
        #expect(first.header("Idempotency-Replayed") == nil)
        #expect(again.header("Idempotency-Replayed") == "true")
        #expect(try agency.all("/v1/clients").count == 1)
    }

    @Test func aKeyBelongsToOneRequestOfOneKey() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        let other = try stage.makeAgency()
        let colleague = try stage.makeKey(of: agency)
        let first = try agency.post("/v1/clients", ["name": "once"], key: "key-1")
        let body = try agency.post("/v1/clients", ["name": "twice"], key: "key-1")
        #expect(body.status == 422)
        #expect(body.code == "idempotencyKeyReused")
        let query = try agency.post("/v1/clients?", ["name": "once"], key: "key-1")
        #expect([201, 422].contains(query.status))
        for another in [other, colleague] {
            let answer = try another.post("/v1/clients", ["name": "once"], key: "key-1")
            #expect(answer.status == 201)
            #expect(answer.json["id"] != first.json["id"])
            #expect(answer.header("Idempotency-Replayed") == nil)
        }
        #expect(try agency.all("/v1/clients").count == 2)
        #expect(try other.all("/v1/clients").count == 1)
    }

    @Test func whatFailedIsNotReplayed() throws {
        let agency = try GatewayStage().makeAgency()
        #expect(try agency.post("/v1/clients", ["name": ""], key: "key-1").status == 422)
        let mended = try agency.post("/v1/clients", ["name": "once"], key: "key-1")
        #expect(mended.status == 201)
    }

    @Test func aKeyHasAForm() throws {
        let agency = try GatewayStage().makeAgency()
        let long = String(repeating: "x", count: 129)
        for bad in [long, "é", "a b"] {
            let answer = try agency.post("/v1/clients", ["name": "x"], key: bad)
            #expect(answer.status == 400, "\(bad)")
            #expect(answer.code == "invalidIdempotencyKey")
        }
        let good = String(long.dropLast())
        #expect(try agency.post("/v1/clients", ["name": "x"], key: good).status == 201)
    }

    @Test func ofManyAtOnceOneActs() throws {
        let agency = try GatewayStage().makeAgency()
        for round in 1...10 {
            let copies = (1...20).map { _ in
                ParallelWork {
                    try agency.post(
                        "/v1/clients", ["name": .string("round \(round)")], key: "key-\(round)")
                }
            }
            let answers = try copies.map { try $0.value() }
            #expect(answers.allSatisfy { [201, 409].contains($0.status) })
            #expect(Set(answers.filter { $0.status == 201 }.map(\.text)).count == 1)
            let refused = answers.filter { $0.status == 409 }
            #expect(refused.allSatisfy { $0.code == "requestInFlight" })
        }
        #expect(try agency.all("/v1/clients").count == 10)
    }

    @Test func recordsAreForgottenAfterADay() throws {
        let stage = try GatewayStage()
        // Yesterday: what is younger than an hour is kept, whoever asks.
        stage.clock.advance(milliseconds: -25 * 3_600_000)
        let agency = try stage.makeAgency()
        _ = try agency.post("/v1/clients", ["name": "once"], key: "key-1")
        let gateway = stage.gatewayStore()
        #expect(try gateway.purgeIdempotencyRecords(.gatewayUpkeep, before: stage.now) == 0)
        let later = Instant(milliseconds: stage.now.milliseconds + 1)
        #expect(try gateway.purgeIdempotencyRecords(.gatewayUpkeep, before: later) == 1)
        #expect(try agency.post("/v1/clients", ["name": "once"], key: "key-1").status == 201)
        #expect(try agency.all("/v1/clients").count == 2)
    }
}
