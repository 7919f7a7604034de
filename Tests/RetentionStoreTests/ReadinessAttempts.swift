import FoundationEssentials
import Operator
import Postgres
import Retention
import RetentionStore

/// What the isolation tests try on how far another agency's apps are, and on checks of its keys.
extension IsolationTests {
    /// Refused.
    func readinessAttempts(_ agencies: Agencies) -> [Attempt] {
        let key = agencies.first.keys[0]
        return [("coverageFacts", { _ = try $0.coverageFacts(at: key) })]
    }

    /// Finds nothing, and does nothing to the first agency.
    func readinessQuestions(_ agencies: Agencies) throws -> [Attempt] {
        let key = agencies.first.keys[0]
        let (app, tenant) = (key.app, agencies.first.scope.tenant.uuid)
        let stored: UUID = try agencies.value(
            """
            select credential_id from holdfast.credential
            where tenant_id = \(tenant) and app_id = \(app.uuid)
            """)
        let credential = CredentialID(stored)
        return [
            ("readinessFacts", { try expectNothing(try $0.readinessFacts(of: [app]).first) }),
            ("setAccessRequested", { try $0.setAccessRequested(Agencies.now, of: app) }),
            (
                "listOpenCredentials",
                { try expectNothing(try $0.listOpenCredentials(of: app).first) }
            ),
            (
                "wantCredentialCheck",
                { try expectNot(try $0.wantCredentialCheck(credential, of: app)) }
            ),
            (
                "standbyCredentials",
                { try expectNothing(try $0.standbyCredentials(of: app).first) }
            ),
            (
                "credentialsToCheck",
                { try expectNothing(try $0.credentialsToCheck(at: key).first) }
            ),
            (
                "activateCredential",
                { try expectNot(try $0.activateCredential(credential, of: app)) }
            ),
            ("servedCredentials", { try expectNothing(try $0.servedCredentials(of: app)) }),
        ]
    }

    func expectNot(_ isDone: Bool) throws {
        if isDone { throw FoundForeign() }
    }
}
