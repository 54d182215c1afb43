/* What of clbench.h needs no device: clocks, data, comparisons. */
#include "clbench.h"

#include <dirent.h>
#include <time.h>

static double clock_s(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double now_s(void) { return clock_s(CLOCK_MONOTONIC); }

/* The processor-time clock of a thread, which the C library tells of its own threads alone (Linux, posix-timers.h). */
static clockid_t clock_of_thread(long id) { return (clockid_t)((~(unsigned)id << 3) | 6); }

static void read_clocks_of_threads(void) {
    DIR *threads = opendir("/proc/self/task");
    struct dirent *thread;
    while (threads && (thread = readdir(threads))) {
        long id = atol(thread->d_name);
        if (id > 0) {
            clock_s(clock_of_thread(id));
        }
    }
    if (threads) {
        closedir(threads);
    }
}

/* Linux adds what a thread runs on another processor to the process's time at ticks, milliseconds apart, or when that
 * thread's own clock is read. So all of them are read before. What that takes does not count. */
double cpu_now_s(void) {
    static double reading_s;
    double before = clock_s(CLOCK_THREAD_CPUTIME_ID);
    read_clocks_of_threads();
    reading_s += clock_s(CLOCK_THREAD_CPUTIME_ID) - before;
    return clock_s(CLOCK_PROCESS_CPUTIME_ID) - reading_s;
}

size_t round_up(long n, size_t local) { return ((size_t)n + local - 1) / local * local; }

uint32_t random_word(uint32_t *state) {
    /* Numerical Recipes' generator, its lowest bits improved by a shift. */
    *state = *state * 1664525u + 1013904223u;
    return *state ^ (*state >> 16);
}

float random_unit(uint32_t *state) { return (float)(random_word(state) >> 8) * 0x1p-24f; }

void fill_unit(float *values, long count, uint32_t seed) { fill_between(values, count, seed, 0.0f, 1.0f); }

void fill_between(float *values, long count, uint32_t seed, float low, float high) {
    for (long i = 0; i < count; i++) {
        values[i] = low + (high - low) * random_unit(&seed);
    }
}

int near(const char *what, long at, double got, double want, double tolerance) {
    double scale = fabs(want) > 1.0 ? fabs(want) : 1.0;
    if (fabs(got - want) <= tolerance * scale) {
        return 1;
    }
    fprintf(stderr, "%s[%ld] is %.9g, not %.9g\n", what, at, got, want);
    return 0;
}

int same(const char *what, long at, long got, long want) {
    if (got != want) {
        fprintf(stderr, "%s[%ld] is %ld, not %ld\n", what, at, got, want);
    }
    return got == want;
}
