/* What every benchmark program shares: its command line, its clock, its one line of output.
 *
 *     PROGRAM [--class test|small|medium|large] [--memory malloc|omp_malloc] [SIZE [CUTOFF]]
 *
 * SIZE and CUTOFF mean what the program says. Programs that recurse without a cut-off can be built
 * with one, by -DBENCH_CUT=BENCH_IF, BENCH_FINAL or BENCH_MANUAL; then CUTOFF is the depth.
 * --memory says who allocates the data of programs that use bench_place.
 *
 * The number of threads comes from OMP_NUM_THREADS alone. A program times its parallel part only,
 * checks its own result, and prints one line of key=value pairs:
 *
 *     name=fib size=27 cutoff=0 threads=2 tasks=832038 seconds=0.07 cpu_seconds=0.14
 *         ns_per_task=84.1 result=ok
 *
 * Exit status: 0 the result is right, 1 it is wrong, 2 the command line was not understood.
 */
#ifndef VICINITY_BENCH_H
#define VICINITY_BENCH_H

#include "clock.h"

#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
#define BENCH_THREAD_LOCAL thread_local
#else
#define BENCH_THREAD_LOCAL _Thread_local
#endif

/* The ways to stop making tasks: not at all, by an if clause, by a final clause, by a plain call. */
#define BENCH_NONE 0
#define BENCH_IF 1
#define BENCH_FINAL 2
#define BENCH_MANUAL 3
#ifndef BENCH_CUT
#define BENCH_CUT BENCH_NONE
#endif

/* BENCH_TASK(depth, clauses, statement): the statement as a task, unless `depth` has reached the
 * cut-off. BENCH_DEPTH(n): the cut-off of a size class, for programs that have none otherwise. */
static long bench_cut_depth;
#define BENCH_PRAGMA(...) _Pragma(#__VA_ARGS__)
#if BENCH_CUT == BENCH_NONE
#define BENCH_DEPTH(n) 0
#define BENCH_TASK(depth, clauses, ...) BENCH_PRAGMA(omp task clauses) __VA_ARGS__
#else
#define BENCH_DEPTH(n) (n)
#if BENCH_CUT == BENCH_IF
#define BENCH_TASK(depth, clauses, ...)                                                            \
    BENCH_PRAGMA(omp task clauses if((depth) < bench_cut_depth)) __VA_ARGS__
#elif BENCH_CUT == BENCH_FINAL
#define BENCH_TASK(depth, clauses, ...)                                                            \
    BENCH_PRAGMA(omp task clauses final((depth) >= bench_cut_depth) mergeable) __VA_ARGS__
#else
#define BENCH_TASK(depth, clauses, ...)                                                            \
    if ((depth) < bench_cut_depth) {                                                               \
        BENCH_PRAGMA(omp task clauses) __VA_ARGS__                                                 \
    } else                                                                                         \
        __VA_ARGS__
#endif
#endif

/* One size class. A cutoff of 0 means that the program has none and accepts none. */
struct bench_class {
    long size;
    long cutoff;
};

struct bench {
    const char *name;
    long size;
    long cutoff;
};

/* Who allocates what bench_place gives: malloc, or the runtime where it has omp_malloc. */
#ifdef __cplusplus
extern "C"
#endif
void *omp_malloc(size_t) __attribute__((weak));
static int bench_runtime_places;

static void bench_usage(const char *name, const char *what) {
    fprintf(stderr,
            "%s: %s\nusage: %s [--class test|small|medium|large] [--memory malloc|omp_malloc] "
            "[SIZE [CUTOFF]]\n",
            name, what, name);
    exit(2);
}

static long bench_number(const char *name, const char *text) {
    char *end;
    long value = strtol(text, &end, 10);
    if (*text == '\0' || *end != '\0' || value <= 0) {
        bench_usage(name, "SIZE and CUTOFF must be positive numbers");
    }
    return value;
}

static int bench_class_index(const char *name, const char *text) {
    static const char *const names[4] = {"test", "small", "medium", "large"};
    for (int i = 0; text != NULL && i < 4; i++) {
        if (strcmp(text, names[i]) == 0) {
            return i;
        }
    }
    bench_usage(name, "--class needs one of test, small, medium, large");
    return -1;
}

static void bench_read_memory(const char *name, const char *text) {
    if (text == NULL || (strcmp(text, "malloc") != 0 && strcmp(text, "omp_malloc") != 0)) {
        bench_usage(name, "--memory needs one of malloc, omp_malloc");
    }
    bench_runtime_places = strcmp(text, "omp_malloc") == 0;
    if (bench_runtime_places && omp_malloc == NULL) {
        bench_usage(name, "this OpenMP runtime has no omp_malloc");
    }
}

/* Reads the command line and starts the team, so that no clock sees threads being created.
 * `classes` holds the sizes of test, small, medium and large; small is the default. */
static struct bench bench_start(const char *name, const struct bench_class classes[4], int argc,
                                char **argv) {
    long numbers[2];
    int count = 0;
    const struct bench_class *chosen = &classes[1];
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--class") == 0) {
            i++;
            chosen = &classes[bench_class_index(name, i < argc ? argv[i] : NULL)];
        } else if (strcmp(argv[i], "--memory") == 0) {
            i++;
            bench_read_memory(name, i < argc ? argv[i] : NULL);
        } else if (count < (chosen->cutoff == 0 ? 1 : 2)) {
            numbers[count++] = bench_number(name, argv[i]);
        } else {
            bench_usage(name, "too many arguments");
        }
    }
    struct bench bench = {name, chosen->size, chosen->cutoff};
    if (count > 0) {
        bench.size = numbers[0];
    }
    if (count > 1) {
        bench.cutoff = numbers[1];
    }
    bench_cut_depth = bench.cutoff;
#pragma omp parallel
    {
        __asm__ volatile("");
    }
    return bench;
}

/* Prints the line and gives the exit status. */
static int bench_finish(const struct bench *bench, long tasks, struct bench_time spent, int ok) {
    printf("name=%s size=%ld cutoff=%ld threads=%d tasks=%ld seconds=%.9f cpu_seconds=%.9f "
           "ns_per_task=%.2f result=%s\n",
           bench->name, bench->size, bench->cutoff, omp_get_max_threads(), tasks,
           spent.wall_s, spent.cpu_s, spent.wall_s * 1e9 / (double)(tasks > 0 ? tasks : 1), ok ? "ok" : "wrong");
    if (!ok) {
        fprintf(stderr, "%s: the result is wrong\n", bench->name);
    }
    return ok ? 0 : 1;
}

/* Counting tasks where their number is not known beforehand: whoever creates one calls
 * bench_count_task, and every thread of the region calls bench_sum_tasks at its end. */
static BENCH_THREAD_LOCAL long bench_tasks_here;
static long bench_tasks;

static inline void bench_count_task(void) { bench_tasks_here++; }

static inline void bench_sum_tasks(void) {
#pragma omp atomic
    bench_tasks += bench_tasks_here;
    bench_tasks_here = 0;
}

/* A bijective mix of 64 bits (the finalizer of SplitMix64: Steele, Lea, Flood 2014). */
static inline uint64_t bench_mix(uint64_t x) {
    x ^= x >> 30;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 27;
    x *= UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* The next of a reproducible sequence of random numbers. */
static inline uint64_t bench_random(uint64_t *state) {
    *state += UINT64_C(0x9e3779b97f4a7c15);
    return bench_mix(*state);
}

/* Memory or the end: a benchmark has nothing to do without it. */
static inline void *bench_alloc(size_t bytes) {
    void *memory = malloc(bytes);
    if (memory == NULL) {
        fprintf(stderr, "out of memory: %zu bytes\n", bytes);
        exit(1);
    }
    return memory;
}

/* Memory for data that tasks share, from whom --memory says; it is spread over the machine as
 * OMP_DATA_DISTRIBUTION says where the runtime places it. */
static inline void *bench_place(size_t bytes) {
    void *memory = bench_runtime_places ? omp_malloc(bytes) : malloc(bytes);
    if (memory == NULL) {
        fprintf(stderr, "out of memory: %zu bytes\n", bytes);
        exit(1);
    }
    return memory;
}

static inline void bench_unplace(void *memory) {
    if (bench_runtime_places) {
        omp_free(memory, omp_null_allocator);
    } else {
        free(memory);
    }
}

#endif
