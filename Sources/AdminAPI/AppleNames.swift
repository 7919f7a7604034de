internal import FoundationEssentials
internal import Retention
internal import RetentionStore

/// What identifiers at Apple stand for here, in one environment of one app: Apple knows neither
/// message nor locale. Read once, asked for each identifier.
struct AppleNames {
    /// A text may share its identifier with many, and a picture be shown by thousands.
    private static let usesLimit = 20

    let key: AppEnvironment
    let desire: SyncDesire
    let observed: ObservedState
    /// Identifier of a message or image -> texts as they are wanted.
    private let wanted: [UUID: Set<TextPlace>]
    /// The same for those that are answered with.
    private let served: [UUID: Set<TextPlace>]
    /// Content -> the identifier that it is wanted under.
    private let current: [[UInt8]: UUID]

    init(_ key: AppEnvironment, _ transaction: TenantTransaction) throws {
        self.key = key
        let desire = try transaction.syncDesire(at: key, changeNumber: 0)
        let observed = try transaction.observedState(at: key)
        var wanted: [UUID: Set<TextPlace>] = [:]
        for text in desire.state.texts {
            for id in [text.appleId] + text.images {
                wanted[id, default: []].insert(text.place)
            }
        }
        var served: [UUID: Set<TextPlace>] = [:]
        for (place, message) in desire.state.served {
            for id in [message] + (observed.objects[message]?.images ?? []) {
                served[id, default: []].insert(place)
            }
        }
        self.desire = desire
        self.observed = observed
        self.wanted = wanted
        self.served = served
        current = Dictionary(
            desire.contents.map { ($0.value.digest, $0.key) }, uniquingKeysWith: { a, _ in a })
    }

    /// The identifier that content is wanted under; `nil` where nobody wants it.
    func current(_ digest: [UInt8]?) -> UUID? { digest.flatMap { current[$0] } }

    /// Which texts an identifier stands for or, of a picture, which show it.
    func uses(of id: UUID) -> [String: JSONTree] {
        let wanted = wanted[id] ?? []
        let served = served[id] ?? []
        let all = wanted.union(served).sorted()
        return [
            "uses": .array(
                all.prefix(Self.usesLimit).map { place in
                    [
                        "messageId": .id(place.message), "locale": .string(place.locale),
                        "isWanted": .boolean(wanted.contains(place)),
                        "isServed": .boolean(served.contains(place)),
                    ]
                }),
            "useCount": .integer(Int64(all.count)),
        ]
    }

    // MARK: - What a call is about

    func subject(of operation: SyncOperation) -> JSONTree {
        switch operation {
        case .listImages: subject("imageList")
        case .listMessages: subject("messageList")
        case .uploadImage(let id), .deleteImage(let id): subject(.image, id)
        case .uploadMessage(let id, _), .deleteMessage(let id): subject(.message, id)
        case .setDefault(let slot, let id): subject("default", id: id, slot: slot)
        case .getDefault(let slot), .deleteDefault(let slot):
            subject("default", id: observed.defaults[slot]?.appleId, slot: slot)
        case .getRealtimeURL, .deleteRealtimeURL: subject("realtimeURL")
        case .setRealtimeURL(let endpoint): subject("realtimeURL", endpoint: endpoint)
        }
    }

    func subject(_ kind: AppleObjectKind, _ id: UUID) -> JSONTree {
        subject(kind.rawValue, id: id)
    }

    private func subject(
        _ kind: String, id: UUID? = nil, slot: DefaultSlot? = nil, endpoint: EndpointID? = nil
    ) -> JSONTree {
        var image: ImageID?
        if let id, case .image(let known, _) = desire.contents[id]?.source { image = known }
        let uses = id.map(uses) ?? ["uses": [], "useCount": 0]
        let members: [String: JSONTree] = [
            "kind": .string(kind), "identifier": .optional(id, JSONTree.appleId),
            "imageId": .optional(image, JSONTree.id), "productId": .text(slot?.productId),
            "locale": .text(slot?.locale), "endpointId": .optional(endpoint, JSONTree.id),
        ]
        return JSONTree.object(members).merging(uses)
    }

    // MARK: - What is missing

    func lacks(_ transaction: TenantTransaction) throws -> JSONTree {
        let lacks = SyncLack.all(
            desired: desire.state, observed: observed, hasCredential: desire.credential != nil,
            hasTestTransactionId: try transaction.performanceTestTransactionId(of: key.app) != nil)
        return .array(
            lacks.map { ["code": .string($0.rawValue), "detail": .string($0.sentence)] })
    }
}

extension JSONTree {
    /// As it goes to Apple and comes from there.
    static func appleId(_ uuid: UUID) -> JSONTree { .string(uuid.uuidString.lowercased()) }
}
