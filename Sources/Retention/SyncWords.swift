// The plan in words: a code for machines and a sentence for people, who know neither Apple's
// numbers nor our names.

extension SyncReason {
    /// Why the call is made.
    package var sentence: String {
        switch self {
        case .firstLook: "Nothing is known of Apple's side yet."
        case .doubt: "What is known of Apple's side is in doubt: a call's end is not known."
        case .review: "Apple is reviewing; this sees how far it is."
        case .drift: "What is known of Apple's side is old; somebody may have changed it there."
        case .paused: "Apple refused the last calls; this finds out whether that is over."
        case .wanted: "It is wanted, and Apple does not have it."
        case .repeated:
            "It was sent before and Apple's list does not show it; to send it again changes "
                + "nothing if it arrived."
        case .defaultDiffers: "Apple is to show this message here, and shows another or none."
        case .defaultNotWanted: "Apple shows a default message here that nobody wants any more."
        case .retired: "No wanted text, default message or answer names it any more."
        case .urlDiffers: "Apple is to call this endpoint, and calls another or none."
        case .urlNotWanted: "Apple calls a URL of ours, and the app has no live endpoint."
        }
    }
}

extension SyncWait {
    package var code: String {
        switch self {
        case .pause(.keyRefused, _): "workingCredential"
        case .pause(.noAccess, _): "access"
        case .outage: "outage"
        case .limit: "limit"
        case .list: "list"
        case .images: "images"
        case .review: "review"
        case .rejected: "rejected"
        case .refusal: "refusal"
        case .room: "room"
        case .retirement: "retirement"
        case .acknowledgement: "acknowledgement"
        case .inUse: "inUse"
        case .otherSteps: "otherSteps"
        case .performanceTest: "performanceTest"
        case .someDefault: "someDefault"
        case .consent: "consent"
        }
    }

    /// Until when at the latest, where that is known.
    package var until: Instant? {
        switch self {
        case .pause(_, let until), .outage(let until), .limit(let until), .refusal(_, let until),
            .retirement(let until):
            until
        case .list, .images, .review, .rejected, .room, .acknowledgement, .inUse, .otherSteps,
            .performanceTest, .someDefault, .consent:
            nil
        }
    }

    /// What has to be so before the call is made.
    package var sentence: String {
        switch self {
        case .pause(let pause, _): pause.sentence
        case .outage: "Apple did not answer; it is asked again then."
        case .limit: "Apple's hourly limit of calls is reached; it is asked again then."
        case .list: "Apple's list is read first, so that nothing is sent twice."
        case .images: "Its pictures go up first."
        case .review: "Apple approves the message and its pictures first."
        case .rejected:
            "Apple rejected the message or a picture of it; change it, or submit it anew."
        case .refusal(let code, _): AppleRefusal.sentence(code)
        case .room: "The app has as many at Apple as it may; some must go first."
        case .retirement:
            "It is kept for a while: to take an edit back then needs no new review."
        case .acknowledgement: "Every live responder serves the newest snapshot first."
        case .inUse: "A message or default message at Apple still names it; that goes first."
        case .otherSteps: "Everything that the URL leads to is brought to Apple first."
        case .performanceTest:
            "Production takes a URL only after a performance test in the sandbox has passed."
        case .someDefault:
            "Apple shows nothing where no default message is set; the first one is set first."
        case .consent:
            "Apple calls a URL that is not ours; to replace it, ask for a run with "
                + "replaceForeignURL."
        }
    }
}

extension SyncPause {
    /// What is wrong and what to do.
    package var sentence: String {
        AppleErrorWords.sentence(status: self == .keyRefused ? 401 : 404, errorCode: nil)
    }
}

extension SyncProblem {
    package var code: String {
        switch self {
        case .keyRefused: "keyRefused"
        case .noAccess: "noAccess"
        case .rejected: "rejected"
        case .refused: "refused"
        case .full: "full"
        case .foreignURL: "foreignURL"
        case .noPassingTest: "noPassingTest"
        }
    }

    /// Apple's `errorCode`, where one is behind it.
    package var appleCode: Int? {
        guard case .refused(_, let code) = self else { return nil }
        return code
    }

    /// What is wrong and what to do.
    package var sentence: String {
        switch self {
        case .keyRefused: SyncPause.keyRefused.sentence
        case .noAccess: SyncPause.noAccess.sentence
        case .rejected(.image, _):
            "Apple rejected this picture and gives no reason; put another in its place, or submit "
                + "it anew."
        case .rejected(.message, _):
            "Apple rejected this text and gives no reason; change it, or submit it anew."
        case .refused(_, let code): AppleRefusal.sentence(code)
        case .full(.image, let most):
            "The app has \(most) images at Apple, which is the limit, and none can go; want fewer."
        case .full(.message, let most):
            "The app has \(most) messages at Apple, which is the limit, and none can go; want "
                + "fewer messages or locales."
        case .foreignURL: SyncWait.consent.sentence
        case .noPassingTest: AppleErrorCode.noPassingTest.sentence
        }
    }
}

extension AppleRefusal {
    /// What is wrong and what to do.
    package var sentence: String { Self.sentence(code) }

    /// Apple's codes begin with the status they come with.
    fileprivate static func sentence(_ code: Int?) -> String {
        guard let code else {
            return "Apple refused the call without a code; read its text among the calls."
        }
        return AppleErrorWords.sentence(status: code / 10_000, errorCode: code)
    }
}

/// What an app lacks before Apple's side can be what is wanted: a person's to bring.
package enum SyncLack: String, Hashable, Sendable, CaseIterable {
    case credential
    case workingCredential
    case access
    case endpoint
    case defaultMessage
    /// Where production's URL waits for a test.
    case performanceTestTransactionId

    package static func all(
        desired: DesiredState, observed: ObservedState, hasCredential: Bool,
        hasTestTransactionId: Bool
    ) -> [SyncLack] {
        let needsTest =
            desired.environment == .production && desired.endpoint != nil
            && !desired.hasPassedPerformanceTest
        let lacks: [(SyncLack, Bool)] = [
            (.credential, !hasCredential),
            (.workingCredential, observed.pause == .keyRefused),
            (.access, observed.pause == .noAccess),
            (.endpoint, desired.endpoint == nil),
            (.defaultMessage, desired.defaults.isEmpty),
            (.performanceTestTransactionId, needsTest && !hasTestTransactionId),
        ]
        return lacks.filter(\.1).map(\.0)
    }

    /// What to do.
    package var sentence: String {
        switch self {
        case .credential: "The app has no In-App Purchase key; store one as a credential."
        case .workingCredential: SyncPause.keyRefused.sentence
        case .access: SyncPause.noAccess.sentence
        case .endpoint:
            "The app has no live endpoint here, so Apple is given no real-time URL; make one."
        case .defaultMessage:
            "No default message is wanted here, and Apple shows no message at all for a product "
                + "and locale without one; set defaults."
        case .performanceTestTransactionId:
            "Production's URL needs a passed performance test, which needs the original "
                + "transaction id of an active sandbox subscription; give it to the app."
        }
    }
}

extension AppleErrorWords {
    /// Of a call as it is kept: what came of it and what to do.
    ///
    /// - Parameter outcome: its name; `nil` where no end is known.
    package static func sentence(outcome: String?, status: Int?, errorCode: Int?) -> String {
        if let status { return sentence(status: status, errorCode: errorCode) }
        switch outcome {
        case nil:
            return
                "The call was begun and its end is not known: it is under way, or its worker was "
                + "lost; what came of it is looked up before it is made again."
        case "notSent":
            return "Nothing was sent: Apple's host could not be reached, or its proof was bad."
        default:
            return "No answer came; what came of the call is looked up before it is made again."
        }
    }
}
