/* LU factorization of a sparse matrix of dense blocks; many blocks are missing, so work is uneven.
 *
 * SIZE is the number of blocks a side, CUTOFF the rows and columns of a block (the grain). Each step
 * factors the diagonal block, then solves the blocks right of and below it, a task each, then
 * updates the rest, a task a block; a missing block that an update touches comes to life.
 */
#include "bench.h"

#include <math.h>

static long blocks;
static long rows; /* of a block, and its columns */

static double **matrix; /* blocks * blocks pointers, NULL where a block is missing */

static double **block(long i, long j) { return &matrix[i * blocks + j]; }

/* diagonal := L and U of itself, L with a unit diagonal, in place. */
static void factor(double *diagonal) {
    for (long k = 0; k < rows; k++) {
        for (long i = k + 1; i < rows; i++) {
            double quotient = diagonal[i * rows + k] / diagonal[k * rows + k];
            diagonal[i * rows + k] = quotient;
            for (long j = k + 1; j < rows; j++) {
                diagonal[i * rows + j] -= quotient * diagonal[k * rows + j];
            }
        }
    }
}

/* right := L^-1 right */
static void solve_right(const double *diagonal, double *right) {
    for (long k = 0; k < rows; k++) {
        for (long i = k + 1; i < rows; i++) {
            for (long j = 0; j < rows; j++) {
                right[i * rows + j] -= diagonal[i * rows + k] * right[k * rows + j];
            }
        }
    }
}

/* below := below U^-1 */
static void solve_below(const double *diagonal, double *below) {
    for (long i = 0; i < rows; i++) {
        for (long k = 0; k < rows; k++) {
            double value = below[i * rows + k] / diagonal[k * rows + k];
            below[i * rows + k] = value;
            for (long j = k + 1; j < rows; j++) {
                below[i * rows + j] -= value * diagonal[k * rows + j];
            }
        }
    }
}

/* inner := inner - below right */
static void update(const double *below, const double *right, double *inner) {
    for (long i = 0; i < rows; i++) {
        for (long k = 0; k < rows; k++) {
            double value = below[i * rows + k];
            for (long j = 0; j < rows; j++) {
                inner[i * rows + j] -= value * right[k * rows + j];
            }
        }
    }
}

static double *zero_block(void) {
    size_t bytes = (size_t)(rows * rows) * sizeof(double);
    return memset(bench_place(bytes), 0, bytes);
}

static void factor_matrix(void) {
    for (long k = 0; k < blocks; k++) {
        double *diagonal = *block(k, k);
        factor(diagonal);
        for (long i = k + 1; i < blocks; i++) {
            if (*block(k, i) != NULL) {
                bench_count_task();
#pragma omp task
                solve_right(diagonal, *block(k, i));
            }
            if (*block(i, k) != NULL) {
                bench_count_task();
#pragma omp task
                solve_below(diagonal, *block(i, k));
            }
        }
#pragma omp taskwait
        for (long i = k + 1; i < blocks; i++) {
            for (long j = k + 1; j < blocks; j++) {
                if (*block(i, k) != NULL && *block(k, j) != NULL) {
                    bench_count_task();
#pragma omp task
                    {
                        if (*block(i, j) == NULL) {
                            *block(i, j) = zero_block();
                        }
                        update(*block(i, k), *block(k, j), *block(i, j));
                    }
                }
            }
        }
#pragma omp taskwait
    }
}

/* A banded pattern with holes; the diagonal dominates, so that no pivoting is needed. */
static void make_matrix(void) {
    uint64_t state = 7;
    matrix = bench_alloc((size_t)(blocks * blocks) * sizeof(double *));
    for (long i = 0; i < blocks; i++) {
        for (long j = 0; j < blocks; j++) {
            int near = labs(i - j) <= 1;
            int present = near || bench_random(&state) % 6 == 0;
            *block(i, j) = present ? zero_block() : NULL;
            for (long e = 0; present && e < rows * rows; e++) {
                (*block(i, j))[e] = (double)(bench_random(&state) >> 11) * 0x1p-53 - 0.5;
            }
            for (long d = 0; i == j && d < rows; d++) {
                (*block(i, j))[d * rows + d] += 2.0 * (double)(blocks * rows);
            }
        }
    }
}

enum part { ALL, UPPER, UNIT_LOWER };

/* out := part of the matrix times in */
static void multiply(enum part part, const double *in, double *out) {
    long n = blocks * rows;
    for (long i = 0; i < n; i++) {
        out[i] = part == UNIT_LOWER ? in[i] : 0.0;
        for (long bj = 0; bj < blocks; bj++) {
            const double *b = *block(i / rows, bj);
            for (long c = 0; b != NULL && c < rows; c++) {
                long j = bj * rows + c;
                if (part == ALL || (part == UPPER ? j >= i : j < i)) {
                    out[i] += b[(i % rows) * rows + c] * in[j];
                }
            }
        }
    }
}

int main(int argc, char **argv) {
    static const struct bench_class classes[4] = {{6, 8}, {24, 32}, {40, 48}, {60, 96}};
    struct bench bench = bench_start("sparselu", classes, argc, argv);
    blocks = bench.size;
    rows = bench.cutoff;
    long n = blocks * rows;
    make_matrix();
    double *x = bench_alloc((size_t)n * 4 * sizeof(double));
    double *expected = x + n, *upper = x + 2 * n, *result = x + 3 * n;
    for (long i = 0; i < n; i++) {
        x[i] = (double)(i % 10) - 4.5;
    }
    multiply(ALL, x, expected);

    struct bench_time start = bench_now();
#pragma omp parallel
    {
#pragma omp single
        factor_matrix();
        bench_sum_tasks();
    }
    struct bench_time spent = bench_since(start);

    multiply(UPPER, x, upper);
    multiply(UNIT_LOWER, upper, result);
    int ok = 1; /* L (U x) must be what the matrix times x was */
    for (long i = 0; i < n; i++) {
        ok = ok && fabs(result[i] - expected[i]) <= 1e-9 * (double)n * 100.0;
    }
    for (long i = 0; i < blocks * blocks; i++) {
        if (matrix[i] != NULL) {
            bench_unplace(matrix[i]);
        }
    }
    free(matrix);
    free(x);
    return bench_finish(&bench, bench_tasks, spent, ok);
}
