/// Apple's error codes of the Retention Messaging API, in Apple's words. The set is open: a code
/// that is not here is kept as its number.
///
/// Source: developer.apple.com/documentation/retentionmessaging/error-codes; those of account and
/// app are from appstoreserverapi/error-codes
package enum AppleErrorCode: Int, Hashable, Sendable, CaseIterable {
    case badRequestTransactionId = 4_000_006
    case invalidProductId = 4_000_023
    case appTransactionIdNotSupported = 4_000_048
    case invalidImage = 4_000_161
    case headerTooLong = 4_000_162
    case bodyTooLong = 4_000_163
    case invalidLocale = 4_000_164
    case altTextTooLong = 4_000_175
    case familySharingNotSupported = 4_000_185
    case notOriginalTransactionId = 4_000_187
    case invalidPerformanceTestRequest = 4_000_211
    case invalidRequestId = 4_000_212
    case existingPerformanceTestRun = 4_000_213
    case badRequestRealtimeURL = 4_000_215
    case badRequestImageSize = 4_000_216
    case tooManyBulletPoints = 4_000_218
    case bulletPointTextTooLong = 4_000_219
    case aboveImageRequiresAnImage = 4_000_224
    case maximumNumberOfImagesReached = 4_030_014
    case maximumNumberOfMessagesReached = 4_030_016
    case messageNotApproved = 4_030_017
    case imageNotApproved = 4_030_018
    case imageInUse = 4_030_019
    case noPassingTest = 4_030_026
    case accountNotFound = 4_040_001
    case accountNotFoundRetryable = 4_040_002
    case appNotFound = 4_040_003
    case appNotFoundRetryable = 4_040_004
    case imageNotFound = 4_040_014
    case messageNotFound = 4_040_015
    case performanceTestRunNotFound = 4_040_018
    case defaultMessageNotFound = 4_040_020
    case realtimeURLNotFound = 4_040_021
    case imageAlreadyExists = 4_090_000
    case messageAlreadyExists = 4_090_001
    case rateLimitExceeded = 4_290_000
    case generalInternal = 5_000_000
}
