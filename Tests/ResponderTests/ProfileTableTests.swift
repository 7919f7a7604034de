import Foundation
import Responder
import Retention
import RetentionStore
import Synchronization
import TestSupport
import Testing

/// The table of profiles in memory: what it remembers is right, bounded, and nobody else's.
@Suite struct ProfileTableTests {
    private static let tenants = (0..<3).map { _ in TenantID(UUID()) }
    private static let apps = (0..<3).map { _ in AppID(UUID()) }

    private func key(
        _ id: String, tenant: Int = 0, app: Int = 0, _ environment: StoreEnvironment = .production
    ) throws -> ProfileKey {
        try #require(
            ProfileKey(
                tenant: Self.tenants[tenant],
                key: AppEnvironment(app: Self.apps[app], environment: environment),
                originalTransactionId: id))
    }

    private func reading(_ byte: UInt8, count: Int = 120, offers: Int32 = 0) -> ProfileReading {
        .found(
            StoredProfile(
                body: (0..<count).map { byte &+ UInt8(truncatingIfNeeded: $0) },
                asOf: Instant(milliseconds: Int64(byte) * 1_000)),
            GovernorCounters(
                offersTaken: offers, lastOfferAt: offers > 0 ? Instant(milliseconds: -1) : nil,
                escalationLevel: -offers))
    }

    private func put(_ table: ProfileTable, _ key: ProfileKey, _ reading: ProfileReading) {
        table.put(key, reading, since: table.version(for: key))
    }

    @Test func `what was put is found, whole`() throws {
        let table = ProfileTable(mebibytes: 1)
        let readings: [(String, ProfileReading)] = [
            ("1", reading(1)), ("2", reading(2, count: 1, offers: 7)),
            ("3", reading(3, count: 1_024)), ("4", .found(nil, .zero)), ("5", .absent),
            (
                "6",
                .found(
                    nil,
                    GovernorCounters(
                        offersTaken: .max, lastOfferAt: Instant(milliseconds: 0),
                        escalationLevel: .max))
            ),
            (String(repeating: "7", count: 64), reading(7, count: 1_024)),
            (String(repeating: "7", count: 63), reading(8, count: 64)),
            (String(repeating: "7", count: 16), .absent), ("", reading(9)),
        ]
        for (id, reading) in readings { put(table, try key(id), reading) }
        for (id, reading) in readings { #expect(table.find(try key(id)) == reading, "\(id)") }
        #expect(table.counts.entries == readings.count)
        #expect(table.find(try key("8")) == nil)
    }

    @Test func `an identifier that is too long is not taken`() {
        let place = AppEnvironment(app: Self.apps[0], environment: .production)
        #expect(
            ProfileKey(
                tenant: Self.tenants[0], key: place,
                originalTransactionId: String(repeating: "1", count: 65)) == nil)
    }

    /// Also where every hash is the same: then only the whole key tells them apart.
    @Test(arguments: [false, true])
    func `equal identifiers of tenants, apps and environments are apart`(collides: Bool) throws {
        let table = ProfileTable(
            bytes: 1 << 20, shards: 1, hash: { collides ? 42 : $0.hashOfProcess })
        let ids = ["2000000000000001", "2000000000000002", String(repeating: "2", count: 40)]
        var places: [ProfileKey] = []
        for tenant in 0..<3 {
            for app in 0..<3 {
                for environment in StoreEnvironment.allCases {
                    for id in ids {
                        places.append(try key(id, tenant: tenant, app: app, environment))
                    }
                }
            }
        }
        for (number, place) in places.enumerated() where number % 2 == 0 {
            put(table, place, reading(UInt8(number)))
        }
        for (number, place) in places.enumerated() {
            #expect(table.find(place) == (number % 2 == 0 ? reading(UInt8(number)) : nil))
        }
    }

    @Test(arguments: [1, 7, 64]) func `a prefix is another identifier`(length: Int) throws {
        let table = ProfileTable(bytes: 1 << 20, shards: 1, hash: { _ in 0 })
        let id = String(repeating: "3", count: length)
        put(table, try key(id), reading(1))
        #expect(table.find(try key(String(id.dropLast()))) == nil)
        #expect(table.find(try key(id)) == reading(1))
    }

    @Test func `"nothing" is believed for a while only`() throws {
        let now = Mutex(Int64(0))
        let table = ProfileTable(mebibytes: 1, now: { now.withLock { $0 } })
        let place = try key("1")
        put(table, place, .absent)
        now.withLock { $0 = 29_999 }
        #expect(table.find(place) == .absent)
        now.withLock { $0 = 30_000 }
        #expect(table.find(place) == nil)
        #expect(table.counts.entries == 0)
    }

    @Test func `what nobody knows is not remembered`() throws {
        let table = ProfileTable(mebibytes: 1)
        put(table, try key("1"), .unavailable)
        #expect(table.find(try key("1")) == nil)
    }

    @Test func `a table of no size remembers nothing`() throws {
        let table = ProfileTable(mebibytes: 0)
        let place = try key("1")
        put(table, place, reading(1))
        table.change(place, to: reading(1), mayAdd: true)
        #expect(!table.add(place, reading(1)))
        #expect(table.find(place) == nil)
        #expect(table.counts.bytes == 0)
    }

    // MARK: - The bound

    @Test(arguments: [1, 4]) func `eviction keeps the bound`(shards: Int) throws {
        let bytes = 256 << 10
        let table = ProfileTable(bytes: bytes, shards: shards, hash: { $0.hashOfProcess })
        for number in 0..<20_000 {
            put(table, try key("\(number)"), reading(UInt8(number % 256), count: 1 + number % 400))
            if number % 1_000 == 0 { #expect(table.counts.bytes <= bytes) }
        }
        let counts = table.counts
        #expect(counts.bytes <= bytes)
        #expect(counts.entries <= counts.entriesLimit)
        #expect(counts.entries > 200)
        #expect(counts.evictions == UInt64(20_000 - counts.entries))
    }

    @Test func `the largest bodies fit in too`() throws {
        let table = ProfileTable(bytes: 1, shards: 1, hash: { $0.hashOfProcess })
        for number in 0..<10 {
            let place = try key(String(repeating: "\(number)", count: 64))
            put(table, place, reading(1, count: 1_024))
            #expect(table.find(place) == reading(1, count: 1_024))
        }
    }

    @Test func `what is used stays, what is not makes room`() throws {
        let table = ProfileTable(bytes: 64 << 10, shards: 1, hash: { $0.hashOfProcess })
        let used = try (0..<20).map { try key("used \($0)") }
        for place in used { put(table, place, reading(1)) }
        for number in 0..<5_000 {
            put(table, try key("\(number)"), reading(2))
            for place in used { _ = table.find(place) }
        }
        #expect(used.allSatisfy { table.find($0) == reading(1) })
    }

    // MARK: - The feed's side

    @Test func `a change replaces what is there, and adds only where there is room`() throws {
        let table = ProfileTable(bytes: 32 << 10, shards: 1, hash: { $0.hashOfProcess })
        let place = try key("1")
        table.change(place, to: reading(1), mayAdd: false)
        #expect(table.find(place) == nil)
        table.change(place, to: reading(1), mayAdd: true)
        #expect(table.find(place) == reading(1))
        table.change(place, to: reading(2, count: 500), mayAdd: false)
        #expect(table.find(place) == reading(2, count: 500))
        table.change(place, to: .absent, mayAdd: true)
        #expect(table.find(place) == nil)
        var added = 0
        while table.add(try key("fill \(added)"), reading(1)) { added += 1 }
        #expect(added > 10)
        table.change(try key("late"), to: reading(1), mayAdd: true)
        #expect(table.find(try key("late")) == nil)
        #expect(table.counts.evictions == 0)
    }

    @Test func `"nothing" gives way to what the feed tells`() throws {
        let table = ProfileTable(mebibytes: 1)
        let place = try key("1")
        put(table, place, .absent)
        table.change(place, to: reading(4), mayAdd: false)
        #expect(table.find(place) == reading(4))
    }

    @Test func `what was read before a change was told is not remembered after it`() throws {
        let table = ProfileTable(mebibytes: 1)
        let place = try key("1")
        let version = table.version(for: place)
        table.change(place, to: reading(2), mayAdd: false)
        table.put(place, reading(1), since: version)
        #expect(table.find(place) == nil)
        let before = table.version(for: place)
        table.removeAll()
        table.put(place, reading(1), since: before)
        #expect(table.find(place) == nil)
    }

    @Test func `what is known is not overwritten by the filling`() throws {
        let table = ProfileTable(mebibytes: 1)
        let place = try key("1")
        put(table, place, reading(2))
        #expect(table.add(place, reading(1)))
        #expect(table.find(place) == reading(2))
    }

    @Test func `after everything is forgotten it fills anew`() throws {
        let table = ProfileTable(bytes: 64 << 10, shards: 1, hash: { $0.hashOfProcess })
        for round in 0..<3 {
            for number in 0..<1_000 { put(table, try key("\(number)"), reading(UInt8(round))) }
            #expect(table.find(try key("999")) == reading(UInt8(round)))
            table.removeAll()
            #expect(table.counts.entries == 0)
            #expect(table.find(try key("999")) == nil)
        }
    }
}
