import Foundation
import Retention
import RetentionStore

extension TenantTransaction {
    /// What the sync leaves behind once Apple has all that is wanted and has judged it so, 90
    /// seconds after it was sent.
    ///
    /// - Returns: identifiers at Apple, sorted.
    @discardableResult
    func bringToApple(_ state: ReviewState, at key: AppEnvironment) throws -> [UUID] {
        let desire = try syncDesire(at: key, changeNumber: 0)
        let sent = Instant(milliseconds: now.milliseconds - 90_000)
        let images = Dictionary(
            desire.state.texts.map { ($0.appleId, $0.images) }, uniquingKeysWith: { a, _ in a })
        let objects = desire.contents.map { id, content in
            var kind = AppleObjectKind.message
            if case .image = content.source { kind = .image }
            return AppleObject(
                kind: kind, id: id, isOurs: true, presence: .listed, state: state,
                images: images[id] ?? [], attemptedAt: sent, uploadedAt: sent, listedAt: now)
        }
        try record(
            objects.map { .object($0) }, at: key, contents: desire.contents,
            former: try observedState(at: key))
        return objects.map(\.id).sorted()
    }

    /// What another tool brought there.
    func bringForeign(_ kind: AppleObjectKind, at key: AppEnvironment) throws -> UUID {
        let object = AppleObject(
            kind: kind, id: UUID(), isOurs: false, presence: .listed, state: .rejected,
            listedAt: now)
        try record([.object(object)], at: key, contents: [:], former: ObservedState())
        return object.id
    }
}

extension UUID {
    /// As the API writes identifiers of Apple's.
    var atApple: String { uuidString.lowercased() }
}
