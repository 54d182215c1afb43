/* Vecmul: products of two vectors element by element, a block of each vector a task.
 *
 * SIZE is the number of blocks, CUTOFF the elements of one. The three vectors are lists of blocks, each
 * block an allocation of its own. A task reads two blocks and writes one, which a round-robin
 * of allocations leaves at three different places. After Muddukrishna, Jonsson, Brorsson 2015,
 * section 5.
 */
#include "bench.h"

enum { SWEEPS = 4 };

struct vector {
    double **blocks;
};

static struct vector make(long blocks, long elements, long salt) {
    struct vector v = {bench_alloc((size_t)blocks * sizeof(double *))};
    for (long b = 0; b < blocks; b++) {
        v.blocks[b] = bench_place((size_t)elements * sizeof(double));
        for (long i = 0; i < elements; i++) {
            v.blocks[b][i] = (double)((b * 7 + i * 13 + salt) % 1009);
        }
    }
    return v;
}

static void drop(struct vector v, long blocks) {
    for (long b = 0; b < blocks; b++) {
        bench_unplace(v.blocks[b]);
    }
    free(v.blocks);
}

static void multiply(const double *x, const double *y, double *z, long elements) {
    for (long i = 0; i < elements; i++) {
        z[i] += x[i] * y[i];
    }
}

int main(int argc, char **argv) {
    static const struct bench_class classes[4] = {
        {16, 1024}, {128, 32768}, {512, 65536}, {2048, 65536}};
    struct bench bench = bench_start("vecmul", classes, argc, argv);
    long blocks = bench.size, elements = bench.cutoff;
    struct vector a = make(blocks, elements, 1), b = make(blocks, elements, 2);
    struct vector c = make(blocks, elements, 3);

    struct bench_time start = bench_now();
#pragma omp parallel
#pragma omp single
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (long k = 0; k < blocks; k++) {
            double *x = a.blocks[k], *y = b.blocks[k], *z = c.blocks[k];
#pragma omp task firstprivate(x, y, z, elements)                                                   \
    depend(in : x[0 : elements], y[0 : elements]) depend(inout : z[0 : elements])
            multiply(x, y, z, elements);
        }
    }
    struct bench_time spent = bench_since(start);

    int ok = 1; /* all values are whole and small, so sums are exact */
    for (long k = 0; k < blocks; k++) {
        for (long i = 0; i < elements; i++) {
            double product = a.blocks[k][i] * b.blocks[k][i];
            double expected = (double)((k * 7 + i * 13 + 3) % 1009) + SWEEPS * product;
            ok = ok && !(c.blocks[k][i] < expected) && !(c.blocks[k][i] > expected);
        }
    }
    drop(a, blocks);
    drop(b, blocks);
    drop(c, blocks);
    return bench_finish(&bench, SWEEPS * blocks, spent, ok);
}
