// Reductions over every arithmetic type and operator, on regions, loops, and sections.
// flags: -latomic
#include "check.h"
#include <complex.h>
#include <float.h>
#include <limits.h>
#include <stdbool.h>

enum { N = 200 };

#define PRAGMA(text) _Pragma(#text)
#define SUMS(type)                                                                        \
    do {                                                                                  \
        type sum = 3, less = 0, most = -100, least = 100;                                 \
        PRAGMA(omp parallel for reduction(+ : sum) reduction(- : less) reduction(max : most) \
               reduction(min : least) schedule(dynamic, 3))                               \
        for (int i = 1; i <= 20; i++) {                                                   \
            sum += (type)i;                                                               \
            less -= (type)(i % 3);                                                        \
            if ((type)i > most) most = (type)i;                                           \
            if ((type)i < least) least = (type)i;                                         \
        }                                                                                 \
        if (sum != (type)213 || less != (type)-21 || most != 20 || least != 1)            \
            FAIL("sums of %s", #type);                                                    \
    } while (0)

#define BITS(type)                                                                        \
    do {                                                                                  \
        type all = (type)~(type)0, any = 0, odd = 0, product = 1;                         \
        bool every = true, some = false;                                                  \
        PRAGMA(omp parallel for reduction(& : all) reduction(| : any) reduction(^ : odd)  \
               reduction(* : product) reduction(&& : every) reduction(|| : some))         \
        for (int i = 0; i < 7; i++) {                                                     \
            all &= (type)~((type)1 << i);                                                 \
            any |= (type)((type)1 << i);                                                  \
            odd ^= (type)(i * 5);                                                         \
            product *= (type)(i % 3 + 1);                                                 \
            every = every && i < 6;                                                       \
            some = some || i == 3;                                                        \
        }                                                                                 \
        if (all != (type)~(type)127 || any != (type)127 || product != (type)36 || every || !some \
            || odd != (type)(0 ^ 5 ^ 10 ^ 15 ^ 20 ^ 25 ^ 30))                             \
            FAIL("bits of %s", #type);                                                    \
    } while (0)

static void region_wide(int team) {
    int sum = 10;
    double _Complex c = 1;
    long double wide = 0.5L;
#pragma omp parallel reduction(+ : sum, c, wide)
    {
        sum += omp_get_thread_num() + 1;
        c += 1.0 + 2.0 * I;
        wide += 0.25L;
    }
    EQUAL(sum, 10 + team * (team + 1) / 2);
    CHECK(creal(c) == 1 + team && cimag(c) == 2 * team);
    CHECK(wide == 0.5L + 0.25L * team);
}

static void nowait_and_orphaned(int team) {
    static int a, b;
    a = b = 0;
#pragma omp parallel
    {
#pragma omp for reduction(+ : a) nowait
        for (int i = 0; i < N; i++) a += i;
#pragma omp for reduction(+ : b) schedule(guided)
        for (int i = 0; i < N; i++) b += 2 * i;
#pragma omp barrier
        EQUAL(a, N * (N - 1) / 2);
        EQUAL(b, N * (N - 1));
    }
    EQUAL(a, N * (N - 1) / 2);
    (void)team;
}

static void repeated(int team) {
    // Reductions one after another must not disturb each other.
    for (int round = 0; round < 30; round++) {
        long total = round;
#pragma omp parallel reduction(+ : total)
        total += round;
        EQUAL(total, round + (long)round * team);
    }
}

int main(void) {
    int team = omp_get_max_threads();
    omp_set_dynamic(0);
    SUMS(signed char);
    SUMS(short);
    SUMS(int);
    SUMS(long);
    SUMS(long long);
    SUMS(float);
    SUMS(double);
    SUMS(long double);
    BITS(signed char);
    BITS(unsigned char);
    BITS(short);
    BITS(unsigned short);
    BITS(int);
    BITS(unsigned);
    BITS(long);
    BITS(unsigned long);
    BITS(unsigned long long);
    region_wide(team);
    nowait_and_orphaned(team);
    repeated(team);
    return 0;
}
