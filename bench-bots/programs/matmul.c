/* Matmul: a matrix product by blocks, each task one call of the BLAS.
 *
 * SIZE is the number of blocks a side, CUTOFF the rows and columns of a block. Blocks are allocations
 * of their own. The tasks of one result block are ordered by depend clauses and share their result,
 * the larger part of what they write. The BLAS is the system's (dgemm, Dongarra et al. 1990); it must be one
 * that several threads may call (not Debian's serial OpenBLAS), and should start no threads of its own
 * (OPENBLAS_NUM_THREADS=1).
 */
#include "bench.h"

#include <math.h>

/* Fortran's dgemm: every argument by reference, matrices by columns. */
void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
            const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
            const double *beta, double *c, const int *ldc);

static long blocks;
static int rows;

static double **make(uint64_t seed) {
    double **matrix = bench_alloc((size_t)(blocks * blocks) * sizeof(double *));
    for (long i = 0; i < blocks * blocks; i++) {
        matrix[i] = bench_place((size_t)rows * (size_t)rows * sizeof(double));
        for (long e = 0; e < (long)rows * rows; e++) {
            matrix[i][e] = seed == 0 ? 0.0 : (double)(bench_random(&seed) >> 11) * 0x1p-53 - 0.5;
        }
    }
    return matrix;
}

static void drop(double **matrix) {
    for (long i = 0; i < blocks * blocks; i++) {
        bench_unplace(matrix[i]);
    }
    free(matrix);
}

static void multiply_block(const double *a, const double *b, double *c) {
    const double one = 1.0;
    dgemm_("N", "N", &rows, &rows, &rows, &one, a, &rows, b, &rows, &one, c, &rows);
}

static void multiply(double **a, double **b, double **c) {
    long elements = (long)rows * rows;
    for (long k = 0; k < blocks; k++) {
        for (long i = 0; i < blocks; i++) {
            for (long j = 0; j < blocks; j++) {
                double *x = a[i * blocks + k], *y = b[k * blocks + j], *z = c[i * blocks + j];
#pragma omp task firstprivate(x, y, z)                                                             \
    depend(in : x[0 : elements], y[0 : elements]) depend(inout : z[0 : elements])
                multiply_block(x, y, z);
            }
        }
    }
}

/* out := matrix times in; blocks are stored by columns */
static void apply(double **matrix, const double *in, double *out) {
    for (long i = 0; i < blocks * rows; i++) {
        out[i] = 0.0;
        for (long j = 0; j < blocks * rows; j++) {
            const double *block = matrix[(i / rows) * blocks + j / rows];
            out[i] += block[(j % rows) * rows + i % rows] * in[j];
        }
    }
}

int main(int argc, char **argv) {
    static const struct bench_class classes[4] = {{3, 16}, {8, 96}, {12, 192}, {24, 256}};
    struct bench bench = bench_start("matmul", classes, argc, argv);
    blocks = bench.size;
    rows = (int)bench.cutoff;
    double **a = make(1), **b = make(2), **c = make(0);

    struct bench_time start = bench_now();
#pragma omp parallel
#pragma omp single
    multiply(a, b, c);
    struct bench_time spent = bench_since(start);

    /* Freivalds' check: C x must be A (B x). */
    long n = blocks * rows;
    double *x = bench_alloc((size_t)n * 4 * sizeof(double));
    double *inner = x + n, *expected = x + 2 * n, *result = x + 3 * n;
    for (long i = 0; i < n; i++) {
        x[i] = (double)(i % 7) - 3.0;
    }
    apply(b, x, inner);
    apply(a, inner, expected);
    apply(c, x, result);
    int ok = 1;
    for (long i = 0; i < n; i++) {
        ok = ok && fabs(result[i] - expected[i]) <= 1e-10 * (double)n * (double)n;
    }
    free(x);
    drop(a);
    drop(b);
    drop(c);
    return bench_finish(&bench, blocks * blocks * blocks, spent, ok);
}
