// Dynamic, guided, auto and runtime loops, monotonic and nonmonotonic: every iteration exactly once.
#include "check.h"

enum { N = 1000 };
static int count[N];

static void once(const char *what) {
    for (int i = 0; i < N; i++) {
        if (count[i] != 1) FAIL("%s: iteration %d ran %d times", what, i, count[i]);
        count[i] = 0;
    }
}

#define LOOP(name, clause)                                 \
    static void name(void) {                               \
        PRAGMA(omp parallel for schedule(clause))          \
        for (int i = 0; i < N; i++) add_int(&count[i], 1); \
        once(#clause);                                     \
    }
#define PRAGMA(text) _Pragma(#text)

#define RISING_LOOP(name, ...)                              \
    static void name(void) {                                \
        PRAGMA(omp parallel)                                \
        {                                                   \
            int previous = -1;                              \
            PRAGMA(omp for schedule(__VA_ARGS__))           \
            for (int i = 0; i < N; i++) {                   \
                CHECK(i > previous);                        \
                previous = i;                               \
                add_int(&count[i], 1);                      \
            }                                               \
        }                                                   \
        once(#__VA_ARGS__);                                 \
    }
#define CHUNKED_LOOP(name, ...)                             \
    static void name(void) {                                \
        PRAGMA(omp parallel for schedule(__VA_ARGS__))      \
        for (int i = 0; i < N; i++) add_int(&count[i], 1);  \
        once(#__VA_ARGS__);                                 \
    }

LOOP(dynamic_plain, dynamic)
LOOP(guided_plain, guided)
LOOP(auto_plain, auto)
LOOP(runtime_plain, runtime)
LOOP(nonmonotonic_dynamic, nonmonotonic : dynamic)
LOOP(nonmonotonic_guided, nonmonotonic : guided)
LOOP(nonmonotonic_runtime, nonmonotonic : runtime)
CHUNKED_LOOP(dynamic_chunk, dynamic, 7)
CHUNKED_LOOP(dynamic_huge, dynamic, 100000)
CHUNKED_LOOP(guided_chunk, guided, 11)
CHUNKED_LOOP(nonmonotonic_chunk, nonmonotonic : dynamic, 3)
RISING_LOOP(monotonic_dynamic, monotonic : dynamic)
RISING_LOOP(monotonic_chunk, monotonic : dynamic, 5)
RISING_LOOP(monotonic_guided, monotonic : guided, 2)
RISING_LOOP(monotonic_static, monotonic : static, 3)
RISING_LOOP(monotonic_runtime, monotonic : runtime)

static void chunks_stay_whole(void) {
    static int owner[N];
#pragma omp parallel for schedule(dynamic, 10)
    for (int i = 0; i < N; i++) owner[i] = omp_get_thread_num();
    for (int i = 0; i < N; i++) EQUAL(owner[i], owner[i / 10 * 10]);
}

int main(void) {
    for (int round = 0; round < 2; round++) {
        dynamic_plain(), guided_plain(), auto_plain(), runtime_plain();
        nonmonotonic_dynamic(), nonmonotonic_guided(), nonmonotonic_runtime();
        dynamic_chunk(), dynamic_huge(), guided_chunk(), nonmonotonic_chunk();
        monotonic_dynamic(), monotonic_chunk(), monotonic_guided(), monotonic_static();
        monotonic_runtime();
        chunks_stay_whole();
    }
    return 0;
}
