// With OMP_CANCELLATION=false every cancel is a no-op.
// env: OMP_CANCELLATION=false
#include "check.h"

int main(void) {
    int loops = 0, tasks = 0, regions = 0, sections = 0;
    EQUAL(omp_get_cancellation(), 0);
#pragma omp parallel
    {
#pragma omp for
        for (int i = 0; i < 100; i++) {
#pragma omp cancel for
            add_int(&loops, 1);
        }
#pragma omp sections
        {
#pragma omp section
            {
#pragma omp cancel sections
                add_int(&sections, 1);
            }
#pragma omp section
            add_int(&sections, 1);
        }
#pragma omp single
#pragma omp taskgroup
        for (int i = 0; i < 100; i++) {
#pragma omp task
            {
#pragma omp cancel taskgroup
#pragma omp cancellation point taskgroup
                add_int(&tasks, 1);
            }
        }
#pragma omp cancel parallel
        add_int(&regions, 1);
    }
    EQUAL(loops, 100);
    EQUAL(sections, 2);
    EQUAL(tasks, 100);
    EQUAL(regions, omp_get_max_threads());
    return 0;
}
