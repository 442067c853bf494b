// Tests bytelane.hpp: conversions to a span, and errors as std::error_code.

#include <bytelane.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#define CHECK(condition)                                                            \
    do {                                                                            \
        if (!(condition)) {                                                         \
            std::fprintf(stderr, "line %d: %s does not hold\n", __LINE__, #condition); \
            std::exit(1);                                                           \
        }                                                                           \
    } while (0)

namespace bl = bytelane;

static_assert(std::is_constructible_v<bl::bytes, std::string_view>);
static_assert(std::is_constructible_v<bl::bytes, const std::vector<std::uint8_t> &>);
static_assert(!std::is_constructible_v<bl::mutable_bytes, const std::vector<std::uint8_t> &>);
static_assert(!std::is_constructible_v<bl::bytes, std::vector<std::uint32_t> &>);
static_assert(!std::is_constructible_v<bl::span<const float>, std::vector<double> &>);

template <typename T>
void round_trip() {
    std::vector<T> values{T(1), T(-2), T(3)}, back(3);
    std::array<std::uint8_t, 3 * sizeof(T)> bytes;
    CHECK(bl::byte_stream_split::encode<T>(values, bytes));
    CHECK(bl::byte_stream_split::decode<T>(bytes, back));
    CHECK(values == back);
    CHECK(bl::big_endian::encode<T>(values, bytes));
    CHECK(bl::big_endian::decode<T>(bytes, back));
    CHECK(values == back);
}

template <typename T>
void varints() {
    std::vector<T> values{T(0), T(1), T(300), T(-1)}, back(4);
    std::vector<std::uint8_t> bytes(bl::varint::encoded_length(values).count());
    CHECK(bl::varint::encode(values, bytes).count() == bytes.size());
    CHECK(bl::varint::count(bytes).count() == 4);
    CHECK(bl::varint::decode(bytes, back).offset() == bytes.size());
    CHECK(values == back);
}

template <typename T>
void stream_vbyte(bl::stream_vbyte::format format) {
    std::vector<T> values{1, 2, 300, 1000000}, back(4);
    std::vector<std::uint8_t> bytes(bl::stream_vbyte::encoded_length(format, values).count());
    CHECK(bl::stream_vbyte::encode(format, values, bytes));
    CHECK(bl::stream_vbyte::validate(format, bytes, 4).offset() == bytes.size());
    CHECK(bl::stream_vbyte::decode(format, bytes, back));
    CHECK(values == back);
}

int main() {
    round_trip<float>(), round_trip<double>(), round_trip<std::int16_t>(), round_trip<char>();
    varints<std::uint32_t>(), varints<std::uint64_t>();
    varints<std::int32_t>(), varints<std::int64_t>();
    stream_vbyte<std::uint32_t>(bl::stream_vbyte::v1234);
    stream_vbyte<std::uint32_t>(bl::stream_vbyte::zigzag(bl::stream_vbyte::delta(bl::stream_vbyte::v0124)));
    stream_vbyte<std::uint64_t>(bl::stream_vbyte::delta(bl::stream_vbyte::v1248, 5));

    std::string text(bl::base64::encoded_length(5), '\0');
    CHECK(bl::base64::encode(std::string_view("bytes"), text));
    CHECK(text == "Ynl0ZXM=");
    std::byte decoded[5];
    CHECK(bl::base64::decoded_length(text).count() == 5);
    CHECK(bl::base64::decode(text, decoded) && std::memcmp(decoded, "bytes", 5) == 0);

    text[2] = '?';
    bl::result failed = bl::base64::decode(text, decoded);
    CHECK(!failed && failed.offset() == 2 && failed.error() == BYTELANE_INVALID_BYTE);
    CHECK(failed.error().category() == bl::category());
    CHECK(failed.error().message() == "a byte that is not in the base64 alphabet");
    CHECK(!bl::result(bytelane_base64_decode(nullptr, 0, 0, nullptr, 0)).error());

    std::string json(bl::json_string::escaped_length(std::string("a\"b")).count(), '\0');
    CHECK(bl::json_string::escape(std::string("a\"b"), json) && json == "\"a\\\"b\"");
    std::string_view inside = std::string_view(json).substr(1);
    CHECK(bl::json_string::scan(inside).offset() == 4);
    std::array<char, 3> plain;
    CHECK(bl::json_string::unescape(inside, plain).count() == 3);

    CHECK(bl::utf8::validate(std::string("gr\xc3\xb6\xc3\x9f" "er")).count() == 6);
    CHECK(bl::utf8::validate(std::string("caf\xe9!")).offset() == 3);
    CHECK(bl::utf8::copy(std::string("abc"), plain).count() == 3 && plain[2] == 'c');
    CHECK(bl::utf8::is_ascii(std::string("abc")) && !bl::utf8::is_ascii(std::string("\xc3\xb6")));

    std::vector<std::uint32_t> small{1, 7, 3, 5}, unpacked(4);
    std::vector<std::uint8_t> packed(bl::bit_packing::encoded_length({3, 0, 0}, 4));
    CHECK(bl::bit_packing::encode({3, 0, 0}, small, packed).count() == 2);
    CHECK(bl::bit_packing::decode({3, 0, 0}, packed, unpacked) && unpacked == small);
    CHECK(bl::bit_packing::encode({2, 0, 0}, small, packed).error() == BYTELANE_INVALID_VALUE);
    std::vector<std::int64_t> steps{10, 20, 30}, again(3);
    std::vector<std::uint8_t> deltas(bl::delta::max_encoded_length(3));
    CHECK(bl::delta::encode(steps, deltas) && bl::delta::stored(deltas).count() == 3);
    CHECK(bl::delta::decode(deltas, again) && again == steps);

    std::vector<std::uint16_t> levels(20, 3), level(20);
    std::vector<std::uint8_t> runs(bl::rle_hybrid::max_encoded_length(2, 20)), bits(3);
    CHECK(bl::rle_hybrid::encode(2, levels, runs).count() == 2);
    CHECK(bl::rle_hybrid::decode(2, runs, level) && level == levels);
    CHECK(bl::rle_hybrid::encode_bits(bits, 20, runs).count() == 2);
    CHECK(bl::rle_hybrid::decode_bits(runs, 20, bits).count() == 3);

    std::vector<std::uint16_t> defined{1, 0, 1}, found(3);
    std::vector<double> dense{1.5, 2.5}, column(3), compacted(2);
    std::vector<std::uint8_t> valid(1);
    CHECK(bl::validity::encode(1, defined, valid).count() == 1 && valid[0] == 5);
    CHECK(bl::validity::count_valid(valid, 3).count() == 2);
    CHECK(bl::validity::spread<double>(dense, valid, column).count() == 3 && column[2] == 2.5);
    CHECK(bl::validity::compact<double>(column, valid, compacted) && compacted == dense);
    CHECK(bl::validity::decode(1, valid, found).count() == 3 && found == defined);

    std::vector<double> prices{1.25, 0.5, 99.99}, paid(3), last(1);
    std::vector<std::uint8_t> page(bl::alp::max_encoded_length<double>(3));
    page.resize(bl::alp::encode(prices, page).count());
    CHECK(bl::alp::estimated_length(prices).count() == page.size());
    CHECK(bl::alp::validate<double>(page).count() == 3 && bl::alp::stored(page).count() == 3);
    CHECK(bl::alp::decode(page, paid).offset() == page.size() && paid == prices);
    CHECK(bl::alp::decode_range(page, 2, last) && last[0] == 99.99);
    CHECK(bl::alp::decode_range(page, 3, last).error() == BYTELANE_RANGE);

    std::string words = "onetwoone";
    std::vector<std::int32_t> ends{0, 3, 6, 9}, coded(4), plainly(3);
    bl::fsst::table made, table;
    CHECK(bl::fsst::write_table(table, bits).error() == BYTELANE_NULL);
    CHECK(bl::fsst::train(words, ends, made).offset() == 9);
    std::vector<std::uint8_t> form(bl::fsst::write_table(made, {}).count());
    CHECK(bl::fsst::write_table(made, form) && bl::fsst::read_table(form, table).offset() == form.size());
    std::vector<std::uint8_t> codes(bl::fsst::encode_strings(table, words, ends, {}, coded).count());
    CHECK(bl::fsst::encode_strings(table, words, ends, codes, coded).offset() == 9);
    std::string some(6, ' ');
    bl::span<const std::int32_t> end_parts(coded.data() + 1, 3);
    CHECK(bl::fsst::decode_strings(table, codes, end_parts, some, plainly) && some == "twoone" && plainly[1] == 3);
    CHECK(bl::fsst::decoded_length(table, codes).count() == 9);
    std::vector<std::uint8_t> has(3);
    CHECK(bl::fsst::equals(table, codes, coded, std::string("two"), has) && has[1] && !has[0]);
    CHECK(bl::fsst::starts_with(table, codes, coded, std::string("o"), has) && !has[1] && has[2]);
    CHECK(bl::fsst::contains(table, codes, coded, std::string("w"), has).count() == 3 && has[1]);
    std::string one(3, ' ');
    std::vector<std::uint8_t> code(bl::fsst::encoded_length(table, std::string("one")).count());
    CHECK(bl::fsst::encode(table, std::string("one"), code) && bl::fsst::decode(table, code, one));
    CHECK(one == "one");

    std::vector<std::uint8_t> fixed{1, 2, 3, 4, 5, 6}, split(6), back(6);
    CHECK(bl::byte_stream_split::encode_bytes(fixed, 3, split));
    CHECK((split == std::vector<std::uint8_t>{1, 4, 2, 5, 3, 6}));
    CHECK(bl::byte_stream_split::decode_bytes(split, 3, back) && back == fixed);
    CHECK(bl::byte_stream_split::decode_range(split, 3, 1, 2, back).count() == 3 && back[0] == 4);
    std::printf("bytelane.hpp is right on %s\n", bl::backend());
}
