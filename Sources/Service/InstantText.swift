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
