/// PostgreSQL through libpq, made so that three mistakes cannot happen: a value can only be bound
/// (never pasted into SQL), a wait cannot outlast its deadline, and a connection in an unknown
/// state cannot reach the next borrower.
///
/// ```
///              borrow                     query, query …
///   Pool ───────────────────▶ Connection ───────────────▶ Rows ─▶ Row.decode(UUID.self, "id")
///    ▲  idle, clean, in time      │
///    └────────────────────────────┤
///                                 └──▶ closed: broken, late, inside a transaction, or holding a
///                                      setting that may only be local. A later borrow reconnects.
/// ```
///
/// libpq runs in non-blocking mode and every wait is a `poll(2)` with a monotonic deadline of the
/// client's own. On expiry the connection is closed. `PQcancel` is never called: it blocks, and a
/// stopped server never answers it; the server's `statement_timeout` ends the statement over there.
///
/// `Connection.pipeline` sends several statements in one round trip, and `Listener` hears `NOTIFY`.
/// The library does not COPY.
