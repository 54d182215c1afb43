/* The kernels of dense.cl in C with OpenMP. */
#include "openmp.h"

/* Row by row: the order of loops in which everything is contiguous. */
void matmul_naive_openmp(struct clbench *b) {
    const float *restrict left = memory(b, 0), *restrict right = memory(b, 1);
    float *restrict out = memory(b, 2);
    long n = b->size;
    begin(b);
#pragma omp parallel for schedule(static)
    for (long row = 0; row < n; row++) {
        float *restrict sum = out + row * n;
        memset(sum, 0, (size_t)n * sizeof(float));
        for (long k = 0; k < n; k++) {
            float factor = left[row * n + k];
#pragma omp simd
            for (long column = 0; column < n; column++) {
                sum[column] += factor * right[k * n + column];
            }
        }
    }
    end(b);
}

enum { ROWS = 4, COLUMNS = 16 }; /* of a tile: its sums are 8 vectors of 8 */

/* `panel` is COLUMNS columns of a matrix, row by row without gaps. */
static void copy_panel(long n, const float *restrict in, float *restrict panel) {
    for (long k = 0; k < n; k++) {
#pragma omp simd
        for (long x = 0; x < COLUMNS; x++) {
            panel[k * COLUMNS + x] = in[k * n + x];
        }
    }
}

static void multiply_tile(long n, const float *restrict left, const float *restrict panel, float *restrict out) {
    float sum[ROWS][COLUMNS] = {{0.0f}};
    for (long k = 0; k < n; k++) {
        for (long y = 0; y < ROWS; y++) {
#pragma omp simd
            for (long x = 0; x < COLUMNS; x++) {
                sum[y][x] += left[y * n + k] * panel[k * COLUMNS + x];
            }
        }
    }
    for (long y = 0; y < ROWS; y++) {
        memcpy(out + y * n, sum[y], sizeof sum[y]);
    }
}

/* Tiles of sums in registers; the panel that they share is copied for the cache, as groups copy tiles to local memory. */
void matmul_tiled_openmp(struct clbench *b) {
    const float *restrict left = memory(b, 0), *restrict right = memory(b, 1);
    float *restrict out = memory(b, 2);
    long n = b->size;
    begin(b);
#pragma omp parallel
    {
        float *panel = aligned_alloc(64, (size_t)(n * COLUMNS) * sizeof(float));
#pragma omp for schedule(static)
        for (long column = 0; column < n; column += COLUMNS) {
            copy_panel(n, right + column, panel);
            for (long row = 0; row < n; row += ROWS) {
                multiply_tile(n, left + row * n, panel, out + row * n + column);
            }
        }
        free(panel);
    }
    end(b);
}

void transpose_naive_openmp(struct clbench *b) {
    const float *restrict in = memory(b, 0);
    float *restrict out = memory(b, 1);
    long n = b->size;
    begin(b);
#pragma omp parallel for schedule(static)
    for (long x = 0; x < n; x++) {
#pragma omp simd
        for (long y = 0; y < n; y++) {
            out[x * n + y] = in[y * n + x];
        }
    }
    end(b);
}

enum { TILE = 16 };

void transpose_tiled_openmp(struct clbench *b) {
    const float *restrict in = memory(b, 0);
    float *restrict out = memory(b, 1);
    long n = b->size;
    begin(b);
#pragma omp parallel for collapse(2) schedule(static)
    for (long left = 0; left < n; left += TILE) {
        for (long top = 0; top < n; top += TILE) {
            for (long x = left; x < left + TILE; x++) {
#pragma omp simd
                for (long y = top; y < top + TILE; y++) {
                    out[x * n + y] = in[y * n + x];
                }
            }
        }
    }
    end(b);
}

/* Both kernels' work of a step row by row, all steps in one region. */
void lu_openmp(struct clbench *b) {
    float *a = memory(b, 0);
    long n = b->size;
    up(b, 0);
    begin(b);
#pragma omp parallel
    for (long k = 0; k < n - 1; k++) {
        const float *pivot = a + k * n;
#pragma omp for schedule(static)
        for (long row = k + 1; row < n; row++) {
            float *here = a + row * n;
            float factor = here[k] /= pivot[k];
#pragma omp simd
            for (long column = k + 1; column < n; column++) {
                here[column] -= factor * pivot[column];
            }
        }
    }
    end(b);
}

enum { EDGE = 8 };

/* out = left * right, of rows that are `step` apart in `right` and `out`. */
static inline void multiply_block(const float *left, long left_step, const float *right, float *out, long out_step) {
    for (long y = 0; y < EDGE; y++) {
        float sum[EDGE] = {0.0f};
        for (long k = 0; k < EDGE; k++) {
#pragma omp simd
            for (long x = 0; x < EDGE; x++) {
                sum[x] += left[y * left_step + k] * right[k * EDGE + x];
            }
        }
        memcpy(out + y * out_step, sum, sizeof sum);
    }
}

void dct_openmp(struct clbench *b) {
    const float *restrict in = memory(b, 0), *restrict basis = memory(b, 2);
    float *restrict out = memory(b, 1);
    long n = b->size;
    begin(b);
#pragma omp parallel
    {
        float turned[EDGE * EDGE], half_done[EDGE * EDGE];
        for (long k = 0; k < EDGE * EDGE; k++) {
            turned[k] = basis[k % EDGE * EDGE + k / EDGE];
        }
#pragma omp for collapse(2) schedule(static)
        for (long top = 0; top < n; top += EDGE) {
            for (long left = 0; left < n; left += EDGE) {
                multiply_block(in + top * n + left, n, turned, half_done, EDGE);
                multiply_block(basis, EDGE, half_done, out + top * n + left, n);
            }
        }
    }
    end(b);
}
