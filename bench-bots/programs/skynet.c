/* A tree of tasks with ten children each: every leaf is a number, every task the sum of its children.
 *
 * Nine children are tasks, the last one is a plain call: so a task creates children, and waits for
 * all that it has so far, at each level below it down to a leaf. SIZE is the number of levels.
 */
#include "bench.h"

enum { CHILDREN = 10 };

/* The sum of the leaves of a subtree, whose first leaf is number `first` and which has `leaves`. */
static long sum_of(long first, long leaves, long depth) {
    long parts[CHILDREN], sum = 0;
    if (leaves == 1) {
        return first;
    }
    long part = leaves / CHILDREN;
    for (long child = 0; child < CHILDREN - 1; child++) {
        BENCH_TASK(depth, shared(parts) firstprivate(first, part, child, depth),
                   parts[child] = sum_of(first + child * part, part, depth + 1);)
    }
    parts[CHILDREN - 1] = sum_of(first + (CHILDREN - 1) * part, part, depth + 1);
#pragma omp taskwait
    for (long child = 0; child < CHILDREN; child++) {
        sum += parts[child];
    }
    return sum;
}

int main(int argc, char **argv) {
    static const struct bench_class classes[4] = {
        {3, BENCH_DEPTH(2)}, {6, BENCH_DEPTH(3)}, {7, BENCH_DEPTH(3)}, {8, BENCH_DEPTH(4)}};
    struct bench bench = bench_start("skynet", classes, argc, argv);
    if (bench.size > 9) {
        bench_usage(bench.name, "SIZE must be at most 9");
    }
    long leaves = 1, tasks = 0, result = 0;
    for (long level = 0; level < bench.size; level++) {
        tasks += leaves * (CHILDREN - 1);
        leaves *= CHILDREN;
    }

    struct bench_time start = bench_now();
#pragma omp parallel
#pragma omp single
    result = sum_of(0, leaves, 0);
    struct bench_time spent = bench_since(start);

    return bench_finish(&bench, tasks, spent, result == leaves * (leaves - 1) / 2);
}
