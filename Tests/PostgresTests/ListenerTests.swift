import Glibc
import Operator
import Postgres
import TestSupport
import Testing

/// Notifications on a connection of their own, and what happens to it when the server goes.
@Suite(.database) struct ListenerTests {
    private static let patience: Duration = .seconds(60)

    private func settings(_ url: String) -> PoolSettings {
        var settings = PoolSettings(url: url, maximumConnections: 1)
        settings.connectTimeout = .seconds(10)
        settings.queryTimeout = .milliseconds(500)
        return settings
    }

    private func listener(
        _ channels: [String] = ["news"], silence: Duration = Listener.silenceLimit
    ) throws -> Listener {
        try Listener(
            settings(Database.current().url(role: "holdfast_responder")), channels: channels,
            silenceLimit: silence)
    }

    private func say(_ script: String) throws {
        try Database.current().superuser.withConnection { try $0.execute(script: script) }
    }

    @Test func whatIsSaidWakesTheListenerOnce() throws {
        let listener = try listener(["news", "more_news"])
        defer { listener.close() }
        let isSilent = try !listener.wait(within: .milliseconds(20))
        #expect(isSilent)
        try say("notify more_news; notify news; notify news, 'x'")
        let isHeard = try listener.wait(within: Self.patience)
        #expect(isHeard)
        try say("notify elsewhere")
        let isSilentAgain = try !listener.wait(within: .milliseconds(20))
        #expect(isSilentAgain)
    }

    @Test func aWaitEndsWhenSomethingIsSaid() throws {
        let database = try Database.current()
        let listener = try listener()
        defer { listener.close() }
        let speaker = ParallelWork {
            try database.superuser.withConnection { try $0.execute(script: "notify news") }
        }
        let begin = ContinuousClock.now
        let isHeard = try listener.wait(within: Self.patience)
        #expect(isHeard)
        #expect(ContinuousClock.now - begin < Self.patience)
        try speaker.value()
    }

    @Test func whatWasRolledBackIsNotSaid() throws {
        let listener = try listener()
        defer { listener.close() }
        try say("begin; notify news; rollback")
        let isSilent = try !listener.wait(within: .milliseconds(20))
        #expect(isSilent)
    }

    @Test(arguments: ["", "News", "a-b", "a\"b", "a;b", "a\u{0}"])
    func aNameThatIsNotPlainIsRefused(name: String) throws {
        let error = #expect(throws: PostgresError.self) { _ = try listener([name]) }
        #expect(error?.code == .encoding)
    }

    /// PG-06: the server ends the session; whoever waits hears of it at once.
    @Test func aTerminatedSessionIsAnError() throws {
        let listener = try listener()
        let pid = listener.backendPID
        try say("select pg_terminate_backend(\(pid))")
        let error = #expect(throws: PostgresError.self) {
            _ = try listener.wait(within: Self.patience)
        }
        #expect(error?.code == .connectionLost)
        let later = #expect(throws: PostgresError.self) {
            _ = try listener.wait(within: Self.patience)
        }
        #expect(later?.code == .connectionLost)
    }

    /// A server that is there and says nothing at all: only a question tells it from a quiet one.
    @Test func aDeadSilenceIsNoticed() throws {
        let server = try makeOwnServer()
        defer { server.remove() }
        let listener = try Listener(
            settings(server.url()), channels: ["news"], silenceLimit: .milliseconds(50))
        let isSilent = try !listener.wait(within: .milliseconds(200))
        #expect(isSilent)
        let pid = listener.backendPID
        kill(pid, SIGSTOP)
        defer { kill(pid, SIGCONT) }
        let error = #expect(throws: PostgresError.self) {
            _ = try listener.wait(within: Self.patience)
        }
        #expect(error?.code == .deadlineExceeded)
    }

    /// PG-06: a restart ends every session; a new listener hears what is said then.
    @Test func afterARestartANewListenerHears() throws {
        let server = try makeOwnServer()
        defer { server.remove() }
        let old = try Listener(settings(server.url()), channels: ["news"])
        server.stop()
        #expect(throws: PostgresError.self) { _ = try old.wait(within: Self.patience) }
        #expect(throws: PostgresError.self) {
            _ = try Listener(settings(server.url()), channels: ["news"])
        }
        try server.start()
        let new = try Listener(settings(server.url()), channels: ["news"])
        defer { new.close() }
        let pool = try Pool(settings(server.url()))
        defer { pool.close() }
        try pool.withConnection { try $0.execute(script: "notify news") }
        let isHeard = try new.wait(within: Self.patience)
        #expect(isHeard)
    }
}
