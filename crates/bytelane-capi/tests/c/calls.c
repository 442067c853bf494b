// Calls every function on buffers of exactly the size that it needs, for tools that detect invalid
// memory accesses: AddressSanitizer and valgrind.
//
//     calls [BACKEND]: fails unless that is the instruction set in use

#include <bytelane.h>

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

static const int OK = BYTELANE_OK;

// Returns memory of exactly this size, with different bytes. Even an empty buffer has its own
// address.
static void *filled(size_t length) {
    static uint32_t state = 1;
    uint8_t *memory = malloc(length ? length : 1);
    CHECK(memory != NULL);
    for (size_t i = 0; i < length; i++) {
        state = state * 1664525 + 1013904223;
        memory[i] = (uint8_t)((state >> 24) >> (state >> 21 & 7));
    }
    return memory;
}

static void same(const void *a, const void *b, size_t length) {
    CHECK(length == 0 || memcmp(a, b, length) == 0);
}

static void byte_stream_split(size_t count) {
    static const size_t widths[] = {1, 2, 4, 8};
    for (int i = 0; i < 4; i++) {
        size_t width = widths[i], length = count * width;
        uint8_t *values = filled(length), *split = filled(length), *back = filled(length);
        bytelane_result done =
            bytelane_byte_stream_split_encode(values, count, width, split, length);
        CHECK(done.status == OK && done.count == length && done.offset == count);
        done = bytelane_byte_stream_split_decode(split, length, back, count, width);
        CHECK(done.status == OK && done.count == count);
        same(values, back, length);
        free(split), free(back), free(values);
    }
    size_t length = 12 * count;
    uint8_t *values = filled(length), *split = filled(length), *back = filled(length);
    CHECK(bytelane_byte_stream_split_encode_bytes(values, length, 12, split, length).status == OK);
    CHECK(bytelane_byte_stream_split_decode_bytes(split, length, 12, back, length).status == OK);
    same(values, back, length);
    size_t start = count / 3, end = count - count / 4;
    uint8_t *part = filled(12 * (end - start));
    CHECK(bytelane_byte_stream_split_decode_range(split, length, 12, start, end, part,
                                                  12 * (end - start)).status == OK);
    same(part, values + 12 * start, 12 * (end - start));
    free(part), free(split), free(back), free(values);
}

static void big_endian(size_t count) {
    static const size_t widths[] = {1, 2, 4, 8};
    for (int i = 0; i < 4; i++) {
        size_t width = widths[i], length = count * width;
        uint8_t *values = filled(length), *bytes = filled(length), *back = filled(length);
        CHECK(bytelane_big_endian_encode(values, count, width, bytes, length).status == OK);
        CHECK(bytelane_big_endian_decode(bytes, length, back, count, width).status == OK);
        same(values, back, length);
        free(bytes), free(back), free(values);
    }
}

static void stream_vbyte(size_t count) {
    for (uint32_t variant = 0; variant < 3; variant++) {
        for (uint32_t flags = 0; flags < 4; flags++) {
            bytelane_stream_vbyte_format format = {variant, flags, 7};
            int wide = variant == BYTELANE_STREAM_VBYTE_1248;
            size_t size = wide ? 8 : 4;
            void *values = filled(count * size), *back = filled(count * size);
            bytelane_result length =
                wide ? bytelane_stream_vbyte_encoded_length_u64(format, values, count)
                     : bytelane_stream_vbyte_encoded_length_u32(format, values, count);
            CHECK(length.count <= bytelane_stream_vbyte_max_encoded_length(format, count));
            uint8_t *bytes = filled(length.count);
            bytelane_result done =
                wide ? bytelane_stream_vbyte_encode_u64(format, values, count, bytes, length.count)
                     : bytelane_stream_vbyte_encode_u32(format, values, count, bytes, length.count);
            CHECK(done.status == OK && done.count == length.count);
            done = bytelane_stream_vbyte_validate(format, bytes, length.count, count);
            CHECK(done.status == OK && done.offset == length.count);
            done = wide ? bytelane_stream_vbyte_decode_u64(format, bytes, length.count, back, count)
                        : bytelane_stream_vbyte_decode_u32(format, bytes, length.count, back, count);
            CHECK(done.status == OK && done.offset == length.count && done.count == count);
            same(values, back, count * size);
            free(bytes), free(back), free(values);
        }
    }
}

#define VARINT(TYPE, NAME)                                                                  \
    static void varint_##NAME(size_t count) {                                               \
        TYPE *values = filled(count * sizeof(TYPE)), *back = filled(count * sizeof(TYPE));  \
        size_t length = bytelane_varint_encoded_length_##NAME(values, count).count;         \
        uint8_t *bytes = filled(length);                                                    \
        CHECK(bytelane_varint_encode_##NAME(values, count, bytes, length).count == length); \
        CHECK(bytelane_varint_count(bytes, length).count == count);                         \
        CHECK(bytelane_varint_decode_##NAME(bytes, length, back, count).offset == length);  \
        same(values, back, count * sizeof(TYPE));                                           \
        free(bytes), free(back), free(values);                                              \
    }
VARINT(uint32_t, u32)
VARINT(uint64_t, u64)
VARINT(int32_t, i32)
VARINT(int64_t, i64)

static void base64(size_t length) {
    for (uint32_t flags = 0; flags < 16; flags++) {
        size_t characters = bytelane_base64_encoded_length(length, flags);
        uint8_t *bytes = filled(length), *text = filled(characters), *back = filled(length);
        bytelane_result done = bytelane_base64_encode(bytes, length, flags, text, characters);
        CHECK(done.status == OK && done.count == characters);
        CHECK(bytelane_base64_decoded_length(text, characters).count == length);
        done = bytelane_base64_decode(text, characters, flags, back, length);
        CHECK(done.status == OK && done.count == length);
        same(bytes, back, length);
        free(text), free(back), free(bytes);
    }
}

static void json_string(size_t length) {
    for (uint32_t flags = 0; flags < 2; flags++) {
        uint8_t *text = filled(length), *back = filled(length);
        for (size_t i = 0; i < length; i++) text[i] &= 0x7f;
        size_t needed = bytelane_json_string_escaped_length(text, length, flags).count;
        uint8_t *json = filled(needed);
        CHECK(bytelane_json_string_escape(text, length, flags, json, needed).count == needed);
        // A quoted string is read from after the opening quote.
        size_t opening = !flags;
        bytelane_result done = bytelane_json_string_unescape(json + opening, needed - opening,
                                                             flags, back, length);
        CHECK(done.status == OK && done.offset == needed - opening && done.count == length);
        same(text, back, length);
        if (!flags) {
            done = bytelane_json_string_scan(json + 1, needed - 1);
            CHECK(done.status == OK && done.offset == needed - 2);
        }
        free(json), free(back), free(text);
    }
}

static void utf8(size_t length) {
    uint8_t *text = filled(length), *copy = filled(length);
    for (size_t i = 0; i < length; i++) text[i] &= 0x7f;
    CHECK(bytelane_utf8_is_ascii(text, length).count == 1);
    if (length > 1) text[length - 2] = 0xc3, text[length - 1] = 0xb6;
    size_t characters = length - (length > 1);
    CHECK(bytelane_utf8_validate(text, length).count == characters);
    CHECK(bytelane_utf8_copy(text, length, copy, length).count == length);
    same(text, copy, length);
    if (length > 1) {
        bytelane_result cut = bytelane_utf8_validate(text, length - 1);
        CHECK(cut.status == BYTELANE_TRUNCATED && cut.offset == length - 2);
    }
    free(copy), free(text);
}

#define BIT_PACKING(TYPE, NAME)                                                                \
    static void bit_packing_##NAME(size_t count) {                                             \
        TYPE *values = filled(count * sizeof(TYPE)), *back = filled(count * sizeof(TYPE));     \
        bytelane_bit_packing_format format = {8 * sizeof(TYPE), 0, 3};                         \
        size_t length = bytelane_bit_packing_encoded_length(format, count);                    \
        uint8_t *bytes = filled(length);                                                       \
        CHECK(bytelane_bit_packing_encode_##NAME(format, values, count, bytes, length).count   \
              == length);                                                                      \
        CHECK(bytelane_bit_packing_decode_##NAME(format, bytes, length, back, count).offset    \
              == length);                                                                      \
        same(values, back, count * sizeof(TYPE));                                              \
        free(bytes), free(back), free(values);                                                 \
    }
BIT_PACKING(uint8_t, u8)
BIT_PACKING(uint16_t, u16)
BIT_PACKING(uint32_t, u32)
BIT_PACKING(uint64_t, u64)
BIT_PACKING(int32_t, i32)
BIT_PACKING(int64_t, i64)

#define DELTA(TYPE, NAME)                                                                      \
    static void delta_##NAME(size_t count) {                                                   \
        TYPE *values = filled(count * sizeof(TYPE)), *back = filled(count * sizeof(TYPE));     \
        bytelane_delta_format format = {0, 0};                                                 \
        size_t most = bytelane_delta_max_encoded_length(format, count);                        \
        uint8_t *room = filled(most);                                                          \
        size_t length = bytelane_delta_encode_##NAME(format, values, count, room, most).count; \
        uint8_t *bytes = filled(length);                                                       \
        CHECK(bytelane_delta_encode_##NAME(format, values, count, bytes, length).count         \
              == length);                                                                      \
        CHECK(bytelane_delta_stored(bytes, length).count == count);                            \
        CHECK(bytelane_delta_decode_##NAME(bytes, length, back, count).count == count);        \
        same(values, back, count * sizeof(TYPE));                                              \
        free(room), free(bytes), free(back), free(values);                                     \
    }
DELTA(int32_t, i32)
DELTA(int64_t, i64)

#define ALP(TYPE, NAME)                                                                        \
    static void alp_##NAME(size_t count) {                                                     \
        TYPE *values = filled(count * sizeof(TYPE)), *back = filled(count * sizeof(TYPE));     \
        size_t most = bytelane_alp_max_encoded_length(64, sizeof(TYPE), count);                \
        uint8_t *room = filled(most);                                                          \
        size_t length = bytelane_alp_encode_##NAME(64, values, count, room, most).count;       \
        uint8_t *bytes = filled(length);                                                       \
        CHECK(bytelane_alp_encode_##NAME(64, values, count, bytes, length).count == length);   \
        CHECK(bytelane_alp_estimated_length_##NAME(64, values, count).status == BYTELANE_OK);  \
        CHECK(bytelane_alp_stored(bytes, length).count == count);                              \
        CHECK(bytelane_alp_validate_##NAME(bytes, length).offset == length);                   \
        CHECK(bytelane_alp_decode_##NAME(bytes, length, back, count).count == count);          \
        same(values, back, count * sizeof(TYPE));                                              \
        size_t half = count / 2;                                                               \
        CHECK(bytelane_alp_decode_range_##NAME(bytes, length, half, back, count - half).count  \
              == count - half);                                                                \
        same(values + half, back, (count - half) * sizeof(TYPE));                              \
        CHECK(bytelane_alp_decode_range_##NAME(bytes, length, half + 1, back, count - half).status \
              == BYTELANE_RANGE);                                                              \
        free(room), free(bytes), free(back), free(values);                                     \
    }
ALP(float, f32)
ALP(double, f64)

#define RLE_HYBRID(TYPE, NAME)                                                                 \
    static void rle_hybrid_##NAME(size_t count) {                                              \
        TYPE *values = filled(count * sizeof(TYPE)), *back = filled(count * sizeof(TYPE));     \
        uint32_t width = 8 * sizeof(TYPE);                                                     \
        size_t most = bytelane_rle_hybrid_max_encoded_length(width, count);                    \
        uint8_t *room = filled(most);                                                          \
        size_t length                                                                          \
            = bytelane_rle_hybrid_encode_##NAME(width, values, count, room, most).count;       \
        uint8_t *bytes = filled(length);                                                       \
        CHECK(bytelane_rle_hybrid_encode_##NAME(width, values, count, bytes, length).count     \
              == length);                                                                      \
        CHECK(bytelane_rle_hybrid_decode_##NAME(width, bytes, length, back, count).offset      \
              == length);                                                                      \
        same(values, back, count * sizeof(TYPE));                                              \
        free(room), free(bytes), free(back), free(values);                                     \
    }
RLE_HYBRID(uint8_t, u8)
RLE_HYBRID(uint16_t, u16)
RLE_HYBRID(uint32_t, u32)

static void rle_hybrid_bits(size_t length) {
    uint8_t *bitmap = filled(length), *back = filled(length);
    size_t most = bytelane_rle_hybrid_max_encoded_length(1, 8 * length);
    uint8_t *bytes = filled(most);
    bytelane_result done = bytelane_rle_hybrid_encode_bits(bitmap, length, 8 * length, bytes, most);
    CHECK(done.status == BYTELANE_OK && done.offset == length);
    done = bytelane_rle_hybrid_decode_bits(bytes, done.count, 8 * length, back, length);
    CHECK(done.status == BYTELANE_OK && done.count == length);
    same(bitmap, back, length);
    done = bytelane_rle_hybrid_encode_bits(bitmap, length, 8 * length + 1, bytes, most);
    CHECK(done.status == BYTELANE_RANGE);
    free(bytes), free(back), free(bitmap);
}

#define VALIDITY(TYPE, NAME)                                                                   \
    static void validity_##NAME(size_t count) {                                                \
        size_t length = (count + 7) / 8;                                                       \
        uint8_t *bitmap = filled(length), *again = filled(length);                             \
        TYPE *levels = filled(count * sizeof(TYPE));                                           \
        CHECK(bytelane_validity_decode_##NAME(3, bitmap, length, levels, count).offset         \
              == length);                                                                      \
        CHECK(bytelane_validity_encode_##NAME(3, levels, count, again, length).count           \
              == length);                                                                      \
        if (count % 8 == 0) same(bitmap, again, length);                                       \
        CHECK(bytelane_validity_decode_##NAME(3, bitmap, length, levels, 8 * length + 1).status \
              == BYTELANE_RANGE);                                                              \
        free(levels), free(again), free(bitmap);                                               \
    }
VALIDITY(uint8_t, u8)
VALIDITY(uint16_t, u16)

static void validity_values(size_t count, size_t width) {
    size_t length = (count + 7) / 8, bytes = count * width;
    uint8_t *bitmap = filled(length), *values = filled(bytes);
    bytelane_result valid = bytelane_validity_count_valid(bitmap, length, count);
    CHECK(valid.status == BYTELANE_OK && valid.offset == length && valid.count <= count);
    uint8_t *dense = filled(valid.count * width), *again = filled(valid.count * width);
    bytelane_result done
        = bytelane_validity_spread(dense, valid.count, width, bitmap, length, values, count);
    CHECK(done.status == BYTELANE_OK && done.offset == valid.count && done.count == count);
    done = bytelane_validity_compact(values, count, width, bitmap, length, again, valid.count);
    CHECK(done.status == BYTELANE_OK && done.offset == count && done.count == valid.count);
    same(dense, again, valid.count * width);
    if (valid.count > 0) {
        done = bytelane_validity_spread(dense, valid.count - 1, width, bitmap, length, values, count);
        CHECK(done.status == BYTELANE_MALFORMED);
        done = bytelane_validity_compact(
            values, count, width, bitmap, length, again, valid.count - 1);
        CHECK(done.status == BYTELANE_DESTINATION && done.count == valid.count);
        done = bytelane_validity_compact(values, count, width, values, length, values, valid.count);
        CHECK(done.status == BYTELANE_OVERLAP);
        done = bytelane_validity_spread(dense, valid.count, 3, bitmap, length, values, count);
        CHECK(done.status == BYTELANE_ARGUMENT);
    }
    free(again), free(dense), free(values), free(bitmap);
}

#define FSST(TYPE, NAME)                                                                       \
    static void fsst_##NAME(size_t count) {                                                    \
        /* One string for each three bytes, and an empty one at the end. */                    \
        size_t length = 3 * count, ends = count + 2;                                           \
        uint8_t *text = filled(length), *back = filled(length), *found = filled(count + 1);    \
        TYPE *offsets = filled(ends * sizeof(TYPE)), *others = filled(ends * sizeof(TYPE));    \
        for (size_t i = 0; i < ends; i++) offsets[i] = (TYPE)(i <= count ? 3 * i : length);    \
        bytelane_fsst_table *trained = NULL, *table = NULL;                                    \
        bytelane_result done                                                                   \
            = bytelane_fsst_train_##NAME(text, length, offsets, ends, &trained);               \
        CHECK(done.status == OK && done.offset == length);                                     \
        size_t symbols = done.count;                                                           \
        uint8_t room[2057];                                                                    \
        done = bytelane_fsst_write_table(trained, room, sizeof room);                          \
        CHECK(done.status == OK && done.offset == symbols);                                    \
        size_t size = done.count;                                                              \
        uint8_t *form = filled(size);                                                          \
        CHECK(bytelane_fsst_write_table(trained, form, size).count == size);                   \
        done = bytelane_fsst_read_table(form, size, &table);                                   \
        CHECK(done.status == OK && done.offset == size && done.count == symbols);              \
        bytelane_fsst_free(trained);                                                           \
        size_t needed = bytelane_fsst_encode_strings_##NAME(table, text, length, offsets,      \
                                                            ends, NULL, 0, others, ends)       \
                            .count;                                                            \
        uint8_t *codes = filled(needed);                                                       \
        done = bytelane_fsst_encode_strings_##NAME(table, text, length, offsets, ends, codes,  \
                                                   needed, others, ends);                      \
        CHECK(done.status == OK && done.offset == length && done.count == needed);             \
        CHECK(bytelane_fsst_decoded_length(table, codes, needed).count == length);             \
        CHECK(bytelane_fsst_decode(table, codes, needed, back, length).count == length);       \
        same(text, back, length);                                                              \
        TYPE *again = filled(ends * sizeof(TYPE));                                             \
        done = bytelane_fsst_decode_strings_##NAME(table, codes, needed, others, ends, back,   \
                                                   length, again, ends);                       \
        CHECK(done.status == OK && done.count == length);                                      \
        same(text, back, length), same(offsets, again, ends * sizeof(TYPE));                   \
        /* The second half of the strings. */                                                  \
        size_t half = count / 2, rest = count - half;                                          \
        done = bytelane_fsst_decode_strings_##NAME(table, codes, needed, others + half,        \
                                                   rest + 1, back, 3 * rest, again, rest + 1); \
        CHECK(done.status == OK && done.count == 3 * rest && again[0] == 0);                   \
        same(text + 3 * half, back, 3 * rest);                                                 \
        size_t of_text = count ? 3 : 0;                                                        \
        done = bytelane_fsst_equals_##NAME(table, codes, needed, others, ends, text, of_text,  \
                                           found, count + 1);                                  \
        CHECK(done.status == OK && done.count == count + 1 && found[0] == 1);                  \
        CHECK(found[count] == (count == 0));                                                   \
        done = bytelane_fsst_starts_with_##NAME(table, codes, needed, others, ends, text,      \
                                                of_text / 2, found, count + 1);                \
        CHECK(done.status == OK && found[0] == 1 && found[count] == (count == 0));             \
        done = bytelane_fsst_contains_##NAME(table, codes, needed, others, ends, text,         \
                                             of_text, found, count + 1);                       \
        CHECK(done.status == OK && found[0] == 1 && found[count] == (count == 0));             \
        size_t one = bytelane_fsst_encoded_length(table, text, of_text).count;                 \
        uint8_t *string = filled(one);                                                         \
        CHECK(bytelane_fsst_encode(table, text, of_text, string, one).count == one);           \
        same(codes, string, one);                                                              \
        free(string), free(again), free(codes), free(form), free(others), free(offsets);       \
        free(found), free(back), free(text);                                                   \
        bytelane_fsst_free(table);                                                             \
    }
FSST(int32_t, i32)
FSST(int64_t, i64)

static void refused(void) {
    uint8_t memory[64] = {0};
    CHECK(bytelane_base64_encode(NULL, 1, 0, memory, 64).status == BYTELANE_NULL);
    CHECK(bytelane_base64_encode(memory, SIZE_MAX, 0, NULL, 0).status == BYTELANE_LENGTH);
    CHECK(bytelane_base64_encode(memory, 32, 0, memory + 31, 33).status == BYTELANE_OVERLAP);
    bytelane_result done = bytelane_base64_encode(memory, 3, 0, memory + 32, 3);
    CHECK(done.status == BYTELANE_DESTINATION && done.count == 4 && memory[32] == 0);
    done = bytelane_base64_decode((const uint8_t *)"AA?A", 4, 0, memory, 64);
    CHECK(done.status == BYTELANE_INVALID_BYTE && done.offset == 2);
    CHECK(bytelane_fsst_decode(NULL, memory, 32, memory + 32, 32).status == BYTELANE_NULL);
    CHECK(bytelane_fsst_read_table(memory, 16, NULL).status == BYTELANE_NULL);
    bytelane_fsst_free(NULL);
    CHECK(strcmp(bytelane_status_message(BYTELANE_OVERLAP), "the buffers overlap") == 0);
    CHECK(bytelane_set_backend("nonsense") == BYTELANE_ARGUMENT);
}

int main(int count, char **arguments) {
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", BYTELANE_VERSION_MAJOR, BYTELANE_VERSION_MINOR,
             BYTELANE_VERSION_PATCH);
    CHECK(strcmp(version, bytelane_version()) == 0);
    if (count > 1 && strcmp(arguments[1], bytelane_backend()) != 0) {
        fprintf(stderr, "%s is in use, not %s\n", bytelane_backend(), arguments[1]);
        return 1;
    }
    refused();
    static const size_t lengths[] = {300, 511, 1000, 4099};
    for (size_t i = 0; i < 140 + 4; i++) {
        size_t length = i < 140 ? i : lengths[i - 140];
        byte_stream_split(length);
        big_endian(length);
        stream_vbyte(length);
        varint_u32(length), varint_u64(length), varint_i32(length), varint_i64(length);
        base64(length);
        json_string(length);
        utf8(length);
        bit_packing_u8(length), bit_packing_u16(length), bit_packing_u32(length);
        bit_packing_u64(length), bit_packing_i32(length), bit_packing_i64(length);
        delta_i32(length), delta_i64(length);
        alp_f32(length), alp_f64(length);
        if (length % 7 == 0) fsst_i32(length), fsst_i64(length);
        rle_hybrid_u8(length), rle_hybrid_u16(length), rle_hybrid_u32(length);
        rle_hybrid_bits(length);
        validity_u8(length), validity_u16(length);
        validity_values(length, 1), validity_values(length, 2);
        validity_values(length, 4), validity_values(length, 8);
    }
    printf("all calls are right on %s\n", bytelane_backend());
    return 0;
}
