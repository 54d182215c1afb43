/* Cache loops: one array, small enough to stay in the cores' own caches, updated loop after loop.
 *
 * SIZE is the number of iterations of a loop, CUTOFF the elements that each updates. The loops are
 * `nonmonotonic:dynamic`, so nothing but the runtime decides whether a part of the array is updated by the
 * core that updated it last (aligned) or by any (scattered). After the experiment on affinity (Table 7) of
 * Lee, Nigania, Patel, Kim 2013, "OpenCL Performance Evaluation on Modern Multi Core CPUs"; cache_sweeps
 * does the same with tasks.
 */
#include "bench.h"

enum { SWEEPS = 2000 };

/* Cheap beside the access, and bounded: converges to 0.5. */
static double step(double x) { return x * 0.5 + 0.25; }

static void update(double *block, long elements) {
    for (long i = 0; i < elements; i++) {
        block[i] = step(block[i]);
    }
}

static double initial(long i) { return (double)(i % 97); }

static int is_right(const double *data, long count) {
    int ok = 1;
    for (long i = 0; i < count; i += 61) {
        double expected = initial(i);
        for (int sweep = 0; sweep < SWEEPS; sweep++) {
            expected = step(expected);
        }
        ok = ok && expected == data[i];
    }
    return ok;
}

int main(int argc, char **argv) {
    static const struct bench_class classes[4] = {
        {16, 512}, {128, 1024}, {128, 2048}, {192, 2048}};
    struct bench bench = bench_start("cache_loops", classes, argc, argv);
    long parts = bench.size, elements = bench.cutoff;
    double *data = bench_place((size_t)(parts * elements) * sizeof(double));
    for (long i = 0; i < parts * elements; i++) {
        data[i] = initial(i);
    }

    struct bench_time start = bench_now();
#pragma omp parallel
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
#pragma omp for schedule(nonmonotonic : dynamic)
        for (long part = 0; part < parts; part++) {
            update(data + part * elements, elements);
        }
    }
    struct bench_time spent = bench_since(start);

    int ok = is_right(data, parts * elements);
    bench_unplace(data);
    return bench_finish(&bench, SWEEPS * parts, spent, ok);
}
