/* Dense matrices. Sizes are rows, a multiple of 16. */
#include "product.h"

static void matmul_naive_prepare(struct clbench *b) { product_prepare(b, 1); }
static void matmul_naive_once(struct clbench *b) { multiply(b, "matmul_naive"); }
static void matmul_tiled_once(struct clbench *b) { multiply(b, "matmul_tiled"); }
#define matmul_tiled_prepare matmul_naive_prepare
#define matmul_naive_check product_check
#define matmul_tiled_check product_check

static void transpose_naive_prepare(struct clbench *b) {
    fill_unit(make(b, 0, square_bytes(b)), b->size * b->size, 3);
    make(b, 1, square_bytes(b));
    up(b, 0);
}
#define transpose_tiled_prepare transpose_naive_prepare

static void turn(struct clbench *b, const char *kernel) {
    cl_int n = (cl_int)b->size;
    launch(b, kernel, RANGE2((size_t)n, (size_t)n, 16, 16), V(n), B(0), B(1));
}
static void transpose_naive_once(struct clbench *b) { turn(b, "transpose_naive"); }
static void transpose_tiled_once(struct clbench *b) { turn(b, "transpose_tiled"); }

static int transpose_naive_check(struct clbench *b) {
    const float *in = b->buffer[0].host, *got = b->buffer[1].host;
    long n = b->size;
    int ok = 1;
    down(b, 1);
    for (long at = 0; ok && at < n * n; at++) {
        ok = near("transposed", at, got[at], in[at % n * n + at / n], 0.0);
    }
    return ok;
}
#define transpose_tiled_check transpose_naive_check

static void lu_prepare(struct clbench *b) {
    float *a = make(b, 0, square_bytes(b));
    fill_unit(a, b->size * b->size, 4);
    for (long i = 0; i < b->size; i++) {
        a[i * b->size + i] += (float)b->size; /* dominant, so no pivots are needed */
    }
}

static void lu_once(struct clbench *b) {
    cl_int n = (cl_int)b->size;
    up(b, 0);
    for (cl_int k = 0; k < n - 1; k++) {
        long rest = n - 1 - k;
        launch(b, "lu_column", RANGE1(round_up(rest, 64), 64), V(n), V(k), B(0));
        launch(b, "lu_rest", RANGE2(round_up(rest, 16), round_up(rest, 16), 16, 16), V(n), V(k), B(0));
    }
}

static int lu_check(struct clbench *b) {
    long n = b->size;
    double *want = malloc((size_t)(n * n) * sizeof(double));
    const float *a = b->buffer[0].host;
    int ok = want != NULL;
    for (long at = 0; ok && at < n * n; at++) {
        want[at] = a[at];
    }
    for (long k = 0; ok && k < n; k++) {
        for (long row = k + 1; row < n; row++) {
            double factor = want[row * n + k] /= want[k * n + k];
            for (long column = k + 1; column < n; column++) {
                want[row * n + column] -= factor * want[k * n + column];
            }
        }
    }
    down(b, 0);
    for (long at = 0; ok && at < n * n; at++) {
        ok = near("decomposed", at, a[at], want[at], 1e-4);
    }
    free(want);
    return ok;
}

static void dct_prepare(struct clbench *b) {
    transpose_naive_prepare(b);
    float *basis = make(b, 2, 64 * sizeof(float));
    for (int k = 0; k < 8; k++) {
        for (int x = 0; x < 8; x++) {
            double scale = k == 0 ? sqrt(0.125) : 0.5;
            basis[k * 8 + x] = (float)(scale * cos((2 * x + 1) * k * 3.14159265358979323846 / 16));
        }
    }
    up(b, 2);
}

static void dct_once(struct clbench *b) {
    cl_int n = (cl_int)b->size;
    launch(b, "dct", RANGE2((size_t)n, (size_t)n, 8, 8), V(n), B(0), B(2), B(1));
}

static double coefficient(const float *block, long width, const float *basis, long x, long y) {
    double sum = 0.0;
    for (long row = 0; row < 8; row++) {
        for (long column = 0; column < 8; column++) {
            sum += (double)block[row * width + column] * (double)basis[y * 8 + row] * (double)basis[x * 8 + column];
        }
    }
    return sum;
}

static int dct_check(struct clbench *b) {
    const float *in = b->buffer[0].host, *got = b->buffer[1].host, *basis = b->buffer[2].host;
    long n = b->size, stride = n * n / 20000 + 1;
    int ok = 1;
    down(b, 1);
    for (long at = 0; ok && at < n * n; at += stride) {
        long x = at % n, y = at / n;
        double want = coefficient(in + (y - y % 8) * n + (x - x % 8), n, basis, x % 8, y % 8);
        ok = near("coefficient", at, got[at], want, 1e-4);
    }
    return ok;
}

const struct workload dense_workloads[] = {
    WORKLOAD(dense, matmul_naive, 64, 512, 1024, 2048),
    WORKLOAD(dense, matmul_tiled, 64, 512, 1024, 2048),
    WORKLOAD(dense, transpose_naive, 64, 1536, 4096, 8192),
    WORKLOAD(dense, transpose_tiled, 64, 1536, 4096, 8192),
    WORKLOAD(dense, lu, 48, 256, 768, 1536),
    WORKLOAD(dense, dct, 64, 1024, 4096, 8192),
    END_OF_WORKLOADS,
};
