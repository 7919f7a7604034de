import Foundation
import Operator
import Postgres
import Retention
import RetentionStore
import TestSupport
import Testing

/// From the sandbox to production.
@Suite(.database) struct SyncPromotionTests {
    private func text(_ body: String, _ locale: String = "en-US") -> Localization {
        Localization(locale: locale, header: "h", body: body)
    }

    @Test func `promotion takes messages and defaults along, once`() throws {
        let desk = try SyncDesk()
        let sandbox = desk.workers.sandbox
        let (all, one) = try (desk.addMessage([text("p")]), desk.addMessage([text("q")]))
        let product = "com.example.tideline.plus.annual"
        try desk.agencies.change(desk.agencies.first) { transaction in
            try transaction.addMessageTargets([one], at: sandbox)
            try transaction.setDefaultMessage(all, product: product, locale: "en-US", at: sandbox)
        }
        func promote(_ messages: [MessageID]?) throws -> ([MessageID], [String]) {
            try desk.agencies.change(desk.agencies.first) {
                let moved = try $0.promote(
                    messages, of: desk.key.app, from: .sandbox, to: .production)
                return (moved.messages, moved.defaults.map { "\($0.message) \($0.productId)" })
            }
        }
        let number = try desk.agencies.head(desk.agencies.first, desk.key).number
        let first = try promote([one])
        #expect(first.0 == [one] && first.1 == [])
        #expect(try promote([one]).0 == [])
        let rest = try promote(nil)
        #expect(rest.0.contains(all) && !rest.0.contains(one) && rest.0.count > 3)
        #expect(rest.1 == ["\(all) \(product)"])
        // The default that it replaces showed a text that was approved.
        #expect(try desk.agencies.head(desk.agencies.first, desk.key).number == number + 1)
        let again = try promote(nil)
        #expect(again.0 == [] && again.1 == [])
        let desire = try desk.desire().state
        let slot = DefaultSlot(productId: product, locale: "en-US")
        #expect(desire.defaults[slot]?.message == all)
        #expect(Set(desire.texts.map(\.message)).isSuperset(of: [all, one]))
    }

    /// Both write the same defaults, each in an order of its own.
    @Test func `promotions and edits of defaults never wait for each other in a ring`() throws {
        let desk = try SyncDesk()
        let message = try desk.addMessage(
            ["en-US", "ja", "es-MX", "en-GB"].map { text("t", $0) })
        let app = desk.key.app
        let products = try desk.agencies.change(desk.agencies.first) {
            try $0.listProducts(of: app, after: nil, limit: 9).map(\.product.productId)
        }
        #expect(products.count > 1)
        try desk.agencies.change(desk.agencies.first) {
            _ = try $0.setDefaultMessages(
                message, products: products, locales: ["en-US", "ja", "es-MX", "en-GB"],
                at: desk.workers.sandbox)
        }
        let promotions = ParallelWork {
            for _ in 0..<15 {
                try desk.agencies.change(desk.agencies.first) {
                    _ = try $0.promote(nil, of: app, from: .sandbox, to: .production)
                }
            }
        }
        let edits = ParallelWork {
            let thanks = try #require(try desk.desire().state.defaults.values.first).message
            for _ in 0..<15 {
                try desk.agencies.change(desk.agencies.first) {
                    _ = try $0.setDefaultMessages(
                        thanks, products: products.reversed(),
                        locales: ["en-GB", "es-MX", "ja", "en-US"], at: desk.key)
                }
            }
        }
        try promotions.value()
        try edits.value()
    }
}
