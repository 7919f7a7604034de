import Foundation
import Retention
import Testing

/// What may be said of a snapshot, by its age.
@Suite struct ServingModeTests {
    private static let ages: [(Int, ServingMode)] = [
        (0, .full), (900, .full), (901, .noBudgetedOffers), (3_600, .noBudgetedOffers),
        (3_601, .noOffers), (86_400, .noOffers), (86_401, .defaultOnly), (259_200, .defaultOnly),
        (259_201, .silent),
    ]

    @Test(arguments: ServingModeTests.ages)
    func `each limit belongs to the mode before it`(seconds: Int, mode: ServingMode) {
        #expect(ServingMode(age: .seconds(seconds)) == mode)
    }

    @Test func `an age that nobody knows is older than all`() {
        #expect(ServingMode(age: nil) == .silent)
        #expect(ServingMode(age: .seconds(-5)) == .full)
    }

    @Test func `with age only less is said`() {
        let modes = ServingMode.allCases
        #expect(modes.map(\.rank) == [0, 1, 2, 3, 4])
        #expect(modes.map(\.allowsBudgetedOffers) == [true, false, false, false, false])
        #expect(modes.map(\.allowsOffers) == [true, true, false, false, false])
        #expect(modes.map(\.allowsRules) == [true, true, true, false, false])
        #expect(modes.map(\.allowsDefault) == [true, true, true, true, false])
    }
}
