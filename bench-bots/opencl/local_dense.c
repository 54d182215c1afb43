/* Matrices and blocks in local memory. Sizes are rows: of products a multiple of 16, of the transform one of 32. */
#include "product.h"

static void product_tiled_prepare(struct clbench *b) { product_prepare(b, 1101); }
static void product_tiled_once(struct clbench *b) { multiply(b, "product_tiled"); }
static void product_naive_once(struct clbench *b) { multiply(b, "product_naive"); }
#define product_naive_prepare product_tiled_prepare
#define product_tiled_check product_check
#define product_naive_check product_check

enum { ACROSS = 32, DOWN = 2, SIDE = 8 };

static void dct8x8_blocks_prepare(struct clbench *b) {
    fill_between(make(b, 0, square_bytes(b)), b->size * b->size, 1103, -128.0f, 127.0f);
    make(b, 1, square_bytes(b));
    up(b, 0);
}

static void dct8x8_blocks_once(struct clbench *b) {
    cl_int n = (cl_int)b->size;
    launch(b, "dct8x8_blocks", RANGE2((size_t)n, (size_t)n / SIDE, ACROSS, DOWN), V(n), B(0), B(1));
}

static double cosine(long frequency, long at) {
    double scale = frequency == 0 ? sqrt(0.125) : 0.5;
    return scale * cos((double)((2 * at + 1) * frequency) * 3.14159265358979323846 / 16.0);
}

/* By the definition, of all coefficients of some blocks. */
static int dct8x8_blocks_check(struct clbench *b) {
    const float *in = b->buffer[0].host, *got = b->buffer[1].host;
    long n = b->size, blocks = n / SIDE * (n / SIDE), stride = blocks / 1000 + 1;
    int ok = 1;
    down(b, 1);
    for (long block = 0; ok && block < blocks; block += stride) {
        long corner = block / (n / SIDE) * SIDE * n + block % (n / SIDE) * SIDE;
        for (long v = 0; ok && v < SIDE * SIDE; v++) {
            double sum = 0.0;
            for (long i = 0; i < SIDE * SIDE; i++) {
                sum += in[corner + i / SIDE * n + i % SIDE] * cosine(v / SIDE, i / SIDE) * cosine(v % SIDE, i % SIDE);
            }
            long at = corner + v / SIDE * n + v % SIDE;
            ok = near("coefficient", at, got[at], sum, 1e-3);
        }
    }
    return ok;
}

const struct workload local_dense_workloads[] = {
    WORKLOAD(local_dense, product_tiled, 64, 960, 2000, 8000),
    WORKLOAD(local_dense, dct8x8_blocks, 64, 4096, 7168, 10240),
    WORKLOAD(local_dense, product_naive, 64, 960, 2000, 8000),
    END_OF_WORKLOADS,
};
