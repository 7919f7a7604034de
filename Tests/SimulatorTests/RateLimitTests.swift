import Foundation
import Service
import Simulator
import Testing

/// How many calls Apple takes, and what it says of more.
struct RateLimitTests {
    private static let list = "\(Developer.message)/list"
    private static let hour: Int64 = 3_600_000

    @Test func appleTakesTheseManyAnHour() {
        for endpoint in AppleEndpoint.allCases where endpoint.api == .messaging {
            let production = endpoint == .configureDefaultMessage ? 36_000 : 3_600
            let limits = RateLimits()
            #expect(limits.calls(endpoint, .production) == production)
            #expect(limits.calls(endpoint, .sandbox) == production / 10)
        }
        #expect(RateLimits(factor: 0.1).calls(.getImageList, .sandbox) == 36)
        #expect(RateLimits(callsPerHour: ["getImageList": 2]).calls(.getImageList, .sandbox) == 2)
    }

    @Test func oneCallTooManyIsToldWhenTheHourEnds() throws {
        let developer = try Developer()
        try developer.simulator.setLimits(RateLimits(callsPerHour: ["getMessageList": 2]))
        for _ in 0..<2 { #expect(try developer.get(RateLimitTests.list).status == 200) }
        let refused = try developer.get(RateLimitTests.list)
        #expect(refused.isRefusal(.rateLimitExceeded))
        let end = (SampleApp.nowMilliseconds / RateLimitTests.hour + 1) * RateLimitTests.hour
        #expect(refused.header("Retry-After") == String(end))
        developer.clock.set(milliseconds: end - 1)
        #expect(try developer.get(RateLimitTests.list).isRefusal(.rateLimitExceeded))
        developer.clock.set(milliseconds: end)
        #expect(try developer.get(RateLimitTests.list).status == 200)
        let calls = developer.simulator.apiCalls()
        #expect(calls.map(\.overLimit) == [false, false, true, true, false])
        #expect(calls.map(\.beforeRetryAfter) == [false, false, false, true, false])
        #expect(calls.map(\.isApplied) == [true, true, false, false, true])
        #expect(developer.simulator.apiCallCounts.overLimit == 2)
        #expect(developer.simulator.apiCallCounts.beforeRetryAfter == 1)
    }

    @Test func eachEndpointAndEnvironmentIsCountedApart() throws {
        let developer = try Developer()
        let limits = RateLimits(
            hourMilliseconds: 1000, callsPerHour: ["getMessageList": 1, "getImageList": 1])
        try developer.simulator.setLimits(limits)
        let images = "\(Developer.image)/list"
        for environment in Environment.allCases {
            for path in [RateLimitTests.list, images] {
                #expect(try developer.get(path, in: environment).status == 200)
                #expect(try developer.get(path, in: environment).status == 429)
            }
        }
        developer.clock.advance(milliseconds: 1000)
        #expect(try developer.get(images).status == 200)
        try developer.simulator.setLimits(limits)
        #expect(try developer.get(images).status == 200)
    }

    @Test func aFactorOfZeroTakesNothing() throws {
        let developer = try Developer()
        try developer.simulator.setLimits(RateLimits(factor: 0))
        #expect(try developer.upload().isRefusal(.rateLimitExceeded))
        #expect(developer.state()?.messages == [])
    }

    @Test(arguments: [
        RateLimits(factor: -1), RateLimits(hourMilliseconds: 0), RateLimits(imagesLimit: 2001),
        RateLimits(messagesLimit: -1), RateLimits(callsPerHour: ["getEverything": 1]),
        RateLimits(callsPerHour: ["getImageList": -1]),
    ])
    func limitsThatMakeNoSenseAreRefused(_ limits: RateLimits) throws {
        let developer = try Developer()
        #expect(throws: ControlError.self) { try developer.simulator.setLimits(limits) }
    }
}
