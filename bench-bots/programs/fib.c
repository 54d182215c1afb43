/* Fibonacci by two tasks a call: without a cut-off nothing but the cost of a task.
 *
 * fib(n) = fib(n - 1) + fib(n - 2), each term a task of its own. The work between two tasks is one
 * addition, so the time a task is what the runtime takes to create, run and join it.
 */
#include "bench.h"

static int top;

static long fib(int n) {
    long x, y;
    if (n < 2) {
        return n;
    }
    BENCH_TASK(top - n, shared(x) firstprivate(n), x = fib(n - 1);)
    BENCH_TASK(top - n, shared(y) firstprivate(n), y = fib(n - 2);)
#pragma omp taskwait
    return x + y;
}

/* The same number by counting up. */
static long fib_known(int n) {
    long previous = 0, current = 1;
    for (int i = 0; i < n; i++) {
        long next = previous + current;
        previous = current;
        current = next;
    }
    return previous;
}

/* Every call but the first is a task; calls(n) = 2 * fib(n + 1) - 1. */
static long tasks_of(int n) { return 2 * fib_known(n + 1) - 2; }

int main(int argc, char **argv) {
    static const struct bench_class classes[4] = {
        {16, BENCH_DEPTH(6)}, {30, BENCH_DEPTH(10)}, {34, BENCH_DEPTH(10)}, {40, BENCH_DEPTH(12)}};
    struct bench bench = bench_start("fib", classes, argc, argv);
    int n = top = (int)bench.size;
    long result = 0;

    struct bench_time start = bench_now();
#pragma omp parallel
#pragma omp single
    result = fib(n);
    struct bench_time spent = bench_since(start);

    return bench_finish(&bench, tasks_of(n), spent, result == fib_known(n));
}
