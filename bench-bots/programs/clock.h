/* Two clocks: the one on the wall, and the processor time of all threads together. The second does not
 * move while other processes have the processor. Neither is the measured runtime's own. */
#ifndef VICINITY_BENCH_CLOCK_H
#define VICINITY_BENCH_CLOCK_H

#include <time.h>

struct bench_time {
    double wall_s;
    double cpu_s;
};

static inline double bench_clock(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static inline struct bench_time bench_now(void) {
    struct bench_time now;
    now.wall_s = bench_clock(CLOCK_MONOTONIC);
    now.cpu_s = bench_clock(CLOCK_PROCESS_CPUTIME_ID);
    return now;
}

static inline struct bench_time bench_since(struct bench_time start) {
    struct bench_time spent = bench_now();
    spent.wall_s -= start.wall_s;
    spent.cpu_s -= start.cpu_s;
    return spent;
}

#endif
