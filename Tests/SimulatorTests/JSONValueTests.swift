import Simulator
import Testing

struct JSONValueTests {
    private func read(_ text: String) throws -> JSONValue { try JSONValue(Array(text.utf8)) }

    private func code(_ bytes: [UInt8]) -> JSONError.Code? {
        do {
            _ = try JSONValue(bytes)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func aTextIsReadAndWrittenAsItWas() throws {
        for text in [
            #"{"a":[1,-2.5e+3,true,false,null,""],"b":{"c":"é\u000a\"\\"}}"#,
            "[]", "{}", "0", "\"😀\"",
        ] {
            #expect(String(decoding: try read(text).bytes, as: UTF8.self) == text)
        }
    }

    @Test func escapesStandForTheirCharacters() throws {
        #expect(try read(#""\u0041\u00e9\ud83d\ude00\/\b\f\n\r\t""#).text == "Aé😀/\u{8}\u{c}\n\r\t")
    }

    @Test(arguments: [
        "", " ", "{", "[1,]", "{\"a\":1,}", "{a:1}", "01", "+1", "1.", ".5", "1e", "-", "nul",
        "true false", "\"", "\"\\x\"", "\"\\u12\"", "\"\\ud800\"", "\"\\ud800\\u0041\"",
        "\"\\udc00\"", "\"a\nb\"", "[1 2]", "{\"a\" 1}", "\u{FEFF}{}", "{}\0", "NaN", "'a'",
    ])
    func whatIsNotJSONIsRefused(_ text: String) {
        #expect(code(Array(text.utf8)) == .malformed)
    }

    @Test func twoReadingsOfOneTextAreRefused() {
        #expect(code(Array(#"{"a":1,"a":2}"#.utf8)) == .duplicateName)
        #expect(code(Array(#"{"a":1,"\u0061":2}"#.utf8)) == .duplicateName)
        #expect(code(Array("{\"é\":1,\"e\u{301}\":2}".utf8)) == nil)
        #expect(code([0x22, 0xC0, 0xAF, 0x22]) == .notUTF8)
        #expect(code([0x22, 0xED, 0xA0, 0x80, 0x22]) == .notUTF8)
    }

    @Test func depthAndNumbersAreBounded() {
        func nested(_ depth: Int) -> [UInt8] {
            Array(
                (String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
        #expect(code(nested(JSONValue.depthLimit)) == nil)
        #expect(code(nested(JSONValue.depthLimit + 1)) == .tooDeep)
        #expect(code(nested(200_000)) == .tooDeep)
        #expect(code(Array(String(repeating: "9", count: 20).utf8)) == nil)
        #expect(code(Array(String(repeating: "9", count: 21).utf8)) == .numberTooLong)
    }

    @Test func wholeNumbersAreExact() throws {
        #expect(try read("9223372036854775807").integer == .max)
        #expect(try read("-9223372036854775808").integer == .min)
        #expect(try read("9223372036854775808").integer == nil)
        #expect(try read("-9223372036854775809").integer == nil)
        #expect(try read("1.0").integer == nil)
        #expect(try read("1e3").integer == nil)
        #expect(try read("\"1\"").integer == nil)
        #expect(try read("0").integer == 0)
    }
}
