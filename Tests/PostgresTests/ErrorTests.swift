import FoundationEssentials
import Postgres
import TestSupport
import Testing

@Suite(.database) struct ErrorTests {
    @Test func theNameOfAConstraintComesThrough() throws {
        try Database.current().superuser.withConnection { connection in
            try connection.execute(
                script: """
                    create table app (id int constraint app_id_key primary key,
                      name text not null constraint app_name_length check (length(name) < 9));
                    """)
            _ = try connection.query("insert into app values (1, 'a')")
            let double = #expect(throws: PostgresError.self) {
                _ = try connection.query("insert into app values (1, 'b')")
            }
            #expect(double?.code == .server)
            #expect(double?.sqlState == "23505")
            #expect(double?.constraint == "app_id_key")
            #expect(double?.table == "app")
            let long = #expect(throws: PostgresError.self) {
                _ = try connection.query("insert into app values (2, \("much too long"))")
            }
            #expect(long?.constraint == "app_name_length")
            let null = #expect(throws: PostgresError.self) {
                _ = try connection.query("insert into app values (2, \(nil as String?))")
            }
            #expect(null?.sqlState == "23502")
            #expect(null?.column == "name")
        }
    }

    @Test(
        arguments: [
            "select \("hunter2 \"quoted\" words")::uuid", "select \("hunter2")::int8",
            "select cast(\("hunter2") as json)", "select to_regclass(\("hunter2.\"")) ",
            "do $$ begin raise 'x' using detail = 'hunter2'; end $$",
            "select set_config(\("hunter2 words"), 'x', true)",
        ] as [Query])
    func aBoundValueIsNeverInTheMessage(query: Query) throws {
        try Database.current().superuser.withConnection { connection in
            let error = #expect(throws: PostgresError.self) { _ = try connection.query(query) }
            #expect(error?.code == .server)
            #expect(error.map { String(describing: $0).contains("hunter2") } == false)
        }
    }

    @Test(arguments: [
        "postgresql://user:hunter2@127.0.0.1:1/db", "postgresql://user:hunt/er2@127.0.0.1/db",
        "postgresql://user:x@hunter2@127.0.0.1:1/db", "postgresql://user:hunter2@[::1/db",
        "postgresql://user:hunter2@127.0.0.1:port/db",
        "postgresql:///db?host=/nowhere&passwd=hunter2",
        "postgresql://user:pa%zzhunter2@127.0.0.1/db", "host=127.0.0.1 password=hunter2", "",
        "postgresql:///db?host=/nowhere&password=hunter2", "postgres://:hunter2@:1:2/x",
    ])
    func aPasswordIsNeverInTheMessage(url: String) throws {
        var settings = PoolSettings(url: url)
        settings.connectTimeout = .seconds(10)
        let error = #expect(throws: PostgresError.self) {
            try Pool(settings).withConnection { _ in }
        }
        #expect(error?.code == .badURL || error?.code == .connectFailed)
        let text = error.map { String(describing: $0) } ?? "hunter2"
        #expect(!text.contains("hunter2"))
        #expect(!text.contains("hunt"))
    }

    @Test func anUnknownDatabaseOrRoleIsAConnectFailureWithTheServersWords() throws {
        let url = try Database.current().url(role: "holdfast_operator")
        let name = try Database.current().name
        let wrong = try Pool(PoolSettings(url: url.replacing(name, with: "nowhere")))
        let error = #expect(throws: PostgresError.self) { try wrong.withConnection { _ in } }
        #expect(error?.code == .connectFailed)
        #expect(error?.message.contains("nowhere") == true)
    }

    @Test func theServersStatementTimeoutIsADeadlineAndKeepsTheConnection() throws {
        try Database.current().superuser.withConnection { connection in
            try connection.execute(script: "set statement_timeout = '50ms'")
            let error = #expect(throws: PostgresError.self) {
                _ = try connection.query("select pg_sleep(60)")
            }
            #expect(error?.code == .deadlineExceeded)
            #expect(error?.sqlState == "57014")
            #expect(try connection.query("select 1").count == 1)
        }
    }

    @Test func copyIsRefusedAndClosesTheConnection() throws {
        let pool = try Database.current().superuser
        let error = #expect(throws: PostgresError.self) {
            try pool.withConnection { try $0.execute(script: "copy (select 1) to stdout") }
        }
        #expect(error?.message.contains("COPY") == true)
        #expect(try pool.withConnection { try $0.query("select 1").count } == 1)
    }
}
