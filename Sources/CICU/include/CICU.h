// ICU's locale matching is C++ only; these two functions are all of it that Swift sees.
// Nothing here keeps state or memory: each call builds what it needs (about 4 us) and frees it.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// A language tag with its likely subtags, written as "language-Script-REGION" (parts may be
// empty). Answers 1 when the whole tag was well formed and names a language, else 0.
int32_t cicu_maximize(const char *_Nonnull tag, char *_Nonnull out, int32_t capacity);

// The place in `supported` (a comma-separated list of distinct tags) of the one ICU finds nearest
// to `desired`, or -1 when it finds none.
int32_t cicu_nearest(const char *_Nonnull desired, const char *_Nonnull supported);

#ifdef __cplusplus
}
#endif
