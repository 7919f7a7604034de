import FoundationEssentials
import Retention
import Testing

@Suite struct IdentifierTests {
    private static let zeros = String(repeating: "0", count: 25)

    @Test func `the outside form reads back to the same identifier`() throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            let id = MessageID.make(at: Instant(milliseconds: 1_764_000_000_000), using: &random)
            #expect(MessageID(id.description) == id)
            #expect(id.description.utf8.count == "msg_".utf8.count + 26)
        }
        let ends = ["00000000-0000-0000-0000-000000000000", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF"]
        for text in ends {
            let id = AppID(try #require(UUID(uuidString: text)))
            #expect(AppID(id.description) == id)
        }
    }

    @Test func `the outside form is known in every digit`() throws {
        let uuid = try #require(UUID(uuidString: "0123ABCD-4567-89AB-CDEF-0123456789AB"))
        #expect(MessageID(uuid).description == "msg_014ENWTHB7H6NWVVR14D2PF2DB")
    }

    @Test func `another kind's prefix is refused`() {
        let digits = "0\(Self.zeros)"
        #expect(MessageID("msg_\(digits)") != nil)
        for prefix in ["app_", "MSG_", "msg", "msg-", "_", "", "msg__", " msg_"] {
            #expect(MessageID(prefix + digits) == nil, "\(prefix)")
        }
        #expect(TenantID("cli_\(digits)") == nil)
        #expect(RuleID("rule_\(digits)") != nil)
    }

    @Test(arguments: [
        "I", "L", "O", "U", "a", "i", "-", " ", "\u{0}", "é", "０", "\u{301}", "/", ":", "@", "[",
    ])
    func `a character that Crockford's alphabet lacks is refused in every place`(foreign: String) {
        for place in 0..<26 {
            var digits = (0..<26).map { _ in "0" }
            digits[place] = foreign
            #expect(MessageID("msg_" + digits.joined()) == nil, "\(foreign) at \(place)")
        }
    }

    @Test func `a value over 128 bits is refused`() {
        for first in "01234567" { #expect(AppID("app_\(first)\(Self.zeros)") != nil) }
        for first in "89ABCDEFGHJKMNPQRSTVWXYZ" {
            #expect(AppID("app_\(first)\(Self.zeros)") == nil, "\(first)")
        }
    }

    @Test func `one digit less or more is refused`() {
        #expect(AppID("app_\(Self.zeros)") == nil)
        #expect(AppID("app_00\(Self.zeros)") == nil)
        #expect(AppID("app_") == nil)
        #expect(AppID("") == nil)
    }

    @Test func `identifiers sort as their times, to the millisecond`() {
        var random = SystemRandomNumberGenerator()
        let times: [Int64] = [0, 1, 2, 255, 256, 1_764_000_000_000, 1_764_000_000_001, 1 << 47]
        let texts = times.map {
            AppID.make(at: Instant(milliseconds: $0), using: &random).description
        }
        #expect(texts == texts.sorted())
        #expect(Set(texts).count == texts.count)
    }

    @Test func `version 7 has its time, version and variant in their bits`() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            let bytes = UUID.version7(
                at: Instant(milliseconds: 0x0123_4567_89ab), using: &random
            ).bytes
            #expect(bytes.prefix(6) == [0x01, 0x23, 0x45, 0x67, 0x89, 0xab])
            #expect(bytes[6] >> 4 == 7)
            #expect(bytes[8] >> 6 == 0b10)
        }
    }

    @Test func `version 4 is random but for version and variant`() {
        let made = (0..<500).map { _ in UUID.version4().bytes }
        #expect(Set(made).count == made.count)
        for place in 0..<16 {
            let seen = made.reduce((all: UInt8.max, any: UInt8(0))) {
                ($0.all & $1[place], $0.any | $1[place])
            }
            let fixed: (mask: UInt8, value: UInt8) =
                place == 6 ? (0xf0, 0x40) : place == 8 ? (0xc0, 0x80) : (0, 0)
            #expect(seen.all == fixed.value, "\(place)")
            #expect(seen.any == ~fixed.mask | fixed.value, "\(place)")
        }
    }

    @Test func `a time before 1970 or after the year 10889 still makes an identifier`() {
        var random = SystemRandomNumberGenerator()
        for milliseconds in [Int64.min, -1, .max, 1 << 48] {
            let uuid = UUID.version7(at: Instant(milliseconds: milliseconds), using: &random)
            #expect(uuid.bytes[6] >> 4 == 7)
        }
    }

    @Test func `version 8 keeps the digest but for version and variant`() throws {
        for byte in [UInt8(0x00), 0xff, 0xa5] {
            let digest = [UInt8](repeating: byte, count: 32)
            let bytes = try #require(UUID.version8(digest: digest)).bytes
            #expect(bytes[6] == 0x80 | byte & 0x0f)
            #expect(bytes[8] == 0x80 | byte & 0x3f)
            for place in [0, 1, 2, 3, 4, 5, 7, 9, 10, 11, 12, 13, 14, 15] {
                #expect(bytes[place] == byte)
            }
        }
        #expect(UUID.version8(digest: [UInt8](repeating: 1, count: 15)) == nil)
        #expect(UUID.version8(digest: []) == nil)
    }

    @Test func `JSON holds the outside form and refuses another kind's`() throws {
        let id = MessageID(try #require(UUID(uuidString: "0123ABCD-4567-89AB-CDEF-0123456789AB")))
        let data = try JSONEncoder().encode([id])
        #expect(String(decoding: data, as: UTF8.self) == "[\"\(id)\"]")
        #expect(try JSONDecoder().decode([MessageID].self, from: data) == [id])
        #expect(throws: DecodingError.self) {
            _ = try JSONDecoder().decode([AppID].self, from: data)
        }
    }

    @Test func `sixteen bytes make a UUID, no other count does`() {
        for count in [0, 15, 17, 32] {
            #expect(UUID(bytes: [UInt8](repeating: 1, count: count)) == nil)
        }
        let bytes = Array(UInt8(0)...15)
        #expect(UUID(bytes: bytes)?.bytes == bytes)
    }
}
