/* What of clbench.h needs no device: clocks, data, comparisons. */
#include "clbench.h"
#include "process_clock.h"

double now_s(void) { return clock_s(CLOCK_MONOTONIC); }

double cpu_now_s(void) { return process_cpu_s(); }

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

double half_value(cl_ushort bits) {
    int power = bits >> 10 & 31;
    double value = ldexp((bits & 1023) + (power > 0 ? 1024 : 0), (power > 0 ? power : 1) - 25);
    return bits >> 15 ? -value : value;
}

long clamped(long at, long end) { return at < 0 ? 0 : at >= end ? end - 1 : at; }

uint32_t mixed_word(uint32_t word) {
    word = (word ^ word >> 16) * 0x7feb352du;
    word = (word ^ word >> 15) * 0x846ca68bu;
    return word ^ word >> 16;
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
