// HTTP/1.1 over libmicrohttpd, with the strictness the library lacks.
//
// The library parses; this module judges. It is the only one that sees the library, so that another
// can take its place: everyone else knows `Request`, `Response`, `Router` and `Server`.
//
//   accept ──► waiting ──────► receiving ──────► answering ──────► sending ──► waiting … or closed
//              no request      target seen,      handler runs on   bytes go
//              yet             fields judged,    the connection's  out
//                              body collected    own thread
//   deadline:  first request:  request           none: a handler   request     idle
//              request         deadline, from    bounds its own    deadline    timeout
//              deadline;       the target        waits
//              later: idle
//
// A deadline is absolute: a byte now and then does not move it. One `Reaper` thread looks at all of
// them and shuts down the sockets that are late; the library then sees the end of the connection
// and cleans up. Whatever is ambiguous about a request's framing is refused before its body is read
// and the connection is closed, because nobody can say where the next request would begin.
