import Foundation
import Responder
import Retention
import RetentionStore
import TestSupport
import Testing

/// The table against a dictionary that remembers everything: what the table remembers is what the
/// dictionary has, whatever came before.
@Suite struct ProfileTableModelTests {
    private static let tenant = TenantID(UUID())
    private static let place = AppEnvironment(app: AppID(UUID()), environment: .sandbox)

    private func key(_ number: Int) throws -> ProfileKey {
        // Some are longer than what stands in a record.
        let id = number % 5 == 0 ? String(repeating: "\(number)-", count: 6) : "\(number)"
        return try #require(
            ProfileKey(
                tenant: Self.tenant, key: Self.place,
                originalTransactionId: String(id.prefix(60))))
    }

    private func reading(_ dice: inout SeededNumbers) -> ProfileReading {
        let offers = Int32.random(in: 0...9, using: &dice)
        let counters = GovernorCounters(
            offersTaken: offers, lastOfferAt: nil, escalationLevel: offers)
        if Int.random(in: 0..<10, using: &dice) == 0 { return .found(nil, counters) }
        let count = Int.random(in: 1...300, using: &dice)
        let body = (0..<count).map { _ in UInt8.random(in: 0...255, using: &dice) }
        let asOf = Instant(milliseconds: Int64.random(in: 0...9_999, using: &dice))
        return .found(StoredProfile(body: body, asOf: asOf), counters)
    }

    /// - Parameter spread: how many hashes there are: few make long runs of slots, which removals
    ///   must close again.
    @Test(arguments: [(UInt64(1), UInt64(1)), (2, 3), (3, 16), (4, .max)])
    func `it never says what the dictionary does not`(seed: UInt64, spread: UInt64) throws {
        var dice = SeededNumbers(seed: seed)
        let table = ProfileTable(
            bytes: 40 << 10, shards: 2,
            hash: { $0.hashOfProcess % spread &* 0x0000_0001_0000_0003 }, now: { 0 })
        var model: [Int: ProfileReading] = [:]
        var found = 0
        for _ in 0..<12_000 {
            let number = Int.random(in: 0..<400, using: &dice)
            let key = try key(number)
            switch Int.random(in: 0..<10, using: &dice) {
            case 0..<3:
                let new = reading(&dice)
                table.put(key, new, since: table.version(for: key))
                model[number] = new
            case 3:
                let new = reading(&dice)
                table.change(key, to: new, mayAdd: Bool.random(using: &dice))
                model[number] = new
            case 4:
                table.change(key, to: .absent, mayAdd: true)
                model[number] = nil
            case 5 where model[number] != nil:
                _ = table.add(key, model[number] ?? .absent)
            default:
                guard let known = table.find(key) else { continue }
                found += 1
                #expect(known == model[number])
            }
        }
        #expect(found > 500)
        #expect(table.counts.bytes <= 40 << 10)
    }

    /// Each body names its key and repeats one byte: a torn or foreign read would show.
    @Test func `readers and writers at once see whole entries of their own`() throws {
        let table = ProfileTable(bytes: 64 << 10, shards: 2, hash: { $0.hashOfProcess })
        let keys = try (0..<300).map(key)
        @Sendable func body(_ number: Int, _ round: Int) -> [UInt8] {
            [UInt8(number % 256), UInt8(number / 256)]
                + [UInt8](repeating: UInt8(round % 256), count: 1 + (number + round) % 200)
        }
        let workers = (0..<4).map { worker in
            ParallelWork {
                var dice = SeededNumbers(seed: UInt64(worker))
                var torn = 0
                for round in 0..<8_000 {
                    let number = Int.random(in: 0..<300, using: &dice)
                    let key = keys[number]
                    if round % 3 == 0 {
                        let new = ProfileReading.found(
                            StoredProfile(
                                body: body(number, round), asOf: Instant(milliseconds: 0)), .zero)
                        if round % 2 == 0 {
                            table.put(key, new, since: table.version(for: key))
                        } else {
                            table.change(key, to: new, mayAdd: true)
                        }
                    } else if case .found(let profile?, _) = table.find(key) {
                        let isOwn =
                            profile.body.prefix(2) == body(number, 0).prefix(2)
                            && Set(profile.body.dropFirst(2)).count == 1
                        if !isOwn { torn += 1 }
                    }
                }
                return torn
            }
        }
        for worker in workers { #expect(try worker.value() == 0) }
    }
}
