// Atomics, those that need the library among them: long double, complex, char, packed, capture, compare.
// flags: -latomic
#include "check.h"
#include <complex.h>

enum { ROUNDS = 200 };
struct __attribute__((packed)) packed { char pad; double value; int count; };

#define TYPE(type, start, op, operand, expected)                                \
    do {                                                                        \
        type x = (start);                                                       \
        _Pragma("omp parallel") for (int i = 0; i < ROUNDS; i++) {              \
            _Pragma("omp atomic") x op operand;                                 \
        }                                                                       \
        if (x != (type)(expected)) FAIL("%s %s %s", #type, #op, #operand);      \
    } while (0)

static void captured(int team) {
    long double x = 0, highest = -1;
    char *seen = calloc((size_t)(ROUNDS * team), 1);
#pragma omp parallel
    for (int i = 0; i < ROUNDS; i++) {
        long double before;
#pragma omp atomic capture
        {
            before = x;
            x += 1;
        }
        CHECK(before >= 0 && before < ROUNDS * (long double)team);
        CHECK(!__atomic_exchange_n(&seen[(int)before], 1, __ATOMIC_RELAXED));
        long double after;
#pragma omp atomic capture
        after = highest += 1;
        CHECK(after >= 0);
    }
    CHECK(x == ROUNDS * (long double)team);
    free(seen);
}

static void read_and_write(void) {
    // Both halves of a 16-byte value always belong together.
    long double wide = 1;
#ifdef __clang__
    // gcc takes no complex atomics in C; the Fortran programs have them.
    double _Complex pair = 0;
#endif
#pragma omp parallel
    for (int i = 0; i < ROUNDS; i++) {
#ifdef __clang__
        double _Complex mine = i + i * I, got;
#pragma omp atomic write
        pair = mine;
#pragma omp atomic read
        got = pair;
        CHECK(creal(got) == cimag(got));
#endif
        long double w;
#pragma omp atomic write
        wide = i + 1;
#pragma omp atomic read
        w = wide;
        CHECK(w >= 1 && w <= ROUNDS);
    }
}

static void packed_members(int team) {
    struct packed p = {0, 0, 0};
#pragma omp parallel
    for (int i = 0; i < ROUNDS; i++) {
#pragma omp atomic
        p.value += 0.5;
#pragma omp atomic seq_cst
        p.count -= 1;
    }
    CHECK(p.value == 0.5 * ROUNDS * team);
    EQUAL(p.count, -ROUNDS * team);
}

int main(void) {
    int team = omp_get_max_threads();
    int n = ROUNDS * team;
    omp_set_dynamic(0);
    TYPE(long double, 0, +=, 1.5L, 1.5L * n);
    TYPE(long double, 5, -=, 2, 5.0L - 2.0L * n);
    TYPE(double, 0, +=, 0.25, 0.25 * n);
    TYPE(float, 1, *=, 1.0f, 1);
    TYPE(unsigned char, 1, +=, 3, 1 + 3 * n);
    TYPE(signed char, 0, ^=, 5, (n & 1) ? 5 : 0);
    TYPE(short, 0, -=, 1, -n);
    TYPE(int, 0, |=, 6, 6);
    TYPE(long long, 1, <<=, 0, 1);
    TYPE(unsigned long long, ~0ull, &=, 0xff00ull, 0xff00ull);
    TYPE(int, 7, /=, 1, 7);
    TYPE(long double, 7, /=, 1.0L, 7);
    captured(team);
    read_and_write();
    packed_members(team);
    int least = 1 << 30, swapped = 0;
#pragma omp parallel
    {
        int mine = 100 - omp_get_thread_num();
#pragma omp atomic compare relaxed
        if (mine < least) { least = mine; }
        int old;
#pragma omp atomic capture acq_rel
        {
            old = swapped;
            swapped = mine;
        }
        CHECK(old >= 0);
    }
    EQUAL(least, 100 - (team - 1));
    return 0;
}
