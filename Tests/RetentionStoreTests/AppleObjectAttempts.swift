import Foundation
import Operator
import Postgres
import Retention
import RetentionStore

/// What the isolation tests try on another agency's objects at Apple.
extension IsolationTests {
    /// Finds nothing, and does nothing to the first agency.
    func appleObjectQuestions(_ agencies: Agencies) throws -> [Attempt] {
        let key = agencies.first.keys[0]
        let tenant = agencies.first.scope.tenant.uuid
        let object: UUID = try agencies.value(
            """
            select apple_id from holdfast.apple_object
            where tenant_id = \(tenant) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue)
            """)
        let message: UUID = try agencies.value(
            """
            select message_id from holdfast.message
            where tenant_id = \(tenant) and app_id = \(key.app.uuid)
            """)
        // It could be submitted anew by its own agency.
        try agencies.change(agencies.first) {
            try $0.setReviewState(.rejected, ofAppleObject: object, at: key)
        }
        return [
            (
                "listAppleObjects",
                {
                    try expectNothing(
                        try $0.listAppleObjects(at: key, kind: nil, after: nil, limit: 9).first)
                }
            ),
            ("findAppleObject", { try expectNothing(try $0.findAppleObject(object, at: key)) }),
            ("shownImages", { try expectNothing(try $0.shownImages([object], at: key).first) }),
            (
                "supersedeAppleObject",
                { try expectNothing(try $0.supersedeAppleObject(object, at: key) ? object : nil) }
            ),
            (
                "existingMessages",
                {
                    try expectNothing(
                        try $0.existingMessages([MessageID(message)], of: key.app).first)
                }
            ),
            (
                "performanceTestTransactionId",
                { try expectNothing(try $0.performanceTestTransactionId(of: key.app)) }
            ),
        ]
    }
}
