// sections: each once, more and fewer than threads, private, lastprivate, reduction, nowait.
#include "check.h"

static void each_once(void) {
    int hits[5] = {0};
#pragma omp parallel sections
    {
        add_int(&hits[0], 1);
#pragma omp section
        add_int(&hits[1], 1);
#pragma omp section
        add_int(&hits[2], 1);
#pragma omp section
        add_int(&hits[3], 1);
#pragma omp section
        add_int(&hits[4], 1);
    }
    for (int i = 0; i < 5; i++) EQUAL(hits[i], 1);
}

static void clauses(void) {
    int first = 3, last = 0, sum = 0, product = 1;
#pragma omp parallel
    {
#pragma omp sections firstprivate(first) lastprivate(last) reduction(+ : sum) reduction(* : product)
        {
#pragma omp section
            {
                EQUAL(first, 3);
                sum += first;
                product *= 2;
                last = 1;
            }
#pragma omp section
            {
                sum += 10;
                product *= 3;
                last = 2;
            }
#pragma omp section
            {
                sum += 100;
                product *= 5;
                last = 3;
            }
        }
        EQUAL(last, 3);
        EQUAL(sum, 113);
        EQUAL(product, 30);
    }
}

static void many_times(void) {
    int total = 0;
#pragma omp parallel
    for (int round = 0; round < 50; round++) {
#pragma omp sections nowait
        {
            add_int(&total, 1);
#pragma omp section
            add_int(&total, 1);
#pragma omp section
            add_int(&total, 1);
        }
    }
    EQUAL(total, 150);
}

static void one_section(void) {
    int runs = 0;
#pragma omp parallel sections
    { add_int(&runs, 1); }
    EQUAL(runs, 1);
}

int main(void) {
    each_once();
    clauses();
    many_times();
    one_section();
    return 0;
}
