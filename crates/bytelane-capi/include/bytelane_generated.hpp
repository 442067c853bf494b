// Part of bytelane.hpp: the functions that have the same shape in each codec.
//
// This file is generated from crates/bytelane-capi; do not edit it.

#ifndef BYTELANE_GENERATED_HPP
#define BYTELANE_GENERATED_HPP

namespace bytelane {

// BYTE_STREAM_SPLIT, Parquet's encoding 9.
namespace byte_stream_split {

inline result encode_bytes(bytes src, std::size_t width, mutable_bytes dst) noexcept {
    return bytelane_byte_stream_split_encode_bytes(src.data(), src.size(), width, dst.data(), dst.size());
}

inline result decode_bytes(bytes src, std::size_t width, mutable_bytes dst) noexcept {
    return bytelane_byte_stream_split_decode_bytes(src.data(), src.size(), width, dst.data(), dst.size());
}

inline result decode_range(bytes src, std::size_t width, std::size_t start, std::size_t end, mutable_bytes dst) noexcept {
    return bytelane_byte_stream_split_decode_range(src.data(), src.size(), width, start, end, dst.data(), dst.size());
}

}  // namespace byte_stream_split

// Stream VByte: lists of integers in as few bytes as each needs.
namespace stream_vbyte {

inline result encode(format how, span<const std::uint32_t> values, mutable_bytes dst) noexcept {
    return bytelane_stream_vbyte_encode_u32(how, values.data(), values.size(), dst.data(), dst.size());
}

inline result encode(format how, span<const std::uint64_t> values, mutable_bytes dst) noexcept {
    return bytelane_stream_vbyte_encode_u64(how, values.data(), values.size(), dst.data(), dst.size());
}

inline result decode(format how, bytes src, span<std::uint32_t> values) noexcept {
    return bytelane_stream_vbyte_decode_u32(how, src.data(), src.size(), values.data(), values.size());
}

inline result decode(format how, bytes src, span<std::uint64_t> values) noexcept {
    return bytelane_stream_vbyte_decode_u64(how, src.data(), src.size(), values.data(), values.size());
}

inline result encoded_length(format how, span<const std::uint32_t> values) noexcept {
    return bytelane_stream_vbyte_encoded_length_u32(how, values.data(), values.size());
}

inline result encoded_length(format how, span<const std::uint64_t> values) noexcept {
    return bytelane_stream_vbyte_encoded_length_u64(how, values.data(), values.size());
}

inline result validate(format how, bytes src, std::size_t count) noexcept {
    return bytelane_stream_vbyte_validate(how, src.data(), src.size(), count);
}

}  // namespace stream_vbyte

// Varints: LEB128, with zigzag for signed integers.
namespace varint {

inline result encode(span<const std::uint32_t> values, mutable_bytes dst) noexcept {
    return bytelane_varint_encode_u32(values.data(), values.size(), dst.data(), dst.size());
}

inline result encode(span<const std::uint64_t> values, mutable_bytes dst) noexcept {
    return bytelane_varint_encode_u64(values.data(), values.size(), dst.data(), dst.size());
}

inline result encode(span<const std::int32_t> values, mutable_bytes dst) noexcept {
    return bytelane_varint_encode_i32(values.data(), values.size(), dst.data(), dst.size());
}

inline result encode(span<const std::int64_t> values, mutable_bytes dst) noexcept {
    return bytelane_varint_encode_i64(values.data(), values.size(), dst.data(), dst.size());
}

inline result decode(bytes src, span<std::uint32_t> values) noexcept {
    return bytelane_varint_decode_u32(src.data(), src.size(), values.data(), values.size());
}

inline result decode(bytes src, span<std::uint64_t> values) noexcept {
    return bytelane_varint_decode_u64(src.data(), src.size(), values.data(), values.size());
}

inline result decode(bytes src, span<std::int32_t> values) noexcept {
    return bytelane_varint_decode_i32(src.data(), src.size(), values.data(), values.size());
}

inline result decode(bytes src, span<std::int64_t> values) noexcept {
    return bytelane_varint_decode_i64(src.data(), src.size(), values.data(), values.size());
}

inline result count(bytes src) noexcept {
    return bytelane_varint_count(src.data(), src.size());
}

inline result encoded_length(span<const std::uint32_t> values) noexcept {
    return bytelane_varint_encoded_length_u32(values.data(), values.size());
}

inline result encoded_length(span<const std::uint64_t> values) noexcept {
    return bytelane_varint_encoded_length_u64(values.data(), values.size());
}

inline result encoded_length(span<const std::int32_t> values) noexcept {
    return bytelane_varint_encoded_length_i32(values.data(), values.size());
}

inline result encoded_length(span<const std::int64_t> values) noexcept {
    return bytelane_varint_encoded_length_i64(values.data(), values.size());
}

}  // namespace varint

// Base64, RFC 4648.
namespace base64 {

inline result encode(bytes src, mutable_bytes dst, flags how = 0) noexcept {
    return bytelane_base64_encode(src.data(), src.size(), how, dst.data(), dst.size());
}

inline result decoded_length(bytes src) noexcept {
    return bytelane_base64_decoded_length(src.data(), src.size());
}

inline result decode(bytes src, mutable_bytes dst, flags how = 0) noexcept {
    return bytelane_base64_decode(src.data(), src.size(), how, dst.data(), dst.size());
}

}  // namespace base64

// JSON strings, RFC 8259.
namespace json_string {

inline result escaped_length(bytes src, flags how = 0) noexcept {
    return bytelane_json_string_escaped_length(src.data(), src.size(), how);
}

inline result escape(bytes src, mutable_bytes dst, flags how = 0) noexcept {
    return bytelane_json_string_escape(src.data(), src.size(), how, dst.data(), dst.size());
}

inline result unescape(bytes src, mutable_bytes dst, flags how = 0) noexcept {
    return bytelane_json_string_unescape(src.data(), src.size(), how, dst.data(), dst.size());
}

inline result scan(bytes src) noexcept {
    return bytelane_json_string_scan(src.data(), src.size());
}

}  // namespace json_string

// UTF-8, RFC 3629.
namespace utf8 {

inline result validate(bytes src) noexcept {
    return bytelane_utf8_validate(src.data(), src.size());
}

inline result copy(bytes src, mutable_bytes dst) noexcept {
    return bytelane_utf8_copy(src.data(), src.size(), dst.data(), dst.size());
}

}  // namespace utf8

// Bit packing: integers with the same number of bits each.
namespace bit_packing {

inline result encode(format how, bytes values, mutable_bytes dst) noexcept {
    return bytelane_bit_packing_encode_u8(how, values.data(), values.size(), dst.data(), dst.size());
}

inline result encode(format how, span<const std::uint16_t> values, mutable_bytes dst) noexcept {
    return bytelane_bit_packing_encode_u16(how, values.data(), values.size(), dst.data(), dst.size());
}

inline result encode(format how, span<const std::uint32_t> values, mutable_bytes dst) noexcept {
    return bytelane_bit_packing_encode_u32(how, values.data(), values.size(), dst.data(), dst.size());
}

inline result encode(format how, span<const std::uint64_t> values, mutable_bytes dst) noexcept {
    return bytelane_bit_packing_encode_u64(how, values.data(), values.size(), dst.data(), dst.size());
}

inline result encode(format how, span<const std::int32_t> values, mutable_bytes dst) noexcept {
    return bytelane_bit_packing_encode_i32(how, values.data(), values.size(), dst.data(), dst.size());
}

inline result encode(format how, span<const std::int64_t> values, mutable_bytes dst) noexcept {
    return bytelane_bit_packing_encode_i64(how, values.data(), values.size(), dst.data(), dst.size());
}

inline result decode(format how, bytes src, mutable_bytes values) noexcept {
    return bytelane_bit_packing_decode_u8(how, src.data(), src.size(), values.data(), values.size());
}

inline result decode(format how, bytes src, span<std::uint16_t> values) noexcept {
    return bytelane_bit_packing_decode_u16(how, src.data(), src.size(), values.data(), values.size());
}

inline result decode(format how, bytes src, span<std::uint32_t> values) noexcept {
    return bytelane_bit_packing_decode_u32(how, src.data(), src.size(), values.data(), values.size());
}

inline result decode(format how, bytes src, span<std::uint64_t> values) noexcept {
    return bytelane_bit_packing_decode_u64(how, src.data(), src.size(), values.data(), values.size());
}

inline result decode(format how, bytes src, span<std::int32_t> values) noexcept {
    return bytelane_bit_packing_decode_i32(how, src.data(), src.size(), values.data(), values.size());
}

inline result decode(format how, bytes src, span<std::int64_t> values) noexcept {
    return bytelane_bit_packing_decode_i64(how, src.data(), src.size(), values.data(), values.size());
}

}  // namespace bit_packing

// Parquet's DELTA_BINARY_PACKED.
namespace delta {

inline result encode(span<const std::int32_t> values, mutable_bytes dst, format how = {}) noexcept {
    return bytelane_delta_encode_i32(how, values.data(), values.size(), dst.data(), dst.size());
}

inline result encode(span<const std::int64_t> values, mutable_bytes dst, format how = {}) noexcept {
    return bytelane_delta_encode_i64(how, values.data(), values.size(), dst.data(), dst.size());
}

inline result decode(bytes src, span<std::int32_t> values) noexcept {
    return bytelane_delta_decode_i32(src.data(), src.size(), values.data(), values.size());
}

inline result decode(bytes src, span<std::int64_t> values) noexcept {
    return bytelane_delta_decode_i64(src.data(), src.size(), values.data(), values.size());
}

inline result stored(bytes src) noexcept {
    return bytelane_delta_stored(src.data(), src.size());
}

}  // namespace delta

// Parquet's RLE/bit-packing hybrid.
namespace rle_hybrid {

inline result encode(std::uint32_t width, bytes values, mutable_bytes dst) noexcept {
    return bytelane_rle_hybrid_encode_u8(width, values.data(), values.size(), dst.data(), dst.size());
}

inline result encode(std::uint32_t width, span<const std::uint16_t> values, mutable_bytes dst) noexcept {
    return bytelane_rle_hybrid_encode_u16(width, values.data(), values.size(), dst.data(), dst.size());
}

inline result encode(std::uint32_t width, span<const std::uint32_t> values, mutable_bytes dst) noexcept {
    return bytelane_rle_hybrid_encode_u32(width, values.data(), values.size(), dst.data(), dst.size());
}

inline result decode(std::uint32_t width, bytes src, mutable_bytes values) noexcept {
    return bytelane_rle_hybrid_decode_u8(width, src.data(), src.size(), values.data(), values.size());
}

inline result decode(std::uint32_t width, bytes src, span<std::uint16_t> values) noexcept {
    return bytelane_rle_hybrid_decode_u16(width, src.data(), src.size(), values.data(), values.size());
}

inline result decode(std::uint32_t width, bytes src, span<std::uint32_t> values) noexcept {
    return bytelane_rle_hybrid_decode_u32(width, src.data(), src.size(), values.data(), values.size());
}

inline result encode_bits(bytes bitmap, std::size_t count, mutable_bytes dst) noexcept {
    return bytelane_rle_hybrid_encode_bits(bitmap.data(), bitmap.size(), count, dst.data(), dst.size());
}

inline result decode_bits(bytes src, std::size_t count, mutable_bytes bitmap) noexcept {
    return bytelane_rle_hybrid_decode_bits(src.data(), src.size(), count, bitmap.data(), bitmap.size());
}

}  // namespace rle_hybrid

// Definition levels, bitmaps, and values with and without their nulls.
namespace validity {

inline result encode(std::uint16_t max_level, bytes levels, mutable_bytes bitmap) noexcept {
    return bytelane_validity_encode_u8(max_level, levels.data(), levels.size(), bitmap.data(), bitmap.size());
}

inline result encode(std::uint16_t max_level, span<const std::uint16_t> levels, mutable_bytes bitmap) noexcept {
    return bytelane_validity_encode_u16(max_level, levels.data(), levels.size(), bitmap.data(), bitmap.size());
}

inline result decode(std::uint16_t max_level, bytes bitmap, mutable_bytes levels) noexcept {
    return bytelane_validity_decode_u8(max_level, bitmap.data(), bitmap.size(), levels.data(), levels.size());
}

inline result decode(std::uint16_t max_level, bytes bitmap, span<std::uint16_t> levels) noexcept {
    return bytelane_validity_decode_u16(max_level, bitmap.data(), bitmap.size(), levels.data(), levels.size());
}

inline result count_valid(bytes bitmap, std::size_t places) noexcept {
    return bytelane_validity_count_valid(bitmap.data(), bitmap.size(), places);
}

}  // namespace validity

// Parquet's ALP.
namespace alp {

inline result estimated_length(span<const float> values, std::uint32_t vector = 0) noexcept {
    return bytelane_alp_estimated_length_f32(vector, values.data(), values.size());
}

inline result estimated_length(span<const double> values, std::uint32_t vector = 0) noexcept {
    return bytelane_alp_estimated_length_f64(vector, values.data(), values.size());
}

inline result encode(span<const float> values, mutable_bytes dst, std::uint32_t vector = 0) noexcept {
    return bytelane_alp_encode_f32(vector, values.data(), values.size(), dst.data(), dst.size());
}

inline result encode(span<const double> values, mutable_bytes dst, std::uint32_t vector = 0) noexcept {
    return bytelane_alp_encode_f64(vector, values.data(), values.size(), dst.data(), dst.size());
}

inline result decode(bytes src, span<float> values) noexcept {
    return bytelane_alp_decode_f32(src.data(), src.size(), values.data(), values.size());
}

inline result decode(bytes src, span<double> values) noexcept {
    return bytelane_alp_decode_f64(src.data(), src.size(), values.data(), values.size());
}

inline result decode_range(bytes src, std::size_t start, span<float> values) noexcept {
    return bytelane_alp_decode_range_f32(src.data(), src.size(), start, values.data(), values.size());
}

inline result decode_range(bytes src, std::size_t start, span<double> values) noexcept {
    return bytelane_alp_decode_range_f64(src.data(), src.size(), start, values.data(), values.size());
}

inline result stored(bytes src) noexcept {
    return bytelane_alp_stored(src.data(), src.size());
}

}  // namespace alp

// FSST: strings as codes for their frequent parts.
namespace fsst {

inline result write_table(const table &with, mutable_bytes dst) noexcept {
    return bytelane_fsst_write_table(with.get(), dst.data(), dst.size());
}

inline result encoded_length(const table &with, bytes src) noexcept {
    return bytelane_fsst_encoded_length(with.get(), src.data(), src.size());
}

inline result encode(const table &with, bytes src, mutable_bytes dst) noexcept {
    return bytelane_fsst_encode(with.get(), src.data(), src.size(), dst.data(), dst.size());
}

inline result decoded_length(const table &with, bytes src) noexcept {
    return bytelane_fsst_decoded_length(with.get(), src.data(), src.size());
}

inline result decode(const table &with, bytes src, mutable_bytes dst) noexcept {
    return bytelane_fsst_decode(with.get(), src.data(), src.size(), dst.data(), dst.size());
}

inline result encode_strings(const table &with, bytes strings, span<const std::int32_t> offsets, mutable_bytes dst, span<std::int32_t> dst_offsets) noexcept {
    return bytelane_fsst_encode_strings_i32(with.get(), strings.data(), strings.size(), offsets.data(), offsets.size(), dst.data(), dst.size(), dst_offsets.data(), dst_offsets.size());
}

inline result encode_strings(const table &with, bytes strings, span<const std::int64_t> offsets, mutable_bytes dst, span<std::int64_t> dst_offsets) noexcept {
    return bytelane_fsst_encode_strings_i64(with.get(), strings.data(), strings.size(), offsets.data(), offsets.size(), dst.data(), dst.size(), dst_offsets.data(), dst_offsets.size());
}

inline result decode_strings(const table &with, bytes strings, span<const std::int32_t> offsets, mutable_bytes dst, span<std::int32_t> dst_offsets) noexcept {
    return bytelane_fsst_decode_strings_i32(with.get(), strings.data(), strings.size(), offsets.data(), offsets.size(), dst.data(), dst.size(), dst_offsets.data(), dst_offsets.size());
}

inline result decode_strings(const table &with, bytes strings, span<const std::int64_t> offsets, mutable_bytes dst, span<std::int64_t> dst_offsets) noexcept {
    return bytelane_fsst_decode_strings_i64(with.get(), strings.data(), strings.size(), offsets.data(), offsets.size(), dst.data(), dst.size(), dst_offsets.data(), dst_offsets.size());
}

inline result equals(const table &with, bytes strings, span<const std::int32_t> offsets, bytes text, mutable_bytes found) noexcept {
    return bytelane_fsst_equals_i32(with.get(), strings.data(), strings.size(), offsets.data(), offsets.size(), text.data(), text.size(), found.data(), found.size());
}

inline result equals(const table &with, bytes strings, span<const std::int64_t> offsets, bytes text, mutable_bytes found) noexcept {
    return bytelane_fsst_equals_i64(with.get(), strings.data(), strings.size(), offsets.data(), offsets.size(), text.data(), text.size(), found.data(), found.size());
}

inline result starts_with(const table &with, bytes strings, span<const std::int32_t> offsets, bytes text, mutable_bytes found) noexcept {
    return bytelane_fsst_starts_with_i32(with.get(), strings.data(), strings.size(), offsets.data(), offsets.size(), text.data(), text.size(), found.data(), found.size());
}

inline result starts_with(const table &with, bytes strings, span<const std::int64_t> offsets, bytes text, mutable_bytes found) noexcept {
    return bytelane_fsst_starts_with_i64(with.get(), strings.data(), strings.size(), offsets.data(), offsets.size(), text.data(), text.size(), found.data(), found.size());
}

inline result contains(const table &with, bytes strings, span<const std::int32_t> offsets, bytes text, mutable_bytes found) noexcept {
    return bytelane_fsst_contains_i32(with.get(), strings.data(), strings.size(), offsets.data(), offsets.size(), text.data(), text.size(), found.data(), found.size());
}

inline result contains(const table &with, bytes strings, span<const std::int64_t> offsets, bytes text, mutable_bytes found) noexcept {
    return bytelane_fsst_contains_i64(with.get(), strings.data(), strings.size(), offsets.data(), offsets.size(), text.data(), text.size(), found.data(), found.size());
}

}  // namespace fsst

}  // namespace bytelane

#endif  // BYTELANE_GENERATED_HPP
