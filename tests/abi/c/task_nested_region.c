// Parallel regions inside tasks and tasks inside nested regions: each barrier waits for its own team's tasks.
#include "check.h"

static void region_in_task(int *count) {
#pragma omp parallel num_threads(2)
    {
        int here = 0;
        for (int i = 0; i < 10; i++) {
#pragma omp task shared(here)
            {
                add_int(&here, 1);
                add_int(count, 1);
            }
        }
#pragma omp taskwait
        EQUAL(here, 10);
    }
}

int main(void) {
    int count = 0, nested = 0, team = 0, chain = 0;
    omp_set_max_active_levels(3);
#pragma omp parallel shared(count)
    {
#pragma omp single
        team = omp_get_num_threads();
#pragma omp single
        for (int i = 0; i < 6; i++) {
#pragma omp task
            region_in_task(&count);
        }
        EQUAL(load_int(&count), 6 * 20);
#pragma omp parallel num_threads(3) shared(nested)
        {
#pragma omp single
            for (int i = 0; i < 15; i++) {
#pragma omp task depend(inout : chain)
                add_int(&nested, 1);
            }
        }
    }
    EQUAL(nested, 15 * team);
    // A task left to its region's end, while the inner region begins and ends on the same thread.
    int left = 0;
#pragma omp parallel num_threads(2) shared(left)
    {
#pragma omp task
        add_int(&left, 1);
#pragma omp parallel num_threads(2)
        {
#pragma omp task
            add_int(&left, 10);
        }
        CHECK(load_int(&left) >= 20);
    }
    EQUAL(left, 42);
    return 0;
}
