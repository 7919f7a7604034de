import AdminAPI
import Dispatch
import RetentionStore
import TestSupport
import Testing

@Suite(.database) struct RateLimitTests {
    @Test func aTenantOverItsQuotaWaitsAndNoOtherDoes() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency(requestsPerMinute: 5)
        let other = try stage.makeAgency(requestsPerMinute: 5)
        let colleague = try stage.makeKey(of: agency)
        var statuses: [Int] = []
        for number in 1...8 {
            // Keys share their tenant's bucket.
            let answer = try (number % 2 == 0 ? agency : colleague).get("/v1/clients")
            statuses.append(answer.status)
            #expect(answer.header("RateLimit-Policy") == "\"default\";q=5;w=60")
            if answer.status == 429 {
                #expect(answer.code == "rateLimited")
                #expect(answer.header("RateLimit")?.hasPrefix("\"default\";r=0;t=") == true)
                let wait = try #require(answer.header("Retry-After").flatMap { Int($0) })
                #expect((1...12).contains(wait))
            }
        }
        #expect(statuses == [200, 200, 200, 200, 200, 429, 429, 429])
        #expect(try other.get("/v1/clients").status == 200)
    }

    /// The bucket holds a minute's requests and refills while they are sent.
    @Test func ofManyAtOnceNoMoreAreAnsweredThanTheQuotaHas() throws {
        let (quota, senders, each) = (60, 8, 40)
        let stage = try GatewayStage()
        let agency = try stage.makeAgency(requestsPerMinute: Int32(quota))
        let other = try stage.makeAgency(requestsPerMinute: Int32(quota))
        let began = ContinuousClock.now
        let racing = (0..<senders).map { _ in
            ParallelWork { try (0..<each).map { _ in try agency.get("/v1/clients").status } }
        }
        let meanwhile = try (0..<quota / 2).map { _ in try other.get("/v1/clients").status }
        let statuses = try racing.flatMap { try $0.value() }
        let refilled = Int((ContinuousClock.now - began) / .seconds(60) * Double(quota)) + 1
        let answered = statuses.count { $0 == 200 }
        #expect((quota...quota + refilled).contains(answered), "\(answered)")
        #expect(statuses.allSatisfy { $0 == 200 || $0 == 429 })
        #expect(meanwhile.allSatisfy { $0 == 200 })
        try Promise.kept(
            "rate-limits",
            """
            \(statuses.count) requests by \(senders) at once with a quota of \(quota): \
            \(answered) answered, of another tenant \(meanwhile.count) of \(meanwhile.count)
            """)
    }

    @Test func whoIsNotKnownTakesNothingFromAnybody() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency(requestsPerMinute: 3)
        let own = try #require(APIKeyToken(Array(agency.token.utf8))?.id)
        for number in 1...10 {
            // A mistyped one, and one of the same identifier with another secret.
            let token = number % 2 == 0 ? agency.token + "0" : APIKeyToken.make(own).text
            let answer = try stage.send("GET", "/v1/clients", token: token)
            #expect(answer.status == 401)
            #expect(answer.header("RateLimit") == nil)
        }
        #expect(try agency.get("/v1/clients").status == 200)
    }
}
