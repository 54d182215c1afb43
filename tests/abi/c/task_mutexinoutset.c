// mutexinoutset: never two at a time on one address, also when sets overlap and bodies yield; ordered with others.
#include "check.h"

enum { TASKS = 60 };

static void one_address(void) {
    int x = 0, inside = 0, after = -1;
#pragma omp task depend(out : x) shared(x)
    x = 1;
    for (int i = 0; i < TASKS; i++) {
#pragma omp task depend(mutexinoutset : x) shared(x, inside)
        {
            EQUAL(add_int(&inside, 1), 0);
            int before = x;
            busy(200);
#pragma omp taskyield
            x = before + 1;
            EQUAL(add_int(&inside, -1), 1);
        }
    }
#pragma omp task depend(in : x) shared(x, after)
    after = x;
#pragma omp taskwait
    EQUAL(after, TASKS + 1);
}

static void overlapping(void) {
    // Every task takes two of four; together they exclude each other like forks and philosophers.
    int fork[4] = {0}, inside[4] = {0};
    for (int i = 0; i < 4 * TASKS; i++) {
        int a = i % 4, b = (i + 1 + i / 4 % 3) % 4;
#pragma omp task depend(mutexinoutset : fork[a], fork[b]) firstprivate(a, b) shared(fork, inside)
        {
            EQUAL(add_int(&inside[a], 1), 0);
            EQUAL(add_int(&inside[b], 1), 0);
            fork[a]++;
            busy(60);
            fork[b]++;
            add_int(&inside[b], -1);
            add_int(&inside[a], -1);
        }
    }
#pragma omp taskwait
    EQUAL(fork[0] + fork[1] + fork[2] + fork[3], 8 * TASKS);
}

static void with_children(void) {
    int x = 0, inside = 0;
    for (int i = 0; i < 20; i++) {
#pragma omp task depend(mutexinoutset : x) shared(x, inside)
        {
            EQUAL(add_int(&inside, 1), 0);
            for (int k = 0; k < 3; k++) {
#pragma omp task shared(x)
                add_int(&x, 1);
            }
#pragma omp taskwait
            EQUAL(add_int(&inside, -1), 1);
        }
    }
#pragma omp taskwait
    EQUAL(x, 60);
}

static void mixed(void) {
    int x = 0, y = 0, inside = 0;
    for (int round = 1; round <= 6; round++) {
        for (int i = 0; i < 8; i++) {
#pragma omp task depend(mutexinoutset : x) depend(in : y) shared(x, y, inside) firstprivate(round)
            {
                EQUAL(y, (round - 1) * 8);
                EQUAL(add_int(&inside, 1), 0);
                x++;
                add_int(&inside, -1);
            }
        }
#pragma omp task depend(in : x) depend(inout : y) shared(x, y) firstprivate(round)
        {
            EQUAL(x, round * 8);
            y = x;
        }
    }
#pragma omp taskwait
    EQUAL(y, 48);
}

int main(void) {
#pragma omp parallel
    {
#pragma omp single
        {
            one_address();
            overlapping();
            with_children();
            mixed();
        }
        one_address();
    }
    return 0;
}
