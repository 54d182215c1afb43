/* Cholesky factorization of a dense matrix by blocks, ordered by dependences alone.
 *
 * SIZE is the number of blocks a side, CUTOFF the rows and columns of a block. The right-looking
 * algorithm with a task for each operation on a block; all four kinds meet in depend clauses, so
 * the graph is wide in the middle and narrow at both ends. (Buttari et al., "A class of parallel tiled
 * linear algebra algorithms for multicore architectures", 2009.)
 */
#include "bench.h"

#include <math.h>

static long blocks, rows;
static double **matrix; /* the lower half: block (i, j) with j <= i */

static double *block(long i, long j) { return matrix[i * blocks + j]; }

/* a := L with L L^T = a */
static void factor(double *a) {
    for (long j = 0; j < rows; j++) {
        for (long k = 0; k < j; k++) {
            for (long i = j; i < rows; i++) {
                a[i * rows + j] -= a[i * rows + k] * a[j * rows + k];
            }
        }
        double root = sqrt(a[j * rows + j]);
        for (long i = j; i < rows; i++) {
            a[i * rows + j] /= root;
        }
    }
}

/* b := b L^-T */
static void solve(const double *l, double *b) {
    for (long i = 0; i < rows; i++) {
        for (long j = 0; j < rows; j++) {
            double value = b[i * rows + j];
            for (long k = 0; k < j; k++) {
                value -= b[i * rows + k] * l[j * rows + k];
            }
            b[i * rows + j] = value / l[j * rows + j];
        }
    }
}

/* c := c - a b^T */
static void update(const double *a, const double *b, double *c) {
    for (long i = 0; i < rows; i++) {
        for (long j = 0; j < rows; j++) {
            double sum = 0.0;
            for (long k = 0; k < rows; k++) {
                sum += a[i * rows + k] * b[j * rows + k];
            }
            c[i * rows + j] -= sum;
        }
    }
}

static long factor_matrix(void) {
    long tasks = 0, size = rows * rows;
    for (long k = 0; k < blocks; k++) {
        double *diagonal = block(k, k);
#pragma omp task firstprivate(diagonal) depend(inout : diagonal[0 : size])
        factor(diagonal);
        tasks++;
        for (long i = k + 1; i < blocks; i++) {
            double *below = block(i, k);
#pragma omp task firstprivate(diagonal, below)                                                     \
    depend(in : diagonal[0 : size]) depend(inout : below[0 : size])
            solve(diagonal, below);
            tasks++;
        }
        for (long i = k + 1; i < blocks; i++) {
            for (long j = k + 1; j <= i; j++) {
                double *a = block(i, k), *b = block(j, k), *c = block(i, j);
#pragma omp task firstprivate(a, b, c)                                                             \
    depend(in : a[0 : size], b[0 : size]) depend(inout : c[0 : size])
                update(a, b, c);
                tasks++;
            }
        }
    }
    return tasks;
}

/* Symmetric with a heavy diagonal, so positive definite. */
static double element(long i, long j) {
    long low = i < j ? i : j, high = i < j ? j : i;
    uint64_t bits = bench_mix((uint64_t)(high * 1000003 + low));
    double value = (double)(bits >> 11) * 0x1p-53;
    return i == j ? value + (double)(blocks * rows) : value;
}

static void make_matrix(void) {
    matrix = bench_alloc((size_t)(blocks * blocks) * sizeof(double *));
    for (long i = 0; i < blocks; i++) {
        for (long j = 0; j <= i; j++) {
            matrix[i * blocks + j] = bench_place((size_t)(rows * rows) * sizeof(double));
            for (long e = 0; e < rows * rows; e++) {
                block(i, j)[e] = element(i * rows + e / rows, j * rows + e % rows);
            }
        }
    }
}

/* Element (i, j) of L. */
static double factor_at(long i, long j) {
    return j > i ? 0.0 : block(i / rows, j / rows)[(i % rows) * rows + j % rows];
}

/* L (L^T x) must be what the matrix times x is. */
static int is_right(void) {
    long n = blocks * rows;
    double *x = bench_alloc((size_t)n * 2 * sizeof(double)), *inner = x + n;
    int ok = 1;
    for (long i = 0; i < n; i++) {
        x[i] = (double)(i % 5) - 2.0;
    }
    for (long i = 0; i < n; i++) {
        inner[i] = 0.0;
        for (long j = i; j < n; j++) {
            inner[i] += factor_at(j, i) * x[j];
        }
    }
    for (long i = 0; i < n; i++) {
        double result = 0.0, expected = 0.0;
        for (long j = 0; j < n; j++) {
            result += factor_at(i, j) * inner[j];
            expected += element(i, j) * x[j];
        }
        ok = ok && fabs(result - expected) <= 1e-10 * (double)n * (double)n;
    }
    free(x);
    return ok;
}

int main(int argc, char **argv) {
    static const struct bench_class classes[4] = {{4, 8}, {14, 48}, {20, 80}, {32, 128}};
    struct bench bench = bench_start("cholesky", classes, argc, argv);
    blocks = bench.size;
    rows = bench.cutoff;
    make_matrix();
    long tasks = 0;

    struct bench_time start = bench_now();
#pragma omp parallel
#pragma omp single
    tasks = factor_matrix();
    struct bench_time spent = bench_since(start);

    int ok = is_right();
    for (long i = 0; i < blocks; i++) {
        for (long j = 0; j <= i; j++) {
            bench_unplace(block(i, j));
        }
    }
    free(matrix);
    return bench_finish(&bench, tasks, spent, ok);
}
