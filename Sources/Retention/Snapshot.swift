package import FoundationEssentials

/// Everything one (app, environment) is answered from: immutable, numbered upwards. It holds only
/// what may be said: texts that Apple has not approved are not in it at all.
///
///     change committed ─> snapshot n+1 built ─> responder polls ─> checks ─> swaps in n+1
///                                                                    └─ corrupt or older: keeps n
package struct Snapshot: Codable, Equatable, Sendable {
    package static let schemaVersion = 1
    /// A larger one is a fault of the builder: refused there, and by every reader.
    package static let bytesLimit = 8 << 20

    package let schemaVersion: Int
    package let tenant: TenantID
    package let app: AppID
    package let environment: StoreEnvironment
    /// Rises by one with each snapshot of this (app, environment), also on a rollback of rules.
    package let number: Int64
    package let bundleId: String
    package let appAppleId: Int64
    package let defaultLocale: String
    /// SHA-256 of each live endpoint token.
    package let endpointTokenHashes: [Data]
    package let products: [Product]
    package let offers: [Offer]
    package let messages: [ServedMessage]
    package let defaults: [ServedDefault]
    package let ruleSet: RuleSet
    package let signingKey: SealedSigningKey?
    /// Absent unless true, so that the form of all others stays what it was.
    private let stopped: Bool?
    private let zoneOffsets: ZoneOffsets?
    private let connectMessages: [UUID]?

    /// The app's calendar.
    package var zone: ZoneOffsets { zoneOffsets ?? .utc }

    /// Messages made in App Store Connect that may be named here: in production those that were
    /// seen to be shown in the sandbox.
    package var appStoreConnectMessages: [UUID] { connectMessages ?? [] }

    /// Whether the agency stopped the app's answers. Such a snapshot holds nothing that could be
    /// said, so that a responder which does not know the switch is silent too.
    package var isStopped: Bool { stopped ?? false }

    package init(
        tenant: TenantID, app: AppID, environment: StoreEnvironment, number: Int64,
        bundleId: String, appAppleId: Int64, defaultLocale: String,
        endpointTokenHashes: [Data], products: [Product], offers: [Offer],
        messages: [ServedMessage], defaults: [ServedDefault], ruleSet: RuleSet,
        signingKey: SealedSigningKey?, zone: ZoneOffsets = .utc,
        appStoreConnectMessages: [UUID] = [], isStopped: Bool = false
    ) {
        schemaVersion = Self.schemaVersion
        self.tenant = tenant
        self.app = app
        self.environment = environment
        self.number = number
        self.bundleId = bundleId
        self.appAppleId = appAppleId
        self.defaultLocale = defaultLocale
        self.endpointTokenHashes = endpointTokenHashes
        self.products = products
        self.offers = offers
        self.messages = isStopped ? [] : messages
        self.defaults = isStopped ? [] : defaults
        self.ruleSet = isStopped ? RuleSet(rules: []) : ruleSet
        self.signingKey = signingKey
        stopped = isStopped ? true : nil
        zoneOffsets = zone == .utc ? nil : zone
        connectMessages =
            isStopped || appStoreConnectMessages.isEmpty ? nil : appStoreConnectMessages
    }

    /// The same under another number.
    package func numbered(_ number: Int64) -> Snapshot {
        Snapshot(
            tenant: tenant, app: app, environment: environment, number: number,
            bundleId: bundleId, appAppleId: appAppleId, defaultLocale: defaultLocale,
            endpointTokenHashes: endpointTokenHashes, products: products, offers: offers,
            messages: messages, defaults: defaults, ruleSet: ruleSet, signingKey: signingKey,
            zone: zone, appStoreConnectMessages: appStoreConnectMessages, isStopped: isStopped)
    }
}

/// A message with the identifiers at Apple of its approved localizations.
package struct ServedMessage: Codable, Equatable, Sendable {
    package let id: MessageID
    package let kind: MessageKind
    /// Locale to `messageIdentifier`.
    package let placements: [String: UUID]

    package init(id: MessageID, kind: MessageKind, placements: [String: UUID]) {
        self.id = id
        self.kind = kind
        self.placements = placements
    }
}

/// The default message of a product in one locale, as configured at Apple too.
package struct ServedDefault: Codable, Equatable, Sendable {
    package let productId: String
    package let locale: String
    package let messageIdentifier: UUID

    package init(productId: String, locale: String, messageIdentifier: UUID) {
        self.productId = productId
        self.locale = locale
        self.messageIdentifier = messageIdentifier
    }
}

/// The app's In-App Purchase key, sealed to the platform's public key: whoever holds the snapshot
/// alone cannot sign with it.
package struct SealedSigningKey: Codable, Equatable, Sendable {
    package let credential: CredentialID
    package let keyId: String
    package let issuerId: String
    package let sealed: Data

    package init(credential: CredentialID, keyId: String, issuerId: String, sealed: Data) {
        self.credential = credential
        self.keyId = keyId
        self.issuerId = issuerId
        self.sealed = sealed
    }

    /// What the seal is bound to: a key moved to another tenant, app or row does not open there.
    package static func sealContext(
        tenant: TenantID, app: AppID, credential: CredentialID, keyId: String
    ) -> [UInt8] {
        var writer = CanonicalWriter()
        writer.append(Array("holdfast in-app purchase key 1".utf8))
        writer.append(tenant.uuid.bytes)
        writer.append(app.uuid.bytes)
        writer.append(credential.uuid.bytes)
        writer.append(Array(keyId.utf8))
        return writer.bytes
    }
}
