extension AppleErrorCode {
    /// What it means and what to do.
    package var sentence: String {
        Self.badRequests[self] ?? Self.refusals[self] ?? "Apple refused the call; read its text."
    }

    private static let badRequests: [AppleErrorCode: String] = [
        .badRequestTransactionId:
            "The transaction id is not one that Apple knows in the sandbox; give the original "
            + "transaction id of a sandbox purchase.",
        .invalidProductId:
            "Apple takes the product id for invalid; compare it with App Store Connect, letter "
            + "by letter.",
        .appTransactionIdNotSupported:
            "An app transaction id was given; give the original transaction id of a "
            + "subscription instead.",
        .invalidImage:
            "The image is no PNG of the exact pixels for its size, or it has transparency; "
            + "export it anew as Apple's upload page asks.",
        .headerTooLong: "The header has more than 66 characters; shorten it.",
        .bodyTooLong: "The body has more than 144 characters; shorten it.",
        .invalidLocale:
            "Apple does not take this locale; use one of its App Store locale codes, with "
            + "exactly its upper and lower case.",
        .altTextTooLong: "An alternative text has more than 150 characters; shorten it.",
        .familySharingNotSupported:
            "The transaction belongs to somebody who shares the purchase; give one of the "
            + "buyer's own.",
        .notOriginalTransactionId:
            "The id is that of a renewal; give the original transaction id of the subscription.",
        .invalidPerformanceTestRequest:
            "Apple could not read the request for a performance test; report this, the product "
            + "makes it.",
        .invalidRequestId: "Apple knows no performance test of this id; start a new one.",
        .existingPerformanceTestRun:
            "A performance test of this app is under way; wait until it has ended, then start "
            + "again.",
        .badRequestRealtimeURL:
            "Apple refuses the real-time URL: it begins with https:// and has 256 characters at "
            + "most.",
        .badRequestImageSize:
            "An image of this message was uploaded for another use; put a full-size image "
            + "beside the text and bullet-point images into bullets.",
        .tooManyBulletPoints: "The message has more than 5 bullet points; remove some.",
        .bulletPointTextTooLong:
            "The text of a bullet point has more than 66 characters; shorten it.",
        .aboveImageRequiresAnImage:
            "The header is placed above an image, and there is none; add an image or place the "
            + "header above the body.",
    ]

    private static let refusals: [AppleErrorCode: String] = [
        .maximumNumberOfImagesReached:
            "The app has 2,000 images at Apple, which is the limit; delete some that no message "
            + "shows.",
        .maximumNumberOfMessagesReached:
            "The app has 2,000 messages at Apple, which is the limit; delete some that nothing "
            + "names.",
        .messageNotApproved:
            "The message is not approved; it becomes the default message once Apple has "
            + "approved it.",
        .imageNotApproved:
            "An image of the message is not approved; the message becomes the default message "
            + "once Apple has approved it.",
        .imageInUse: "A message still shows this image; delete that message first.",
        .noPassingTest:
            "Production takes a real-time URL only after a performance test in the sandbox has "
            + "passed; run one.",
        .accountNotFound:
            "Apple finds no account for the token; check the issuer id, and that this account "
            + "was admitted to the API.",
        .accountNotFoundRetryable:
            "Apple did not find the account just now; the call is tried again.",
        .appNotFound:
            "Apple finds no app for the token; check the bundle id and the environment, and "
            + "that the app was admitted to the API.",
        .appNotFoundRetryable: "Apple did not find the app just now; the call is tried again.",
        .imageNotFound:
            "Apple has no image of this identifier; it was deleted, or is in the other "
            + "environment.",
        .messageNotFound:
            "Apple has no message of this identifier; upload it first, in the same environment.",
        .performanceTestRunNotFound: "Apple knows no such performance test; start a new one.",
        .defaultMessageNotFound: "No default message is set for this product and locale; set one.",
        .realtimeURLNotFound: "No real-time URL is set in this environment; set one.",
        .imageAlreadyExists: "The image is at Apple already; nothing is to be done.",
        .messageAlreadyExists: "The message is at Apple already; nothing is to be done.",
        .rateLimitExceeded:
            "Apple's hourly limit of calls is reached; the call is made again at the time that "
            + "Apple names.",
        .generalInternal: "Apple had an error of its own; the call is tried again.",
    ]
}
