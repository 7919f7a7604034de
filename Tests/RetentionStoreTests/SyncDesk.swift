import FoundationEssentials
import Operator
import Postgres
import Retention
import RetentionStore
import TestSupport
import Testing

/// What one app wants in production, edited by the agency and looked at by a worker.
struct SyncDesk {
    let workers: SyncWorkers
    let lease: SyncLease
    var agencies: Agencies { workers.agencies }
    var key: AppEnvironment { lease.key }

    init() throws {
        workers = try SyncWorkers()
        lease = try workers.lease(workers.production)
    }

    func desire() throws -> SyncDesire {
        try workers.work(lease) { transaction, number in
            try transaction.syncDesire(at: key, changeNumber: number)
        }
    }

    func observed() throws -> ObservedState {
        try workers.work(lease) { transaction, _ in try transaction.observedState(at: key) }
    }

    /// As Apple would answer, with what is wanted behind it.
    func record(_ id: UUID, _ change: (inout AppleObject) -> Void) throws {
        try workers.work(lease) { transaction, number in
            let desire = try transaction.syncDesire(at: key, changeNumber: number)
            let state = try transaction.observedState(at: key)
            let text = desire.state.texts.first { $0.appleId == id }
            var object =
                state.objects[id]
                ?? AppleObject(
                    kind: text == nil ? .image : .message, id: id, isOurs: true,
                    presence: .uploaded, images: text?.images ?? [])
            change(&object)
            try transaction.record(
                [.object(object)], at: key, contents: desire.contents, former: state)
        }
    }

    func addMessage(
        _ texts: [Localization], kind: MessageKind = .text, name: String = "\(UUID())"
    ) throws -> MessageID {
        let id = MessageID.make(at: Agencies.now)
        try agencies.change(agencies.first) { transaction in
            try transaction.createMessage(id, name: name, kind: kind, of: key.app)
            for text in texts {
                try transaction.createLocalization(text, of: id, app: key.app)
            }
            try transaction.removeMessageTargets(
                [id], at: AppEnvironment(app: key.app, environment: .sandbox))
        }
        return id
    }

    func target(_ message: MessageID) throws {
        try agencies.change(agencies.first) { transaction in
            let added = try transaction.addMessageTargets([message], at: key)
            #expect(added == [message])
            let again = try transaction.addMessageTargets([message], at: key)
            #expect(again == [])
        }
    }

    func placements() throws -> [TextPlace: UUID] {
        let snapshot = try agencies.snapshot(agencies.first, key)
        var placements: [TextPlace: UUID] = [:]
        for message in snapshot.messages {
            for (locale, id) in message.placements {
                placements[TextPlace(message: message.id, locale: locale)] = id
            }
        }
        return placements
    }

    /// A text of the sample that shows pictures.
    func illustrated() throws -> WantedText {
        try #require(
            try desire().state.texts.first { !$0.images.isEmpty && $0.locale == "en-US" })
    }

    func text(_ place: TextPlace) throws -> Localization {
        try agencies.change(agencies.first) { transaction in
            try #require(
                try transaction.findLocalization(
                    place.locale, of: place.message, app: key.app)
            ).text
        }
    }

    func addPicture(_ byte: UInt8) throws -> ImageID {
        try agencies.change(agencies.first) {
            try $0.storeImage(
                NewImage(
                    id: .make(at: Agencies.now), size: .fullSize, png: [byte], width: 1,
                    height: 1), of: key.app)
        }
    }
}
