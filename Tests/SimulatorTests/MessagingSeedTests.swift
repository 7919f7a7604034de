import Foundation
import HTTPClient
import Service
import Simulator
import TestSupport
import Testing

/// Whatever is called in whatever order, with whatever going wrong: what Apple holds stays what
/// Apple could hold, and every call is accounted for.
struct MessagingSeedTests {
    private static let seeds: [UInt64] = Array(1...8)
    private static let callers = 4
    private static let callsOfEach = 40
    private static let picture = PlainPicture.bullet.png

    /// The same numbers for the same seed.
    /// Identifiers are few, so that callers meet.
    private static let identifiers = (0..<12).map { _ in UUID() }

    private static func call(_ developer: Developer, _ dice: inout SeededNumbers) {
        let identifier = identifiers[Int.random(in: 0..<identifiers.count, using: &dice)]
        let image = identifiers[Int.random(in: 0..<identifiers.count, using: &dice)]
        let bullet = #"{"text":"t","imageIdentifier":"\#(image)","altText":"a"}"#
        // Faults break some of them off; what the client makes of it is not looked at here.
        switch Int.random(in: 0..<9, using: &dice) {
        case 0: _ = try? developer.upload(picture, identifier, size: "BULLET_POINT")
        case 1: _ = try? developer.delete("\(Developer.image)/\(identifier)")
        case 2:
            let json = #"{"header":"h","body":"b","bulletPoints":[\#(bullet)]}"#
            _ = try? developer.upload(message: json, identifier)
        case 3: _ = try? developer.upload(message: #"{"header":"h","body":"b"}"#, identifier)
        case 4: _ = try? developer.delete("\(Developer.message)/\(identifier)")
        case 5: _ = try? developer.configure(identifier)
        case 6: _ = try? developer.delete(Developer.defaultPath())
        case 7: _ = try? developer.get("\(Developer.image)/list")
        default: _ = try? developer.get("\(Developer.message)/list")
        }
    }

    @Test func nothingThatAppleCouldNotHoldIsEverHeld() throws {
        let developer = try Developer()
        let app = try #require(developer.state())
        let faults = Fault.Kind.allCases.map { kind in
            Fault(kind, probability: 0.02, milliseconds: 1, lists: 1)
        }
        for seed in MessagingSeedTests.seeds {
            developer.simulator.reset()
            try developer.simulator.set(app)
            try developer.simulator.setFaults(faults, seed: seed)
            let callers = (0..<MessagingSeedTests.callers).map { number in
                ParallelWork {
                    var dice = SeededNumbers(seed: seed &* 1000 &+ UInt64(number))
                    for _ in 0..<MessagingSeedTests.callsOfEach {
                        MessagingSeedTests.call(developer, &dice)
                    }
                }
            }
            for caller in callers { try caller.value() }
            let state = try #require(developer.state())
            try developer.simulator.set(state)
            #expect(developer.state() == state)
            let counts = developer.simulator.apiCallCounts
            let made = MessagingSeedTests.callers * MessagingSeedTests.callsOfEach
            // A client may have sent a call again where its connection was dead before an answer.
            #expect(counts.calls >= made)
            let calls = developer.simulator.apiCalls()
            #expect(calls.count == counts.calls)
            #expect(calls.contains { $0.fault != nil && $0.isApplied })
            #expect(calls.contains { $0.fault != nil && !$0.isApplied })
            #expect(try isBalanced(calls, state))
        }
    }

    /// Uploads that were applied less deletions that were: what is left.
    private func isBalanced(_ calls: [APICall], _ state: AppState) throws -> Bool {
        func applied(_ endpoint: AppleEndpoint) -> Int {
            calls.count { $0.endpoint == endpoint && $0.isApplied }
        }
        return applied(.uploadImage) - applied(.deleteImage) == state.images.count
            && applied(.uploadMessage) - applied(.deleteMessage) == state.messages.count
    }
}
