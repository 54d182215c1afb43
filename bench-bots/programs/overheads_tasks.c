/* Measures of tasks without dependences. */
#include "overheads.h"

#include <string.h>

/* The peak resident memory of this process so far, in KiB; 0 where /proc does not tell. */
static long peak_kib(void) {
    char line[256];
    long kib = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status != NULL && fgets(line, sizeof line, status) != NULL) {
        if (strncmp(line, "VmHWM:", 6) == 0) {
            kib = strtol(line + 6, NULL, 10);
        }
    }
    if (status != NULL) {
        fclose(status);
    }
    return kib;
}

/* Tasks are counted by whoever runs them, each thread on a cache line of its own. */
struct counter {
    _Alignas(64) long count;
};

static struct counter *counters_of_team(void) {
    size_t bytes = sizeof(struct counter) * (size_t)omp_get_max_threads();
    struct counter *counters = aligned_alloc(64, bytes);
    if (counters == NULL) {
        fprintf(stderr, "overheads: out of memory\n");
        exit(1);
    }
    return memset(counters, 0, bytes);
}

static long sum_and_free(struct counter *counters) {
    long sum = 0;
    for (int i = 0; i < omp_get_max_threads(); i++) {
        sum += counters[i].count;
    }
    free(counters);
    return sum;
}

struct reading producer(long operations, long width) {
    (void)width;
    struct counter *counters = counters_of_team();
    long before_kib = peak_kib();
    struct bench_time start = bench_now();
#pragma omp parallel
#pragma omp single
    {
        for (long i = 0; i < operations; i++) {
#pragma omp task
            counters[omp_get_thread_num()].count++;
        }
#pragma omp taskwait
    }
    struct bench_time spent = bench_since(start);
    long growth_kib = peak_kib() - before_kib;
    struct reading reading = reading_of(operations, spent, sum_and_free(counters) == operations);
    reading.growth_kib = growth_kib;
    return reading;
}

struct reading nested_producer(long operations, long width) {
    long producers = (operations + width - 1) / width;
    struct counter *counters = counters_of_team();
    struct bench_time start = bench_now();
#pragma omp parallel
#pragma omp single
    for (long p = 0; p < producers; p++) {
#pragma omp task
        {
            for (long i = 0; i < width; i++) {
#pragma omp task
                counters[omp_get_thread_num()].count++;
            }
#pragma omp taskwait
        }
    }
    struct bench_time spent = bench_since(start);
    int ok = sum_and_free(counters) == producers * width;
    return reading_of(producers * width, spent, ok);
}

struct reading taskloop(long operations, long width) {
    (void)width;
    struct counter *counters = counters_of_team();
    long before_kib = peak_kib();
    struct bench_time start = bench_now();
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(1)
    for (long i = 0; i < operations; i++) {
        counters[omp_get_thread_num()].count++;
    }
    struct bench_time spent = bench_since(start);
    long growth_kib = peak_kib() - before_kib;
    struct reading reading = reading_of(operations, spent, sum_and_free(counters) == operations);
    reading.growth_kib = growth_kib;
    return reading;
}

struct reading taskwait(long operations, long width) {
    (void)width;
    long done = 0;
    struct bench_time start = bench_now();
#pragma omp parallel
#pragma omp single
    for (long i = 0; i < operations; i++) {
#pragma omp task shared(done)
        done++;
#pragma omp taskwait
    }
    struct bench_time spent = bench_since(start);
    return reading_of(operations, spent, done == operations);
}
