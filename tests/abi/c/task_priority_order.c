// priority: a thread alone runs what waits by priority; what exceeds OMP_MAX_TASK_PRIORITY counts as that.
// env: OMP_MAX_TASK_PRIORITY=10
// threads: 1
// peer-fails: libgomp a thread alone defers nothing
// peer-fails: libomp a thread alone defers nothing
#include "check.h"

int main(void) {
    int order[40], count = 0;
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < 20; i++) {
#pragma omp task priority(i + 1) firstprivate(i) shared(order, count)
            order[count++] = i + 1;
        }
        EQUAL(count, 0);
#pragma omp taskwait
        EQUAL(count, 20);
#pragma omp taskloop priority(4) grainsize(1) nogroup shared(count)
        for (int i = 0; i < 4; i++) order[count++] = 100;
        // Without a priority it runs at once.
#pragma omp task shared(order, count)
        order[count++] = 0;
        EQUAL(order[20], 0);
#pragma omp taskwait
        EQUAL(count, 25);
    }
    // From 10 on all are alike.
    for (int i = 0; i < 11; i++) CHECK(order[i] >= 10);
    for (int i = 11; i < 20; i++) EQUAL(order[i], 20 - i);
    return 0;
}
