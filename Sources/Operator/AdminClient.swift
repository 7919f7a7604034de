internal import FoundationEssentials
internal import HTTPClient
package import Service
internal import Synchronization

/// The admin API as a caller with a key uses it: the demo builds its agency over it.
package final class AdminClient: Sendable {
    /// What was asked and how it went.
    package struct Counts: Equatable, Sendable {
        package var calls = 0
        /// Answers other than those that were expected, and calls without one.
        package var failures = 0
    }

    private static let callLimit: Duration = .seconds(30)
    private static let jobLimit: Duration = .seconds(60)
    private static let jobLookInterval: Duration = .milliseconds(50)
    private static let answerBytesLimit = 8 << 20

    /// The whole value of that header: a secret.
    package let authorization: String
    private let origin: String
    private let stop: StopSignal
    private let transport: Transport
    private let counted = Mutex(Counts())

    package init(origin: String, authorization: String, stop: StopSignal) {
        self.origin = origin
        self.authorization = authorization
        self.stop = stop
        var settings = TransportSettings()
        settings.totalTimeout = Self.callLimit
        settings.responseBytesLimit = Self.answerBytesLimit
        transport = Transport(settings)
    }

    package var counts: Counts { counted.withLock { $0 } }

    // MARK: One call

    package func get<Answer: Decodable>(_ path: String) throws -> Answer {
        try Self.decode(try perform("GET", path, expecting: [200]))
    }

    @discardableResult
    package func post<Answer: Decodable>(
        _ path: String, _ body: some Encodable, expecting status: Int = 201
    ) throws -> Answer {
        // Harmless where it is not required.
        let key = ("Idempotency-Key", UUID().uuidString.lowercased())
        return try Self.decode(
            try perform(
                "POST", path, [("Content-Type", "application/json"), key], try Self.encode(body),
                expecting: [status]))
    }

    /// Creates what is not there, or replaces it.
    package func put(_ path: String, _ body: some Encodable) throws {
        _ = try perform(
            "PUT", path, [("Content-Type", "application/json")], try Self.encode(body),
            expecting: [200, 201])
    }

    /// Says that something is to be there.
    package func put(_ path: String) throws {
        _ = try perform("PUT", path, expecting: [204])
    }

    package func patch(_ path: String, _ body: some Encodable) throws {
        let headers = [("Content-Type", "application/merge-patch+json"), ("If-Match", "*")]
        _ = try perform("PATCH", path, headers, try Self.encode(body), expecting: [200])
    }

    package func delete(_ path: String) throws {
        _ = try perform("DELETE", path, [("If-Match", "*")], expecting: [204])
    }

    package func upload<Answer: Decodable>(_ path: String, png: [UInt8]) throws -> Answer {
        try Self.decode(
            try perform(
                "POST", path, [("Content-Type", "image/png")], png, expecting: [200, 201]))
    }

    /// Begins long work and waits for its end.
    package func runJob<Report: Decodable>(
        _ path: String, _ body: some Encodable
    ) throws -> Report {
        var job: Job<Report> = try post(path, body, expecting: 202)
        let deadline = ContinuousClock.now + Self.jobLimit
        while ContinuousClock.now < deadline {
            if job.state == "succeeded", let report = job.report { return report }
            if job.state == "failed" { break }
            if stop.wait(for: Self.jobLookInterval) {
                throw DemoError(description: "interrupted")
            }
            job = try get("/v1/jobs/\(job.id)")
        }
        counted.withLock { $0.failures += 1 }
        throw DemoError(description: "job \(job.id) of \(path) is \(job.state) and not done")
    }

    /// Every item of a list, page after page.
    package func list<Item: Decodable>(_ path: String) throws -> [Item] {
        var items: [Item] = []
        var cursor: String?
        repeat {
            let joint = path.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
            let place = cursor.map { "&cursor=\($0)" } ?? ""
            let page: Page<Item> = try get("\(path)\(joint)limit=100\(place)")
            items += page.data
            cursor = page.nextCursor
        } while cursor != nil
        return items
    }

    private struct Page<Item: Decodable>: Decodable {
        let data: [Item]
        let nextCursor: String?
    }

    private struct Job<Report: Decodable>: Decodable {
        let id: String
        let state: String
        let report: Report?
    }

    // MARK: On the wire

    private func perform(
        _ method: String, _ path: String, _ headers: [(String, String)] = [], _ body: [UInt8] = [],
        expecting statuses: [Int]
    ) throws -> ClientResponse {
        let request = ClientRequest(
            method: method, url: origin + path,
            headers: headers + [("Authorization", authorization)], body: body)
        counted.withLock { $0.calls += 1 }
        do {
            let response = try transport.send(request)
            guard statuses.contains(response.status) else {
                throw Self.refusal(method, path, response)
            }
            return response
        } catch {
            counted.withLock { $0.failures += 1 }
            throw error
        }
    }

    /// With the problem document, which says what to do.
    private static func refusal(
        _ method: String, _ path: String, _ response: ClientResponse
    ) -> DemoError {
        let said = String(decoding: response.body.prefix(2_000), as: UTF8.self)
        return DemoError(
            description: "the admin API answered \(response.status) to \(method) \(path): \(said)")
    }

    private static func encode(_ body: some Encodable) throws -> [UInt8] {
        Array(try JSONEncoder().encode(body))
    }

    private static func decode<Answer: Decodable>(_ response: ClientResponse) throws -> Answer {
        try JSONDecoder().decode(Answer.self, from: Data(response.body))
    }
}
