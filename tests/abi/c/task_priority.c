// priority: accepted from 0 to beyond the limit, with dependences and in taskloops; nothing is lost.
// env: OMP_MAX_TASK_PRIORITY=10
#include "check.h"

int main(void) {
    int ran[64] = {0}, chain = 0;
    EQUAL(omp_get_max_task_priority(), 10);
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < 64; i++) {
#pragma omp task priority(i % 13) firstprivate(i) shared(ran)
            add_int(&ran[i], 1);
        }
        for (int i = 0; i < 64; i++) {
#pragma omp task priority(64 - i) depend(inout : chain) firstprivate(i) shared(chain)
            {
                // Dependences stand above priorities.
                EQUAL(chain, i);
                chain++;
            }
        }
#pragma omp taskloop priority(5) grainsize(2) shared(ran)
        for (int i = 0; i < 64; i++) add_int(&ran[i], 1);
    }
    for (int i = 0; i < 64; i++) EQUAL(ran[i], 2);
    EQUAL(chain, 64);
    // A high priority producer that never ends must not starve what it waits for.
    int low = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task priority(0) shared(low)
        store_int(&low, 1);
        for (int i = 0; i < 200; i++) {
#pragma omp task priority(10)
            busy(10);
        }
#pragma omp taskwait
        EQUAL(low, 1);
    }
    return 0;
}
