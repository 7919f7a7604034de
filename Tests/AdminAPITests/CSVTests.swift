import AdminAPI
import Testing

@Suite struct CSVTests {
    @Test(arguments: [
        ("", []), ("a", [["a"]]), ("a,b\r\n", [["a", "b"]]),
        ("a,b\nc,d", [["a", "b"], ["c", "d"]]),
        (",\r\n", [["", ""]]), ("\"\",x\r\n", [["", "x"]]), ("\"a,b\",c", [["a,b", "c"]]),
        ("\"a \"\"b\"\" c\"", [["a \"b\" c"]]), ("\"\"\"\"", [["\""]]),
        ("\"a\r\nb\nc\rd\",e\r\n", [["a\r\nb\nc\rd", "e"]]), (" a , b ", [[" a ", " b "]]),
        ("\u{feff}a,b\r\n1,2\r\n", [["a", "b"], ["1", "2"]]),
        ("a,\"\u{feff}\"", [["a", "\u{feff}"]]),
        ("=1+1,+a,-b,@c,'d\r\n", [["=1+1", "+a", "-b", "@c", "'d"]]),
        ("日本,👨‍👩‍👧‍👦,e\u{301}", [["日本", "👨‍👩‍👧‍👦", "e\u{301}"]]),
        ("\r\n", [[""]]), ("a\r\n\r\n", [["a"], [""]]),
    ])
    func recordsAreRead(text: String, expected: [[String]]) throws {
        let read = try CSV.records(Array(text.utf8), recordsLimit: 10)
        #expect(
            read.map { $0.map { Array($0.utf8) } } == expected.map { $0.map { Array($0.utf8) } })
    }

    @Test(arguments: [
        ("a\"b", 1, 1), ("x,\"a\"b", 1, 2), ("\"a", 1, 1), ("a\r\nb,\"c\r\n", 2, 2), ("a\rb", 1, 1),
        ("a\r", 1, 1), ("\"a\"\r", 1, 1), ("a,b\r\nc\r\n", 2, 1), ("a\r\nb,c\r\n", 2, 2),
        ("a,b\r\n1,2\r\n\r\n", 3, 1), ("\"a\" ,b", 1, 1), ("\"a\"\"", 1, 1),
    ])
    func whatIsNotRFC4180IsRefusedWithItsPlace(text: String, record: Int, cell: Int) {
        let fault = #expect(throws: CSVFault.self) {
            _ = try CSV.records(Array(text.utf8), recordsLimit: 10)
        }
        #expect(fault?.record == record, "\(fault?.message ?? "")")
        #expect(fault?.cell == cell, "\(fault?.message ?? "")")
    }

    @Test func boundsAreKept() throws {
        let cell = [UInt8](repeating: UInt8(ascii: "x"), count: CSV.cellBytesLimit)
        let read = try CSV.records(cell + Array(",y\r\n".utf8), recordsLimit: 1)
        #expect(read.first?.first?.utf8.count == CSV.cellBytesLimit)
        #expect(throws: CSVFault.self) { _ = try CSV.records(cell + cell, recordsLimit: 1) }
        let quoted = Array("\"".utf8) + cell + Array("x\"".utf8)
        #expect(throws: CSVFault.self) { _ = try CSV.records(quoted, recordsLimit: 1) }
        let wide = String(repeating: ",", count: CSV.cellsLimit - 1)
        #expect(try CSV.records(Array(wide.utf8), recordsLimit: 1).first?.count == CSV.cellsLimit)
        #expect(throws: CSVFault.self) {
            _ = try CSV.records(Array("\(wide),".utf8), recordsLimit: 1)
        }
        let rows = Array("a\r\nb\r\n".utf8)
        #expect(try CSV.records(rows, recordsLimit: 2).count == 2)
        #expect(throws: CSVFault.self) { _ = try CSV.records(rows, recordsLimit: 1) }
        #expect(throws: CSVFault.self) {
            _ = try CSV.records([0x61, 0xff, 0x62], recordsLimit: 1)
        }
    }

    /// Whatever is written is read as it was; and nothing crashes the reader.
    @Test func whatIsWrittenIsReadBack() throws {
        let pieces = [
            ",", "\"", "\r", "\n", "\r\n", "=", " ", "", "a", "é", "日", "👩‍👧", "\u{feff}", "\t",
        ]
        for _ in 0..<500 {
            let width = Int.random(in: 1...6)
            let records = (0..<Int.random(in: 1...5)).map { _ in
                (0..<width).map { _ in
                    (0..<Int.random(in: 0...6)).map { _ in pieces.randomElement() ?? "" }.joined()
                }
            }
            // The first cell's mark would be taken for the file's.
            guard records[0][0].utf8.first != 0xef else { continue }
            let bytes = CSV.bytes(records)
            let read = try CSV.records(bytes, recordsLimit: 5)
            #expect(
                read.map { $0.map { Array($0.utf8) } } == records.map { $0.map { Array($0.utf8) } })
            var broken = bytes
            broken[Int.random(in: broken.indices)] = UInt8.random(in: 0...255)
            _ = try? CSV.records(broken, recordsLimit: 5)
        }
    }

    @Test func onlyCellsThatNeedItAreQuoted() {
        let bytes = CSV.bytes([["a", "b,c", "=d", "e\"f", " g"], ["", "h\r\ni", "", "", ""]])
        let expected = "a,\"b,c\",=d,\"e\"\"f\", g\r\n,\"h\r\ni\",,,\r\n"
        #expect(bytes == Array(expected.utf8))
    }
}
