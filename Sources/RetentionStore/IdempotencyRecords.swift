// Table: idempotency_record. A record is written first and filled last in the transaction that has
// the effect: the unique key makes a racing copy wait for the outcome, and a crash takes both.
internal import FoundationEssentials
internal import Postgres
package import Retention

/// What was answered to the first request with a key.
package struct RecordedAnswer: Sendable {
    package let status: Int16
    /// A JSON object of name -> value.
    package let headers: [UInt8]
    package let body: [UInt8]

    package init(status: Int16, headers: [UInt8], body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

package enum IdempotencyClaim: Sendable {
    /// Nobody had the key: do the work, then `recordAnswer`.
    case first
    case replay(RecordedAnswer)
    /// The key belongs to another request.
    case otherRequest
}

extension TenantTransaction {
    /// Takes an idempotency key of this transaction's API key.
    ///
    /// While another transaction holds it, this one waits for at most the role's `lock_timeout`,
    /// then throws `PostgresError` with `sqlState` 55P03.
    /// - Parameter fingerprint: SHA-256 over all that makes the request what it is.
    package func claimIdempotencyKey(
        _ key: String, of apiKey: APIKeyID, fingerprint: [UInt8]
    ) throws -> IdempotencyClaim {
        let inserted = try connection.query(
            """
            insert into holdfast.idempotency_record (tenant_id, api_key_id, idempotency_key,
              fingerprint, created_at)
            values (\(tenant.uuid), \(apiKey.uuid), \(key), \(fingerprint), \(timestamp))
            on conflict (tenant_id, api_key_id, idempotency_key) do nothing
            """)
        if inserted.affected == 1 { return .first }
        let rows = try connection.query(
            """
            select fingerprint, status, headers, body from holdfast.idempotency_record
            where tenant_id = \(tenant.uuid) and api_key_id = \(apiKey.uuid)
              and idempotency_key = \(key)
            """)
        guard let row = rows.first, try row.decode([UInt8].self, "fingerprint") == fingerprint,
            let status: Int16 = try row.decode(Int16?.self, "status")
        else { return .otherRequest }
        let headers: JSON = try row.decode("headers")
        return .replay(
            RecordedAnswer(
                status: status, headers: headers.bytes, body: try row.decode("body")))
    }

    package func recordAnswer(
        _ answer: RecordedAnswer, idempotencyKey key: String, of apiKey: APIKeyID
    ) throws {
        _ = try connection.query(
            """
            update holdfast.idempotency_record
            set status = \(answer.status), headers = \(JSON(answer.headers)),
              body = \(answer.body)
            where tenant_id = \(tenant.uuid) and api_key_id = \(apiKey.uuid)
              and idempotency_key = \(key)
            """)
    }
}

extension RetentionStore {
    /// Forgets records older than `before`, of all tenants.
    ///
    /// - Returns: how many.
    package func purgeIdempotencyRecords(
        _ platform: PlatformScope, before: Instant
    ) throws -> Int64 {
        try pool.withConnection { connection in
            let rows = try connection.query(
                """
                select holdfast_ops.purge_idempotency_records(
                  \(Timestamp(milliseconds: before.milliseconds))) as purged
                """)
            return try rows.first?.decode("purged") ?? 0
        }
    }
}
