import FoundationEssentials
import HTTPServer

/// Apple's side of the Retention Messaging API for one app that is known by its token: what each
/// call does and answers when nothing goes wrong on the way.
struct MessagingAPI: Sendable {
    let memory: AppStoreMemory
    let runner: PerformanceRunner
    let subscriptions: Subscriptions

    /// One call that may be acted on.
    struct Call: Sendable {
        var endpoint: AppleEndpoint
        var place: AppStoreMemory.Place
        var request: Request
        var path: PathParameters
        /// On the simulator's clock, whatever Apple's says to this call.
        var nowMilliseconds: Int64
        /// A list that lags.
        var lag: Fault?
    }

    func answer(_ call: Call) throws(AppleError) -> Response {
        switch call.endpoint {
        case .uploadImage: try uploadImage(call)
        case .deleteImage: try deleteImage(call)
        case .getImageList: try getImageList(call)
        case .uploadMessage: try uploadMessage(call)
        case .deleteMessage: try deleteMessage(call)
        case .getMessageList: try getMessageList(call)
        case .configureDefaultMessage: try configureDefaultMessage(call)
        case .getDefaultMessage: try getDefaultMessage(call)
        case .deleteDefaultMessage: try deleteDefaultMessage(call)
        case .configureRealtimeURL: try configureRealtimeURL(call)
        case .getRealtimeURL: try getRealtimeURL(call)
        case .deleteRealtimeURL: try deleteRealtimeURL(call)
        case .initiatePerformanceTest: try initiatePerformanceTest(call)
        case .getPerformanceTestResults: try getPerformanceTestResults(call)
        default: throw .generalInternal
        }
    }

    /// The app was there when its token was looked at; a state is never taken away while calls run
    /// but by whoever drives the simulator.
    func change<Result: Sendable>(
        _ call: Call,
        _ body: (inout AppStoreMemory.Record) throws(AppleError) -> Result
    ) throws(AppleError) -> Result {
        guard let result = try memory.change(call.place, body) else { throw .generalInternal }
        return result
    }

    static func identifier(
        _ call: Call, else error: AppleError = .generalBadRequest
    ) throws(AppleError) -> (text: String, value: UUID) {
        guard let text = call.path["identifier"], let value = uuid(text) else { throw error }
        return (text, value)
    }

    static func object(_ members: [(String, JSONValue)]) -> Response {
        let value = JSONValue.object(members.map { .init(name: $0.0, value: $0.1) })
        return .json(200, value.bytes)
    }

    /// What Apple answers where something was done and there is nothing to say.
    static let done = Response.empty(200)
}

// MARK: Images and messages

extension MessagingAPI {
    private func uploadImage(_ call: Call) throws(AppleError) -> Response {
        let (text, identifier) = try MessagingAPI.identifier(call)
        let uploaded = try UploadedImage(call.request, identifier: text)
        let limit = memory.limits.imagesLimit
        try change(call) { record throws(AppleError) in
            try record.catalog.upload(uploaded.image, limit: limit)
            let state = record.desk.review(
                identifier, .image, nowMilliseconds: call.nowMilliseconds)
            record.catalog.decide(identifier, state)
        }
        return MessagingAPI.done
    }

    private func deleteImage(_ call: Call) throws(AppleError) -> Response {
        let (_, identifier) = try MessagingAPI.identifier(call)
        try change(call) { record throws(AppleError) in
            try record.catalog.deleteImage(identifier)
            record.desk.forget(identifier)
        }
        return MessagingAPI.done
    }

    private func getImageList(_ call: Call) throws(AppleError) -> Response {
        try change(call) { record throws(AppleError) in
            record.desk.countList(.image)
            let shown = record.catalog.state.images.filter { image in
                isShown(image.imageIdentifier, .image, record.desk, call)
            }
            let entries = shown.map { image in
                JSONValue.object([
                    .init(name: "imageIdentifier", value: .string(image.imageIdentifier)),
                    .init(name: "imageState", value: .string(image.imageState.rawValue)),
                    .init(name: "imageSize", value: .string(image.imageSize.rawValue)),
                ])
            }
            return MessagingAPI.object([("imageIdentifiers", .array(entries))])
        }
    }

    private func isShown(
        _ identifier: String, _ kind: MessagingDesk.Kind, _ desk: MessagingDesk, _ call: Call
    ) -> Bool {
        guard let lag = call.lag, let identifier = uuid(identifier) else { return true }
        return !desk.isHidden(identifier, kind, by: lag, nowMilliseconds: call.nowMilliseconds)
    }

    private func uploadMessage(_ call: Call) throws(AppleError) -> Response {
        let (text, identifier) = try MessagingAPI.identifier(call)
        let uploaded = try UploadedMessage(try CallBody(call.request), identifier: text)
        let limit = memory.limits.messagesLimit
        try change(call) { record throws(AppleError) in
            try record.catalog.upload(uploaded.message, limit: limit)
            let state = record.desk.review(
                identifier, .message, nowMilliseconds: call.nowMilliseconds)
            record.catalog.decide(identifier, state)
        }
        return MessagingAPI.done
    }

    private func deleteMessage(_ call: Call) throws(AppleError) -> Response {
        let (_, identifier) = try MessagingAPI.identifier(call)
        try change(call) { record throws(AppleError) in
            try record.catalog.deleteMessage(identifier)
            record.desk.forget(identifier)
        }
        return MessagingAPI.done
    }

    private func getMessageList(_ call: Call) throws(AppleError) -> Response {
        try change(call) { record throws(AppleError) in
            record.desk.countList(.message)
            let shown = record.catalog.state.messages.filter { message in
                isShown(message.messageIdentifier, .message, record.desk, call)
            }
            let entries = shown.map { message in
                JSONValue.object([
                    .init(name: "messageIdentifier", value: .string(message.messageIdentifier)),
                    .init(name: "messageState", value: .string(message.messageState.rawValue)),
                ])
            }
            return MessagingAPI.object([("messageIdentifiers", .array(entries))])
        }
    }
}

// MARK: Default messages

extension MessagingAPI {
    private func productAndLocale(
        _ call: Call, _ catalog: AppCatalog
    ) throws(AppleError) -> (productId: String, locale: String) {
        guard let productId = call.path["productId"], catalog.product(productId) != nil else {
            throw .invalidProductId
        }
        guard let locale = call.path["locale"], AppStateRules.isLocale(locale) else {
            throw .invalidLocale
        }
        return (productId, locale)
    }

    private func configureDefaultMessage(_ call: Call) throws(AppleError) -> Response {
        try change(call) { record throws(AppleError) in
            let (productId, locale) = try productAndLocale(call, record.catalog)
            let body = try CallBody(call.request)
            try body.onlyHas(["messageIdentifier"])
            let entry = AppState.DefaultMessage(
                productId: productId, locale: locale,
                messageIdentifier: try body.identifier("messageIdentifier"))
            try record.catalog.configure(entry)
        }
        return MessagingAPI.done
    }

    private func getDefaultMessage(_ call: Call) throws(AppleError) -> Response {
        try change(call) { record throws(AppleError) in
            let (productId, locale) = try productAndLocale(call, record.catalog)
            guard
                let message = record.catalog.defaultMessage(productId: productId, locale: locale)
            else { throw .defaultMessageNotFound }
            return MessagingAPI.object([("messageIdentifier", .string(message.messageIdentifier))])
        }
    }

    private func deleteDefaultMessage(_ call: Call) throws(AppleError) -> Response {
        try change(call) { record throws(AppleError) in
            let (productId, locale) = try productAndLocale(call, record.catalog)
            try record.catalog.deleteDefault(productId: productId, locale: locale)
        }
        return MessagingAPI.done
    }
}

// MARK: Real-time URL

extension MessagingAPI {
    private func configureRealtimeURL(_ call: Call) throws(AppleError) -> Response {
        let body = try CallBody(call.request)
        try body.onlyHas(["realtimeURL"])
        let url = try body.text("realtimeURL")
        guard AppStateRules.isRealtimeURL(url) else { throw .badRealtimeURL }
        var sandbox = call.place
        sandbox.environment = .sandbox
        let hasPassed = memory.catalog(sandbox)?.state.hasPassingTest ?? false
        try change(call) { record throws(AppleError) in
            guard
                call.place.environment == .sandbox || hasPassed
                    || record.catalog.state.hasPassingTest
            else { throw .noPassingTest }
            record.catalog.state.realtimeURL = url
        }
        return MessagingAPI.done
    }

    private func getRealtimeURL(_ call: Call) throws(AppleError) -> Response {
        try change(call) { record throws(AppleError) in
            guard let url = record.catalog.state.realtimeURL else { throw .realtimeURLNotFound }
            return MessagingAPI.object([("realtimeURL", .string(url))])
        }
    }

    private func deleteRealtimeURL(_ call: Call) throws(AppleError) -> Response {
        try change(call) { record throws(AppleError) in
            guard record.catalog.state.realtimeURL != nil else { throw .realtimeURLNotFound }
            record.catalog.state.realtimeURL = nil
        }
        return MessagingAPI.done
    }
}
