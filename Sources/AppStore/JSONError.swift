/// Why bytes are not the JSON that we read.
package struct JSONError: Error, Sendable, Equatable {
    package enum Code: String, Sendable {
        case unexpectedEnd
        case unexpectedByte
        case trailingBytes
        case notAnObject
        case tooDeep
        case duplicateKey
        case controlCharacter
        case badEscape
        case loneSurrogate
        case invalidUTF8
        case badNumber
        case numberTooLong
    }

    package let code: Code
    /// Where it was seen, in bytes from the start.
    package let offset: Int
}
