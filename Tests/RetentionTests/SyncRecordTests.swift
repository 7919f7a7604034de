import FoundationEssentials
import Retention
import Testing

@Suite struct SyncRecordTests {
    private let id = UUID(number: 12)
    private var upload: SyncOperation { .uploadMessage(id, images: []) }

    @Test func `an upload that was cut is looked for, and a conflict on it is our own`() {
        var app = SyncFixture()
        app.want(id)
        app.call(upload, .unknown(.interrupted))
        #expect(app.observed.objects[id]?.presence == .uncertain)
        #expect(app.ready.isEmpty)  // Apple may be away: a second's pause.
        app.pass(1_000)
        #expect(app.ready == [.listMessages])
        app.list([:])
        #expect(app.ready == [upload])
        app.call(upload, .same)
        #expect(app.observed.objects[id]?.presence == .uploaded)
        app.list([id: .approved])
        #expect(app.plan.placements == [.serve(SyncFixture.place, id)])
    }

    @Test func `a crash after the beginning leaves nothing that is taken for sure`() {
        var app = SyncFixture()
        app.want(id)
        app.observed.apply(app.observed.begin(upload, at: app.now))
        #expect(app.ready == [.listMessages])
        app.list([id: .pending])
        #expect(app.observed.objects[id]?.presence == .listed)
        #expect(app.ready.isEmpty && app.plan.pending == [id])
    }

    @Test func `repeated failures of one upload are spread`() {
        var app = SyncFixture()
        app.want(id)
        var pauses: [Int64] = []
        for _ in 0..<6 {
            app.call(upload, .unknown(.serverError))
            let failed = app.now
            app.pass(1_000)
            app.list([:])
            while app.ready != [upload] { app.pass(1_000) }
            pauses.append(app.now.milliseconds - failed.milliseconds)
        }
        #expect(pauses == pauses.sorted() && pauses[5] > 4 * pauses[0])
    }

    @Test func `a list that is behind makes nothing vanish, one that stays so does`() {
        var app = SyncFixture()
        app.want(id)
        app.call(upload, .ok)
        app.list([:])
        #expect(app.observed.objects[id]?.isPresent == true)
        app.pass(app.limits.listLagMilliseconds / 2)
        app.list([id: .approved])
        #expect(app.observed.objects[id]?.absentSince == nil)
        app.list([:])
        app.pass(app.limits.listLagMilliseconds)
        app.list([:], isWhole: false)
        #expect(app.observed.objects[id]?.isPresent == true)
        app.list([:])
        #expect(app.observed.objects[id]?.presence == .gone)
        #expect(ObservedState.generation(spent: [0, 3]) == 4)
        #expect(ObservedState.generation(spent: []) == 0)
    }

    @Test func `a deleted identifier that shows up long after is deleted again`() {
        var app = SyncFixture()
        app.hold(.message, id, .approved)
        app.call(.deleteMessage(id), .same)
        app.list([id: .approved])
        #expect(app.observed.objects[id]?.presence == .gone)
        app.pass(app.limits.listLagMilliseconds)
        app.list([id: .approved])
        #expect(app.ready.contains(.deleteMessage(id)))
    }

    @Test func `a missing picture is looked for before its message is tried again`() {
        var app = SyncFixture()
        let picture = UUID(number: 13)
        app.hold(.image, picture, .approved)
        app.want(id, images: [picture])
        app.call(.uploadMessage(id, images: [picture]), .terminal(code: 4_040_014))
        #expect(app.ready.prefix(2) == [.listImages, .listMessages])
        app.list([:])
        #expect(app.ready.isEmpty)
        #expect(app.wait(of: .uploadMessage(id, images: [picture])) == .images)
    }

    @Test func `a refused default is not tried again before the lists were read`() {
        var app = SyncFixture()
        app.hold(.message, id, .approved)
        app.want(id)
        app.desired.served[SyncFixture.place] = id
        app.desired.defaults[SyncFixture.slot] = SyncFixture.place
        let set = SyncOperation.setDefault(SyncFixture.slot, id)
        app.call(set, .notYet(code: 4_030_017))
        #expect(app.ready.prefix(2) == [.listImages, .listMessages])
        app.list([id: .approved])
        #expect(app.ready == [.getDefault(SyncFixture.slot)])
        app.call(.getDefault(SyncFixture.slot), .absent)
        #expect(app.ready.isEmpty)
        app.pass(app.limits.reviewPollMostMilliseconds)
        #expect(app.ready.contains(set))
    }

    @Test(arguments: [AppleOutcome.keyRefused, .noAccess])
    func `a paused app makes one harmless call at a time`(outcome: AppleOutcome) {
        var app = SyncFixture()
        app.want(id)
        app.call(upload, outcome)
        #expect(app.ready.isEmpty)
        #expect(app.plan.nextLookAt == app.now + app.limits.pauseMilliseconds)
        app.pass(app.limits.pauseMilliseconds)
        #expect(app.ready == [.listMessages])
        // The probe itself may meet an outage, which is no reason to ask all the time.
        app.call(.listMessages, .unknown(.timedOut))
        #expect(app.ready.isEmpty)
        app.pass(30_000)
        app.call(.listMessages, .ok, .objects([], isWhole: true))
        #expect(app.observed.pause == nil && app.ready == [upload])
    }

    @Test func `a limit holds its endpoint alone`() {
        var app = SyncFixture()
        let picture = UUID(number: 13)
        app.want(id)
        app.want(UUID(number: 14), images: [picture], at: SyncFixture.other)
        app.call(upload, .wait(until: app.now + 60_000))
        #expect(app.observed.objects[id] == nil)
        #expect(app.ready == [.uploadImage(picture)])
        #expect(app.plan.nextLookAt <= app.now + 60_000)
    }

    @Test(arguments: [
        AppleOutcome.ok, .terminal(code: nil), .same, .absent, .notYet(code: 4_030_019), .full,
    ])
    func `a list that says nothing is not asked for at once again`(outcome: AppleOutcome) {
        var app = SyncFixture()
        app.observed.messagesListedAt = nil
        app.call(.listMessages, outcome)
        #expect(app.ready.isEmpty)
        #expect(app.observed.failures == 1)
    }

    @Test func `an outage is asked at most every thirty seconds`() {
        var app = SyncFixture()
        app.observed.messagesListedAt = nil
        let start = app.now
        var calls = 0
        while app.now < start + 600_000 {
            if app.ready.isEmpty {
                app.pass(100)
            } else {
                app.call(.listMessages, .notSent(.connectFailed))
                calls += 1
            }
        }
        #expect((20...24).contains(calls))
    }
}
