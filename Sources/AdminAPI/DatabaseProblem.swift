internal import HTTPServer
internal import Postgres
internal import RetentionStore

/// What the database refused, in the API's words. Constraints name the limit they hold.
enum DatabaseProblem {
    private enum State {
        static let unique = "23505"
        static let foreignKey = "23503"
        static let check = "23514"
        static let notNull = "23502"
        static let lockTimeout = "55P03"
        static let deadlock = "40P01"
        static let serialization = "40001"
        static let rowSecurity = "42501"
    }

    /// Unique constraint -> the member that must differ, and a sentence.
    private static let conflicts: [String: (pointer: String, detail: String)] = [
        "app_bundle_id_unique": ("/bundleId", "Another app of the tenant has this bundleId."),
        "app_apple_id_unique": ("/appAppleId", "Another app of the tenant has this appAppleId."),
        "message_name_unique": ("/name", "Another message of the app has this name."),
        "app_store_connect_message_pkey": (
            "/messageIdentifier", "The app has this message of App Store Connect already."
        ),
        "app_store_connect_message_name_unique": (
            "/name", "Another message of App Store Connect has this name in the app."
        ),
        "product_pkey": ("/productId", "The app has this product already; change it with PATCH."),
        "offer_pkey": ("/offerIdentifier", "The product has this offer already."),
    ]

    /// Foreign key -> the member that names what is not there.
    private static let references: [String: String] = [
        "app_client_exists": "/clientId",
        "api_key_client_exists": "/clientIds",
        "api_key_app_exists": "/appIds",
        "localization_image_exists": "/image/imageId",
        "bullet_image_exists": "/bulletPoints",
        "default_message_product_exists": "/productIds",
        "default_message_localization_exists": "/messageId",
    ]

    /// `nil` for what is our own fault.
    static func problem(_ error: PostgresError, method: Method) -> Problem? {
        switch error.code {
        case .connectFailed, .connectionLost, .deadlineExceeded, .poolExhausted, .closed:
            return .unavailable("The database does not answer in time; try again.")
        case .server: return server(error, method: method)
        case .badURL, .encoding, .decoding, .transactionAborted, .migration: return nil
        }
    }

    private static func server(_ error: PostgresError, method: Method) -> Problem? {
        let constraint = error.constraint ?? ""
        switch error.sqlState {
        case State.unique:
            let known = conflicts[constraint]
            let detail = known?.detail ?? "Something with these names exists already."
            let errors = known.map { FieldProblem(.pointer($0.pointer), .duplicate, $0.detail) }
            return Problem(.conflict, detail, errors: errors.map { [$0] } ?? [])
        case State.foreignKey where constraint == "image_file_exists":
            return .unavailable("The same picture is being removed; send it again.")
        case State.foreignKey where method == .delete:
            return Problem(
                .inUse, "Something still names it; see errors, and remove that first.",
                errors: [
                    FieldProblem(
                        .pointer(""), .notAllowed, "Still named by: \(error.table ?? constraint).")
                ])
        case State.foreignKey:
            let pointer = references[constraint] ?? ""
            return .validation([
                FieldProblem(
                    .pointer(pointer), .unknownReference,
                    "What is named here does not exist, or not for this API key.")
            ])
        case State.check, State.notNull:
            return .validation([
                FieldProblem(
                    .pointer(""), .notAllowed,
                    "A limit was not kept: \(constraint.isEmpty ? error.column ?? "" : constraint)."
                )
            ])
        // A row that a limited key may not write.
        case State.rowSecurity: return .notFound
        case State.lockTimeout, State.deadlock, State.serialization:
            return .unavailable("Another request is changing the same thing; try again.")
        default: return nil
        }
    }

    static func problem(_ error: StoreError) -> Problem {
        switch error.code {
        case .unauthenticated: .unauthenticated
        case .notFound, .leaseLost: .notFound
        case .invalid:
            .validation([FieldProblem(.pointer(""), .notAllowed, error.message)])
        case .snapshotTooLarge:
            Problem(
                .quotaExceeded, error.message,
                errors: [FieldProblem(.pointer(""), .tooLarge, error.message)])
        }
    }

    /// Whether it is the wait for another transaction that has the same idempotency key.
    static func isLockTimeout(_ error: any Error) -> Bool {
        (error as? PostgresError)?.sqlState == State.lockTimeout
    }
}
