// Stores a posting list as the differences of its ids, in blocks, and reads it again.
//
//     c++ -std=c++17 posting_list.cpp $(pkg-config --cflags --libs bytelane) -o posting_list

#include <bytelane.hpp>

#include <algorithm>
#include <cstdio>
#include <vector>

namespace svb = bytelane::stream_vbyte;

constexpr std::size_t block = 128;

// Returns part of a vector: a block of ids, or the bytes that are still free.
template <typename T>
bytelane::span<T> part(std::vector<T> &all, std::size_t from, std::size_t length) {
    return {all.data() + from, std::min(length, all.size() - from)};
}

int main() {
    std::vector<std::uint32_t> ids(1000);
    for (std::uint32_t i = 0; i < ids.size(); i++) ids[i] = 50 * i + i % 7;

    std::vector<std::uint8_t> stored(svb::max_encoded_length(svb::v1234, ids.size()) + ids.size());
    std::size_t length = 0;
    std::uint32_t last = 0;
    for (std::size_t i = 0; i < ids.size(); i += block) {
        bytelane::span<const std::uint32_t> values(ids.data() + i, std::min(block, ids.size() - i));
        bytelane::result done = svb::encode(svb::delta(svb::v1234, last), values,
                                            part(stored, length, stored.size()));
        if (!done) return std::fprintf(stderr, "%s\n", done.error().message().c_str()), 1;
        length += done.count();
        last = values.data()[values.size() - 1];
    }

    std::vector<std::uint32_t> read(ids.size());
    std::size_t at = 0;
    last = 0;
    for (std::size_t i = 0; i < read.size(); i += block) {
        bytelane::result done = svb::decode(svb::delta(svb::v1234, last),
                                            {stored.data() + at, length - at}, part(read, i, block));
        if (!done) return std::fprintf(stderr, "%s\n", done.error().message().c_str()), 1;
        at += done.offset();
        last = read[std::min(i + block, read.size()) - 1];
    }
    std::printf("%zu ids in %zu bytes: %s\n", ids.size(), length, read == ids ? "equal" : "different");
    return read == ids && at == length ? 0 : 1;
}
