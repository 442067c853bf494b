// bytelane: codecs between values in memory and the bytes of wire and file formats, with SIMD.
//
// This file is generated from crates/bytelane-capi; do not edit it.
//
// Rules for every function:
//
// - A buffer is a pointer and a length, in bytes for `uint8_t` and in values otherwise. No function
//   reads or writes outside its buffers, and none needs padding. A null pointer is allowed if the
//   length is 0.
// - The caller guarantees that the memory is valid: readable for inputs, writable for destinations,
//   which need not be initialised; and that no other thread writes to it during the call. The
//   functions check what they can: null pointers, lengths above PTRDIFF_MAX, alignment of values,
//   and overlapping buffers result in an error status, and nothing is written.
// - A destination that is too short results in BYTELANE_DESTINATION and the required length, and
//   nothing is written.
// - No function allocates memory, takes a lock, unwinds, calls exit or reads the environment, except
//   those of FSST, whose symbol tables are objects on the heap. There is no global state except the
//   detected instruction set. All functions can be called from several threads at once.
// - A bug in the library itself aborts the process: it does not unwind into its caller.


#ifndef BYTELANE_H
#define BYTELANE_H

#include <stddef.h>
#include <stdint.h>

// The version of this header. `bytelane_version` returns that of the library.
#define BYTELANE_VERSION_MAJOR 0
#define BYTELANE_VERSION_MINOR 1
#define BYTELANE_VERSION_PATCH 0

// The `offset` of a failure without a position in the input.
#define BYTELANE_NOWHERE SIZE_MAX



// Variant of Stream VByte: 32-bit values in 1, 2, 3 or 4 bytes.
#define BYTELANE_STREAM_VBYTE_1234 0

// Variant of Stream VByte: 32-bit values in 0, 1, 2 or 4 bytes.
#define BYTELANE_STREAM_VBYTE_0124 1

// Variant of Stream VByte: 64-bit values in 1, 2, 4 or 8 bytes.
#define BYTELANE_STREAM_VBYTE_1248 2

// Flag of a `bytelane_stream_vbyte_format`: store the difference of each value from the previous
// one, and of the first one from `start`.
#define BYTELANE_STREAM_VBYTE_DELTA 1

// Flag of a `bytelane_stream_vbyte_format`: store 0, -1, 1, -2 as 0, 1, 2, 3.
#define BYTELANE_STREAM_VBYTE_ZIGZAG 2

// Maximum number of bytes of the varint of a 32-bit integer.
#define BYTELANE_VARINT_MAX_32 5

// Maximum number of bytes of the varint of a 64-bit integer.
#define BYTELANE_VARINT_MAX_64 10

// Flag of the base64 functions: `-` and `_` instead of `+` and `/`.
#define BYTELANE_BASE64_URL_SAFE 1

// Flag of the base64 functions: no padding, neither written nor accepted. Without it, padding is
// written and required.
#define BYTELANE_BASE64_NO_PADDING 2

// Flag of the base64 functions: accept text with or without padding.
#define BYTELANE_BASE64_PADDING_OPTIONAL 4

// Flag of the base64 functions: accept a last character with bits beyond the last byte.
#define BYTELANE_BASE64_TRAILING_BITS 8

// Flag of the JSON functions: no quotes around the text. Without it, writing adds both quotes, and
// reading starts after the opening quote and stops after the closing one.
#define BYTELANE_JSON_STRING_BARE 1

// Flag of a `bytelane_bit_packing_format`: pack 0, -1, 1, -2 as 0, 1, 2, 3. Only for signed
// integers, and without a reference.
#define BYTELANE_BIT_PACKING_ZIGZAG 1

// Status of a call.
//
// Statuses below 10 are errors of the caller; unless the function says otherwise, nothing has been
// written then. Statuses from 10 on mean that the input is malformed; the contents of the
// destination are then unspecified, within its length. Later versions may add statuses.
typedef enum bytelane_status {
  // The call succeeded.
  BYTELANE_OK = 0,
  // A pointer is null, but its length is not 0.
  BYTELANE_NULL = 1,
  // A buffer would have more than `PTRDIFF_MAX` bytes.
  BYTELANE_LENGTH = 2,
  // The buffers overlap.
  BYTELANE_OVERLAP = 3,
  // A pointer to values is not aligned to their size.
  BYTELANE_MISALIGNED = 4,
  // A width, variant, flag or name does not exist.
  BYTELANE_ARGUMENT = 5,
  // The destination is too short; `count` is the required length.
  BYTELANE_DESTINATION = 6,
  // The length of the input is not a multiple of the width.
  BYTELANE_INDIVISIBLE = 7,
  // A range is not within the values.
  BYTELANE_RANGE = 8,
  // This CPU lacks the backend.
  BYTELANE_UNAVAILABLE = 9,
  // The input is malformed in a way for which this version of the header has no status.
  BYTELANE_MALFORMED = 10,
  // The input ends too early.
  BYTELANE_TRUNCATED = 11,
  // A varint has more bytes than its type allows.
  BYTELANE_OVERLONG = 12,
  // The value of a varint does not fit its type.
  BYTELANE_OVERFLOW = 13,
  // A byte is not in the base64 alphabet.
  BYTELANE_INVALID_BYTE = 14,
  // The padding of a base64 text is missing or not allowed.
  BYTELANE_INVALID_PADDING = 15,
  // The last character of a base64 text has bits beyond the last byte.
  BYTELANE_INVALID_LAST_SYMBOL = 16,
  // Bytes are not UTF-8.
  BYTELANE_INVALID_UTF8 = 17,
  // A JSON string without quotes around it contains an unescaped quote.
  BYTELANE_UNEXPECTED_QUOTE = 18,
  // A JSON string contains an unescaped control character.
  BYTELANE_CONTROL_CHARACTER = 19,
  // A JSON string contains an unknown escape.
  BYTELANE_INVALID_ESCAPE = 20,
  // A JSON string contains `\u` without four hexadecimal digits.
  BYTELANE_INVALID_HEX = 21,
  // A JSON string contains one half of a surrogate pair without the other.
  BYTELANE_LONE_SURROGATE = 22,
  // A value does not fit the width.
  BYTELANE_INVALID_VALUE = 23,
  // An encoded string contains a code without a symbol.
  BYTELANE_UNKNOWN_CODE = 24,
} bytelane_status;

// Symbol table of FSST. Functions that take one fail with `BYTELANE_NULL` if it is null. It never changes, so that several
// threads can use it at once.
//
// Strings are bytes, one string after the other, and offsets into them, one more than there are strings: string `i` has the
// bytes from offset `i` up to offset `i + 1`. The first offset need not be 0, so to pass some of the strings, begin with another
// offset and pass fewer. Functions that take strings fail with `BYTELANE_RANGE` if the offsets decrease or are beyond the bytes.
typedef struct bytelane_fsst_table bytelane_fsst_table;

// Result of a call.
typedef struct bytelane_result {
  // Status of the call.
  enum bytelane_status status;
  // On success, the number of elements of the input that were read: bytes or values. On failure,
  // the offset of the malformed byte, or `BYTELANE_NOWHERE`.
  size_t offset;
  // On success, the number of elements of the destination that were written: bytes or values.
  // With `BYTELANE_DESTINATION`, the number that the destination needs. Otherwise 0.
  size_t count;
} bytelane_result;

// Format of encoded values. All zeros is the original format of the C library `streamvbyte`.
//
// Pass signed values as unsigned values with the same bits.
typedef struct bytelane_stream_vbyte_format {
  // `BYTELANE_STREAM_VBYTE_1234`, `.._0124` or `.._1248`.
  uint32_t variant;
  // 0 or a sum of `BYTELANE_STREAM_VBYTE_DELTA` and `BYTELANE_STREAM_VBYTE_ZIGZAG`.
  uint32_t flags;
  // Value before the first one, for `BYTELANE_STREAM_VBYTE_DELTA`; otherwise ignored.
  uint64_t start;
} bytelane_stream_vbyte_format;

// Format of packed integers.
typedef struct bytelane_bit_packing_format {
  // Number of bits per value, from 0 to those of the type.
  uint32_t width;
  // 0 or `BYTELANE_BIT_PACKING_ZIGZAG`.
  uint32_t flags;
  // Number subtracted from the values, modulo the size of the type; usually the smallest value.
  uint64_t reference;
} bytelane_bit_packing_format;

// Format of packed differences. All zeros means blocks of 128 values in 4 miniblocks, which most
// writers use.
typedef struct bytelane_delta_format {
  // Number of values per block: a multiple of 128.
  uint32_t block;
  // Number of miniblocks per block, each of a multiple of 32 values.
  uint32_t miniblocks;
} bytelane_delta_format;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Returns the version of the library, such as "0.1.0".
const char *bytelane_version(void);

// Describes a status in an English phrase; never null, even for numbers that are not a status.
const char *bytelane_status_message(int status);

// Returns the name of the instruction set that all calls use, such as "avx2". It is the best one
// of this CPU unless `bytelane_set_backend` chose another.
const char *bytelane_backend(void);

// Makes all later calls in this process use the instruction set of this name: `scalar`, `sse4.1`,
// `avx2`, `avx512` or `neon`. For tests and measurements.
//
// Fails with `BYTELANE_ARGUMENT` for an unknown name, and with `BYTELANE_UNAVAILABLE` if this CPU
// lacks it; nothing changes then. `name` ends with a null byte.
enum bytelane_status bytelane_set_backend(const char *name);

// Splits `count` numbers of `width` bytes (1, 2, 4 or 8), aligned to their width and in this
// machine's byte order, into the streams of their little-endian bytes. The result has `count *
// width` bytes.
struct bytelane_result bytelane_byte_stream_split_encode(const void *values,
                                                         size_t count,
                                                         size_t width,
                                                         uint8_t *dst,
                                                         size_t dst_length);

// Reads numbers of `width` bytes (1, 2, 4 or 8) from all of `src`, their streams, to the front of
// `values`, which is aligned to the width and has room for `count` of them.
//
// Fails with `BYTELANE_INDIVISIBLE` if `src_length` is not a multiple of the width.
struct bytelane_result bytelane_byte_stream_split_decode(const uint8_t *src,
                                                         size_t src_length,
                                                         void *values,
                                                         size_t count,
                                                         size_t width);

// Splits values of any `width` except 0, given as bytes, such as Parquet's `FIXED_LEN_BYTE_ARRAY`.
// No alignment is needed. The result has `src_length` bytes.
//
// Fails with `BYTELANE_INDIVISIBLE` if `src_length` is not a multiple of the width.
struct bytelane_result bytelane_byte_stream_split_encode_bytes(const uint8_t *src,
                                                               size_t src_length,
                                                               size_t width,
                                                               uint8_t *dst,
                                                               size_t dst_length);

// Reverses `bytelane_byte_stream_split_encode_bytes`. The result has `src_length` bytes.
struct bytelane_result bytelane_byte_stream_split_decode_bytes(const uint8_t *src,
                                                               size_t src_length,
                                                               size_t width,
                                                               uint8_t *dst,
                                                               size_t dst_length);

// Decodes only the values from number `start` up to, but not including, number `end`, from all
// streams in `src`. The result has `(end - start) * width` bytes; `offset` is `src_length`.
//
// Fails with `BYTELANE_RANGE` if the range is not within the values.
struct bytelane_result bytelane_byte_stream_split_decode_range(const uint8_t *src,
                                                               size_t src_length,
                                                               size_t width,
                                                               size_t start,
                                                               size_t end,
                                                               uint8_t *dst,
                                                               size_t dst_length);

// Writes `count` numbers of `width` bytes (1, 2, 4 or 8), aligned to their width, as big-endian
// bytes. The result has `count * width` bytes.
struct bytelane_result bytelane_big_endian_encode(const void *values,
                                                  size_t count,
                                                  size_t width,
                                                  uint8_t *dst,
                                                  size_t dst_length);

// Reads numbers of `width` bytes (1, 2, 4 or 8) from all of `src`, their big-endian bytes, to the
// front of `values`, which is aligned to the width and has room for `count` of them.
//
// Fails with `BYTELANE_INDIVISIBLE` if `src_length` is not a multiple of the width.
struct bytelane_result bytelane_big_endian_decode(const uint8_t *src,
                                                  size_t src_length,
                                                  void *values,
                                                  size_t count,
                                                  size_t width);

// Returns the maximum encoded length of `count` values: `SIZE_MAX` if it does not fit in a
// `size_t` or the format does not exist.
size_t bytelane_stream_vbyte_max_encoded_length(struct bytelane_stream_vbyte_format format,
                                                size_t count);

// Encodes `count` values in a 32-bit format. `dst` only needs room for the result; encoding is
// faster if it has the maximum. Bytes of `dst` after the result may be overwritten. The number of
// values is not stored.
struct bytelane_result bytelane_stream_vbyte_encode_u32(struct bytelane_stream_vbyte_format format,
                                                        const uint32_t *values,
                                                        size_t count,
                                                        uint8_t *dst,
                                                        size_t dst_length);

// Same as `bytelane_stream_vbyte_encode_u32`, in a 64-bit format.
struct bytelane_result bytelane_stream_vbyte_encode_u64(struct bytelane_stream_vbyte_format format,
                                                        const uint64_t *values,
                                                        size_t count,
                                                        uint8_t *dst,
                                                        size_t dst_length);

// Decodes `count` values in a 32-bit format from the front of `src`, which may be longer: `offset`
// is the number of bytes read.
//
// Fails with `BYTELANE_TRUNCATED` if `src` is too short. No padding is needed.
struct bytelane_result bytelane_stream_vbyte_decode_u32(struct bytelane_stream_vbyte_format format,
                                                        const uint8_t *src,
                                                        size_t src_length,
                                                        uint32_t *values,
                                                        size_t count);

// Same as `bytelane_stream_vbyte_decode_u32`, in a 64-bit format.
struct bytelane_result bytelane_stream_vbyte_decode_u64(struct bytelane_stream_vbyte_format format,
                                                        const uint8_t *src,
                                                        size_t src_length,
                                                        uint64_t *values,
                                                        size_t count);

// Counts the bytes that `bytelane_stream_vbyte_encode_u32` would write: `count` is their number.
struct bytelane_result bytelane_stream_vbyte_encoded_length_u32(struct bytelane_stream_vbyte_format format,
                                                                const uint32_t *values,
                                                                size_t count);

// Same as `bytelane_stream_vbyte_encoded_length_u32`, in a 64-bit format.
struct bytelane_result bytelane_stream_vbyte_encoded_length_u64(struct bytelane_stream_vbyte_format format,
                                                                const uint64_t *values,
                                                                size_t count);

// Checks that `src` has all data of its first `count` values, without decoding them: `offset` is
// their length in bytes, and the result's `count` is 0.
//
// Fails with `BYTELANE_TRUNCATED`. Any bytes are valid values, as long as there are enough.
struct bytelane_result bytelane_stream_vbyte_validate(struct bytelane_stream_vbyte_format format,
                                                      const uint8_t *src,
                                                      size_t src_length,
                                                      size_t count);

// Writes the varints of `count` values. `dst` only needs room for the result; encoding is a little
// faster if it has the maximum, `count * BYTELANE_VARINT_MAX_32`. Bytes of `dst` after the result
// may be overwritten.
struct bytelane_result bytelane_varint_encode_u32(const uint32_t *values,
                                                  size_t count,
                                                  uint8_t *dst,
                                                  size_t dst_length);

// Same as `bytelane_varint_encode_u32`; the maximum is `count * BYTELANE_VARINT_MAX_64`.
struct bytelane_result bytelane_varint_encode_u64(const uint64_t *values,
                                                  size_t count,
                                                  uint8_t *dst,
                                                  size_t dst_length);

// Same as `bytelane_varint_encode_u32`, with zigzag: 0, -1, 1, -2 are written as 0, 1, 2, 3.
struct bytelane_result bytelane_varint_encode_i32(const int32_t *values,
                                                  size_t count,
                                                  uint8_t *dst,
                                                  size_t dst_length);

// Same as `bytelane_varint_encode_u64`, with zigzag.
struct bytelane_result bytelane_varint_encode_i64(const int64_t *values,
                                                  size_t count,
                                                  uint8_t *dst,
                                                  size_t dst_length);

// Reads `count` varints from the front of `src`, which may be longer: `offset` is the number of
// bytes read.
//
// Fails with `BYTELANE_TRUNCATED`, `BYTELANE_OVERLONG` or `BYTELANE_OVERFLOW`; `offset` is then
// the start of the malformed varint.
struct bytelane_result bytelane_varint_decode_u32(const uint8_t *src,
                                                  size_t src_length,
                                                  uint32_t *values,
                                                  size_t count);

// Same as `bytelane_varint_decode_u32`.
struct bytelane_result bytelane_varint_decode_u64(const uint8_t *src,
                                                  size_t src_length,
                                                  uint64_t *values,
                                                  size_t count);

// Same as `bytelane_varint_decode_u32`, with zigzag.
struct bytelane_result bytelane_varint_decode_i32(const uint8_t *src,
                                                  size_t src_length,
                                                  int32_t *values,
                                                  size_t count);

// Same as `bytelane_varint_decode_u32`, with zigzag.
struct bytelane_result bytelane_varint_decode_i64(const uint8_t *src,
                                                  size_t src_length,
                                                  int64_t *values,
                                                  size_t count);

// Counts the varints that end within `src`: `count` is their number. It does not check whether
// they are well formed.
struct bytelane_result bytelane_varint_count(const uint8_t *src, size_t src_length);

// Counts the bytes that `bytelane_varint_encode_u32` would write: `count` is their number.
struct bytelane_result bytelane_varint_encoded_length_u32(const uint32_t *values, size_t count);

// Same as `bytelane_varint_encoded_length_u32`.
struct bytelane_result bytelane_varint_encoded_length_u64(const uint64_t *values, size_t count);

// Same as `bytelane_varint_encoded_length_u32`, with zigzag.
struct bytelane_result bytelane_varint_encoded_length_i32(const int32_t *values, size_t count);

// Same as `bytelane_varint_encoded_length_u32`, with zigzag.
struct bytelane_result bytelane_varint_encoded_length_i64(const int64_t *values, size_t count);

// Returns the number of characters that `bytelane_base64_encode` writes for `length` bytes:
// `SIZE_MAX` if it does not fit in a `size_t` or a flag does not exist.
size_t bytelane_base64_encoded_length(size_t length, uint32_t flags);

// Writes bytes as text, without a null byte at its end. The result has
// `bytelane_base64_encoded_length` characters.
//
// `flags` is 0 or a sum of `BYTELANE_BASE64_..`.
struct bytelane_result bytelane_base64_encode(const uint8_t *src,
                                              size_t src_length,
                                              uint32_t flags,
                                              uint8_t *dst,
                                              size_t dst_length);

// Counts the bytes that a text encodes, if it is valid: `count` is their number. It looks only at
// the length and the last two characters.
struct bytelane_result bytelane_base64_decoded_length(const uint8_t *src, size_t src_length);

// Decodes all of a text. Whitespace and everything else that no encoder writes is an error, unless
// a flag says otherwise. `src_length / 4 * 3 + 2` bytes are always enough room.
//
// `flags` is 0 or a sum of `BYTELANE_BASE64_..`. Fails with `BYTELANE_INVALID_BYTE`,
// `BYTELANE_INVALID_PADDING`, `BYTELANE_INVALID_LAST_SYMBOL` or, if the last group has only one
// character, `BYTELANE_TRUNCATED`.
struct bytelane_result bytelane_base64_decode(const uint8_t *src,
                                              size_t src_length,
                                              uint32_t flags,
                                              uint8_t *dst,
                                              size_t dst_length);

// Counts the bytes that `bytelane_json_string_escape` would write: `count` is their number.
struct bytelane_result bytelane_json_string_escaped_length(const uint8_t *src,
                                                           size_t src_length,
                                                           uint32_t flags);

// Writes a UTF-8 text as a JSON string. `dst` only needs room for the result; escaping is faster
// if it has the maximum, `6 * src_length + 2`. Bytes of `dst` after the result may be overwritten.
//
// `flags` is 0 or `BYTELANE_JSON_STRING_BARE`. Fails with `BYTELANE_INVALID_UTF8`; nothing is
// written then.
struct bytelane_result bytelane_json_string_escape(const uint8_t *src,
                                                   size_t src_length,
                                                   uint32_t flags,
                                                   uint8_t *dst,
                                                   size_t dst_length);

// Decodes a JSON string to UTF-8. `offset` is the number of bytes read; with quotes, `src` may
// continue after the closing one. `dst` only needs room for the text, which is never longer than
// the string; bytes of `dst` after the text may be overwritten.
//
// `flags` is 0 or `BYTELANE_JSON_STRING_BARE`. Fails with the statuses of JSON strings and
// `BYTELANE_TRUNCATED`.
struct bytelane_result bytelane_json_string_unescape(const uint8_t *src,
                                                     size_t src_length,
                                                     uint32_t flags,
                                                     uint8_t *dst,
                                                     size_t dst_length);

// Finds the closing quote of a string and checks that the bytes before it are UTF-8 without
// control characters. `src` starts after the opening quote. `offset` is the length of the string
// without the closing quote, and `count` is 1 if it has escapes; if not, these bytes are the text.
//
// Fails with `BYTELANE_TRUNCATED`, `BYTELANE_CONTROL_CHARACTER` or `BYTELANE_INVALID_UTF8`.
struct bytelane_result bytelane_json_string_scan(const uint8_t *src, size_t src_length);

// Checks that bytes are UTF-8. `count` is the number of characters.
//
// Fails with `BYTELANE_INVALID_UTF8`, or with `BYTELANE_TRUNCATED` if the input ends within a
// character; `offset` is the length of the text before it.
struct bytelane_result bytelane_utf8_validate(const uint8_t *src, size_t src_length);

// Copies bytes if they are UTF-8, to a destination of at least the same length.
//
// Fails in the same cases as `bytelane_utf8_validate`; nothing is written then.
struct bytelane_result bytelane_utf8_copy(const uint8_t *src,
                                          size_t src_length,
                                          uint8_t *dst,
                                          size_t dst_length);

// Tests for ASCII: `count` is 1 if all bytes are ASCII.
struct bytelane_result bytelane_utf8_is_ascii(const uint8_t *src, size_t src_length);

// Returns the number of bytes that `count` values take: `SIZE_MAX` if it does not fit in a
// `size_t` or the width is above 64.
size_t bytelane_bit_packing_encoded_length(struct bytelane_bit_packing_format format, size_t count);

// Packs `count` values, least significant bit first. The result has
// `bytelane_bit_packing_encoded_length` bytes.
//
// Fails with `BYTELANE_INVALID_VALUE` if a value does not fit the width; `offset` is then that of
// its first byte in memory.
struct bytelane_result bytelane_bit_packing_encode_u8(struct bytelane_bit_packing_format format,
                                                      const uint8_t *values,
                                                      size_t count,
                                                      uint8_t *dst,
                                                      size_t dst_length);

// Same as `bytelane_bit_packing_encode_u8`.
struct bytelane_result bytelane_bit_packing_encode_u16(struct bytelane_bit_packing_format format,
                                                       const uint16_t *values,
                                                       size_t count,
                                                       uint8_t *dst,
                                                       size_t dst_length);

// Same as `bytelane_bit_packing_encode_u8`.
struct bytelane_result bytelane_bit_packing_encode_u32(struct bytelane_bit_packing_format format,
                                                       const uint32_t *values,
                                                       size_t count,
                                                       uint8_t *dst,
                                                       size_t dst_length);

// Same as `bytelane_bit_packing_encode_u8`.
struct bytelane_result bytelane_bit_packing_encode_u64(struct bytelane_bit_packing_format format,
                                                       const uint64_t *values,
                                                       size_t count,
                                                       uint8_t *dst,
                                                       size_t dst_length);

// Same as `bytelane_bit_packing_encode_u8`.
struct bytelane_result bytelane_bit_packing_encode_i32(struct bytelane_bit_packing_format format,
                                                       const int32_t *values,
                                                       size_t count,
                                                       uint8_t *dst,
                                                       size_t dst_length);

// Same as `bytelane_bit_packing_encode_u8`.
struct bytelane_result bytelane_bit_packing_encode_i64(struct bytelane_bit_packing_format format,
                                                       const int64_t *values,
                                                       size_t count,
                                                       uint8_t *dst,
                                                       size_t dst_length);

// Unpacks `count` values from the front of `src`, which may be longer: `offset` is the number of
// bytes read.
//
// Fails with `BYTELANE_TRUNCATED`; nothing is written then.
struct bytelane_result bytelane_bit_packing_decode_u8(struct bytelane_bit_packing_format format,
                                                      const uint8_t *src,
                                                      size_t src_length,
                                                      uint8_t *values,
                                                      size_t count);

// Same as `bytelane_bit_packing_decode_u8`.
struct bytelane_result bytelane_bit_packing_decode_u16(struct bytelane_bit_packing_format format,
                                                       const uint8_t *src,
                                                       size_t src_length,
                                                       uint16_t *values,
                                                       size_t count);

// Same as `bytelane_bit_packing_decode_u8`.
struct bytelane_result bytelane_bit_packing_decode_u32(struct bytelane_bit_packing_format format,
                                                       const uint8_t *src,
                                                       size_t src_length,
                                                       uint32_t *values,
                                                       size_t count);

// Same as `bytelane_bit_packing_decode_u8`.
struct bytelane_result bytelane_bit_packing_decode_u64(struct bytelane_bit_packing_format format,
                                                       const uint8_t *src,
                                                       size_t src_length,
                                                       uint64_t *values,
                                                       size_t count);

// Same as `bytelane_bit_packing_decode_u8`.
struct bytelane_result bytelane_bit_packing_decode_i32(struct bytelane_bit_packing_format format,
                                                       const uint8_t *src,
                                                       size_t src_length,
                                                       int32_t *values,
                                                       size_t count);

// Same as `bytelane_bit_packing_decode_u8`.
struct bytelane_result bytelane_bit_packing_decode_i64(struct bytelane_bit_packing_format format,
                                                       const uint8_t *src,
                                                       size_t src_length,
                                                       int64_t *values,
                                                       size_t count);

// Returns the maximum number of bytes that `count` values of 32 or 64 bits take: `SIZE_MAX` if it
// does not fit in a `size_t` or the format does not exist.
size_t bytelane_delta_max_encoded_length(struct bytelane_delta_format format, size_t count);

// Encodes `count` values. `dst` only needs room for the result. Bytes of `dst` after the result
// may be overwritten.
struct bytelane_result bytelane_delta_encode_i32(struct bytelane_delta_format format,
                                                 const int32_t *values,
                                                 size_t count,
                                                 uint8_t *dst,
                                                 size_t dst_length);

// Same as `bytelane_delta_encode_i32`.
struct bytelane_result bytelane_delta_encode_i64(struct bytelane_delta_format format,
                                                 const int64_t *values,
                                                 size_t count,
                                                 uint8_t *dst,
                                                 size_t dst_length);

// Decodes the first `count` values of a stream at the front of `src`, in any valid format.
// `offset` is the number of bytes of the stream read.
//
// Fails with `BYTELANE_TRUNCATED` if the stream has fewer values or ends early, and with
// `BYTELANE_OVERLONG` or `BYTELANE_MALFORMED`.
struct bytelane_result bytelane_delta_decode_i32(const uint8_t *src,
                                                 size_t src_length,
                                                 int32_t *values,
                                                 size_t count);

// Same as `bytelane_delta_decode_i32`.
struct bytelane_result bytelane_delta_decode_i64(const uint8_t *src,
                                                 size_t src_length,
                                                 int64_t *values,
                                                 size_t count);

// Reads the number of values that a stream claims to have: `count`. It may be more than the stream
// really has; do not allocate memory for it unless you trust the stream.
struct bytelane_result bytelane_delta_stored(const uint8_t *src, size_t src_length);

// Returns the maximum number of bytes that `count` values of `width` bits take: `SIZE_MAX` if it
// does not fit in a `size_t` or the width is above 32. For bits, the width is 1.
size_t bytelane_rle_hybrid_max_encoded_length(uint32_t width, size_t count);

// Encodes `count` values of `width` bits each. `dst` only needs room for the result. Bytes of
// `dst` after the result may be overwritten.
//
// Fails with `BYTELANE_INVALID_VALUE` if a value does not fit the width; `offset` is then that of
// its first byte in memory.
struct bytelane_result bytelane_rle_hybrid_encode_u8(uint32_t width,
                                                     const uint8_t *values,
                                                     size_t count,
                                                     uint8_t *dst,
                                                     size_t dst_length);

// Same as `bytelane_rle_hybrid_encode_u8`.
struct bytelane_result bytelane_rle_hybrid_encode_u16(uint32_t width,
                                                      const uint16_t *values,
                                                      size_t count,
                                                      uint8_t *dst,
                                                      size_t dst_length);

// Same as `bytelane_rle_hybrid_encode_u8`.
struct bytelane_result bytelane_rle_hybrid_encode_u32(uint32_t width,
                                                      const uint32_t *values,
                                                      size_t count,
                                                      uint8_t *dst,
                                                      size_t dst_length);

// Decodes `count` values of `width` bits each from the front of `src`, which may be longer:
// `offset` is the number of bytes read, up to the end of the last run.
//
// Fails with `BYTELANE_TRUNCATED`, `BYTELANE_INVALID_VALUE` (a repeated value that does not fit
// the width) or `BYTELANE_MALFORMED` (a run without values, or with 2^31 or more).
struct bytelane_result bytelane_rle_hybrid_decode_u8(uint32_t width,
                                                     const uint8_t *src,
                                                     size_t src_length,
                                                     uint8_t *values,
                                                     size_t count);

// Same as `bytelane_rle_hybrid_decode_u8`.
struct bytelane_result bytelane_rle_hybrid_decode_u16(uint32_t width,
                                                      const uint8_t *src,
                                                      size_t src_length,
                                                      uint16_t *values,
                                                      size_t count);

// Same as `bytelane_rle_hybrid_decode_u8`.
struct bytelane_result bytelane_rle_hybrid_decode_u32(uint32_t width,
                                                      const uint8_t *src,
                                                      size_t src_length,
                                                      uint32_t *values,
                                                      size_t count);

// Encodes the first `count` bits of a bitmap as values of one bit, least significant bit of each
// byte first. `offset` is the number of bytes read.
//
// Fails with `BYTELANE_RANGE` if the bitmap has fewer bits.
struct bytelane_result bytelane_rle_hybrid_encode_bits(const uint8_t *bitmap,
                                                       size_t bitmap_length,
                                                       size_t count,
                                                       uint8_t *dst,
                                                       size_t dst_length);

// Decodes `count` values of one bit to the bits of a bitmap, which needs one byte for eight
// values. The remaining bits of the last byte become zeros. `offset` is the number of bytes read.
//
// Fails in the same cases as `bytelane_rle_hybrid_decode_u8`.
struct bytelane_result bytelane_rle_hybrid_decode_bits(const uint8_t *src,
                                                       size_t src_length,
                                                       size_t count,
                                                       uint8_t *bitmap,
                                                       size_t bitmap_length);

// Spreads values of `width` bytes, 1, 2, 4 or 8, over `places` positions: those whose bit is set
// get the next value, the others become zeros. `offset` is the number of values read.
//
// Fails with `BYTELANE_RANGE` if the bitmap has fewer bits than there are positions; with
// `BYTELANE_MALFORMED` if the number of values differs from the number of set bits, in which case
// values may have been written.
struct bytelane_result bytelane_validity_spread(const void *dense,
                                                size_t dense_count,
                                                size_t width,
                                                const uint8_t *bitmap,
                                                size_t bitmap_length,
                                                void *values,
                                                size_t places);

// Compacts `places` values of `width` bytes, 1, 2, 4 or 8: moves those whose bit is set to the
// front of `dense`. `offset` is the number of positions, `count` the number of values written.
// Values of `dense` after them may be overwritten.
//
// Fails with `BYTELANE_RANGE` if the bitmap has fewer bits than there are positions.
struct bytelane_result bytelane_validity_compact(const void *values,
                                                 size_t places,
                                                 size_t width,
                                                 const uint8_t *bitmap,
                                                 size_t bitmap_length,
                                                 void *dense,
                                                 size_t dense_room);

// Converts `count` definition levels to a bitmap: one bit for each, set if the level is
// `max_level`, least significant bit of each byte first. The remaining bits of the last byte
// become zeros. `bytelane_validity_count_valid` returns the number of valid values.
//
// Fails with `BYTELANE_INVALID_VALUE` if a level is greater than `max_level`; `offset` is then
// that of its first byte in memory. `max_level` is 1 to 255.
struct bytelane_result bytelane_validity_encode_u8(uint16_t max_level,
                                                   const uint8_t *levels,
                                                   size_t count,
                                                   uint8_t *bitmap,
                                                   size_t bitmap_length);

// Same as `bytelane_validity_encode_u8`; `max_level` is 1 to 32767.
struct bytelane_result bytelane_validity_encode_u16(uint16_t max_level,
                                                    const uint16_t *levels,
                                                    size_t count,
                                                    uint8_t *bitmap,
                                                    size_t bitmap_length);

// Converts a bitmap to `count` definition levels: `max_level` for each set bit, and the level
// below it for the others. `offset` is the number of bytes read.
//
// Fails with `BYTELANE_RANGE` if the bitmap has fewer bits.
struct bytelane_result bytelane_validity_decode_u8(uint16_t max_level,
                                                   const uint8_t *bitmap,
                                                   size_t bitmap_length,
                                                   uint8_t *levels,
                                                   size_t count);

// Same as `bytelane_validity_decode_u8`.
struct bytelane_result bytelane_validity_decode_u16(uint16_t max_level,
                                                    const uint8_t *bitmap,
                                                    size_t bitmap_length,
                                                    uint16_t *levels,
                                                    size_t count);

// Counts the set bits among the first `places` of a bitmap: `count` is the number of valid values.
//
// Fails with `BYTELANE_RANGE` if the bitmap has fewer bits.
struct bytelane_result bytelane_validity_count_valid(const uint8_t *bitmap,
                                                     size_t bitmap_length,
                                                     size_t places);

// Returns the maximum number of bytes that `count` values of `width` bytes take, in vectors of
// `vector` values: `SIZE_MAX` if it does not fit in a `size_t`, or if the width or the vector size
// does not exist.
size_t bytelane_alp_max_encoded_length(uint32_t vector, size_t width, size_t count);

// Estimates the number of bytes that `bytelane_alp_encode_f32` would write, from some of the
// values: the result's `count`. If it exceeds the size of the values, store them unchanged.
struct bytelane_result bytelane_alp_estimated_length_f32(uint32_t vector,
                                                         const float *values,
                                                         size_t count);

// Same as `bytelane_alp_estimated_length_f32`, for `bytelane_alp_encode_f64`.
struct bytelane_result bytelane_alp_estimated_length_f64(uint32_t vector,
                                                         const double *values,
                                                         size_t count);

// Encodes `count` values to a page with vectors of `vector` values: a power of two from 8 to
// 32768, or 0 for 1024, which most writers use. `dst` only needs room for the result. Bytes of
// `dst` after the result may be overwritten.
//
// Fails with `BYTELANE_LENGTH` for more than 2^31 - 1 values or 2^32 - 1 bytes.
struct bytelane_result bytelane_alp_encode_f32(uint32_t vector,
                                               const float *values,
                                               size_t count,
                                               uint8_t *dst,
                                               size_t dst_length);

// Same as `bytelane_alp_encode_f32`.
struct bytelane_result bytelane_alp_encode_f64(uint32_t vector,
                                               const double *values,
                                               size_t count,
                                               uint8_t *dst,
                                               size_t dst_length);

// Decodes the first `count` values of a page at the front of `src`, with vectors of any size.
// `offset` is the number of bytes read, up to the end of a vector.
//
// Fails with `BYTELANE_TRUNCATED` if the page has fewer values or ends early, and with
// `BYTELANE_MALFORMED`.
struct bytelane_result bytelane_alp_decode_f32(const uint8_t *src,
                                               size_t src_length,
                                               float *values,
                                               size_t count);

// Same as `bytelane_alp_decode_f32`.
struct bytelane_result bytelane_alp_decode_f64(const uint8_t *src,
                                               size_t src_length,
                                               double *values,
                                               size_t count);

// Decodes `count` values of a page, from number `start` on. Reads only the vectors that contain
// them. `offset` is `src_length`.
//
// Fails with `BYTELANE_RANGE` if the page has fewer values; otherwise in the same cases as
// `bytelane_alp_decode_f32`.
struct bytelane_result bytelane_alp_decode_range_f32(const uint8_t *src,
                                                     size_t src_length,
                                                     size_t start,
                                                     float *values,
                                                     size_t count);

// Same as `bytelane_alp_decode_range_f32`.
struct bytelane_result bytelane_alp_decode_range_f64(const uint8_t *src,
                                                     size_t src_length,
                                                     size_t start,
                                                     double *values,
                                                     size_t count);

// Checks a page without decoding it: `count` is the number of its values, and `offset` its length
// in bytes; more bytes may follow it.
//
// Fails in the same cases as `bytelane_alp_decode_f32` of all values.
struct bytelane_result bytelane_alp_validate_f32(const uint8_t *src, size_t src_length);

// Same as `bytelane_alp_validate_f32`.
struct bytelane_result bytelane_alp_validate_f64(const uint8_t *src, size_t src_length);

// Reads the number of values that a page claims to have: `count`. Equal values take hardly any
// bytes, so even a short page may have many; limit the number that you allocate memory for.
struct bytelane_result bytelane_alp_stored(const uint8_t *src, size_t src_length);

// Frees a table. Does nothing if it is null.
void bytelane_fsst_free(struct bytelane_fsst_table *table);

// Makes a table of the symbols that shorten strings like these most, from a sample of 16 KiB, and stores its address in
// `table`. `count` is the number of symbols. The same strings give the same table.
//
// Allocates memory, and aborts the process if there is none; `bytelane_fsst_free` frees it.
struct bytelane_result bytelane_fsst_train_i32(const uint8_t *strings,
                                               size_t length,
                                               const int32_t *offsets,
                                               size_t offset_count,
                                               struct bytelane_fsst_table **table);

// Same as `bytelane_fsst_train_i32`.
struct bytelane_result bytelane_fsst_train_i64(const uint8_t *strings,
                                               size_t length,
                                               const int64_t *offsets,
                                               size_t offset_count,
                                               struct bytelane_fsst_table **table);

// Reads a table in the serialised form of the reference implementation, and stores its address in `table`. `offset` is the
// number of bytes read, and `count` the number of symbols. More bytes may follow the table.
//
// Allocates memory, as `bytelane_fsst_train_i32`. Fails with `BYTELANE_TRUNCATED` and `BYTELANE_MALFORMED`.
struct bytelane_result bytelane_fsst_read_table(const uint8_t *src,
                                                size_t src_length,
                                                struct bytelane_fsst_table **table);

// Writes a table in the serialised form of the reference implementation, up to 2057 bytes. `offset` is the number of symbols.
struct bytelane_result bytelane_fsst_write_table(const struct bytelane_fsst_table *table,
                                                 uint8_t *dst,
                                                 size_t dst_length);

// Counts the bytes that `bytelane_fsst_encode` would write: `count` is their number.
struct bytelane_result bytelane_fsst_encoded_length(const struct bytelane_fsst_table *table,
                                                    const uint8_t *src,
                                                    size_t src_length);

// Encodes a string. `dst` only needs room for the result; encoding is faster if it has the maximum, `2 * src_length`. Bytes of
// `dst` after the result may be overwritten.
//
// The first call of a function that encodes with a table allocates about 170 KiB, which belong to the table. Calls in other
// threads wait for it.
struct bytelane_result bytelane_fsst_encode(const struct bytelane_fsst_table *table,
                                            const uint8_t *src,
                                            size_t src_length,
                                            uint8_t *dst,
                                            size_t dst_length);

// Counts the bytes that `bytelane_fsst_decode` would write: `count` is their number.
//
// Fails in the same cases.
struct bytelane_result bytelane_fsst_decoded_length(const struct bytelane_fsst_table *table,
                                                    const uint8_t *src,
                                                    size_t src_length);

// Decodes a string, or several one after the other. `dst` only needs room for the result; decoding is faster if it has the
// maximum, `8 * src_length`. Bytes of `dst` after the result may be overwritten.
//
// Fails with `BYTELANE_UNKNOWN_CODE`, and with `BYTELANE_TRUNCATED` if the string ends after an escape code.
struct bytelane_result bytelane_fsst_decode(const struct bytelane_fsst_table *table,
                                            const uint8_t *src,
                                            size_t src_length,
                                            uint8_t *dst,
                                            size_t dst_length);

// Encodes strings, and writes the offset of each result and of the end of the last one to `dst_offsets`. `count` is the number of
// bytes written to `dst`, and `offset` the number of those read. `dst` is as for `bytelane_fsst_encode`.
//
// Fails with `BYTELANE_ARGUMENT` if `dst_offset_count` is not `offset_count`, and with `BYTELANE_LENGTH` if an offset cannot
// count the bytes; `dst` may have been written then.
struct bytelane_result bytelane_fsst_encode_strings_i32(const struct bytelane_fsst_table *table,
                                                        const uint8_t *strings,
                                                        size_t length,
                                                        const int32_t *offsets,
                                                        size_t offset_count,
                                                        uint8_t *dst,
                                                        size_t dst_length,
                                                        int32_t *dst_offsets,
                                                        size_t dst_offset_count);

// Same as `bytelane_fsst_encode_strings_i32`.
struct bytelane_result bytelane_fsst_encode_strings_i64(const struct bytelane_fsst_table *table,
                                                        const uint8_t *strings,
                                                        size_t length,
                                                        const int64_t *offsets,
                                                        size_t offset_count,
                                                        uint8_t *dst,
                                                        size_t dst_length,
                                                        int64_t *dst_offsets,
                                                        size_t dst_offset_count);

// Decodes strings, and writes the offset of each result and of the end of the last one to `dst_offsets`. `count` is the number of
// bytes written to `dst`, and `offset` the number of those read. `dst` is as for `bytelane_fsst_decode`.
//
// Fails in the same cases as `bytelane_fsst_decode` and `bytelane_fsst_encode_strings_i32`.
struct bytelane_result bytelane_fsst_decode_strings_i32(const struct bytelane_fsst_table *table,
                                                        const uint8_t *strings,
                                                        size_t length,
                                                        const int32_t *offsets,
                                                        size_t offset_count,
                                                        uint8_t *dst,
                                                        size_t dst_length,
                                                        int32_t *dst_offsets,
                                                        size_t dst_offset_count);

// Same as `bytelane_fsst_decode_strings_i32`.
struct bytelane_result bytelane_fsst_decode_strings_i64(const struct bytelane_fsst_table *table,
                                                        const uint8_t *strings,
                                                        size_t length,
                                                        const int64_t *offsets,
                                                        size_t offset_count,
                                                        uint8_t *dst,
                                                        size_t dst_length,
                                                        int64_t *dst_offsets,
                                                        size_t dst_offset_count);

// Compares encoded strings with a text, without decoding them: writes 1 to `found` for each that stands for the text, and 0 for
// each other one. `count` is the number of strings, and `offset` the number of their bytes.
//
// Fails in the same cases as `bytelane_fsst_decode` if a string is malformed before the first difference; `found` may have been
// written then.
struct bytelane_result bytelane_fsst_equals_i32(const struct bytelane_fsst_table *table,
                                                const uint8_t *strings,
                                                size_t length,
                                                const int32_t *offsets,
                                                size_t offset_count,
                                                const uint8_t *text,
                                                size_t text_length,
                                                uint8_t *found,
                                                size_t found_length);

// Same as `bytelane_fsst_equals_i32`.
struct bytelane_result bytelane_fsst_equals_i64(const struct bytelane_fsst_table *table,
                                                const uint8_t *strings,
                                                size_t length,
                                                const int64_t *offsets,
                                                size_t offset_count,
                                                const uint8_t *text,
                                                size_t text_length,
                                                uint8_t *found,
                                                size_t found_length);

// Same as `bytelane_fsst_equals_i32`, for strings that begin with the text.
struct bytelane_result bytelane_fsst_starts_with_i32(const struct bytelane_fsst_table *table,
                                                     const uint8_t *strings,
                                                     size_t length,
                                                     const int32_t *offsets,
                                                     size_t offset_count,
                                                     const uint8_t *text,
                                                     size_t text_length,
                                                     uint8_t *found,
                                                     size_t found_length);

// Same as `bytelane_fsst_starts_with_i32`.
struct bytelane_result bytelane_fsst_starts_with_i64(const struct bytelane_fsst_table *table,
                                                     const uint8_t *strings,
                                                     size_t length,
                                                     const int64_t *offsets,
                                                     size_t offset_count,
                                                     const uint8_t *text,
                                                     size_t text_length,
                                                     uint8_t *found,
                                                     size_t found_length);

// Same as `bytelane_fsst_equals_i32`, for strings that contain the text. Allocates memory for the search, up to 64 KiB or twenty
// times the length of the text, and frees it.
struct bytelane_result bytelane_fsst_contains_i32(const struct bytelane_fsst_table *table,
                                                  const uint8_t *strings,
                                                  size_t length,
                                                  const int32_t *offsets,
                                                  size_t offset_count,
                                                  const uint8_t *text,
                                                  size_t text_length,
                                                  uint8_t *found,
                                                  size_t found_length);

// Same as `bytelane_fsst_contains_i32`.
struct bytelane_result bytelane_fsst_contains_i64(const struct bytelane_fsst_table *table,
                                                  const uint8_t *strings,
                                                  size_t length,
                                                  const int64_t *offsets,
                                                  size_t offset_count,
                                                  const uint8_t *text,
                                                  size_t text_length,
                                                  uint8_t *found,
                                                  size_t found_length);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* BYTELANE_H */
