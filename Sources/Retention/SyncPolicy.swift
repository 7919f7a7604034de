package import FoundationEssentials

/// What a plan is made from, with who names whom worked out once.
package struct SyncFacts: Sendable {
    package let desired: DesiredState
    package let observed: ObservedState
    /// Identifiers of messages that a wanted text, an answer or a default of Apple's names.
    package let namedMessages: Set<UUID>
    /// Identifiers of images that a wanted text or a message at Apple shows.
    package let namedImages: Set<UUID>

    package init(desired: DesiredState, observed: ObservedState) {
        self.desired = desired
        self.observed = observed
        var messages = Set(desired.texts.map(\.appleId))
        messages.formUnion(desired.served.values)
        for known in observed.defaults.values {
            messages.formUnion(known.formerIds)
            if let id = known.appleId { messages.insert(id) }
        }
        var images = desired.images
        for object in observed.objects.values where object.kind == .message && object.takesRoom {
            images.formUnion(object.images)
        }
        namedMessages = messages
        namedImages = images
    }
}

/// The rules of order, each by itself: what must be so before a call may be made. A test plants a
/// bug by handing in another rule.
package struct SyncPolicy: Sendable {
    /// A message may go up once Apple has the pictures it shows.
    package var mayUploadMessage: @Sendable (_ images: [UUID], SyncFacts) -> Bool
    /// A default or an answer may name what Apple approved together with the pictures it shows.
    package var mayName: @Sendable (_ message: UUID, SyncFacts) -> Bool
    /// What a wanted text, an answer or a default names, or a message shows, stays.
    package var isNamed: @Sendable (AppleObject, SyncFacts) -> Bool
    /// What nothing names may be deleted once no responder can answer with it any more.
    package var mayDeleteMessage: @Sendable (AppleObject, SyncFacts) -> Bool
    /// Apple refuses to delete a picture that a message shows (4030019).
    package var mayDeleteImage: @Sendable (AppleObject, SyncFacts) -> Bool
    /// What other tools made is not ours to delete.
    package var mayTouch: @Sendable (AppleObject) -> Bool
    /// Production's URL needs a passing test (4030026); a URL comes after all that it leads to.
    package var maySetURL: @Sendable (_ isAllElseDone: Bool, SyncFacts) -> Bool
    /// An upload whose end is not known is sent again after a list was read, not blindly.
    package var mayRepeatUpload: @Sendable (AppleObject, ObservedState) -> Bool

    package static let sound = SyncPolicy(
        mayUploadMessage: { images, facts in
            images.allSatisfy { facts.observed.objects[$0]?.canBeShown ?? false }
        },
        mayName: { id, facts in
            guard let message = facts.observed.objects[id], message.isApproved else { return false }
            return message.images.allSatisfy { facts.observed.objects[$0]?.isApproved ?? false }
        },
        isNamed: { object, facts in
            (object.kind == .image ? facts.namedImages : facts.namedMessages).contains(object.id)
        },
        mayDeleteMessage: { object, facts in
            !facts.namedMessages.contains(object.id) && facts.desired.isSnapshotAcknowledged
        },
        mayDeleteImage: { object, facts in !facts.namedImages.contains(object.id) },
        mayTouch: { $0.isOurs },
        maySetURL: { isAllElseDone, facts in
            isAllElseDone
                && (facts.desired.environment == .sandbox
                    || facts.desired.hasPassedPerformanceTest)
        },
        mayRepeatUpload: { object, observed in
            guard let listed = observed.listedAt(object.kind), let attempted = object.attemptedAt
            else { return false }
            return listed > attempted
        })
}

extension AppleObject {
    /// A picture that a message may refer to: Apple has it, as far as the last list says too, and
    /// has not rejected it.
    var canBeShown: Bool { isPresent && !isSpent && state != .rejected && absentSince == nil }
}
