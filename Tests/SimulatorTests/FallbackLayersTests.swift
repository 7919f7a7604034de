import FoundationEssentials
import Simulator
import Testing

struct FallbackLayersTests {
    let app: SampleApp

    init() throws {
        app = try SampleApp()
    }

    private func display(
        _ state: AppState, behaviour: Behaviour = .init(), realtime: Display? = nil,
        locale: String? = "en-US"
    ) throws -> Display {
        FallbackLayers(catalog: try AppCatalog(state), behaviour: behaviour).display(
            realtime: realtime, originalTransactionId: SampleApp.subscriber,
            productId: SampleApp.monthly, locale: locale)
    }

    private var withAppStoreConnect: AppState {
        var state = app.state
        state.appStoreConnectMessages = [
            .init(
                subscriptionGroup: "meditation", header: "Of the group", body: "Stay",
                hasImage: true),
            .init(
                subscriptionGroup: "recipes", header: "Of another group", body: "Stay",
                retentionOffers: [.init(offerIdentifier: "foreign", worth: 99)]),
        ]
        return state
    }

    private func realtime() throws -> Display? {
        try app.judge().judge(#"{"message":{"messageIdentifier":"\#(app.withImage)"}}"#).shown
    }

    @Test func aRealtimeAnswerGoesFirst() throws {
        let shown = try display(withAppStoreConnect, realtime: try realtime())
        #expect(shown.layer == .realtime)
        #expect(shown.hasImage)
    }

    @Test func withoutADefaultInTheLocaleNothingIsShown() throws {
        for locale in [nil, "ja", "en-GB"] {
            let shown = try display(
                withAppStoreConnect, realtime: try realtime(), locale: locale)
            #expect(shown == .nothing)
        }
    }

    @Test func anAppStoreConnectMessageGoesBeforeTheDefault() throws {
        let shown = try display(withAppStoreConnect)
        #expect(shown.layer == .appStoreConnect)
        #expect(shown.kind == .message)
        #expect(shown.header == "Of the group")
        #expect(shown.hasImage)
    }

    @Test func theMessageOfTheProductGoesBeforeTheMessageOfTheGroup() throws {
        var state = withAppStoreConnect
        state.appStoreConnectMessages.append(
            .init(productId: SampleApp.monthly, header: "Of the product", body: "Stay"))
        #expect(try display(state).header == "Of the product")
    }

    @Test func theBestEligibleOfferTakesThePlaceOfTheImage() throws {
        var state = withAppStoreConnect
        state.appStoreConnectMessages[0].retentionOffers = [
            .init(offerIdentifier: "small", worth: 1),
            .init(offerIdentifier: "middle", worth: 5),
            .init(offerIdentifier: "middle too", worth: 5),
            .init(offerIdentifier: "big", worth: 9, eligibleOriginalTransactionIds: ["another"]),
        ]
        let shown = try display(state)
        #expect(shown.kind == .retentionOffer)
        #expect(shown.offerIdentifier == "middle")
        #expect(!shown.hasImage)
        state.appStoreConnectMessages[0].retentionOffers = [
            .init(offerIdentifier: "big", worth: 9, eligibleOriginalTransactionIds: [])
        ]
        #expect(try display(state).kind == .message)
        #expect(try display(state).hasImage)
    }

    @Test func theDefaultIsShownWhereItAndItsImagesAreApproved() throws {
        func withDefault(_ message: UUID) -> AppState {
            var state = app.state
            state.defaults[0].messageIdentifier = message.uuidString
            return state
        }
        #expect(try display(withDefault(app.plain)).layer == .apiDefault)
        #expect(try display(withDefault(app.withImage)).hasImage)
        for message in [app.pending, app.rejected, app.withPendingImage, app.withPendingBullet] {
            #expect(try display(withDefault(message)) == .nothing)
        }
    }

    @Test func aLayerThatIsSwitchedOffIsPassedOver() throws {
        let noAppStoreConnect = Behaviour(appStoreConnectLayer: false)
        #expect(try display(withAppStoreConnect, behaviour: noAppStoreConnect).layer == .apiDefault)
        let neither = Behaviour(appStoreConnectLayer: false, apiDefaultLayer: false)
        #expect(try display(withAppStoreConnect, behaviour: neither) == .nothing)
        let shown = try display(withAppStoreConnect, behaviour: neither, realtime: try realtime())
        #expect(shown.layer == .realtime)
    }
}
