// One HTTP/1.1 request, one answer, over libcurl: bounded in time and size, no redirects.
//
//   send ──► free handle of the pool ──► kept connection, or a new one ──► answer ──► handle back
//            (waits its turn)            (name, TCP, TLS: connectTimeout)   (whole, or an error
//            └──────────────────────── totalTimeout or the request's deadline ────┘  with a name)
//
// The client judges nothing: a status of 500 is an answer, and so is a complete answer that came
// late. A request that changes something is never sent twice: libcurl would repeat it by itself
// when a kept connection turns out to be dead, and that is refused here for every method but the
// idempotent ones.
