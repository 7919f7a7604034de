/// Why a file could not be opened, read or written.
package struct FileError: Error, CustomStringConvertible {
    package enum Code: String, Sendable {
        case notFound, denied, notAFile, tooLarge, noSpace, shortWrite, closed, failed
    }

    package let code: Code
    package let path: String
    /// The system's number, 0 where the system had no part in it.
    package let number: Int32
    private let advice: String

    init(_ code: Code, path: String, number: Int32 = 0, advice: String) {
        self.code = code
        self.path = path
        self.number = number
        self.advice = advice
    }

    /// A sentence that says what to do.
    package var message: String { "\(path): \(advice)" }

    package var description: String {
        number == 0 ? message : "\(message) (errno \(number))"
    }
}
