import Foundation
import Migrations
import Postgres
import TestSupport
import Testing

/// What was placed by hand is what the sync begins with, and nothing that is answered changes.
struct SyncMigrationTests {
    private static let migrationsBefore = 7

    /// Messages 1 to 6 of one app: without a picture; with one; with one and a bullet's; with one
    /// that is not approved; with one that is not placed; approved itself by nobody. Message 7 is
    /// not placed anywhere. All in both environments, the picture of 4 approved in the sandbox. At
    /// Apple pictures are e0… and f0…, messages e1… and f1….
    private static let rows = """
        insert into holdfast.tenant (tenant_id, name, created_at)
          values ('00000000-0000-0000-0000-00000000000a', 't', now());
        insert into holdfast.client (tenant_id, client_id, name, created_at)
          select tenant_id, 'c0000000-0000-0000-0000-000000000000', 'c', now()
          from holdfast.tenant;
        insert into holdfast.app (tenant_id, app_id, client_id, name, bundle_id, app_apple_id,
            default_locale, apple_id_salt, created_at)
          select tenant_id, 'a0000000-0000-0000-0000-000000000000', client_id, 'a', 'b', 1,
            'en-US', sha256('s'), now() from holdfast.client;
        insert into holdfast.app_environment (tenant_id, app_id, environment)
          select tenant_id, app_id, e from holdfast.app,
            unnest(array['Production', 'Sandbox']) e;
        insert into holdfast.image_file (tenant_id, sha256, png, created_at)
          select tenant_id, sha256(p::bytea), p::bytea, now()
          from holdfast.tenant, unnest(array['1', '2', '3', '4']) p;
        insert into holdfast.image (tenant_id, app_id, image_id, image_size, sha256, width,
            height, byte_count, created_at)
          select tenant_id, app_id, ('10000000-0000-0000-0000-00000000000' || n)::uuid,
            case n when 2 then 'BULLET_POINT' else 'FULL_SIZE' end, sha256(n::text::bytea), 1, 1,
            1, now() from holdfast.app, generate_series(1, 4) n;
        insert into holdfast.message (tenant_id, app_id, message_id, name, kind, created_at)
          select tenant_id, app_id, ('20000000-0000-0000-0000-00000000000' || n)::uuid, 'm' || n,
            'text', '2025-01-01' from holdfast.app, generate_series(1, 7) n;
        insert into holdfast.localization (tenant_id, app_id, message_id, locale, header, body,
            image_id, alt_text)
          select m.tenant_id, m.app_id, m.message_id, 'en-US', 'h', 'b', i.image_id,
            case when i.image_id is not null then 'alt' end
          from holdfast.message m
          left join (values ('m2', '1'), ('m3', '1'), ('m4', '3'), ('m5', '4'), ('m6', '1'))
            as s (name, image) on s.name = m.name
          left join holdfast.image i
            on i.image_id = ('10000000-0000-0000-0000-00000000000' || s.image)::uuid;
        insert into holdfast.bullet (tenant_id, app_id, message_id, locale, ordinal, text,
            image_id, alt_text)
          select tenant_id, app_id, message_id, 'en-US', ordinal, 't',
            '10000000-0000-0000-0000-000000000002', 'alt'
          from holdfast.message, generate_series(0, 1) ordinal where name = 'm3';
        insert into holdfast.apple_object (tenant_id, app_id, environment, apple_id, kind, state,
            state_at)
          select tenant_id, app_id, environment, (translate(left(environment, 1), 'PS', 'ef')
              || right(image_id::text, 35))::uuid, 'image',
            case when image_id::text like '%3' and environment = 'Production' then 'PENDING'
              else 'APPROVED' end, now()
          from holdfast.app_environment join holdfast.image using (tenant_id, app_id)
          where image_id::text not like '%4';
        insert into holdfast.image_placement (tenant_id, app_id, environment, image_id, apple_id)
          select tenant_id, app_id, environment, ('1' || right(apple_id::text, 35))::uuid, apple_id
          from holdfast.apple_object;
        insert into holdfast.apple_object (tenant_id, app_id, environment, apple_id, kind, state,
            state_at)
          select tenant_id, app_id, environment, (translate(left(environment, 1), 'PS', 'ef') || '1'
              || right(message_id::text, 34))::uuid, 'message',
            case name when 'm6' then 'REJECTED' else 'APPROVED' end, now()
          from holdfast.app_environment join holdfast.message using (tenant_id, app_id)
          where name <> 'm7';
        insert into holdfast.message_placement (tenant_id, app_id, environment, message_id,
            locale, apple_id)
          select tenant_id, app_id, environment, ('20' || right(apple_id::text, 34))::uuid,
            'en-US', apple_id
          from holdfast.apple_object where kind = 'message';
        """

    private func text(_ database: Database, _ query: Query) throws -> String {
        try database.superuser.withConnection { connection in
            try #require(try connection.query(query).first).decode(at: 0)
        }
    }

    private static let approved: Query = """
        select string_agg(environment || ' ' || right(message_id::text, 1) || ' ' || locale || ' '
          || apple_id, e'\\n' order by environment, message_id, locale)
        from holdfast.approved_placement
        """

    @Test func `what was placed is taken over, and what is served stays the same`() throws {
        let database = try Database.makeEmpty()
        defer { try? database.drop() }
        try database.migrator.withConnection { connection in
            let before = Migrator(
                migrations: Array(Schema.migrations.prefix(Self.migrationsBefore)))
            try before.migrate(connection)
        }
        try database.superuser.withConnection { try $0.execute(script: Self.rows) }
        let before = try text(database, Self.approved)
        #expect(before.split(separator: "\n").count == 7)
        try Schema.migrate(
            url: database.url(role: "holdfast_migrator"),
            nowMilliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
        #expect(try text(database, Self.approved) == before)
        let images = try text(
            database,
            """
            select string_agg(concat_ws(' ', left(environment, 1), right(apple_id::text, 1),
                (select string_agg(left(i::text, 1) || right(i::text, 1), ',' order by i)
                  from unnest(images) i)), e'\\n' order by environment, apple_id)
            from holdfast.apple_object where kind = 'message'
            """)
        #expect(
            images == """
                P 1
                P 2 e1
                P 3 e1,e2
                P 4 e3
                P 5 14
                P 6 e1
                S 1
                S 2 f1
                S 3 f1,f2
                S 4 f3
                S 5 14
                S 6 f1
                """)
        let targets = try text(
            database,
            """
            select string_agg(concat_ws(' ', left(environment, 1), right(message_id::text, 1)),
              e'\\n' order by environment, message_id) from holdfast.message_target
            """)
        #expect(
            targets.split(separator: "\n").map(String.init)
                == (1...6).map { "P \($0)" } + (1...7).map { "S \($0)" })
        let others = try text(
            database,
            """
            select concat_ws(' ', (select count(*) from holdfast.sync_state),
              (select count(*) from holdfast.apple_object where is_ours and presence = 'listed'
                and generation = 0 and superseded_at is null),
              (select count(*) from holdfast.apple_object))
            """)
        #expect(others == "2 18 18")
    }
}
