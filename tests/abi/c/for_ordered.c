// ordered: the region inside runs in loop order under every schedule and loop type.
#include "check.h"

enum { N = 300 };

#define PRAGMA(text) _Pragma(#text)
#define ORDERED(type, ...)                                          \
    do {                                                            \
        long next = 0;                                              \
        int in_order = 1;                                           \
        PRAGMA(omp parallel for ordered schedule(__VA_ARGS__))      \
        for (type i = 0; i < N; i++) {                              \
            busy(i % 7 * 20);                                       \
            PRAGMA(omp ordered)                                     \
            {                                                       \
                if (next != (long)i) in_order = 0;                  \
                next++;                                             \
            }                                                       \
        }                                                           \
        if (!in_order || next != N) FAIL("out of order: %s %s", #type, #__VA_ARGS__); \
    } while (0)

static void sometimes(void) {
    // Iterations may leave the ordered region out.
    int last = -1;
#pragma omp parallel for ordered schedule(dynamic, 2)
    for (int i = 0; i < N; i++) {
        if (i % 3 == 0) {
#pragma omp ordered
            {
                CHECK(i > last);
                last = i;
            }
        }
    }
    EQUAL(last, 297);
}

static void backwards(void) {
    int next = N;
#pragma omp parallel for ordered schedule(static, 1)
    for (int i = N; i > 0; i--) {
#pragma omp ordered
        EQUAL(i, next--);
    }
    EQUAL(next, 0);
}

static void one_after_another(void) {
    int a = 0, b = 0;
#pragma omp parallel
    {
#pragma omp for ordered schedule(dynamic) nowait
        for (int i = 0; i < 100; i++) {
#pragma omp ordered
            EQUAL(a++, i);
        }
#pragma omp for ordered schedule(guided)
        for (int i = 0; i < 100; i++) {
#pragma omp ordered
            EQUAL(b++, i);
        }
    }
    EQUAL(a, 100);
    EQUAL(b, 100);
}

int main(void) {
    ORDERED(int, static);
    ORDERED(int, static, 4);
    ORDERED(int, dynamic);
    ORDERED(int, dynamic, 3);
    ORDERED(int, guided);
    ORDERED(int, runtime);
    ORDERED(int, auto);
    ORDERED(unsigned long long, static);
    ORDERED(unsigned long long, dynamic, 2);
    ORDERED(unsigned long long, guided);
    ORDERED(unsigned long long, runtime);
    sometimes();
    backwards();
    one_after_another();
    return 0;
}
