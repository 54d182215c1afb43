/* A random directed acyclic graph of small tasks: what irregular dependences cost.
 *
 * SIZE is the number of tasks, CUTOFF the number of cells they work on. A task reads 0 to 3 random cells
 * and rewrites another one; its new value depends on the old ones, so any order that breaks a
 * dependence gives another result in the end.
 */
#include "bench.h"

enum { READS = 3, WORK = 40 };

struct step {
    long target;
    long reads[READS];
};

static struct step step_of(uint64_t *state, long cells) {
    struct step step;
    step.target = (long)(bench_random(state) % (uint64_t)cells);
    for (int i = 0; i < READS; i++) {
        step.reads[i] = (long)(bench_random(state) % (uint64_t)cells);
    }
    return step;
}

static void take(uint64_t *cells, struct step step, int reads) {
    uint64_t value = cells[step.target] + 1;
    for (int i = 0; i < reads; i++) {
        value = bench_mix(value ^ cells[step.reads[i]]);
    }
    for (int i = 0; i < WORK; i++) {
        value = bench_mix(value + (uint64_t)i);
    }
    cells[step.target] = value;
}

static void create(uint64_t *c, struct step s, int reads) {
    long t = s.target;
    switch (reads) {
    case 0:
#pragma omp task firstprivate(c, s) depend(inout : c[t])
        take(c, s, 0);
        break;
    case 1:
#pragma omp task firstprivate(c, s) depend(inout : c[t]) depend(in : c[s.reads[0]])
        take(c, s, 1);
        break;
    case 2:
#pragma omp task firstprivate(c, s) depend(inout : c[t]) depend(in : c[s.reads[0]], c[s.reads[1]])
        take(c, s, 2);
        break;
    default:
#pragma omp task firstprivate(c, s) depend(inout : c[t])                                           \
    depend(in : c[s.reads[0]], c[s.reads[1]], c[s.reads[2]])
        take(c, s, 3);
        break;
    }
}

int main(int argc, char **argv) {
    static const struct bench_class classes[4] = {
        {2000, 64}, {200000, 1024}, {1000000, 1024}, {10000000, 4096}};
    struct bench bench = bench_start("random_dag", classes, argc, argv);
    long cells = bench.cutoff;
    size_t bytes = (size_t)cells * sizeof(uint64_t);
    uint64_t *values = memset(bench_alloc(bytes), 0, bytes);
    uint64_t *known = memset(bench_alloc(bytes), 0, bytes);
    uint64_t state = 5;

    struct bench_time start = bench_now();
#pragma omp parallel
#pragma omp single
    for (long i = 0; i < bench.size; i++) {
        struct step step = step_of(&state, cells);
        create(values, step, (int)(i % (READS + 1)));
    }
    struct bench_time spent = bench_since(start);

    state = 5;
    for (long i = 0; i < bench.size; i++) {
        take(known, step_of(&state, cells), (int)(i % (READS + 1)));
    }
    int ok = memcmp(values, known, bytes) == 0;
    free(values);
    free(known);
    return bench_finish(&bench, bench.size, spent, ok);
}
