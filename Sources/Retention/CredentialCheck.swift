/// What Apple's last answer to a call that was made with a key says of the key.
package enum KeyVerdict: String, Hashable, Sendable, CaseIterable {
    case works
    /// 401.
    case keyRefused
    /// 404 without a code: the account, or the app of this bundle id, has no access. Whether the
    /// key itself is good is not said by it.
    case noAccess
}

package struct CredentialCheck: Hashable, Sendable {
    package let environment: StoreEnvironment
    package let verdict: KeyVerdict
    package let status: Int?
    /// Apple's `errorCode`; `nil` where the answer had none.
    package let appleCode: Int?
    package let checkedAt: Instant

    package init(
        environment: StoreEnvironment, verdict: KeyVerdict, status: Int?, appleCode: Int?,
        checkedAt: Instant
    ) {
        self.environment = environment
        self.verdict = verdict
        self.status = status
        self.appleCode = appleCode
        self.checkedAt = checkedAt
    }

    package var sentence: String {
        switch verdict {
        case .works: "Apple takes calls that are made with this key."
        case .keyRefused:
            AppleErrorWords.sentence(status: status ?? 401, errorCode: appleCode)
        case .noAccess: AppleErrorWords.sentence(status: status ?? 404, errorCode: appleCode)
        }
    }

    /// Whether a key may take the live one's place: both environments were asked since it was
    /// stored, none refuses it, and one at least takes it. No access in both is no proof of a key.
    package static func showKeyWorks(_ checks: [CredentialCheck], since wanted: Instant) -> Bool {
        let answers = checks.filter { $0.checkedAt >= wanted }
        return StoreEnvironment.allCases.allSatisfy { environment in
            answers.contains { $0.environment == environment && $0.verdict != .keyRefused }
        } && answers.contains { $0.verdict == .works }
    }
}
