// OMP_NUM_THREADS as a list gives each nesting level its size.
// env: OMP_NUM_THREADS=4,3,2 OMP_MAX_ACTIVE_LEVELS=3
// threads: 4
#include "check.h"

int main(void) {
    int leaves = 0;
    EQUAL(omp_get_max_threads(), 4);
    EQUAL(omp_get_max_active_levels(), 3);
#pragma omp parallel
    {
        EQUAL(omp_get_num_threads(), 4);
        EQUAL(omp_get_max_threads(), 3);
#pragma omp parallel
        {
            EQUAL(omp_get_num_threads(), 3);
            EQUAL(omp_get_max_threads(), 2);
#pragma omp parallel
            {
                EQUAL(omp_get_num_threads(), 2);
                add_int(&leaves, 1);
            }
        }
    }
    EQUAL(leaves, 24);
    return 0;
}
