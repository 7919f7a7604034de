/// Bytes as hexadecimal digits, two for each, in small letters.
package enum HexadecimalText {
    package static func of(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xf)]] }
        return String(decoding: text, as: UTF8.self)
    }
}
