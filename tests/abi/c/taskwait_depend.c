// taskwait with depend waits for those tasks alone; with nowait it becomes an empty dependent task.
#include "check.h"

int main(void) {
    int x = 0, y = 0, z = 0;
#pragma omp parallel
#pragma omp single
    for (int round = 1; round <= 20; round++) {
        omp_event_handle_t event;
        // This one cannot complete until after the waits below.
#pragma omp task depend(out : z) detach(event) shared(z)
        store_int(&z, round);
#pragma omp task depend(inout : x) shared(x)
        {
            busy(300);
            x = round;
        }
#pragma omp task depend(inout : y) shared(y)
        y = round;
#pragma omp taskwait depend(in : x)
        EQUAL(x, round);
#pragma omp taskwait depend(inout : x) depend(in : y)
        EQUAL(y, round);
        // Nobody has to wait for an address that nobody writes.
        int nobody = 0;
#pragma omp taskwait depend(inout : nobody)
        omp_fulfill_event(event);
#pragma omp taskwait depend(in : z)
        EQUAL(z, round);
#pragma omp taskwait
    }
#ifdef __clang__
#pragma omp parallel
#pragma omp single
    for (int round = 0; round < 20; round++) {
        int a = 0, b = 0;
#pragma omp task depend(out : a) shared(a)
        {
            busy(300);
            a = 1;
        }
#pragma omp taskwait depend(in : a) depend(out : b) nowait
#pragma omp task depend(in : b) shared(a, b)
        b = a + 1;
#pragma omp taskwait
        EQUAL(b, 2);
    }
#endif
    return 0;
}
