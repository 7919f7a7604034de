/// Apple's identifiers are the same only when their bytes are. Swift's `String` also takes two
/// spellings of an accented letter for one, and the Kelvin sign for a K.
package func isSame(_ a: String, _ b: String) -> Bool {
    a.utf8.elementsEqual(b.utf8)
}

/// None is the same as none.
func isSame(_ a: String?, _ b: String?) -> Bool {
    switch (a, b) {
    case (nil, nil): true
    case (let a?, let b?): isSame(a, b)
    default: false
    }
}

/// A text as a key that compares by bytes.
struct ExactText: Hashable, Sendable {
    private let utf8: [UInt8]

    init(_ text: String) {
        utf8 = Array(text.utf8)
    }
}
