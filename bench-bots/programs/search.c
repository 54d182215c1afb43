/* Breadth-first search, level by level: regions of very unlike length, dynamic chunks, and a queue
 * that is written atomically.
 *
 * SIZE is the number of nodes, CUTOFF of searches. Half of the edges are local, a few nodes have
 * very many. A tail of nodes, each with one successor, gives every search many levels of one node.
 * Checked against a serial search.
 */
#include "bench.h"

enum { DEGREE = 8, TAIL = 200, BATCH = 64, CHUNK = 64 };

static long nodes;
static long *begin;
static int *neighbours, *levels, *queues[2];

static long target(uint64_t *state, long from) {
    switch (bench_random(state) % 4) {
    case 0: return (long)(bench_random(state) % (1 + bench_random(state) % (uint64_t)nodes));
    case 1: return (long)(bench_random(state) % (uint64_t)(nodes < 1000 ? nodes : 1000));
    default: return (from + 1 + (long)(bench_random(state) % 64)) % nodes;
    }
}

/* Node `nodes - TAIL` and those after it are the tail; what leads there from elsewhere leads to
 * the first of it. */
static void make(void) {
    long edges = nodes * DEGREE, tail = nodes - TAIL;
    begin = (long *)bench_alloc((size_t)(nodes + 1) * sizeof(long));
    neighbours = (int *)bench_alloc((size_t)edges * sizeof(int));
    uint64_t state = 1;
    long at = 0;
    for (long node = 0; node < nodes; node++) {
        begin[node] = at;
        if (node >= tail) {
            neighbours[at++] = (int)(node + 1 < nodes ? node + 1 : node);
            continue;
        }
        for (int k = 0; k < DEGREE; k++) {
            long other = target(&state, node);
            neighbours[at++] = (int)(other > tail ? tail : other);
        }
    }
    begin[nodes] = at;
}

/* Claims room for what one thread found. */
static void append(int *queue, long *length, const int *found, long count) {
    long at;
#pragma omp atomic capture
    {
        at = *length;
        *length += count;
    }
    memcpy(queue + at, found, (size_t)count * sizeof(int));
}

static void visit(int node, int depth, int *next, long *length, int *found, long *count) {
    for (long edge = begin[node]; edge < begin[node + 1]; edge++) {
        int other = neighbours[edge], level;
#pragma omp atomic read
        level = levels[other];
        if (level >= 0) {
            continue;
        }
        int unseen = -1;
        if (__atomic_compare_exchange_n(&levels[other], &unseen, depth, 0, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {
            found[(*count)++] = other;
        }
        if (*count == BATCH) {
            append(next, length, found, *count);
            *count = 0;
        }
    }
}

/* Sets the levels of all nodes, as seen from `root`; returns how many there are. */
static long search(int root) {
#pragma omp parallel for
    for (long i = 0; i < nodes; i++) {
        levels[i] = -1;
    }
    levels[root] = 0;
    queues[0][0] = root;
    int depth = 0;
    for (long length = 1; length > 0; depth++) {
        const int *here = queues[depth % 2];
        int *next = queues[(depth + 1) % 2];
        long next_length = 0;
#pragma omp parallel
        {
            int found[BATCH];
            long count = 0;
#pragma omp for schedule(dynamic, CHUNK) nowait
            for (long i = 0; i < length; i++) {
                visit(here[i], depth + 1, next, &next_length, found, &count);
            }
            append(next, &next_length, found, count);
        }
        length = next_length;
    }
    return depth;
}

int main(int argc, char **argv) {
    static const struct bench_class classes[4] = {
        {2000, 4}, {150000, 30}, {150000, 100}, {4000000, 20}};
    struct bench bench = bench_start("search", classes, argc, argv);
    nodes = bench.size > 2 * TAIL ? bench.size : 2 * TAIL;
    make();
    levels = (int *)bench_alloc((size_t)nodes * sizeof(int));
    for (int i = 0; i < 2; i++) {
        queues[i] = (int *)bench_alloc((size_t)nodes * sizeof(int));
    }

    struct bench_time start = bench_now();
    long depths = 0;
    int root = 0;
    for (long i = 0; i < bench.cutoff; i++) {
        root = (int)((i * 7919 + 13) % (nodes - TAIL));
        depths += search(root);
    }
    struct bench_time spent = bench_since(start);

    int *parallel = levels, threads = omp_get_max_threads();
    levels = (int *)bench_alloc((size_t)nodes * sizeof(int));
    omp_set_num_threads(1);
    search(root);
    omp_set_num_threads(threads);
    int ok = memcmp(parallel, levels, (size_t)nodes * sizeof(int)) == 0;
    return bench_finish(&bench, depths, spent, ok);
}
