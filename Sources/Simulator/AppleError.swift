import HTTPServer

/// Apple's error codes for the Retention Messaging API and the App Store Server API
/// (`error-codes` of each). The first three digits are the status.
package enum AppleError: Int, Error, Codable, Sendable, CaseIterable {
    case generalBadRequest = 4_000_000
    case invalidTransactionId = 4_000_006
    case invalidProductId = 4_000_023
    case appTransactionIdNotSupported = 4_000_048
    case invalidImage = 4_000_161
    case headerTooLong = 4_000_162
    case bodyTooLong = 4_000_163
    case invalidLocale = 4_000_164
    case altTextTooLong = 4_000_175
    case familySharedTransaction = 4_000_185
    case notOriginalTransactionId = 4_000_187
    case invalidPerformanceTestRequest = 4_000_211
    case invalidRequestId = 4_000_212
    case existingPerformanceTestRun = 4_000_213
    case badRealtimeURL = 4_000_215
    case badImageSize = 4_000_216
    case tooManyBulletPoints = 4_000_218
    case bulletPointTextTooLong = 4_000_219
    case aboveImageRequiresImage = 4_000_224
    case maximumNumberOfImagesReached = 4_030_014
    case maximumNumberOfMessagesReached = 4_030_016
    case messageNotApproved = 4_030_017
    case imageNotApproved = 4_030_018
    case imageInUse = 4_030_019
    case noPassingTest = 4_030_026
    case imageNotFound = 4_040_014
    case messageNotFound = 4_040_015
    case performanceTestRunNotFound = 4_040_018
    case defaultMessageNotFound = 4_040_020
    case realtimeURLNotFound = 4_040_021
    case imageAlreadyExists = 4_090_000
    case messageAlreadyExists = 4_090_001
    case invalidRequestRevision = 4_000_005
    case startDateTooFarInPast = 4_000_012
    case startDateAfterEndDate = 4_000_013
    case invalidPaginationToken = 4_000_014
    case invalidStartDate = 4_000_015
    case invalidEndDate = 4_000_016
    case paginationTokenExpired = 4_000_017
    case invalidNotificationType = 4_000_018
    case multipleFiltersSupplied = 4_000_019
    case invalidTestNotificationToken = 4_000_020
    case invalidSort = 4_000_021
    case invalidProductType = 4_000_022
    case invalidSubscriptionGroupIdentifier = 4_000_024
    case invalidInAppOwnershipType = 4_000_026
    case invalidRevoked = 4_000_030
    case invalidStatus = 4_000_031
    case appNotFound = 4_040_003
    case serverNotificationURLNotFound = 4_040_007
    case testNotificationNotFound = 4_040_008
    case transactionIdNotFound = 4_040_010
    case rateLimitExceeded = 4_290_000
    case generalInternal = 5_000_000

    package var status: Int { rawValue / 10_000 }

    var response: Response {
        let envelope = JSONValue.object([
            .init(name: "errorCode", value: .whole(Int64(rawValue))),
            .init(name: "errorMessage", value: .string(message)),
        ])
        return .json(status, envelope.bytes)
    }

    package var message: String {
        switch self {
        case .generalBadRequest: "Bad request."
        case .invalidTransactionId: "Invalid transaction id."
        case .invalidProductId: "Invalid request product id."
        case .appTransactionIdNotSupported:
            "Invalid request. App transaction id is not supported by this endpoint."
        case .invalidImage: "The image is invalid."
        case .headerTooLong: "The header text is too long."
        case .bodyTooLong: "The body text is too long."
        case .invalidLocale: "The locale is invalid."
        case .altTextTooLong: "The alternative text is too long."
        case .familySharedTransaction: "The transaction id is of a family-shared purchase."
        case .notOriginalTransactionId: "The transaction id is not an original transaction id."
        case .invalidPerformanceTestRequest: "The performance test request is invalid."
        case .invalidRequestId: "The request id is invalid."
        case .existingPerformanceTestRun: "A performance test is running already."
        case .badRealtimeURL: "The realtime URL is invalid."
        case .badImageSize: "The image has the wrong size for its use."
        case .tooManyBulletPoints: "There are too many bullet points."
        case .bulletPointTextTooLong: "A bullet point's text is too long."
        case .aboveImageRequiresImage: "A header above the image requires an image."
        case .maximumNumberOfImagesReached: "The maximum number of images is reached."
        case .maximumNumberOfMessagesReached: "The maximum number of messages is reached."
        case .messageNotApproved: "The message is not approved."
        case .imageNotApproved: "The image is not approved."
        case .imageInUse: "The image is in use by a message."
        case .noPassingTest: "There is no passing performance test."
        case .imageNotFound: "Image not found."
        case .messageNotFound: "Message not found."
        case .performanceTestRunNotFound: "Performance test run not found."
        case .defaultMessageNotFound: "Default message not found."
        case .realtimeURLNotFound: "Realtime URL not found."
        case .imageAlreadyExists: "An image with this identifier exists already."
        case .messageAlreadyExists: "A message with this identifier exists already."
        case .rateLimitExceeded: "Rate limit exceeded."
        case .generalInternal: "An unknown error occurred."
        default: serverMessage
        }
    }

    /// Of the App Store Server API.
    private var serverMessage: String {
        switch self {
        case .invalidRequestRevision: "Invalid request revision."
        case .startDateTooFarInPast:
            "Invalid request. The start date is earlier than the allowed start date."
        case .startDateAfterEndDate:
            "Invalid request. The end date precedes the start date or the dates are the same."
        case .invalidPaginationToken: "Invalid request. The pagination token is invalid."
        case .invalidStartDate: "Invalid request. The start date is invalid."
        case .invalidEndDate: "Invalid request. The end date is invalid."
        case .paginationTokenExpired: "Invalid request. The pagination token has expired."
        case .invalidNotificationType:
            "Invalid request. The notification type or subtype is invalid."
        case .multipleFiltersSupplied:
            "Invalid request. Supply either a transaction id or a notification type."
        case .invalidTestNotificationToken:
            "Invalid request. The test notification token is invalid."
        case .invalidSort: "Invalid request. The sort is invalid."
        case .invalidProductType: "Invalid request. The product type is invalid."
        case .invalidSubscriptionGroupIdentifier:
            "Invalid request. The subscription group identifier is invalid."
        case .invalidInAppOwnershipType: "Invalid request. The in-app ownership type is invalid."
        case .invalidRevoked: "Invalid request. The revoked parameter is invalid."
        case .invalidStatus: "Invalid request. The status parameter is invalid."
        case .appNotFound: "App not found."
        case .serverNotificationURLNotFound:
            "No App Store Server Notification URL is set for this environment."
        case .testNotificationNotFound: "Test notification not found."
        case .transactionIdNotFound: "Transaction id not found."
        default: "Bad request."
        }
    }
}
