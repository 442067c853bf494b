// A filter: encodes standard input as base64, or decodes it with -d.
//
//     cc base64.c $(pkg-config --cflags --libs bytelane) -o base64
//     echo hello | ./base64 | ./base64 -d

#include <bytelane.h>

#include <stdio.h>
#include <string.h>

// Whole groups of 3 bytes and of 4 characters, so that pieces can be converted separately.
enum { BYTES = 3 << 14, TEXT = 4 << 14 };

static uint8_t bytes[BYTES + 2];
static uint8_t text[TEXT];

static int encode(void) {
    size_t length;
    while ((length = fread(bytes, 1, BYTES, stdin)) > 0) {
        bytelane_result done = bytelane_base64_encode(bytes, length, 0, text, sizeof text);
        if (done.status != BYTELANE_OK) return done.status;
        fwrite(text, 1, done.count, stdout);
    }
    putchar('\n');
    return BYTELANE_OK;
}

static int decode(void) {
    size_t length, before = 0;
    while ((length = fread(text, 1, TEXT, stdin)) > 0) {
        size_t read = length;
        while (length > 0 && text[length - 1] == '\n') length--;
        bytelane_result done = bytelane_base64_decode(text, length, 0, bytes, sizeof bytes);
        if (done.status != BYTELANE_OK) {
            if (done.offset != BYTELANE_NOWHERE) {
                fprintf(stderr, "offset %zu: ", before + done.offset);
            }
            return done.status;
        }
        fwrite(bytes, 1, done.count, stdout);
        before += read;
    }
    return BYTELANE_OK;
}

int main(int count, char **arguments) {
    int status = count > 1 && strcmp(arguments[1], "-d") == 0 ? decode() : encode();
    if (status != BYTELANE_OK) {
        fprintf(stderr, "base64: %s\n", bytelane_status_message(status));
        return 1;
    }
    return ferror(stdin) || fflush(stdout) ? 1 : 0;
}
