/// A second look at a request's head, at the bytes themselves. The library (0.9.75) takes a lone
/// line feed for a line break, a NUL for the end of a value or of the whole head, and hangs a
/// folded line on the field's *name*; none of that shows in the fields it reports.
///
/// It parses in place: of the head it has read, only the separators are overwritten, each with a
/// zero byte. So a good head has one shape, and everything else is refused:
///
///     METHOD 0 target 0 HTTP/1.1 00 name 0 value 00 name 0 value 00 … 00
///            ▲ blank   ▲         ▲ CR LF ▲ colon   ▲ CR LF           ▲ the empty line
///
/// A library that left its buffer in another shape would have every request refused, which no test
/// would miss.
enum HeadScan {
    /// `head` runs from the first byte of the method to the last of the head; `versionOffset` is
    /// where the version stands in it.
    static func isWellFormed(
        _ head: UnsafeRawBufferPointer, targetBytes: Int, versionOffset: Int, fieldCount: Int
    ) -> Bool {
        guard let methodEnd = unsafe zero(in: head, from: 0) else { return false }
        // Longer: a NUL in the target, or more than one blank.
        guard versionOffset == methodEnd + 1 + targetBytes + 1,
            var place = unsafe endOfLine(in: head, from: versionOffset)
        else { return false }
        var fields = 0
        while unsafe place < head.count && head[place] != 0 {
            let isFolded = unsafe head[place] == 0x20 || head[place] == 0x09
            guard !isFolded, let nameEnd = unsafe zero(in: head, from: place),
                let next = unsafe endOfLine(in: head, from: nameEnd + 1)
            else { return false }
            place = next
            fields += 1
        }
        // Nothing but the empty line is left.
        return unsafe fields == fieldCount && place + 2 == head.count && head[place + 1] == 0
    }

    /// The place after the two zero bytes that end the text at `start`; nil if there is but one.
    private static func endOfLine(in head: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard let end = unsafe zero(in: head, from: start), end + 1 < head.count,
            unsafe head[end + 1] == 0
        else { return nil }
        return end + 2
    }

    private static func zero(in head: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard start < head.count else { return nil }
        return unsafe head[start...].firstIndex(of: 0)
    }
}
