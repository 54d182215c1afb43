// depend in, out, inout: chains, readers and writers, several addresses, array elements, diamonds.
#include "check.h"

static void chain(void) {
    int x = 0;
    for (int i = 0; i < 100; i++) {
#pragma omp task depend(inout : x) shared(x) firstprivate(i)
        {
            EQUAL(x, i);
            x = i + 1;
        }
    }
#pragma omp taskwait
    EQUAL(x, 100);
}

static void readers_and_writers(void) {
    int x = 0, readers = 0;
    for (int round = 0; round < 20; round++) {
#pragma omp task depend(out : x) shared(x, readers) firstprivate(round)
        {
            EQUAL(load_int(&readers), round * 12);
            x = round;
        }
        for (int r = 0; r < 12; r++) {
#pragma omp task depend(in : x) shared(x, readers) firstprivate(round)
            {
                EQUAL(x, round);
                busy(30);
                EQUAL(x, round);
                add_int(&readers, 1);
            }
        }
    }
#pragma omp taskwait
    EQUAL(readers, 240);
}

static void stencil(void) {
    enum { W = 30, STEPS = 12 };
    static long a[STEPS + 1][W + 2], serial[STEPS + 1][W + 2];
    memset(a, 0, sizeof a);
    for (int i = 0; i < W + 2; i++) a[0][i] = serial[0][i] = i * i % 17;
    for (int s = 1; s <= STEPS; s++)
        for (int i = 1; i <= W; i++) {
#pragma omp task depend(in : a[s - 1][i - 1], a[s - 1][i], a[s - 1][i + 1]) depend(out : a[s][i]) shared(a)
            a[s][i] = a[s - 1][i - 1] + a[s - 1][i] + a[s - 1][i + 1];
            serial[s][i] = serial[s - 1][i - 1] + serial[s - 1][i] + serial[s - 1][i + 1];
        }
#pragma omp taskwait
    CHECK(memcmp(a, serial, sizeof a) == 0);
}

static void diamonds(void) {
    int top = 0, left = 0, right = 0, bottom = 0;
    for (int i = 1; i <= 40; i++) {
#pragma omp task depend(inout : top) depend(in : bottom) shared(top, bottom)
        {
            EQUAL(bottom, top * 2);
            top++;
        }
#pragma omp task depend(in : top) depend(out : left) shared(top, left)
        left = top;
#pragma omp task depend(in : top) depend(out : right) shared(top, right)
        right = top;
#pragma omp task depend(in : left, right) depend(inout : bottom) shared(left, right, bottom)
        bottom = left + right;
    }
#pragma omp taskwait
    EQUAL(bottom, 80);
}

static void many_on_one_task(void) {
    char cells[100];
    int sum = 0;
    memset(cells, 0, sizeof cells);
    for (int i = 0; i < 100; i++) {
#pragma omp task depend(out : cells[i]) shared(cells)
        cells[i] = 1;
    }
#pragma omp task depend(in : cells[0], cells[1], cells[2], cells[3], cells[10], cells[20], cells[30], cells[40], \
                            cells[50], cells[60], cells[70], cells[80], cells[90], cells[99]) shared(cells, sum)
    sum = cells[0] + cells[1] + cells[2] + cells[3] + cells[10] + cells[20] + cells[30] + cells[40] + cells[50] +
          cells[60] + cells[70] + cells[80] + cells[90] + cells[99];
#pragma omp taskwait
    EQUAL(sum, 14);
}

static void same_address_twice(void) {
    int x = 0;
    for (int i = 0; i < 50; i++) {
#pragma omp task depend(in : x) depend(out : x) shared(x)
        EQUAL(add_int(&x, 1), i);
#pragma omp task depend(in : x, x) shared(x)
        EQUAL(load_int(&x), i + 1);
    }
#pragma omp taskwait
}

static void siblings_only(void) {
    // Dependences bind children of one task; a child's children know nothing of them.
    int x = 0, inner = 0;
#pragma omp task depend(inout : x) shared(x, inner)
    {
        for (int i = 0; i < 10; i++) {
#pragma omp task depend(inout : x) shared(inner)
            EQUAL(inner++, i);
        }
#pragma omp taskwait
        x = 1;
    }
#pragma omp task depend(in : x) shared(x, inner)
    {
        EQUAL(x, 1);
        EQUAL(inner, 10);
    }
#pragma omp taskwait
}

static void undeferred_waits(void) {
    int x = 0;
    for (int i = 0; i < 30; i++) {
#pragma omp task depend(out : x) shared(x)
        {
            busy(100);
            x = i + 1;
        }
#pragma omp task depend(in : x) if (0) shared(x)
        EQUAL(x, i + 1);
        EQUAL(x, i + 1);
    }
}

int main(void) {
#pragma omp parallel
    {
#pragma omp single
        {
            chain();
            readers_and_writers();
            stencil();
            diamonds();
            many_on_one_task();
            same_address_twice();
            siblings_only();
            undeferred_waits();
        }
        // And every thread at once, each with its own variables.
        chain();
        readers_and_writers();
        diamonds();
    }
    return 0;
}
