/* Two clocks: the one on the wall, and the processor time of all threads together. Neither is the measured runtime's own. */
#ifndef VICINITY_BENCH_CLOCK_H
#define VICINITY_BENCH_CLOCK_H

#include "process_clock.h"

struct bench_time {
    double wall_s;
    double cpu_s;
};

/* Reading the processor time takes longer, so it is done outside of what the other clock measures. */
static inline struct bench_time bench_now(void) {
    struct bench_time now;
    now.cpu_s = process_cpu_s();
    now.wall_s = clock_s(CLOCK_MONOTONIC);
    return now;
}

static inline struct bench_time bench_since(struct bench_time start) {
    struct bench_time spent;
    spent.wall_s = clock_s(CLOCK_MONOTONIC) - start.wall_s;
    spent.cpu_s = process_cpu_s() - start.cpu_s;
    return spent;
}

#endif
