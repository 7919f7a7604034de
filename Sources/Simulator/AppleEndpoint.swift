import HTTPServer

/// Apple's calls of the Retention Messaging API and the App Store Server API, the server's side of
/// which this process plays.
package enum AppleEndpoint: String, Codable, Sendable, CaseIterable {
    case uploadImage, deleteImage, getImageList
    case uploadMessage, deleteMessage, getMessageList
    case configureDefaultMessage, getDefaultMessage, deleteDefaultMessage
    case configureRealtimeURL, getRealtimeURL, deleteRealtimeURL
    case initiatePerformanceTest, getPerformanceTestResults
    case getNotificationHistory, requestTestNotification, getTestNotificationStatus
    case getTransactionHistory, getAllSubscriptionStatuses, getTransactionInfo
    case getAppTransactionInfo, getRefundHistory

    /// Which of Apple's two APIs.
    package enum API: Sendable {
        case messaging, server
    }

    package var api: API {
        switch self {
        case .getNotificationHistory, .requestTestNotification, .getTestNotificationStatus,
            .getTransactionHistory, .getAllSubscriptionStatuses, .getTransactionInfo,
            .getAppTransactionInfo, .getRefundHistory:
            .server
        default: .messaging
        }
    }

    /// What every path of the Retention Messaging API begins with.
    package static let basePath = "/inApps/v1/messaging"

    var method: HTTPServer.Method {
        switch self {
        case .uploadImage, .uploadMessage, .configureDefaultMessage, .configureRealtimeURL: .put
        case .deleteImage, .deleteMessage, .deleteDefaultMessage, .deleteRealtimeURL: .delete
        case .initiatePerformanceTest, .getNotificationHistory, .requestTestNotification: .post
        case .getImageList, .getMessageList, .getDefaultMessage, .getRealtimeURL,
            .getPerformanceTestResults, .getTestNotificationStatus, .getTransactionHistory,
            .getAllSubscriptionStatuses, .getTransactionInfo, .getAppTransactionInfo,
            .getRefundHistory:
            .get
        }
    }

    var pattern: String {
        (api == .messaging ? AppleEndpoint.basePath : "/inApps") + ownPattern
    }

    private var ownPattern: String {
        switch self {
        case .uploadImage, .deleteImage: "/image/{identifier}"
        case .getImageList: "/image/list"
        case .uploadMessage, .deleteMessage: "/message/{identifier}"
        case .getMessageList: "/message/list"
        case .configureDefaultMessage, .getDefaultMessage, .deleteDefaultMessage:
            "/default/{productId}/{locale}"
        case .configureRealtimeURL, .getRealtimeURL, .deleteRealtimeURL: "/realtime/url"
        case .initiatePerformanceTest: "/performanceTest"
        case .getPerformanceTestResults: "/performanceTest/result/{identifier}"
        case .getNotificationHistory: "/v1/notifications/history"
        case .requestTestNotification: "/v1/notifications/test"
        case .getTestNotificationStatus: "/v1/notifications/test/{identifier}"
        case .getTransactionHistory: "/v2/history/{identifier}"
        case .getAllSubscriptionStatuses: "/v1/subscriptions/{identifier}"
        case .getTransactionInfo: "/v1/transactions/{identifier}"
        case .getAppTransactionInfo: "/v1/transactions/appTransactions/{identifier}"
        case .getRefundHistory: "/v2/refund/lookup/{identifier}"
        }
    }

    /// The performance test answers on the sandbox host alone.
    func isServed(in environment: Environment) -> Bool {
        switch self {
        case .initiatePerformanceTest, .getPerformanceTestResults: environment == .sandbox
        default: true
        }
    }

    /// Calls an hour in production (`identifying-rate-limits` of either API: given a second,
    /// enforced an hour); the sandbox takes a tenth.
    func callsPerHour(in environment: Environment) -> Int {
        let perSecond =
            switch self {
            case .configureDefaultMessage, .getRefundHistory: 10
            case .getNotificationHistory, .getTransactionHistory, .getAllSubscriptionStatuses,
                .getTransactionInfo, .getAppTransactionInfo:
                50
            default: 1
            }
        let production = perSecond * 3_600
        return environment == .production ? production : production / 10
    }

    static let routes: RouteTable<AppleEndpoint> = {
        var table = RouteTable<AppleEndpoint>()
        for endpoint in allCases {
            table.add(endpoint.method, endpoint.pattern, endpoint)
        }
        return table
    }()
}
