/* Conjugate gradients in one region: three reductions, two single constructs and six barriers an
 * iteration.
 *
 * SIZE is the number of unknowns, CUTOFF of iterations. The matrix is symmetric and diagonally
 * dominant, with six pairs of bands. Checked by the residual: it is small, and what the recurrence
 * says.
 */
#include "bench.h"

#include <math.h>

enum { BANDS = 6 };

static const long offsets[BANDS] = {1, 2, 50, 141, 700, 3001};
static long unknowns;
static double *x, *b, *r, *p, *q;

static double weight(int band) { return 0.3 + 0.1 * band; }

/* Row `i` of the matrix times `of`. */
static double row_times(const double *of, long i) {
    double sum = 4.0 * of[i];
    for (int band = 0; band < BANDS; band++) {
        long before = i - offsets[band], after = i + offsets[band];
        sum += 2.0 * weight(band) * of[i];
        sum -= before >= 0 ? weight(band) * of[before] : 0.0;
        sum -= after < unknowns ? weight(band) * of[after] : 0.0;
    }
    return sum;
}

/* Returns the squared norm of the residual, as the recurrence has it. */
static double solve(long iterations) {
    double rho = 0.0, p_times_q = 0.0, next_rho = 0.0, size = 0.0;
#pragma omp parallel
    {
#pragma omp for reduction(+ : rho)
        for (long i = 0; i < unknowns; i++) {
            x[i] = 0.0;
            r[i] = p[i] = b[i];
            rho += r[i] * r[i];
        }
        for (long k = 0; k < iterations; k++) {
#pragma omp single
            p_times_q = next_rho = size = 0.0;
#pragma omp for reduction(+ : p_times_q)
            for (long i = 0; i < unknowns; i++) {
                q[i] = row_times(p, i);
                p_times_q += q[i] * p[i];
            }
            double alpha = rho / p_times_q;
#pragma omp for reduction(+ : next_rho)
            for (long i = 0; i < unknowns; i++) {
                x[i] += alpha * p[i];
                r[i] -= alpha * q[i];
                next_rho += r[i] * r[i];
            }
            double beta = next_rho / rho;
#pragma omp for reduction(+ : size)
            for (long i = 0; i < unknowns; i++) {
                p[i] = r[i] + beta * p[i];
                size += x[i] * x[i];
            }
#pragma omp single
            rho = next_rho;
        }
    }
    return rho;
}

int main(int argc, char **argv) {
    static const struct bench_class classes[4] = {
        {4000, 20}, {20000, 30}, {20000, 60}, {1000000, 60}};
    struct bench bench = bench_start("solver", classes, argc, argv);
    enum { SOLUTIONS = 50 };
    unknowns = bench.size;
    double **const vectors[] = {&x, &b, &r, &p, &q};
    for (int i = 0; i < 5; i++) {
        *vectors[i] = bench_alloc((size_t)unknowns * sizeof(double));
    }
    uint64_t state = 1;
    for (long i = 0; i < unknowns; i++) {
        b[i] = (double)(bench_random(&state) % 1000) / 1000.0;
    }

    struct bench_time start = bench_now();
    double said = 0.0;
    for (int i = 0; i < SOLUTIONS; i++) {
        said = solve(bench.cutoff);
    }
    struct bench_time spent = bench_since(start);

    double left = 0.0, all = 0.0;
    for (long i = 0; i < unknowns; i++) {
        double difference = b[i] - row_times(x, i);
        left += difference * difference;
        all += b[i] * b[i];
    }
    int ok = left < 1e-4 * all && fabs(left - said) < 1e-6 * all;
    return bench_finish(&bench, SOLUTIONS * bench.cutoff, spent, ok);
}
