// bytelane for C++17: bytelane.h with spans and std::error_code. Header only; nothing throws or
// allocates, except std::error_code::message and the symbol tables of FSST.
//
//     std::vector<float> values = ...;
//     std::vector<std::uint8_t> page(4 * values.size());
//     bytelane::result done = bytelane::byte_stream_split::encode<float>(values, page);
//     if (!done) std::cerr << done.error().message() << std::endl;

#ifndef BYTELANE_HPP
#define BYTELANE_HPP

#include "bytelane.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

namespace bytelane {

namespace detail {

// True if values of type From can be viewed as values of type To: the same type, or bytes as bytes.
template <typename From, typename To>
constexpr bool is_viewable() {
    using Source = std::remove_cv_t<From>;
    using Target = std::remove_cv_t<To>;
    constexpr bool byte = std::is_same_v<Source, char> || std::is_same_v<Source, unsigned char> ||
                          std::is_same_v<Source, std::byte>;
    return (std::is_const_v<To> || !std::is_const_v<From>) &&
           (std::is_same_v<Source, Target> || (byte && std::is_same_v<Target, std::uint8_t>));
}

}  // namespace detail

// Values in memory, like std::span of C++20. Anything with data and size converts to it: std::vector,
// std::array, std::span, arrays; and std::string and std::byte to bytes.
template <typename T>
class span {
public:
    constexpr span() noexcept = default;
    constexpr span(T *data, std::size_t size) noexcept : data_(data), size_(size) {}

    template <typename Container,
              typename Value = std::remove_pointer_t<decltype(std::data(std::declval<Container &>()))>,
              typename = decltype(std::size(std::declval<Container &>())),
              typename = std::enable_if_t<detail::is_viewable<Value, T>()>>
    constexpr span(Container &&container) noexcept : size_(std::size(container)) {
        if constexpr (std::is_same_v<std::remove_cv_t<Value>, std::remove_cv_t<T>>) {
            data_ = std::data(container);
        } else {
            data_ = reinterpret_cast<T *>(std::data(container));
        }
    }

    constexpr T *data() const noexcept { return data_; }
    constexpr std::size_t size() const noexcept { return size_; }

private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};

using bytes = span<const std::uint8_t>;
using mutable_bytes = span<std::uint8_t>;

// Category of all error codes here; their values are those of bytelane_status.
inline const std::error_category &category() noexcept {
    class statuses final : public std::error_category {
        const char *name() const noexcept override { return "bytelane"; }
        std::string message(int status) const override { return bytelane_status_message(status); }
    };
    static const statuses instance;
    return instance;
}

inline std::error_code make_error_code(bytelane_status status) noexcept {
    return {static_cast<int>(status), category()};
}

// Result of a call; true if it succeeded.
class [[nodiscard]] result {
public:
    result(bytelane_result of_call) noexcept : result_(of_call) {}

    explicit operator bool() const noexcept { return result_.status == BYTELANE_OK; }
    std::error_code error() const noexcept { return make_error_code(result_.status); }
    bytelane_status status() const noexcept { return result_.status; }

    // On success, the number of elements of the input that were read. On failure, the offset of the
    // malformed byte, or BYTELANE_NOWHERE.
    std::size_t offset() const noexcept { return result_.offset; }

    // On success, the number of elements of the destination that were written. If the destination is
    // too short, the number that it needs.
    std::size_t count() const noexcept { return result_.count; }

private:
    bytelane_result result_;
};

// Returns the instruction set that all calls use.
inline const char *backend() noexcept { return bytelane_backend(); }

// BYTE_STREAM_SPLIT: splits numbers into the streams of their bytes.
namespace byte_stream_split {

template <typename T>
result encode(span<const T> values, mutable_bytes dst) noexcept {
    static_assert(std::is_arithmetic_v<T>, "for other types, use encode_bytes");
    return bytelane_byte_stream_split_encode(values.data(), values.size(), sizeof(T), dst.data(),
                                             dst.size());
}

template <typename T>
result decode(bytes src, span<T> values) noexcept {
    static_assert(std::is_arithmetic_v<T>, "for other types, use decode_bytes");
    return bytelane_byte_stream_split_decode(src.data(), src.size(), values.data(), values.size(),
                                             sizeof(T));
}

}  // namespace byte_stream_split

// Numbers as big-endian bytes.
namespace big_endian {

template <typename T>
result encode(span<const T> values, mutable_bytes dst) noexcept {
    static_assert(std::is_arithmetic_v<T>, "numbers only");
    return bytelane_big_endian_encode(values.data(), values.size(), sizeof(T), dst.data(),
                                      dst.size());
}

template <typename T>
result decode(bytes src, span<T> values) noexcept {
    static_assert(std::is_arithmetic_v<T>, "numbers only");
    return bytelane_big_endian_decode(src.data(), src.size(), values.data(), values.size(),
                                      sizeof(T));
}

}  // namespace big_endian

// Stream VByte: integers in as few bytes as each needs.
namespace stream_vbyte {

using format = bytelane_stream_vbyte_format;

inline constexpr format v1234{BYTELANE_STREAM_VBYTE_1234, 0, 0};
inline constexpr format v0124{BYTELANE_STREAM_VBYTE_0124, 0, 0};
inline constexpr format v1248{BYTELANE_STREAM_VBYTE_1248, 0, 0};

// Returns the format that stores differences, the first one from `start`.
constexpr format delta(format plain, std::uint64_t start = 0) noexcept {
    return {plain.variant, plain.flags | BYTELANE_STREAM_VBYTE_DELTA, start};
}

// Returns the format for values, or differences, that can be negative.
constexpr format zigzag(format plain) noexcept {
    return {plain.variant, plain.flags | BYTELANE_STREAM_VBYTE_ZIGZAG, plain.start};
}

inline std::size_t max_encoded_length(format how, std::size_t count) noexcept {
    return bytelane_stream_vbyte_max_encoded_length(how, count);
}

}  // namespace stream_vbyte

// Base64.
namespace base64 {

// Sum of BYTELANE_BASE64_.. flags.
using flags = std::uint32_t;

inline std::size_t encoded_length(std::size_t length, flags how = 0) noexcept {
    return bytelane_base64_encoded_length(length, how);
}

}  // namespace base64

// JSON strings.
namespace json_string {

// 0 for a string in quotes, or BYTELANE_JSON_STRING_BARE.
using flags = std::uint32_t;

}  // namespace json_string

// UTF-8.
namespace utf8 {

inline bool is_ascii(bytes src) noexcept {
    return bytelane_utf8_is_ascii(src.data(), src.size()).count == 1;
}

}  // namespace utf8

// Integers with the same number of bits each.
namespace bit_packing {

using format = bytelane_bit_packing_format;

inline std::size_t encoded_length(format how, std::size_t count) noexcept {
    return bytelane_bit_packing_encoded_length(how, count);
}

}  // namespace bit_packing

// Parquet's DELTA_BINARY_PACKED.
namespace delta {

using format = bytelane_delta_format;

inline std::size_t max_encoded_length(std::size_t count, format how = {}) noexcept {
    return bytelane_delta_max_encoded_length(how, count);
}

}  // namespace delta

// Parquet's RLE/bit-packing hybrid.
namespace rle_hybrid {

inline std::size_t max_encoded_length(std::uint32_t width, std::size_t count) noexcept {
    return bytelane_rle_hybrid_max_encoded_length(width, count);
}

}  // namespace rle_hybrid

// Definition levels, bitmaps, and values with and without their nulls.
namespace validity {

template <typename T>
result spread(span<const T> dense, bytes bitmap, span<T> values) noexcept {
    return bytelane_validity_spread(dense.data(), dense.size(), sizeof(T), bitmap.data(), bitmap.size(),
                                    values.data(), values.size());
}

template <typename T>
result compact(span<const T> values, bytes bitmap, span<T> dense) noexcept {
    return bytelane_validity_compact(values.data(), values.size(), sizeof(T), bitmap.data(), bitmap.size(),
                                     dense.data(), dense.size());
}

}  // namespace validity

// Parquet's ALP: decimal floating-point numbers as packed integers.
namespace alp {

template <typename T>
std::size_t max_encoded_length(std::size_t count, std::uint32_t vector = 0) noexcept {
    return bytelane_alp_max_encoded_length(vector, sizeof(T), count);
}

template <typename T>
result validate(bytes src) noexcept {
    static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>);
    if constexpr (std::is_same_v<T, float>) {
        return bytelane_alp_validate_f32(src.data(), src.size());
    } else {
        return bytelane_alp_validate_f64(src.data(), src.size());
    }
}

}  // namespace alp

// FSST: strings as codes for their frequent parts.
namespace fsst {

// Symbol table, which frees itself. Calls with one that was not trained or read fail with BYTELANE_NULL.
class table {
public:
    const bytelane_fsst_table *get() const noexcept { return owned_.get(); }

    // Takes over a table of C, and frees the former one.
    void reset(bytelane_fsst_table *owned) noexcept { owned_.reset(owned); }

private:
    struct deleter {
        void operator()(bytelane_fsst_table *owned) const noexcept { bytelane_fsst_free(owned); }
    };
    std::unique_ptr<bytelane_fsst_table, deleter> owned_;
};

// Replaces a table by one that is trained for strings.
inline result train(bytes strings, span<const std::int32_t> offsets, table &to) noexcept {
    bytelane_fsst_table *made = nullptr;
    result done = bytelane_fsst_train_i32(strings.data(), strings.size(), offsets.data(), offsets.size(), &made);
    if (done) to.reset(made);
    return done;
}

inline result train(bytes strings, span<const std::int64_t> offsets, table &to) noexcept {
    bytelane_fsst_table *made = nullptr;
    result done = bytelane_fsst_train_i64(strings.data(), strings.size(), offsets.data(), offsets.size(), &made);
    if (done) to.reset(made);
    return done;
}

// Replaces a table by one in serialised form.
inline result read_table(bytes src, table &to) noexcept {
    bytelane_fsst_table *made = nullptr;
    result done = bytelane_fsst_read_table(src.data(), src.size(), &made);
    if (done) to.reset(made);
    return done;
}

}  // namespace fsst

}  // namespace bytelane

#include "bytelane_generated.hpp"

template <>
struct std::is_error_code_enum<bytelane_status> : std::true_type {};

// std::error_code finds it by its argument.
inline std::error_code make_error_code(bytelane_status status) noexcept {
    return bytelane::make_error_code(status);
}

#endif  // BYTELANE_HPP
