// A proc_bind clause and the regions inside: in programs of gcc they go by it too, where the environment names no
// policy for their level, as libgomp has it; in programs of clang it holds for its own region alone, as libomp has it.
// env: OMP_PLACES=threads OMP_PROC_BIND=close
#include "check.h"

#ifdef __clang__
enum { KEPT_SPREAD = omp_proc_bind_close, KEPT_PRIMARY = omp_proc_bind_close };
#else
enum { KEPT_SPREAD = omp_proc_bind_spread, KEPT_PRIMARY = omp_proc_bind_master };
#endif

static void inside(int expected) {
#pragma omp parallel num_threads(2)
    {
        EQUAL(omp_get_proc_bind(), expected);
#pragma omp parallel if (0)
        EQUAL(omp_get_proc_bind(), expected);
    }
}

int main(void) {
    omp_set_max_active_levels(3);
    EQUAL(omp_get_proc_bind(), omp_proc_bind_close);
#pragma omp parallel num_threads(2) proc_bind(spread)
    {
        EQUAL(omp_get_proc_bind(), KEPT_SPREAD);
        inside(KEPT_SPREAD);
#pragma omp parallel num_threads(2) proc_bind(master)
        {
            EQUAL(omp_get_proc_bind(), KEPT_PRIMARY);
            inside(KEPT_PRIMARY);
        }
        EQUAL(omp_get_proc_bind(), KEPT_SPREAD);
    }
    EQUAL(omp_get_proc_bind(), omp_proc_bind_close);
#pragma omp parallel num_threads(2)
    EQUAL(omp_get_proc_bind(), omp_proc_bind_close);
    return 0;
}
