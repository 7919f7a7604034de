/// The numbers that the App Store gives: of as many digits as Apple's, and for each purchase in a
/// block of its own, so that they are the same whatever else goes on.
enum LedgerNumbers {
    private static let transactions: Int64 = 2_000_000_000_000_000
    private static let lineItems: Int64 = 2_500_000_000_000_000
    private static let customers: Int64 = 704_000_000_000_000_000

    static func transactionId(_ number: Int, _ transaction: Int) -> String {
        String(transactions + offset(number, transaction))
    }

    static func lineItemId(_ number: Int, _ transaction: Int) -> String {
        String(lineItems + offset(number, transaction))
    }

    static func appTransactionId(_ number: Int) -> String {
        String(customers + Int64(number))
    }

    private static func offset(_ number: Int, _ transaction: Int) -> Int64 {
        Int64(number) * Int64(Subscription.transactionsLimit) + Int64(transaction)
    }

    /// Whether the text could be one of Apple's numbers: 1 to 19 digits.
    static func isNumber(_ text: String) -> Bool {
        (1...19).contains(text.utf8.count)
            && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
