#ifndef HAUL_ZLIB_H
#define HAUL_ZLIB_H

#include <zlib.h>

/* inflateInit2 is a macro, which Swift does not see. */
static inline int haul_inflate_begin(z_stream *stream, int window_bits) {
    return inflateInit2(stream, window_bits);
}

#endif
