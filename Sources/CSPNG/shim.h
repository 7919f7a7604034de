#pragma once

// libspng decodes and encodes pixels. zlib, on which it stands, is here for what it does not tell: the
// checksums of chunks that it never sees, and whether the compressed data ends where the picture does.
#include <spng.h>
#include <zlib.h>
