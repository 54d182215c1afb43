// cancel for: the loop ends early, the threads meet after it, later loops are whole.
// peer-fails: libomp asserts when it reuses the buffer of a cancelled dynamic loop
// env: OMP_CANCELLATION=true
#include "check.h"

enum { N = 20000 };

#define PRAGMA(text) _Pragma(#text)
#define FIND(type, ...)                                                              \
    do {                                                                             \
        int found = -1, runs = 0, after = 0, whole = 0;                              \
        PRAGMA(omp parallel)                                                         \
        {                                                                            \
            PRAGMA(omp for schedule(__VA_ARGS__))                                    \
            for (type i = 0; i < N; i++) {                                           \
                PRAGMA(omp cancellation point for)                                   \
                add_int(&runs, 1);                                                   \
                if (i == 137) {                                                      \
                    store_int(&found, (int)i);                                       \
                    PRAGMA(omp cancel for)                                           \
                }                                                                    \
            }                                                                        \
            add_int(&after, 1);                                                      \
            PRAGMA(omp barrier)                                                      \
            EQUAL(load_int(&after), omp_get_num_threads());                          \
            PRAGMA(omp for schedule(__VA_ARGS__))                                    \
            for (type i = 0; i < 100; i++) add_int(&whole, 1);                       \
        }                                                                            \
        EQUAL(found, 137);                                                           \
        EQUAL(whole, 100);                                                           \
        CHECK(runs >= 1 && runs <= N);                                               \
    } while (0)

static void alone(void) {
    // One thread stops exactly where it cancels.
    int runs = 0;
#pragma omp parallel for num_threads(1)
    for (int i = 0; i < 100; i++) {
        runs++;
        if (i == 10) {
#pragma omp cancel for
        }
    }
    EQUAL(runs, 11);
}

static void everybody_cancels(void) {
    int runs = 0, team = 0;
#pragma omp parallel
    {
#pragma omp single
        team = omp_get_num_threads();
#pragma omp for schedule(dynamic)
        for (int i = 0; i < N; i++) {
            add_int(&runs, 1);
#pragma omp cancel for
            FAIL("a cancelling thread went on");
        }
    }
    CHECK(runs >= 1 && runs <= team);
}

int main(void) {
    FIND(int, static);
    FIND(int, static, 3);
    FIND(int, dynamic);
    FIND(int, guided);
    FIND(long, dynamic, 4);
    FIND(unsigned long long, dynamic, 4);
    FIND(int, runtime);
    alone();
    everybody_cancels();
    return 0;
}
