// OMP_THREAD_LIMIT bounds the whole contention group, nested teams included.
// env: OMP_THREAD_LIMIT=5 OMP_NUM_THREADS=3
// threads: 3
#include "check.h"

int main(void) {
    int most = 0, count = 0;
    EQUAL(omp_get_thread_limit(), 5);
    omp_set_dynamic(0);
#pragma omp parallel num_threads(20)
    {
        CHECK(omp_get_num_threads() <= 5);
        add_int(&count, 1);
#pragma omp single
        most = omp_get_num_threads();
    }
    CHECK(count == most && most >= 1);
    omp_set_max_active_levels(2);
    int now = 0, peak = 0;
#pragma omp parallel num_threads(3)
    {
#pragma omp parallel num_threads(3)
        {
            int here = add_int(&now, 1) + 1;
#pragma omp critical
            if (here > peak) peak = here;
            busy(20000);
            add_int(&now, -1);
        }
    }
    CHECK(peak <= 5);
    return 0;
}
