/* What every benchmark program shares: its command line, its clock, its one line of output.
 *
 *     PROGRAM [--class test|small|medium|large] [SIZE [CUTOFF]]
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

static void bench_usage(const char *name, const char *what) {
    fprintf(stderr, "%s: %s\nusage: %s [--class test|small|medium|large] [SIZE [CUTOFF]]\n", name,
            what, name);
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

#endif
