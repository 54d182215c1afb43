/* Map: a function applied to every element of separate blocks, several times over.
 *
 * SIZE is the number of blocks, CUTOFF the elements of one. Each block is an allocation of its own and
 * a task's only data, so whole blocks want to lie at one place (coarse), and each task wants to run
 * there. After Muddukrishna, Jonsson, Brorsson 2015, section 5.
 */
#include "bench.h"

enum { SWEEPS = 4 };

static double step(double x) { return x * x * 0.5 + 0.25; }

static void map_block(double *block, long elements) {
    for (long i = 0; i < elements; i++) {
        block[i] = step(block[i]);
    }
}

static double initial(long block, long i) { return (double)((block * 31 + i) % 97) / 97.0; }

static int block_is_right(const double *block, long number, long elements) {
    int ok = 1;
    for (long i = 0; i < elements; i += 61) {
        double expected = initial(number, i);
        for (int sweep = 0; sweep < SWEEPS; sweep++) {
            expected = step(expected);
        }
        ok = ok && expected - block[i] < 1e-12 && block[i] - expected < 1e-12;
    }
    return ok;
}

int main(int argc, char **argv) {
    static const struct bench_class classes[4] = {
        {16, 1024}, {128, 65536}, {512, 131072}, {2048, 131072}};
    struct bench bench = bench_start("map", classes, argc, argv);
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
            map_block(block, elements);
        }
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
