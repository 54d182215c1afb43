/* Unbalanced tree search: count the nodes of a tree that nobody can divide beforehand.
 *
 * The tree is implicit: a node is a random number, and its children are made from it. The root has
 * SIZE children; every other node has CHILDREN children with probability PROBABILITY, or none. Their
 * product is just under one, so subtrees differ in size by orders of magnitude, and only a scheduler
 * that moves work all the time keeps its threads busy. A task a node.
 *
 * The idea is that of Olivier et al., "UTS: An Unbalanced Tree Search Benchmark" (LCPC 2006). Where
 * they derive a child by SHA-1, WORK rounds of a cheaper mix stand in for it.
 */
#include "bench.h"

enum { CHILDREN = 4, WORK = 24 };
static const double PROBABILITY = 0.249;

static uint64_t child_of(uint64_t node, int index) {
    uint64_t child = node + (uint64_t)(index + 1) * UINT64_C(0x9e3779b97f4a7c15);
    for (int i = 0; i < WORK; i++) {
        child = bench_mix(child + (uint64_t)i);
    }
    return child;
}

static int children_of(uint64_t node) {
    double chance = (double)(node >> 11) * 0x1p-53; /* in [0, 1) */
    return chance < PROBABILITY ? CHILDREN : 0;
}

/* The nodes of the subtree under `node`, itself included. */
static long count(uint64_t node, int depth, int children) {
    long counts[children > 0 ? children : 1];
    long sum = 1;
    for (int i = 0; i < children; i++) {
        BENCH_TASK(depth, shared(counts) firstprivate(node, depth, i), {
            uint64_t child = child_of(node, i);
            counts[i] = count(child, depth + 1, children_of(child));
        })
    }
#pragma omp taskwait
    for (int i = 0; i < children; i++) {
        sum += counts[i];
    }
    return sum;
}

static long count_serially(uint64_t node, int children) {
    long sum = 1;
    for (int i = 0; i < children; i++) {
        uint64_t child = child_of(node, i);
        sum += count_serially(child, children_of(child));
    }
    return sum;
}

int main(int argc, char **argv) {
    static const struct bench_class classes[4] = {{40, BENCH_DEPTH(4)},
                                                  {8000, BENCH_DEPTH(4)},
                                                  {40000, BENCH_DEPTH(4)},
                                                  {400000, BENCH_DEPTH(4)}};
    struct bench bench = bench_start("uts", classes, argc, argv);
    const uint64_t root = 42;
    long result = 0;

    struct bench_time start = bench_now();
#pragma omp parallel
#pragma omp single
    result = count(root, 0, (int)bench.size);
    struct bench_time spent = bench_since(start);

    long known = count_serially(root, (int)bench.size);
    return bench_finish(&bench, known - 1, spent, result == known);
}
