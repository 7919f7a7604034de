import AdminAPI
import Dispatch
import Postgres
import Retention
import Service
import Synchronization
import TestSupport
import Testing

@Suite(.database) struct PageTests {
    private static let rows = 10_000

    /// All rows have one timestamp, and others are written meanwhile.
    @Test func tenThousandRowsOfOneInstantAreWalkedOnceEach() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        try stage.database.superuser.withConnection { connection in
            _ = try connection.query(
                """
                insert into holdfast.client (tenant_id, client_id, name, created_at)
                select \(agency.tenant.uuid), gen_random_uuid(), 'client ' || number,
                  '2026-11-30'::timestamptz
                from generate_series(1, \(Int32(Self.rows))) as number
                """)
        }
        let isWalking = Atomic<Bool>(true)
        let writer = ParallelWork {
            var written = 0
            while isWalking.load(ordering: .relaxed) {
                _ = try agency.post("/v1/clients", ["name": .string("late \(written)")])
                written += 1
            }
            return written
        }
        let walked = try agency.all("/v1/clients").compactMap { $0["name"]?.text }
        isWalking.store(false, ordering: .relaxed)
        #expect(try writer.value() > 0)
        #expect(Set(walked).count == walked.count)
        #expect(walked.filter { $0.hasPrefix("client ") }.count == Self.rows)
        try Promise.kept("pages", "\(Self.rows) rows, others written meanwhile")
    }

    @Test func aPageHasAsManyRowsAsAskedFor() throws {
        let agency = try GatewayStage().makeAgency()
        for number in 1...5 {
            agency.stage.clock.advance(milliseconds: 1)
            _ = try agency.post("/v1/clients", ["name": .string("\(number)")])
        }
        for (limit, pages) in [(1, 5), (2, 3), (5, 1), (6, 1)] {
            var next: String?
            var names: [String] = []
            var count = 0
            repeat {
                let cursor = next.map { "&cursor=\($0)" } ?? ""
                let answer = try agency.get("/v1/clients?limit=\(limit)\(cursor)")
                let data = answer.json["data"]?.elements ?? []
                #expect(data.count <= limit)
                names += data.compactMap { $0["name"]?.text }
                next = answer.json["nextCursor"]?.text
                #expect((answer.header("Link") != nil) == (next != nil))
                count += 1
            } while next != nil
            #expect(count == pages)
            #expect(names == ["1", "2", "3", "4", "5"])
        }
    }

    @Test func aCursorOfAnotherListOrAChangedOneIsRefused() throws {
        let agency = try GatewayStage().makeAgency()
        for number in 1...3 {
            _ = try agency.post("/v1/clients", ["name": .string("\(number)")])
        }
        let answer = try agency.get("/v1/clients?limit=1")
        let cursor = try #require(answer.json["nextCursor"]?.text)
        #expect(try agency.get("/v1/apps?cursor=\(cursor)").code == "invalidCursor")
        let other = try agency.stage.makeAgency()
        #expect(try other.get("/v1/clients?cursor=\(cursor)").code == "invalidCursor")
        #expect(try agency.get("/v1/clients?limit=2&cursor=\(cursor)").status == 200)
        for changed in [cursor + "A", String(cursor.dropLast()), String(cursor.dropFirst())] {
            let answer = try agency.get("/v1/clients?cursor=\(changed)")
            #expect(answer.code == "invalidCursor")
        }
    }
}
