import Foundation
import HTTPClient
import HTTPServer
import Service
import Signing
import Simulator
import Testing

struct ControlAPITests {
    let app: SampleApp
    let driver: ControlDriver

    init() throws {
        app = try SampleApp()
        driver = try ControlDriver()
    }

    @Test func aStateIsKeptAsItWasHandedIn() throws {
        defer { driver.stop() }
        let path = driver.path(of: app.state)
        #expect(try driver.send("GET", path).status == 404)
        #expect(try driver.put(path, app.state) == 204)
        #expect(try driver.get(AppState.self, path) == app.state)
        #expect(try driver.send("GET", "/apps/\(SampleApp.appAppleId)/Sandbox").status == 404)
    }

    @Test(arguments: [
        ("{", 400), ("[]", 400), ("{}", 400), (#"{"appAppleId":1,"appAppleId":1}"#, 400),
        (#"{"appAppleId":1234567890,"environment":"Xcode","bundleId":"x"}"#, 400),
        (#"{"appAppleId":1234567890,"environment":"Sandbox","bundleId":"x"}"#, 422),
        (#"{"appAppleId":1234567890,"environment":"Production","bundleId":"x","url":"y"}"#, 400),
    ])
    func aBodyThatIsNoStateIsRefusedWithASentence(_ body: String, _ status: Int) throws {
        defer { driver.stop() }
        let (answered, error) = try driver.refusal("PUT", driver.path(of: app.state), body)
        #expect(answered == status)
        #expect(!error.message.isEmpty)
    }

    @Test func aMisspeltFieldIsNamed() throws {
        defer { driver.stop() }
        let body = """
            {"appAppleId":\(SampleApp.appAppleId),"environment":"Production","bundleId":"x",\
            "products":[{"productId":"p","subscriptionGroup":"g","plans":[]}]}
            """
        let (_, error) = try driver.refusal("PUT", driver.path(of: app.state), body)
        #expect(error.message.contains("/products/0/plans"))
    }

    @Test func whatAppleWouldNotHoldIsRefusedWithEveryProblem() throws {
        defer { driver.stop() }
        var state = app.state
        state.realtimeURL = "http://holdfast.example/"
        state.messages[0].header = String(repeating: "é", count: 67)
        state.messages[1].image = .init(imageIdentifier: app.bullet.uuidString, altText: "x")
        state.messages[2].headerPosition = .aboveImage
        state.defaults[0].locale = "en_US"
        state.promotionalOffers[0].productId = "unheard.of"
        state.offerKeys[0].publicKeyPEM = "x"
        let body = String(decoding: try JSONEncoder().encode(state), as: UTF8.self)
        let (status, error) = try driver.refusal("PUT", driver.path(of: state), body)
        #expect(status == 422)
        #expect(error.code == .invalidState)
        #expect(
            Set(error.problems.map(\.pointer)) == [
                "/realtimeURL", "/messages/0/header", "/messages/1/image/imageIdentifier",
                "/messages/2/headerPosition", "/defaults/0/locale",
                "/promotionalOffers/0/productId",
                "/offerKeys/0/publicKeyPEM",
            ])
        #expect(try driver.send("GET", driver.path(of: state)).status == 404)
    }

    @Test func limitsAreTakenAndOnePastThemIsNot() throws {
        defer { driver.stop() }
        var state = app.state
        state.messages[0].header = String(repeating: "ع", count: 66)
        state.messages[0].body = String(repeating: "a", count: 144)
        state.realtimeURL = "https://" + String(repeating: "a", count: 248)
        #expect(try driver.put(driver.path(of: state), state) == 204)
        var emoji = state
        emoji.messages[0].header = String(repeating: "👨‍👩‍👧‍👦", count: 7)
        #expect(try driver.put(driver.path(of: emoji), emoji) == 422)
        state.realtimeURL?.append("a")
        #expect(try driver.put(driver.path(of: state), state) == 422)
    }

    @Test(arguments: [
        ("https://holdfast.example", "http://127.0.0.1:8080", 204),
        ("http://holdfast.example", "http://127.0.0.1:8080", 422),
        ("https://holdfast.example/", "http://127.0.0.1:8080", 422),
        ("https://holdfast.example", "ftp://127.0.0.1", 422), ("https://", "http://x", 422),
    ])
    func anOriginIsSchemeHostAndPort(_ published: String, _ local: String, _ status: Int) throws {
        defer { driver.stop() }
        let map = OriginMap(origins: [.init(publicOrigin: published, localOrigin: local)])
        #expect(try driver.put("/origins", map) == status)
        #expect(try driver.get(OriginMap.self, "/origins").origins.count == (status == 204 ? 1 : 0))
    }

    @Test func behaviourSwitchesLayersAndAddsTransitTime() throws {
        driver.stop()
        let driver = try ControlDriver(answerDeadline: nil)
        let good = app.answer(app.plain)
        let responder = try RealtimeResponder { _ in .json(200, good) }
        defer {
            driver.stop()
            responder.stop()
        }
        try driver.set(app.state, servedAt: responder.origin)
        let path = "\(driver.path(of: app.state))/behaviour"
        #expect(try driver.get(Behaviour.self, path) == Behaviour())
        let behaviour = Behaviour(apiDefaultLayer: false, transitMilliseconds: 701)
        #expect(try driver.put(path, behaviour) == 204)
        let result = try #require(try driver.play([app.view()]).results.first)
        #expect(result.fallbackReason == .timedOut)
        #expect(result.display == .nothing)
        #expect(try driver.put(path, Behaviour(transitMilliseconds: -1)) == 422)
        #expect(try driver.put("/apps/1/Production/behaviour", behaviour) == 404)
    }

    @Test func callsKeepTheRawAnswerNewestFirst() throws {
        let responder = try RealtimeResponder { request in
            .json(200, Array("not JSON \(request.originalTransactionId)".utf8))
        }
        defer {
            driver.stop()
            responder.stop()
        }
        try driver.set(app.state, servedAt: responder.origin)
        _ = try driver.play([app.view("1")])
        _ = try driver.play([app.view("2")])
        let calls = try driver.get(CallReport.self, "/calls?limit=5").calls
        #expect(calls.map(\.answerText) == ["not JSON 2", "not JSON 1"])
        #expect(calls.first?.url == app.state.realtimeURL)
        #expect(calls.first?.result.broken.first?.rule == .notJSON)
        #expect(try driver.get(CallReport.self, "/calls?limit=1").calls.count == 1)
        #expect(try driver.send("GET", "/calls?limit=0").status == 400)
        #expect(try driver.send("GET", "/calls?limit=x").status == 400)
    }

    @Test func statisticsAreOfAllOrOfOneAppUntilTheyAreReset() throws {
        defer { driver.stop() }
        var state = app.state
        state.realtimeURL = nil
        _ = try driver.put(driver.path(of: state), state)
        var stranger = app.view()
        stranger.appAppleId = 7
        _ = try driver.play([app.view(), stranger])
        func pageViews(_ query: String) throws -> Int {
            try driver.get(Statistics.Report.self, "/statistics\(query)").pageViews
        }
        #expect(try pageViews("") == 2)
        #expect(try pageViews("?appAppleId=\(state.appAppleId)&environment=Production") == 1)
        #expect(try pageViews("?appAppleId=\(state.appAppleId)&environment=Sandbox") == 0)
        #expect(try driver.send("GET", "/statistics?environment=Sandbox").status == 400)
        #expect(try driver.send("DELETE", "/statistics").status == 204)
        #expect(try pageViews("") == 0)
    }

    @Test func aCallFromAWebPageIsRefused() throws {
        defer { driver.stop() }
        let headers = [("Origin", "https://evil.example")]
        #expect(try driver.send("GET", "/statistics", headers: headers).status == 403)
        #expect(try driver.send("GET", "/statistics").status == 200)
    }

    @Test func batchesAndBodiesAreBounded() throws {
        defer { driver.stop() }
        let views = [PageView](repeating: app.view(), count: ControlAPI.pageViewsLimit + 1)
        let body = String(
            decoding: try JSONEncoder().encode(PageViewBatch(pageViews: views)), as: UTF8.self)
        let (status, error) = try driver.refusal("POST", "/page-views", body)
        #expect(status == 413)
        #expect(error.code == .tooMany)
        let oversize = [UInt8](repeating: 0x20, count: ControlAPI.bodyBytesLimit + 1)
        // Refused from its announced length: the connection may close while we still send.
        do {
            #expect(try driver.send("POST", "/page-views", oversize).status == 413)
        } catch let error as TransportError {
            #expect(error.code == .interrupted)
        }
        #expect(try driver.play([]).results.isEmpty)
    }
}
