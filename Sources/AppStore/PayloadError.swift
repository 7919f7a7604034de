/// Why signed data that is believed cannot be read as what it was taken for. It concerns one
/// payload; the others of a list stay usable.
package struct PayloadError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Code: String, Sendable, CaseIterable {
        /// More bytes than are looked at.
        case tooLong
        case notStrictJSON
        /// A required member is not there, or null.
        case memberMissing
        /// Another JSON type than Apple's.
        case wrongType
        /// The right JSON type, and no identifier, date or text of Apple's form and length.
        case badForm
    }

    package enum Kind: String, Sendable {
        case notification, transaction, renewalInfo
    }

    package let code: Code
    package let kind: Kind
    /// In Apple's words: `purchaseDate`, `data.environment`; `nil` where it is the whole payload.
    package let member: String?

    package var description: String {
        let place = member.map { "its member \($0)" } ?? "it"
        let fault =
            switch code {
            case .tooLong: "has more bytes than are read"
            case .notStrictJSON: "is not strict JSON"
            case .memberMissing: "is missing"
            case .wrongType: "does not have the JSON type that Apple gives it"
            case .badForm: "does not have the form that Apple gives it"
            }
        return "This \(kind.rawValue) cannot be read: \(place) \(fault)."
    }
}
