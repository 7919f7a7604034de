import FoundationEssentials
import Retention
import TestSupport
import Testing

@Suite struct ExperimentTests {
    private func total(_ ranges: [BucketRange]) -> Int {
        ranges.reduce(0) { $0 + Int($1.end - $1.first) }
    }

    private func owners(_ allocation: [[BucketRange]]) -> [Int?] {
        var owners = [Int?](repeating: nil, count: Buckets.count)
        for (arm, ranges) in allocation.enumerated() {
            for range in ranges {
                for bucket in Int(range.first)..<Int(range.end) {
                    #expect(owners[bucket] == nil, "two arms have bucket \(bucket)")
                    owners[bucket] = arm
                }
            }
        }
        return owners
    }

    @Test func `arms get exactly their weights, and every bucket has one arm`() {
        for weights: [Int32] in [
            [10_000], [5_000, 5_000], [1, 9_999], [3_333, 3_333, 3_334], [0, 10_000],
        ] {
            let allocation = BucketAllocation.allocate(weights: weights, former: [])
            #expect(allocation.map(total) == weights.map(Int.init))
            #expect(!owners(allocation).contains(nil))
        }
    }

    /// The least that can move is half of the sum of all differences of weights.
    @Test func `a change of weights moves the fewest, over any number of changes`() {
        var dice = SeededNumbers(seed: 20_261_130)
        var weights: [Int32] = [2_500, 2_500, 2_500, 2_500]
        var allocation = BucketAllocation.allocate(weights: weights, former: [])
        for _ in 0..<200 {
            var cuts = (0..<3).map { _ in Int32.random(in: 0...10_000, using: &dice) }.sorted()
            cuts = [0] + cuts + [10_000]
            let next = (0..<4).map { cuts[$0 + 1] - cuts[$0] }
            let moved = BucketAllocation.allocate(weights: next, former: allocation)
            let (before, after) = (owners(allocation), owners(moved))
            let changed = before.indices.count { before[$0] != after[$0] }
            let least = zip(weights, next).reduce(0) { $0 + Int(abs($1.0 - $1.1)) } / 2
            #expect(changed == least)
            #expect(moved.map(total) == next.map(Int.init))
            (weights, allocation) = (next, moved)
        }
    }

    @Test func `a new arm takes from those that shrink, a lost one gives to those that grow`() {
        let treatment = Treatment.fallback
        func experiment(_ arms: [(String, Int32)]) -> Experiment {
            Experiment(
                id: ExperimentID(UUID()), name: "e",
                arms: arms.map { .init(key: $0.0, weight: $0.1, treatment: treatment) })
        }
        let two = experiment([("a", 5_000), ("b", 5_000)]).allocated(after: nil)
        let three = experiment([("c", 2_000), ("b", 4_000), ("a", 4_000)]).allocated(after: two)
        let back = experiment([("b", 6_000), ("a", 4_000)]).allocated(after: three)
        func buckets(_ experiment: Experiment, _ key: String) -> Set<Int32> {
            Set(
                experiment.arms.first { $0.key == key }?.buckets.flatMap { $0.first..<$0.end } ?? []
            )
        }
        #expect(buckets(three, "a").isSubset(of: buckets(two, "a")))
        #expect(buckets(three, "b").isSubset(of: buckets(two, "b")))
        #expect(buckets(back, "a") == buckets(three, "a"))
        #expect(buckets(back, "b") == buckets(three, "b").union(buckets(three, "c")))
    }

    @Test func `former ranges from anywhere are bounded`() {
        let former = [[BucketRange(-5, 3), BucketRange(9_999, .max), BucketRange(7, 2)]]
        let allocation = BucketAllocation.allocate(weights: [10_000], former: former)
        #expect(allocation == [[BucketRange(0, 10_000)]])
    }

    @Test func `an arm answers for its bucket, and the answer says which`() throws {
        var fixture = SnapshotFixture()
        let experiment = Experiment(
            id: ExperimentID(UUID()), name: "price",
            arms: [
                .init(key: "text", weight: 5_000, treatment: .message(fixture.text)),
                .init(key: "nothing", weight: 5_000, treatment: .fallback),
            ]
        ).allocated(after: nil)
        fixture.rules = [
            Rule(id: RuleID(UUID()), name: "r", when: .always, outcome: .experiment(experiment))
        ]
        for bucket in [0, 4_999, 5_000, 9_999] {
            var asked = Asked()
            asked.bucket = { $0 == experiment.salt ? bucket : 0 }
            let (decision, trace) = fixture.explain(asked)
            let key = bucket < 5_000 ? "text" : "nothing"
            #expect(decision.assignment == Assignment(experiment: experiment.id, arm: key))
            #expect(decision.answer.kind == (bucket < 5_000 ? .message : .fallback))
            #expect(trace.rules[0].bucket == bucket)
            #expect(trace.rules[0].arm == key)
        }
    }

    /// It was never given its buckets.
    @Test func `without an arm for the bucket the rule is dead, and the walk says why`() {
        var fixture = SnapshotFixture()
        let experiment = Experiment(
            id: ExperimentID(UUID()), name: "e",
            arms: [.init(key: "text", weight: 10_000, treatment: .message(fixture.text))])
        fixture.rules = [
            Rule(id: RuleID(UUID()), name: "r", when: .always, outcome: .experiment(experiment))
        ]
        let (decision, trace) = fixture.explain(Asked())
        #expect(decision.answer.kind == .defaultMessage)
        #expect(decision.assignment == nil)
        #expect(trace.rules.map(\.result) == [.dead])
        #expect(trace.rules[0].dead == .noArm)
        #expect(trace.rules[0].treatments.isEmpty)
    }

    /// Intention to treat: who was assigned to an arm stays in it, whatever could be said.
    @Test func `an arm that cannot be said is still recorded`() {
        var fixture = SnapshotFixture()
        let experiment = Experiment(
            id: ExperimentID(UUID()), name: "e",
            arms: [.init(key: "gone", weight: 10_000, treatment: .message(MessageID(UUID())))]
        ).allocated(after: nil)
        fixture.rules = [
            Rule(id: RuleID(UUID()), name: "r", when: .always, outcome: .experiment(experiment))
        ]
        let assigned = Assignment(experiment: experiment.id, arm: "gone")
        let byDefault = fixture.decide(Asked())
        #expect(byDefault.answer == .defaultMessage(fixture.englishDefault))
        #expect(byDefault.assignment == assigned)
        fixture.rules.append(
            Rule(id: RuleID(UUID()), name: "n", when: .always, treatment: .message(fixture.text)))
        #expect(fixture.decide(Asked()).assignment == assigned)
    }

    @Test func `the holdout gets no rule, in production only`() {
        var fixture = SnapshotFixture().with(.message(SnapshotFixture().text))
        fixture = fixture.with(.message(fixture.text))
        fixture.holdout = Holdout(percent: 5, answer: .defaultMessage)
        let salt = Holdout.salt(of: fixture.app)
        for (bucket, isHeldOut) in [(0, true), (499, true), (500, false), (9_999, false)] {
            var asked = Asked()
            asked.bucket = { $0 == salt ? bucket : 0 }
            let (decision, trace) = fixture.explain(asked)
            #expect(decision.isHoldout == isHeldOut)
            #expect(decision.answer.kind == (isHeldOut ? .defaultMessage : .message))
            #expect(trace.holdout?.isHeldOut == isHeldOut)
            var sandbox = fixture
            sandbox.environment = .sandbox
            asked.environment = .sandbox
            #expect(!sandbox.decide(asked).isHoldout)
            var silent = fixture
            silent.holdout = Holdout(percent: 5, answer: .fallback)
            asked.environment = .production
            #expect((silent.decide(asked).answer == .fallback(.holdout)) == isHeldOut)
        }
        fixture.holdout = .nobody
        #expect(!fixture.decide(Asked()).isHoldout)
    }

    @Test func `a bucket is the digest's first eight bytes as one number`() {
        let digest: [UInt8] = [0, 0, 0, 0, 0, 0, 0x30, 0x39] + [UInt8](repeating: 0xff, count: 24)
        #expect(Buckets.bucket(digest: digest) == 12_345 % 10_000)
        #expect(
            Buckets.hashed(salt: "a", originalTransactionId: "b") == [0x61, 0, 0x62])
        #expect(
            Buckets.hashed(salt: "ab", originalTransactionId: "c")
                != Buckets.hashed(salt: "a", originalTransactionId: "bc"))
    }
}
