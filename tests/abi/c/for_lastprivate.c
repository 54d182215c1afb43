// lastprivate under every schedule: the value of the sequentially last iteration, whoever ran it.
// peer-fails: libomp gives a wrong value under schedule(dynamic), where it steals
#include "check.h"

enum { ROUNDS = 60 };

#define PRAGMA(text) _Pragma(#text)
#define LAST(type, n, ...)                                                        \
    for (int round = 0; round < ROUNDS; round++) {                                \
        long last = -5;                                                           \
        type variable;                                                            \
        PRAGMA(omp parallel)                                                      \
        {                                                                         \
            PRAGMA(omp for lastprivate(last, variable) schedule(__VA_ARGS__))     \
            for (variable = 0; variable < (n); variable++) last = 3 * variable;   \
            EQUAL(last, 3 * ((n) - 1));                                           \
            EQUAL(variable, n);                                                   \
        }                                                                         \
    }

int main(void) {
    LAST(int, 100, static)
    LAST(int, 100, static, 3)
    LAST(int, 100, dynamic)
    LAST(int, 100, dynamic, 7)
    LAST(int, 3, dynamic)
    LAST(int, 100, guided)
    LAST(int, 100, guided, 5)
    LAST(int, 100, monotonic : dynamic)
    LAST(int, 100, auto)
    LAST(int, 100, runtime)
    LAST(long, 100, dynamic)
    LAST(unsigned long long, 100, dynamic, 2)
    LAST(unsigned long long, 100, guided)
    LAST(unsigned long long, 1, dynamic)
    return 0;
}
