internal import HTTPServer

/// What Apple's things are called in App Store Connect. Such a name stands in our paths, so it
/// holds nothing that a path cannot carry, and nothing that a cursor is cut by.
enum AppleName {
    static let lengthLimit = 255

    static func isAllowed(_ name: String) -> Bool {
        let isDots = name.utf8.elementsEqual(".".utf8) || name.utf8.elementsEqual("..".utf8)
        return !isDots
            && name.utf8.allSatisfy { $0 > 0x1f && $0 != 0x7f && $0 != UInt8(ascii: "/") }
    }
}

extension BodyReader {
    mutating func appleName(_ name: String) -> String {
        let text = text(name, 1...AppleName.lengthLimit)
        if !AppleName.isAllowed(text) {
            note(
                name, .notAllowed,
                "\(name) holds no slash and no control character, and is not . or ..; it stands in "
                    + "paths.")
        }
        return text
    }

    /// One of a list that must be there, maybe empty.
    mutating func requireList(_ name: String) {
        if take(name) == nil { note(name, .required, "\(name) is required; [] is none.") }
    }
}

extension Call {
    /// A name of Apple's in the path. One that cannot exist is as absent as one that does not.
    func appleName(_ name: String) throws(Problem) -> String {
        let text = try self.name(name, limit: AppleName.lengthLimit)
        guard AppleName.isAllowed(text) else { throw .notFound }
        return text
    }
}
