// OpenMetrics text, and that no label can grow without bound.

import Dispatch
import Service
import Testing

@Suite struct `Metrics as text` {
    func text(_ metrics: Metrics) -> String {
        String(decoding: metrics.openMetrics(), as: UTF8.self)
    }

    @Test func `show each kind as OpenMetrics wants it`() {
        let metrics = Metrics()
        let answers = metrics.counter("answers", "Answers\ngiven.", labels: ["kind"])
        answers.add(2, "message")
        answers.series(["a\"b\\c\nd"]).add()
        metrics.counter("starts_total", "Starts.").add()
        metrics.gauge("depth", "Depth.").set(-1.5)
        metrics.gauge("asked", "Asked.") { 3 }
        let took = metrics.histogram("took_seconds", "Took.", buckets: [0.1, 1])
        for seconds in [0.05, 0.1, 0.5, 7, -3, .nan] { took.observe(seconds: seconds) }
        took.observe(.milliseconds(500))
        #expect(
            text(metrics) == """
                # TYPE answers counter
                # HELP answers Answers\\ngiven.
                answers_total{kind="a\\"b\\\\c\\nd"} 1
                answers_total{kind="message"} 2
                # TYPE asked gauge
                # HELP asked Asked.
                asked 3.0
                # TYPE depth gauge
                # HELP depth Depth.
                depth -1.5
                # TYPE starts counter
                # HELP starts Starts.
                starts_total 1
                # TYPE took_seconds histogram
                # UNIT took_seconds seconds
                # HELP took_seconds Took.
                took_seconds_bucket{le="0.1"} 4
                took_seconds_bucket{le="1.0"} 6
                took_seconds_bucket{le="+Inf"} 7
                took_seconds_sum 8.15
                took_seconds_count 7
                # EOF

                """)
    }

    @Test func `are empty but well formed at first, and show a zero for what has not happened`() {
        let metrics = Metrics()
        #expect(text(metrics) == "# EOF\n")
        _ = metrics.counter("faults", "Faults.")
        #expect(text(metrics).contains("faults_total 0\n"))
    }

    @Test func `put label values past the limit together`() {
        let metrics = Metrics()
        let counter = metrics.counter("requests", "Requests.", labels: ["path", "kind"])
        for number in 0..<5_000 { counter.add(1, "path\(number)", "x") }
        let lines = text(metrics).split(separator: "\n")
        #expect(lines.count < 300)
        #expect(counter.value("other", "other") > 4_000)
        counter.add(1, String(repeating: "é", count: 100_000))
        #expect(text(metrics).utf8.count < 50_000)
    }

    @Test func `count every thread's work, whoever asks for the metric`() {
        let metrics = Metrics()
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            let counter = metrics.counter("work", "Work.", labels: ["thread"])
            let sum = metrics.gauge("sum", "Sum.")
            for _ in 0..<1_000 {
                counter.add(1, "\(thread % 2)")
                sum.add(1)
            }
        }
        let counter = metrics.counter("work", "Work.", labels: ["thread"])
        #expect(counter.value("0") == 4_000)
        #expect(counter.value("1") == 4_000)
        #expect(text(metrics).contains("sum 8000.0\n"))
    }
}
