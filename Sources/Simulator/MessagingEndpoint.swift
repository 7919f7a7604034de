import HTTPServer

/// Apple's calls of the Retention Messaging API, the server's side of which this process plays.
package enum MessagingEndpoint: String, Codable, Sendable, CaseIterable {
    case uploadImage, deleteImage, getImageList
    case uploadMessage, deleteMessage, getMessageList
    case configureDefaultMessage, getDefaultMessage, deleteDefaultMessage
    case configureRealtimeURL, getRealtimeURL, deleteRealtimeURL
    case initiatePerformanceTest, getPerformanceTestResults

    /// What every path begins with.
    package static let basePath = "/inApps/v1/messaging"

    var method: HTTPServer.Method {
        switch self {
        case .uploadImage, .uploadMessage, .configureDefaultMessage, .configureRealtimeURL: .put
        case .deleteImage, .deleteMessage, .deleteDefaultMessage, .deleteRealtimeURL: .delete
        case .initiatePerformanceTest: .post
        case .getImageList, .getMessageList, .getDefaultMessage, .getRealtimeURL,
            .getPerformanceTestResults:
            .get
        }
    }

    /// Below `basePath`.
    var pattern: String {
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
        }
    }

    /// The performance test answers on the sandbox host alone.
    func isServed(in environment: Environment) -> Bool {
        switch self {
        case .initiatePerformanceTest, .getPerformanceTestResults: environment == .sandbox
        default: true
        }
    }

    /// Calls an hour in production (`retentionmessaging/identifying-rate-limits`: given a second,
    /// enforced an hour); the sandbox takes a tenth.
    func callsPerHour(in environment: Environment) -> Int {
        let production = self == .configureDefaultMessage ? 36_000 : 3_600
        return environment == .production ? production : production / 10
    }

    static let routes: RouteTable<MessagingEndpoint> = {
        var table = RouteTable<MessagingEndpoint>()
        for endpoint in allCases {
            table.add(endpoint.method, basePath + endpoint.pattern, endpoint)
        }
        return table
    }()
}
