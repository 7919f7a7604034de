/// Which of the supported locales a reader of another locale understands.
///
/// Apple names the customer's locale in every real-time request; an app has its message in a few
/// locales. `LocaleMatcher` answers which of those that customer can read, nearest first.
///
/// ```
/// "zh_HK" --LocaleTag--> "zh-HK" --ICU: likely subtags--> zh Hant HK --alias--> zh Hant HK
///                                                                                  |
/// supported: zh-Hans (zh Hans CN)  other script: never                             |
///            zh-Hant (zh Hant TW)  same language and script: ICU says how near  <--+
/// ```
///
/// ICU alone is too generous: it offers Russian to a Ukrainian and English to a reader of Welsh,
/// which is worse than the app's own default. So its answer counts only where language and script
/// agree, and the few further pairs that readers do accept stand in `LanguageAlias.all`, each with
/// its reason.
///
/// Foundation's own matching always answers the first entry on Linux; hence ICU.

internal import CICU

/// The two calls into ICU. Stateless: nothing to own, nothing to free.
enum ICU {
    /// Room for language, script and region, each with its separator.
    private static let partsBytesLimit = 64

    /// Language, script and region after likely subtags; nil when the tag is not well formed or
    /// names no language.
    static func maximize(_ tag: String) -> LanguageParts? {
        var buffer = [CChar](repeating: 0, count: partsBytesLimit)
        guard unsafe cicu_maximize(tag, &buffer, Int32(partsBytesLimit)) == 1 else { return nil }
        let written = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        let parts = written.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        return LanguageParts(
            language: String(decoding: parts[0], as: UTF8.self),
            script: String(decoding: parts[1], as: UTF8.self),
            region: String(decoding: parts[2], as: UTF8.self))
    }

    /// The place of the nearest of `supported`, or nil where ICU finds none near enough.
    static func nearest(to desired: LanguageParts, among supported: [LanguageParts]) -> Int? {
        let list = supported.map(\.tag).joined(separator: ",")
        let place = unsafe Int(cicu_nearest(desired.tag, list))
        return supported.indices.contains(place) ? place : nil
    }
}
