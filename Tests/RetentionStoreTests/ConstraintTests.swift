import FoundationEssentials
import Migrations
import Operator
import Postgres
import Retention
import RetentionStore
import TestSupport
import Testing

/// The database holds every limit itself, and the constraint's name says which one was broken.
@Suite(.database) struct ConstraintTests {
    /// Each sets one column of a row of the sample agency to something that it may not hold.
    private static let broken: [(String, String)] = [
        ("app", "name = ''"), ("app", "bundle_id = ''"), ("app", "bundle_id = repeat('b', 156)"),
        ("app", "app_apple_id = 0"), ("app", "default_locale = 'e'"),
        ("app", "apple_id_salt = '\\x00'"), ("app_environment", "snapshot_number = -1"),
        ("product", "period = 'P0M'"), ("product", "period = 'monthly'"),
        ("product", "subscription_group = ''"), ("offer", "kind = 'coupon'"),
        ("credential", "key_id = ''"), ("credential", "issuer_id = repeat('i', 65)"),
        ("credential", "sealed = ''"), ("image", "image_size = 'SMALL'"), ("image", "width = 0"),
        ("image_file", "png = 'x'"), ("image_file", "png = '', sha256 = sha256('')"),
        ("message", "kind = 'default'"),
        ("message", "name = ''"), ("localization", "header = repeat('h', 67)"),
        ("localization", "header = ''"), ("localization", "body = repeat('b', 145)"),
        ("localization", "alt_text = repeat('a', 151), image_id = (select image_id from one)"),
        ("localization", "alt_text = 'a', image_id = null"),
        ("localization", "header_position = 'BELOW'"),
        ("localization", "header_position = 'ABOVE_IMAGE', alt_text = null, image_id = null"),
        ("bullet", "ordinal = 5"), ("bullet", "text = repeat('t', 67)"), ("bullet", "text = ''"),
        ("bullet", "alt_text = repeat('a', 151)"), ("apple_object", "kind = 'video'"),
        ("apple_object", "state = ''"), ("rule_set", "version = 0"), ("rule_set", "body = '[]'"),
        ("endpoint", "token_hash = '\\x00'"), ("endpoint", "token_sealed = ''"),
        ("snapshot", "number = 0"), ("snapshot", "body = ''"), ("snapshot", "sha256 = '\\x00'"),
        ("decision", "kind = 'shown', fallback_reason = null, message_identifier = app_id"),
        ("decision", "fallback_reason = null"),
        ("decision", "message_identifier = app_id"), ("decision", "duration_microseconds = -1"),
        ("decision", "environment = 'Xcode'"), ("tenant", "name = ''"), ("client", "name = ''"),
        ("tenant", "app_limit = 0"), ("app", "time_zone = ''"), ("offer", "offer_mode = ''"),
        ("offer", "period = 'P'"), ("offer", "period_count = 61"),
        ("offer", "customer_eligibilities = array_fill('NEW'::text, array[17])"),
        ("billing_plan_price", "storefront = 'us'"), ("billing_plan_price", "currency = 'usd'"),
        ("billing_plan_price", "amount_milliunits = -1"), ("offer_price", "storefront = 'us'"),
        ("offer_price", "currency = 'usd'"), ("offer_price", "amount_milliunits = -1"),
        ("rule_set_draft", "body = '[]'"), ("publication", "published_by = '[]'"),
        ("rule_set", "created_by = '[]'"),
        ("snapshot_acknowledgement", "responder = ''"), ("api_key", "name = ''"),
        ("api_key", "secret_hash = '\\x00'"), ("api_key", "scopes = '{}'"),
        ("api_key", "created_by = '[]'"), ("audit_event", "actor_kind = 'nobody'"),
        ("audit_event", "action = repeat('a', 65)"), ("audit_event", "changes = '[]'"),
        ("idempotency_record", "idempotency_key = ''"),
        ("idempotency_record", "fingerprint = '\\x00'"), ("job", "kind = ''"),
        ("job", "state = 'lost'"), ("job", "state = 'running'"), ("job", "state = 'failed'"),
    ]

    /// What is wanted at Apple, what Apple has, and what was done there.
    private static let brokenAtApple: [(String, String)] = [
        ("app", "performance_test_transaction_id = '1x'"),
        ("app", "app_store_connect_layer = 'guessed'"), ("apple_object", "presence = 'lost'"),
        ("apple_object", "content_digest = '\\x00'"), ("apple_object", "generation = -1"),
        ("apple_object", "images = array_fill(app_id, array[7])"),
        ("apple_default", "product_id = ''"), ("apple_default", "locale = 'e'"),
        ("sync_state", "url_kind = 'x'"), ("sync_state", "url_kind = 'own'"),
        ("sync_state", "url_kind = null, url_endpoint_id = app_id"),
        ("sync_state", "pause_reason = 'tired'"), ("sync_state", "access = 'some'"),
        ("sync_state", "leased_by = ''"), ("call_budget", "endpoint = ''"),
        ("sync_run", "trigger = 'x'"), ("sync_run", "state = 'lost'"),
        ("sync_run", "state = 'finished'"), ("sync_run", "requested_by = '[]'"),
        ("sync_run", "result = '[]'"), ("apple_call", "endpoint = ''"),
        ("apple_call", "apple_message = repeat('m', 501)"), ("apple_call", "outcome = 'ok'"),
        ("performance_test", "state = 'lost'"), ("performance_test", "state = 'passed'"),
        ("performance_test", "transaction_id = ''"),
        ("performance_test", "apple_request_id = ''"), ("credential_check", "verdict = 'maybe'"),
    ]

    /// What is known of subscribers, and what decisions were taken from.
    private static let brokenOfSubscribers: [(String, String)] = [
        ("profile", "original_transaction_id = ''"), ("profile", "body = ''"),
        ("profile", "body = convert_to(repeat('b', 1025), 'UTF8')"),
        ("governor_counter", "original_transaction_id = repeat('1', 65)"),
        ("governor_counter", "offers_taken = -1"), ("governor_counter", "escalation_level = -1"),
        ("discount_budget_spent", "month = '2026-11-02'"),
        ("discount_budget_spent", "currency = 'usd'"),
        ("discount_budget_spent", "spent_milliunits = -1"),
        ("app_store_connect_message", "name = ''"),
        ("app_store_connect_message", "created_by = '[]'"),
        ("app_store_connect_message", "sandbox_display_confirmed_at = now(), confirmed_by = '[]'"),
        ("app_store_connect_message", "sandbox_display_confirmed_at = now()"),
        ("decision", "arm = ''"), ("decision", "profile_source = 'hearsay'"),
        ("decision", "inputs = ''"), ("decision", "signature_version = 0"),
        ("decision", "degraded = ''"), ("decision", "lookup_microseconds = -1"),
    ]

    /// What Apple told, who folds it, and how far its history was read.
    private static let brokenOfNotifications: [(String, String)] = [
        ("notification", "notification_type = ''"), ("notification", "subtype = ''"),
        ("notification", "original_transaction_id = repeat('1', 65)"),
        ("notification", "app_transaction_id = ''"), ("notification", "source = 'rumour'"),
        ("notification", "fold_failure = '', folded_at = now()"),
        ("notification", "fold_failure = 'x', folded_at = null"),
        ("notification", "signed_payload = ''"), ("fold_lease", "leased_by = ''"),
        ("notification_history", "window_from = now()"),
        ("notification_history", "window_from = now(), window_to = now()"),
        ("notification_history", "pagination_token = 'x'"),
        (
            "notification_history",
            "pagination_token = '', window_from = now(), window_to = now() + interval '1 second'"
        ),
        ("notification_history", "failures = -1"),
    ]

    private func refusal(_ database: Database, _ table: String, _ change: String) -> PostgresError?
    {
        do {
            try database.superuser.withConnection { connection in
                try connection.execute(
                    // Not held back by the trigger that keeps the audit as it is.
                    script: """
                        set local session_replication_role = replica;
                        with one as (select image_id from holdfast.image limit 1)
                        update holdfast.\(table) set \(change);
                        """)
            }
            return nil
        } catch {
            return error as? PostgresError
        }
    }

    @Test func `each limit has a name and is held`() throws {
        let agencies = try Agencies()
        let record = DecisionRecord(
            key: agencies.first.keys[0], signedDate: Agencies.now, requestIdentifier: UUID(),
            decidedAt: Agencies.now, originalTransactionId: "1", productId: "p",
            localeAsked: "en",
            decision: Decision(answer: .fallback(.chosenByRule), rule: nil, localeServed: nil),
            snapshotNumber: 1, durationMicroseconds: 1)
        try agencies.change(agencies.first) { try $0.recordDecisions([record]) }
        try FilledTables.fill(agencies.database)
        var met: Set<String> = []
        let broken =
            Self.broken + Self.brokenAtApple + Self.brokenOfSubscribers
            + Self.brokenOfNotifications
        for (table, change) in broken {
            let error = refusal(agencies.database, table, change)
            #expect(error?.sqlState == "23514", "\(table): \(change)")
            let name = try #require(error?.constraint, "\(table): \(change)")
            #expect(name.hasPrefix(table + "_"), "\(name)")
            met.insert(name)
        }
        let all: [String] = try agencies.value(
            """
            select array_agg(distinct conname::text) from pg_constraint c
            where c.contype = 'c' and c.connamespace = 'holdfast'::regnamespace
              and c.coninhcount = 0
            """)
        // A limit met by nothing above is not known to hold.
        #expect(Set(all).subtracting(met) == Self.unmet)
    }

    /// Of columns in keys, which the rows that name them hold in place, and of sizes in kilobytes.
    private static let unmet: Set<String> = [
        "app_environment_known", "billing_plan_type_length", "credential_public_key_size",
        "localization_locale_length", "offer_identifier_length", "product_id_length",
        "idempotency_record_body_limit", "job_input_limit", "job_report_limit",
    ]
}
