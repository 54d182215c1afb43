// The object that citizen_dlopen loads.
#include <omp.h>

static int kept = 1;
#pragma omp threadprivate(kept)

int use(int factor) {
    int n = omp_get_max_threads(), sum = 0, tasks = 0, copies = 0;
    omp_set_dynamic(0);
    kept = factor;
#pragma omp parallel reduction(+ : sum) copyin(kept)
    {
        sum += kept;
#pragma omp atomic
        copies++;
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 50; i++) sum += factor;
#pragma omp single
        for (int i = 0; i < 10; i++) {
#pragma omp task shared(tasks)
            {
#pragma omp atomic
                tasks += factor;
            }
        }
    }
    return !(sum == (50 + n) * factor && tasks == 10 * factor && copies == n);
}
