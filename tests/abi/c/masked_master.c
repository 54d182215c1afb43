// master, masked with and without filter, their combined forms: the right thread and no barrier.
#include "check.h"

int main(void) {
    int master = 0, masked = 0, filtered = 0, dynamic_filter = 0, combined = 0;
    int team = 0;
#pragma omp parallel
    {
        int n = omp_get_num_threads();
#pragma omp master
        {
            EQUAL(omp_get_thread_num(), 0);
            master++;
            team = n;
        }
#pragma omp masked
        {
            EQUAL(omp_get_thread_num(), 0);
            masked++;
        }
#pragma omp masked filter(1)
        {
            EQUAL(omp_get_thread_num(), 1);
            filtered++;
        }
        // Every thread but one names itself.
        int me = omp_get_thread_num();
#pragma omp masked filter(me == n - 1 ? n : me)
        add_int(&dynamic_filter, 1);
    }
    EQUAL(master, 1);
    EQUAL(masked, 1);
    EQUAL(filtered, team > 1);
    EQUAL(dynamic_filter, team - 1);
#pragma omp parallel masked
    combined++;
    EQUAL(combined, 1);
#pragma omp parallel masked filter(omp_get_num_threads() - 1)
    combined++;
    EQUAL(combined, 2);
#pragma omp masked
    combined++;
    EQUAL(combined, 3);
    int iterations = 0;
#pragma omp parallel master taskloop shared(iterations)
    for (int i = 0; i < 40; i++) add_int(&iterations, 1);
    EQUAL(iterations, 40);
#pragma omp parallel master taskloop simd shared(iterations)
    for (int i = 0; i < 40; i++) add_int(&iterations, 1);
    EQUAL(iterations, 80);
#ifndef __clang__
    // clang 19 leaves the body of this one out.
#pragma omp parallel masked taskloop shared(iterations)
    for (int i = 0; i < 40; i++) add_int(&iterations, 1);
    EQUAL(iterations, 120);
#endif
    return 0;
}
