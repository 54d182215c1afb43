/* Parallel regions one after the other, each of which works for so many microseconds in every thread. Prints the seconds of all of them.
 * regions MICROSECONDS */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { REGIONS = 1000000, STEPS_A_MICROSECOND = 600 };

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

int main(int count, char **words) {
    int microseconds = count > 1 ? atoi(words[1]) : 0;
    int regions = REGIONS / (1 + microseconds);
    double begin = now();
    for (int region = 0; region < regions; region++) {
#pragma omp parallel
        for (int step = 0; step < microseconds * STEPS_A_MICROSECOND; step++) {
            __asm__ volatile("" : : "r"(step));
        }
    }
    printf("%.4f\n", now() - begin);
    return 0;
}
