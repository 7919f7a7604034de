import FoundationEssentials
import Retention

/// What Apple said, as it came over the wire.
struct AppleReply: Sendable {
    let status: Int
    var code: Int?
    var retryAfter: String?
    var content: AppleContentRead?

    static let ok = AppleReply(status: 200)
    static func refused(_ code: AppleErrorCode) -> AppleReply {
        AppleReply(status: code.rawValue / 10_000, code: code.rawValue)
    }
}

/// Apple's side of one app in one environment: its rules, its reviews and its limits.
struct SimulatedApple {
    struct Stored {
        let kind: AppleObjectKind
        /// Which content it holds; `nil` where another tool made it.
        let label: Int?
        let images: [UUID]
        var state: ReviewState
        /// From when on the list shows it.
        let visibleFrom: Int64
    }

    private struct Ghost {
        let id: UUID
        let kind: AppleObjectKind
        let state: ReviewState
        let until: Int64
    }

    private struct Verdict {
        let at: Int64
        let id: UUID
        let state: ReviewState
    }

    let profile: Profile
    var random: SplitMix64
    var happenings = Happenings()

    private(set) var stored: [UUID: Stored] = [:]
    private(set) var defaults: [DefaultSlot: UUID] = [:]
    private(set) var url = ObservedURL.none
    private(set) var foreignURLSince: Int64?
    private(set) var deletedByUs: Set<UUID> = []
    private(set) var acceptedImages: Set<UUID> = []
    private(set) var settlesAt: Int64 = 0
    var hasPass = false
    private var ghosts: [Ghost] = []
    private var verdicts: [Verdict] = []
    private var late: [(at: Int64, operation: SyncOperation, label: Int?)] = []
    private var hourCounts: [AppleEndpoint: (hour: Int64, count: Int)] = [:]
    private var foreignCount = 0
    /// No fault begins after it.
    var calmFrom: Int64

    init(profile: Profile, random: SplitMix64, calmFrom: Int64) {
        self.profile = profile
        self.random = random
        self.calmFrom = calmFrom
    }

    /// Lets happen what is due.
    mutating func advance(to now: Int64) {
        while let index = late.firstIndex(where: { $0.at <= now }) {
            let due = late.remove(at: index)
            _ = apply(due.operation, label: due.label, now: due.at)
        }
        guard verdicts.contains(where: { $0.at <= now }) else { return }
        for verdict in verdicts.filter({ $0.at <= now }).sorted(by: { $0.at < $1.at }) {
            guard let before = stored[verdict.id]?.state else { continue }
            stored[verdict.id]?.state = verdict.state
            guard stored[verdict.id]?.label != nil else { continue }
            if verdict.state == .rejected { happenings.note(.rejected) }
            if before == .approved { happenings.note(.flippedToRejected) }
            if before == .rejected { happenings.note(.flippedToApproved) }
        }
        verdicts.removeAll { $0.at <= now }
    }

    mutating func schedule(_ operation: SyncOperation, label: Int?, at: Int64) {
        late.append((at, operation, label))
    }

    /// Counts the call; the answer where it is one too many.
    mutating func limit(_ endpoint: AppleEndpoint, now: Int64) -> AppleReply? {
        let hour = now / 3_600_000
        var counted = hourCounts[endpoint] ?? (hour, 0)
        if counted.hour != hour { counted = (hour, 0) }
        counted.count += 1
        hourCounts[endpoint] = counted
        guard counted.count > profile.callsPerHour(endpoint) else { return nil }
        return throttled(until: "\((hour + 1) * 3_600_000)")
    }

    func throttled(until header: String?) -> AppleReply {
        AppleReply(status: 429, code: 4_290_000, retryAfter: header)
    }

    mutating func apply(_ operation: SyncOperation, label: Int?, now: Int64) -> AppleReply {
        switch operation {
        case .uploadImage(let id): upload(.image, id, [], label, now)
        case .uploadMessage(let id, let images): upload(.message, id, images, label, now)
        case .deleteImage(let id): delete(id, now)
        case .deleteMessage(let id): delete(id, now)
        case .listImages: list(.image, now)
        case .listMessages: list(.message, now)
        case .setDefault(let slot, let id): set(slot, id)
        case .getDefault(let slot): read(slot)
        case .deleteDefault(let slot): remove(slot)
        case .getRealtimeURL:
            url == .none
                ? .refused(.realtimeURLNotFound)
                : AppleReply(status: 200, content: .realtimeURL(url))
        case .setRealtimeURL(let endpoint): setURL(endpoint)
        case .deleteRealtimeURL: deleteURL()
        }
    }
}

// MARK: - Uploads, deletions and lists

extension SimulatedApple {
    private mutating func upload(
        _ kind: AppleObjectKind, _ id: UUID, _ images: [UUID], _ label: Int?, _ now: Int64
    ) -> AppleReply {
        if stored[id] != nil {
            happenings.note(.conflict)
            return .refused(kind == .image ? .imageAlreadyExists : .messageAlreadyExists)
        }
        if let label, profile.isBad(label) {
            happenings.note(.refusedForContent)
            return .refused(kind == .image ? .invalidImage : .bodyTooLong)
        }
        if count(kind) >= most(kind) {
            happenings.note(.full)
            return .refused(
                kind == .image ? .maximumNumberOfImagesReached : .maximumNumberOfMessagesReached)
        }
        if images.contains(where: { stored[$0] == nil }) { return .refused(.imageNotFound) }
        store(kind, id, images, label, now)
        return .ok
    }

    private func most(_ kind: AppleObjectKind) -> Int {
        kind == .image ? 2 * profile.most : profile.most
    }

    private func count(_ kind: AppleObjectKind) -> Int {
        stored.values.reduce(0) { $0 + ($1.kind == kind ? 1 : 0) }
    }

    private mutating func store(
        _ kind: AppleObjectKind, _ id: UUID, _ images: [UUID], _ label: Int?, _ now: Int64
    ) {
        let isBehind = label != nil && now < calmFrom && random.happens(profile.listBehind)
        stored[id] = Stored(
            kind: kind, label: label, images: images,
            state: profile.environment == .sandbox ? .approved : .pending,
            visibleFrom: now + (isBehind ? random.milliseconds(1_000...400_000) : 0))
        if kind == .image { acceptedImages.insert(id) }
        guard profile.environment == .production else { return }
        if random.happens(profile.keptPending) {
            happenings.note(.keptPending)
            return
        }
        let at = now + random.milliseconds(1_000...profile.longestReview)
        let isApproved = !random.happens(profile.rejected)
        verdicts.append(Verdict(at: at, id: id, state: isApproved ? .approved : .rejected))
        settlesAt = max(settlesAt, at)
        guard random.happens(profile.flipped), at < calmFrom else { return }
        let flip = min(at + random.milliseconds(1_000...14_400_000), calmFrom)
        verdicts.append(Verdict(at: flip, id: id, state: isApproved ? .rejected : .approved))
    }

    private mutating func delete(_ id: UUID, _ now: Int64) -> AppleReply {
        guard let object = stored[id] else {
            happenings.note(.deletedBefore)
            return .refused(.messageNotFound)
        }
        if object.kind == .image, stored.values.contains(where: { $0.images.contains(id) }) {
            return .refused(.imageInUse)
        }
        remove(id, now)
        deletedByUs.insert(id)
        happenings.note(object.kind == .image ? .imageDeleted : .messageDeleted)
        return .ok
    }

    private mutating func remove(_ id: UUID, _ now: Int64) {
        guard let object = stored.removeValue(forKey: id) else { return }
        guard now < calmFrom, random.happens(profile.listBehind) else { return }
        ghosts.append(
            Ghost(
                id: id, kind: object.kind, state: object.state,
                until: now + random.milliseconds(1_000...400_000)))
    }

    private mutating func list(_ kind: AppleObjectKind, _ now: Int64) -> AppleReply {
        ghosts.removeAll { $0.until <= now }
        var lines = ghosts.filter { $0.kind == kind && stored[$0.id] == nil }
            .map { ListedObject(id: $0.id, state: $0.state) }
        if !lines.isEmpty { happenings.note(.listBehind) }
        for (id, object) in stored where object.kind == kind {
            if object.visibleFrom <= now {
                lines.append(ListedObject(id: id, state: object.state))
            } else {
                happenings.note(.listBehind)
            }
        }
        lines.sort { $0.id < $1.id }
        var isWhole = true
        if now < calmFrom, !lines.isEmpty, random.happens(profile.unreadableLine) {
            lines.remove(at: random.below(lines.count))
            isWhole = false
            happenings.note(.unreadableLine)
        }
        return AppleReply(status: 200, content: .objects(lines, isWhole: isWhole))
    }
}

// MARK: - Defaults and the URL

extension SimulatedApple {
    private mutating func set(_ slot: DefaultSlot, _ id: UUID) -> AppleReply {
        guard let message = stored[id], message.kind == .message else {
            return .refused(.messageNotFound)
        }
        guard message.state == .approved else { return .refused(.messageNotApproved) }
        guard message.images.allSatisfy({ stored[$0]?.state == .approved }) else {
            return .refused(.imageNotApproved)
        }
        defaults[slot] = id
        return .ok
    }

    private func read(_ slot: DefaultSlot) -> AppleReply {
        defaults[slot].map { AppleReply(status: 200, content: .defaultMessage($0)) }
            ?? .refused(.defaultMessageNotFound)
    }

    private mutating func remove(_ slot: DefaultSlot) -> AppleReply {
        happenings.note(.defaultDeleted)
        return defaults.removeValue(forKey: slot) == nil ? .refused(.defaultMessageNotFound) : .ok
    }

    private mutating func setURL(_ endpoint: EndpointID) -> AppleReply {
        if profile.environment == .production, !hasPass { return .refused(.noPassingTest) }
        if url == .foreign { happenings.note(.foreignURLReplaced) }
        url = .own(endpoint)
        foreignURLSince = nil
        happenings.note(.urlSet)
        return .ok
    }

    private mutating func deleteURL() -> AppleReply {
        guard url != .none else { return .refused(.realtimeURLNotFound) }
        url = .none
        foreignURLSince = nil
        happenings.note(.urlDeleted)
        return .ok
    }
}

// MARK: - Others

extension SimulatedApple {
    mutating func addForeignObject(now: Int64) {
        foreignCount += 1
        let kind: AppleObjectKind = random.happens(500) ? .image : .message
        guard count(kind) < most(kind), foreignCount <= profile.foreignObjects else { return }
        store(kind, UUID(number: 9_000 + foreignCount), [], nil, now)
        happenings.note(.foreignObject)
    }

    mutating func removeForeignObject(now: Int64) {
        let foreign = stored.filter { id, object in
            object.label == nil && !defaults.values.contains(id)
        }.keys.sorted()
        guard let id = random.pick(foreign) else { return }
        remove(id, now)
        happenings.note(.foreignObjectGone)
    }

    /// Another tool points a default elsewhere, or takes it away.
    mutating func changeDefault() -> DefaultSlot? {
        guard let slot = random.pick(defaults.keys.sorted()) else { return nil }
        let foreign = stored.filter {
            $0.value.label == nil && $0.value.kind == .message && $0.value.state == .approved
        }.keys.sorted()
        defaults[slot] = random.happens(500) ? random.pick(foreign) : nil
        happenings.note(.foreignDefault)
        return slot
    }

    mutating func changeURL(now: Int64) {
        url = random.happens(700) ? .foreign : .none
        foreignURLSince = url == .foreign ? now : nil
        happenings.note(.foreignURL)
    }

    /// Somebody deletes one of ours that no default and no message names.
    mutating func vanish(now: Int64) {
        let ours = stored.filter { id, object in
            object.label != nil && !stored.values.contains { $0.images.contains(id) }
        }.keys.sorted()
        guard let id = random.pick(ours) else { return }
        remove(id, now)
        for slot in defaults.keys.sorted() where defaults[slot] == id { defaults[slot] = nil }
        happenings.note(.vanished)
    }
}
