internal import FoundationEssentials
internal import HTTPClient
internal import Retention
internal import Service

/// The load that Apple's performance test makes, made by us: the same number of requests, so many
/// at a time, on the same way to the responder. Only Apple can sign a request, so each is one that
/// the responder knows its URL for and refuses for its signature: that measures name, TLS, proxy
/// and responder, and not the decision itself, which takes far less than a millisecond.
struct OwnLoad {
    /// A JWS whose header names an algorithm that is never taken: refused before any certificate
    /// is looked at, so that Apple's own requests meanwhile lose nothing.
    private static let body = Array(
        #"{"signedPayload":"eyJhbGciOiJub25lIn0.e30.AA"}"#.utf8)
    /// What the responder answers to it. A proxy without a responder, or another service, answers
    /// something else, and an unknown URL is 404.
    private static let expectedStatuses = [400, 401]

    /// What is slower has failed whatever Apple allows; it also bounds what one request may take.
    private static let thresholdMillisecondsMost = 2_500

    struct Report: Encodable {
        let requests: Int
        let concurrency: Int
        let thresholdMilliseconds: Int
        let p50Milliseconds: Int
        let p95Milliseconds: Int
        let p99Milliseconds: Int
        let inTime: Int
        let tooLate: Int
        /// Answers that are not the responder's.
        let unexpected: Int
        let unanswered: Int
        /// Left out when the load as a whole took too long.
        let notSent: Int
        let wouldPass: Bool
    }

    let url: String
    let config: PerformanceTestConfig
    let limits: PerformanceTestLimits
    let authoritiesFile: String?

    func run() -> Report {
        let requests = min(max(1, config.totalRequests), limits.ownRequestsMost)
        let concurrency = min(max(1, config.maxConcurrentRequests), limits.ownConcurrencyMost)
        let threshold = min(
            max(1, config.responseTimeThresholdMilliseconds), Self.thresholdMillisecondsMost)
        var settings = TransportSettings()
        settings.connections = concurrency
        settings.connectTimeout = .milliseconds(threshold * 2)
        settings.totalTimeout = .milliseconds(threshold * 2)
        settings.responseBytesLimit = 64 * 1024
        settings.certificateAuthoritiesFile = authoritiesFile
        let transport = Transport(settings)
        let end = ContinuousClock.now + limits.ownLoadLongest
        let measured = ThreadTeam(threads: concurrency).map(Array(0..<requests)) { _ in
            ContinuousClock.now < end ? one(transport) : .notSent
        }
        return report(measured, requests, concurrency, threshold)
    }

    private enum Measured {
        case answered(status: Int, milliseconds: Int)
        case unanswered
        case notSent
    }

    private func one(_ transport: Transport) -> Measured {
        let start = ContinuousClock.now
        do {
            let response = try transport.send(
                ClientRequest(
                    method: "POST", url: url, headers: [("Content-Type", "application/json")],
                    body: Self.body))
            let milliseconds = Int((ContinuousClock.now - start) / .milliseconds(1))
            return .answered(status: response.status, milliseconds: milliseconds)
        } catch {
            return .unanswered
        }
    }

    private func report(
        _ measured: [Measured], _ requests: Int, _ concurrency: Int, _ threshold: Int
    ) -> Report {
        var times: [Int] = []
        var (inTime, tooLate, unexpected, unanswered, notSent) = (0, 0, 0, 0, 0)
        for one in measured {
            switch one {
            case .unanswered: unanswered += 1
            case .notSent: notSent += 1
            case .answered(let status, let milliseconds):
                times.append(milliseconds)
                if !Self.expectedStatuses.contains(status) {
                    unexpected += 1
                } else if milliseconds > threshold {
                    tooLate += 1
                } else {
                    inTime += 1
                }
            }
        }
        times.sort()
        func percentile(_ percent: Int) -> Int {
            times.isEmpty ? 0 : times[min(times.count - 1, times.count * percent / 100)]
        }
        return Report(
            requests: requests, concurrency: concurrency, thresholdMilliseconds: threshold,
            p50Milliseconds: percentile(50), p95Milliseconds: percentile(95),
            p99Milliseconds: percentile(99), inTime: inTime, tooLate: tooLate,
            unexpected: unexpected, unanswered: unanswered, notSent: notSent,
            wouldPass: inTime * 100
                >= requests * min(max(0, config.successRateThresholdPercent), 100))
    }
}
