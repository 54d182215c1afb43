/* Measures of what a team does together: regions, barriers, loops, critical sections, reductions. */
#include "overheads.h"

#include <time.h>

/* The slowest single operation matters as much as the mean where threads outnumber processors. */
struct clock {
    double start, last, worst;
};

/* Not omp_get_wtime: the clock must not be the measured runtime's own. */
static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void clock_start(struct clock *clock) {
    clock->start = clock->last = now();
    clock->worst = 0.0;
}

static void clock_lap(struct clock *clock) {
    double time = now();
    clock->worst = time - clock->last > clock->worst ? time - clock->last : clock->worst;
    clock->last = time;
}

static struct reading clock_stop(const struct clock *clock, long operations, int ok) {
    struct reading reading = reading_of(operations, clock->last - clock->start, ok);
    reading.worst_ns = clock->worst * 1e9;
    return reading;
}

struct reading fork_join(long operations, long width) {
    (void)width;
    struct clock clock;
    clock_start(&clock);
    for (long i = 0; i < operations; i++) {
#pragma omp parallel
        keep();
        clock_lap(&clock);
    }
    return clock_stop(&clock, operations, 1);
}

struct reading barrier(long operations, long width) {
    (void)width;
    struct clock clock;
    long *reached = zeros(omp_get_max_threads() * 8L);
    int ok = 1;
    clock_start(&clock);
#pragma omp parallel shared(clock) reduction(&& : ok)
    {
        int me = omp_get_thread_num(), next = (me + 1) % omp_get_num_threads();
        for (long i = 0; i < operations; i++) {
            __atomic_store_n(&reached[me * 8], i, __ATOMIC_RELAXED);
#pragma omp barrier
            /* The neighbour has come this far, and at most one barrier further. */
            ok = ok && __atomic_load_n(&reached[next * 8], __ATOMIC_RELAXED) - i <= 1;
            ok = ok && __atomic_load_n(&reached[next * 8], __ATOMIC_RELAXED) >= i;
            if (me == 0) {
                clock_lap(&clock);
            }
        }
    }
    free(reached);
    return clock_stop(&clock, operations, ok);
}

/* A loop whose iterations are handed out at run time costs what handing out costs. */
struct reading dynamic(long operations, long width) {
    (void)width;
    long sum = 0;
    double start = omp_get_wtime();
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : sum)
    for (long i = 0; i < operations; i++) {
        sum += i;
        keep();
    }
    double seconds = omp_get_wtime() - start;
    return reading_of(operations, seconds, sum == operations * (operations - 1) / 2);
}

struct reading guided(long operations, long width) {
    (void)width;
    long sum = 0;
    double start = omp_get_wtime();
#pragma omp parallel for schedule(guided) reduction(+ : sum)
    for (long i = 0; i < operations; i++) {
        sum += i;
        keep();
    }
    double seconds = omp_get_wtime() - start;
    return reading_of(operations, seconds, sum == operations * (operations - 1) / 2);
}

struct reading critical(long operations, long width) {
    (void)width;
    long entered = 0;
    long threads = omp_get_max_threads();
    long rounds = (operations + threads - 1) / threads;
    long started = 0;
    double start = omp_get_wtime();
#pragma omp parallel shared(entered, started)
    {
#pragma omp atomic
        started += rounds;
        for (long i = 0; i < rounds; i++) {
#pragma omp critical
            entered++;
        }
    }
    double seconds = omp_get_wtime() - start;
    return reading_of(entered, seconds, entered == started);
}

struct reading single(long operations, long width) {
    (void)width;
    long done = 0;
    double start = omp_get_wtime();
#pragma omp parallel shared(done)
    for (long i = 0; i < operations; i++) {
#pragma omp single
        done++;
    }
    double seconds = omp_get_wtime() - start;
    return reading_of(operations, seconds, done == operations);
}

struct reading reduction(long operations, long width) {
    (void)width;
    struct clock clock;
    int ok = 1;
    clock_start(&clock);
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
        clock_lap(&clock);
    }
    return clock_stop(&clock, operations, ok);
}
