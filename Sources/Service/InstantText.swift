/// An instant as RFC 3339 in UTC with milliseconds: `2026-11-30T04:05:06.789Z`.
///
/// Calculated in whole numbers: by way of `Double` a millisecond goes missing now and then.
package enum InstantText {
    private static let millisecondsPerDay: Int64 = 86_400_000

    package static func rfc3339(milliseconds: Int64) -> String {
        let (day, rest) = floorDivision(milliseconds, by: millisecondsPerDay)
        let date = civil(day)
        let time = [
            padded(rest / 3_600_000, 2), padded(rest / 60_000 % 60, 2),
            padded(rest / 1_000 % 60, 2),
        ].joined(separator: ":")
        let calendar = [padded(date.year, 4), padded(date.month, 2), padded(date.day, 2)]
        return "\(calendar.joined(separator: "-"))T\(time).\(padded(rest % 1_000, 3))Z"
    }

    /// The proleptic Gregorian date of a day counted from 1970-01-01, by eras of 400 years that
    /// begin on 1 March, so that the leap day is the last of its year.
    private static func civil(_ day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = floorDivision(day + 719_468, by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }

    private static func floorDivision(_ value: Int64, by divisor: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    private static func padded(_ value: Int64, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}

extension InstantText {
    /// Reads RFC 3339 with `Z` or an offset, years 1970 to 9999, up to nine digits of a second
    /// (cut to milliseconds). `nil` for anything else.
    package static func milliseconds(rfc3339 text: String) -> Int64? {
        var rest = Array(text.utf8)[...]
        guard let year = number(4, &rest), skip("-", &rest), let month = number(2, &rest),
            skip("-", &rest), let day = number(2, &rest), skip("T", &rest),
            let hour = number(2, &rest), skip(":", &rest), let minute = number(2, &rest),
            skip(":", &rest), let second = number(2, &rest),
            let fraction = fraction(&rest), let offsetMinutes = offset(&rest), rest.isEmpty,
            year >= 1970, (1...12).contains(month), (1...days(in: month, of: year)).contains(day),
            hour < 24, minute < 60, second < 60
        else { return nil }
        let dayNumber = daysSince1970(year: year, month: month, day: day)
        let minutes = (dayNumber * 24 + hour) * 60 + minute - offsetMinutes
        return (minutes * 60 + second) * 1_000 + fraction
    }

    private static func days(in month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Years begin in March here, so that the leap day is the last of its year.
    private static func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month > 2 ? year : year - 1
        let era = shifted / 400
        let yearOfEra = shifted % 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
            - 719_468
    }

    private static func number(_ count: Int, _ rest: inout ArraySlice<UInt8>) -> Int64? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        rest = rest.dropFirst(count)
        return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }

    private static func skip(_ scalar: Unicode.Scalar, _ rest: inout ArraySlice<UInt8>) -> Bool {
        guard rest.first == UInt8(ascii: scalar) else { return false }
        rest = rest.dropFirst()
        return true
    }

    private static func fraction(_ rest: inout ArraySlice<UInt8>) -> Int64? {
        guard skip(".", &rest) else { return 0 }
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        guard (1...9).contains(digits.count) else { return nil }
        rest = rest.dropFirst(digits.count)
        let padded = Array(digits.prefix(3)) + Array(repeating: 0x30, count: 3)
        return padded.prefix(3).reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }

    private static func offset(_ rest: inout ArraySlice<UInt8>) -> Int64? {
        if skip("Z", &rest) { return 0 }
        let isWest = rest.first == UInt8(ascii: "-")
        guard skip("+", &rest) || skip("-", &rest), let hours = number(2, &rest),
            skip(":", &rest), let minutes = number(2, &rest), hours < 24, minutes < 60
        else { return nil }
        return (isWest ? -1 : 1) * (hours * 60 + minutes)
    }
}
