// untied tasks: recursion, several waits in one body, final and included ones, dependences, taskyield.
// peer-fails: libomp asserts on an included untied task
#include "check.h"

static long fib_untied(int n) {
    long a, b;
    if (n < 2) return n;
#pragma omp task untied shared(a) if (n > 8)
    a = fib_untied(n - 1);
#pragma omp task untied shared(b) final(n < 6)
    b = fib_untied(n - 2);
#pragma omp taskwait
    return a + b;
}

static void resumed(int rounds, int *done) {
#pragma omp task untied firstprivate(rounds, done)
    {
        int sum = 0;
        for (int i = 0; i < rounds; i++) {
#pragma omp task shared(sum)
            add_int(&sum, 1);
#pragma omp taskwait
            EQUAL(sum, i + 1);
#pragma omp taskyield
        }
#pragma omp task untied shared(sum)
        {
#pragma omp task
            busy(10);
            add_int(&sum, 1);
        }
#pragma omp taskwait
        EQUAL(sum, rounds + 1);
        add_int(done, 1);
    }
}

static void in_order(void) {
    int x = 0;
    for (int i = 0; i < 60; i++) {
#pragma omp task untied depend(inout : x) shared(x)
        {
            EQUAL(x, i);
#pragma omp taskyield
            x++;
        }
    }
#pragma omp taskwait
    EQUAL(x, 60);
}

static void included(void) {
    int order = 0;
#pragma omp task untied final(1) shared(order)
    {
        CHECK(omp_in_final());
#pragma omp task untied shared(order)
        {
            CHECK(omp_in_final());
            order = 1;
        }
        EQUAL(order, 1);
    }
#pragma omp taskwait
    EQUAL(order, 1);
}

int main(void) {
    int done = 0;
#pragma omp parallel
    {
#pragma omp single nowait
        EQUAL(fib_untied(16), 987);
        for (int i = 1; i < 8; i++) resumed(i, &done);
        in_order();
#pragma omp single
        included();
    }
    EQUAL(done, 7 * omp_get_max_threads());
    return 0;
}
