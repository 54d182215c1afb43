/* Reduce: the sum over one large array, block by block, then pair by pair.
 *
 * SIZE is the number of blocks, a power of two, CUTOFF the elements of one. All blocks are parts of a
 * single allocation, so a coarse distribution puts everything at one place and a fine one spreads
 * it. After Muddukrishna, Jonsson, Brorsson 2015, section 5.
 */
#include "bench.h"

enum { SWEEPS = 4 };

static uint64_t sum_block(const uint32_t *block, long elements) {
    uint64_t sum = 0;
    for (long i = 0; i < elements; i++) {
        sum += block[i] ^ (block[i] >> 3);
    }
    return sum;
}

/* Tasks for the blocks, then a tree of tasks that add two sums each. Returns their number. */
static long reduce(const uint32_t *data, long blocks, long elements, uint64_t *sums) {
    long tasks = 0;
    for (long b = 0; b < blocks; b++) {
        const uint32_t *block = data + b * elements;
#pragma omp task firstprivate(block, b) depend(in : block[0 : elements]) depend(out : sums[b])
        sums[b] = sum_block(block, elements);
        tasks++;
    }
    for (long apart = 1; apart < blocks; apart *= 2) {
        for (long b = 0; b + apart < blocks; b += 2 * apart) {
#pragma omp task firstprivate(b, apart) depend(inout : sums[b]) depend(in : sums[b + apart])
            sums[b] += sums[b + apart];
            tasks++;
        }
    }
    return tasks;
}

int main(int argc, char **argv) {
    static const struct bench_class classes[4] = {
        {16, 2048}, {256, 131072}, {1024, 131072}, {2048, 262144}};
    struct bench bench = bench_start("reduce", classes, argc, argv);
    long blocks = bench.size, elements = bench.cutoff, tasks = 0;
    uint32_t *data = bench_place((size_t)(blocks * elements) * sizeof(uint32_t));
    uint64_t *sums = bench_alloc((size_t)blocks * sizeof(uint64_t));
    uint64_t state = 3, results[SWEEPS];
    for (long i = 0; i < blocks * elements; i++) {
        data[i] = (uint32_t)bench_random(&state);
    }

    struct bench_time start = bench_now();
#pragma omp parallel
#pragma omp single
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        tasks += reduce(data, blocks, elements, sums);
#pragma omp taskwait
        results[sweep] = sums[0];
    }
    struct bench_time spent = bench_since(start);

    int ok = 1;
    uint64_t known = sum_block(data, blocks * elements);
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        ok = ok && results[sweep] == known;
    }
    bench_unplace(data);
    free(sums);
    return bench_finish(&bench, tasks, spent, ok);
}
