// cancel parallel: every thread leaves at its next cancellation point or barrier.
// env: OMP_CANCELLATION=true
#include "check.h"

int main(void) {
    CHECK(omp_get_cancellation());
    int after = 0, reached = 0, team = omp_get_max_threads();
    omp_set_dynamic(0);
    for (int round = 0; round < 20; round++) {
        after = reached = 0;
#pragma omp parallel
        {
            add_int(&reached, 1);
            if (omp_get_thread_num() == team - 1) {
                SPIN_UNTIL(load_int(&reached) == team);
#pragma omp cancel parallel
                FAIL("the cancelling thread went on");
            }
            for (;;) {
                // Only cancellation ends this.
#pragma omp cancellation point parallel
                sched_yield();
            }
            add_int(&after, 1);
        }
        EQUAL(reached, team);
        EQUAL(after, 0);
    }
    // Leaving through a barrier.
    after = 0;
#pragma omp parallel
    {
        if (omp_get_thread_num() == 0) {
#pragma omp cancel parallel
        }
#pragma omp barrier
        add_int(&after, 1);
    }
    EQUAL(after, 0);
    // A false if does not cancel.
#pragma omp parallel
    {
#pragma omp cancel parallel if (omp_get_thread_num() < 0)
        add_int(&after, 1);
#pragma omp barrier
#pragma omp cancellation point parallel
        add_int(&after, 1);
    }
    EQUAL(after, 2 * team);
    // Tasks of a cancelled region need not run; those that began end.
    int began = 0, ended = 0;
#pragma omp parallel
    {
        for (int i = 0; i < 20; i++) {
#pragma omp task shared(began, ended)
            {
                add_int(&began, 1);
                busy(50);
                add_int(&ended, 1);
            }
        }
#pragma omp cancel parallel
    }
    EQUAL(began, ended);
    // The next region is whole again.
    reached = 0;
#pragma omp parallel
    {
        add_int(&reached, 1);
#pragma omp barrier
        EQUAL(load_int(&reached), team);
    }
    return 0;
}
