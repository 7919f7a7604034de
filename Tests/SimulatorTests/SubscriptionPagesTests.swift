import Dispatch
import FoundationEssentials
import HTTPClient
import HTTPServer
import Service
import Simulator
import Synchronization
import Testing

struct SubscriptionPagesTests {
    let app: SampleApp

    init() throws {
        app = try SampleApp()
    }

    /// Counts calls under way; each waits until as many as may be are there.
    private final class Crowd: Sendable {
        private struct Count: Sendable {
            var present = 0
            var most = 0
        }

        private let count = Mutex(Count())
        private let full = DispatchSemaphore(value: 0)
        private let size: Int

        init(_ size: Int) {
            self.size = size
        }

        /// False where the crowd was not full within the deadline.
        func visit() -> Bool {
            let isFull = count.withLock { count in
                count.present += 1
                count.most = max(count.most, count.present)
                return count.present == size
            }
            if isFull { for _ in 0..<size { full.signal() } }
            let isMet = full.wait(timeout: .now() + 10) == .success
            count.withLock { $0.present -= 1 }
            return isMet
        }

        var most: Int { count.withLock { $0.most } }
    }

    @Test func asManyPagesArePlayedAtOnceAsTheSettingSaysAndNoMore() throws {
        let crowd = Crowd(3)
        let responder = try RealtimeResponder { _ in .empty(crowd.visit() ? 503 : 500) }
        defer { responder.stop() }
        let driver = try ControlDriver(callsAtOnce: 3)
        defer { driver.stop() }
        try driver.set(app.state, servedAt: responder.origin)
        let report = try driver.play((0..<3).map { app.view("\($0)") })
        #expect(report.results.map(\.httpStatus) == [503, 503, 503])
        _ = try driver.play((0..<9).map { app.view("\($0)") })
        #expect(crowd.most == 3)
    }

    @Test func onceToldToEndNoFurtherPageIsPlayed() throws {
        let pages = SubscriptionPages(
            memory: AppStoreMemory(), signer: try RequestSigner(nowSeconds: 1_790_000_000),
            transport: Transport(TransportSettings()), clock: .system, callsAtOnce: 2)
        #expect(pages.play([app.view()]).map(\.notCalledReason) == [.appUnknown])
        pages.cease()
        #expect(pages.play([app.view()]).map(\.notCalledReason) == [.stopping])
    }

    /// LOC-01 and LOC-03: one App Store locale for each device locale, never another script.
    @Test(arguments: [
        ("en-US", "en-US"), ("en_US", "en-US"), ("ja-JP", "ja"), ("zh-HK", "zh-Hant"),
        ("zh-Hant-TW", "zh-Hant"), ("zh_Hant_TW", "zh-Hant"), ("zh-Hans-HK", "zh-Hans"),
        ("zh", "zh-Hans"), ("nb-NO", "no"), ("nn-NO", "no"), ("iw-IL", "he"), ("in-ID", "id"),
        ("es-AR", "es-MX"), ("en-IN", "en-GB"), ("cy", nil), ("xx-YY", nil), ("", nil),
        ("../../x", nil), (String(repeating: "e", count: 10_000), nil),
    ])
    func aDeviceLocaleStandsForOneAppStoreLocale(_ locale: String, _ expected: String?) throws {
        let driver = try ControlDriver()
        defer { driver.stop() }
        var state = app.state
        state.realtimeURL = nil
        _ = try driver.put(driver.path(of: state), state)
        let result = try #require(try driver.play([app.view(locale: locale)]).results.first)
        #expect(result.appStoreLocale == expected)
    }
}
