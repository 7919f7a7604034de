import FoundationEssentials
import Retention
import Testing

@Suite struct SyncPlanTests {
    private let old = UUID(number: 11)
    private let new = UUID(number: 12)
    private let picture = UUID(number: 13)
    private let slot = SyncFixture.slot
    private let place = SyncFixture.place

    @Test func `an edit points the default elsewhere before it deletes`() {
        var app = SyncFixture()
        app.hold(.message, old, .approved)
        app.desired.served[place] = old
        app.desired.defaults[slot] = place
        app.observed.defaults[slot] = ObservedDefault(appleId: old, readAt: app.now)
        app.want(new)
        #expect(app.ready == [.uploadMessage(new, images: [])])
        app.call(.uploadMessage(new, images: []), .ok)
        // Reviewed, what was approved before stays.
        #expect(app.ready.isEmpty)
        app.list([old: .approved, new: .approved])
        #expect(app.plan.placements == [.serve(place, new)])
        app.apply(app.plan)
        app.desired.isSnapshotAcknowledged = false
        #expect(app.ready == [.setDefault(slot, new)])
        app.call(.setDefault(slot, new), .unknown(.timedOut))
        app.pass(60_000)
        #expect(app.ready == [.setDefault(slot, new)])
        app.call(.setDefault(slot, new), .ok)
        app.apply(app.plan)
        #expect(app.ready.isEmpty)
        app.pass(app.limits.retirementMilliseconds)
        app.list([old: .approved, new: .approved])
        #expect(app.wait(of: .deleteMessage(old)) == .acknowledgement)
        app.desired.isSnapshotAcknowledged = true
        #expect(app.ready.contains(.deleteMessage(old)))
    }

    @Test func `an edit that is taken back needs no call`() {
        var app = SyncFixture()
        app.hold(.message, old, .approved)
        app.hold(.message, new, .approved)
        app.desired.served[place] = new
        app.want(new)
        app.apply(app.plan)
        #expect(app.observed.objects[old]?.unnamedSince == app.now)
        app.want(old)
        #expect(app.plan.placements == [.serve(place, old)])
        app.apply(app.plan)
        #expect(app.observed.objects[old]?.unnamedSince == nil)
        #expect(app.ready.isEmpty)
    }

    @Test(arguments: [
        (ReviewState.pending, ReviewState?.none), (.rejected, nil), (.approved, .pending),
        (.approved, .rejected),
    ])
    func `what is not approved with its picture is neither a default nor an answer`(
        message: ReviewState, image: ReviewState?
    ) {
        var app = SyncFixture()
        let images = image == nil ? [] : [picture]
        app.hold(.message, new, message, images: images)
        if let image { app.hold(.image, picture, image) }
        app.want(new, images: images)
        app.desired.defaults[slot] = place
        // Nobody reviews what was rejected.
        let isRejected = message == .rejected || image == .rejected
        #expect(app.wait(of: .setDefault(slot, new)) == (isRejected ? .rejected : .review))
        #expect(app.plan.placements.isEmpty)
        app.hold(.message, new, .approved, images: images)
        if image != nil { app.hold(.image, picture, .approved) }
        #expect(app.ready == [.setDefault(slot, new)])
        #expect(app.plan.placements == [.serve(place, new)])
    }

    @Test(arguments: [MessageKind.switchPlan, .promotionalOffer])
    func `a text that accompanies an offer is no default`(kind: MessageKind) {
        var app = SyncFixture()
        app.hold(.message, new, .approved)
        app.want(new, kind: kind)
        app.desired.defaults[slot] = place
        #expect(app.ready.isEmpty)
    }

    @Test func `what Apple approves no more is answered no more`() {
        var app = SyncFixture()
        app.hold(.message, new, .approved)
        app.want(new)
        app.apply(app.plan)
        #expect(app.desired.served[place] == new)
        app.list([new: .rejected])
        #expect(app.plan.placements == [.stop(place)])
        #expect(app.plan.problems == [.rejected(.message, new)])
    }

    @Test func `pictures go first, and a rejected one holds up its message alone`() {
        var app = SyncFixture()
        app.want(new, images: [picture])
        app.desired.endpoint = SyncFixture.endpoint
        #expect(app.ready == [.uploadImage(picture)])
        #expect(app.wait(of: .uploadMessage(new, images: [picture])) == .images)
        app.call(.uploadImage(picture), .terminal(code: 4_000_161))
        #expect(app.plan.problems == [.refused(.uploadImage(picture), code: 4_000_161)])
        // Refused for good, it must not keep the URL from all the rest.
        #expect(app.ready == [.setRealtimeURL(SyncFixture.endpoint)])
    }

    @Test func `a full Apple makes room from what nothing names, else says so`() {
        var app = SyncFixture()
        app.limits.messages = 2
        app.hold(.message, old, .approved)
        app.hold(.message, UUID(number: 90), .approved, isOurs: false)
        app.want(new)
        #expect(app.wait(of: .uploadMessage(new, images: [])) == .room)
        #expect(app.ready == [.deleteMessage(old)])
        app.desired.served[TextPlace(message: MessageID(UUID(number: 7)), locale: "ja")] = old
        app.want(old, at: TextPlace(message: MessageID(UUID(number: 7)), locale: "ja"))
        #expect(app.ready.isEmpty)
        #expect(app.plan.problems == [.full(.message, most: 2)])
    }

    @Test func `Apple's word that it is full counts until something is deleted`() {
        var app = SyncFixture()
        app.hold(.message, old, .approved)
        app.want(new)
        app.call(.uploadMessage(new, images: []), .full)
        #expect(app.observed.objects[new] == nil)
        #expect(app.ready == [.deleteMessage(old)])
        app.call(.deleteMessage(old), .ok)
        #expect(app.ready == [.uploadMessage(new, images: [])])
    }

    @Test func `drift is looked for, found and mended`() {
        var app = SyncFixture()
        app.hold(.message, new, .approved)
        app.want(new)
        app.desired.served[place] = new
        app.desired.defaults[slot] = place
        app.observed.defaults[slot] = ObservedDefault(appleId: new, readAt: app.now)
        #expect(app.plan.isConverged && app.ready.isEmpty)
        #expect(app.plan.nextLookAt == app.now + app.limits.driftMilliseconds)
        app.pass(app.limits.driftMilliseconds)
        #expect(
            Set(app.ready) == [.listImages, .listMessages, .getDefault(slot), .getRealtimeURL])
        app.call(.getDefault(slot), .ok, .defaultMessage(old))
        #expect(app.ready.contains(.setDefault(slot, new)))
    }

    @Test func `what another tool made is neither touched nor replaced without consent`() {
        var app = SyncFixture()
        app.hold(.message, old, .approved, isOurs: false)
        app.desired.endpoint = SyncFixture.endpoint
        app.call(.getRealtimeURL, .ok, .realtimeURL(.foreign))
        #expect(app.ready.isEmpty)
        #expect(app.plan.problems == [.foreignURL])
        app.pass(app.limits.driftMilliseconds)
        #expect(app.ready.contains(.getRealtimeURL))
        app.call(.getRealtimeURL, .ok, .realtimeURL(.foreign))
        app.list([old: .approved])
        app.desired.mayReplaceForeignURL = true
        #expect(app.ready == [.setRealtimeURL(SyncFixture.endpoint)])
        // Another may have set it since.
        app.pass(app.limits.urlAgeMilliseconds)
        #expect(app.ready == [.getRealtimeURL])
    }

    @Test func `production's URL waits for a pass`() {
        var app = SyncFixture()
        app.desired.environment = .production
        app.desired.endpoint = SyncFixture.endpoint
        #expect(app.wait(of: .setRealtimeURL(SyncFixture.endpoint)) == .performanceTest)
        #expect(app.plan.problems == [.noPassingTest])
        app.desired.hasPassedPerformanceTest = true
        #expect(app.ready == [.setRealtimeURL(SyncFixture.endpoint)])
    }

    @Test func `a retired endpoint's URL goes`() {
        var app = SyncFixture()
        app.call(.getRealtimeURL, .ok, .realtimeURL(.own(SyncFixture.endpoint)))
        #expect(app.ready == [.deleteRealtimeURL])
        app.call(.deleteRealtimeURL, .terminal(code: 4_000_215))
        #expect(app.ready.isEmpty)
    }

    @Test func `what is wanted and listed is ours, with the pictures it shows`() {
        var app = SyncFixture()
        app.hold(.message, new, .approved, isOurs: false)
        app.hold(.image, picture, .pending, isOurs: false)
        app.want(new, images: [picture])
        app.apply(app.plan)
        #expect(app.observed.objects[new]?.isOurs == true)
        #expect(app.observed.objects[new]?.images == [picture])
        // Its picture is not approved, which nobody may overlook in the same plan either.
        #expect(app.desired.served[place] == nil)
    }

    @Test func `one call that keeps failing holds up nothing else`() {
        var app = SyncFixture()
        app.hold(.message, new, .approved)
        app.want(new)
        app.desired.served[place] = new
        let others = ["a", "b"].map { DefaultSlot(productId: $0, locale: "en-US") }
        for slot in others { app.desired.defaults[slot] = place }
        for slot in others { app.call(.setDefault(slot, new), .unknown(.serverError)) }
        var done: Set<DefaultSlot> = []
        for _ in 0..<6 {
            app.pass(60_000)
            guard case .setDefault(let slot, _) = app.ready.first else { continue }
            let isBad = slot == others[0]
            app.call(.setDefault(slot, new), isBad ? .unknown(.serverError) : .ok)
            if !isBad { done.insert(slot) }
        }
        #expect(done == [others[1]])
    }
}
