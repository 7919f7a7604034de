import Foundation
import Operator
import Postgres
import Synchronization
import TestSupport
import Testing

/// PostgreSQL is lost in every way there is while requests come, and the responder is killed and
/// started anew meanwhile.
@Suite(.serialized) struct NemesisTests {
    private static let perSecond = 100
    /// Promised, from the start until it is ready.
    private static let startLimit: Duration = .seconds(10)

    /// - Parameter fault: begins it, and gives what ends it.
    private func play(
        _ name: String, on nemesis: Nemesis, fault: (Nemesis) throws -> () throws -> Void
    ) throws {
        try nemesis.startResponder()
        try nemesis.awaitFiles()
        let load = OpenLoad(on: nemesis, perSecond: Self.perSecond)
        load.begin()
        try load.run(Self.perSecond)
        let mend = try fault(nemesis)
        try load.run(2 * Self.perSecond)
        let before = try load.end()
        nemesis.killResponder()
        let took = try nemesis.startResponder()
        #expect(nemesis.log.contains("serving_from_disk"), "\(name): \(nemesis.log)")
        let readiness = try nemesis.readiness()
        #expect(readiness.status == 200 && readiness.text.contains("the disk serves"))
        #expect(took < Self.startLimit)
        let further = OpenLoad(on: nemesis, perSecond: Self.perSecond)
        further.begin()
        try further.run(2 * Self.perSecond)
        try mend()
        try further.run(2 * Self.perSecond)
        let after = try further.end()
        #expect(
            becomesTrue { (try? nemesis.readiness().text.contains("\"warnings\":[\"a t")) == true })
        try nemesis.settle(before.merging(after) { $1 }, always: true)
        let sent = before.merging(after) { $1 }
        let slowest = sent.values.map(\.took).max() ?? .zero
        #expect(slowest < .seconds(5))
        try Self.tally.withLock { tally in
            tally.outages.append(name)
            tally.requests += sent.count
            tally.slowestStart = max(tally.slowestStart, took)
            try Promise.kept(
                "postgres-outage",
                "\(tally.outages.count) kinds of outage, \(tally.requests) requests, all answered")
            try Promise.kept(
                "cold-start",
                "\(tally.outages.count) starts, ready after "
                    + "\(Int(tally.slowestStart / .milliseconds(1))) ms at most")
        }
    }

    /// What the tests of this suite have counted together.
    private struct Tally {
        var outages: [String] = []
        var requests = 0
        var slowestStart: Duration = .zero
    }

    private static let tally = Mutex(Tally())

    /// The postmaster and all it started.
    private func all(of postgres: PrivatePostgres) throws -> [Int32] {
        let postmaster = try #require(postgres.pid)
        return [postmaster] + Descendants.pids(of: postmaster)
    }

    /// The other processes of a dead server may hold its memory for a moment.
    private func startAgain(_ postgres: PrivatePostgres) throws {
        try #require(becomesTrue { (try? postgres.start()) != nil })
    }

    @Test func `PostgreSQL killed and started again`() throws {
        try play("killed", on: Nemesis()) { nemesis in
            let postgres = nemesis.postgres
            for pid in try all(of: postgres) { kill(pid, SIGKILL) }
            try #require(becomesTrue { postgres.pid == nil })
            return { try startAgain(postgres) }
        }
    }

    @Test func `PostgreSQL stands still and goes on`() throws {
        try play("frozen", on: Nemesis()) { nemesis in
            let frozen = try all(of: nemesis.postgres)
            for pid in frozen { kill(pid, SIGSTOP) }
            return { for pid in frozen { kill(pid, SIGCONT) } }
        }
    }

    @Test func `the way to PostgreSQL swallows every byte`() throws {
        let link = try DatabaseLink()
        try play("cut off", on: Nemesis(through: link)) { _ in
            link.send(.stop)
            return { link.send(.resume) }
        }
    }

    @Test func `PostgreSQL starts and ends over and over`() throws {
        try play("restarts", on: Nemesis()) { nemesis in
            let postgres = nemesis.postgres
            for _ in 0..<3 {
                postgres.stop()
                try startAgain(postgres)
            }
            postgres.stop()
            return {
                for _ in 0..<2 {
                    try startAgain(postgres)
                    postgres.stop()
                }
                try startAgain(postgres)
            }
        }
    }

    /// As after a roll-back of one of two: the disk serves until somebody has migrated.
    @Test func `a database that comes back with another schema costs no answer`() throws {
        let link = try DatabaseLink()
        let nemesis = try Nemesis(through: link)
        try nemesis.startResponder()
        try nemesis.awaitFiles()
        nemesis.killResponder()
        let superuser = try Pool(PoolSettings(url: nemesis.postgres.url(database: "holdfast")))
        defer { superuser.close() }
        try superuser.withConnection {
            try $0.execute(
                script: """
                    create table public.newest as select * from public.holdfast_migration
                      where name = (select max(name) from public.holdfast_migration);
                    delete from public.holdfast_migration
                      where name in (select name from public.newest)
                    """)
        }
        link.send(.stop)
        try nemesis.startResponder()
        link.send(.resume)
        #expect(becomesTrue { nemesis.log.contains("database_refused") })
        let load = OpenLoad(on: nemesis, perSecond: Self.perSecond)
        load.begin()
        try load.run(Self.perSecond)
        try superuser.withConnection {
            try $0.execute(
                script: "insert into public.holdfast_migration select * from public.newest")
        }
        try nemesis.settle(try load.end(), always: true)
    }

    /// The responder itself is killed, under load and with the database there.
    @Test func `a responder killed ten times loses and doubles no decision that was answered`()
        throws
    {
        let kills = 10
        let nemesis = try Nemesis()
        try nemesis.startResponder()
        let load = OpenLoad(on: nemesis, perSecond: Self.perSecond)
        load.begin()
        for _ in 0..<kills {
            try load.run(Self.perSecond / 2)
            nemesis.killResponder()
            try nemesis.startResponder()
        }
        try load.run(Self.perSecond)
        let sent = try load.end()
        try nemesis.settle(sent, always: false)
        let answered = sent.values.count { $0.status == 200 }
        try Promise.kept(
            "nothing-lost", "\(answered) answers, \(kills) kills, each in PostgreSQL once")
    }
}
