// taskloop: grainsize, num_tasks, strict, nogroup, collapse, lastprivate, types, if, final, nesting.
#include "check.h"

enum { N = 777 };
static int hits[N];

static void once(const char *what) {
    for (int i = 0; i < N; i++) {
        if (hits[i] != 1) FAIL("%s: iteration %d ran %d times", what, i, hits[i]);
        hits[i] = 0;
    }
}

// How many tasks there were: a firstprivate counter that each task sees fresh.
#define COUNTED(tasks, ...)                                            \
    do {                                                               \
        int fresh = 1;                                                 \
        tasks = 0;                                                     \
        _Pragma(#__VA_ARGS__) for (int i = 0; i < N; i++) {            \
            add_int(&hits[i], 1);                                      \
            if (fresh) add_int(&tasks, 1);                             \
            fresh = 0;                                                 \
        }                                                              \
        once(#__VA_ARGS__);                                            \
    } while (0)

static void sizes(void) {
    int tasks;
    COUNTED(tasks, omp taskloop firstprivate(fresh) shared(tasks));
    CHECK(tasks >= 1);
    COUNTED(tasks, omp taskloop grainsize(10) firstprivate(fresh) shared(tasks));
    CHECK(tasks >= N / 20 && tasks <= N / 10);
    COUNTED(tasks, omp taskloop grainsize(2 * N) firstprivate(fresh) shared(tasks));
    EQUAL(tasks, 1);
    COUNTED(tasks, omp taskloop num_tasks(13) firstprivate(fresh) shared(tasks));
    EQUAL(tasks, 13);
    COUNTED(tasks, omp taskloop num_tasks(100000) firstprivate(fresh) shared(tasks));
    EQUAL(tasks, N);
    COUNTED(tasks, omp taskloop grainsize(strict : 10) firstprivate(fresh) shared(tasks));
#ifndef __clang__
    // clang 19 reads `strict` and forgets it.
    EQUAL(tasks, (N + 9) / 10);
#endif
    COUNTED(tasks, omp taskloop num_tasks(strict : 20) firstprivate(fresh) shared(tasks));
    EQUAL(tasks, 20);
    COUNTED(tasks, omp taskloop if (0) firstprivate(fresh) shared(tasks));
    COUNTED(tasks, omp taskloop final(1) mergeable untied num_tasks(4) firstprivate(fresh) shared(tasks));
}

static void groups(void) {
    int done = 0;
#pragma omp taskloop grainsize(5) shared(done)
    for (int i = 0; i < 100; i++) {
        // The loop's group waits for descendants too.
#pragma omp task shared(done)
        add_int(&done, 1);
    }
    EQUAL(done, 100);
#pragma omp taskloop nogroup grainsize(5) shared(done)
    for (int i = 0; i < 100; i++) add_int(&done, 1);
#pragma omp taskwait
    EQUAL(done, 200);
}

static void values(void) {
    int last = -1, first = 8, i = 0;
#pragma omp taskloop lastprivate(last, i) firstprivate(first) num_tasks(9)
    for (i = 0; i < N; i++) {
        EQUAL(first, 8);
        last = i * 3;
    }
    EQUAL(last, (N - 1) * 3);
    EQUAL(i, N);
    unsigned long long sum = 0, base = (1ull << 63) - 50;
#pragma omp taskloop grainsize(7) shared(sum)
    for (unsigned long long k = base; k < base + 100; k++) __atomic_fetch_add(&sum, k - base, __ATOMIC_RELAXED);
    EQUAL(sum, 4950);
    long down = 0;
#pragma omp taskloop num_tasks(5) shared(down)
    for (long k = 100; k >= -100; k -= 3) __atomic_fetch_add(&down, k, __ATOMIC_RELAXED);
    long expected = 0;
    for (long k = 100; k >= -100; k -= 3) expected += k;
    EQUAL(down, expected);
#pragma omp taskloop collapse(2) grainsize(11)
    for (int a = 0; a < 7; a++)
        for (int b = 110; b >= 0; b--) add_int(&hits[a * 111 + b], 1);
    once("collapse(2)");
    volatile int none = 0;
#pragma omp taskloop
    for (int k = 0; k < none; k++) FAIL("an empty loop ran");
}

static void nested(void) {
    int count = 0;
#pragma omp taskloop grainsize(1) shared(count)
    for (int a = 0; a < 10; a++) {
#pragma omp taskloop grainsize(3) shared(count)
        for (int b = 0; b < 20; b++) add_int(&count, 1);
    }
    EQUAL(count, 200);
}

int main(void) {
    int everywhere = 0;
#pragma omp parallel
    {
#pragma omp single
        {
            sizes();
            groups();
            values();
            nested();
        }
#pragma omp taskloop grainsize(4) shared(everywhere)
        for (int i = 0; i < 40; i++) add_int(&everywhere, 1);
    }
    EQUAL(everywhere, 40 * omp_get_max_threads());
    return 0;
}
