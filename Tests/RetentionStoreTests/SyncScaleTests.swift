import Foundation
import Operator
import Postgres
import Retention
import RetentionStore
import TestSupport
import Testing

/// As much as Apple allows one app.
@Suite(.database) struct SyncScaleTests {
    private static let script = """
        insert into holdfast.image_file (tenant_id, sha256, png, created_at)
          select tenant_id, sha256(n::text::bytea), n::text::bytea, now()
          from holdfast.app, generate_series(1, 2000) n where bundle_id = 'com.example.scale';
        insert into holdfast.image (tenant_id, app_id, image_id, image_size, sha256, width,
            height, byte_count, created_at)
          select tenant_id, app_id, md5('i' || n)::uuid, 'FULL_SIZE', sha256(n::text::bytea), 1, 1,
            1, now() from holdfast.app, generate_series(1, 2000) n
          where bundle_id = 'com.example.scale';
        insert into holdfast.message (tenant_id, app_id, message_id, name, kind, created_at)
          select tenant_id, app_id, md5('m' || n)::uuid, 'm' || n, 'text', now()
          from holdfast.app, generate_series(1, 500) n where bundle_id = 'com.example.scale';
        insert into holdfast.message_target (tenant_id, app_id, environment, message_id, created_at)
          select tenant_id, app_id, 'Sandbox', message_id, now() from holdfast.message
          join holdfast.app using (tenant_id, app_id) where bundle_id = 'com.example.scale';
        insert into holdfast.localization (tenant_id, app_id, message_id, locale, header, body,
            image_id, alt_text)
          select m.tenant_id, m.app_id, m.message_id, l, 'Header ' || m.name || l, repeat('b', 120),
            md5('i' || (substr(m.name, 2)::int - 1) * 4 + n)::uuid, 'alt'
          from holdfast.message m join holdfast.app using (tenant_id, app_id),
            unnest(array['en-US', 'ja', 'es-MX', 'de-DE']) with ordinality as t (l, n)
          where bundle_id = 'com.example.scale';
        insert into holdfast.product (tenant_id, app_id, product_id, subscription_group, period,
            created_at)
          select tenant_id, app_id, 'p' || n, 'g', 'P1M', now() from holdfast.app,
            generate_series(1, 125) n where bundle_id = 'com.example.scale';
        insert into holdfast.default_message (tenant_id, app_id, environment, product_id, locale,
            message_id)
          select tenant_id, app_id, 'Sandbox', product_id, l,
            md5('m' || substr(product_id, 2))::uuid
          from holdfast.product join holdfast.app using (tenant_id, app_id),
            unnest(array['en-US', 'ja', 'es-MX', 'de-DE']) l
          where bundle_id = 'com.example.scale';
        """

    private func filled(_ workers: SyncWorkers) throws -> AppEnvironment {
        let app = AppID.make(at: Agencies.now)
        let agency = workers.agencies.first
        let tenant = agency.scope.tenant.uuid
        let client: UUID = try workers.agencies.value(
            "select client_id from holdfast.client where tenant_id = \(tenant) limit 1")
        try workers.agencies.change(agency) {
            try $0.createApp(
                App(
                    id: app, client: ClientID(client), name: "scale",
                    bundleId: "com.example.scale", appAppleId: 99, defaultLocale: "en-US"))
        }
        try workers.agencies.database.superuser.withConnection {
            try $0.execute(script: Self.script)
            try $0.execute(script: "analyze")
        }
        return AppEnvironment(app: app, environment: .sandbox)
    }

    /// Seconds in a debug build: far below where something quadratic would be.
    @Test func `a full app is read, planned and written within seconds`() throws {
        let workers = try SyncWorkers()
        let key = try filled(workers)
        let lease = try workers.lease(key)
        let clock = ContinuousClock()
        var desire: SyncDesire?
        var observed: ObservedState?
        let first = try clock.measure {
            (desire, observed) = try workers.work(lease) { transaction, number in
                (
                    try transaction.syncDesire(at: key, changeNumber: number),
                    try transaction.observedState(at: key)
                )
            }
        }
        let wanted = try #require(desire)
        #expect(wanted.state.texts.count == 2_000 && wanted.state.images.count == 2_000)
        #expect(wanted.state.defaults.count == 500 && wanted.contents.count == 4_000)
        let observations: [Observation] =
            wanted.state.images.map {
                .object(
                    AppleObject(
                        kind: .image, id: $0, isOurs: true, presence: .listed, state: .approved))
            }
            + wanted.state.texts.map {
                .object(
                    AppleObject(
                        kind: .message, id: $0.appleId, isOurs: true, presence: .listed,
                        state: .approved, images: $0.images))
            }
        let former = try #require(observed)
        let written = try clock.measure {
            try workers.work(lease) { transaction, _ in
                try transaction.record(
                    observations, at: key, contents: wanted.contents, former: former)
                try transaction.change(
                    wanted.state.texts.map { .serve($0.place, $0.appleId) }, at: key)
            }
        }
        let again = try clock.measure {
            try workers.work(lease) { transaction, number in
                let desire = try transaction.syncDesire(at: key, changeNumber: number)
                let state = try transaction.observedState(at: key)
                #expect(state.objects.count == 4_000 && desire.state.served.count == 2_000)
                #expect(desire.state.texts == wanted.state.texts)
            }
        }
        #expect(try workers.agencies.snapshot(workers.agencies.first, key).messages.count == 500)
        #expect(first < .seconds(20))
        #expect(written < .seconds(20))
        #expect(again < .seconds(20))
    }
}
