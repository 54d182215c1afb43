/* Connected components of a sparse random graph: level by level, tasks mark what they reach.
 *
 * SIZE is the number of nodes, CUTOFF how many nodes of a level a task goes on from. From every node
 * that has no component yet a search starts. A task claims the neighbours of its nodes that nobody has;
 * together they are the next level. Which thread claims a node is luck, the components are not. In
 * the spirit of the Barcelona OpenMP Tasks Suite's program of this name, but without its recursion,
 * which is as deep as a component is large.
 */
#include "bench.h"

enum { EDGES = 3 /* a node, on average 1.5 at either end */ };

static long nodes;
static int *first;     /* node -> where its neighbours begin */
static int *neighbours;
static int *component; /* node -> its component, from 1; 0: none yet */

static void make_graph(void) {
    long edges = nodes * EDGES / 2;
    uint64_t state = 9;
    int *ends = bench_alloc((size_t)edges * 2 * sizeof(int));
    first = memset(bench_alloc((size_t)(nodes + 2) * sizeof(int)), 0, (size_t)(nodes + 2) * sizeof(int));
    neighbours = bench_alloc((size_t)edges * 2 * sizeof(int));
    component = memset(bench_alloc((size_t)nodes * sizeof(int)), 0, (size_t)nodes * sizeof(int));
    for (long e = 0; e < 2 * edges; e++) {
        ends[e] = (int)(bench_random(&state) % (uint64_t)nodes);
        first[ends[e] + 2]++;
    }
    for (long n = 2; n < nodes + 2; n++) {
        first[n] += first[n - 1];
    }
    for (long e = 0; e < 2 * edges; e++) {
        neighbours[first[ends[e] + 1]++] = ends[e ^ 1];
    }
    free(ends);
}

/* True for the one who gives the node its component. */
static int claim(int node, int number) {
    int none = 0;
    return __atomic_load_n(&component[node], __ATOMIC_RELAXED) == 0 &&
           __atomic_compare_exchange_n(&component[node], &none, number, 0, __ATOMIC_RELAXED,
                                       __ATOMIC_RELAXED);
}

/* Claims the neighbours of `count` nodes and puts them at `found`. Returns how many there are. */
static int expand(const int *level, int count, int number, int *found) {
    int claimed = 0;
    for (int i = 0; i < count; i++) {
        for (int e = first[level[i]]; e < first[level[i] + 1]; e++) {
            if (claim(neighbours[e], number)) {
                found[claimed++] = neighbours[e];
            }
        }
    }
    return claimed;
}

/* Part of a level: where its nodes begin, and where the nodes they lead to are put. */
struct chunk {
    int from, size;
    long to;
    int claimed;
};

/* Cuts a level into chunks, each with room for all neighbours of its nodes. Returns their number. */
static int cut(const int *level, int count, int grain, struct chunk *chunks) {
    long to = 0;
    int cuts = 0;
    for (int from = 0; from < count; from += grain) {
        struct chunk chunk = {from, count - from < grain ? count - from : grain, to, 0};
        for (int i = from; i < from + chunk.size; i++) {
            to += first[level[i] + 1] - first[level[i]];
        }
        chunks[cuts++] = chunk;
    }
    return cuts;
}

/* Everything that hangs together with `start`. `found` has room for all ends of edges. */
static void search(int start, int number, int grain, int *level, int *found, struct chunk *chunks) {
    int count = 1;
    level[0] = start;
    while (count > 0) {
        int cuts = cut(level, count, grain, chunks);
        for (int c = 0; c < cuts; c++) {
            struct chunk *chunk = &chunks[c];
            bench_count_task();
#pragma omp task firstprivate(chunk, level, found, number) if (cuts > 1)
            chunk->claimed = expand(level + chunk->from, chunk->size, number, found + chunk->to);
        }
#pragma omp taskwait
        count = 0;
        for (int c = 0; c < cuts; c++) {
            memcpy(level + count, found + chunks[c].to, (size_t)chunks[c].claimed * sizeof(int));
            count += chunks[c].claimed;
        }
    }
}

/* The check: components by joining the ends of edges, without tasks. */
static int find(int *parent, int node) {
    while (parent[node] != node) {
        node = parent[node] = parent[parent[node]];
    }
    return node;
}

static int components_are_right(int count) {
    int *parent = bench_alloc((size_t)nodes * sizeof(int)), known = 0, ok = 1;
    for (long n = 0; n < nodes; n++) {
        parent[n] = (int)n;
    }
    for (long n = 0; n < nodes; n++) {
        for (int e = first[n]; e < first[n + 1]; e++) {
            parent[find(parent, (int)n)] = find(parent, neighbours[e]);
            ok = ok && component[n] == component[neighbours[e]];
        }
    }
    for (long n = 0; n < nodes; n++) {
        known += parent[n] == n;
        ok = ok && component[n] > 0;
    }
    free(parent);
    return ok && known == count;
}

int main(int argc, char **argv) {
    static const struct bench_class classes[4] = {
        {500, 8}, {400000, 256}, {2000000, 256}, {10000000, 256}};
    struct bench bench = bench_start("concom", classes, argc, argv);
    nodes = bench.size;
    make_graph();
    int grain = (int)bench.cutoff, count = 0;
    int *level = bench_alloc((size_t)nodes * sizeof(int));
    int *found = bench_alloc((size_t)(nodes * EDGES) * sizeof(int));
    struct chunk *chunks = bench_alloc(((size_t)nodes / (size_t)grain + 1) * sizeof(struct chunk));

    struct bench_time start = bench_now();
#pragma omp parallel
    {
#pragma omp single
        for (int n = 0; n < nodes; n++) {
            if (claim(n, count + 1)) {
                search(n, ++count, grain, level, found, chunks);
            }
        }
        bench_sum_tasks();
    }
    struct bench_time spent = bench_since(start);

    int ok = components_are_right(count);
    free(first);
    free(neighbours);
    free(component);
    free(level);
    free(found);
    free(chunks);
    return bench_finish(&bench, bench_tasks, spent, ok);
}
