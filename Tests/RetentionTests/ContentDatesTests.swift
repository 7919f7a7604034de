import Retention
import Testing

@Suite struct ContentDatesTests {
    @Test(arguments: [
        "2027-06-30", "1970-01-01", "9999-12-31", "2028-02-29", "2000-02-29",
    ])
    func `a day is read and written as it is`(text: String) {
        #expect(CalendarDay(text)?.description == text)
    }

    @Test(arguments: [
        "", "2027-6-30", "2027-02-29", "2100-02-29", "2027-04-31", "2027-00-10", "2027-13-01",
        "2027-06-00", "1969-12-31", "2027-06-30T00:00:00Z", "+027-06-30", "2027-06-3\u{661}",
        "20270630", "2027-06-30-", "-2027-06-30",
    ])
    func `what is no day is refused`(text: String) {
        #expect(CalendarDay(text) == nil)
    }

    @Test func `content is stale once its last day is over, and not on it`() throws {
        let days = try ["2027-06-29", "2027-06-30", "2027-07-01", "2028-01-01"].map {
            try #require(CalendarDay($0))
        }
        let dates = ContentDates(showUntil: days[1], reviewBy: days[2])
        #expect(days.map(dates.isStale(on:)) == [false, false, true, true])
        #expect(days.map(dates.needsReview(on:)) == [false, false, false, true])
        #expect(!ContentDates.none.isStale(on: days[3]))
    }

    private static func check(
        _ verdict: KeyVerdict, _ environment: StoreEnvironment, at milliseconds: Int64 = 10
    ) -> CredentialCheck {
        CredentialCheck(
            environment: environment, verdict: verdict, status: nil, appleCode: nil,
            checkedAt: Instant(milliseconds: milliseconds))
    }

    @Test func `a key is known to work once both environments were asked and none refuses it`() {
        let wanted = Instant(milliseconds: 10)
        func works(_ checks: CredentialCheck...) -> Bool {
            CredentialCheck.showKeyWorks(checks, since: wanted)
        }
        #expect(works(Self.check(.works, .sandbox), Self.check(.works, .production)))
        #expect(works(Self.check(.works, .sandbox), Self.check(.noAccess, .production)))
        #expect(!works(Self.check(.noAccess, .sandbox), Self.check(.noAccess, .production)))
        #expect(!works(Self.check(.works, .sandbox), Self.check(.keyRefused, .production)))
        #expect(!works(Self.check(.works, .sandbox)))
        #expect(!works(Self.check(.works, .sandbox), Self.check(.works, .production, at: 9)))
    }

    @Test func `each verdict has its sentence`() {
        let sentences = KeyVerdict.allCases.map { Self.check($0, .sandbox).sentence }
        #expect(Set(sentences).count == sentences.count)
        #expect(sentences.contains { $0.contains("key id") })
    }
}
