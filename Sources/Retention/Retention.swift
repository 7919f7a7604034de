// The domain: the nouns and rules of retention, as plain values and pure functions.
//
//     tenant ─ client ─ app ─┬─ product ─ billing plan        rule set ─ rule ─ treatment
//                            ├─ offer                                  │
//                            ├─ message ─ localization ─ placement     ▼
//                            └─ endpoint          snapshot ── decide(request) ──> decision
//
// Nothing here knows a database, a wire, a library or a clock: time, a locale chain and whether an
// offer can be signed are handed in. So each rule can be read, and tested, on its own.
