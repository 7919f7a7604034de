import Foundation
import Operator
import Postgres
import Retention
import RetentionStore
import TestSupport
import Testing

/// What is wanted at Apple: whose texts, under which identifiers, with which pictures.
@Suite(.database) struct SyncDesiredTests {
    private func text(_ body: String, _ locale: String = "en-US") -> Localization {
        Localization(locale: locale, header: "h", body: body)
    }

    @Test func `what was placed is wanted under the identifiers it has`() throws {
        let desk = try SyncDesk()
        let desire = try desk.desire()
        let observed = try desk.observed()
        #expect(desire.bundleId == "com.example.tideline")
        #expect(desire.credential != nil)
        #expect(desire.changeNumber == (try desk.workers.changeNumber(desk.key)))
        #expect(!desire.state.texts.isEmpty)
        for text in desire.state.texts {
            #expect(desire.state.served[text.place] == text.appleId)
            let object = try #require(observed.objects[text.appleId])
            #expect(object.isApproved && object.images == text.images)
            guard case .text(let content, let images) = desire.contents[text.appleId]?.source else {
                Issue.record("\(text.place) has no content")
                continue
            }
            let words = try desk.text(text.place)
            #expect(isSame(content.header, words.header) && isSame(content.body, words.body))
            #expect(Set(images.values) == Set(text.images))
        }
        #expect(desire.state.images.count == 2)
        for id in desire.state.images {
            #expect(observed.objects[id]?.kind == .image)
            guard case .image = desire.contents[id]?.source else {
                Issue.record("\(id) has no content")
                continue
            }
        }
        #expect(desire.contents.values.allSatisfy { $0.generation == 0 })
        let defaults = try desk.agencies.change(desk.agencies.first) {
            try $0.listDefaults(at: desk.key, after: nil, limit: 1_000)
        }
        #expect(defaults.count > 10 && desire.state.defaults.count == defaults.count)
        for known in defaults {
            let slot = DefaultSlot(productId: known.productId, locale: known.locale)
            let place = TextPlace(message: known.message, locale: known.locale)
            #expect(desire.state.defaults[slot] == place)
        }
        #expect(desire.state.endpoint != nil)
        #expect(!desire.state.hasPassedPerformanceTest)
        let sandbox = try desk.workers.lease(desk.workers.sandbox)
        let there = try desk.workers.work(sandbox) { transaction, number in
            try transaction.syncDesire(at: sandbox.key, changeNumber: number).state
        }
        #expect(Set(there.texts.map(\.appleId)).isDisjoint(with: desire.state.texts.map(\.appleId)))
        #expect(there.images.isDisjoint(with: desire.state.images))
        #expect(there.endpoint != desire.state.endpoint)
    }

    @Test func `wanted is what was told so, what a default shows and what published rules name`()
        throws
    {
        let desk = try SyncDesk()
        let (told, shown, ruled) = try (
            desk.addMessage([text("a")]), desk.addMessage([text("b")]), desk.addMessage([text("c")])
        )
        let (drafted, none) = try (desk.addMessage([text("d")]), desk.addMessage([text("e")]))
        func wanted() throws -> Set<MessageID> { Set(try desk.desire().state.texts.map(\.message)) }
        #expect(try wanted().isDisjoint(with: [told, shown, ruled, drafted, none]))
        try desk.target(told)
        try desk.agencies.change(desk.agencies.first) { transaction in
            try transaction.setDefaultMessage(
                shown, product: "com.example.tideline.plus.annual", locale: "en-US", at: desk.key)
            func rules(_ message: MessageID) -> RuleSet {
                RuleSet(rules: [
                    Rule(id: RuleID(UUID()), name: "r", when: .always, treatment: .message(message))
                ])
            }
            _ = try transaction.createRuleSet(rules(drafted), of: desk.key.app)
            let version = try transaction.createRuleSet(rules(ruled), of: desk.key.app)
            _ = try transaction.publishRuleSet(version: version, at: desk.key)
        }
        #expect(
            try wanted().intersection([told, shown, ruled, drafted, none]) == [told, shown, ruled])
        let targets = try desk.agencies.change(desk.agencies.first) {
            try $0.messageTargets(of: desk.key.app, [told, shown])
        }
        #expect(targets == [told: [.production]])
        // What a default shows stays, though nobody says so any more.
        try desk.agencies.change(desk.agencies.first) {
            try $0.removeMessageTargets([told, shown], at: desk.key)
        }
        #expect(try wanted().intersection([told, shown]) == [shown])
    }

    @Test func `equal content is one object, whoever has it`() throws {
        let desk = try SyncDesk()
        let same = try [
            desk.addMessage([text("same"), text("same", "ja"), text("other", "es-MX")]),
            desk.addMessage([text("same")]),
        ]
        for message in same { try desk.target(message) }
        let desire = try desk.desire()
        let texts = desire.state.texts.filter { same.contains($0.message) }
        #expect(texts.count == 4)
        #expect(Set(texts.map(\.appleId)).count == 2)
        let first = try #require(texts.first { $0.message == same[1] })
        #expect(texts.count { $0.appleId == first.appleId } == 3)
        // Read again, it is the same.
        #expect(try desk.desire().state == desire.state)
        // Another app's, with the same words, has another.
        let other = try #require(
            Set(desk.agencies.first.keys.map(\.app)).first { $0 != desk.key.app })
        try desk.agencies.change(desk.agencies.first) { transaction in
            try transaction.createMessage(same[0], name: "x", kind: .text, of: other)
            try transaction.createLocalization(text("same"), of: same[0], app: other)
        }
        let lease = try desk.workers.lease(AppEnvironment(app: other, environment: .sandbox))
        let there = try desk.workers.work(lease) { transaction, number in
            try transaction.syncDesire(at: lease.key, changeNumber: number).state.texts
        }
        #expect(there.contains { $0.message == same[0] && $0.appleId != first.appleId })
    }

    @Test func `an edited text is served as it was approved until its successor is`() throws {
        let desk = try SyncDesk()
        let old = try desk.illustrated()
        let before = try desk.placements()
        #expect(before[old.place] == old.appleId)
        let words = try desk.text(old.place)
        let picture = try desk.addPicture(9)
        let edited = Localization(
            locale: words.locale, header: "Edited", body: words.body,
            headerPosition: words.headerPosition,
            image: PlacedImage(image: picture, altText: "a"), bullets: words.bullets)
        try desk.agencies.change(desk.agencies.first) {
            try $0.updateLocalization(edited, of: old.message, app: desk.key.app)
        }
        #expect(try desk.placements() == before)
        let desire = try desk.desire()
        let new = try #require(desire.state.texts.first { $0.place == old.place })
        #expect(new.appleId != old.appleId && Set(new.images) != Set(old.images))
        #expect(desire.state.served[old.place] == old.appleId)
        let added = try #require(Set(new.images).subtracting(old.images).first)
        try desk.record(added) { $0.state = .pending }
        try desk.record(new.appleId) { $0.state = .approved }
        #expect(try desk.placements() == before)
        // Named too early, it is not served: its picture is not approved.
        func serve(_ id: UUID) throws {
            try desk.workers.work(desk.lease) { transaction, _ in
                try transaction.change([.serve(old.place, id)], at: desk.key)
            }
        }
        try serve(new.appleId)
        #expect(try desk.placements()[old.place] == nil)
        try serve(old.appleId)
        #expect(try desk.placements() == before)
        try desk.record(added) { $0.state = .approved }
        try serve(new.appleId)
        #expect(try desk.placements()[old.place] == new.appleId)
        // The old one's picture goes; the new one does not show it.
        let left = try #require(Set(old.images).subtracting(new.images).first)
        try desk.record(left) { $0.presence = .withdrawing }
        #expect(try desk.placements()[old.place] == new.appleId)
        try desk.workers.work(desk.lease) { transaction, _ in
            try transaction.change([.stop(old.place)], at: desk.key)
        }
        #expect(try desk.placements()[old.place] == nil)
        #expect(try desk.desire().state.served[old.place] == nil)
    }

    @Test func `a text that was removed meanwhile is not served`() throws {
        let desk = try SyncDesk()
        let message = try desk.addMessage([text("x")])
        try desk.target(message)
        let id = try #require(try desk.desire().state.texts.first { $0.message == message }).appleId
        try desk.record(id) { $0.state = .approved }
        try desk.agencies.change(desk.agencies.first) {
            try $0.deleteLocalization("en-US", of: message, app: desk.key.app)
        }
        let place = TextPlace(message: message, locale: "en-US")
        try desk.workers.work(desk.lease) { transaction, _ in
            try transaction.change([.serve(place, id)], at: desk.key)
        }
        #expect(try desk.desire().state.served[place] == nil)
    }

    @Test func `an answer about a picture that was removed meanwhile is kept`() throws {
        let desk = try SyncDesk()
        let picture = try desk.addPicture(7)
        let message = try desk.addMessage([
            Localization(
                locale: "en-US", header: "h", body: "b",
                image: PlacedImage(image: picture, altText: "a"))
        ])
        try desk.target(message)
        let desire = try desk.desire()
        let id = try #require(desire.state.texts.first { $0.message == message }?.images.first)
        try desk.agencies.change(desk.agencies.first) {
            try $0.deleteMessage(message, of: desk.key.app)
            try $0.deleteImage(picture, of: desk.key.app)
        }
        try desk.workers.work(desk.lease) { transaction, _ in
            let object = AppleObject(kind: .image, id: id, isOurs: true, presence: .uploaded)
            try transaction.record(
                [.object(object)], at: desk.key, contents: desire.contents, former: ObservedState())
        }
        #expect(try desk.observed().objects[id]?.presence == .uploaded)
    }

    /// An identifier at Apple is used once: what was deleted or is to be made anew gets the next.
    @Test func `the identifier of content moves on when it is used up`() throws {
        let desk = try SyncDesk()
        let message = try desk.addMessage([text("again")])
        try desk.target(message)
        func current() throws -> (id: UUID, generation: Int32?) {
            let desire = try desk.desire()
            let id = try #require(desire.state.texts.first { $0.message == message }).appleId
            return (id, desire.contents[id]?.generation)
        }
        var used: [UUID] = []
        for (generation, end) in ["withdrawing", "gone", "superseded"].enumerated() {
            let (id, known) = try current()
            #expect(known == Int32(generation) && !used.contains(id))
            used.append(id)
            try desk.record(id) { $0.state = .approved }
            #expect(try current().id == id)
            switch end {
            case "superseded":
                try desk.workers.superuser(
                    "update holdfast.apple_object set superseded_at = now() where apple_id = \(id)")
            default:
                let presence = try #require(AppleObject.Presence(rawValue: end))
                try desk.record(id) { $0.presence = presence }
            }
        }
        #expect(try current().generation == 3)
        // What Apple refused, or may have, keeps its identifier.
        let id = try current().id
        for presence in [AppleObject.Presence.uncertain, .refused, .uploaded, .listed] {
            try desk.record(id) { $0.presence = presence }
            #expect(try current().id == id)
        }
    }

    /// As it was for all that was placed before contents were written down.
    @Test func `an identifier whose content is not written down is used up too`() throws {
        let desk = try SyncDesk()
        let old = try desk.illustrated()
        try desk.workers.superuser("update holdfast.apple_object set content_digest = null")
        #expect(try desk.illustrated() == old)
        try desk.workers.superuser(
            """
            update holdfast.apple_object set presence = 'gone' where apple_id = \(old.appleId)
            """)
        let new = try desk.illustrated()
        #expect(new.place == old.place && new.appleId != old.appleId)
        #expect(try desk.desire().contents[new.appleId]?.generation == 1)
        try desk.record(new.appleId) { $0.presence = .gone }
        let newest = try desk.desire().state.texts.first { $0.place == old.place }
        #expect(try desk.desire().contents[try #require(newest).appleId]?.generation == 2)
    }

    @Test func `a text follows the identifiers of its pictures`() throws {
        let desk = try SyncDesk()
        let old = try desk.illustrated()
        let picture = try #require(old.images.first)
        #expect(try desk.placements()[old.place] == old.appleId)
        try desk.record(picture) { $0.presence = .gone }
        let new = try #require(try desk.desire().state.texts.first { $0.place == old.place })
        #expect(new.appleId != old.appleId && !new.images.contains(picture))
        #expect(new.images.count == old.images.count)
        // Without its picture the old one is not said any more.
        #expect(try desk.placements()[old.place] == nil)
        let others = try desk.placements().keys.filter { $0.message != old.message }
        #expect(!others.isEmpty)
    }

    private func acknowledge(
        _ desk: SyncDesk, _ name: String, _ number: Int64?, agoSeconds: Int64 = 0
    ) throws {
        let heads = number.map {
            [SnapshotHead(tenant: desk.lease.tenant, key: desk.key, number: $0)]
        }
        let real = Instant(
            milliseconds: Int64(Date().timeIntervalSince1970 * 1_000) - agoSeconds * 1_000)
        try RetentionStore(pool: desk.agencies.database.responder).acknowledge(
            .routing, heads ?? [], by: name, at: real)
    }

    @Test func `the newest snapshot counts as served once all live responders say so`() throws {
        let desk = try SyncDesk()
        func isServed() throws -> Bool { try desk.desire().state.isSnapshotAcknowledged }
        let number = try desk.agencies.head(desk.agencies.first, desk.key).number
        #expect(try isServed())
        try acknowledge(desk, "silent", nil, agoSeconds: 3_600)
        #expect(try isServed())
        try acknowledge(desk, "a", nil)
        #expect(try !isServed())
        try acknowledge(desk, "a", number)
        #expect(try isServed())
        try acknowledge(desk, "b", number - 1)
        #expect(try !isServed())
        try acknowledge(desk, "b", number)
        #expect(try isServed())
        try desk.workers.work(desk.lease) { transaction, _ in
            let place = try #require(try desk.placements().keys.first)
            try transaction.change([.stop(place)], at: desk.key)
        }
        #expect(try desk.agencies.head(desk.agencies.first, desk.key).number == number + 1)
        #expect(try !isServed())
        for name in ["a", "b"] { try acknowledge(desk, name, number + 1) }
        #expect(try isServed())
        // Of another app nobody said anything.
        let other = try desk.workers.lease(desk.agencies.first.keys[2])
        let there = try desk.workers.work(other) { transaction, changeNumber in
            try transaction.syncDesire(at: other.key, changeNumber: changeNumber).state
        }
        #expect(!there.isSnapshotAcknowledged)
    }
}
