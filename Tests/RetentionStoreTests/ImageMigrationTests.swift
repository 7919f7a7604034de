import Foundation
import Migrations
import Postgres
import TestSupport
import Testing

/// Images of a tenant become images of its apps, over rows that an earlier release left.
struct ImageMigrationTests {
    private static let migrationsBefore = 5

    /// Two apps show one picture, one of them also as a placed one; the second picture is shown by
    /// one app, and nobody uses the third.
    private static let rows = """
        insert into holdfast.tenant values ('00000000-0000-0000-0000-00000000000a', 't', now());
        insert into holdfast.client
          select tenant_id, 'c0000000-0000-0000-0000-000000000000', 'c', now()
          from holdfast.tenant;
        insert into holdfast.app
          select tenant_id, ('a0000000-0000-0000-0000-00000000000' || n)::uuid, client_id, 'a',
            'b' || n, n, 'en-US', sha256('s'), now()
          from holdfast.client, generate_series(1, 2) n;
        insert into holdfast.app_environment select tenant_id, app_id, 'Production', 0
          from holdfast.app;
        insert into holdfast.image
          select tenant_id, ('10000000-0000-0000-0000-00000000000' || n)::uuid,
            case n when 2 then 'BULLET_POINT' else 'FULL_SIZE' end, sha256(png), png, now()
          from holdfast.tenant, (values
            (1, '\\x89504e470d0a1a0a0000000d4948445200000f0000000438'::bytea),
            (2, '\\x89504e470d0a1a0a0000000d494844520000040000000400'::bytea),
            (3, '\\x00'::bytea)) as p (n, png);
        insert into holdfast.message
          select tenant_id, app_id, app_id, 'm', 'text', now() from holdfast.app;
        insert into holdfast.localization
          select tenant_id, app_id, message_id, 'en-US', 'h', 'b', null,
            '10000000-0000-0000-0000-000000000001', 'alt' from holdfast.message;
        insert into holdfast.bullet
          select tenant_id, app_id, message_id, 'en-US', 0, 't',
            '10000000-0000-0000-0000-000000000002', 'alt' from holdfast.message
          where app_id::text like '%2';
        insert into holdfast.apple_object
          select tenant_id, app_id, 'Production', app_id, 'image', 'APPROVED', now()
          from holdfast.app;
        insert into holdfast.image_placement
          select tenant_id, app_id, 'Production', '10000000-0000-0000-0000-000000000001', app_id
          from holdfast.app where app_id::text like '%2';
        """

    private static let report: Query = """
        select string_agg(concat_ws(' ', right(i.app_id::text, 1), image_size, width, height,
            byte_count, sha256(f.png) = i.sha256,
            exists (select from holdfast.localization l
              where l.app_id = i.app_id and l.image_id = i.image_id),
            exists (select from holdfast.bullet b
              where b.app_id = i.app_id and b.image_id = i.image_id),
            exists (select from holdfast.image_placement p
              where p.app_id = i.app_id and p.image_id = i.image_id),
            right(i.image_id::text, 3) = '001'), e'\\n' order by i.app_id, image_size desc)
        from holdfast.image i join holdfast.image_file f using (tenant_id, sha256)
        """

    @Test func `a picture that two apps use becomes one of each, its bytes kept once`() throws {
        let database = try Database.makeEmpty()
        defer { try? database.drop() }
        try database.migrator.withConnection { connection in
            let before = Migrator(
                migrations: Array(Schema.migrations.prefix(Self.migrationsBefore)))
            try before.migrate(connection)
        }
        try database.superuser.withConnection { try $0.execute(script: Self.rows) }
        try Schema.migrate(
            url: database.url(role: "holdfast_migrator"),
            nowMilliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
        let (images, files): (String, Int64) = try database.superuser.withConnection { connection in
            (
                try #require(try connection.query(Self.report).first).decode(at: 0),
                try #require(
                    try connection.query("select count(*) from holdfast.image_file").first
                ).decode(at: 0)
            )
        }
        #expect(
            images == """
                1 FULL_SIZE 3840 1080 24 t t f f t
                2 FULL_SIZE 3840 1080 24 t t f t f
                2 BULLET_POINT 1024 1024 24 t f t f f
                """)
        #expect(files == 2)
    }
}
