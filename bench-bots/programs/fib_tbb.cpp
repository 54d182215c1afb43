// Fibonacci with oneTBB's task groups: what the same recursion costs without OpenMP.
//
// The command line and the line of results are those of fib.c; the number of threads comes from
// OMP_NUM_THREADS here, too. As in fib.c a call makes a task of each of its two terms.
#include "bench.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

static long fib(int n) {
    if (n < 2) {
        return n;
    }
    long x = 0, y = 0;
    oneapi::tbb::task_group group;
    group.run([&x, n] { x = fib(n - 1); });
    group.run([&y, n] { y = fib(n - 2); });
    group.wait();
    return x + y;
}

static long fib_known(int n) {
    long previous = 0, current = 1;
    for (int i = 0; i < n; i++) {
        long next = previous + current;
        previous = current;
        current = next;
    }
    return previous;
}

int main(int argc, char **argv) {
    static const bench_class classes[4] = {{16, 0}, {30, 0}, {34, 0}, {40, 0}};
    bench bench = bench_start("fib", classes, argc, argv);
    int n = static_cast<int>(bench.size), threads = omp_get_max_threads();
    oneapi::tbb::global_control control(oneapi::tbb::global_control::max_allowed_parallelism,
                                        static_cast<std::size_t>(threads));
    oneapi::tbb::task_arena arena(threads);
    long result = 0;
    arena.execute([&result] { result = fib(16); }); // starts the threads

    bench_time start = bench_now();
    arena.execute([&result, n] { result = fib(n); });
    bench_time spent = bench_since(start);

    return bench_finish(&bench, 2 * fib_known(n + 1) - 2, spent, result == fib_known(n));
}
