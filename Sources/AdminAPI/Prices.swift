internal import Retention

// Prices and periods as bodies bring them and answers show them, for products and offers.

extension Price {
    static let countLimit = 200

    var form: JSONTree {
        [
            "storefront": .string(storefront), "amountMilliunits": .integer(amountMilliunits),
            "currency": .string(currency),
        ]
    }
}

extension BodyReader {
    /// Prices, one a storefront; none where the member is absent.
    mutating func prices() -> [Price] {
        let prices = objects("prices", limit: Price.countLimit) { reader in
            Price(
                storefront: reader.capitals("storefront", such: "DEU"),
                amountMilliunits: reader.integer("amountMilliunits", in: 0...Int64.max),
                currency: reader.capitals("currency", such: "EUR"))
        }
        noteDuplicates(prices.map(\.storefront)) { "prices/\($0)/storefront" }
        return prices
    }

    /// An ISO 8601 duration of one number.
    mutating func period() -> String {
        let period = text("period")
        notePeriod(period)
        return period
    }

    mutating func optionalPeriod() -> String? {
        let period = optionalText("period")
        if let period { notePeriod(period) }
        return period
    }

    private mutating func notePeriod(_ period: String) {
        let bytes = Array(period.utf8)
        let isPeriod =
            (3...4).contains(bytes.count) && bytes[0] == UInt8(ascii: "P")
            && (0x31...0x39).contains(bytes[1])
            && bytes[2..<(bytes.count - 1)].allSatisfy { (0x30...0x39).contains($0) }
            && "DWMY".utf8.contains(bytes[bytes.count - 1])
        if !isPeriod, !period.isEmpty {
            note("period", .badFormat, "period is P, 1 to 99 and D, W, M or Y, such as P1M.")
        }
    }

    mutating func capitals(_ name: String, such example: String) -> String {
        let text = text(name)
        let isCapitals = text.utf8.count == 3 && text.utf8.allSatisfy { (0x41...0x5a).contains($0) }
        if !isCapitals, !text.isEmpty {
            note(name, .badFormat, "\(name) is three capital letters, such as \(example).")
        }
        return text
    }
}
