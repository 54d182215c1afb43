/* Matrix multiplication by Strassen's method: seven half-size products a level, a task each.
 *
 * SIZE is the rows of the square matrices, CUTOFF the rows at and below which a product is computed
 * directly; SIZE must be CUTOFF times a power of two. Each task allocates what its product needs, so
 * the runtime's tasks and the allocator meet as they do in real programs.
 */
#include "bench.h"

#include <math.h>

static long cutoff;

/* A square part of a row-major matrix. */
struct part {
    double *at;
    long stride;
};

static struct part quarter(struct part m, long half, int row, int column) {
    struct part q = {m.at + row * half * m.stride + column * half, m.stride};
    return q;
}

/* out := a + sign * b */
static void combine(long n, struct part a, double sign, struct part b, struct part out) {
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < n; j++) {
            out.at[i * out.stride + j] = a.at[i * a.stride + j] + sign * b.at[i * b.stride + j];
        }
    }
}

/* c := a b */
static void multiply_directly(long n, struct part a, struct part b, struct part c) {
    for (long i = 0; i < n; i++) {
        double *row = c.at + i * c.stride;
        memset(row, 0, (size_t)n * sizeof(double));
        for (long k = 0; k < n; k++) {
            double value = a.at[i * a.stride + k];
            for (long j = 0; j < n; j++) {
                row[j] += value * b.at[k * b.stride + j];
            }
        }
    }
}

static void multiply(long n, struct part a, struct part b, struct part c);

/* product := (a1 + sign_a * a2) (b1 + sign_b * b2); a sign of 0 leaves the second part out. */
static void product(long n, struct part a1, double sign_a, struct part a2, struct part b1,
                    double sign_b, struct part b2, struct part product) {
    double *spare = bench_alloc((size_t)(2 * n * n) * sizeof(double));
    struct part a = {spare, n}, b = {spare + n * n, n};
    if (sign_a != 0.0) {
        combine(n, a1, sign_a, a2, a);
    } else {
        a = a1;
    }
    if (sign_b != 0.0) {
        combine(n, b1, sign_b, b2, b);
    } else {
        b = b1;
    }
    multiply(n, a, b, product);
    free(spare);
}

/* c := a b, in seven products m[0..7) of half the size */
static void multiply(long n, struct part a, struct part b, struct part c) {
    if (n <= cutoff) {
        multiply_directly(n, a, b, c);
        return;
    }
    long h = n / 2;
    struct part a11 = quarter(a, h, 0, 0), a12 = quarter(a, h, 0, 1), a21 = quarter(a, h, 1, 0),
                a22 = quarter(a, h, 1, 1);
    struct part b11 = quarter(b, h, 0, 0), b12 = quarter(b, h, 0, 1), b21 = quarter(b, h, 1, 0),
                b22 = quarter(b, h, 1, 1);
    double *spare = bench_alloc((size_t)(7 * h * h) * sizeof(double));
    struct part m[7];
    for (int i = 0; i < 7; i++) {
        m[i] = (struct part){spare + i * h * h, h};
        bench_count_task();
    }
#pragma omp task
    product(h, a11, 1.0, a22, b11, 1.0, b22, m[0]);
#pragma omp task
    product(h, a21, 1.0, a22, b11, 0.0, b11, m[1]);
#pragma omp task
    product(h, a11, 0.0, a11, b12, -1.0, b22, m[2]);
#pragma omp task
    product(h, a22, 0.0, a22, b21, -1.0, b11, m[3]);
#pragma omp task
    product(h, a11, 1.0, a12, b22, 0.0, b22, m[4]);
#pragma omp task
    product(h, a21, -1.0, a11, b11, 1.0, b12, m[5]);
#pragma omp task
    product(h, a12, -1.0, a22, b21, 1.0, b22, m[6]);
#pragma omp taskwait
    struct part c11 = quarter(c, h, 0, 0), c12 = quarter(c, h, 0, 1), c21 = quarter(c, h, 1, 0),
                c22 = quarter(c, h, 1, 1);
    combine(h, m[0], 1.0, m[3], c11); /* c11 = m0 + m3 - m4 + m6 */
    combine(h, c11, -1.0, m[4], c11);
    combine(h, c11, 1.0, m[6], c11);
    combine(h, m[2], 1.0, m[4], c12); /* c12 = m2 + m4 */
    combine(h, m[1], 1.0, m[3], c21); /* c21 = m1 + m3 */
    combine(h, m[0], -1.0, m[1], c22); /* c22 = m0 - m1 + m2 + m5 */
    combine(h, c22, 1.0, m[2], c22);
    combine(h, c22, 1.0, m[5], c22);
    free(spare);
}

/* out := m in */
static void apply(long n, const double *m, const double *in, double *out) {
    for (long i = 0; i < n; i++) {
        out[i] = 0.0;
        for (long j = 0; j < n; j++) {
            out[i] += m[i * n + j] * in[j];
        }
    }
}

/* Freivalds' check: c x must be a (b x). */
static int is_product(long n, const double *a, const double *b, const double *c) {
    double *x = bench_alloc((size_t)(4 * n) * sizeof(double));
    double *bx = x + n, *abx = x + 2 * n, *cx = x + 3 * n;
    int ok = 1;
    for (long i = 0; i < n; i++) {
        x[i] = (double)(i % 7) - 3.0;
    }
    apply(n, b, x, bx);
    apply(n, a, bx, abx);
    apply(n, c, x, cx);
    for (long i = 0; i < n; i++) {
        ok = ok && fabs(cx[i] - abx[i]) <= 1e-9 * (double)(n * n);
    }
    free(x);
    return ok;
}

int main(int argc, char **argv) {
    static const struct bench_class classes[4] = {{64, 16}, {1024, 64}, {2048, 64}, {4096, 64}};
    struct bench bench = bench_start("strassen", classes, argc, argv);
    long n = bench.size;
    cutoff = bench.cutoff;
    for (long half = n; half > cutoff; half /= 2) {
        if (half % 2 != 0) {
            bench_usage(bench.name, "SIZE must be at most CUTOFF times a power of two");
        }
    }
    double *a = bench_alloc((size_t)(3 * n * n) * sizeof(double));
    double *b = a + n * n, *c = a + 2 * n * n;
    uint64_t state = 3;
    for (long i = 0; i < 2 * n * n; i++) {
        a[i] = (double)(bench_random(&state) >> 11) * 0x1p-53 - 0.5;
    }

    struct bench_time start = bench_now();
#pragma omp parallel
    {
#pragma omp single
        multiply(n, (struct part){a, n}, (struct part){b, n}, (struct part){c, n});
        bench_sum_tasks();
    }
    struct bench_time spent = bench_since(start);

    int ok = is_product(n, a, b, c);
    free(a);
    return bench_finish(&bench, bench_tasks, spent, ok);
}
