package import FoundationEssentials

/// One call to Apple that the sync may make.
package enum SyncOperation: Hashable, Sendable {
    case listImages
    case listMessages
    case uploadImage(UUID)
    /// Names the pictures it shows.
    case uploadMessage(UUID, images: [UUID])
    case setDefault(DefaultSlot, UUID)
    case getDefault(DefaultSlot)
    case deleteDefault(DefaultSlot)
    case deleteMessage(UUID)
    case deleteImage(UUID)
    case getRealtimeURL
    case setRealtimeURL(EndpointID)
    case deleteRealtimeURL

    package var endpoint: AppleEndpoint {
        switch self {
        case .listImages: .getImageList
        case .listMessages: .getMessageList
        case .uploadImage: .uploadImage
        case .uploadMessage: .uploadMessage
        case .setDefault: .configureDefaultMessage
        case .getDefault: .getDefaultMessage
        case .deleteDefault: .deleteDefaultMessage
        case .deleteMessage: .deleteMessage
        case .deleteImage: .deleteImage
        case .getRealtimeURL: .getRealtimeURL
        case .setRealtimeURL: .configureRealtimeURL
        case .deleteRealtimeURL: .deleteRealtimeURL
        }
    }

    package var isWrite: Bool { endpoint.isWrite }
}

/// What a read brought beside its outcome.
package enum AppleContentRead: Hashable, Sendable {
    /// `isWhole` is false where a line could not be read.
    case objects([ListedObject], isWhole: Bool)
    case defaultMessage(UUID)
    case realtimeURL(ObservedURL)
}

/// One line of Apple's lists.
package struct ListedObject: Hashable, Sendable {
    package let id: UUID
    package let state: ReviewState

    package init(id: UUID, state: ReviewState) {
        self.id = id
        self.state = state
    }
}

/// One thing that became known, small enough to be one row. The service writes it to the database,
/// the simulation to its memory; both decide by the same code.
package enum Observation: Hashable, Sendable {
    /// Replaces what is known of the identifier.
    case object(AppleObject)
    /// Forgets an identifier: another's object that is no more listed, or an upload of ours that
    /// never arrived.
    case forgotten(UUID)
    case `default`(DefaultSlot, ObservedDefault)
    case forgottenDefault(DefaultSlot)
    case listed(AppleObjectKind, at: Instant)
    case doubted(at: Instant)
    case url(ObservedURL?, isUncertain: Bool, readAt: Instant?, refusal: AppleRefusal?)
    case pause(SyncPause?, until: Instant?)
    case failures(Int32, retryAt: Instant?)
    case full(AppleObjectKind, at: Instant?)
    case notBefore(AppleEndpoint, Instant)
}

extension ObservedState {
    package mutating func apply(_ observation: Observation) {
        switch observation {
        case .object(let object): objects[object.id] = object
        case .forgotten(let id): objects[id] = nil
        case .default(let slot, let observed): defaults[slot] = observed
        case .forgottenDefault(let slot): defaults[slot] = nil
        case .listed(.image, let at): imagesListedAt = at
        case .listed(.message, let at): messagesListedAt = at
        case .doubted(let at): doubtedAt = at
        case .url(let url, let isUncertain, let readAt, let refusal):
            self.url = url
            isURLUncertain = isUncertain
            urlReadAt = readAt
            urlRefusal = refusal
        case .pause(let pause, let until):
            self.pause = pause
            pausedUntil = until
        case .failures(let count, let retryAt):
            failures = count
            self.retryAt = retryAt
        case .full(let kind, let at): fullAt[kind] = at
        case .notBefore(let endpoint, let instant): notBefore[endpoint] = instant
        }
    }

    package mutating func apply(_ observations: [Observation]) {
        for observation in observations { apply(observation) }
    }
}
