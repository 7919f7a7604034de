import Retention
import Synchronization
import TestSupport
import Testing

/// A repeat never acts twice, wherever the gateway died.
@Suite(.database) struct IdempotencyTests {
    private static let keys = 1_000
    private static let copies = 8
    /// One kill -9 after so many answers.
    private static let answersBetweenKills = 400

    @Test func `a thousand keys, eight racing copies each, and a gateway killed over and over`()
        throws
    {
        let door = try GatewayProcess(scopes: [.write(.clients)])
        let answered = Atomic<Int>(0)
        let isDone = Atomic<Bool>(false)
        let killer = ParallelWork {
            var kills = 0
            while !isDone.load(ordering: .relaxed) {
                let due = (kills + 1) * Self.answersBetweenKills
                _ = becomesTrue {
                    answered.load(ordering: .relaxed) >= due || isDone.load(ordering: .relaxed)
                }
                if isDone.load(ordering: .relaxed) { break }
                try door.killAndStart()
                kills += 1
            }
            return kills
        }
        let racers = (0..<Self.copies).map { _ in
            ParallelWork {
                try (0..<Self.keys).map { number in
                    defer { answered.add(1, ordering: .relaxed) }
                    return try door.createUntilAnswered(number)
                }
            }
        }
        let bodies = try racers.map { try $0.value(within: .seconds(500)) }
        isDone.store(true, ordering: .relaxed)
        let kills = try killer.value()
        #expect(kills >= 10)
        for number in 0..<Self.keys {
            #expect(Set(bodies.map { $0[number] }).count == 1, "key \(number)")
        }
        #expect(try door.count("client") == Self.keys)
        #expect(try door.count("audit_event") == Self.keys)
        try Promise.kept(
            "idempotency", "\(Self.keys) keys, \(Self.copies) copies each, \(kills) kills")
    }
}
