// Loop variables of every integer type, both directions, any stride, ranges at the ends of their types.
#include "check.h"
#include <limits.h>

#define PRAGMA(text) _Pragma(#text)
// Counts iterations and adds up their values; the same loop without OpenMP says what is right.
#define CASE(type, from, compare, to, step, ...)                                     \
    do {                                                                             \
        unsigned long long sum = 0, want_sum = 0;                                    \
        long runs = 0, want_runs = 0;                                                \
        volatile type low = (from), high = (to);                                     \
        for (type i = low; i compare high; i += (step)) {                            \
            want_sum += (unsigned long long)i * 3 + 1;                               \
            want_runs++;                                                             \
        }                                                                            \
        type a = low, b = high;                                                      \
        PRAGMA(omp parallel for schedule(__VA_ARGS__) reduction(+ : sum, runs))      \
        for (type i = a; i compare b; i += (step)) {                                 \
            sum += (unsigned long long)i * 3 + 1;                                    \
            runs++;                                                                  \
        }                                                                            \
        if (runs != want_runs || sum != want_sum)                                    \
            FAIL("%s %s%s%s step %s, %s: %ld iterations, expected %ld", #type, #from, \
                 #compare, #to, #step, #__VA_ARGS__, runs, want_runs);               \
    } while (0)

#define HIGH (1ull << 63)
#define TYPES(...)                                                                   \
    CASE(int, 0, <, 777, 1, __VA_ARGS__);                                            \
    CASE(int, -500, <=, 500, 7, __VA_ARGS__);                                        \
    CASE(int, 500, >, -500, -3, __VA_ARGS__);                                        \
    CASE(int, INT_MIN, <, INT_MIN + 300, 2, __VA_ARGS__);                            \
    CASE(int, INT_MAX - 300, <, INT_MAX - 5, 5, __VA_ARGS__);                        \
    CASE(unsigned, 5u, <, 900u, 4, __VA_ARGS__);                                     \
    CASE(unsigned, 2147483000u, <, 2147484000u, 3, __VA_ARGS__);                     \
    CASE(unsigned, 4294960000u, <, 4294967000u, 11, __VA_ARGS__);                    \
    CASE(short, -300, <, 300, 3, __VA_ARGS__);                                       \
    CASE(unsigned char, 3, <, 250, 2, __VA_ARGS__);                                  \
    CASE(long, -5000000000L, <, -4999999000L, 3, __VA_ARGS__);                       \
    CASE(long, 5000000900L, >=, 5000000000L, -7, __VA_ARGS__);                       \
    CASE(long, LONG_MIN, <, LONG_MIN + 500, 3, __VA_ARGS__);                         \
    CASE(long, LONG_MAX - 500, <, LONG_MAX - 9, 7, __VA_ARGS__);                     \
    CASE(long long, -3, <, 400, 1, __VA_ARGS__);                                     \
    CASE(unsigned long, 10ul, <, 800ul, 3, __VA_ARGS__);                             \
    CASE(unsigned long long, 0ull, <, 500ull, 1, __VA_ARGS__);                       \
    CASE(unsigned long long, HIGH - 300, <, HIGH + 300, 1, __VA_ARGS__);             \
    CASE(unsigned long long, HIGH - 301, <=, HIGH + 299, 7, __VA_ARGS__);            \
    CASE(unsigned long long, HIGH + 300, >, HIGH - 300, -5, __VA_ARGS__);            \
    CASE(unsigned long long, ULLONG_MAX - 900, <, ULLONG_MAX - 9, 3, __VA_ARGS__);   \
    CASE(unsigned long long, 1ull, <, ULLONG_MAX - HIGH / 2, HIGH / 64, __VA_ARGS__)

static void static_blocks(void) { TYPES(static); }
static void static_chunks(void) { TYPES(static, 3); }
static void dynamic_ones(void) { TYPES(dynamic); }
static void dynamic_chunks(void) { TYPES(dynamic, 5); }
static void guided_chunks(void) { TYPES(guided, 2); }
static void at_run_time(void) { TYPES(runtime); }
static void monotonic(void) { TYPES(monotonic : dynamic, 2); }

int main(void) {
    static_blocks();
    static_chunks();
    dynamic_ones();
    dynamic_chunks();
    guided_chunks();
    omp_set_schedule(omp_sched_guided, 3);
    at_run_time();
    monotonic();
    return 0;
}
