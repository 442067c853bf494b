// The functions of the C library streamvbyte (https://github.com/fast-pack/streamvbyte), in the
// library libbytelane_streamvbyte: include this header instead of streamvbyte.h, streamvbytedelta.h
// and streamvbyte_zigzag.h, or relink programs that were compiled with those.
//
// The formats do not store the number of values: the caller must. Like the original, these
// functions trust their caller. bytelane.h has functions that check their input.

#ifndef BYTELANE_STREAMVBYTE_H
#define BYTELANE_STREAMVBYTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Number of bytes after a stream that the original needs; this library neither reads nor writes
// them.
#define STREAMVBYTE_PADDING 16

// Returns the number of bytes that the destination of an encoder needs: the control bytes, 4 bytes
// for each value, and the padding of the original.
static inline size_t streamvbyte_max_compressedbytes(const uint32_t length) {
    return ((size_t)length + 3) / 4 + (size_t)length * 4 + STREAMVBYTE_PADDING;
}

// Encodes values in 1, 2, 3 or 4 bytes each, to `out`, which has at least
// streamvbyte_max_compressedbytes(length) bytes. Returns the number of bytes written.
size_t streamvbyte_encode(const uint32_t *in, uint32_t length, uint8_t *out);

// Same as streamvbyte_encode, in 0, 1, 2 or 4 bytes each.
size_t streamvbyte_encode_0124(const uint32_t *in, uint32_t length, uint8_t *out);

// Same as streamvbyte_encode, for the differences of each value from the previous one, and of the
// first one from `prev`.
size_t streamvbyte_delta_encode(const uint32_t *in, uint32_t length, uint8_t *out, uint32_t prev);

// Decodes `length` values. Returns the number of bytes read.
size_t streamvbyte_decode(const uint8_t *in, uint32_t *out, uint32_t length);

// Same as streamvbyte_decode, for the output of streamvbyte_encode_0124.
size_t streamvbyte_decode_0124(const uint8_t *in, uint32_t *out, uint32_t length);

// Same as streamvbyte_decode, for the output of streamvbyte_delta_encode.
size_t streamvbyte_delta_decode(const uint8_t *in, uint32_t *out, uint32_t length, uint32_t prev);

// Returns the number of bytes that streamvbyte_encode would write.
size_t streamvbyte_compressedbytes(const uint32_t *in, uint32_t length);

// Returns the number of bytes that streamvbyte_encode_0124 would write.
size_t streamvbyte_compressedbytes_0124(const uint32_t *in, uint32_t length);

// Returns whether the first `inLength` bytes of `in` are a stream of `outLength` values, and
// nothing else.
bool streamvbyte_validate_stream(const uint8_t *in, size_t inLength, uint32_t outLength);

// Same as streamvbyte_validate_stream, for the output of streamvbyte_encode_0124.
bool streamvbyte_validate_stream_0124(const uint8_t *in, size_t inLength, uint32_t outLength);

// Maps 0, -1, 1, -2 to 0, 1, 2, 3. `in` and `out` may be the same memory.
void zigzag_encode(const int32_t *in, uint32_t *out, size_t N);

// Same as zigzag_encode, for the differences of each value from the previous one, and of the first
// one from `prev`.
void zigzag_delta_encode(const int32_t *in, uint32_t *out, size_t N, int32_t prev);

// Reverses zigzag_encode.
void zigzag_decode(const uint32_t *in, int32_t *out, size_t N);

// Reverses zigzag_delta_encode.
void zigzag_delta_decode(const uint32_t *in, int32_t *out, size_t N, int32_t prev);

#ifdef __cplusplus
}
#endif

#endif
