/* Cache sweeps: blocks small enough to stay in the cores' own caches, updated sweep after sweep.
 *
 * SIZE is the number of blocks, CUTOFF the elements of one. A task names its block, which is an
 * allocation of its own, and a sweep ends before the next begins, so nothing but the runtime decides
 * whether a block is updated where it was updated last (aligned) or anywhere (scattered). After the
 * experiment on affinity (Table 7) of Lee, Nigania, Patel, Kim 2013, "OpenCL Performance Evaluation on
 * Modern Multi Core CPUs".
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

static double initial(long block, long i) { return (double)((block * 31 + i) % 97); }

static int block_is_right(const double *block, long number, long elements) {
    int ok = 1;
    for (long i = 0; i < elements; i += 61) {
        double expected = initial(number, i);
        for (int sweep = 0; sweep < SWEEPS; sweep++) {
            expected = step(expected);
        }
        ok = ok && expected == block[i];
    }
    return ok;
}

int main(int argc, char **argv) {
    static const struct bench_class classes[4] = {
        {8, 1024}, {16, 8192}, {16, 16384}, {24, 16384}};
    struct bench bench = bench_start("cache_sweeps", classes, argc, argv);
    long blocks = bench.size, elements = bench.cutoff;
    double **data = bench_alloc((size_t)blocks * sizeof(double *));
    for (long b = 0; b < blocks; b++) {
        data[b] = bench_place((size_t)elements * sizeof(double));
        for (long i = 0; i < elements; i++) {
            data[b][i] = initial(b, i);
        }
    }

    struct bench_time start = bench_now();
#pragma omp parallel
#pragma omp single
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (long b = 0; b < blocks; b++) {
            double *block = data[b];
#pragma omp task firstprivate(block, elements) depend(inout : block[0 : elements])
            update(block, elements);
        }
#pragma omp taskwait
    }
    struct bench_time spent = bench_since(start);

    int ok = 1;
    for (long b = 0; b < blocks; b++) {
        ok = block_is_right(data[b], b, elements) && ok;
        bench_unplace(data[b]);
    }
    free(data);
    return bench_finish(&bench, SWEEPS * blocks, spent, ok);
}
