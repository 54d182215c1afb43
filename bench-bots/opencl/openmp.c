/* The device of clbench.h where kernels are C with OpenMP: the process itself. Buffers have two sides all the same, so that runs may
 * change what they are given. */
#include "clbench.h"

#define LINE_BYTES 64 /* of a cache, and the widest vector */

#ifdef __clang__
#define COMPILER "clang-" __clang_version__
#else
#define COMPILER "gcc-" __VERSION__
#endif

void clbench_open(struct clbench *b) {
    snprintf(b->platform, sizeof b->platform, "%.*s", (int)strcspn(COMPILER, " "), COMPILER);
}

cl_program clbench_build(struct clbench *b, const char *text, size_t length) {
    (void)b, (void)text, (void)length;
    return NULL;
}

void clbench_close(struct clbench *b) {
    for (int i = 0; i < CLBENCH_BUFFERS; i++) {
        free(b->buffer[i].device);
        free(b->buffer[i].host);
    }
}

void *make(struct clbench *b, int i, size_t bytes) {
    struct buffer *buffer = &b->buffer[i];
    buffer->bytes = bytes;
    buffer->host = calloc(1, bytes);
    buffer->device = aligned_alloc(LINE_BYTES, round_up((long)bytes, LINE_BYTES));
    if (buffer->host == NULL || buffer->device == NULL) {
        fprintf(stderr, "out of memory: %zu bytes\n", bytes);
        exit(1);
    }
    return buffer->host;
}

void up(struct clbench *b, int i) { memcpy(b->buffer[i].device, b->buffer[i].host, b->buffer[i].bytes); }

void down(struct clbench *b, int i) { memcpy(b->buffer[i].host, b->buffer[i].device, b->buffer[i].bytes); }
