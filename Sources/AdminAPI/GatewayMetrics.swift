internal import HTTPServer
package import Service

/// Everything the gateway counts; `docs/operating.md` says what each means.
package struct GatewayMetrics: Sendable {
    package let answered: Counter
    package let seconds: Histogram
    package let replayed: Counter
    package let httpRefused: Counter
    package let jobsFinished: Counter

    package init(_ metrics: Metrics) {
        answered = metrics.counter(
            "holdfast_api_answers", "Answers of the admin API, by operation and status.",
            labels: ["operation", "status"])
        seconds = metrics.histogram(
            "holdfast_api_answer_seconds", "From the whole request to the whole answer.")
        replayed = metrics.counter(
            "holdfast_api_replays", "Answers repeated for an Idempotency-Key.")
        httpRefused = metrics.counter(
            "holdfast_http_refused", "Requests that were no proper HTTP, by reason.",
            labels: ["reason"])
        jobsFinished = metrics.counter(
            "holdfast_jobs_finished", "Jobs ended, by kind and state.", labels: ["kind", "state"])
    }

    func count(refusal: Refusal) {
        httpRefused.add(1, refusal.rawValue)
    }
}
