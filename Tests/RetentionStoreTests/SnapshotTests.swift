import Foundation
import Operator
import Postgres
import Retention
import RetentionStore
import Signing
import TestSupport
import Testing

/// One snapshot for each changing transaction, of what may be said and nothing else.
@Suite(.database) struct SnapshotTests {
    private func object(_ agencies: Agencies, _ kind: String) throws -> UUID {
        let (tenant, key) = (agencies.first.scope.tenant.uuid, agencies.first.keys[0])
        return try agencies.value(
            """
            select apple_id from holdfast.apple_object
            where tenant_id = \(tenant) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue) and kind = \(kind)
            order by apple_id limit 1
            """)
    }

    @Test func `a transaction makes one for each place it touched, however often`() throws {
        let agencies = try Agencies()
        let key = agencies.first.keys[0]
        let sandbox = AppEnvironment(app: key.app, environment: .sandbox)
        #expect(try agencies.head(agencies.first, key).number == 1)
        try agencies.change(agencies.first) { transaction in
            for name in ["a", "b", "c"] {
                try transaction.createProduct(
                    Product(
                        productId: name, subscriptionGroup: "g", period: "P1M", billingPlans: []),
                    of: key.app)
            }
        }
        #expect(try agencies.head(agencies.first, key).number == 2)
        #expect(try agencies.head(agencies.first, sandbox).number == 2)
        let object = try object(agencies, "message")
        // Approved once more, it would say the same: no new one.
        for state in ["APPROVED", "REJECTED"] {
            try agencies.change(agencies.first) {
                try $0.setReviewState(
                    ReviewState(rawValue: state), ofAppleObject: object, at: key)
            }
        }
        #expect(try agencies.head(agencies.first, key).number == 3)
        #expect(try agencies.head(agencies.first, sandbox).number == 2)
        #expect(try agencies.head(agencies.second, agencies.second.keys[0]).number == 1)
    }

    @Test func `a transaction that fails leaves none`() throws {
        let agencies = try Agencies()
        let key = agencies.first.keys[0]
        #expect(throws: Stopped.self) {
            try agencies.change(agencies.first) { transaction in
                try transaction.createProduct(
                    Product(
                        productId: "x", subscriptionGroup: "g", period: "P1M", billingPlans: []),
                    of: key.app)
                throw Stopped()
            }
        }
        #expect(try agencies.head(agencies.first, key).number == 1)
    }

    @Test func `changes at the same time are serialised and the last holds all`() throws {
        let agencies = try Agencies()
        let key = agencies.first.keys[0]
        let workers = (0..<6).map { worker in
            ParallelWork {
                try agencies.change(agencies.first) { transaction in
                    try transaction.createProduct(
                        Product(
                            productId: "p\(worker)", subscriptionGroup: "g", period: "P1M",
                            billingPlans: []), of: key.app)
                }
            }
        }
        for worker in workers { try worker.value() }
        let snapshot = try agencies.snapshot(agencies.first, key)
        #expect(snapshot.number == 7)
        #expect(Set(snapshot.products.map(\.productId)).isSuperset(of: (0..<6).map { "p\($0)" }))
    }

    @Test(arguments: ["PENDING", "REJECTED", "ARCHIVED", "approved"])
    func `a text that Apple has not approved is not in it`(state: String) throws {
        let agencies = try Agencies()
        let key = agencies.first.keys[0]
        let object = try object(agencies, "message")
        func isServed() throws -> Bool {
            try agencies.snapshot(agencies.first, key).messages
                .contains { $0.placements.values.contains(object) }
        }
        #expect(try isServed())
        try agencies.change(agencies.first) {
            try $0.setReviewState(ReviewState(rawValue: state), ofAppleObject: object, at: key)
        }
        #expect(try !isServed())
    }

    @Test func `a text is not in it while any image it shows is not approved`() throws {
        let agencies = try Agencies()
        let key = agencies.first.keys[0]
        let (tenant, app) = (agencies.first.scope.tenant.uuid, key.app.uuid)
        for size in ["FULL_SIZE", "BULLET_POINT"] {
            let object: UUID = try agencies.value(
                """
                select p.apple_id from holdfast.image_placement p
                join holdfast.image i using (tenant_id, image_id)
                where p.tenant_id = \(tenant) and p.app_id = \(app)
                  and p.environment = \(key.environment.rawValue) and i.image_size = \(size)
                """)
            func textsWithImages() throws -> Int {
                let name = "What is new"
                let id: UUID = try agencies.value(
                    """
                    select message_id from holdfast.message
                    where tenant_id = \(tenant) and app_id = \(app) and name = \(name)
                    """)
                let messages = try agencies.snapshot(agencies.first, key).messages
                return messages.first { $0.id.uuid == id }?.placements.count ?? 0
            }
            #expect(try textsWithImages() == 4)
            for state in [ReviewState.pending, .approved] {
                try agencies.change(agencies.first) {
                    try $0.setReviewState(state, ofAppleObject: object, at: key)
                }
                #expect(try textsWithImages() == (state == .approved ? 4 : 0), "\(size)")
            }
        }
    }

    @Test func `equal texts are one object at Apple, another app's are others`() throws {
        let agencies = try Agencies()
        let key = agencies.first.keys[0]
        let snapshot = try agencies.snapshot(agencies.first, key)
        let placed = snapshot.messages.flatMap { $0.placements.map { ($0.key, $0.value) } }
        let english = placed.filter { ["en-US", "en-GB", "en-AU", "en-CA"].contains($0.0) }
        let thanks = Dictionary(grouping: english, by: \.1).values.max { $0.count < $1.count }
        #expect(thanks?.count == 4)
        let other = try agencies.snapshot(agencies.second, agencies.second.keys[0])
        let ours = Set(placed.map(\.1))
        let theirs = Set(other.messages.flatMap(\.placements.values))
        #expect(ours.isDisjoint(with: theirs) && !theirs.isEmpty)
    }

    @Test func `a stored one is believed only whole and in its place`() throws {
        let agencies = try Agencies()
        let head = try agencies.head(agencies.first, agencies.first.keys[0])
        let (tenant, app) = (head.tenant.uuid, head.key.app.uuid)
        let body: [UInt8] = try agencies.value(
            """
            select body from holdfast.snapshot where tenant_id = \(tenant) and app_id = \(app)
              and environment = \(head.key.environment.rawValue) and number = 1
            """)
        let digest = SHA256.digest(body)
        #expect(try RetentionStore.check(body: body, sha256: digest, against: head).number == 1)
        var corrupt = body
        corrupt[10] ^= 1
        let later = SnapshotHead(tenant: head.tenant, key: head.key, number: 2)
        let foreign = SnapshotHead(
            tenant: agencies.second.scope.tenant, key: head.key, number: 1)
        let cases: [([UInt8], [UInt8], SnapshotHead, SnapshotError.Code)] = [
            (corrupt, digest, head, .checksumMismatch),
            (Array("{}".utf8), SHA256.digest(Array("{}".utf8)), head, .undecodable),
            (body, digest, later, .otherIdentity), (body, digest, foreign, .otherIdentity),
        ]
        for (body, digest, head, code) in cases {
            let error = #expect(throws: SnapshotError.self) {
                _ = try RetentionStore.check(body: body, sha256: digest, against: head)
            }
            #expect(error?.code == code)
        }
    }

    /// The writer held the public key only; what is stored opens with the private one, in its row.
    @Test func `a signing key is sealed to its row`() throws {
        let agencies = try Agencies()
        let snapshot = try agencies.snapshot(agencies.first, agencies.first.keys[0])
        let other = try agencies.snapshot(agencies.first, agencies.first.keys[2])
        let sealed = try #require(snapshot.signingKey)
        #expect(!String(decoding: sealed.sealed, as: UTF8.self).contains("PRIVATE"))
        func open(_ snapshot: Snapshot, as place: Snapshot) throws -> [UInt8] {
            let key = try #require(snapshot.signingKey)
            let context = SealedSigningKey.sealContext(
                tenant: place.tenant, app: place.app, credential: key.credential,
                keyId: key.keyId)
            return try Sealing.open(
                Array(key.sealed), with: agencies.platformKey, context: context)
        }
        let pem = try open(snapshot, as: snapshot)
        let opened = try PrivateKey(pem: pem)
        let stored: [UInt8] = try agencies.value(
            """
            select public_key from holdfast.credential
            where tenant_id = \(snapshot.tenant.uuid) and app_id = \(snapshot.app.uuid)
            """)
        #expect(opened.publicKey.der() == stored)
        #expect(throws: SigningError.self) { _ = try open(snapshot, as: other) }
    }
}

private struct Stopped: Error {}
