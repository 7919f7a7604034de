import Postgres
import TestSupport

/// Rows for every app in each table of which the sample agency has none, so that no test passes
/// because a table was empty.
enum FilledTables {
    static func fill(_ database: Database) throws {
        try database.superuser.withConnection { try $0.execute(script: script) }
    }

    private static let script = """
        insert into holdfast.billing_plan_price
          select tenant_id, app_id, product_id, billing_plan_type, 'USA', 1, 'USD'
          from holdfast.billing_plan;
        insert into holdfast.offer_price
          select tenant_id, app_id, product_id, offer_identifier, 'USA', 1, 'USD'
          from holdfast.offer;
        insert into holdfast.rule_set_draft select tenant_id, app_id, '{}', now()
          from holdfast.app;
        insert into holdfast.publication select tenant_id, app_id, gen_random_uuid(),
          environment, version, now(), '{}', 1 from holdfast.rule_set_publication;
        insert into holdfast.snapshot_acknowledgement
          select tenant_id, app_id, environment, 'x', 1, now() from holdfast.app_environment;
        insert into holdfast.api_key (tenant_id, api_key_id, name, secret_hash, scopes,
            is_limited, created_at, created_by)
          select tenant_id, gen_random_uuid(), 'x', sha256(tenant_id::text::bytea), '{x}', false,
            now(), '{}' from holdfast.tenant;
        insert into holdfast.api_key_client select tenant_id, api_key_id, client_id
          from holdfast.api_key join holdfast.client using (tenant_id);
        insert into holdfast.api_key_app select tenant_id, api_key_id, app_id
          from holdfast.api_key join holdfast.app using (tenant_id);
        insert into holdfast.audit_event (tenant_id, audit_event_id, at, actor_kind, actor_id,
            action, resource_type, resource_id, app_id, changes)
          select tenant_id, gen_random_uuid(), now(), 'operator', 'x', 'x', 'x', 'x', app_id, '{}'
          from holdfast.app;
        insert into holdfast.idempotency_record (tenant_id, api_key_id, idempotency_key,
            fingerprint, created_at)
          select tenant_id, api_key_id, 'x', sha256('x'), now() from holdfast.api_key;
        insert into holdfast.job (tenant_id, job_id, app_id, api_key_id, kind, input, state,
            created_at)
          select tenant_id, gen_random_uuid(), app_id, api_key_id, 'x', 'x', 'queued', now()
          from holdfast.api_key join holdfast.app using (tenant_id);
        insert into holdfast.decision (tenant_id, app_id, environment, signed_date,
            request_identifier, decided_at, original_transaction_id, product_id, kind,
            fallback_reason, locale_asked, snapshot_number, duration_microseconds)
          select tenant_id, app_id, 'Production', now(), gen_random_uuid(), now(), '1', 'p',
            'fallback', 'x', 'en', 1, 1 from holdfast.app;
        insert into holdfast.apple_default (tenant_id, app_id, environment, product_id, locale,
            is_uncertain)
          select tenant_id, app_id, environment, 'p', 'en', false from holdfast.app_environment;
        insert into holdfast.call_budget (tenant_id, app_id, environment, endpoint)
          select tenant_id, app_id, environment, 'x' from holdfast.app_environment;
        insert into holdfast.sync_run (tenant_id, app_id, environment, run_id, trigger,
            requested_by, state, created_at)
          select tenant_id, app_id, environment, gen_random_uuid(), 'request', '{}', 'queued',
            now() from holdfast.app_environment;
        insert into holdfast.apple_call (tenant_id, app_id, environment, call_id, endpoint,
            lease_token, started_at)
          select tenant_id, app_id, environment, gen_random_uuid(), 'x', 1, now()
          from holdfast.app_environment;
        insert into holdfast.performance_test (tenant_id, app_id, test_id, state, requested_by,
            transaction_id, created_at)
          select tenant_id, app_id, gen_random_uuid(), 'queued', '{}', '1', now()
          from holdfast.app;
        insert into holdfast.credential_check (tenant_id, app_id, credential_id, environment,
            verdict, checked_at)
          select tenant_id, app_id, credential_id, 'Sandbox', 'works', now()
          from holdfast.credential;
        insert into holdfast.profile (tenant_id, app_id, environment, original_transaction_id,
            body, as_of)
          select tenant_id, app_id, environment, '1', 'x', now() from holdfast.app_environment;
        insert into holdfast.governor_counter (tenant_id, app_id, environment,
            original_transaction_id)
          select tenant_id, app_id, environment, '1' from holdfast.app_environment;
        insert into holdfast.discount_budget_spent (tenant_id, app_id, environment, month,
            currency, spent_milliunits)
          select tenant_id, app_id, environment, '2026-11-01', 'USD', 1
          from holdfast.app_environment;
        insert into holdfast.notification (tenant_id, app_id, environment, notification_uuid,
            signed_date, notification_type, original_transaction_id, source, received_at,
            signed_payload)
          select tenant_id, app_id, environment, gen_random_uuid(), now(), 'x', '1', 'pushed',
            now(), 'x' from holdfast.app_environment;
        insert into holdfast.fold_lease (tenant_id, app_id, environment)
          select tenant_id, app_id, environment from holdfast.app_environment;
        insert into holdfast.notification_history (tenant_id, app_id, environment)
          select tenant_id, app_id, environment from holdfast.app_environment;
        insert into holdfast.app_store_connect_message (tenant_id, app_id, message_identifier,
            name, created_at, created_by)
          select tenant_id, app_id, gen_random_uuid(), 'x', now(), '{}' from holdfast.app;
        """
}
