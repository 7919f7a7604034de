package import Retention
internal import Signing

/// Whose notifications are wanted: what signed data must name.
package struct NotifiedApp: Hashable, Sendable {
    package let bundleId: String
    package let appAppleId: Int64
    package let environment: StoreEnvironment

    package init(bundleId: String, appAppleId: Int64, environment: StoreEnvironment) {
        self.bundleId = bundleId
        self.appAppleId = appAppleId
        self.environment = environment
    }

    fileprivate var source: ChainGate.Source {
        ChainGate.Source(appAppleId: appAppleId, environment: environment.rawValue)
    }
}

/// A notification of the right app in the right environment, and what is in it as Apple signed it.
package struct VerifiedNotification: Sendable {
    package let head: NotificationHead
    /// The compact JWS as it came.
    package let signedPayload: [UInt8]
}

/// Notifications, pushed or out of Apple's history. There is no window of freshness: Apple repeats
/// for 157 hours, and its history reaches back 180 days; each chain is judged at its own date.
extension SignedDataVerifier {
    /// A real one has about 20 KB: it holds Apple's chain three times.
    package static let notificationBytesLimit = 256 * 1024

    /// The notification in the body of Apple's call to this app's URL.
    package func notification(
        body: [UInt8], for app: NotifiedApp
    ) throws(VerificationError) -> VerifiedNotification {
        let compact = try SignedPayloadBody.compactJWS(
            in: body, bytesLimit: Self.notificationBytesLimit)
        return try notification(compact, for: app)
    }

    /// The same of a `signedPayload` out of Apple's history.
    ///
    /// Every object of the payload that names an app, an environment or signed data must be this
    /// app's in this environment, whatever it is called, and one at least must name the app: so
    /// what Apple adds tomorrow is judged like `data`, `summary`, `externalPurchaseToken` and
    /// `appData`.
    package func notification(
        _ compact: ArraySlice<UInt8>, for app: NotifiedApp
    ) throws(VerificationError) -> VerifiedNotification {
        let (_, payload, date) = try verified(
            compact, for: app.source, limit: Self.notificationBytesLimit)
        try NotificationHead.requireKind(payload)
        var parts: [JSONObject] = []
        var namesApp = false
        for member in payload.members {
            guard let object = JSONObject(member.value) else { continue }
            let names = try object.requireOuterIdentity(app)
            namesApp = namesApp || names
            parts += try signedParts(of: object, for: app)
        }
        guard namesApp else {
            throw VerificationError(.wrongApp, "The notification names no app.")
        }
        let head = try NotificationHead(payload, signedDate: date, parts: parts)
        return VerifiedNotification(head: head, signedPayload: Array(compact))
    }

    /// The payloads of what Apple signed inside, each verified like the whole.
    private func signedParts(
        of object: JSONObject, for app: NotifiedApp
    ) throws(VerificationError) -> [JSONObject] {
        var parts: [JSONObject] = []
        for kind in SignedPart.allCases {
            guard let value = object.present(kind.rawValue) else { continue }
            guard case .string(let compact) = value else {
                throw VerificationError(
                    .payloadMalformed, "The field \(kind.rawValue) is no string.")
            }
            let (_, part, _) = try verified(
                compact, for: app.source, limit: Self.notificationBytesLimit)
            try part.requireIdentity(app, of: kind)
            parts.append(part)
        }
        return parts
    }
}

/// Signed data inside a notification, in the order in which it is asked for what more than one
/// says.
private enum SignedPart: String, CaseIterable {
    case signedTransactionInfo, signedRenewalInfo, signedAppTransactionInfo

    /// A renewal names no bundle.
    var namesBundle: Bool { self != .signedRenewalInfo }
    /// What an app transaction calls its environment.
    var environmentField: String {
        self == .signedAppTransactionInfo ? "receiptType" : "environment"
    }
    var namesAppleId: Bool { self == .signedAppTransactionInfo }
}

extension JSONObject {
    /// A bundle, number or environment in it must be the app's.
    ///
    /// - Returns: whether it names the app.
    fileprivate func requireOuterIdentity(
        _ app: NotifiedApp
    ) throws(VerificationError) -> Bool {
        guard present("bundleId") != nil else {
            try requireAppleId(app, isRequired: false)
            if present("environment") != nil { try requireEnvironment(app, "environment") }
            return false
        }
        try requireBundle(app)
        try requireAppleId(app, isRequired: app.environment == .production)
        if present("environment") == nil, let token = present("externalPurchaseId") {
            try requireEnvironment(app, ofExternalPurchase: token)
        } else {
            try requireEnvironment(app, "environment")
        }
        return true
    }

    fileprivate func requireIdentity(
        _ app: NotifiedApp, of kind: SignedPart
    ) throws(VerificationError) {
        if kind.namesBundle || present("bundleId") != nil { try requireBundle(app) }
        try requireAppleId(
            app, isRequired: kind.namesAppleId && app.environment == .production)
        try requireEnvironment(app, kind.environmentField)
    }

    private func requireBundle(_ app: NotifiedApp) throws(VerificationError) {
        guard string("bundleId")?.elementsEqual(app.bundleId.utf8) == true else {
            throw VerificationError(.wrongApp, "The data is not of the bundle of this URL.")
        }
    }

    /// Apple leaves it out in the sandbox.
    private func requireAppleId(
        _ app: NotifiedApp, isRequired: Bool
    ) throws(VerificationError) {
        guard present("appAppleId") != nil || isRequired else { return }
        guard integer("appAppleId") == app.appAppleId else {
            throw VerificationError(.wrongApp, "The data is not of the app of this URL.")
        }
    }

    private func requireEnvironment(
        _ app: NotifiedApp, _ field: String
    ) throws(VerificationError) {
        guard string(field)?.elementsEqual(app.environment.rawValue.utf8) == true else {
            throw Self.wrongEnvironment
        }
    }

    /// The token of an external purchase says it in its beginning alone.
    /// Apple's page: appstoreservernotifications/externalpurchaseid
    private func requireEnvironment(
        _ app: NotifiedApp, ofExternalPurchase token: JSONValue
    ) throws(VerificationError) {
        guard case .string(let id) = token,
            id.starts(with: "SANDBOX".utf8) == (app.environment == .sandbox)
        else { throw Self.wrongEnvironment }
    }

    private static var wrongEnvironment: VerificationError {
        VerificationError(
            .wrongEnvironment, "The data is not of the environment of this URL.")
    }
}
