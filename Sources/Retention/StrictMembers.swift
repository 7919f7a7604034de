extension Decoder {
    /// Throws for the first member that is not in `known`: it may be a condition of a later form,
    /// and what cannot be judged must never count as met.
    func refuseMembers(besides known: [String]) throws {
        let container = try container(keyedBy: AnyMember.self)
        if let unknown = container.allKeys.first(where: { !known.contains($0.stringValue) }) {
            throw DecodingError.dataCorruptedError(
                forKey: unknown, in: container,
                debugDescription: "unknown member; known are \(known.joined(separator: ", "))")
        }
    }

    /// The members that are there.
    func memberNames() throws -> Set<String> {
        Set(try container(keyedBy: AnyMember.self).allKeys.map(\.stringValue))
    }

    func refusal(_ reason: String) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: codingPath, debugDescription: reason))
    }
}

private struct AnyMember: CodingKey {
    let stringValue: String
    let intValue: Int? = nil

    init(stringValue: String) {
        self.stringValue = stringValue
    }

    init?(intValue: Int) {
        return nil
    }
}
