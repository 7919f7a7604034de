#include "CICU.h"

#include <cstdio>
#include <cstring>

#include <unicode/localematcher.h>
#include <unicode/uloc.h>

namespace {
// Longer than any tag that the caller lets through (64 bytes), with room for likely subtags.
constexpr int32_t localeBytes = 200;
}

// Allocation failure is the only exception that can arise; it is answered as "no match".
extern "C" int32_t cicu_maximize(const char *tag, char *out, int32_t capacity) try {
    char parsed[localeBytes], likely[localeBytes];
    char language[ULOC_LANG_CAPACITY], script[ULOC_SCRIPT_CAPACITY];
    char region[ULOC_COUNTRY_CAPACITY];
    UErrorCode error = U_ZERO_ERROR;
    int32_t length = 0;
    uloc_forLanguageTag(tag, parsed, localeBytes, &length, &error);
    // A buffer filled to the last byte is a warning to ICU; for us it is a refusal.
    if (error != U_ZERO_ERROR || length != static_cast<int32_t>(strlen(tag))) return 0;
    // Without a language ICU would guess English of the United States.
    uloc_getLanguage(parsed, language, sizeof language, &error);
    if (error != U_ZERO_ERROR || language[0] == 0) return 0;
    uloc_addLikelySubtags(parsed, likely, localeBytes, &error);
    if (error != U_ZERO_ERROR) return 0;
    uloc_getLanguage(likely, language, sizeof language, &error);
    uloc_getScript(likely, script, sizeof script, &error);
    uloc_getCountry(likely, region, sizeof region, &error);
    if (error != U_ZERO_ERROR) return 0;
    int written = snprintf(out, capacity, "%s-%s-%s", language, script, region);
    return written > 0 && written < capacity;
} catch (...) {
    return 0;
}

extern "C" int32_t cicu_nearest(const char *desired, const char *supported) try {
    UErrorCode error = U_ZERO_ERROR;
    auto matcher = icu::LocaleMatcher::Builder()
        .setSupportedLocalesFromListString(supported)
        .setNoDefaultLocale()
        .build(error);
    auto wanted = icu::Locale::forLanguageTag(desired, error);
    auto result = matcher.getBestMatchResult(wanted, error);
    return U_FAILURE(error) ? -1 : result.getSupportedIndex();
} catch (...) {
    return -1;
}
