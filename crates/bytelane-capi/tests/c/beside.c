// Calls both libraries, and another one that is written in Rust.

#include <bytelane.h>
#include <bytelane_streamvbyte.h>
#include <stdio.h>
#include <string.h>

int64_t beside_count(const uint8_t *text, size_t length);

int main(void) {
    const uint8_t text[] = {'a', 'b', 'c', 'd'};
    uint8_t encoded[64];
    const uint32_t values[] = {1, 2, 300};
    if (bytelane_utf8_validate(text, sizeof text).status != BYTELANE_OK ||
        streamvbyte_encode(values, 3, encoded) != 5 ||
        beside_count(text, sizeof text) != 4 || beside_count(text, 0) != -1) {
        fputs("a call has another result\n", stderr);
        return 1;
    }
    return strncmp(bytelane_version(), "0.", 2) != 0;
}
