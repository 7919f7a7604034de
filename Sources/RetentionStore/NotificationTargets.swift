// Table: endpoint, by `enter_endpoint`. Whose URL was called, before any tenant is known.
internal import FoundationEssentials
internal import Postgres
package import Retention
internal import Signing

/// The app and environment that an endpoint's token picks, and what data for it must name.
package struct NotificationTarget: Hashable, Sendable {
    package let tenant: TenantID
    package let key: AppEnvironment
    package let bundleId: String
    package let appAppleId: Int64

    /// Goes out with the `BEGIN` of the transaction that adds something; alone it tells whose the
    /// token is.
    static func enterQuery(_ tokenHash: [UInt8]) -> Query {
        """
        select tenant_id, app_id, environment, bundle_id, app_apple_id
        from holdfast_sec.enter_endpoint(\(tokenHash))
        """
    }

    /// `nil` where no live endpoint has the token.
    init?(entered rows: Rows?) throws {
        guard let row = rows?.first else { return nil }
        let environment: String = try row.decode("environment")
        guard let known = StoreEnvironment(rawValue: environment) else {
            throw StoreError(code: .invalid, message: "environment \(environment) is unknown")
        }
        tenant = TenantID(try row.decode("tenant_id"))
        key = AppEnvironment(app: AppID(try row.decode("app_id")), environment: known)
        bundleId = try row.decode("bundle_id")
        appAppleId = try row.decode("app_apple_id")
    }
}

/// The token in an endpoint's URLs.
package enum EndpointToken {
    /// 256 bits: not to be guessed, so a plain hash is enough to look it up by.
    static let randomBytesCount = 32
    private static let textBytesCount = (randomBytesCount * 4 + 2) / 3

    /// SHA-256 of what may be a token; `nil` for what is none by its length.
    package static func hash(of text: [UInt8]) -> [UInt8]? {
        text.count == textBytesCount ? SHA256.digest(text) : nil
    }
}

extension RetentionStore {
    /// Whose token has this SHA-256; `nil` where no live endpoint has it.
    package func findNotificationTarget(
        _ platform: PlatformScope, tokenHash: [UInt8]
    ) throws -> NotificationTarget? {
        try pool.withConnection { connection in
            try NotificationTarget(
                entered: try connection.query(NotificationTarget.enterQuery(tokenHash)))
        }
    }
}
