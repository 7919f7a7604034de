/// RFC 4180 in UTF-8: cells between commas, records between line ends, and whatever holds a comma,
/// a quote or a line end in quotes. Every record has as many cells as the first.
///
/// Lines may end with LF alone, and a byte order mark is passed over: spreadsheets write both. All
/// else that is not RFC 4180 is refused, for what is guessed would be stored.
package enum CSV {
    /// Cells of one record.
    package static let cellsLimit = 100
    /// Of one cell, in bytes.
    package static let cellBytesLimit = 1 << 20

    private static let quote = UInt8(ascii: "\"")
    private static let comma = UInt8(ascii: ",")
    private static let carriageReturn = UInt8(ascii: "\r")
    private static let lineFeed = UInt8(ascii: "\n")
    private static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]

    /// - Parameter recordsLimit: a header row counts too.
    package static func records(
        _ bytes: [UInt8], recordsLimit: Int
    ) throws(CSVFault) -> [[String]] {
        var reader = Reader(recordsLimit: recordsLimit)
        for byte in bytes.starts(with: byteOrderMark) ? bytes.dropFirst(3) : bytes[...] {
            try reader.take(byte)
        }
        return try reader.finish()
    }

    /// Records with CRLF after each. Cells are exact: nothing is put before those that a
    /// spreadsheet would take for a formula.
    package static func bytes(_ records: [[String]]) -> [UInt8] {
        var bytes: [UInt8] = []
        for record in records {
            for (index, cell) in record.enumerated() {
                if index > 0 { bytes.append(comma) }
                append(cell, to: &bytes)
            }
            bytes += [carriageReturn, lineFeed]
        }
        return bytes
    }

    private static func append(_ cell: String, to bytes: inout [UInt8]) {
        let special = [comma, quote, carriageReturn, lineFeed]
        guard cell.utf8.contains(where: special.contains) else {
            bytes += cell.utf8
            return
        }
        bytes.append(quote)
        for byte in cell.utf8 {
            if byte == quote { bytes.append(quote) }
            bytes.append(byte)
        }
        bytes.append(quote)
    }

    private struct Reader {
        private enum State {
            case cellStart, bare, quoted
            /// After a quote inside quotes: the cell's end, or the first half of a quote of its.
            case quoteInQuoted
            case carriageReturn
        }

        private let recordsLimit: Int
        private var state = State.cellStart
        private var records: [[String]] = []
        private var record: [String] = []
        private var cell: [UInt8] = []

        init(recordsLimit: Int) { self.recordsLimit = recordsLimit }

        mutating func take(_ byte: UInt8) throws(CSVFault) {
            switch state {
            case .quoted:
                if byte == CSV.quote { state = .quoteInQuoted } else { try add(byte) }
            case .carriageReturn:
                guard byte == CSV.lineFeed else { throw fault("has a CR without an LF after it") }
                try endRecord()
            case .cellStart where byte == CSV.quote: state = .quoted
            case .quoteInQuoted where byte == CSV.quote:
                try add(byte)
                state = .quoted
            case .cellStart, .bare, .quoteInQuoted: try takeOutside(byte)
            }
        }

        private mutating func takeOutside(_ byte: UInt8) throws(CSVFault) {
            switch byte {
            case CSV.comma: try endCell()
            case CSV.carriageReturn: state = .carriageReturn
            case CSV.lineFeed: try endRecord()
            case CSV.quote: throw fault("has a quote inside; put the cell in quotes, and double it")
            default:
                guard state != .quoteInQuoted else {
                    throw fault("goes on after its closing quote; double quotes that it holds")
                }
                state = .bare
                try add(byte)
            }
        }

        mutating func finish() throws(CSVFault) -> [[String]] {
            switch state {
            case .quoted: throw fault("has no closing quote")
            case .carriageReturn: throw fault("has a CR without an LF after it")
            case .cellStart where record.isEmpty: break
            case .cellStart, .bare, .quoteInQuoted: try endRecord()
            }
            return records
        }

        private mutating func add(_ byte: UInt8) throws(CSVFault) {
            guard cell.count < CSV.cellBytesLimit else {
                throw fault("has more than \(CSV.cellBytesLimit) bytes")
            }
            cell.append(byte)
        }

        private mutating func endCell() throws(CSVFault) {
            guard let text = String(validating: cell, as: UTF8.self) else {
                throw fault("is not UTF-8")
            }
            guard record.count < CSV.cellsLimit else {
                throw fault("is one too many; a record has at most \(CSV.cellsLimit)")
            }
            record.append(text)
            cell.removeAll(keepingCapacity: true)
            state = .cellStart
        }

        private mutating func endRecord() throws(CSVFault) {
            try endCell()
            guard records.count < recordsLimit else {
                throw CSVFault(
                    record: records.count + 1, cell: 1,
                    problem: "begins a record too many; \(recordsLimit) are taken",
                    isTooMany: true)
            }
            if let first = records.first, record.count != first.count {
                throw CSVFault(
                    record: records.count + 1, cell: record.count,
                    problem: "is the last of its record, and the first record has \(first.count)")
            }
            records.append(record)
            record = []
        }

        private func fault(_ problem: String) -> CSVFault {
            CSVFault(record: records.count + 1, cell: record.count + 1, problem: problem)
        }
    }
}

/// Where a file stops being CSV.
package struct CSVFault: Error, Equatable {
    /// From 1, the header row included.
    package let record: Int
    /// From 1.
    package let cell: Int
    package let problem: String
    /// Whether the file is good so far and has more records than are taken.
    package var isTooMany = false

    package var message: String { "cell \(cell) of record \(record) \(problem)" }
}
