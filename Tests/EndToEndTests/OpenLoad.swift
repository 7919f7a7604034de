import Foundation
import HTTPClient
import Operator
import Retention
import RetentionStore
import Service
import Signing
import Synchronization
import TestSupport
import Testing

/// Requests at a steady rate whatever becomes of them, each signed anew, and a ledger of what was
/// answered.
final class OpenLoad: Sendable {
    struct Entry: Sendable {
        let app: Int
        /// `nil` where no answer came, as while no responder runs.
        let status: Int?
        let messageIdentifier: String?
        let took: Duration
    }

    private static let threads = 8
    private static let locales = ["en-US", "ja-JP", "es-AR", "zh-HK"]

    private let nemesis: Nemesis
    private let perSecond: Int
    private let apps: [SimulatorApp]
    private let transport: Transport
    private let start = ContinuousClock.now
    private let next = Atomic<Int>(0)
    private let isOver = Atomic<Bool>(false)
    private let ledger = Mutex<[String: Entry]>([:])
    private let work = Mutex<[ParallelWork<Void>]>([])

    init(on nemesis: Nemesis, perSecond: Int) {
        self.nemesis = nemesis
        self.perSecond = perSecond
        apps = nemesis.agency.simulatorStates
        var settings = TransportSettings()
        settings.connections = Self.threads
        settings.totalTimeout = .seconds(20)
        transport = Transport(settings)
    }

    func begin() {
        work.withLock { work in
            work = (0..<Self.threads).map { _ in ParallelWork { try self.send() } }
        }
    }

    /// Waits until so many more were sent.
    func run(_ count: Int) throws {
        let goal = next.load(ordering: .relaxed) + count
        try #require(becomesTrue { next.load(ordering: .relaxed) >= goal })
    }

    /// - Returns: all that was sent, by request identifier.
    func end() throws -> [String: Entry] {
        isOver.store(true, ordering: .relaxed)
        for one in work.withLock({ $0 }) { try one.value() }
        return ledger.withLock { $0 }
    }

    private func send() throws {
        while !isOver.load(ordering: .relaxed) {
            let number = next.wrappingAdd(1, ordering: .relaxed).oldValue
            Pace.hold(until: start + .seconds(Double(number) / Double(perSecond)))
            let (identifier, entry) = try ask(number)
            ledger.withLock { $0[identifier] = entry }
        }
    }

    private func ask(_ number: Int) throws -> (String, Entry) {
        let place = number % apps.count
        let app = apps[place]
        let identifier = UUID().uuidString.lowercased()
        let fields: [String: Any] = [
            "originalTransactionId": "200000\(number % 500)", "appAppleId": app.appAppleId,
            "productId": app.products[0].productId,
            "userLocale": Self.locales[number / apps.count % Self.locales.count],
            "requestIdentifier": identifier, "environment": app.environment,
            "signedDate": Clock.system.now(),
        ]
        let payload = try JSONSerialization.data(withJSONObject: fields)
        let jws = try nemesis.chain.sign(Array(payload))
        let path = String((app.realtimeURL ?? "").dropFirst(SampleAgency.publicOrigin.count))
        let begin = ContinuousClock.now
        let response = try? transport.send(
            ClientRequest(
                method: "POST", url: "http://127.0.0.1:\(nemesis.port)\(path)",
                headers: [("Content-Type", "application/json"), ("Connection", "close")],
                body: Array(#"{"signedPayload":"\#(jws)"}"#.utf8)))
        return (
            identifier,
            Entry(
                app: place, status: response?.status,
                messageIdentifier: response.flatMap { Self.messageIdentifier(in: $0.body) },
                took: begin.duration(to: .now))
        )
    }

    private static func messageIdentifier(in body: [UInt8]) -> String? {
        let json = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
        return (json?.values.first as? [String: Any])?["messageIdentifier"] as? String
    }
}

extension Nemesis {
    /// Nothing lost, nothing doubled, nothing wrong: what was answered is in PostgreSQL as it was
    /// answered, and what is in PostgreSQL was asked.
    ///
    /// - Parameter always: whether every request had an answer.
    func settle(_ sent: [String: OpenLoad.Entry], always: Bool) throws {
        let answered = sent.filter { $0.value.status == 200 }
        let decided = try decisions(atLeast: answered.count)
        #expect(!answered.isEmpty)
        if always {
            let others = sent.values.filter { $0.status != 200 }.map { $0.status ?? 0 }
            #expect(others.isEmpty, "\(others.count) of \(sent.count), such as \(others.prefix(3))")
        }
        for entry in answered.values {
            let known = agency.simulatorStates[entry.app].messages.map(\.messageIdentifier)
            #expect(known.contains(entry.messageIdentifier ?? ""))
        }
        let stored = Dictionary(grouping: decided) { $0.requestIdentifier.uuidString.lowercased() }
        #expect(stored.values.allSatisfy { $0.count == 1 }, "doubled")
        let lost = answered.filter { identifier, entry in
            stored[identifier]?.first?.messageIdentifier?.uuidString.lowercased()
                != entry.messageIdentifier
        }
        #expect(lost.isEmpty, "\(lost.count) of \(answered.count) are not as they were answered")
        #expect(Set(stored.keys).isSubset(of: sent.keys))
    }
}
