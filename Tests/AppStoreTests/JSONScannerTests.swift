import AppStore
import Testing

@Suite struct JSONScannerTests {
    static func code(_ text: String) -> JSONError.Code? { code(Array(text.utf8)) }

    static func code(_ bytes: [UInt8]) -> JSONError.Code? {
        do { _ = try JSONObject(bytes) } catch { return error.code }
        return nil
    }

    @Test func `every value is read`() throws {
        let text = """
             { "a" : "x" , "b":-12,"c":true,"d":false,"e":null,"f":["p","q"],"g":[],
              "h":[1,"p"],"i":{"j":[{}]},"k":1.5,"l":1e3,"m":0,"n":-0 }
            """
        let object = try JSONObject(Array(text.utf8))
        #expect(object.string("a").map(Array.init) == Array("x".utf8))
        #expect(object.integer("b") == -12)
        #expect(object["c"] == .boolean(true))
        #expect(object["d"] == .boolean(false))
        #expect(object["e"] == .null)
        #expect(object.strings("f") == [Array("p".utf8)[...], Array("q".utf8)[...]])
        #expect(object.strings("g") == [])
        #expect(object["h"] == .array([.integer(1), .string(Array("p".utf8)[...])]))
        #expect(object.strings("h") == nil)
        guard case .object(let inner)? = object["i"] else { return #expect(Bool(false), "i") }
        #expect(inner.map { Array($0.key) } == [Array("j".utf8)])
        #expect(inner.map(\.value) == [.array([.object([])])])
        #expect(object["k"] == .number(Array("1.5".utf8)[...]))
        #expect(object["l"] == .number(Array("1e3".utf8)[...]))
        #expect(object.integer("m") == 0)
        #expect(object.integer("n") == 0)
        #expect(object["z"] == nil)
        #expect(object.integer("a") == nil)
        #expect(object.string("b") == nil)
        #expect(object.members.count == 13)
    }

    @Test func `escapes give the characters they name`() throws {
        let text = #"{"a":"\"\\\/\b\f\n\r\t\u0041\u00e9\u20AC\ud83d\uDE00é€😀","\u0061b":"k"}"#
        let object = try JSONObject(Array(text.utf8))
        let expected = "\"\\/\u{8}\u{c}\n\r\tAé€😀é€😀"
        #expect(object.string("a").map(Array.init) == Array(expected.utf8))
        #expect(object.string("ab") != nil)
    }

    @Test(arguments: [
        #"{"a":1,"a":1}"#, #"{"a":1,"b":2,"\u0061":1}"#, #"{"x":{"a":1,"a":2}}"#,
        #"{"x":[{"é":1,"\u00e9":2}]}"#,
    ])
    func `a key that comes twice is refused, however it is spelled`(_ text: String) {
        #expect(Self.code(text) == .duplicateKey)
    }

    @Test func `keys that only look alike are two keys`() throws {
        let object = try JSONObject(Array("{\"\u{e9}\":1,\"e\u{301}\":2}".utf8))
        #expect(object.members.count == 2)
        #expect(object.integer("\u{e9}") == 1)
        #expect(object.integer("e\u{301}") == 2)
    }

    @Test func `a key that comes twice among thousands is refused`() {
        let keys = (0..<5_000).map { "\"k\($0)\":0" }
        #expect(Self.code("{\(keys.joined(separator: ","))}") == nil)
        #expect(Self.code("{\((keys + ["\"k17\":0"]).joined(separator: ","))}") == .duplicateKey)
    }

    @Test func `depth is bounded`() {
        func nested(_ depth: Int, _ open: String, _ close: String) -> String {
            "{\"a\":" + String(repeating: open, count: depth - 1) + "1"
                + String(repeating: close, count: depth - 1) + "}"
        }
        #expect(Self.code(nested(32, "[", "]")) == nil)
        #expect(Self.code(nested(32, "{\"a\":", "}")) == nil)
        for depth in [33, 34, 100_000] {
            #expect(Self.code(nested(depth, "[", "]")) == .tooDeep)
            #expect(Self.code(nested(depth, "{\"a\":", "}")) == .tooDeep)
        }
    }

    @Test func `integers keep all 64 bits, longer numbers are no integers`() throws {
        func integer(_ text: String) throws -> JSONValue? {
            try JSONObject(Array("{\"a\":\(text)}".utf8))["a"]
        }
        func number(_ text: String) -> JSONValue { .number(Array(text.utf8)[...]) }
        #expect(try integer("9223372036854775807") == .integer(.max))
        #expect(try integer("-9223372036854775808") == .integer(.min))
        #expect(try integer("9223372036854775808") == number("9223372036854775808"))
        #expect(try integer("-9223372036854775809") == number("-9223372036854775809"))
        #expect(try integer("18446744073709551615") == number("18446744073709551615"))
        #expect(try integer("99999999999999999999") == number("99999999999999999999"))
        #expect(try integer("1.0000000000000000000") == number("1.0000000000000000000"))
    }

    @Test func `a number of more than twenty digits is refused`() {
        let long = String(repeating: "9", count: 100_000)
        for number in [
            String(repeating: "1", count: 21), "-" + String(repeating: "1", count: 21),
            "1." + String(repeating: "0", count: 20), "1e" + String(repeating: "1", count: 20),
            "1234567890.12345678901", long, "0.\(long)", "1e\(long)",
        ] {
            #expect(Self.code("{\"a\":\(number)}") == .numberTooLong, "\(number.prefix(30))")
        }
    }

    @Test(arguments: [
        "01", "-", "-a", "+1", ".5", "1.", "1.e3", "1e", "1e+", "1e-", "0x10", "00", "-01",
        "Infinity",
        "NaN", "1_000", "tru", "True", "nul", "undefined", "'a'", "\"a", "[1,]", "[,1]", "[1 2]",
        "{\"b\":1,}", "{,}", "{b:1}", "{\"b\" 1}", "[", "{", "[}", "\"\\x\"", "\"\\u12\"",
        "\"\\u12g4\"", "/* */1", "1//",
    ])
    func `what is not JSON is refused`(_ value: String) {
        #expect(Self.code("{\"a\":\(value)}") != nil)
    }

    @Test(arguments: [
        #"\ud800"#, #"\udc00"#, #"\ud83dx"#, #"\ud83d\n"#, #"\ud83d\ud83d"#, #"\ude00\ud83d"#,
        #"\ud83d\u0041"#, #"\udfff\ud800"#,
    ])
    func `a lone surrogate is refused`(_ text: String) {
        #expect(Self.code("{\"a\":\"\(text)\"}") == .loneSurrogate)
        #expect(Self.code("{\"\(text)\":1}") == .loneSurrogate)
    }

    @Test func `control characters are refused inside strings and between values`() {
        for byte in UInt8(0)..<0x20 {
            let quoted = Array("{\"a\":\"x".utf8) + [byte] + Array("y\"}".utf8)
            #expect(Self.code(quoted) == .controlCharacter)
            let between = Array("{".utf8) + [byte] + Array("\"a\":1}".utf8)
            let isBlank = [0x09, 0x0A, 0x0D].contains(byte)
            #expect((Self.code(between) == nil) == isBlank)
        }
    }

    @Test(
        arguments: [
            [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0x80],
            [0xE2, 0x82],
            [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80],
            [0xF4, 0x90, 0x80, 0x80],
            [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF], [0xF0, 0x9F, 0x98], [0xE2, 0x28, 0xA1],
        ] as [[UInt8]])
    func `invalid UTF-8 is refused`(_ bytes: [UInt8]) {
        #expect(Self.code(Array("{\"a\":\"".utf8) + bytes + Array("\"}".utf8)) == .invalidUTF8)
    }

    @Test func `every valid scalar is read`() throws {
        for value in stride(from: UInt32(0x20), through: 0x10FFFF, by: 97) {
            guard let scalar = Unicode.Scalar(value), scalar != "\"", scalar != "\\" else {
                continue
            }
            let text = String(Character(scalar))
            let object = try JSONObject(Array("{\"a\":\"\(text)\"}".utf8))
            #expect(object.string("a").map(Array.init) == Array(text.utf8))
        }
    }

    @Test func `only an object is a document, and nothing may follow it`() {
        #expect(Self.code("") == .unexpectedEnd)
        for text in ["[]", "1", "\"a\"", "null", "  ", "\u{FEFF}{}", "x{}"] {
            #expect(Self.code(text) == .notAnObject, "\(text)")
        }
        for text in ["{}x", "{}{}", "{} ,", "{}]", "{}\u{0}"] {
            #expect(Self.code(text) == .trailingBytes, "\(text)")
        }
        #expect(Self.code("{}") == nil)
        #expect(Self.code(" \t\r\n{ } \n") == nil)
    }

    @Test func `a document cut at any byte is refused`() {
        let text = Array(#"{"a":"é\ud83d\ude00x","b":[-1.5e+3,true,null,{"c":["d"]}],"e":12}"#.utf8)
        #expect(Self.code(text) == nil)
        for count in 0..<text.count { #expect(Self.code(Array(text.prefix(count))) != nil) }
    }
}
