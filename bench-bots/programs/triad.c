/* Triad: a = b + s * c over three arrays, sweep after sweep, each thread its own part (after STREAM).
 *
 * SIZE is the elements of an array, CUTOFF the sweeps. The first thread initialises all arrays, so by
 * first touch all memory is where it runs. Nothing but the memory matters: two operations for 24 bytes.
 */
#include "bench.h"

static const double factor = 0.5;

/* What each sweep leaves in `a` is the first term of the next. */
static void sweep(double *restrict a, double *restrict b, const double *restrict c, long count) {
#pragma omp parallel
    {
#pragma omp for schedule(static) nowait
        for (long i = 0; i < count; i++) {
            a[i] = b[i] + factor * c[i];
        }
#pragma omp for schedule(static)
        for (long i = 0; i < count; i++) {
            b[i] = factor * a[i];
        }
    }
}

static double initial(long i) { return (double)(i % 89); }

static int is_right(const double *a, const double *c, long count, long sweeps) {
    int ok = 1;
    for (long i = 0; i < count; i += 997) {
        double term = initial(i), expected = 0.0;
        for (long done = 0; done < sweeps; done++) {
            expected = term + factor * c[i];
            term = factor * expected;
        }
        double difference = expected - a[i];
        ok = ok && difference < 1e-9 && difference > -1e-9;
    }
    return ok;
}

int main(int argc, char **argv) {
    static const struct bench_class classes[4] = {
        {1L << 14, 10}, {1L << 21, 40}, {1L << 25, 60}, {1L << 27, 100}};
    struct bench bench = bench_start("triad", classes, argc, argv);
    double *arrays[3];
    for (int i = 0; i < 3; i++) {
        arrays[i] = bench_place((size_t)bench.size * sizeof(double));
        for (long at = 0; at < bench.size; at++) {
            arrays[i][at] = initial(at);
        }
    }

    struct bench_time start = bench_now();
    for (long done = 0; done < bench.cutoff; done++) {
        sweep(arrays[0], arrays[1], arrays[2], bench.size);
    }
    struct bench_time spent = bench_since(start);

    int ok = is_right(arrays[0], arrays[2], bench.size, bench.cutoff);
    for (int i = 0; i < 3; i++) {
        bench_unplace(arrays[i]);
    }
    return bench_finish(&bench, bench.cutoff, spent, ok);
}
