package import FoundationEssentials

// What an agency wants Apple to have in one environment of one app, and what we know Apple has.
//
//     messages, images, defaults, endpoints ──> DesiredState ─┐
//                                                             ├─ plan(…) ──> SyncPlan
//     calls begun, answers, lists ──> Observation ──> ObservedState ─┘
//
// Apple's uploads are create-only and its lists show no content. So nothing here compares content:
// an identifier stands for its content, and what is known of an identifier is what was begun, what
// was answered, and what the lists showed.

/// The two kinds of things an app uploads.
package typealias AppleObjectKind = AppleContent.Kind

/// A text in one locale as it is wanted at Apple.
package struct WantedText: Hashable, Sendable {
    package let message: MessageID
    package let locale: String
    package let kind: MessageKind
    /// Its identifier at Apple, from its content.
    package let appleId: UUID
    /// Identifiers at Apple of the pictures it shows.
    package let images: [UUID]

    package init(
        message: MessageID, locale: String, kind: MessageKind, appleId: UUID, images: [UUID]
    ) {
        self.message = message
        self.locale = locale
        self.kind = kind
        self.appleId = appleId
        self.images = images
    }

    package var place: TextPlace { TextPlace(message: message, locale: locale) }
}

/// Which text: a message in a locale.
package struct TextPlace: Hashable, Comparable, Sendable {
    package let message: MessageID
    package let locale: String

    package init(message: MessageID, locale: String) {
        self.message = message
        self.locale = locale
    }

    package static func < (a: TextPlace, b: TextPlace) -> Bool {
        a.message == b.message
            ? a.locale.utf8.lexicographicallyPrecedes(b.locale.utf8)
            : a.message.uuid < b.message.uuid
    }
}

/// Where Apple keeps one default message: a product in a locale.
package struct DefaultSlot: Hashable, Comparable, Sendable {
    package let productId: String
    package let locale: String

    package init(productId: String, locale: String) {
        self.productId = productId
        self.locale = locale
    }

    /// Apple's identifiers compare by bytes.
    package static func == (a: DefaultSlot, b: DefaultSlot) -> Bool {
        isSame(a.productId, b.productId) && isSame(a.locale, b.locale)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ExactText(productId))
        hasher.combine(ExactText(locale))
    }

    package static func < (a: DefaultSlot, b: DefaultSlot) -> Bool {
        isSame(a.productId, b.productId)
            ? a.locale.utf8.lexicographicallyPrecedes(b.locale.utf8)
            : a.productId.utf8.lexicographicallyPrecedes(b.productId.utf8)
    }
}

/// What Apple is to have.
package struct DesiredState: Equatable, Sendable {
    package var environment: StoreEnvironment
    /// Pictures that wanted texts show, by identifier at Apple.
    package var images: Set<UUID>
    package var texts: [WantedText]
    /// The text each default is to show.
    package var defaults: [DefaultSlot: TextPlace]
    /// The endpoint whose URL Apple is to call; `nil` where the app has no live endpoint.
    package var endpoint: EndpointID?
    /// Whether a URL that is not ours may be replaced.
    package var mayReplaceForeignURL: Bool
    /// Whether a performance test of this app has passed: production's URL needs it.
    package var hasPassedPerformanceTest: Bool
    /// The identifier that answers and snapshots use for a text now: the one approved last, until
    /// its successor is.
    package var served: [TextPlace: UUID]
    /// Whether every live responder serves the newest snapshot. Until then one of them may still
    /// answer with an identifier that the newest names no more.
    package var isSnapshotAcknowledged: Bool

    package init(
        environment: StoreEnvironment, images: Set<UUID> = [], texts: [WantedText] = [],
        defaults: [DefaultSlot: TextPlace] = [:], endpoint: EndpointID? = nil,
        mayReplaceForeignURL: Bool = false, hasPassedPerformanceTest: Bool = false,
        served: [TextPlace: UUID] = [:], isSnapshotAcknowledged: Bool = true
    ) {
        self.environment = environment
        self.images = images
        self.texts = texts
        self.defaults = defaults
        self.endpoint = endpoint
        self.mayReplaceForeignURL = mayReplaceForeignURL
        self.hasPassedPerformanceTest = hasPassedPerformanceTest
        self.served = served
        self.isSnapshotAcknowledged = isSnapshotAcknowledged
    }
}

/// What Apple refused for what it is: not to be tried again before something changes.
package struct AppleRefusal: Hashable, Sendable {
    /// Apple's `errorCode`; `nil` where the answer had none.
    package let code: Int?
    package let at: Instant

    package init(code: Int?, at: Instant) {
        self.code = code
        self.at = at
    }
}

/// What we know of one identifier at Apple.
package struct AppleObject: Hashable, Sendable {
    package enum Presence: String, Sendable, CaseIterable {
        /// An upload was begun; whether it arrived is not known.
        case uncertain
        /// Apple took it; no list has shown it yet.
        case uploaded
        /// The last list showed it.
        case listed
        /// Its deletion was begun. It is never wanted again, whatever the lists show.
        case withdrawing
        /// Deleted, or vanished. Its identifier is never used again.
        case gone
        /// Apple refused it for what it is; it is not there.
        case refused
    }

    package let kind: AppleObjectKind
    package let id: UUID
    /// Whether it was made here: its identifier is derived from content that we hold or held. What
    /// is not ours is counted and shown, never touched.
    package let isOurs: Bool
    package var presence: Presence
    /// Apple's word; `PENDING` until a list says another.
    package var state: ReviewState
    /// Pictures that it shows, of a message of ours.
    package var images: [UUID]
    /// When the last upload or deletion was begun.
    package var attemptedAt: Instant?
    /// When the first upload was begun of which we do not know whether it arrived.
    package var uncertainSince: Instant?
    package var uploadedAt: Instant?
    /// When a list first showed it.
    package var listedAt: Instant?
    /// Since when lists do not show it, though one did or Apple had taken it.
    package var absentSince: Instant?
    /// Since when nothing names it.
    package var unnamedSince: Instant?
    /// Made anew under another identifier, at the agency's wish.
    package var isSuperseded: Bool
    package var refusal: AppleRefusal?

    package init(
        kind: AppleObjectKind, id: UUID, isOurs: Bool, presence: Presence,
        state: ReviewState = .pending, images: [UUID] = [], attemptedAt: Instant? = nil,
        uncertainSince: Instant? = nil, uploadedAt: Instant? = nil, listedAt: Instant? = nil,
        absentSince: Instant? = nil,
        unnamedSince: Instant? = nil, isSuperseded: Bool = false, refusal: AppleRefusal? = nil
    ) {
        self.kind = kind
        self.id = id
        self.isOurs = isOurs
        self.presence = presence
        self.state = state
        self.images = images
        self.attemptedAt = attemptedAt
        self.uncertainSince = uncertainSince
        self.uploadedAt = uploadedAt
        self.listedAt = listedAt
        self.absentSince = absentSince
        self.unnamedSince = unnamedSince
        self.isSuperseded = isSuperseded
        self.refusal = refusal
    }

    /// Whether Apple has it, as far as we know.
    package var isPresent: Bool { presence == .uploaded || presence == .listed }
    /// Whether its identifier is used up: the same content needs another.
    package var isSpent: Bool { presence == .withdrawing || presence == .gone || isSuperseded }
    /// Whether it counts against Apple's limit.
    package var takesRoom: Bool { presence != .gone && presence != .refused }
    /// Whether Apple lets it be shown, as far as it alone is concerned.
    package var isApproved: Bool { isPresent && state == .approved }
}

/// What we know of one default at Apple.
package struct ObservedDefault: Hashable, Sendable {
    /// The message Apple shows; `nil` for none.
    package var appleId: UUID?
    /// A change was begun; whether it arrived is not known. `appleId` is what it was to become.
    package var isUncertain: Bool
    /// What Apple may show still while that is so.
    package var formerIds: [UUID]
    /// When Apple last said so, or took it.
    package var readAt: Instant?
    /// Apple refused `refusedId` here.
    package var refusal: AppleRefusal?
    package var refusedId: UUID?

    package init(
        appleId: UUID?, isUncertain: Bool = false, formerIds: [UUID] = [],
        readAt: Instant? = nil, refusal: AppleRefusal? = nil, refusedId: UUID? = nil
    ) {
        self.appleId = appleId
        self.isUncertain = isUncertain
        self.formerIds = formerIds
        self.readAt = readAt
        self.refusal = refusal
        self.refusedId = refusedId
    }
}

/// The real-time URL at Apple. Ours holds a secret, so it is known by its endpoint.
package enum ObservedURL: Hashable, Sendable {
    case none
    case own(EndpointID)
    /// Another tool's, or one of ours from another address.
    case foreign
}

/// Why an app's calls rest, apart from limits and outages.
package enum SyncPause: String, Hashable, Sendable, CaseIterable {
    /// Apple refuses the key (401).
    case keyRefused
    /// The account has no access to the Retention Messaging API (404 without a code).
    case noAccess
}

/// What we know Apple has.
package struct ObservedState: Equatable, Sendable {
    package var objects: [UUID: AppleObject] = [:]
    package var imagesListedAt: Instant?
    package var messagesListedAt: Instant?
    /// An answer contradicted what we believe: lists older than it are not relied on.
    package var doubtedAt: Instant?
    package var defaults: [DefaultSlot: ObservedDefault] = [:]
    /// `nil` until Apple was asked.
    package var url: ObservedURL?
    package var isURLUncertain = false
    package var urlReadAt: Instant?
    package var urlRefusal: AppleRefusal?
    package var pause: SyncPause?
    /// When a paused app may be asked again.
    package var pausedUntil: Instant?
    /// Calls in a row that brought no answer to rely on.
    package var failures: Int32 = 0
    /// No call before it, after such failures.
    package var retryAt: Instant?
    /// When Apple last said that the app has as many images, or messages, as it may.
    package var fullAt: [AppleObjectKind: Instant] = [:]
    /// No call to the endpoint before it, as Apple asked with 429.
    package var notBefore: [AppleEndpoint: Instant] = [:]

    package init() {}

    package func listedAt(_ kind: AppleObjectKind) -> Instant? {
        kind == .image ? imagesListedAt : messagesListedAt
    }

    /// The generation that content of this app has now: one more than any spent identifier of the
    /// same content had.
    ///
    /// - Parameter spent: the generations of spent identifiers of that content.
    package static func generation(spent: some Sequence<Int32>) -> Int32 {
        (spent.max() ?? -1) + 1
    }
}
