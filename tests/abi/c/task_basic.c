// Tasks: shared and firstprivate data of many sizes, if, final, mergeable, omp_in_final, included tasks.
#include "check.h"

static long fib(int n) {
    long a, b;
    if (n < 2) return n;
#pragma omp task shared(a)
    a = fib(n - 1);
#pragma omp task shared(b)
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

static void payloads(void) {
    struct { char bytes[3]; } three = {{1, 2, 3}};
    struct { double v[200]; } large;
    for (int i = 0; i < 200; i++) large.v[i] = i;
    long double wide __attribute__((aligned(64))) = 2.5L;
    char array[33];
    memset(array, 7, sizeof array);
    int done = 0;
    for (int i = 0; i < 100; i++) {
#pragma omp task firstprivate(i, three, large, wide, array) shared(done)
        {
            EQUAL(three.bytes[2], 3);
            CHECK(large.v[199] == 199 && large.v[i] == i && wide == 2.5L);
            EQUAL(array[32], 7);
            EQUAL((unsigned long)&wide % 16, 0);
            add_int(&done, i);
        }
    }
    three.bytes[2] = 9;
    large.v[5] = -1;
    wide = 0;
    memset(array, 0, sizeof array);
#pragma omp taskwait
    EQUAL(done, 4950);
}

static void undeferred(void) {
    // The generating task waits, on its own thread, and sees the result.
    int x = 0, me = omp_get_thread_num();
    for (int i = 0; i < 50; i++) {
#pragma omp task if (0) shared(x)
        {
            EQUAL(omp_get_thread_num(), me);
            x++;
        }
        EQUAL(x, i + 1);
    }
}

static void final_tasks(void) {
    int order[4] = {0}, next = 1;
#pragma omp task final(1) shared(order, next)
    {
        CHECK(omp_in_final());
        order[0] = next++;
        // Included: run at once, on the spot, and final themselves.
#pragma omp task shared(order, next)
        {
            CHECK(omp_in_final());
            order[1] = next++;
#pragma omp task shared(order, next)
            order[2] = next++;
        }
        EQUAL(order[2], 3);
        order[3] = next++;
    }
#pragma omp taskwait
    for (int i = 0; i < 4; i++) EQUAL(order[i], i + 1);
    EQUAL(omp_in_final(), 0);
#pragma omp task final(0)
    EQUAL(omp_in_final(), 0);
}

static void merged(void) {
    int x = 2;
#pragma omp task mergeable if (0) shared(x)
    x++;
    EQUAL(x, 3);
#pragma omp task mergeable final(1) shared(x)
    x++;
#pragma omp taskwait
    EQUAL(x, 4);
}

int main(void) {
    int all = 0;
#pragma omp parallel shared(all)
    {
#pragma omp single nowait
        EQUAL(fib(18), 2584);
        payloads();
        undeferred();
        final_tasks();
        merged();
        // Tasks still open at the end of the region are done by its barrier.
        for (int i = 0; i < 30; i++) {
#pragma omp task
            add_int(&all, 1);
        }
    }
    EQUAL(all, 30 * omp_get_max_threads());
    return 0;
}
