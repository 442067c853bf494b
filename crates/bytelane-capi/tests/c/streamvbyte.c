// Compares the functions of libbytelane_streamvbyte with those of libbytelane, on buffers of exactly
// the size that they need.

#include <bytelane.h>
#include <bytelane_streamvbyte.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                      \
    do {                                                                      \
        if (!(condition)) {                                                   \
            fprintf(stderr, "line %d: %s does not hold\n", __LINE__, #condition); \
            exit(1);                                                          \
        }                                                                     \
    } while (0)

int main(void) {
    for (uint32_t count = 0; count < 300; count++) {
        uint32_t *values = malloc(4 * count + 1), *back = malloc(4 * count + 1), state = count;
        for (uint32_t i = 0; i < count; i++) {
            state = state * 1664525 + 1013904223;
            values[i] = state >> (state >> 27);
        }
        for (int kind = 0; kind < 3; kind++) {
            bytelane_stream_vbyte_format format = {kind == 1, kind == 2, 9};
            uint8_t *expected = malloc(streamvbyte_max_compressedbytes(count));
            uint8_t *wide = malloc(streamvbyte_max_compressedbytes(count));
            bytelane_result done = bytelane_stream_vbyte_encode_u32(
                format, values, count, expected, streamvbyte_max_compressedbytes(count));
            size_t length = kind == 0   ? streamvbyte_encode(values, count, wide)
                            : kind == 1 ? streamvbyte_encode_0124(values, count, wide)
                                        : streamvbyte_delta_encode(values, count, wide, 9);
            CHECK(length == done.count && memcmp(wide, expected, length) == 0);
            // No byte follows the stream.
            uint8_t *exact = malloc(length + !length);
            memcpy(exact, wide, length);
            memset(back, 0xff, 4 * count);
            size_t read = kind == 0   ? streamvbyte_decode(exact, back, count)
                          : kind == 1 ? streamvbyte_decode_0124(exact, back, count)
                                      : streamvbyte_delta_decode(exact, back, count, 9);
            CHECK(read == length && memcmp(values, back, 4 * count) == 0);
            if (kind == 0) {
                CHECK(streamvbyte_compressedbytes(values, count) == length);
                CHECK(streamvbyte_validate_stream(exact, length, count));
                CHECK(!streamvbyte_validate_stream(exact, length, count + 5));
            } else if (kind == 1) {
                CHECK(streamvbyte_compressedbytes_0124(values, count) == length);
                CHECK(streamvbyte_validate_stream_0124(exact, length, count));
            }
            free(exact), free(wide), free(expected);
        }
        // In place, as some callers do.
        memcpy(back, values, 4 * count);
        zigzag_delta_encode((const int32_t *)back, back, count, 3);
        zigzag_delta_decode(back, (int32_t *)back, count, 3);
        CHECK(memcmp(values, back, 4 * count) == 0);
        zigzag_encode((const int32_t *)back, back, count);
        if (count > 0) CHECK(back[0] == (values[0] << 1 ^ (uint32_t)-(int32_t)(values[0] >> 31)));
        zigzag_decode(back, (int32_t *)back, count);
        CHECK(memcmp(values, back, 4 * count) == 0);
        free(back), free(values);
    }
    puts("libbytelane_streamvbyte does what libbytelane does");
    return 0;
}
