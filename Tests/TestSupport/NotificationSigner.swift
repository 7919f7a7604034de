package import FoundationEssentials
package import Signing

/// One App Store Server Notification that is to be signed: a good one, but for what is changed.
/// Changes are JSON text by member; `nil` takes a member out.
package struct NotificationDraft: Sendable {
    package typealias Changes = [String: String?]

    package var uuid = UUID()
    package var originalTransactionId = "2000000000000001"
    package var outer: Changes = [:]
    package var data: Changes = [:]
    package var transaction: Changes = [:]
    package var renewal: Changes = [:]
    /// Who signs what is inside; else who signs the whole.
    package var transactionChain: IssuedChain?
    package var renewalChain: IssuedChain?

    package init() {}

    /// What a notification without a transaction has in place of `data`, as JSON text.
    package mutating func replaceData(by name: String, _ object: String) {
        outer["data"] = String?.none
        outer[name] = object
    }
}

/// Signs notifications as the App Store does, for one app in one environment.
package struct NotificationSigner: Sendable {
    package let chain: IssuedChain
    package var bundleId: String
    package var appAppleId: Int64
    package var environment = "Production"
    /// UNIX milliseconds.
    package var signedDate: Int64

    package init(
        chain: IssuedChain, bundleId: String, appAppleId: Int64, signedDate: Int64
    ) {
        self.chain = chain
        self.bundleId = bundleId
        self.appAppleId = appAppleId
        self.signedDate = signedDate
    }

    /// Valid for a year around `milliseconds`.
    package static func chain(
        at milliseconds: Int64,
        flaws: CertificateAuthority.Flaws = CertificateAuthority.Flaws()
    ) throws -> IssuedChain {
        let (seconds, halfAYear) = (milliseconds / 1_000, Int64(182 * 86_400))
        return try CertificateAuthority.appleLike(
            name: "Simulator", leafValidity: seconds - halfAYear...seconds + halfAYear,
            flaws: flaws)
    }

    package func body(_ draft: NotificationDraft = NotificationDraft()) throws -> [UInt8] {
        Self.body(jws: try jws(draft))
    }

    package static func body(jws: String) -> [UInt8] {
        Array("{\"signedPayload\":\"\(jws)\"}".utf8)
    }

    package func jws(_ draft: NotificationDraft) throws -> String {
        try chain.sign(payload(draft))
    }

    package func payload(_ draft: NotificationDraft) throws -> [UInt8] {
        let renewal = try (draft.renewalChain ?? chain).sign(renewal(draft))
        let transaction = try (draft.transactionChain ?? chain).sign(transaction(draft))
        let data = Self.json(
            [
                ("environment", "\"\(environment)\""), ("appAppleId", "\(appAppleId)"),
                ("bundleId", "\"\(bundleId)\""), ("bundleVersion", "\"7\""),
                ("signedTransactionInfo", "\"\(transaction)\""),
                ("signedRenewalInfo", "\"\(renewal)\""), ("status", "1"),
            ], draft.data)
        return Array(
            Self.json(
                [
                    ("notificationType", "\"DID_CHANGE_RENEWAL_STATUS\""),
                    ("subtype", "\"AUTO_RENEW_DISABLED\""),
                    ("notificationUUID", "\"\(draft.uuid.uuidString.lowercased())\""),
                    ("version", "\"2.0\""), ("signedDate", "\(signedDate)"), ("data", data),
                ], draft.outer
            ).utf8)
    }

    package func transaction(_ draft: NotificationDraft) -> [UInt8] {
        Array(
            Self.json(
                [
                    ("originalTransactionId", "\"\(draft.originalTransactionId)\""),
                    ("transactionId", "\"2000000000000002\""),
                    ("appTransactionId", "\"704000000000000001\""),
                    ("bundleId", "\"\(bundleId)\""), ("productId", "\"com.example.monthly\""),
                    ("type", "\"Auto-Renewable Subscription\""), ("price", "9990"),
                    ("currency", "\"EUR\""), ("storefront", "\"DEU\""),
                    ("environment", "\"\(environment)\""), ("signedDate", "\(signedDate)"),
                ], draft.transaction
            ).utf8)
    }

    package func renewal(_ draft: NotificationDraft) -> [UInt8] {
        Array(
            Self.json(
                [
                    ("originalTransactionId", "\"\(draft.originalTransactionId)\""),
                    ("autoRenewProductId", "\"com.example.monthly\""), ("autoRenewStatus", "0"),
                    ("environment", "\"\(environment)\""), ("signedDate", "\(signedDate)"),
                ], draft.renewal
            ).utf8)
    }

    private static func json(
        _ members: [(String, String)], _ changes: NotificationDraft.Changes
    ) -> String {
        let kept = members.compactMap { name, value -> (String, String)? in
            guard let change = changes[name] else { return (name, value) }
            return change.map { (name, $0) }
        }
        let added = changes.keys.filter { name in !members.contains { $0.0 == name } }.sorted()
            .compactMap { name in (changes[name] ?? nil).map { (name, $0) } }
        return "{" + (kept + added).map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
    }
}
