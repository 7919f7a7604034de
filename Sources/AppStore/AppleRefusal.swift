internal import HTTPClient
internal import Retention

// What every client of Apple's APIs does alike: how long it waits, what it reads of a refusal, and
// what it makes of no answer.

/// Apple's error object.
struct AppleRefusal {
    /// A longer one is not read for Apple's code.
    static let bytesLimit = 64 * 1024

    let code: Int
    let message: ArraySlice<UInt8>?

    /// nil for HTML, plain text and anything else.
    init?(_ body: [UInt8]) {
        guard body.count <= Self.bytesLimit, let object = try? JSONObject(body),
            let code = object.integer("errorCode").flatMap({ Int(exactly: $0) })
        else { return nil }
        self.code = code
        message = object.string("errorMessage")
    }
}

extension TransportSettings {
    static func apple(responseBytesLimit: Int) -> TransportSettings {
        var settings = TransportSettings()
        settings.connectTimeout = .seconds(3)
        settings.totalTimeout = .seconds(20)
        settings.responseBytesLimit = responseBytesLimit
        return settings
    }
}

extension AppleOutcome {
    /// No answer came.
    init(_ error: TransportError) {
        guard error.isSent else {
            self = .notSent(Self.obstacle(error.code))
            return
        }
        switch error.code {
        case .timedOut: self = .unknown(.timedOut)
        case .responseTooLarge: self = .unknown(.responseTooLarge)
        // With a request that is out, all but the first are of a second try on a new connection.
        case .interrupted, .badRequest, .badURL, .connectFailed, .tls:
            self = .unknown(.interrupted)
        }
    }

    private static func obstacle(_ code: TransportError.Code) -> Obstacle {
        switch code {
        case .connectFailed, .interrupted, .responseTooLarge, .timedOut: .connectFailed
        case .tls: .tls
        case .badURL: .badURL
        case .badRequest: .badRequest
        }
    }
}
