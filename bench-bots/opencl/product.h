/* Products of square matrices of floats, whichever kernel makes them: buffers 0 and 1 are multiplied into buffer 2. */
#ifndef VICINITY_PRODUCT_H
#define VICINITY_PRODUCT_H

#include "workloads.h"

static inline size_t square_bytes(const struct clbench *b) { return (size_t)(b->size * b->size) * sizeof(float); }

/* Data by two seeds, `seed` and the next one. */
static inline void product_prepare(struct clbench *b, uint32_t seed) {
    fill_unit(make(b, 0, square_bytes(b)), b->size * b->size, seed);
    fill_unit(make(b, 1, square_bytes(b)), b->size * b->size, seed + 1);
    make(b, 2, square_bytes(b));
    up(b, 0), up(b, 1);
}

static inline void multiply(struct clbench *b, const char *kernel) {
    cl_int n = (cl_int)b->size;
    launch(b, kernel, RANGE2((size_t)n, (size_t)n, 16, 16), V(n), B(0), B(1), B(2));
}

/* Some elements of each row and column. */
static inline int product_check(struct clbench *b) {
    const float *left = b->buffer[0].host, *right = b->buffer[1].host, *got = b->buffer[2].host;
    long n = b->size, stride = n * n / 5000 + 1;
    int ok = 1;
    down(b, 2);
    for (long at = 0; ok && at < n * n; at += stride) {
        double sum = 0.0;
        for (long k = 0; k < n; k++) {
            sum += (double)left[at / n * n + k] * (double)right[k * n + at % n];
        }
        ok = near("product", at, got[at], sum, 1e-4);
    }
    return ok;
}

#endif
