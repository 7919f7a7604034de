import FoundationEssentials
import Retention

struct Complaint: Equatable, CustomStringConvertible {
    enum Kind: String, CaseIterable {
        // Forbidden orders.
        case messageBeforeImage, defaultBeforeApproval, servedBeforeApproval
        case deletedWhileServed, deletedDefaultsMessage, deletedImageInUse, deletedForeign
        case deletedIdUsedAgain, repeatedBlindly
        case urlBeforePass, urlBeforeContent, foreignURLReplaced
        // Commits and calls at the wrong time.
        case staleCommit, overLimit, beforeRetryAfter, tooManyProbes
        // Ends.
        case notConverged, late, writesWithNothingToDo, tooManyWrites, tooManyReads, busy
    }
    let kind: Kind
    let detail: String

    var description: String { "\(kind.rawValue): \(detail)" }
}

/// Looks at Apple's log and both sides' states, and at nothing of how a plan is made.
///
/// A rule about what must be known first is held against what Apple had said and the database had
/// kept: what nobody was told, nobody can heed. Calls that a frozen process sends late are left out
/// of the rules of order, as no process can rule them out.
struct Checker {
    let profile: Profile
    let start: Int64
    let calmFrom: Int64
    private(set) var complaint: Complaint?
    var isDone = false

    // What Apple said, once kept.
    private var states: [UUID: ReviewState] = [:]
    private var notBefore: [AppleEndpoint: Int64] = [:]
    private var isURLForeign = false

    // The log.
    private var sent: [AppleEndpoint: [Int64]] = [:]
    private var staleCalls = 0
    private var shown: [UUID: [UUID]] = [:]
    private var deleted: Set<UUID> = []
    /// Uploads whose end was not kept as certain, and that no list followed.
    private var open: Set<UUID> = []
    private var attempted: Set<UUID> = []
    private var hasDefault = false
    private var touchedByOthers: Set<DefaultSlot> = []
    private var probesAway = 0
    private var probesPaused = 0
    private var wanted: DesiredState?
    var writes = 0
    var reads = 0
    var lastWriteAt: Int64
    var convergedAt: Int64?
    var wasPrompt = false

    init(profile: Profile, start: Int64, calmFrom: Int64) {
        self.profile = profile
        self.start = start
        self.calmFrom = calmFrom
        lastWriteAt = start
    }

    mutating func complain(_ kind: Complaint.Kind, _ detail: String) {
        if complaint == nil { complaint = Complaint(kind: kind, detail: detail) }
    }

    mutating func committed(token: Int, newest: Int) {
        if token != newest { complain(.staleCommit, "token \(token), newest \(newest)") }
    }

    /// Others' changes, and late ones of ours, are not known before a look for drift.
    mutating func othersChanged(_ slot: DefaultSlot) { touchedByOthers.insert(slot) }

    // MARK: Plans

    mutating func planned(_ desired: DesiredState, _ plan: SyncPlan, _ store: SimulatedStore) {
        wanted = desired
        for (place, id) in store.served where !isApproved(id) {
            complain(.servedBeforeApproval, "\(id) at \(place.locale)")
        }
    }

    /// Approved with its pictures, as far as Apple has said, and not deleted.
    private func isApproved(_ id: UUID) -> Bool {
        states[id] == .approved && !deleted.contains(id)
            && (shown[id] ?? []).allSatisfy { states[$0] == .approved && !deleted.contains($0) }
    }

    // MARK: Calls

    mutating func sent(
        _ operation: SyncOperation, label: Int?, isStale: Bool, _ run: SyncSimulation
    ) {
        countCall(operation, isStale: isStale, run)
        if isStale {
            if case .setDefault(let slot, _) = operation { othersChanged(slot) }
            if case .deleteDefault(let slot) = operation { othersChanged(slot) }
        } else {
            checkOrder(operation, run)
        }
        note(operation, isStale: isStale)
    }

    private mutating func countCall(
        _ operation: SyncOperation, isStale: Bool, _ run: SyncSimulation
    ) {
        let now = run.now
        let endpoint = operation.endpoint
        if operation.isWrite {
            writes += 1
            lastWriteAt = now
            if convergedAt != nil { complain(.writesWithNothingToDo, "\(operation)") }
        } else {
            reads += 1
        }
        if isStale { staleCalls += 1 }
        if let until = notBefore[endpoint], now < until, !isStale {
            complain(.beforeRetryAfter, "\(endpoint) \(until - now) ms too early")
        }
        let limit = profile.callsPerHour(endpoint) + staleCalls
        let log = sent[endpoint] ?? []
        if log.count >= limit, log[log.count - limit] > now - 3_600_000 {
            complain(.overLimit, "\(endpoint) over \(limit) in an hour")
        }
        sent[endpoint, default: []].append(now)
        countProbe(run)
    }

    /// After a first failure, 1 s, 5 s and then every 30 s: some 24 in ten minutes. A paused app
    /// is asked every 15 minutes.
    private mutating func countProbe(_ run: SyncSimulation) {
        guard profile.crashes == 0, profile.freezes == 0, profile.callFaults == 0 else { return }
        let isAway = run.outages.away.contains(run.now)
        let isPaused =
            run.outages.keyRefused.contains(run.now) || run.outages.noAccess.contains(run.now)
        probesAway = isAway ? probesAway + 1 : 0
        probesPaused = isPaused && !isAway ? probesPaused + 1 : 0
        if probesAway > 36 || probesPaused > 16 {
            complain(.tooManyProbes, "\(max(probesAway, probesPaused)) calls without an answer")
        }
    }

    private mutating func checkOrder(_ operation: SyncOperation, _ run: SyncSimulation) {
        switch operation {
        case .uploadImage(let id): checkUpload(id, run)
        case .uploadMessage(let id, let images):
            checkUpload(id, run)
            for image in images where !run.apple.acceptedImages.contains(image) {
                complain(.messageBeforeImage, "\(id) shows \(image)")
            }
        case .setDefault(let slot, let id):
            if !isApproved(id) { complain(.defaultBeforeApproval, "\(id) in \(slot)") }
        case .deleteMessage(let id): checkDeletion(id, run)
        case .deleteImage(let id):
            if isForeign(id, run) { complain(.deletedForeign, "image \(id)") }
            if run.apple.stored.values.contains(where: { $0.images.contains(id) }) {
                complain(.deletedImageInUse, "\(id)")
            }
        case .setRealtimeURL: checkURL(run)
        case .deleteRealtimeURL: checkForeignURL(run, mayReplace: false)
        case .listImages, .listMessages, .getDefault, .deleteDefault, .getRealtimeURL: break
        }
    }

    private mutating func checkUpload(_ id: UUID, _ run: SyncSimulation) {
        if deleted.contains(id) || run.apple.deletedByUs.contains(id) {
            complain(.deletedIdUsedAgain, "\(id)")
        }
        if open.contains(id) { complain(.repeatedBlindly, "\(id)") }
    }

    private func isForeign(_ id: UUID, _ run: SyncSimulation) -> Bool {
        run.apple.stored[id].map { $0.label == nil } ?? false
    }

    private mutating func checkDeletion(_ id: UUID, _ run: SyncSimulation) {
        if isForeign(id, run) { complain(.deletedForeign, "message \(id)") }
        if run.store.isServedByAny(id) { complain(.deletedWhileServed, "\(id)") }
        for slot in run.apple.defaults.keys.sorted()
        where run.apple.defaults[slot] == id && !touchedByOthers.contains(slot) {
            complain(.deletedDefaultsMessage, "\(id) in \(slot)")
        }
    }

    private mutating func checkURL(_ run: SyncSimulation) {
        if profile.environment == .production, !run.apple.hasPass {
            complain(.urlBeforePass, "no test has passed")
        }
        checkForeignURL(run, mayReplace: run.store.wants.mayReplaceForeignURL)
        guard let wanted else { return }
        if !wanted.defaults.isEmpty, !hasDefault { complain(.urlBeforeContent, "no default yet") }
        let missing = wanted.images.sorted().first { !attempted.contains($0) }
        if let missing, run.happenings(.full) == 0, profile.most >= 2_000 {
            complain(.urlBeforeContent, "\(missing) never went up")
        }
    }

    /// Known to be another's, or for so long that a look just before would have shown it.
    private mutating func checkForeignURL(_ run: SyncSimulation, mayReplace: Bool) {
        guard !mayReplace else { return }
        let isOld = run.apple.foreignURLSince.map { $0 < run.now - 180_000 } ?? false
        if isURLForeign || isOld { complain(.foreignURLReplaced, "without the agency's word") }
    }

    private mutating func note(_ operation: SyncOperation, isStale: Bool) {
        switch operation {
        case .uploadImage(let id):
            if !isStale { open.insert(id) }
            attempted.insert(id)
        case .uploadMessage(let id, let images):
            if !isStale { open.insert(id) }
            attempted.insert(id)
            shown[id] = images
        case .deleteMessage(let id), .deleteImage(let id): deleted.insert(id)
        default: break
        }
    }

    // MARK: Answers that were kept

    mutating func recorded(
        _ operation: SyncOperation, _ delivery: SyncSimulation.Delivery, now: Int64
    ) {
        if case .notSent = delivery { close(operation) }
        guard case .answered(let reply) = delivery, reply.status < 500 else { return }
        close(operation)
        if reply.status == 429 { noteRetryAfter(operation.endpoint, reply.retryAfter, now) }
        guard reply.status == 200 || reply.status == 404 else { return }
        switch operation {
        case .listImages, .listMessages: noteList(reply)
        case .setDefault: hasDefault = hasDefault || reply.status == 200
        case .getRealtimeURL: isURLForeign = reply.content == .realtimeURL(.foreign)
        case .setRealtimeURL, .deleteRealtimeURL: isURLForeign = false
        default: break
        }
    }

    private mutating func close(_ operation: SyncOperation) {
        switch operation {
        case .uploadImage(let id), .uploadMessage(let id, _): open.remove(id)
        default: break
        }
    }

    private mutating func noteList(_ reply: AppleReply) {
        guard case .objects(let lines, _) = reply.content else { return }
        for line in lines { states[line.id] = line.state }
        open.removeAll()
    }

    private mutating func noteRetryAfter(
        _ endpoint: AppleEndpoint, _ header: String?, _ now: Int64
    ) {
        guard let header, let number = Int64(header) else { return }
        notBefore[endpoint] = number < 1_000_000_000 ? now + number * 1_000 : number
    }
}

extension SyncSimulation {
    func happenings(_ happening: Happening) -> Int { allHappenings.count(happening) }
}
