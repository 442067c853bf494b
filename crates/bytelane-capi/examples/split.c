// Splits 32-bit floats into the streams of their bytes, Parquet's BYTE_STREAM_SPLIT: from standard
// input to standard output.
//
//     cc split.c $(pkg-config --cflags --libs bytelane) -o split
//     ./split < column.f32 > column.split

#include <bytelane.h>

#include <stdio.h>
#include <stdlib.h>

// The values of a page are split together.
enum { VALUES = 1 << 16 };

int main(void) {
    float *values = malloc(VALUES * sizeof *values);
    uint8_t *page = malloc(VALUES * sizeof *values);
    if (!values || !page) return 1;

    size_t count;
    while ((count = fread(values, sizeof *values, VALUES, stdin)) > 0) {
        bytelane_result done = bytelane_byte_stream_split_encode(
            values, count, sizeof *values, page, count * sizeof *values);
        if (done.status != BYTELANE_OK) {
            fprintf(stderr, "split: %s\n", bytelane_status_message(done.status));
            return 1;
        }
        fwrite(page, 1, done.count, stdout);
    }
    free(values);
    free(page);
    return ferror(stdin) || fflush(stdout) ? 1 : 0;
}
