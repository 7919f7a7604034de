import FoundationEssentials
import Operator
import Postgres
import Retention
import RetentionStore
import TestSupport
import Testing

/// What became known is read back as it was told, each observation its row.
@Suite(.database) struct SyncObservedTests {
    private static let now = Agencies.now
    private static let later = Agencies.now + 60_000
    private static let slot = DefaultSlot(
        productId: "com.example.tideline.plus.annual", locale: "ja")

    private func kind(_ observation: Observation) -> String {
        switch observation {
        case .object: "object"
        case .forgotten: "forgotten"
        case .default: "default"
        case .forgottenDefault: "forgottenDefault"
        case .listed(let kind, _): "listed \(kind)"
        case .doubted: "doubted"
        case .url: "url"
        case .pause: "pause"
        case .failures: "failures"
        case .full(let kind, _): "full \(kind)"
        case .notBefore: "notBefore"
        }
    }

    private func objects() -> [Observation] {
        let id = UUID()
        var object = AppleObject(
            kind: .message, id: id, isOurs: true, presence: .uncertain, images: [UUID(), UUID()],
            attemptedAt: Self.now, uncertainSince: Self.now)
        var observations: [Observation] = [.object(object)]
        for presence in AppleObject.Presence.allCases {
            object.presence = presence
            object.state = presence == .listed ? .approved : ReviewState(rawValue: "NEW_WORD")
            object.uploadedAt = presence == .uncertain ? nil : Self.now
            object.listedAt = presence == .listed ? Self.later : nil
            object.absentSince = presence == .gone ? Self.later : nil
            object.unnamedSince = presence == .withdrawing ? Self.later : nil
            object.refusal =
                presence == .refused ? AppleRefusal(code: 4_000_001, at: Self.later) : nil
            object.images = presence == .listed ? [] : object.images
            observations.append(.object(object))
        }
        object.refusal = AppleRefusal(code: nil, at: Self.later)
        object.isSuperseded = true
        observations.append(.object(object))
        let foreign = AppleObject(kind: .image, id: UUID(), isOurs: false, presence: .listed)
        observations += [.object(foreign), .forgotten(foreign.id)]
        return observations
    }

    private func defaults() -> [Observation] {
        let other = DefaultSlot(productId: "p", locale: "en-US")
        return [
            .default(Self.slot, ObservedDefault(appleId: UUID(), readAt: Self.now)),
            .default(
                Self.slot,
                ObservedDefault(
                    appleId: nil, isUncertain: true, formerIds: [UUID(), UUID()],
                    refusal: AppleRefusal(code: 4_030_017, at: Self.later), refusedId: UUID())),
            .default(other, ObservedDefault(appleId: UUID(), isUncertain: true)),
            .forgottenDefault(other),
        ]
    }

    private func rest() -> [Observation] {
        let refusal = AppleRefusal(code: 4_030_026, at: Self.later)
        let unnamed = AppleRefusal(code: nil, at: Self.now)
        return [
            .listed(.image, at: Self.now), .listed(.message, at: Self.later),
            .listed(.image, at: Self.later), .doubted(at: Self.now), .doubted(at: Self.later),
            .url(.foreign, isUncertain: false, readAt: Self.now, refusal: nil),
            .url(.foreign, isUncertain: true, readAt: Self.now, refusal: refusal),
            .url(.own(EndpointID(UUID())), isUncertain: false, readAt: Self.later, refusal: nil),
            .url(ObservedURL.none, isUncertain: false, readAt: nil, refusal: nil),
            .url(
                nil, isUncertain: true, readAt: nil, refusal: unnamed),
            .pause(.keyRefused, until: Self.later), .pause(nil, until: nil),
            .pause(.noAccess, until: nil), .pause(.noAccess, until: Self.later),
            .failures(3, retryAt: Self.later), .failures(0, retryAt: nil),
            .failures(.max, retryAt: Self.now), .full(.image, at: Self.now),
            .full(.message, at: Self.later), .full(.image, at: nil),
            .notBefore(.uploadImage, Self.later), .notBefore(.uploadImage, Self.now),
            .notBefore(.getMessageList, Self.now),
        ]
    }

    @Test func `every observation reads back as it was applied`() throws {
        let workers = try SyncWorkers()
        let lease = try workers.lease(workers.production)
        let observations = objects() + defaults() + rest()
        var state = try workers.work(lease) { transaction, _ in
            try transaction.observedState(at: lease.key)
        }
        #expect(state.objects.count > 10)
        for observation in observations {
            let known = state
            state.apply(observation)
            let stored = try workers.work(lease) { transaction, _ in
                try transaction.record(
                    [observation], at: lease.key, contents: [:], former: known)
                return try transaction.observedState(at: lease.key)
            }
            #expect(stored == state, "\(observation)")
        }
        #expect(
            Set(observations.map(kind)) == [
                "object", "forgotten", "default", "forgottenDefault", "listed image",
                "listed message", "doubted", "url", "pause", "failures", "full image",
                "full message", "notBefore",
            ])
        // All at once, for the other environment, and nothing of it here.
        let other = try workers.lease(workers.sandbox)
        let all = try workers.work(other) { transaction, _ in
            let former = try transaction.observedState(at: other.key)
            var wanted = former
            wanted.apply(observations)
            try transaction.record(observations, at: other.key, contents: [:], former: former)
            #expect(try transaction.observedState(at: other.key) == wanted)
            return try transaction.observedState(at: lease.key)
        }
        #expect(all == state)
    }

    /// Snapshots are built where answers change, and nowhere else.
    @Test func `answers are built anew where an approval comes or goes`() throws {
        let workers = try SyncWorkers()
        let (agencies, key) = (workers.agencies, workers.production)
        let lease = try workers.lease(key)
        func number() throws -> Int64 { try agencies.head(agencies.first, key).number }
        func record(_ change: (inout AppleObject) -> Void) throws -> Int64 {
            try workers.work(lease) { transaction, _ in
                let state = try transaction.observedState(at: key)
                let first = state.objects.values.filter { $0.kind == .message }
                    .min { $0.id.uuidString < $1.id.uuidString }
                var object = try #require(first)
                change(&object)
                try transaction.record([.object(object)], at: key, contents: [:], former: state)
            }
            return try number()
        }
        let before = try number()
        #expect(try record { $0.listedAt = Self.now } == before)
        #expect(try record { $0.state = .rejected } == before + 1)
        #expect(try record { $0.state = .pending } == before + 1)
        #expect(try record { $0.state = .approved } == before + 2)
        // A picture that Apple does not have.
        #expect(try record { $0.images = [UUID()] } == before + 3)
        #expect(try record { $0.images = [] } == before + 4)
        #expect(try record { $0.presence = .withdrawing } == before + 5)
        #expect(try record { $0.presence = .listed } == before + 6)
        let gone = try workers.work(lease) { transaction, _ in
            let state = try transaction.observedState(at: key)
            let served = try #require(
                state.objects.values.first { $0.kind == .message && $0.isApproved })
            try transaction.record([.forgotten(served.id)], at: key, contents: [:], former: state)
            return served.id
        }
        #expect(try number() == before + 7)
        let snapshot = try agencies.snapshot(agencies.first, key)
        #expect(!snapshot.messages.flatMap(\.placements.values).contains(gone))
    }

    /// The agency may ask for it while a worker thinks of what it read before.
    @Test func `what is to be made anew stays so`() throws {
        let workers = try SyncWorkers()
        let key = workers.production
        let lease = try workers.lease(key)
        let former = try workers.work(lease) { transaction, _ in
            try transaction.observedState(at: key)
        }
        let object = try #require(former.objects.values.first { $0.kind == .message })
        try workers.superuser(
            """
            update holdfast.apple_object set superseded_at = now() where apple_id = \(object.id)
            """)
        let stored = try workers.work(lease) { transaction, _ in
            try transaction.record([.object(object)], at: key, contents: [:], former: former)
            return try transaction.observedState(at: key)
        }
        #expect(stored.objects[object.id]?.isSuperseded == true)
    }

    @Test func `another key ends the pause of the one that was refused`() throws {
        let workers = try SyncWorkers()
        let (agencies, key) = (workers.agencies, workers.production)
        let lease = try workers.lease(key)
        func state() throws -> ObservedState {
            try workers.work(lease) { transaction, _ in try transaction.observedState(at: key) }
        }
        try workers.work(lease) { transaction, _ in
            try transaction.record(
                [.pause(.keyRefused, until: Self.later)], at: key, contents: [:],
                former: ObservedState())
        }
        #expect(try state().pause == .keyRefused)
        #expect(try state().pausedUntil == Self.later)
        try agencies.change(agencies.first) { transaction in
            let old = try #require(try transaction.findLiveCredential(of: key.app))
            let isRetired = try transaction.retireCredential(old.id, of: key.app)
            #expect(isRetired)
        }
        #expect(try state().pause == nil)
        #expect(try state().pausedUntil == nil)
    }

    /// The word was for the URL that was there, not for all that may ever be.
    @Test func `leave to take over a URL ends when ours is set`() throws {
        let workers = try SyncWorkers()
        let (agencies, key) = (workers.agencies, workers.production)
        let lease = try workers.lease(key)
        func mayReplace(after url: ObservedURL?, isUncertain: Bool = false) throws -> Bool {
            try workers.work(lease) { transaction, number in
                try transaction.record(
                    [.url(url, isUncertain: isUncertain, readAt: nil, refusal: nil)], at: key,
                    contents: [:], former: ObservedState())
                return try transaction.syncDesire(at: key, changeNumber: number).state
                    .mayReplaceForeignURL
            }
        }
        #expect(try !mayReplace(after: .foreign))
        try workers.makeDue([])
        try agencies.change(agencies.first) { try $0.allowURLReplacement(at: key) }
        #expect(try workers.due(key) <= 0)
        #expect(try mayReplace(after: .foreign))
        #expect(try mayReplace(after: .foreign, isUncertain: true))
        #expect(try !mayReplace(after: .own(EndpointID(UUID()))))
        #expect(try !mayReplace(after: .foreign))
    }
}
