/* Measures of what a team does together: regions, barriers, loops, critical sections, reductions. */
#include "overheads.h"

/* The slowest single operation matters as much as the mean where threads outnumber processors. */
struct laps {
    struct bench_time start;
    double last_s, worst_s;
};

static struct laps laps_start(void) {
    struct laps laps = {bench_now(), clock_s(CLOCK_MONOTONIC), 0.0};
    return laps;
}

static void lap(struct laps *laps) {
    double now_s = clock_s(CLOCK_MONOTONIC);
    laps->worst_s = now_s - laps->last_s > laps->worst_s ? now_s - laps->last_s : laps->worst_s;
    laps->last_s = now_s;
}

static struct reading laps_end(const struct laps *laps, long operations, int ok) {
    struct reading reading = reading_of(operations, bench_since(laps->start), ok);
    reading.worst_ns = laps->worst_s * 1e9;
    return reading;
}

struct reading fork_join(long operations, long width) {
    (void)width;
    struct laps laps = laps_start();
    for (long i = 0; i < operations; i++) {
#pragma omp parallel
        keep();
        lap(&laps);
    }
    return laps_end(&laps, operations, 1);
}

struct reading fork_join_apart(long operations, long width) {
    struct laps laps = laps_start();
    for (long i = 0; i < operations; i++) {
        double until_s = clock_s(CLOCK_MONOTONIC) + (double)width * 1e-6;
        while (clock_s(CLOCK_MONOTONIC) < until_s) {
            keep();
        }
#pragma omp parallel
        keep();
        lap(&laps);
    }
    return laps_end(&laps, operations, 1);
}

struct reading barrier(long operations, long width) {
    (void)width;
    long *reached = zeros(omp_get_max_threads() * 8L);
    int ok = 1;
    struct laps laps = laps_start();
#pragma omp parallel shared(laps) reduction(&& : ok)
    {
        int me = omp_get_thread_num(), next = (me + 1) % omp_get_num_threads();
        for (long i = 0; i < operations; i++) {
            __atomic_store_n(&reached[me * 8], i, __ATOMIC_RELAXED);
#pragma omp barrier
            /* The neighbour has come this far, and at most one barrier further. */
            ok = ok && __atomic_load_n(&reached[next * 8], __ATOMIC_RELAXED) - i <= 1;
            ok = ok && __atomic_load_n(&reached[next * 8], __ATOMIC_RELAXED) >= i;
            if (me == 0) {
                lap(&laps);
            }
        }
    }
    free(reached);
    return laps_end(&laps, operations, ok);
}

/* A loop whose iterations are handed out at run time costs what handing out costs. */
struct reading dynamic(long operations, long width) {
    (void)width;
    long sum = 0;
    struct bench_time start = bench_now();
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : sum)
    for (long i = 0; i < operations; i++) {
        sum += i;
        keep();
    }
    struct bench_time spent = bench_since(start);
    return reading_of(operations, spent, sum == operations * (operations - 1) / 2);
}

struct reading guided(long operations, long width) {
    (void)width;
    long sum = 0;
    struct bench_time start = bench_now();
#pragma omp parallel for schedule(guided) reduction(+ : sum)
    for (long i = 0; i < operations; i++) {
        sum += i;
        keep();
    }
    struct bench_time spent = bench_since(start);
    return reading_of(operations, spent, sum == operations * (operations - 1) / 2);
}

struct reading critical(long operations, long width) {
    (void)width;
    long entered = 0;
    long threads = omp_get_max_threads();
    long rounds = (operations + threads - 1) / threads;
    long started = 0;
    struct bench_time start = bench_now();
#pragma omp parallel shared(entered, started)
    {
#pragma omp atomic
        started += rounds;
        for (long i = 0; i < rounds; i++) {
#pragma omp critical
            entered++;
        }
    }
    struct bench_time spent = bench_since(start);
    return reading_of(entered, spent, entered == started);
}

struct reading single(long operations, long width) {
    (void)width;
    long done = 0;
    struct bench_time start = bench_now();
#pragma omp parallel shared(done)
    for (long i = 0; i < operations; i++) {
#pragma omp single
        done++;
    }
    struct bench_time spent = bench_since(start);
    return reading_of(operations, spent, done == operations);
}

struct reading reduction(long operations, long width) {
    (void)width;
    int ok = 1;
    struct laps laps = laps_start();
    for (long i = 0; i < operations; i++) {
        long sum = 0, threads = 0;
#pragma omp parallel reduction(+ : sum) shared(threads)
        {
            sum += omp_get_thread_num() + 1;
            if (omp_get_thread_num() == 0) {
                threads = omp_get_num_threads();
            }
        }
        ok = ok && sum == threads * (threads + 1) / 2;
        lap(&laps);
    }
    return laps_end(&laps, operations, ok);
}
