import AppStore
import Foundation
import Retention
import TestSupport
import Testing

/// Folds are compared with those of a program in another language, which made the facts up.
/// `deploy/test` names the Python that there is.
@Suite struct FoldCheckTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let facts = environment["HOLDFAST_FACTS"].flatMap { Int($0) } ?? 50_000
    private static let seed =
        environment["HOLDFAST_FACTS_SEED"].flatMap { UInt64($0) } ?? 20_261_130
    private static let limit: Duration = .seconds(1_200)
    private static let deliveriesOfEach = 1...6
    private static let shown = 5

    /// Of so many histories a fold is compared too that leaves something out.
    private static let plantedHistories = 300

    private struct Count {
        var facts = 0
        var deliveries = 0
        var refused = 0
        var wrong: [String] = []
        /// By what was left out, in how many histories it was found.
        var planted: [String: Int] = [:]
    }

    private static let plants: [(name: String, isKept: @Sendable (SignedFact) -> Bool)] = [
        ("reversals", { $0.notification?.content.type != .refundReversed }),
        ("refunds", { $0.notification?.content.type != .refund }),
        ("requests", { $0.notification?.content.type != .consumptionRequest }),
        ("what is read by itself", { $0.notification != nil }),
        ("renewal infos", { $0.renewal == nil }),
        ("offers that are redeemed", { $0.renewal?.content.offer == nil }),
    ]

    @Test(
        .enabled(
            if: ConformanceScript.python != nil,
            "HOLDFAST_CONFORMANCE_PYTHON is not set: deploy/test does that"))
    func `any order and number of deliveries comes to what another fold says`() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/holdfast-fold-\(UUID())"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let made = try run(
            folder, "make", folder, "--seed", "\(Self.seed)", "--facts", "\(Self.facts)")
        let histories = try lines(folder + "/histories.jsonl")
        let states = try lines(folder + "/states.jsonl")
        #expect(histories.count == states.count)
        var numbers = SeededNumbers(seed: Self.seed)
        var count = Count()
        for (history, state) in zip(histories, states) {
            try compare(
                JSONDecoder().decode(MadeHistory.self, from: history),
                JSONDecoder().decode([String].self, from: state), &numbers, &count)
        }
        #expect(
            count.wrong.isEmpty,
            "\(count.wrong.count) wrong: \(count.wrong.prefix(Self.shown).joined(separator: "\n"))")
        #expect(count.facts >= Self.facts)
        for plant in Self.plants { #expect(count.planted[plant.name, default: 0] > 0) }
        // A hundredth is corrupt.
        #expect(count.refused * 200 > count.deliveries)
        let planted = try run(folder, "selftest", folder)
        try Promise.kept(
            "fold-independent",
            "\(made); \(count.deliveries) deliveries, \(count.refused) corrupt ones refused, "
                + "\(count.wrong.count) states wrong, \(Self.plants.count) things left out and "
                + "found; \(planted); seed \(Self.seed)")
    }

    private func compare(
        _ made: MadeHistory, _ expected: [String], _ numbers: inout SeededNumbers,
        _ count: inout Count
    ) throws {
        var deliveries = made.facts.flatMap { fact in
            (0..<Int.random(in: Self.deliveriesOfEach, using: &numbers)).map { _ in fact }
        }
        deliveries += made.facts.filter { _ in Int.random(in: 0..<29, using: &numbers) == 0 }
            .map(\.cut)
        deliveries.shuffle(using: &numbers)
        var facts: [SignedFact] = []
        for delivery in deliveries {
            do {
                if let fact = try delivery.fact() { facts.append(fact) }
            } catch is PayloadError {
                count.refused += 1
            }
        }
        count.facts += made.facts.count
        count.deliveries += deliveries.count
        let told = made.lines(of: .fold(facts))
        if told != expected {
            let differences = zip(told, expected).filter { $0 != $1 }.prefix(Self.shown)
            count.wrong.append(
                "history \(made.number): \(told.count) lines for \(expected.count), "
                    + differences.map { "\($0), expected \($1)" }.joined(separator: "\n  "))
        }
        if made.number < Self.plantedHistories {
            for plant in Self.plants
            where made.lines(of: .fold(facts.filter(plant.isKept))) != expected {
                count.planted[plant.name, default: 0] += 1
            }
        }
        if joined(facts, &numbers) != SubscriptionHistory(facts) {
            count.wrong.append("history \(made.number) depends on its parts")
        }
    }

    /// Filled in parts, each kept as a worker keeps it, and the parts joined in any order.
    private func joined(
        _ facts: [SignedFact], _ numbers: inout SeededNumbers
    ) -> SubscriptionHistory {
        var parts = Array(
            repeating: SubscriptionHistory(), count: Int.random(in: 1...5, using: &numbers))
        for fact in facts { parts[Int.random(in: parts.indices, using: &numbers)].insert(fact) }
        return parts.shuffled(using: &numbers).reduce(into: SubscriptionHistory()) {
            $0.merge(SubscriptionHistory(body: $1.encoded()) ?? SubscriptionHistory())
        }
    }

    private func lines(_ path: String) throws -> [Data] {
        let data = try #require(FileManager.default.contents(atPath: path))
        return data.split(separator: UInt8(ascii: "\n"))
    }

    /// - Returns: the last line of what it said.
    private func run(_ folder: String, _ arguments: String...) throws -> String {
        try ConformanceScript("fold.py", folder: folder, limit: Self.limit).run(arguments)
    }
}
